"""Every operation of the service, asked over plain HTTP, answers as it is documented."""

import re
from typing import Any, NamedTuple

import pytest

import documented_shapes as shapes
from documented_shapes import check, collection, diagram
from pygeodesign import Sandbox
from wire import Wire


class Row(NamedTuple):
    """An operation: what it answers when it works, and whether this version serves it."""

    method: str
    path: str
    status: int
    shape: Any
    who: str = "amara.okafor"
    served: bool = True


def get(path: str, shape: Any) -> Row:
    return Row("GET", path, 200, shape)


def later(method: str, path: str, status: int = 200, who: str = "amara.okafor") -> Row:
    return Row(method, path, status, None, who, served=False)


# Below `projects/{project}/` unless the path begins with a slash.
ROWS = [
    # Projects
    get("/projects/", [shapes.PROJECT]),
    get("/projects/latest/", [shapes.PROJECT]),
    later("POST", "/projects/create/", 201),
    later("POST", "/projects/create-igc-project/", 201),
    get("", shapes.PROJECT),
    get("members/", {"members": [shapes.MEMBER]}),
    get("stakeholders/", {"stakeholders": [shapes.STAKEHOLDER]}),
    later("POST", "stakeholders/"),
    get("bounds/", {"bounds": shapes.BOUNDS}),
    get("center/", {"center": shapes.CENTER}),
    get("plugins/", [shapes.PLUGIN]),
    later("POST", "plugins/"),
    get(
        "constraints/",
        {
            "geojson": collection(shapes.OF_CONSTRAINT),
            "sysid": int,
            "rank": int,
            "id": int,
            "description": str,
            "length": float,
            "area": float,
        },
    ),
    get("boundaries/", {"geojson": collection(shapes.OF_BOUNDARY), "description": str}),
    get("secondboundaries/", {"geojson": collection(shapes.OF_BOUNDARY), "description": str}),
    # External data layers
    get("data_layers/", [shapes.LAYER]),
    later("POST", "data_layers/"),
    later("DELETE", "data_layers/{layer}/", 204, who="admin"),
    # Tags
    later("POST", "tags/create/"),
    get("tags/", [shapes.TAG]),
    # Diagrams
    get("diagrams/", [shapes.SUMMARY]),
    get(
        "diagrams/all/",
        [diagram(shapes.Choice((collection(shapes.OF_DIAGRAM), {"type": str, "features": shapes.nothing})))],
    ),
    get("diagrams/all/details/", [shapes.DIAGRAM_DETAILS]),
    get("diagrams/{diagram}/", diagram(collection(shapes.OF_DIAGRAM))),
    later("POST", "diagrams/{diagram}/"),
    get("diagrams/{diagram}/tags/", [shapes.TAG]),
    later("POST", "diagrams/{diagram}/tags/"),
    get("diagrams/{diagram}/tags/codes/", [shapes.TAG]),
    later("POST", "diagrams/{diagram}/tags/codes/"),
    get("diagrams/{diagram}/notes/", {"id": str, "notes": str}),
    later("POST", "diagrams/{diagram}/notes/"),
    get("diagrams/{diagram}/changeid/", {"changehash": re.compile(r"\S+")}),
    get("members/{username}/diagrams/", collection(shapes.OF_SELECTION)),
    later("POST", "diagrams/group/"),
    later("POST", "diagrams/groups/"),
    # Thumbnails
    later("GET", "diagrams/all/generate_thumbnails/"),
    later("GET", "diagrams/{diagram}/generate_thumbnail/"),
    later("GET", "diagrams/{diagram}/thumbnail/{job}/"),
    # Systems
    get("systems/", [shapes.SYSTEM_ITEM]),
    get("systems/{system}/", shapes.SYSTEM),
    get("systems/{system}/diagrams/", {"diagrams": [int]}),
    get("systems/{system}/evaluation/", {"geojson": collection(shapes.OF_EVALUATION), "sysid": int}),
    later("POST", "systems/{system}/add/project/"),
    later("POST", "systems/{system}/add/policy/"),
    later("POST", "systems/{system}/add/external/project/"),
    later("POST", "systems/{system}/add/external/policy/"),
    later("POST", "systems/{system}/e/map/json/"),
    later("POST", "systems/{system}/e/map/json/{username}/"),
    later("POST", "systems/{system}/i/map/json/"),
    later("POST", "systems/{system}/i/map/json/{username}/"),
    get("systems/{system}/{username}/diagrams/", collection(shapes.OF_SELECTION)),
    get(
        "systems/{system}/{username}/diagrams/projects/",
        collection(shapes.OF_SELECTION | {"areatype": re.compile("project")}),
    ),
    get(
        "systems/{system}/{username}/diagrams/policies/",
        collection(shapes.OF_SELECTION | {"areatype": re.compile("policy")}),
    ),
    # Change teams
    get("cteams/", [shapes.TEAM]),
    get("cteams/{team}/", {"synthesis": [shapes.DESIGN]}),
    get("cteams/{team}/details/", shapes.DESIGN_DETAILS),
    get("cteams/{team}/members/", {"members": [str]}),
    get("cteams/{team}/{design}/", collection(shapes.ATTRIBUTES)),
    get("cteams/{team}/{design}/esri/", [shapes.ESRI_FEATURE]),
    get("cteams/{team}/{design}/details/", shapes.DESIGN_DETAILS),
    get("cteams/{team}/{design}/diagrams/", {"diagrams": [int]}),
    get(
        "cteams/{team}/{design}/timeline/",
        {"timeline": lambda line: line and all(set(period) == {"start", "end"} for period in line.values())},
    ),
    get("cteams/{team}/{design}/systems/{system}/projects/", collection(shapes.ATTRIBUTES)),
    # Negotiations
    get("negotiation_logs/", {"all_negotiations": [shapes.SESSION]}),
]
SERVED = [row for row in ROWS if row.served]
# Ids of nothing, for each id in a path, and how the service then answers.
UNKNOWN = {
    "project": ("0000000000000000", 404),
    "diagram": ("999999", 404),
    "system": ("999999", 404),
    "team": ("999999", 404),
    "design": ("0000000000000000", 404),
    # A selection is asked of a member; nobody else has one.
    "username": ("nobody.known", 403),
}


def name(row: Row) -> str:
    return f"{row.method} {row.path or '(project)'}"


def template(row: Row) -> str:
    return row.path.removeprefix("/") if row.path.startswith("/") else "projects/{project}/" + row.path


@pytest.fixture(scope="module")
def ids(sandbox: Sandbox, wire: Wire) -> dict[str, str]:
    """Things of the demo project for which every operation has something to show."""
    return {
        "project": sandbox.project_ids[0],
        "diagram": "1002",
        "system": "1",
        "username": "jose.villanueva",
        "team": "1",
        "design": wire.json("cteams/1/")["synthesis"][0]["id"],
        "layer": "1",
        "job": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    }


@pytest.mark.parametrize("row", SERVED, ids=name)
def test_an_operation_answers_as_documented(row: Row, wire: Wire, ids: dict[str, str]) -> None:
    answer = wire.request(row.method, template(row).format_map(ids))
    assert answer.status_code == row.status
    assert answer.headers["content-type"] == "application/json"
    check(answer.json(), row.shape)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.served], ids=name)
def test_an_operation_that_is_not_served_yet_is_refused(row: Row, wire: Wire, sandbox: Sandbox, ids: Any) -> None:
    headers = {"Authorization": f"Token {sandbox.token(row.who)}"}
    answer = wire.request(row.method, template(row).format_map(ids), headers=headers, json={})
    assert answer.status_code in (404, 405)
    check(answer.json(), shapes.DETAIL)


@pytest.mark.parametrize("authorization", [None, "Token 0123456789abcdef", "Token", "Basic YTpi"])
@pytest.mark.parametrize("row", SERVED, ids=name)
def test_nobody_is_answered_without_a_token(row: Row, authorization: str | None, wire: Wire, ids: Any) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    answer = wire.request(row.method, template(row).format_map(ids), headers=headers)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Token")
    check(answer.json(), shapes.DETAIL)


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_does_not_exist_is_not_found(what: str, wire: Wire, ids: dict[str, str]) -> None:
    unknown, status = UNKNOWN[what]
    rows = [row for row in SERVED if f"{{{what}}}" in template(row)]
    assert rows
    for row in rows:
        answer = wire.request(row.method, template(row).format_map(ids | {what: unknown}))
        assert answer.status_code == status, name(row)
        check(answer.json(), shapes.DETAIL)


@pytest.mark.parametrize("what", ["project", "diagram", "system", "team", "design"])
def test_what_cannot_be_an_id_is_not_found(what: str, wire: Wire, ids: dict[str, str]) -> None:
    for row in (row for row in SERVED if f"{{{what}}}" in template(row)):
        answer = wire.request(row.method, template(row).format_map(ids | {what: "no-such-id"}))
        assert answer.status_code == 404, name(row)


def test_a_design_is_found_below_its_own_team_only(wire: Wire, ids: dict[str, str]) -> None:
    path = "projects/{project}/cteams/2/{design}/".format_map(ids)
    assert wire.request("GET", path).status_code == 404


# Lists


def test_a_list_is_cut_at_ten_by_default(wire: Wire) -> None:
    assert len(wire.json("diagrams/")) == 10
    assert len(wire.json("tags/")) == 10


def test_page_size_and_page_choose_a_part_of_a_list(wire: Wire) -> None:
    whole = wire.json("diagrams/?page_size=1000")
    assert len(whole) == 180
    assert wire.json("diagrams/?page_size=7&page=3") == whole[14:21]
    assert wire.json("diagrams/?page=18") == whole[170:]


@pytest.mark.parametrize("query", ["page_size=0", "page=0", "page_size=many", "page=-1"])
def test_a_page_that_cannot_be_is_a_bad_request(query: str, wire: Wire) -> None:
    answer = wire.request("GET", f"{wire.project}diagrams/?{query}")
    assert answer.status_code == 400
    check(answer.json(), {"detail": str})


def test_a_page_after_the_last_is_not_found(wire: Wire) -> None:
    assert wire.request("GET", f"{wire.project}diagrams/?page=19").status_code == 404


@pytest.mark.parametrize("path", ["diagrams/all/", "diagrams/all/details/"])
def test_all_diagrams_are_never_cut(path: str, wire: Wire) -> None:
    assert len(wire.json(f"{path}?page_size=5")) == 180


# Transport


def test_a_path_without_its_slash_leads_to_the_one_with_it(wire: Wire) -> None:
    answer = wire.request("GET", f"{wire.project}diagrams?page_size=3")
    assert answer.status_code == 301
    followed = wire.request("GET", f"{wire.project}diagrams?page_size=3", allow_redirects=True)
    assert followed.url == f"{wire.root}{wire.project}diagrams/?page_size=3"
    assert len(followed.json()) == 3


def test_a_body_is_compressed_when_that_is_asked_for(wire: Wire) -> None:
    path = f"{wire.project}diagrams/all/"
    packed = wire.request("GET", path, headers=wire.headers | {"Accept-Encoding": "gzip"})
    plain = wire.request("GET", path, headers=wire.headers | {"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


def test_a_change_id_differs_from_diagram_to_diagram(wire: Wire) -> None:
    hashes = {wire.json(f"diagrams/{diagram}/changeid/")["changehash"] for diagram in (1001, 1002, 1003)}
    assert len(hashes) == 3


def test_the_latest_design_is_the_one_with_details(wire: Wire) -> None:
    designs = wire.json("cteams/1/")["synthesis"]
    latest = max(designs, key=lambda design: design["creationdate"])
    assert wire.json("cteams/1/details/")["id"] == latest["id"]
