"""The evening of `docs/workshop.md` happens as it is told: its setup file, its command, and its Python in order."""

import contextlib
import io
import shlex
from pathlib import Path
from typing import Any

import geopandas
import pytest

from documents import WORKSHOP, Block, blocks
from pygeodesign import Client, Project
from test_command_line import running_service

SETUP, SERVE = "json", "sh"


def run(script: list[Block], names: dict[str, Any]) -> None:
    """Runs the Python blocks in order; each prints the text block that follows it."""
    for number, block in enumerate(script):
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(block.text, str(block), "exec"), names)
            shown = "".join(block.text for block in script[number + 1 : number + 2] if block.language == "text")
            assert printed.getvalue() == shown, f"{block} prints something else"


def test_a_facilitators_evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = blocks(WORKSHOP)
    languages = [block.language for block in script]
    setup, serve = languages.index(SETUP), languages.index(SERVE)
    names: dict[str, Any] = {}
    run(script[:setup], names)
    Path("workshop.json").write_text(script[setup].text, encoding="utf-8")
    (command,) = script[serve].commands()
    arguments = shlex.split(command)[2:]
    with running_service(*arguments) as service:
        names |= {"url": service.urls[-1], "ca_file": service.ca_file, "tokens": service.tokens}
        run(script[serve + 1 :], names)
        project: Project = names["project"]
        diagrams = geopandas.read_file("diagrams.gpkg", layer="diagrams")
        assert set(diagrams["diagramid"]) == {row["id"] for row in project.diagram_summaries()}
        assert len(geopandas.read_file("study_area.gpkg", layer="study_area")) == 2
        assert len(service.tokens) == 13
        history = project.history()
    with running_service(*arguments) as service:
        assert list(service.projects) == [project.id]
        facilitator = Client(service.tokens["facilitator"], service.urls[-1], ca_bundle=service.ca_file)
        assert facilitator.project(project.id).history() == history
