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
from small_responses import IDS, small_responses

TOKEN = "0" * 40


def client_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        body = synthetic.write_responses(Path(folder))
        diagrams = Path(folder, "projects", synthetic.PROJECT, "diagrams")
        for number in IDS:
            (diagrams / str(number)).mkdir()
            change_id = {"changehash": f"{number:064x}"}
            (diagrams / str(number) / "changeid.json").write_text(json.dumps(change_id), encoding="ascii")
        with static_server(Path(folder)) as root:
            project = Client(TOKEN, root, max_concurrency=ManyAtATime.AT_A_TIME).project(synthetic.PROJECT)
            for task in [*large_responses(project, root, TOKEN, body), *small_responses(project, root, TOKEN)]:
                yield from compare(task)
            yield python_thread_row(project)
    yield import_row()


def import_row() -> Row:
    ours, theirs = zip(*((import_time("pygeodesign"), import_time("requests")) for _ in range(ROUNDS)), strict=True)
    return timed_row("import", "requests", timing(list(ours)), timing(list(theirs)), 8)


def import_time(module: str) -> float:
    script = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
