"""`Project.record`: the report, archive, layers, costs and history of an evening in one folder."""

import asyncio
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import geopandas
import pandas as pd
import pyogrio
import pytest
from playwright.sync_api import Browser

import pygeodesign
from demo import demo_sandbox
from parsed_html import ParsedHtml
from printed import shares_filled
from pygeodesign import Client, InputError, PermissionDeniedError
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.decisions import Session
from pygeodesign._report.record_page import shown_design
from reports import table

FILES = ["index.html", "report.html", "project.zip", "project.gpkg", "costs.xlsx", "history.csv"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Any]:
    with demo_sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def record(sandbox: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = sandbox.client().project("StatenIsland2050")
    project.diagram(1001).edit(title="=cmd|'/c calc'!A0")
    project.team("Developers").edit(color="#D95F02")
    folder = tmp_path_factory.mktemp("record") / "evening"
    assert project.record(folder, author="Ana López", currency="USD") == [folder / name for name in FILES]
    return folder


def test_all_files_are_about_the_same_project(record: Path) -> None:
    archived = pygeodesign.open(record / "project.zip")
    report = (record / "report.html").read_text(encoding="utf-8")
    assert "made by Ana López" in report and f"{archived.costs().total:,.0f}" in report
    layers = {name for name, _ in pyogrio.list_layers(record / "project.gpkg")}
    assert {"diagrams", "designs", "boundaries", "constraints", "evaluation of Water"} <= layers
    diagrams: Any = geopandas.read_file(record / "project.gpkg", layer="diagrams")
    assert set(diagrams["diagramid"]) == {row["id"] for row in archived.diagrams(fields="summary")}
    designs: Any = geopandas.read_file(record / "project.gpkg", layer="designs")
    chosen = archived.compare().designs
    assert designs.groupby("design")["diagramid"].apply(sorted).to_dict() == chosen


def test_the_history_is_a_table_in_which_no_title_is_a_formula(record: Path) -> None:
    frame = pd.read_csv(record / "history.csv")
    (edited,) = frame[frame["diagram"] == 1001]["after"].tolist()
    assert "calc" in edited and not edited.startswith("=")
    assert pd.to_datetime(frame["time"], utc=True).notna().all()


def test_the_index_says_what_each_file_is(record: Path) -> None:
    text = (record / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}"' in text for name in FILES[1:])


def first_page(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


def test_the_first_page_says_when_who_and_how_many(record: Path) -> None:
    page, archived = first_page(record), pygeodesign.open(record / "project.zip")
    text = ParsedHtml(page).text
    assert "Record of the workshop" in text and "recorded by Ana López" in text
    days = {str(row["created_at"])[:10] for row in archived.diagrams(fields="summary")}
    days |= {str(design["creationdate"])[:10] for design in archived.designs()}
    days |= {str(move["timestamp"])[:10] for log in archived.workshop.negotiation_logs() for move in log["moves"]}
    first, last = (f"{day:%-d %B %Y}" for day in (pd.Timestamp(min(days)), pd.Timestamp(max(days))))
    assert f"drawn and decided: {first} to {last}" in text
    counts = {
        "diagrams": len(archived.diagrams(fields="summary")),
        "designs": len(archived.designs()),
        "votes": len(archived.votes()),
        "negotiations": len(archived.workshop.negotiation_logs()),
        "teams": len(archived.teams()),
        "members": len(archived.members()),
    }
    (listed,) = re.findall('<ul class="counts">(.*?)</ul>', page)
    assert re.findall("<li>(.*?)</li>", listed) == [f"{count} {what}" for what, count in counts.items()]


def test_teams_have_their_colour_members_and_designs(record: Path) -> None:
    page, archived = first_page(record), pygeodesign.open(record / "project.zip")
    assert table(page, "Teams") == [
        [team["title"], ", ".join(team.members()), str(len(team.designs()))] for team in archived.teams()
    ]
    assert page.count('style="background:#D95F02"') == 1


def test_the_author_is_the_caller_and_unknown_for_an_archive(sandbox: Any, record: Path, tmp_path: Path) -> None:
    sandbox.project().record(tmp_path / "own", language="de")
    page = first_page(tmp_path / "own")
    assert "Protokoll: admin" in page and "Dateien in diesem Ordner" in page and "4 Teams" in page
    pygeodesign.open(record / "project.zip").record(tmp_path / "archived")
    assert "recorded by" not in ParsedHtml(first_page(tmp_path / "archived")).text


def test_the_map_has_the_last_agreed_design_or_else_all_diagrams(record: Path) -> None:
    compared = Compared(pygeodesign.open(record / "project.zip"))
    assert shown_design(compared) == "project"
    assert "All diagrams, with the names" in ParsedHtml(first_page(record)).text
    ended = datetime(2026, 3, 1, tzinfo=UTC)
    compared._sessions = [
        Session((str(compared.teams[label]),), ended, ids, [], []) for label, ids in compared.designs.items()
    ]
    assert shown_design(compared) == max(compared.designs, key=lambda label: str(compared._saved_at[label]))


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_first_page_is_one_full_page(
    browser: Browser, record: Path, paper: str, language: str, tmp_path: Path
) -> None:
    folder = tmp_path / "again"
    pygeodesign.open(record / "project.zip").record(folder, language=language)
    page = first_page(folder)
    assert ('dir="rtl"' in page) == (language == "ar")
    (filled,) = shares_filled(browser, page, tmp_path, format=paper)
    assert filled > 0.9
    tab = browser.new_page(viewport={"width": 375, "height": 800})
    tab.set_content(page)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 375


def test_a_folder_with_files_is_refused_and_stays_as_it_is(sandbox: Any, record: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in record.iterdir()}
    with pytest.raises(InputError, match="evening exists and is not an empty folder"):
        sandbox.client().project("StatenIsland2050").record(record)
    assert {path.name: path.stat().st_mtime_ns for path in record.iterdir()} == before
    with pytest.raises(InputError, match="is not a folder, so no folder can be made in it"):
        sandbox.client().project("StatenIsland2050").record(record / "missing" / "evening")


def test_nothing_is_left_where_a_file_cannot_be_made(sandbox: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="metric"):
        sandbox.client().project("StatenIsland2050").record(tmp_path / "evening", units="feet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_record_of_an_archive_has_the_same_files(record: Path, tmp_path: Path) -> None:
    written = pygeodesign.open(record / "project.zip").record(tmp_path / "again")
    assert [path.name for path in written] == FILES


def test_who_may_not_read_all_of_the_project_gets_no_record(sandbox: Any, tmp_path: Path) -> None:
    link = sandbox.project().workshop.add_link("Press", "2999-01-01")
    guest = Client(link["token"], sandbox.url).project(sandbox.project().id)
    with pytest.raises(PermissionDeniedError, match="This link shows no names"):
        guest.record(tmp_path / "press")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_awaited_record_is_the_same(sandbox: Any, tmp_path: Path) -> None:
    async def recorded() -> Any:
        return await sandbox.async_client().project("StatenIsland2050").record(tmp_path / "evening")

    assert [path.name for path in asyncio.run(recorded())] == FILES
