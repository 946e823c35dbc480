"""The service sends the responses that programs for the public platform read, and accepts their requests."""

from typing import Any

import pytest
import shapely

from pygeodesign import FeatureCollection, InputError, Project
from small_project import ADMINISTRATOR, WATER, Workshop
from wire import Wire

# Systems

PREFIXED = {"name": "sysname", "color": "syscolor"}
PREFIXED_FIGURES = PREFIXED | {"tag": "systag", "cost": "syscost", "budget": "sysbudget"}


def test_a_system_in_the_list_has_its_fields_with_and_without_prefix(wire: Wire) -> None:
    for system in wire.json("systems/"):
        assert all(system[plain] == system[prefixed] for plain, prefixed in PREFIXED.items()), system


def test_a_system_has_its_figures_with_and_without_prefix(wire: Wire) -> None:
    system = wire.json("systems/1/")
    assert all(system[plain] == system[prefixed] for plain, prefixed in PREFIXED_FIGURES.items()), system


def test_a_dict_of_a_system_has_each_field_once(project: Project) -> None:
    fields = {"id", "name", "color", "verbose_description", "tag", "cost", "budget", "current_ha", "target_ha"}
    assert {frozenset(system) for system in (*project.systems(), project.system(1))} == {frozenset(fields)}


# Numbers


def whole_floats(value: Any, at: str = "answer") -> list[str]:
    """Positions of numbers such as 1.0, without coordinates and members' own values."""
    if isinstance(value, dict):
        inner = [(f"{at}.{key}", item) for key, item in value.items() if key not in ("geometry", "additional_metadata")]
        return [place for name, item in inner for place in whole_floats(item, name)]
    if isinstance(value, list):
        return [place for item in value for place in whole_floats(item, at)]
    return [at] if isinstance(value, float) and value.is_integer() else []


@pytest.mark.parametrize(
    "path",
    [
        "systems/1/",
        "diagrams/all/",
        "members/jose.villanueva/diagrams/",
        "diagrams/all/details/",
        "diagrams/1001/",
        "constraints/",
    ],
)
def test_a_whole_cost_area_or_length_is_an_integer(path: str, wire: Wire) -> None:
    assert whole_floats(wire.json(path)) == []


def test_the_figures_in_a_dict_stay_floats(project: Project) -> None:
    system = project.system(1)
    assert {type(system[figure]) for figure in ("cost", "budget", "current_ha", "target_ha")} == {float}
    assert {type(diagram["cost_override"]) for diagram in project.diagrams(fields="details")} == {float}


# Designs and selections

FILE = "https://data.example.org/"
SQUARE = shapely.box(-9.2, 38.7, -9.1, 38.8)
EMPTY = {"type": "GeometryCollection", "geometries": []}


def external(workshop: Workshop, feature_type: str) -> int:
    """A diagram whose geometries are in a file elsewhere."""
    body = {"url": f"{FILE}{feature_type}.fgb", "layer_type": "fgb-layer", "featuretype": feature_type}
    added = workshop.send("POST", f"systems/{WATER}/add/external/project/", body | {"description": feature_type})
    return int(added.json()["diagram_id"])


def design_of(workshop: Workshop, *diagrams: int) -> str:
    """The path of a design."""
    team = workshop.project.add_team("Team")["id"]
    return f"cteams/{team}/{workshop.project.team(team).save('Design', diagrams)['id']}/"


@pytest.mark.parametrize("feature_type", ["polygon", "line", "point"])
def test_an_external_diagram_has_an_empty_geometry_of_its_type(feature_type: Any, workshop: Workshop) -> None:
    diagram = external(workshop, feature_type)
    design = design_of(workshop, diagram)
    workshop.project.member(ADMINISTRATOR).set_selection([diagram])
    selection = f"systems/{WATER}/{ADMINISTRATOR}/diagrams/"
    for path in (
        design,
        f"{design}systems/{WATER}/projects/",
        f"members/{ADMINISTRATOR}/diagrams/",
        selection,
        f"{selection}projects/",
    ):
        (feature,) = workshop.send("GET", path).json()["features"]
        assert feature["geometry"] == EMPTY, path
    (feature,) = workshop.send("GET", f"{design}esri/").json()
    field = {"polygon": "rings", "line": "paths", "point": "points"}[feature_type]
    assert feature["geometry"] == {field: [], "spatialReference": {"wkid": 4326}}


@pytest.mark.parametrize("feature_type", ["polygon", "line", "point"])
def test_an_empty_geometry_is_read_as_none(feature_type: Any, workshop: Workshop) -> None:
    _, team, design, _ = design_of(workshop, external(workshop, feature_type)).split("/")
    by_esri = FeatureCollection.from_esri(workshop.project.design(design, int(team)).esri())
    for features in (workshop.project.design(design, int(team)).features(), by_esri):
        assert list(features.to_geopandas().geometry) == [None]


def test_feature_json_has_pairs_where_a_diagram_has_heights(workshop: Workshop) -> None:
    square = shapely.force_3d(SQUARE, 12)
    line = shapely.LineString([(-9.2, 38.7, 3), (-9.1, 38.8, 4)])
    ids = [int(workshop.project.add_diagram(WATER, shape, title="High").id) for shape in (square, line)]
    design = design_of(workshop, *ids)
    for feature in workshop.send("GET", f"{design}esri/").json():
        lines = feature["geometry"].get("rings") or feature["geometry"]["paths"]
        assert {len(position) for line in lines for position in line} == {2}
    for feature in workshop.send("GET", design).json()["features"]:
        assert shapely.geometry.shape(feature["geometry"]).has_z


def test_the_diagrams_of_a_design_come_with_its_id(workshop: Workshop) -> None:
    diagram = external(workshop, "polygon")
    path = design_of(workshop, diagram)
    _, team, design, _ = path.split("/")
    assert workshop.send("GET", f"{path}diagrams/").json() == {"synthesisid": design, "diagrams": [diagram]}
    assert workshop.project.design(design, int(team)).diagram_ids() == [diagram]


# New diagrams


def drawn(**fields: Any) -> dict[str, Any]:
    """The body of a request that adds a diagram."""
    feature = {"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(SQUARE)}
    collection = {"type": "FeatureCollection", "features": [feature]}
    return {"geometry": collection, "featuretype": "polygon", "description": "Drawn"} | fields


def added(workshop: Workshop, body: dict[str, Any]) -> Any:
    answer = workshop.send("POST", f"systems/{WATER}/add/project/", body)
    assert answer.status_code == 200, answer.text
    return workshop.details_of(answer.json()["diagram_id"])


@pytest.mark.parametrize("code", ["o", "b", "u"])
def test_a_funding_code_that_no_document_explains_is_kept(code: Any, workshop: Workshop) -> None:
    assert added(workshop, drawn(fundingtype=code))["fundingtype"] == code
    by_client = workshop.project.add_diagram(WATER, SQUARE, title="Drawn", funding=code)
    assert workshop.details_of(by_client.id)["fundingtype"] == code


def test_a_diagram_without_a_funding_code_is_public(workshop: Workshop) -> None:
    assert added(workshop, drawn())["fundingtype"] == "public"
    assert workshop.details_of(external(workshop, "polygon"))["fundingtype"] == "public"


def test_the_feature_type_may_be_that_of_several_shapes(workshop: Workshop) -> None:
    assert added(workshop, drawn(featuretype="multipolygon"))["area"] > 0
    line = {"type": "LineString", "coordinates": [[-9.2, 38.7], [-9.1, 38.8]]}
    body = drawn(featuretype="multilinestring")
    body["geometry"]["features"][0]["geometry"] = line
    assert added(workshop, body)["length"] > 0


# Dates


def updated(workshop: Workshop, **dates: str) -> Any:
    added(workshop, drawn())
    return workshop.send("POST", "diagrams/1/", {"additional_metadata": {}} | dates)


@pytest.mark.parametrize("evening", ["2029-12-31T24:00:00.000Z", "+002029-12-31T24:00:00.000Z"])
def test_midnight_at_the_end_of_a_day_is_that_of_the_next_day(evening: str, workshop: Workshop) -> None:
    assert updated(workshop, start_date=evening, end_date="2031-01-01T00:00:00.000Z").status_code == 200
    assert workshop.details_of(1)["start_date"] == "2030-01-01"


@pytest.mark.parametrize(
    ("moment", "reason"),
    [
        ("2029-12-31T23:59:60.000Z", "00 to 59"),
        ("+010000-01-01T00:00:00.000Z", "0000 to 9999"),
        ("-000001-12-31T00:00:00.000Z", "0000 to 9999"),
    ],
)
def test_a_moment_that_cannot_be_kept_is_refused_with_the_reason(moment: str, reason: str, workshop: Workshop) -> None:
    answer = updated(workshop, end_date=moment)
    assert answer.status_code == 400
    assert reason in answer.json()["status"]
    with pytest.raises(InputError, match=reason):
        workshop.project.diagram(1).update(additional_metadata={}, end_date=moment)
