"""A diagram that is added is a diagram like any other, everywhere at once."""

from typing import Any

import pyproj
import pytest
import shapely

from pygeodesign import InputError, NotFoundError
from small_project import ADMINISTRATOR, GREEN, MEMBER, WATER, Lisbon

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
    """Land on the ellipsoid, holes left out."""
    polygons = getattr(shape, "geoms", [shape])

    def of_ring(ring: Any) -> float:
        return abs(WGS84.polygon_area_perimeter(*shapely.get_coordinates(ring).T)[0])

    return sum(of_ring(part.exterior) - sum(map(of_ring, part.interiors)) for part in polygons)


def kilometres(shape: shapely.Geometry) -> float:
    return float(WGS84.geometry_length(shape)) / 1000


# What it covers


@pytest.mark.parametrize("shape", [POND, PARKS, POND.reverse(), shapely.force_3d(PARKS, 30)])
def test_an_area_is_measured_in_square_metres_on_the_ellipsoid(shape: shapely.Geometry, lisbon: Lisbon) -> None:
    added = lisbon.project.add_diagram(WATER, shape, title="Land")
    detail = lisbon.detail(added["diagram_id"])
    assert detail["area"] == pytest.approx(square_metres(shape), rel=1e-11)
    assert detail["length"] == 0


@pytest.mark.parametrize("shape", [TRAM, TRAMS, shapely.force_3d(TRAM, 30)])
def test_a_length_is_measured_in_kilometres_on_the_ellipsoid(shape: shapely.Geometry, lisbon: Lisbon) -> None:
    added = lisbon.project.add_diagram(WATER, shape, title="Tram")
    detail = lisbon.detail(added["diagram_id"])
    assert detail["length"] == pytest.approx(kilometres(shape), rel=1e-11)
    assert detail["area"] == 0


def test_all_features_are_one_diagram(lisbon: Lisbon) -> None:
    added = lisbon.project.add_diagram(WATER, [POND, PARKS], title="Land")
    assert len(lisbon.project.diagram(added["diagram_id"])) == 2
    expected = square_metres(POND) + square_metres(PARKS)
    assert lisbon.detail(added["diagram_id"])["area"] == pytest.approx(expected, rel=1e-11)


def test_its_cost_is_that_of_its_land(lisbon: Lisbon) -> None:
    lisbon.project.add_diagram(WATER, POND, title="Pond")
    hectares = square_metres(POND) / 10_000
    assert lisbon.project.costs().total == pytest.approx(hectares * 125_000, rel=1e-11)


# Where it stands


def test_it_takes_the_next_place_of_its_system(lisbon: Lisbon) -> None:
    places = [lisbon.project.add_diagram(sysid, POND, title="Pond") for sysid in (WATER, WATER, GREEN, WATER)]
    assert [place["grid_location"] for place in places] == ["A1", "A2", "B1", "A3"]
    assert [lisbon.detail(place["diagram_id"])["rank"] for place in places] == [1, 2, 1, 3]


def test_an_external_diagram_takes_a_place_too(lisbon: Lisbon) -> None:
    lisbon.project.add_external_diagram(WATER, PARKS_FILE, title="Parks", layer_type="fgb-layer")
    assert lisbon.project.add_diagram(WATER, POND, title="Pond")["grid_location"] == "A2"


def test_its_id_is_text_that_every_operation_takes(lisbon: Lisbon) -> None:
    added = lisbon.project.add_diagram(WATER, POND, title="Pond")
    assert isinstance(added["diagram_id"], str)
    assert lisbon.project.diagram(added["diagram_id"]).metadata["id"] == int(added["diagram_id"])
    assert added["status"]


def test_a_design_shows_its_place(lisbon: Lisbon) -> None:
    added = lisbon.project.add_diagram(GREEN, POND, title="Pond")
    team = lisbon.sandbox.add_team(lisbon.id, "Planners")
    design = lisbon.sandbox.add_design(lisbon.id, team, "First", [added["diagram_id"]])
    (feature,) = lisbon.project.design(team, design)
    assert feature["properties"]["grid_location"] == "B1"


# Where it shows


def test_it_is_in_every_listing(lisbon: Lisbon) -> None:
    project = lisbon.project
    diagram = int(project.add_diagram(GREEN, POND, title="Pond")["diagram_id"])
    assert [row["id"] for row in project.diagram_summaries()] == [diagram]
    assert [row["id"] for row in project.diagram_details()] == [diagram]
    assert [feature["properties"]["diagramid"] for feature in project.diagrams()] == [diagram]
    assert project.system_diagram_ids(GREEN) == [diagram]
    assert project.system_diagram_ids(WATER) == []
    assert project.diagram(diagram).metadata["description"] == "Pond"
    assert [row["diagramid"] for row in project.costs().diagrams] == [diagram]
    assert list(project.diagram_change_ids()) == [diagram]


def test_its_author_is_who_added_it(lisbon: Lisbon) -> None:
    lisbon.of(MEMBER).add_diagram(WATER, POND, title="By a member")
    lisbon.of(ADMINISTRATOR).add_diagram(WATER, POND, title="By an administrator")
    assert [row["author"] for row in lisbon.project.diagram_summaries()] == [MEMBER, ADMINISTRATOR]
    assert [row["properties"]["author"] for row in lisbon.project.diagrams()] == [MEMBER, ADMINISTRATOR]


@pytest.mark.parametrize("kind", ["project", "policy"])
def test_it_is_of_its_kind(kind: Any, lisbon: Lisbon) -> None:
    diagram = lisbon.project.add_diagram(WATER, POND, title="Pond", kind=kind)["diagram_id"]
    assert lisbon.detail(diagram)["type"] == kind
    assert lisbon.project.diagram(diagram)["features"][0]["properties"]["areatype"] == kind
    assert [row["kind"] for row in lisbon.project.costs().diagrams] == [kind]


@pytest.mark.parametrize("funding", ["public", "public_private", "private", "budgeted"])
def test_it_has_its_funding(funding: Any, lisbon: Lisbon) -> None:
    diagram = lisbon.project.add_diagram(WATER, POND, title="Pond", funding=funding)["diagram_id"]
    assert lisbon.detail(diagram)["fundingtype"] == funding


@pytest.mark.parametrize("title", ["Água & Sombra", "😀", '"quoted" <b>', "a" * 500])
def test_it_has_its_title(title: str, lisbon: Lisbon) -> None:
    diagram = lisbon.project.add_diagram(WATER, POND, title=title)["diagram_id"]
    assert lisbon.detail(diagram)["description"] == title
    assert [row["worlddescription"] for row in lisbon.project.diagram_summaries()] == [title]


@pytest.mark.parametrize(
    "wrong", [{"title": " "}, {"kind": "plan"}, {"funding": "crowd"}, {"feature_type": "point"}], ids=str
)
def test_what_it_cannot_be_is_an_input_error(wrong: Any, lisbon: Lisbon) -> None:
    with pytest.raises(InputError):
        lisbon.project.add_diagram(WATER, POND, **({"title": "Pond"} | wrong))
    assert lisbon.project.diagram_summaries() == []


def test_a_system_that_is_not_there_is_not_found(lisbon: Lisbon) -> None:
    with pytest.raises(NotFoundError):
        lisbon.project.add_diagram(99, POND, title="Pond")


@pytest.mark.parametrize("name", ["line", "LINE", "polyline", "LineString"])
def test_the_service_knows_a_line_by_several_names(name: str, lisbon: Lisbon) -> None:
    geometry = {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": TRAM.__geo_interface__}]}
    body = {"geometry": geometry, "featuretype": name, "description": "Tram", "fundingtype": "pu"}
    assert lisbon.send("POST", "systems/1/add/project/", body).status_code == 200


# Geography elsewhere


def test_a_flatgeobuf_is_an_address(lisbon: Lisbon) -> None:
    added = lisbon.project.add_external_diagram(
        WATER, PARKS_FILE, title="Parks", layer_type="fgb-layer", additional_metadata={"source": {"year": 2026}}
    )
    detail = lisbon.detail(added["diagram_id"])
    assert (detail["flat_geobuf_url"], detail["external_geometries"]) == (PARKS_FILE, "")
    assert detail["additional_metadata"] == {"source": {"year": 2026}}
    assert (detail["area"], detail["length"]) == (0, 0)


@pytest.mark.parametrize("layer_type", ["cogs", "pmtiles-layer", "esri-org-featurelayer", "of tomorrow"])
def test_another_layer_is_an_address_of_another_kind(layer_type: str, lisbon: Lisbon) -> None:
    url = "https://data.example.org/height.tif"
    added = lisbon.project.add_external_diagram(WATER, url, title="Height", layer_type=layer_type)
    detail = lisbon.detail(added["diagram_id"])
    assert (detail["flat_geobuf_url"], detail["external_geometries"]) == ("", url)


def test_the_case_of_a_layer_type_is_all_the_same(lisbon: Lisbon) -> None:
    body = {"url": PARKS_FILE, "layer_type": "FGB-Layer", "featuretype": "polygon", "description": "Parks"}
    lisbon.send("POST", "systems/1/add/external/project/", body | {"fundingtype": "pu"}).raise_for_status()
    assert lisbon.detail(1)["flat_geobuf_url"] == PARKS_FILE


@pytest.mark.parametrize(("cost_type", "shown"), [("total", "total"), ("unit", "per hectare.")])
def test_a_cost_is_an_override(cost_type: Any, shown: str, lisbon: Lisbon) -> None:
    added = lisbon.project.add_external_diagram(
        WATER, PARKS_FILE, title="Parks", layer_type="fgb-layer", cost=1200, cost_type=cost_type
    )
    detail = lisbon.detail(added["diagram_id"])
    assert (detail["cost_override"], detail["cost_override_type"]) == (1200, shown)
    (row,) = lisbon.project.costs().diagrams
    assert (row["rate_source"], row["cost"]) == (("total", 1200) if cost_type == "total" else ("override", None))


@pytest.mark.parametrize(("code", "shown"), [("t", "total"), ("u", "per hectare.")])
def test_a_cost_is_sent_with_the_code_of_its_type(code: str, shown: str, lisbon: Lisbon) -> None:
    body = {"url": PARKS_FILE, "layer_type": "cogs", "featuretype": "polygon", "description": "Parks"}
    priced = body | {"fundingtype": "bu", "cost": 7, "cost_type": code}
    lisbon.send("POST", "systems/1/add/external/project/", priced).raise_for_status()
    detail = lisbon.detail(1)
    assert (detail["cost_override"], detail["cost_override_type"]) == (7, shown)


def test_without_a_cost_there_is_no_override(lisbon: Lisbon) -> None:
    lisbon.project.add_external_diagram(WATER, PARKS_FILE, title="Parks", layer_type="fgb-layer")
    assert lisbon.detail(1)["cost_override"] == 0


def test_an_external_diagram_is_in_every_listing(lisbon: Lisbon) -> None:
    project = lisbon.project
    added = project.add_external_diagram(WATER, PARKS_FILE, title="Parks", layer_type="fgb-layer", kind="policy")
    diagram = int(added["diagram_id"])
    assert [row["id"] for row in project.diagram_summaries()] == [diagram]
    assert [row["type"] for row in project.diagram_details()] == ["policy"]
    assert [(row["properties"]["diagramid"], row["geometry"]) for row in project.diagrams()] == [(diagram, None)]
    assert project.system_diagram_ids(WATER) == [diagram]
    assert len(project.diagram(diagram)) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": ""},
        {"url": "parks.fgb"},
        {"url": "https://"},
        {"url": "https://data.example.org/a b"},
        {"layer_type": " "},
        {"title": ""},
        {"kind": "plan"},
        {"feature_type": "point"},
        {"cost": 7},
        {"cost": -1, "cost_type": "total"},
        {"cost": 7, "cost_type": "each"},
        {"additional_metadata": {"not a number": float("nan")}},
    ],
    ids=str,
)
def test_what_an_external_diagram_cannot_be_is_an_input_error(wrong: Any, lisbon: Lisbon) -> None:
    with pytest.raises(InputError):
        lisbon.project.add_external_diagram(
            WATER, **({"url": PARKS_FILE, "title": "Parks", "layer_type": "fgb-layer"} | wrong)
        )
    assert lisbon.project.diagram_summaries() == []
