"""Compares the client with others: large responses, many small ones, imports, and the speed of other threads."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import synthetic
from comparison import compare
from harness import ROUNDS, Row, static_server, timed_row, timing
from large_responses import large_responses
from peers.clients import ManyAtATime
from pygeodesign import Client
from python_thread import python_thread_row
from small_responses import SMALL_RESPONSES, small_responses

TOKEN = "0" * 40


def client_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        body = write_responses(Path(folder))
        with static_server(Path(folder)) as root:
            project = Client(TOKEN, root, max_concurrency=ManyAtATime.AT_A_TIME).project(synthetic.PROJECT)
            tasks = [*large_responses(project, root, TOKEN, body), *small_responses(project, root, TOKEN)]
            for task in tasks:
                yield from compare(task)
            yield python_thread_row(project)
    yield import_row()


def write_responses(folder: Path) -> bytes:
    """Writes the files of the static server. Returns the body of diagrams/all/."""
    project = folder / "projects" / synthetic.PROJECT
    (project / "diagrams").mkdir(parents=True)
    body = synthetic.body()
    (project / "diagrams" / "all.json").write_bytes(body)
    (project / "systems").mkdir()
    (project / "systems.json").write_text(json.dumps(synthetic.systems()), encoding="utf-8")
    for system in synthetic.systems():
        (project / "systems" / f"{system['id']}.json").write_text(json.dumps(system), encoding="utf-8")
    for number in range(SMALL_RESPONSES):
        diagram = project / "diagrams" / str(1001 + number)
        diagram.mkdir()
        (diagram / "changeid.json").write_text(json.dumps({"changehash": f"{number:064x}"}), encoding="ascii")
    return body


def import_row() -> Row:
    ours, theirs = zip(*((import_time("pygeodesign"), import_time("requests")) for _ in range(ROUNDS)), strict=True)
    return timed_row("import", "requests", timing(list(ours)), timing(list(theirs)), 8)


def import_time(module: str) -> float:
    script = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
