"""A write that fails changes nothing in the database."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from builders import Json, collection, feature, line, ring, square
from database import snapshot
from pygeodesign import AuthenticationError, Client, GeodesignError, Project
from small_project import (
    ADMINISTRATOR,
    BOUNDS,
    GREEN,
    MEMBER,
    SHADOWS,
    STRANGER,
    SYSTEMS,
    WATER,
    Workshop,
    running_workshop,
)

UNKNOWN = "99999999-9999-4999-8999-999999999999"
BOW_TIE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}
AREA = square(-9.15, 38.71, 0.01)
NEW_PROJECT: Json = {
    "creation_code": "FADO",
    "project_title": "Porto",
    "project_description": "",
    "map_bounds": "-8.7,41.1,-8.5,41.2",
    "map_center": "-8.6,41.15",
    "zoom_level": 12,
    "systems": SYSTEMS,
    "tags": [{"tag": "Coast", "code": "CO"}],
    "plugins": [SHADOWS],
}
NEW_DIAGRAM: Json = {
    "geometry": collection(feature(AREA)),
    "featuretype": "polygon",
    "description": "Drawn",
    "fundingtype": "pu",
}
EXTERNAL_DIAGRAM: Json = {
    "url": "https://data.example.org/parks.fgb",
    "layer_type": "fgb-layer",
    "featuretype": "polygon",
    "description": "Elsewhere",
    "fundingtype": "pu",
}
LAYER: Json = {
    "server_type": "other",
    "layer_type": "XYZ",
    "url": "https://tiles.example.org/{z}/{x}/{y}.png",
    "layer_name": "relief",
}
MAP = collection(feature(AREA, areatype="green"))
METADATA: Json = {"additional_metadata": {}}


def systems_with(**change: Any) -> Json:
    """The systems of a new project, the second with a changed field."""
    return {"systems": [SYSTEMS[0], {**SYSTEMS[1], **change}]}


# Path, body and status of requests that are rejected. Most bodies are partly valid: that part must not be stored.
REFUSED: dict[str, tuple[str, Any, int]] = {
    "a project with an unknown code": ("projects/create/", NEW_PROJECT | {"creation_code": "no"}, 403),
    "a project with ten systems": ("projects/create/", NEW_PROJECT | {"systems": SYSTEMS * 5}, 400),
    "a project with a bad colour": ("projects/create/", NEW_PROJECT | systems_with(color="blue"), 400),
    "a project with a nameless system": ("projects/create/", NEW_PROJECT | systems_with(name=" "), 400),
    "a project with half a cost": ("projects/create/", NEW_PROJECT | systems_with(cost=0.5), 400),
    "a project with a negative cost": ("projects/create/", NEW_PROJECT | systems_with(cost=-1), 400),
    "a project without a title": ("projects/create/", NEW_PROJECT | {"project_title": ""}, 400),
    "a project without land": ("projects/create/", NEW_PROJECT | {"map_bounds": "1,1,1,1"}, 400),
    "a project off Earth": ("projects/create/", NEW_PROJECT | {"map_bounds": "-200,0,10,10"}, 400),
    "a project with no bounds": ("projects/create/", NEW_PROJECT | {"map_bounds": "everywhere"}, 400),
    "a project with no centre": ("projects/create/", NEW_PROJECT | {"map_center": "12"}, 400),
    "a project seen from too near": ("projects/create/", NEW_PROJECT | {"zoom_level": 31}, 400),
    "a project with a barred tag": ("projects/create/", NEW_PROJECT | {"tags": [{"tag": "A", "code": "A|B"}]}, 400),
    "a project with one code twice": (
        "projects/create/",
        NEW_PROJECT | {"tags": [{"tag": "Coast", "code": "CO"}, {"tag": "Company", "code": "CO"}]},
        400,
    ),
    "a project with an odd plugin": ("projects/create/", NEW_PROJECT | {"plugins": [SHADOWS, "shadows"]}, 400),
    "a linked project of nobody": ("projects/create-igc-project/", NEW_PROJECT | {"gpl_project_id": "GPL-9"}, 403),
    "a stakeholder who is a number": ("stakeholders/", ["Fishers", 7], 400),
    "a stakeholder without a name": ("stakeholders/", ["Fishers", ""], 400),
    "an odd plugin": ("plugins/", [SHADOWS, "shadows"], 400),
    "a layer of an unknown server": ("data_layers/", LAYER | {"server_type": "mine"}, 400),
    "a layer of an unknown type": ("data_layers/", LAYER | {"layer_type": "WFS"}, 400),
    "a layer without an address": ("data_layers/", {"server_type": "other", "layer_type": "XYZ"}, 400),
    "a tag without a name": ("tags/create/", {"tags": [{"tag": "New", "code": "N"}, {"tag": "", "code": "X"}]}, 400),
    "a tag with a barred code": ("tags/create/", {"tags": [{"tag": "New"}, {"tag": "X", "code": "A|B"}]}, 400),
    "a tag with a taken code": ("tags/create/", {"tags": [{"tag": "New"}, {"tag": "Other", "code": "QW"}]}, 409),
    "two tags with one code": ("tags/create/", {"tags": [{"tag": "A", "code": "X"}, {"tag": "B", "code": "X"}]}, 409),
    "tags that are a list": ("tags/create/", [{"tag": "New"}], 400),
    "an update without metadata": ("diagrams/{id}/", {"title": "New"}, 400),
    "an update with an empty title": ("diagrams/{id}/", METADATA | {"title": " "}, 400),
    "an update with an unknown tag": (
        "diagrams/{id}/",
        {"additional_metadata": {"new": 1}, "title": "New", "tag_codes": ["QW", "ZZ"]},
        400,
    ),
    "an update with a bare date": ("diagrams/{id}/", METADATA | {"title": "New", "start_date": "2030-01-01"}, 400),
    "an update that ends before it starts": (
        "diagrams/{id}/",
        METADATA | {"start_date": "2030-01-02T00:00:00.000Z", "end_date": "2030-01-01T00:00:00.000Z"},
        400,
    ),
    "an unknown tag": ("diagrams/{id}/tags/", [UNKNOWN], 400),
    "a tag that is no UUID": ("diagrams/{id}/tags/", ["QW"], 400),
    "an unknown code": ("diagrams/{id}/tags/codes/", ["QW", "ZZ"], 400),
    "a code that is empty": ("diagrams/{id}/tags/codes/", ["QW", ""], 400),
    "notes that are no text": ("diagrams/{id}/notes/", {"notes": 7}, 400),
    "a nameless group": ("diagrams/group/", {"diagram_groups": [{"group_name": "", "diagrams": []}]}, 400),
    "a group of an unknown diagram": (
        "diagrams/group/",
        {"diagram_groups": [{"group_name": "New", "diagrams": [1]}, {"group_name": "Odd", "diagrams": [999]}]},
        404,
    ),
    "a diagram of no features": ("systems/1/add/project/", NEW_DIAGRAM | {"geometry": collection()}, 400),
    "a diagram with a bow tie": (
        "systems/1/add/project/",
        NEW_DIAGRAM | {"geometry": collection(feature(AREA), feature(BOW_TIE))},
        400,
    ),
    "a diagram of lines and areas": (
        "systems/1/add/project/",
        NEW_DIAGRAM | {"geometry": collection(feature(AREA), feature(line([0, 0], [1, 1])))},
        400,
    ),
    "a diagram that is called a line": ("systems/1/add/policy/", NEW_DIAGRAM | {"featuretype": "line"}, 400),
    "a diagram without a title": ("systems/1/add/project/", NEW_DIAGRAM | {"description": ""}, 400),
    "a diagram of odd funding": ("systems/1/add/project/", NEW_DIAGRAM | {"fundingtype": "crowd"}, 400),
    "a diagram of no system": ("systems/999/add/project/", NEW_DIAGRAM, 404),
    "an external diagram of no address": (
        "systems/1/add/external/project/",
        EXTERNAL_DIAGRAM | {"url": "parks.fgb"},
        400,
    ),
    "an external diagram of half a price": ("systems/1/add/external/project/", EXTERNAL_DIAGRAM | {"cost": 7}, 400),
    "an external diagram of a negative price": (
        "systems/1/add/external/project/",
        EXTERNAL_DIAGRAM | {"cost": -7, "cost_type": "t"},
        400,
    ),
    "an external diagram of an odd price": (
        "systems/1/add/external/policy/",
        EXTERNAL_DIAGRAM | {"cost": 7, "cost_type": "each"},
        400,
    ),
    "an external diagram of no system": ("systems/999/add/external/policy/", EXTERNAL_DIAGRAM, 404),
    "an evaluation of nothing": ("systems/1/e/map/json/", collection(feature(AREA)), 400),
    "an evaluation of a bow tie": (
        "systems/1/e/map/json/",
        collection(feature(AREA, areatype="green"), feature(BOW_TIE, areatype="red")),
        400,
    ),
    "an evaluation of no system": ("systems/999/e/map/json/", MAP, 404),
    "an evaluation of a stranger": (f"systems/1/e/map/json/{STRANGER}/", MAP, 403),
    "an impact without land": ("systems/1/i/map/json/", collection(feature(AREA), feature(None)), 400),
    "an impact of no system": ("systems/999/i/map/json/", MAP, 404),
    "an impact of a stranger": (f"systems/1/i/map/json/{STRANGER}/", MAP, 403),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service") / "lisbon.sqlite"


@pytest.fixture(scope="module")
def with_content(database: Path) -> Iterator[Workshop]:
    """The workshop with content that a failing write could change. No test may change it, so all of them share it."""
    with running_workshop(database) as workshop:
        add_content(workshop.project)
        yield workshop


def add_content(project: Project) -> None:
    project.add_diagram(WATER, AREA, title="Rain garden")
    project.diagram(1).update(additional_metadata={"phase": 1}, tag_codes=["CO"])
    project.diagram(1).set_notes("Ask the harbour.")
    project.group_diagrams({"Odd": [1]})
    project.workshop.set_plugins([SHADOWS])
    project.system(WATER).set_evaluation(MAP)
    project.study_area.add_layer(LAYER["url"], server_type="other", layer_type="XYZ", layer_name="Relief")


def below_root(workshop: Workshop, path: str) -> str:
    path = path.format(id=1)
    return path if path.startswith("projects/") else f"projects/{workshop.id}/{path}"


@pytest.mark.parametrize("request_", REFUSED)
def test_a_rejected_request_changes_nothing(request_: str, with_content: Workshop, database: Path) -> None:
    path, body, status = REFUSED[request_]
    before = snapshot(database)
    response = with_content.send_to("POST", below_root(with_content, path), body)
    shared = [] if status == 400 else ["detail"]
    assert (response.status_code, list(response.json())) in [(status, [*shared, own]) for own in ("status", "message")]
    assert snapshot(database) == before


PATHS = sorted({path for path, _, _ in REFUSED.values()})


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [None, {}, 7, "text"], ids=["null", "object", "number", "text"])
def test_a_body_of_the_wrong_type_changes_nothing(body: Any, path: str, with_content: Workshop, database: Path) -> None:
    before = snapshot(database)
    response = with_content.send_to("POST", below_root(with_content, path), body)
    assert 400 <= response.status_code < 500
    assert snapshot(database) == before


@pytest.mark.parametrize("path", [path for path in PATHS if not path.startswith("projects/")])
def test_a_request_of_a_stranger_changes_nothing(path: str, with_content: Workshop, database: Path) -> None:
    bodies = {refused: body for refused, body, _ in REFUSED.values()}
    before = snapshot(database)
    assert with_content.send("POST", path.format(id=1), bodies[path], user=STRANGER).status_code == 404
    assert snapshot(database) == before


@pytest.mark.parametrize("user", [MEMBER, STRANGER])
def test_only_administrators_delete_layers(user: str, with_content: Workshop, database: Path) -> None:
    before = snapshot(database)
    assert with_content.send("DELETE", "data_layers/1/", user=user).status_code == (403 if user == MEMBER else 404)
    assert snapshot(database) == before


def test_deleting_an_unknown_layer_changes_nothing(with_content: Workshop, database: Path) -> None:
    before = snapshot(database)
    assert with_content.send("DELETE", "data_layers/2/").status_code == 404
    assert snapshot(database) == before


# Failing writes of the client


CALLS: dict[str, Callable[[Project], Any]] = {
    "add_stakeholders": lambda project: project.workshop.add_stakeholders(["Fishers", ""]),
    "set_plugins": lambda project: project.workshop.set_plugins(["shadows"]),
    "add_layer": lambda project: project.study_area.add_layer(
        "http://tiles.example.org", server_type="other", layer_type="XYZ", layer_name="Relief"
    ),
    "delete_layer": lambda project: project.study_area.delete_layer(99),
    "create_tags": lambda project: project.create_tags(["New", {"tag": "Other", "code": "QW"}]),
    "update_diagram": lambda project: project.diagram(1).update(additional_metadata={}, tag_codes=["QW", "ZZ"]),
    "set_diagram_tags": lambda project: project.diagram(1).set_tags([UNKNOWN]),
    "set_diagram_tag_codes": lambda project: project.diagram(1).set_tag_codes(["QW", "ZZ"]),
    "set_diagram_notes": lambda project: project.diagram(99).set_notes("Nobody's note"),
    "group_diagrams": lambda project: project.group_diagrams({"New": [1], "Odd": [1, 99]}),
    "add_diagram": lambda project: project.add_diagram(99, AREA, title="Nowhere"),
    "add_diagrams": lambda project: project.add_diagrams(
        GREEN, collection(feature(AREA, name="a"), feature(BOW_TIE, name="b")), title="name"
    ),
    "add_external_diagram": lambda project: project.system(99).add_external(
        "https://data.example.org/parks.fgb", title="Nowhere", layer_type="fgb-layer"
    ),
    "set_evaluation": lambda project: project.system(WATER).set_evaluation(MAP, STRANGER),
    "set_impact": lambda project: project.system(WATER).set_impact(MAP, STRANGER),
}


@pytest.mark.parametrize("operation", CALLS)
def test_a_failing_operation_of_the_client_changes_nothing(
    operation: str, with_content: Workshop, database: Path
) -> None:
    project = with_content.project
    before = snapshot(database)
    with pytest.raises(GeodesignError):
        CALLS[operation](project)
    assert snapshot(database) == before


def test_a_new_project_that_is_denied_changes_nothing(with_content: Workshop, database: Path) -> None:
    client = with_content.client(ADMINISTRATOR)
    before = snapshot(database)
    with pytest.raises(GeodesignError):
        client.create_project("no code", title="Porto", bounds=BOUNDS, systems=SYSTEMS)
    with pytest.raises(GeodesignError):
        client.create_linked_project("GPL-9", title="Porto", bounds=BOUNDS, systems=SYSTEMS)
    assert snapshot(database) == before


def test_a_write_with_an_expired_token_changes_nothing(with_content: Workshop, database: Path) -> None:
    expired = with_content.sandbox.token(ADMINISTRATOR, lifetime=-1)
    before = snapshot(database)
    with pytest.raises(AuthenticationError):
        Client(expired, with_content.sandbox.url).project(with_content.id).workshop.add_stakeholders(["Fishers"])
    assert snapshot(database) == before


def test_an_evaluation_with_one_invalid_area_changes_nothing(with_content: Workshop, database: Path) -> None:
    """The second of two areas is invalid, so the first is not stored either."""
    crossed = {"type": "Polygon", "coordinates": [ring(0, 0, 1), ring(0.5, 0.5, 1)]}
    wrong = collection(feature(AREA, areatype="red"), feature(crossed, areatype="red"))
    before = snapshot(database)
    with pytest.raises(GeodesignError, match="feature 1"):
        with_content.project.system(WATER).set_evaluation(wrong)
    assert snapshot(database) == before
