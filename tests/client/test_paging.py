"""Every list of the client is complete, in each of the service's forms of paging."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Literal

import pytest
import requests
import shapely

from fake_service import FakeService, Response
from pygeodesign import Client, Project, Sandbox

Paging = Literal["plain", "enveloped", "on-request", "off"]
FORMS: list[Paging] = ["plain", "enveloped", "on-request", "off"]
LISTS: dict[str, tuple[str, Callable[[Project], list[Any]]]] = {
    "diagrams": ("diagrams/", lambda project: project.diagrams(fields="summary")),
    "tags": ("tags/", lambda project: project.tags()),
    "plugins": ("plugins/", lambda project: project.workshop.plugins()),
    "layers": ("data_layers/", lambda project: project.study_area.layers()),
    "teams": ("cteams/", lambda project: project.teams()),
    "systems": ("systems/", lambda project: project.systems()),
}
# More than the default page size, and not a multiple of it.
LENGTH = 23


@pytest.fixture(scope="module", params=FORMS)
def paging(request: pytest.FixtureRequest) -> Paging:
    form: Paging = request.param
    return form


@pytest.fixture(scope="module")
def sandbox(paging: Paging) -> Iterator[Sandbox]:
    """A service with 23 items in every list, except systems: a project has at most nine."""
    plugins = [f"00000000-0000-4000-8000-{number:012}" for number in range(LENGTH)]
    setup = {"users": ["ana.sousa"], "plugins": dict.fromkeys(plugins, "Study")}
    with Sandbox(project=None, paging=paging, setup=setup) as sandbox:
        client, code = sandbox.client("ana.sousa"), sandbox.creation_code()
        systems: Any = [{"name": f"System {number}", "color": "#000000"} for number in range(9)]
        for number in range(LENGTH):
            client.create_project(code, title=f"Project {number}", bounds=(0, 0, 1, 1), systems=systems)
        project = client.project(sandbox.project_ids[0])
        project.create_tags([f"Tag {number}" for number in range(LENGTH)])
        project.workshop.set_plugins(plugins)
        for number in range(LENGTH):
            project.study_area.add_layer(
                "https://tiles.example.org", server_type="other", layer_type="XYZ", layer_name=f"Layer {number}"
            )
            project.add_team(f"Team {number}")
            project.add_diagram(1, shapely.box(0, 0, 1, 1), title=f"Diagram {number}")
        yield sandbox


@pytest.fixture(scope="module")
def client(sandbox: Sandbox) -> Client:
    return sandbox.client("ana.sousa")


@pytest.fixture(scope="module")
def project(sandbox: Sandbox, client: Client) -> Project:
    return client.project(sandbox.project_ids[0])


def get(sandbox: Sandbox, path: str) -> requests.Response:
    headers = {"Authorization": f"Token {sandbox.token('ana.sousa')}"}
    return requests.get(sandbox.url + path, headers=headers, timeout=20)


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_a_project_is_complete(name: str, project: Project) -> None:
    items = LISTS[name][1](project)
    assert len({item["id"] for item in items}) == len(items) == (9 if name == "systems" else LENGTH)


def test_the_list_of_projects_is_complete(client: Client, sandbox: Sandbox) -> None:
    assert [item["id"] for item in client.projects()] == sandbox.project_ids
    assert len(sandbox.project_ids) == LENGTH


def test_operations_on_all_diagrams_include_all(project: Project) -> None:
    assert (
        len(project.diagram_change_ids())
        == len(project.diagrams(fields="details"))
        == len(project.diagrams())
        == LENGTH
    )
    assert len(project.system(1).diagram_ids()) == len(project.costs().diagrams) == LENGTH


# The forms of paging, over plain HTTP


@pytest.mark.parametrize(
    ("query", "size"), [("", 10), ("?page_size=4", 4), ("?page_size=23", 23), ("?page_size=99", 99)]
)
@pytest.mark.parametrize("name", LISTS)
def test_a_page_has_ten_items_or_page_size(
    name: str, query: str, size: int, paging: Paging, sandbox: Sandbox, project: Project
) -> None:
    path, read = LISTS[name]
    body = get(sandbox, f"projects/{project.id}/{path}{query}").json()
    items = body["results"] if paging == "enveloped" else body
    whole = [item["id"] for item in read(project)]
    on_request = paging in ("on-request", "off") and not query
    assert [item["id"] for item in items] == (whole if on_request else whole[:size])


@pytest.mark.parametrize("query", ["", "?page_size=4", "?page=2", "?page_size=4&page=2", "?page_size=23", "?page=3"])
def test_a_list_says_how_long_it_is_and_where_it_goes_on(
    query: str, paging: Paging, sandbox: Sandbox, project: Project
) -> None:
    answer = get(sandbox, f"projects/{project.id}/tags/{query}")
    body = answer.json()
    items = body["results"] if paging == "enveloped" else body
    is_cut = len(items) < LENGTH
    assert answer.headers["x-total-count"] == str(LENGTH)
    is_last = not is_cut or items[-1]["id"] == project.tags()[-1]["id"]
    assert ("next" in answer.links) != is_last


def test_the_links_to_next_pages_lead_through_the_list(sandbox: Sandbox, project: Project, paging: Paging) -> None:
    address, ids = f"projects/{project.id}/tags/?page_size=10", []
    while address:
        answer = get(sandbox, address)
        body = answer.json()
        ids += [tag["id"] for tag in (body["results"] if paging == "enveloped" else body)]
        address = answer.links.get("next", {}).get("url", "").removeprefix("/api/v1/")
    assert ids == [tag["id"] for tag in project.tags()]


@pytest.mark.parametrize("size", [1, 5, 10, 23, 1000])
def test_the_pages_together_are_the_list(size: int) -> None:
    with Sandbox(project="demo", paging="enveloped") as sandbox:
        headers = {"Authorization": f"Token {sandbox.token()}"}
        origin = sandbox.url.removesuffix("/api/v1/")
        next_page, pages = f"/api/v1/projects/{sandbox.project_ids[0]}/tags/?page_size={size}", []
        while next_page:
            pages.append(requests.get(origin + next_page, headers=headers, timeout=20).json())
            next_page = pages[-1]["next"]
        tags = sandbox.client().project(sandbox.project_ids[0]).tags()
    assert [tag["id"] for page in pages for tag in page["results"]] == [tag["id"] for tag in tags]
    assert {page["count"] for page in pages} == {len(tags)}
    assert pages[0]["previous"] is None
    assert all(after["previous"].endswith(f"page_size={size}") for _, after in pairwise(pages))


@pytest.mark.parametrize("paging", ["plain", "enveloped"])
@pytest.mark.parametrize("query", ["page_size=0", "page_size=-1", "page_size=ten", "page=0", "page=x", "page_size=1.5"])
def test_an_invalid_page_or_page_size_is_a_bad_request(query: str, paging: Paging) -> None:
    with Sandbox(paging=paging) as sandbox:
        headers = {"Authorization": f"Token {sandbox.token()}"}
        response = requests.get(f"{sandbox.url}projects/?{query}", headers=headers, timeout=20)
    assert (response.status_code, list(response.json())) == (400, ["detail"])


@pytest.mark.parametrize("paging", ["plain", "enveloped"])
def test_a_page_after_the_last_is_not_found(paging: Paging) -> None:
    with Sandbox(paging=paging) as sandbox:
        headers = {"Authorization": f"Token {sandbox.token()}"}
        response = requests.get(f"{sandbox.url}projects/?page=2", headers=headers, timeout=20)
    assert response.status_code == 404


@pytest.mark.parametrize("paging", FORMS)
def test_an_empty_list_is_empty(paging: Paging) -> None:
    with Sandbox(project=None, paging=paging) as sandbox:
        sandbox.add_user("ana.sousa")
        assert sandbox.client("ana.sousa").projects() == []


# Lists that are as long as the requested page


def tags(count: int) -> list[Any]:
    return [{"id": f"{number}", "tag": f"Tag {number}", "diagrams": []} for number in range(count)]


def number_of_requests(responses: list[Response]) -> int:
    """The number of requests that the client sends for a list."""
    with FakeService({"tags/": responses}) as service:
        assert len(service.project().tags()) == len(responses[-1].body)
        return service.requests.total()


def test_of_an_array_of_exactly_page_size_a_larger_page_is_requested() -> None:
    whole = Response(tags(1000), headers={"x-total-count": "1000"})
    assert number_of_requests([Response(tags(1000)), whole]) == 2


def test_of_an_array_that_does_not_tell_its_length_the_second_page_is_requested() -> None:
    not_found = Response({"detail": "Invalid page."}, 404)
    assert number_of_requests([Response(tags(999)), not_found, Response(tags(999))]) == 2
    pages = [Response(tags(1000)), Response(tags(10_000)), Response(tags(10_001))]
    assert number_of_requests([*pages, not_found, pages[-1]]) == 4


def test_nothing_more_is_requested_of_an_array_that_tells_its_length_or_is_empty() -> None:
    assert number_of_requests([Response(tags(999), headers={"x-total-count": "999"})]) == 1
    assert number_of_requests([Response([])]) == 1


@pytest.mark.parametrize("paging", FORMS)
@pytest.mark.parametrize("count", [999, 1000, 1001])
def test_a_list_with_about_page_size_items_is_complete(count: int, paging: Paging) -> None:
    with Sandbox(paging=paging) as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        project.create_tags([f"Tag {number}" for number in range(count - len(project.tags()))])
        assert len({tag["id"] for tag in project.tags()}) == count
