"""Every operation shows a new diagram at once, with its area, length, cost, place in the grid and author."""

from typing import Any

import pyproj
import pytest
import shapely

from builders import Json, collection, feature
from pygeodesign import InputError, NotFoundError
from small_project import ADMINISTRATOR, GREEN, MEMBER, WATER, Workshop

WGS84 = pyproj.Geod(ellps="WGS84")
POND = shapely.Polygon(
    [(-9.15, 38.70), (-9.13, 38.70), (-9.13, 38.72), (-9.15, 38.72), (-9.15, 38.70)],
    [[(-9.145, 38.705), (-9.135, 38.705), (-9.14, 38.715), (-9.145, 38.705)]],
)
PARKS = shapely.MultiPolygon([shapely.box(-9.22, 38.70, -9.21, 38.71), shapely.box(-9.20, 38.74, -9.18, 38.75)])
TRAM = shapely.LineString([(-9.16, 38.71), (-9.14, 38.713), (-9.13, 38.73)])
TRAMS = shapely.MultiLineString([TRAM, [(-9.2, 38.7), (-9.19, 38.71)]])
PARKS_FILE = "https://data.example.org/parks.fgb"


def square_metres(shape: shapely.Geometry) -> float:
    """The area on the ellipsoid, without holes."""
    polygons = getattr(shape, "geoms", [shape])

    def of_ring(ring: Any) -> float:
        return abs(WGS84.polygon_area_perimeter(*shapely.get_coordinates(ring).T)[0])

    return sum(of_ring(part.exterior) - sum(map(of_ring, part.interiors)) for part in polygons)


def kilometres(shape: shapely.Geometry) -> float:
    return float(WGS84.geometry_length(shape)) / 1000


# Area, length and cost


@pytest.mark.parametrize("shape", [POND, PARKS, POND.reverse(), shapely.force_3d(PARKS, 30)])
def test_an_area_is_measured_in_square_metres_on_the_ellipsoid(shape: shapely.Geometry, workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, shape, title="Land")
    detail = workshop.details_of(added.id)
    assert detail["area"] == pytest.approx(square_metres(shape), rel=1e-11)
    assert detail["length"] == 0


@pytest.mark.parametrize("shape", [TRAM, TRAMS, shapely.force_3d(TRAM, 30)])
def test_a_length_is_measured_in_kilometres_on_the_ellipsoid(shape: shapely.Geometry, workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, shape, title="Tram")
    detail = workshop.details_of(added.id)
    assert detail["length"] == pytest.approx(kilometres(shape), rel=1e-11)
    assert detail["area"] == 0


def test_several_geometries_make_one_diagram(workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, [POND, PARKS], title="Land")
    assert len(workshop.project.diagram(added.id).features()) == 2
    expected = square_metres(POND) + square_metres(PARKS)
    assert workshop.details_of(added.id)["area"] == pytest.approx(expected, rel=1e-11)


def test_the_cost_is_rate_times_hectares(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, POND, title="Pond")
    hectares = square_metres(POND) / 10_000
    assert workshop.project.costs().total == pytest.approx(hectares * 125_000, rel=1e-11)


# Place in the grid


def test_a_new_diagram_gets_the_next_grid_location_of_its_system(workshop: Workshop) -> None:
    added = [send_pond(workshop, sysid) for sysid in (WATER, WATER, GREEN, WATER)]
    assert [diagram["grid_location"] for diagram in added] == ["A1", "A2", "B1", "A3"]
    assert [workshop.details_of(int(diagram["diagram_id"]))["rank"] for diagram in added] == [1, 2, 1, 3]
    assert added[0]["status"] == "The diagram was added at A1."


def test_an_external_diagram_gets_a_grid_location_too(workshop: Workshop) -> None:
    workshop.project.system(WATER).add_external(PARKS_FILE, title="Parks", layer_type="fgb-layer")
    assert send_pond(workshop, WATER)["grid_location"] == "A2"


def send_pond(workshop: Workshop, sysid: int) -> Json:
    """The service's response to a new diagram, without the client."""
    body = {"geometry": collection(feature(POND.__geo_interface__)), "featuretype": "polygon", "description": "Pond"}
    answer: Json = workshop.send("POST", f"systems/{sysid}/add/project/", body).json()
    return answer


def test_the_new_id_is_an_integer_in_python_and_text_in_json(workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, POND, title="Pond")
    assert isinstance(added.id, int)
    assert workshop.project.diagram(added.id).features().metadata["id"] == added.id
    body = {
        "geometry": {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": TRAM.__geo_interface__}]}
    }
    sent = workshop.send("POST", "systems/1/add/project/", body | {"featuretype": "line", "description": "Tram"})
    assert sent.json()["diagram_id"] == str(added.id + 1)


def test_a_design_shows_the_grid_location(workshop: Workshop) -> None:
    added = workshop.project.add_diagram(GREEN, POND, title="Pond")
    team = workshop.project.add_team("Planners")["id"]
    design = workshop.project.team(team).save("First", [added.id])["id"]
    (feature,) = workshop.project.design(design, team).features()
    assert feature["properties"]["grid_location"] == "B1"


# Listings and fields


def test_a_new_diagram_is_in_every_listing(workshop: Workshop) -> None:
    project = workshop.project
    diagram = int(project.add_diagram(GREEN, POND, title="Pond").id)
    assert [row["id"] for row in project.diagrams(fields="summary")] == [diagram]
    assert [row["id"] for row in project.diagrams(fields="details")] == [diagram]
    assert [feature["properties"]["diagramid"] for feature in project.diagrams()] == [diagram]
    assert project.system(GREEN).diagram_ids() == [diagram]
    assert project.system(WATER).diagram_ids() == []
    assert project.diagram(diagram).features().metadata["description"] == "Pond"
    assert [row["diagramid"] for row in project.costs().diagrams] == [diagram]
    assert list(project.diagram_change_ids()) == [diagram]


def test_the_author_is_the_user_who_added_the_diagram(workshop: Workshop) -> None:
    workshop.project_of(MEMBER).add_diagram(WATER, POND, title="By a member")
    workshop.project_of(ADMINISTRATOR).add_diagram(WATER, POND, title="By an administrator")
    assert [row["author"] for row in workshop.project.diagrams(fields="summary")] == [MEMBER, ADMINISTRATOR]
    assert [row["properties"]["author"] for row in workshop.project.diagrams()] == [MEMBER, ADMINISTRATOR]


@pytest.mark.parametrize("kind", ["project", "policy"])
def test_the_kind_of_a_new_diagram_is_the_given_one(kind: Any, workshop: Workshop) -> None:
    diagram = workshop.project.add_diagram(WATER, POND, title="Pond", kind=kind).id
    assert workshop.details_of(diagram)["type"] == kind
    assert workshop.project.diagram(diagram).features()["features"][0]["properties"]["areatype"] == kind
    assert [row["kind"] for row in workshop.project.costs().diagrams] == [kind]


@pytest.mark.parametrize("funding", ["public", "public_private", "private", "budgeted"])
def test_the_funding_of_a_new_diagram_is_the_given_one(funding: Any, workshop: Workshop) -> None:
    diagram = workshop.project.add_diagram(WATER, POND, title="Pond", funding=funding).id
    assert workshop.details_of(diagram)["fundingtype"] == funding


@pytest.mark.parametrize("title", ["Água & Sombra", "😀", '"quoted" <b>', "a" * 500])
def test_the_title_of_a_new_diagram_is_the_given_one(title: str, workshop: Workshop) -> None:
    diagram = workshop.project.add_diagram(WATER, POND, title=title).id
    assert workshop.details_of(diagram)["description"] == title
    assert [row["worlddescription"] for row in workshop.project.diagrams(fields="summary")] == [title]


@pytest.mark.parametrize(
    "invalid", [{"title": " "}, {"kind": "plan"}, {"funding": "crowd"}, {"feature_type": "volume"}], ids=str
)
def test_an_invalid_title_kind_funding_or_feature_type_is_an_input_error(invalid: Any, workshop: Workshop) -> None:
    with pytest.raises(InputError):
        workshop.project.add_diagram(WATER, POND, **({"title": "Pond"} | invalid))
    assert workshop.project.diagrams(fields="summary") == []


def test_a_diagram_of_an_unknown_system_is_not_found(workshop: Workshop) -> None:
    with pytest.raises(NotFoundError):
        workshop.project.add_diagram(99, POND, title="Pond")


@pytest.mark.parametrize("name", ["line", "LINE", "polyline", "LineString"])
def test_the_service_accepts_several_names_of_the_feature_type_line(name: str, workshop: Workshop) -> None:
    geometry = {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": TRAM.__geo_interface__}]}
    body = {"geometry": geometry, "featuretype": name, "description": "Tram", "fundingtype": "pu"}
    assert workshop.send("POST", "systems/1/add/project/", body).status_code == 200


# External diagrams: their geometry is in a file or layer of another server


def test_a_flatgeobuf_diagram_stores_the_url_of_its_file(workshop: Workshop) -> None:
    added = workshop.project.system(WATER).add_external(
        PARKS_FILE, title="Parks", layer_type="fgb-layer", additional_metadata={"source": {"year": 2026}}
    )
    detail = workshop.details_of(added.id)
    assert (detail["flat_geobuf_url"], detail["external_geometries"]) == (PARKS_FILE, "")
    assert detail["additional_metadata"] == {"source": {"year": 2026}}
    assert (detail["area"], detail["length"]) == (0, 0)


@pytest.mark.parametrize("layer_type", ["cogs", "pmtiles-layer", "esri-org-featurelayer", "of tomorrow"])
def test_a_diagram_of_another_layer_type_stores_its_url_as_external_geometries(
    layer_type: str, workshop: Workshop
) -> None:
    url = "https://data.example.org/height.tif"
    added = workshop.project.system(WATER).add_external(url, title="Height", layer_type=layer_type)
    detail = workshop.details_of(added.id)
    assert (detail["flat_geobuf_url"], detail["external_geometries"]) == ("", url)


def test_the_case_of_a_layer_type_does_not_matter(workshop: Workshop) -> None:
    body = {"url": PARKS_FILE, "layer_type": "FGB-Layer", "featuretype": "polygon", "description": "Parks"}
    workshop.send("POST", "systems/1/add/external/project/", body | {"fundingtype": "pu"}).raise_for_status()
    assert workshop.details_of(1)["flat_geobuf_url"] == PARKS_FILE


@pytest.mark.parametrize(("cost_type", "shown"), [("total", "total"), ("unit", "per hectare.")])
def test_the_cost_of_an_external_diagram_is_a_cost_override(cost_type: Any, shown: str, workshop: Workshop) -> None:
    added = workshop.project.system(WATER).add_external(
        PARKS_FILE, title="Parks", layer_type="fgb-layer", cost=1200, cost_type=cost_type
    )
    detail = workshop.details_of(added.id)
    assert (detail["cost_override"], detail["cost_override_type"]) == (1200, shown)
    (row,) = workshop.project.costs().diagrams
    assert (row["rate_source"], row["cost"]) == (("total", 1200) if cost_type == "total" else ("override", None))


@pytest.mark.parametrize(("code", "shown"), [("t", "total"), ("u", "per hectare.")])
def test_the_service_accepts_the_codes_of_cost_types(code: str, shown: str, workshop: Workshop) -> None:
    body = {"url": PARKS_FILE, "layer_type": "cogs", "featuretype": "polygon", "description": "Parks"}
    priced = body | {"fundingtype": "bu", "cost": 7, "cost_type": code}
    workshop.send("POST", "systems/1/add/external/project/", priced).raise_for_status()
    detail = workshop.details_of(1)
    assert (detail["cost_override"], detail["cost_override_type"]) == (7, shown)


def test_an_external_diagram_without_a_cost_has_no_cost_override(workshop: Workshop) -> None:
    workshop.project.system(WATER).add_external(PARKS_FILE, title="Parks", layer_type="fgb-layer")
    assert workshop.details_of(1)["cost_override"] == 0


def test_an_external_diagram_is_in_every_listing(workshop: Workshop) -> None:
    project = workshop.project
    added = project.system(WATER).add_external(PARKS_FILE, title="Parks", layer_type="fgb-layer", kind="policy")
    diagram = int(added.id)
    assert [row["id"] for row in project.diagrams(fields="summary")] == [diagram]
    assert [row["type"] for row in project.diagrams(fields="details")] == ["policy"]
    assert [(row["properties"]["diagramid"], row["geometry"]) for row in project.diagrams()] == [(diagram, None)]
    assert project.system(WATER).diagram_ids() == [diagram]
    assert len(project.diagram(diagram).features()) == 0


@pytest.mark.parametrize(
    "invalid",
    [
        {"url": ""},
        {"url": "parks.fgb"},
        {"url": "https://"},
        {"url": "https://data.example.org/a b"},
        {"layer_type": " "},
        {"title": ""},
        {"kind": "plan"},
        {"feature_type": "volume"},
        {"cost": 7},
        {"cost": -1, "cost_type": "total"},
        {"cost": 7, "cost_type": "each"},
        {"additional_metadata": {"not a number": float("nan")}},
    ],
    ids=str,
)
def test_an_invalid_argument_of_an_external_diagram_is_an_input_error(invalid: Any, workshop: Workshop) -> None:
    with pytest.raises(InputError):
        workshop.project.system(WATER).add_external(
            **({"url": PARKS_FILE, "title": "Parks", "layer_type": "fgb-layer"} | invalid)
        )
    assert workshop.project.diagrams(fields="summary") == []


# The same land twice

EAST = shapely.box(-9.15, 38.70, -9.13, 38.72)
TWICE = {
    "equal": [EAST, EAST],
    "overlapping": [shapely.box(-9.2, 38.7, -9.14, 38.71), EAST],
    "one in the other": [EAST, shapely.box(-9.145, 38.705, -9.14, 38.71)],
    "one part": [EAST, shapely.MultiPolygon([shapely.box(-9.2, 38.7, -9.19, 38.71), EAST.buffer(-0.001)])],
    "the same line": [TRAM, TRAM],
}


@pytest.mark.parametrize("shapes", TWICE)
def test_features_of_a_diagram_that_cover_the_same_land_are_refused(shapes: str, workshop: Workshop) -> None:
    with pytest.raises(InputError, match="features 0 and 1 cover the same land"):
        workshop.project.add_diagram(WATER, TWICE[shapes], title="Twice")
    assert workshop.project.diagrams(fields="summary") == []


@pytest.mark.parametrize(
    "shapes",
    [
        [EAST, shapely.box(-9.13, 38.70, -9.12, 38.72)],
        [EAST, shapely.box(-9.130000001, 38.70, -9.12, 38.72)],
        [POND, shapely.Polygon(POND.interiors[0])],
        [EAST, shapely.box(-9.13, 38.72, -9.12, 38.73)],
    ],
    ids=["neighbours", "neighbours but for rounding", "in the hole", "at a corner"],
)
def test_features_beside_each_other_are_one_diagram(shapes: Any, workshop: Workshop) -> None:
    added = workshop.project.add_diagram(WATER, shapes, title="Land")
    assert added.title == "Land"


def test_the_service_takes_the_same_land_twice_and_says_so(workshop: Workshop) -> None:
    """Programs of the public platform send it."""
    features = [{"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(EAST)}] * 2
    body = {"geometry": {"type": "FeatureCollection", "features": features}, "featuretype": "polygon"}
    answer = workshop.send("POST", "systems/1/add/project/", body | {"description": "Twice"})
    assert "Features 0 and 1 cover the same land" in answer.json()["status"]
    (problem,) = workshop.project.diagrams().problems()
    assert (problem["diagramid"], problem["row"]) == (1, 1)
    assert "the same land as feature 0" in problem["reason"]
    assert workshop.project.costs(check=True).invalid == 1
