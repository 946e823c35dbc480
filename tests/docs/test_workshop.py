"""The evening of `docs/workshop.md` works: its setup file, its commands, and its Python.

One process serves, and it alone touches the database. Commands are processes of their own, in another folder, with
tokens only.
"""

import contextlib
import io
import shlex
import shutil
from pathlib import Path
from typing import Any

import geopandas
import pytest

from commands import run_as_process, successful
from documents import WORKSHOP, Block, blocks
from pygeodesign import Client, Project, Sandbox
from serving import RunningService, running_service

pytestmark = pytest.mark.unix


def run(script: list[Block], names: dict[str, Any], service: RunningService | None = None) -> dict[str, str]:
    """Runs the blocks in order; Python prints the text block that follows it. Returns what commands print."""
    printed_by = {}
    for number, block in enumerate(script):
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(block.text, str(block), "exec"), names)
            shown = "".join(block.text for block in script[number + 1 : number + 2] if block.language == "text")
            assert printed.getvalue() == shown, f"{block} prints something else"
        elif block.language == "sh":
            assert service is not None
            for command in block.commands():
                printed_by[command] = output_of(command, service)
    return printed_by


def output_of(command: str, service: RunningService) -> str:
    _, *arguments = shlex.split(command)
    # The operator has a profile of their own.
    link = service.links["admin" if "operator" in arguments else "facilitator"]
    return successful(run_as_process(Path.cwd(), *arguments, stdin=link))


def links_of(service: RunningService) -> dict[str, str]:
    """The links of all members; the command prints only the facilitator's."""
    before, _, after = service.links["facilitator"].partition("#")
    key = after.rpartition(":")[2]
    return {name: f"{before}#{name}:{token}:{key}" for name, token in service.tokens.items()}


def test_a_facilitators_evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laptop, elsewhere = tmp_path / "laptop", tmp_path / "elsewhere"
    laptop.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(laptop)
    setup, serve, before, after, copy = (block for block in blocks(WORKSHOP) if block.language in ("json", "sh"))
    # The last section is the evening in Python: it makes the study area first, and draws before results are taken home.
    study_area, *evening = (block for block in blocks(WORKSHOP) if block.language in ("python", "text"))
    names: dict[str, Any] = {}
    run([study_area], names)
    Path("workshop.json").write_text(setup.text, encoding="utf-8")
    (command,) = serve.commands()
    arguments = shlex.split(command)[2:]
    with running_service(*arguments) as service:
        monkeypatch.chdir(elsewhere)
        assert service.ca_file is not None
        shutil.copy(service.ca_file, "ca.pem")
        names |= {"url": service.urls[-1], "ca_file": "ca.pem", "links": links_of(service)}
        printed = run([before, *evening, after, copy], names, service)
        project: Project = names["project"]
        diagrams = geopandas.read_file("diagrams.gpkg", layer="diagrams")
        assert set(diagrams["diagramid"]) == {row["id"] for row in project.diagrams(fields="summary")}
        assert len(geopandas.read_file("study_area.gpkg", layer="study_area")) == 2
        assert service.tokens.keys() == {"admin", "facilitator", *names["members"]}
        assert Path("cards.html").read_text().count("<article") == 13
        assert Path("lisbon", "index.html").stat().st_size > 0
        assert "Residents" in printed["pygeodesign teams"] and "facilitator" in printed["pygeodesign members"]
        history = project.history()
    monkeypatch.chdir(laptop)
    with running_service(*arguments) as service:
        assert list(service.projects) == [project.id]
        facilitator = Client(service.tokens["facilitator"], service.urls[-1], ca_bundle=service.ca_file)
        assert facilitator.project(project.id).history() == history
    with Sandbox(elsewhere / "evening-copy.sqlite", project=None) as copied:
        assert copied.client("facilitator").project(project.id).history() == history


def test_an_evening_for_practice_begins_anew(tmp_path: Path) -> None:
    arguments = ("--db", tmp_path / "evening.sqlite", "--member", "ana")
    with running_service(*arguments):
        pass
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for _ in range(2):
        with running_service(*arguments, "--member", "ben", "--practice") as service:
            (only,) = service.projects
            project = Client(service.tokens["ben"], service.urls[0]).project(only)
            assert [vote["username"] for vote in project.votes()] == []
            project.diagram(1001).vote(2)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_practice_needs_no_database_and_says_that_nothing_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "evening.sqlite"
    with running_service("--db", path, "--practice") as service:
        assert list(service.projects.values()) == ["Staten Island 2050"]
        assert "This is for practice: nothing is kept. A restart starts over" in service.headings
    assert not path.exists()
    refused = run_as_process(tmp_path, "serve", "--db", path, "--practice", "--backup-every", "10m")
    assert refused.code == 2 and "--practice" in refused.messages
