"""The subject that a `CostReport` names: the project, and its priced diagrams."""

import asyncio
import pickle
from pathlib import Path
from typing import Any

import pytest

import pygeodesign
from fake_service import PROJECT, FakeService, Response
from parsed_html import ParsedHtml
from pygeodesign import AsyncClient, Project, Sandbox

TITLE = "Staten Island 2050"
SYSTEM = {"id": 1, "name": "Water", "color": "#0000ff", "tag": "WAT", "cost": 1}
PRICED = {"systems/": [SYSTEM], "systems/1/": SYSTEM, "diagrams/all/": []}


def test_a_report_of_all_diagrams_has_the_title_of_the_project(project: Project) -> None:
    report = project.costs()
    assert (report.title, report.project_title, report.selection) == (TITLE, TITLE, None)


def test_a_report_of_a_design_names_team_and_design(project: Project) -> None:
    design = project.designs(2)[0]
    team = next(team["title"] for team in project.teams() if team["id"] == 2)
    report = project.costs(team=2, design=design["id"])
    assert report.selection == f"{team}, {design['description']}"
    assert report.title == f"{TITLE}: {report.selection}"


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({"member": "amara.okafor"}, "Selection of amara.okafor"),
        ({"diagrams": [1001, 1002]}, "2 chosen diagrams"),
        ({"diagrams": [1001]}, "1 chosen diagram"),
    ],
)
def test_a_report_of_chosen_diagrams_says_whose_or_how_many(project: Project, selection: Any, expected: str) -> None:
    assert project.costs(**selection).selection == expected


def test_awaited_pickled_and_archived_reports_have_the_same_title(
    project: Project, sandbox: Sandbox, tmp_path: Path
) -> None:
    design: dict[str, Any] = {"team": 1, "design": project.designs(1)[0]["id"]}
    report = project.costs(**design)

    async def awaited() -> str:
        client = AsyncClient(sandbox.token(), sandbox.url)
        return (await client.project(project.id).costs(**design)).title

    project.archive(tmp_path / "staten.zip")
    archived = pygeodesign.open(tmp_path / "staten.zip").costs(**design)
    assert {asyncio.run(awaited()), pickle.loads(pickle.dumps(report)).title, archived.title} == {report.title}


def test_the_page_and_the_table_begin_with_the_title(project: Project) -> None:
    report = project.costs(member="amara.okafor")
    page = report.to_html()
    assert page is not None
    heading = f"{TITLE}: Selection of amara.okafor"
    assert f"<title>{heading}</title>" in page and page.count(f"<h1>{heading}</h1>") == 1
    assert ParsedHtml(report._repr_html_()).text.startswith(heading)


@pytest.mark.parametrize(
    "info", [Response(status=404), Response(status=500), {"id": PROJECT}, {"id": PROJECT, "projecttitle": " "}]
)
def test_a_project_without_a_title_is_priced_all_the_same(info: Any) -> None:
    with FakeService(PRICED | {"": info}) as service:
        report = service.project(retries=0).costs()
        assert (report.title, report.project_title, report.total) == ("", None, 0)
        assert "<h1>Cost report</h1>" in (report.to_html() or "")
        assert "<caption" not in report._repr_html_()


def test_ids_stand_for_names_that_nobody_tells() -> None:
    answers = {
        "": {"id": PROJECT, "projecttitle": "Lisbon"},
        "cteams/7/0123456789abcdef/diagrams/": {"synthesisid": "0123456789abcdef", "diagrams": []},
    }
    with FakeService(PRICED | answers) as service:
        assert (
            service.project().costs(team=7, design="0123456789abcdef").title
            == "Lisbon: Team 7, design 0123456789abcdef"
        )


def test_the_title_costs_one_request() -> None:
    with FakeService(PRICED | {"": {"id": PROJECT, "projecttitle": "Lisbon"}}) as service:
        service.project().costs()
        assert service.requests.total() == 4
