"""A diagram completely outside the study area is refused before anything is sent, unless that is allowed."""

from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely

from fake_service import FakeService
from pygeodesign import InputError
from small_project import BOUNDS, GREEN, WATER, Workshop

ROCIO = shapely.box(-9.14, 38.71, -9.13, 38.72)
ROME = shapely.box(12.48, 41.88, 12.49, 41.89)


def swapped(shape: shapely.Geometry) -> shapely.Geometry:
    return shapely.transform(shape, lambda positions: positions[:, ::-1])


def frame(*shapes: shapely.Geometry, **columns: Any) -> gpd.GeoDataFrame:
    labels = pd.Index([f"r{number}" for number in range(len(shapes))])
    return gpd.GeoDataFrame({"name": labels.str.upper()} | columns, geometry=list(shapes), crs=4326, index=labels)


def error_for(workshop: Workshop, shape: shapely.Geometry) -> str:
    """The error for this geometry, as a diagram and as a row; checks that nothing was added."""
    with pytest.raises(InputError) as refused:
        workshop.project.add_diagram(WATER, shape, title="Elsewhere")
    with pytest.raises(InputError) as refused_row:
        workshop.project.add_diagrams(WATER, frame(shape), title="name")
    assert str(refused_row.value) == f"row 'r0': {refused.value}"
    assert workshop.project.diagrams(fields="summary") == []
    return str(refused.value)


def test_a_geometry_elsewhere_is_refused_with_its_place_and_the_study_area(workshop: Workshop) -> None:
    message = error_for(workshop, ROME)
    assert "lies outside the study area: it begins at longitude 12.49, latitude 41.88" in message
    assert "longitudes from -9.23 to -9.09 and latitudes from 38.69 to 38.8" in message
    assert 'outside="allow"' in message
    assert "swapped" not in message


@pytest.mark.parametrize(
    "shape", [ROCIO, ROCIO.exterior, shapely.MultiPolygon([ROCIO])], ids=lambda shape: shape.geom_type
)
def test_swapped_axes_are_named_as_the_reason(shape: shapely.Geometry, workshop: Workshop) -> None:
    message = error_for(workshop, swapped(shape))
    assert "lies outside the study area, because its longitude and latitude are swapped" in message
    assert "Give longitude first" in message


@pytest.mark.parametrize(
    "shape",
    [
        shapely.box(-10, 38, -9.2, 39),
        shapely.box(-20, 30, 20, 50),
        shapely.box(-9.23, 38.8, -9, 39),
        shapely.MultiPolygon([ROME, ROCIO]),
    ],
    ids=["partly inside", "around it", "beside its corner", "one part inside"],
)
def test_a_geometry_that_reaches_into_the_study_area_is_added(shape: shapely.Geometry, workshop: Workshop) -> None:
    with pytest.warns(UserWarning, match="partly outside the study area"):
        assert workshop.project.add_diagram(WATER, shape, title="Here").id == 1


# The boundaries


HOLE = shapely.box(-9.18, 38.73, -9.17, 38.74)
ISLAND = shapely.box(-9.12, 38.70, -9.11, 38.71)
BOUNDARIES = gpd.GeoDataFrame(
    {"bname": ["City", "Quarter", "Islands"]},
    geometry=[
        shapely.box(-9.20, 38.70, -9.15, 38.75) - HOLE,
        shapely.box(-9.20, 38.70, -9.19, 38.71),
        shapely.MultiPolygon([ISLAND, shapely.box(-9.12, 38.72, -9.11, 38.73)]),
    ],
    crs=4326,
)
PLACES: dict[str, tuple[shapely.Geometry, float | None]] = {
    "in the city": (shapely.box(-9.17, 38.71, -9.16, 38.72), 0),
    "the city itself": (BOUNDARIES.geometry[0], 0),
    "an island": (ISLAND, 0),
    "at sea, within the bounds": (shapely.box(-9.14, 38.71, -9.13, 38.72), None),
    "in the hole": (HOLE.buffer(-0.002), None),
    "on the edge of the hole": (shapely.box(-9.18, 38.735, -9.16, 38.745), 25),
    "half at sea": (shapely.box(-9.16, 38.71, -9.14, 38.72), 50),
    "a street that leaves": (shapely.LineString([(-9.16, 38.71), (-9.12, 38.711)]), 75),
    "both islands": (shapely.box(-9.12, 38.70, -9.11, 38.73), 33),
}


@pytest.fixture
def coast(workshop: Workshop) -> Workshop:
    """The workshop with boundaries that are smaller than its bounds."""
    workshop.project.study_area.set_boundaries(BOUNDARIES)
    return workshop


@pytest.mark.parametrize("place", PLACES)
def test_the_study_area_is_the_land_of_the_boundaries_and_not_their_bounds(place: str, coast: Workshop) -> None:
    shape, percent = PLACES[place]
    if percent is None:
        assert "outside the study area, the boundaries of the project: it begins at" in error_for(coast, shape)
    elif percent == 0:
        coast.project.add_diagram(WATER, shape, title=place)
    else:
        with pytest.warns(UserWarning, match=rf"partly outside the study area: the geometry \({percent} %\)"):
            coast.project.add_diagram(WATER, shape, title=place)
        with pytest.warns(UserWarning) as warned:
            coast.project.add_diagrams(GREEN, frame(ISLAND, shape), title="name", kind="policy")
        assert [str(warning.message) for warning in warned] == [
            f"partly outside the study area: row 'r1' ({percent} %)"
        ]
        coast.project.add_diagram(GREEN, shape, title=place, outside="allow")


@pytest.mark.parametrize("place", PLACES)
def test_the_service_takes_any_place_and_tells_what_lies_outside(place: str, coast: Workshop) -> None:
    shape, percent = PLACES[place]
    feature = {"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(shape)}
    body = {
        "geometry": {"type": "FeatureCollection", "features": [feature]},
        "featuretype": "line" if shape.geom_type == "LineString" else "polygon",
        "description": place,
    }
    answer = coast.send("POST", f"systems/{WATER}/add/project/", body)
    assert answer.status_code == 200
    told = "" if percent == 0 else f" {100 if percent is None else percent} % of feature 0 lies outside the study area."
    assert answer.json()["status"] == f"The diagram was added at A1.{told}"


def test_boundaries_that_were_changed_are_read_again_before_a_refusal(coast: Workshop) -> None:
    project = coast.project
    project.add_diagram(WATER, ISLAND, title="Island")
    coast.project.study_area.set_boundaries(gpd.GeoDataFrame(geometry=[ROCIO], crs=4326))
    project.add_diagram(WATER, ROCIO, title="Square")


def test_outside_allow_adds_a_geometry_elsewhere(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, ROME, title="Rome", outside="allow")
    (row,) = workshop.project.add_diagrams(GREEN, frame(ROME), title="name", outside="allow")
    assert row["error"] is None
    assert len(workshop.project.diagrams(fields="summary")) == 2


def test_a_study_area_across_the_antimeridian_has_both_sides(workshop: Workshop) -> None:
    client = workshop.client()
    fiji = client.create_project(
        "FADO", title="Fiji", bounds=(177, -19, -178, -16), systems=[{"name": "Sea", "color": "#2B7BBA"}]
    )
    project = client.project(fiji)
    for shape in (shapely.box(178, -18, 179, -17), shapely.box(-180, -18, -179, -17)):
        assert project.add_diagram("Sea", shape, title="Reef").title == "Reef"
    with pytest.raises(InputError, match="outside the study area"):
        project.add_diagram("Sea", shapely.box(0, -18, 1, -17), title="Elsewhere")


def test_one_of_several_features_outside_is_named(workshop: Workshop) -> None:
    with pytest.raises(InputError, match=r"^feature 1: it lies outside"):
        workshop.project.add_diagram(WATER, [ROCIO, ROME], title="Both")


def test_the_bounds_are_asked_for_once_and_again_before_a_refusal() -> None:
    answers = {"bounds/": {"bounds": ",".join(map(str, BOUNDS))}, "systems/1/add/project/": {"diagram_id": "1"}}
    with FakeService(answers) as service:
        project = service.project()
        for _ in range(3):
            project.add_diagram(WATER, ROCIO, title="Here")
        assert service.requests["projects/FakeProject00001/bounds/"] == 1
        with pytest.raises(InputError):
            project.add_diagram(WATER, ROME, title="Elsewhere")
        assert service.requests["projects/FakeProject00001/bounds/"] == 2
        assert len(service.sent) == 3


# Dry runs, and all bad rows at once


def test_a_dry_run_checks_everything_and_sends_nothing(workshop: Workshop) -> None:
    report = workshop.project.add_diagrams("Water", frame(ROCIO, ROCIO), title="name", dry_run=True)
    assert report == [
        {
            "position": position,
            "row": row,
            "title": row.upper(),
            "diagram_id": None,
            "grid_location": None,
            "error": None,
            "constraints": None,
        }
        for position, row in enumerate(("r0", "r1"))
    ]
    with pytest.raises(InputError, match="row 'r1': it lies outside"):
        workshop.project.add_diagrams("Water", frame(ROCIO, ROME), title="name", dry_run=True)
    with pytest.raises(InputError, match='no system "Wind"'):
        workshop.project.add_diagrams("Wind", frame(ROCIO), title="name", dry_run=True)
    assert workshop.project.diagrams(fields="summary") == []


BOW_TIE = shapely.Polygon([(-9.2, 38.7), (-9.1, 38.8), (-9.1, 38.7), (-9.2, 38.8)])


def test_all_bad_rows_are_named_with_their_reasons(workshop: Workshop) -> None:
    rows = frame(ROCIO, BOW_TIE, ROME, ROCIO, ROCIO, ROCIO, what=["project"] * 5 + ["plan"])
    rows.loc["r3", "name"] = None
    rows.loc["r4", "geometry"] = None
    with pytest.raises(InputError) as refused:
        workshop.project.add_diagrams(WATER, rows, title="name", kind="what")
    first, *named = str(refused.value).split("\n- ")
    assert first == "5 of 6 rows cannot be used:"
    expected = [
        "crosses or touches itself",
        "outside the study area",
        "no value for its title",
        "no geometry",
        '"plan" is neither',
    ]
    for number, (line, reason) in enumerate(zip(named, expected, strict=True), start=1):
        assert line.startswith(f"row 'r{number}'")
        assert reason.replace("'", '"') in line
    assert workshop.project.diagrams(fields="summary") == []


def test_of_many_bad_rows_twenty_are_named_and_the_others_counted(workshop: Workshop) -> None:
    with pytest.raises(InputError) as refused:
        workshop.project.add_diagrams(WATER, frame(*[BOW_TIE] * 33), title="name")
    lines = str(refused.value).splitlines()
    assert len(lines) == 22
    assert (lines[0], lines[-1]) == ("33 of 33 rows cannot be used:", "- and 13 more")


def test_bad_rows_are_named_although_the_service_does_not_answer() -> None:
    with FakeService() as service, pytest.raises(InputError, match=r"row 'r0'.*crosses"):
        service.project().add_diagrams(WATER, frame(BOW_TIE), title="name")


def test_a_name_that_is_neither_a_kind_nor_a_column_is_one_error(workshop: Workshop) -> None:
    with pytest.raises(InputError, match=r'^kind "plan" is neither "project" nor "policy", and there is no column'):
        workshop.project.add_diagrams(WATER, frame(ROCIO, ROCIO), title="name", kind="plan")


# Rounding at the edges of the Earth


def test_positions_that_rounding_put_beyond_the_earth_are_set_to_its_edge(workshop: Workshop) -> None:
    """Russia has such positions in the data of Natural Earth."""
    chukotka = shapely.Polygon(
        [(180.00000000000006, 65), (180.00000000000006, 68.9), (170, 67), (180.00000000000006, 65)]
    )
    pole = shapely.LineString([(0, 80), (0, 90.00000000000001)])
    for shape in (chukotka, pole):
        added = workshop.project.add_diagram(WATER, shape, title="Far", outside="allow")
        stored = workshop.project.diagram(added.id).features().to_geopandas().geometry[0]
        assert stored.bounds[2] <= 180
        assert stored.bounds[3] <= 90
        assert shapely.equals_exact(stored, shape, tolerance=1e-9)
