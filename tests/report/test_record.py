"""`Project.record`: the report, archive, layers, costs and history of an evening in one folder."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import geopandas
import pandas as pd
import pyogrio
import pytest

import pygeodesign
from demo import demo_sandbox
from pygeodesign import Client, InputError, PermissionDeniedError

FILES = ["index.html", "report.html", "project.zip", "project.gpkg", "costs.xlsx", "history.csv"]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Any]:
    with demo_sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def record(sandbox: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = sandbox.client().project("StatenIsland2050")
    project.diagram(1001).edit(title="=cmd|'/c calc'!A0")
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
