"""A service that is not ours gives the same figures as ours, however it pages its lists."""

import asyncio
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import output_of
from fake_service import FakeService, Response
from foreign_service import OURS, ForeignService, Form
from pygeodesign import AsyncClient, Client, DecodeError, NotFoundError, Project, Sandbox
from pygeodesign import open as open_archive
from test_bad_rows import BAD_ROWS

FORMS: list[tuple[Form, int]] = [
    ("array", 1_000_000),
    ("array", 20),
    ("capped array", 7),
    ("deaf array", 1_000_000),
    ("next links", 1_000_000),
    ("next links", 50),
]


@pytest.fixture(scope="module", params=FORMS, ids=[f"{form} of {cap}" for form, cap in FORMS])
def service(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[ForeignService]:
    with ForeignService(sandbox, *request.param) as running:
        yield running


@pytest.mark.parametrize("form", FORMS)
def test_codes_of_more_tags_than_a_page_are_whole(form: tuple[Form, int]) -> None:
    with Sandbox() as own:
        ours = own.client().project(own.project_ids[0])
        ours.create_tags([{"tag": f"Tag {number}", "code": f"C{number}"} for number in range(25)])
        ours.set_diagram_tag_codes(1001, [f"C{number}" for number in range(25)])
        with ForeignService(own, *form) as service:
            foreign = Client(own.token(), service.url)
            assert len(foreign.project(ours.id).diagram_tag_codes(1001)) == 25
            latest = foreign.latest_project()
            assert latest is not None and latest["id"] == ours.id


def test_features_in_pages_are_an_error() -> None:
    page = {"type": "FeatureCollection", "features": [], "count": 12, "next": "https://example.org/?page=2"}
    with FakeService({"boundaries/": page}) as service, pytest.raises(DecodeError, match="one page of several"):
        service.project().boundaries()


@pytest.fixture
def foreign(service: ForeignService, sandbox: Sandbox, project: Project) -> Project:
    return Client(sandbox.token(), service.url).project(project.id)


def test_every_list_is_whole(foreign: Project, project: Project) -> None:
    for name in ("diagram_summaries", "diagram_details", "systems", "tags", "teams", "layers", "plugins", "members"):
        assert getattr(foreign, name)() == getattr(project, name)(), name
    assert foreign.diagrams().to_dict() == project.diagrams().to_dict()
    for number in (1001, 1002):
        assert foreign.diagram_tags(number) == project.diagram_tags(number)
        assert foreign.diagram_tag_codes(number) == project.diagram_tag_codes(number)
    team = project.teams()[0]["id"]
    design = project.designs(team)[0]["id"]
    assert foreign.design_esri(team, design) == project.design_esri(team, design)


def test_costs_are_the_same(service: ForeignService, foreign: Project, project: Project, sandbox: Sandbox) -> None:
    assert foreign.costs().systems == project.costs().systems

    async def awaited() -> float:
        report = await AsyncClient(sandbox.token(), service.url).project(project.id).costs()
        return report.total

    assert asyncio.run(awaited()) == project.costs().total


def test_costs_of_a_design_are_the_same(foreign: Project, project: Project) -> None:
    team = project.teams()[0]["id"]
    for design in project.designs(team):
        assert (
            foreign.costs(team=team, design=design["id"]).total == project.costs(team=team, design=design["id"]).total
        )


def test_designs_are_compared_alike(foreign: Project, project: Project) -> None:
    assert foreign.compare().targets().equals(project.compare().targets())


def test_the_command_line_prints_the_same(
    service: ForeignService, project: Project, sandbox: Sandbox, tmp_path: Path
) -> None:
    def printed(url: str) -> str:
        variables = {"GEODESIGN_URL": url, "GEODESIGN_TOKEN": sandbox.token()}
        return output_of(tmp_path, "costs", project.id, **variables)

    assert printed(service.url) == printed(sandbox.url)


@pytest.mark.parametrize("form", FORMS)
def test_one_bad_row_of_each_kind_changes_no_total_in_any_form(
    form: tuple[Form, int], project: Project, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Blocking, awaited, from the command line, and from an archive."""
    bad = [row | {"id": number} for number, (row, _) in enumerate(BAD_ROWS.values(), 9001)]
    ours = project.costs()
    with ForeignService(sandbox, *form, added=bad) as service:
        token = sandbox.token()
        foreign = Client(token, service.url).project(project.id)
        with pytest.warns(UserWarning, match=f"{len(bad)} bad rows"):
            report = foreign.costs()

        async def awaited() -> float:
            return (await AsyncClient(token, service.url).project(project.id).costs()).total

        with pytest.warns(UserWarning, match=f"{len(bad)} bad rows"):
            assert asyncio.run(awaited()) == ours.total
        variables = {"GEODESIGN_URL": service.url, "GEODESIGN_TOKEN": token}
        printed = json.loads(output_of(tmp_path, "costs", project.id, "--json", **variables))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            foreign.archive(tmp_path / "bad.zip")
            archived = open_archive(tmp_path / "bad.zip").costs()
    assert (report.total, printed["total"], archived.total) == (ours.total,) * 3
    assert report.unpriced == archived.unpriced == ours.unpriced + len(bad)


def test_an_archive_is_whole(foreign: Project, project: Project, tmp_path: Path) -> None:
    foreign.archive(tmp_path / "foreign.zip")
    archived = open_archive(tmp_path / "foreign.zip")
    assert archived.costs().total == project.costs().total
    assert archived.diagram_details() == project.diagram_details()


def test_a_design_without_feature_json_is_read_as_geojson(sandbox: Sandbox, project: Project) -> None:
    team = project.teams()[0]["id"]
    design = project.designs(team)[0]["id"]
    with ForeignService(sandbox, "array", missing=[*OURS, r"cteams/\d+/\w+/esri/"]) as service:
        foreign = Client(sandbox.token(), service.url).project(project.id)
        assert foreign.design_diagram_ids(team, design) == project.design_diagram_ids(team, design)
        with pytest.raises(NotFoundError, match=r"has no such|Not found"):
            foreign.design_diagram_ids(team, "0000000000000000")


def test_an_operation_that_a_service_lacks_is_named(sandbox: Sandbox, project: Project) -> None:
    with ForeignService(sandbox, "array") as service:
        client = Client(sandbox.token(), service.url)
        with pytest.raises(NotFoundError, match="this service has no history"):
            client.project(project.id).history()
        with pytest.raises(NotFoundError, match="does not tell its limits"):
            client.limits()


# A project that was created


OLD, NEW, OTHER = (
    {"id": f"{name}Project000"[-16:].rjust(16, "0"), "projecttitle": title}
    for name, title in [("Old", "Lisbon"), ("New", "Lisbon"), ("Other", "Porto")]
)


@pytest.mark.parametrize("answer", [{"message": "Project created."}, {}, Response(b"created"), []])
@pytest.mark.parametrize(
    ("latest", "listed"),
    [([NEW], [OLD]), ([OLD], [OLD, NEW]), ([], [OLD, OTHER, NEW]), (Response(b"", 404), [OLD, NEW])],
    ids=["latest", "listed", "one of two", "no latest"],
)
def test_the_id_of_a_created_project_is_that_of_the_new_one_of_its_title(
    answer: Any, latest: Any, listed: list[Any]
) -> None:
    projects = [Response([OLD], headers={"x-total-count": "1"}), Response(listed, headers={"x-total-count": "1"})]
    below = {"projects/": projects, "projects/latest/": latest, "projects/create/": answer}
    with FakeService(root=below) as service:
        created = service.client().create_project(
            "code", title="Lisbon", bounds=(-9.3, 38.6, -9.0, 38.9), systems=[{"name": "Water", "color": "#0000ff"}]
        )
    assert created == NEW["id"]


def test_all_diagrams_are_sent_once_where_the_service_sends_them_all(sandbox: Sandbox, project: Project) -> None:
    with ForeignService(sandbox, "deaf array") as service:
        Client(sandbox.token(), service.url).project(project.id).costs()
        assert service.requests[f"projects/{project.id}/diagrams/all/"] == 1


def test_nothing_more_is_asked_of_a_service_that_tells_the_length_of_its_lists(tmp_path: Path) -> None:
    with FakeService({"diagrams/all/": [], "systems/": []}) as service:
        service.project().diagrams()
        assert service.requests.total() == 2


def test_lists_that_go_on_disagreeing_are_an_error() -> None:
    responses = {
        "diagrams/": [{"id": 1}, {"id": 2}],
        "diagrams/all/": Response([]),
        "diagrams/all/details/": Response([]),
    }
    with FakeService(responses) as service:
        for read in (Project.diagrams, Project.diagram_details):
            with pytest.raises(DecodeError, match="the list of the diagrams has others"):
                read(service.project())


def test_a_list_that_is_shorter_than_its_length_is_an_error() -> None:
    teams = Response([{"id": 1, "title": "Youth"}], headers={"x-total-count": "2"})
    with (
        FakeService({"cteams/": teams}) as service,
        pytest.raises(DecodeError, match="has 2 items in the list, and sent 1"),
    ):
        service.project().teams()
