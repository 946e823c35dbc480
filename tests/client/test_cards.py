"""A notebook shows a handle with its contents at the service, and a list as a table."""

import asyncio
import json
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.formatters import DisplayFormatter

import pygeodesign
from builders import diagram, feature, square
from demo import demo_sandbox
from fake_service import PROJECT, FakeService, Response
from parsed_html import BREAKING_OUT, HARMFUL, ParsedHtml
from pygeodesign import Client, Project, Sandbox
from recording_proxy import RecordingProxy

PARTS: dict[str, Any] = {
    "team": lambda project: project.team("Conservation"),
    "design": lambda project: project.design("Design 1 – room"),
    "system": lambda project: project.system("Water"),
    "diagram": lambda project: project.diagram(1001),
    "member": lambda project: project.member("amara.okafor"),
}
CONTENTS = {
    "team": ["Team: Conservation", "amara.okafor, meiling.chen", "Design 3 – with the", "46", "1.59 bn USD"],
    "design": ["Design: Design 1 – room for the water", "Conservation", "2026-03-05 14:23 UTC", "34", "1.31 bn USD"],
    "system": ["System: ■ Water", "WAT", "1.20 M USD per ha", "490 M USD", "1,200 ha", "20"],
    "diagram": ["Diagram: Oakwood Beach", "■ Water", "hannah.lindqvist", "51.0 ha", "61.2 M USD", "2037-10-01", "1001"],
    "member": ["Member: amara.okafor", "Conservation", "15 diagrams"],
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def project(sandbox: Sandbox) -> Project:
    return sandbox.client().project("StatenIsland2050")


@pytest.fixture(autouse=True)
def currency() -> Iterator[None]:
    pygeodesign.options.currency = "USD"
    yield
    pygeodesign.options.reset()


def shown(item: Any) -> dict[str, str]:
    """The forms that a notebook gets, by their MIME types."""
    formatter: Any = DisplayFormatter()
    shown: dict[str, str] = formatter.format(item)[0]
    return shown


def assert_harmless(page: str) -> None:
    parsed = ParsedHtml(page)
    assert "script" not in parsed.tags
    assert not {name for name in parsed.attributes if name.startswith("on")}


@pytest.mark.parametrize("part", PARTS)
def test_a_handle_shows_what_it_is(part: str, project: Project) -> None:
    page = shown(PARTS[part](project))["text/html"]
    text = ParsedHtml(page).text
    assert [content for content in CONTENTS[part] if content not in text] == []
    assert ("<img " in page) == (part == "diagram")


@pytest.mark.parametrize("part", PARTS)
def test_a_handle_on_an_archive_shows_the_same_without_a_picture(part: str, project: Project, tmp_path: Path) -> None:
    project.archive(tmp_path / "project.zip")
    page = shown(PARTS[part](pygeodesign.open(tmp_path / "project.zip")))["text/html"]
    text = ParsedHtml(page).text
    assert [content for content in CONTENTS[part] if content not in text] == []
    assert "<img " not in page


def test_a_card_has_the_units_of_the_options(project: Project) -> None:
    pygeodesign.options.units = "us"
    text = ParsedHtml(shown(project.system("Water"))["text/html"]).text
    assert "486 k USD per acre" in text and "2,965 acres" in text


def test_a_team_without_a_design_says_how_to_save_one(sandbox: Sandbox) -> None:
    team = sandbox.client().project("StatenIsland2050").add_team("Youth council", color="#7B3294")
    page = shown(team)["text/html"]
    team.delete()
    text = ParsedHtml(page).text
    assert "Team: ■ Youth council" in text and "color:#7B3294" in page
    assert "none; team.save(…) saves one" in text and "cost" not in text


@pytest.mark.parametrize(("part", "most"), [("team", 4), ("design", 3), ("system", 2), ("diagram", 5), ("member", 6)])
def test_a_card_takes_a_few_requests(part: str, most: int, sandbox: Sandbox) -> None:
    with RecordingProxy(sandbox.url) as proxy:
        handle = PARTS[part](Client(sandbox.token(), proxy.url).project("StatenIsland2050"))
        # The fields of the part that the handle refers to.
        before = len(dict(handle)) and len(proxy.requests)
        assert "text/html" in shown(handle)
    assert 0 < len(proxy.requests) - before <= most


@pytest.mark.parametrize("part", PARTS)
def test_without_an_answer_a_handle_shows_its_plain_text(part: str) -> None:
    with FakeService() as service:
        handle = PARTS[part](service.project())
        text = repr(handle)
        assert shown(handle) == {"text/plain": text}


def test_a_card_does_not_wait_for_a_slow_service() -> None:
    def slow(_: Any) -> Response:
        time.sleep(5)
        return Response([])

    with FakeService({"systems/3/": slow}) as service:
        start = time.monotonic()
        assert shown(service.project().system(3)).keys() == {"text/plain"}
        assert time.monotonic() - start < 4


def test_an_async_handle_shows_its_plain_text_and_sends_nothing() -> None:
    with FakeService() as service:
        project = service.async_project()
        for part in (handle(project) for handle in PARTS.values()):
            assert shown(part) == {"text/plain": repr(part)}
        assert service.requests.total() == 0


def test_the_plain_text_names_a_part_once(project: Project) -> None:
    member, team, latest = project.members()[1], project.team("cons"), project.design()
    assert repr(member) == "<Member amara.okafor of StatenIsland2050>"
    assert repr(team) == '<Team "cons" of StatenIsland2050>'
    assert repr(latest) == "<Design (the latest) of StatenIsland2050>"
    assert team.id and repr(team) == '<Team 1 "Conservation" of StatenIsland2050>'


@pytest.mark.parametrize("text", [HARMFUL, BREAKING_OUT])
def test_texts_of_the_service_are_escaped(text: str) -> None:
    design = {"cteamid": 1, "id": "a" * 16, "creationdate": "2031-03-02T09:00:00", "description": text}
    fields = {"id": 1, "name": text, "color": text, "tag": text, "verbose_description": text, "title": text}
    drawn = diagram(7, feature(square(0, 0, 1), author=text), sysid=1, description=text, title=text)
    responses = {
        "": {"id": PROJECT, "projecttitle": text, "currency": text},
        "systems/": [fields],
        "systems/1/": fields,
        "systems/1/diagrams/": {"diagrams": []},
        "cteams/": [fields],
        "cteams/1/": {"synthesis": [design]},
        "cteams/1/members/": {"members": [text]},
        f"cteams/1/{'a' * 16}/diagrams/": {"diagrams": [7]},
        "diagrams/": [{"id": 7, "worlddescription": text, "author": text, "sysid": 1}],
        "diagrams/all/": [drawn],
        "diagrams/7/": drawn,
        "tags/": [{"id": text, "tag": text}],
    }
    with FakeService(responses) as service:
        project = service.project()
        cards = [project.system(1), project.team(1), project.diagram(7)]
        lists = [project.systems(), project.teams(), project.designs(), project.tags()]
        for item in [*cards, *lists, project.diagrams(fields="summary")]:
            page = shown(item)["text/html"]
            assert_harmless(page)
            assert text in ParsedHtml(page).text or text[:30] in ParsedHtml(page).text


def test_a_list_of_the_service_is_a_list_in_every_respect(project: Project) -> None:
    teams, tags = project.teams(), project.tags()
    assert isinstance(teams, list) and isinstance(tags, list)
    assert tags == [*tags] == json.loads(json.dumps(tags)) and repr(tags) == repr([*tags])
    assert pickle.loads(pickle.dumps(teams)) == teams == [*teams]
    assert teams[0].title == "Conservation" and [team.title for team in teams[1:]][-1] == "Residents"


def test_a_list_shows_as_a_table_with_titles_first(project: Project) -> None:
    for listed, heading, columns in [
        (project.teams(), "4 teams", "titleid"),
        (project.designs(), "10 designs", "titleteamcreatedid"),
        (project.designs("Mobility"), "3 designs", "titleteamcreatedid"),
        (project.systems(), "9 systems", "nametagcolor"),
        (project.members(), "13 members", "username"),
        (project.tags(), "11 rows", "tagslug"),
    ]:
        assert ParsedHtml(shown(listed)["text/html"]).text.startswith(heading + columns)


def test_a_table_of_designs_names_their_teams(project: Project) -> None:
    assert "Design 1 – two new linesMobility2026-03" in ParsedHtml(shown(project.designs())["text/html"]).text


def test_a_long_list_shows_its_first_rows_and_says_how_many_more(project: Project) -> None:
    rows = project.diagrams(fields="summary")
    page = shown(rows)["text/html"]
    assert page.count("<tr>") == 1 + 20 and ParsedHtml(page).text.endswith("and 160 more")
    assert shown(rows[:3])["text/html"].count("<tr>") == 1 + 3


def test_rows_to_add_show_as_a_table(project: Project) -> None:
    rows = project.add_diagrams("Water", project.study_area.boundaries(), title="bname", dry_run=True)
    assert "Staten Island" in ParsedHtml(shown(rows)["text/html"]).text


def test_an_empty_list_shows_its_plain_text() -> None:
    with FakeService({"tags/": []}) as service:
        assert shown(service.project().tags()) == {"text/plain": "[]"}


def test_a_list_sends_nothing_more_until_it_is_shown(sandbox: Sandbox) -> None:
    with RecordingProxy(sandbox.url) as proxy:
        designs = Client(sandbox.token(), proxy.url).project("StatenIsland2050").designs("Mobility")
        before = len(proxy.requests)
        assert len(designs) == 3 and len(proxy.requests) == before
        shown(designs)
        assert len(proxy.requests) == before + 1


def test_lists_of_async_projects_are_tables_too(sandbox: Sandbox) -> None:
    async def lists() -> list[Any]:
        project = sandbox.async_client().project("StatenIsland2050")
        return [await project.teams(), await project.designs(), await project.tags()]

    teams, designs, tags = asyncio.run(lists())
    assert "Conservation" in shown(teams)["text/html"]
    # The title of a team would take a request.
    assert "room for the water12026-03" in ParsedHtml(shown(designs)["text/html"]).text
    assert "11 rows" in shown(tags)["text/html"]
