"""A foreign service gives the same figures as ours, whichever way it pages its lists."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from bad_rows import BAD_ROWS
from builders import diagram, feature, square
from commands import output_of
from fake_service import FakeService, Response
from foreign_service import of_reference
from parsed_html import ParsedHtml
from pygeodesign import AsyncClient, Client, CostReport, DecodeError, NotFoundError, Project, Sandbox
from pygeodesign import open as open_archive
from reference_service import Content, Form, ReferenceService, content_of

# Form, longest page, and variant of a system.
FORMS: list[tuple[Form, int, Literal[1, 2]]] = [
    ("array", 1_000_000, 2),
    ("array, then empty", 20, 1),
    ("capped array", 20, 2),
    ("deaf array", 1_000_000, 1),
    ("next links", 50, 2),
    ("next links beside", 20, 1),
    ("results", 20, 2),
    ("results and count", 50, 1),
    ("headers", 20, 2),
]
in_every_form = pytest.mark.parametrize(
    "service", FORMS, ids=[f"{form} of {cap}" for form, cap, _ in FORMS], indirect=True
)


@pytest.fixture(scope="module")
def content(sandbox: Sandbox) -> Content:
    return content_of(sandbox)


@pytest.fixture(scope="module")
def service(request: pytest.FixtureRequest, content: Content) -> Iterator[ReferenceService]:
    form, cap, variant = request.param if hasattr(request, "param") else FORMS[1]
    with ReferenceService(content, form, cap, variant=variant) as running:
        yield running


@pytest.fixture
def foreign(service: ReferenceService, project: Project) -> Project:
    return Client("token", service.url).project(project.id)


def test_codes_of_more_tags_than_a_page_are_whole() -> None:
    with Sandbox() as own:
        ours = own.client().project(own.project_ids[0])
        ours.create_tags([{"tag": f"Tag {number}", "code": f"C{number}"} for number in range(25)])
        ours.diagram(1001).set_tag_codes([f"C{number}" for number in range(25)])
        content = content_of(own)
    for form, cap, variant in FORMS:
        with ReferenceService(content, form, cap, variant=variant) as service:
            foreign = Client("token", service.url)
            assert len(foreign.project(ours.id).diagram(1001).tag_codes()) == 25
            latest = foreign.latest_project()
            assert latest is not None and latest["id"] == ours.id


def test_features_in_pages_are_an_error() -> None:
    page = {"type": "FeatureCollection", "features": [], "count": 12, "next": "https://example.org/?page=2"}
    with FakeService({"boundaries/": page}) as service, pytest.raises(DecodeError, match="one of several pages"):
        service.project().study_area.boundaries()


def lists_of(project: Project) -> dict[str, Any]:
    """The content of each list of a project."""
    reads: dict[str, Callable[[], Any]] = {
        "summaries": lambda: project.diagrams(fields="summary"),
        "details": lambda: project.diagrams(fields="details"),
        "layers": project.study_area.layers,
        "plugins": project.workshop.plugins,
        **{name: getattr(project, name) for name in ("systems", "tags", "teams", "members")},
    }
    reads |= {
        "stakeholders": project.workshop.stakeholders,
        "members of a team": project.team(1).members,
        "designs": lambda: [dict(design) for design in project.designs()],
        "ids of a system": project.system(1).diagram_ids,
    }
    lists: dict[str, Any] = {name: list(map(of_reference, read())) for name, read in reads.items()}
    for number in (1001, 1002):
        lists[f"tags of {number}"] = project.diagram(number).tags()
        lists[f"codes of {number}"] = project.diagram(number).tag_codes()
    team = project.teams()[0]["id"]
    lists["design"] = project.design(project.designs(team)[0]["id"], team).esri()
    return lists | {
        "diagrams": project.diagrams().to_dict(),
        "selection": project.member("amara.okafor").selection().to_dict(),
    }


@pytest.fixture(scope="module")
def our_lists(project: Project) -> dict[str, Any]:
    return lists_of(project)


@in_every_form
def test_every_list_is_whole(foreign: Project, our_lists: dict[str, Any]) -> None:
    for name, theirs in lists_of(foreign).items():
        assert theirs == our_lists[name], name


@pytest.fixture(scope="module")
def ours(project: Project) -> CostReport:
    return project.costs()


@pytest.fixture(scope="module")
def bad() -> list[dict[str, Any]]:
    """One bad row of each kind."""
    return [row | {"id": number} for number, (row, _) in enumerate(BAD_ROWS.values(), 9001)]


@in_every_form
def test_costs_are_the_same_beside_one_bad_row_of_each_kind(
    service: ReferenceService, project: Project, ours: CostReport, bad: list[dict[str, Any]]
) -> None:
    """Blocking and awaited."""
    with service.with_rows(bad) as worse:

        async def awaited() -> CostReport:
            return await AsyncClient("token", worse.url).project(project.id).costs()

        blocking = Client("token", worse.url).project(project.id).costs
        reads: list[Callable[[], CostReport]] = [blocking, lambda: asyncio.run(awaited())]
        for read in reads:
            with pytest.warns(UserWarning, match=f"{len(bad)} bad rows"):
                report = read()
            assert (report.total, report.unpriced) == (ours.total, ours.unpriced + len(bad))
            # In addition to the systems of bad rows that the project does not list.
            assert [row for row in figures(report) if row in figures(ours)] == figures(ours)


def figures(report: CostReport) -> list[Any]:
    return [(row["sysid"], row["name"], row["cost"], row["budget"]) for row in report.systems]


def test_the_command_line_prints_the_same(
    service: ReferenceService, project: Project, ours: CostReport, bad: list[dict[str, Any]], tmp_path: Path
) -> None:
    with service.with_rows(bad) as worse:
        variables = {"GEODESIGN_URL": worse.url, "GEODESIGN_TOKEN": "token"}
        printed = json.loads(output_of(tmp_path, "costs", project.id, "--json", **variables))
    assert printed["total"] == ours.total


def test_designs_cost_the_same_and_are_compared_alike(foreign: Project, project: Project) -> None:
    comparison, same = foreign.compare(), project.compare()
    assert comparison.targets().equals(same.targets())
    team = project.teams()[0]["id"]
    design = project.designs(team)[-1]["id"]
    assert foreign.costs(team=team, design=design).systems == project.costs(team=team, design=design).systems


def test_an_archive_is_whole_and_names_its_bad_rows(
    service: ReferenceService, project: Project, ours: CostReport, bad: list[dict[str, Any]], tmp_path: Path
) -> None:
    with service.with_rows(bad) as worse:
        Client("token", worse.url).project(project.id).archive(tmp_path / "bad.zip", progress=False)
    archived = open_archive(tmp_path / "bad.zip")
    with pytest.warns(UserWarning, match=f"{len(bad)} bad rows"):
        report = archived.costs()
    assert (report.total, report.unpriced) == (ours.total, ours.unpriced + len(bad))
    with pytest.warns(UserWarning, match="bad rows"):
        details = archived.diagrams(fields="details")
    good = project.diagrams(fields="details")
    assert details[: len(good)] == good
    # One without a system is in no list of details.
    assert {row["id"] for row in bad} - {row["id"] for row in details} == {
        row["id"] for row in bad if row.get("sysid") is None
    }


def test_a_design_without_feature_json_is_read_as_geojson(content: Content, project: Project) -> None:
    team = project.teams()[0]["id"]
    design = project.designs(team)[0]["id"]
    with ReferenceService(content, missing=[r"cteams/\d+/\w+/esri/"]) as service:
        foreign = Client("token", service.url).project(project.id)
        assert foreign.design(design, team).diagram_ids() == project.design(design, team).diagram_ids()
        with pytest.raises(NotFoundError, match=r"has no such|Not Found"):
            foreign.design("0000000000000000", team).diagram_ids()


@pytest.mark.slow
def test_the_record_of_an_evening_says_that_there_is_no_history(foreign: Project, tmp_path: Path) -> None:
    index, *files = foreign.record(tmp_path / "evening")
    assert [path.name for path in files] == ["report.html", "project.zip", "project.gpkg", "costs.xlsx"]
    text = ParsedHtml(index.read_text(encoding="utf-8")).text
    assert "Not written: the history cannot be read." in text and "this service has no history" in text


def test_an_operation_that_a_service_lacks_is_named(service: ReferenceService, project: Project) -> None:
    client = Client("token", service.url)
    with pytest.raises(NotFoundError, match="this service has no history"):
        client.project(project.id).history()
    with pytest.raises(NotFoundError, match="this service has no context"):
        client.project(project.id).study_area.context()
    with pytest.raises(NotFoundError, match="does not list its limits"):
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


def test_all_diagrams_are_sent_once_where_the_service_sends_them_all(content: Content, project: Project) -> None:
    with ReferenceService(content, "deaf array") as service:
        Client("token", service.url).project(project.id).costs()
        assert service.requests[f"projects/{project.id}/diagrams/all/"] == 1


def test_a_long_list_of_diagrams_is_not_sent_again_to_look_for_another_page() -> None:
    rows = [diagram(number, feature(square(10, 45, 0.01))) for number in range(1, 202)]
    for answers, count in [
        ([Response(rows[:150]), Response(b"", 404)], 150),
        ([Response(rows[:150]), Response(rows[150:]), Response(b"", 404)], 201),
    ]:
        for of in ("all", "details"):
            with FakeService({"diagrams/all/": answers, "diagrams/all/details/": answers}) as service:
                project = service.project()
                assert len(project.diagrams() if of == "all" else project.diagrams(fields="details")) == count
                sent = [count for path, count in service.requests.items() if "diagrams/all/" in path]
                assert sent == [len(answers)]


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
        for read in (Project.diagrams, lambda project: project.diagrams(fields="details")):
            with pytest.raises(DecodeError, match="it lacks diagram 1, which other lists name"):
                read(service.project())


def test_a_list_that_is_shorter_than_its_length_is_an_error() -> None:
    teams = Response([{"id": 1, "title": "Youth"}], headers={"x-total-count": "2"})
    with (
        FakeService({"cteams/": teams}) as service,
        pytest.raises(DecodeError, match="has 2 items in the list, and sent 1"),
    ):
        service.project().teams()
