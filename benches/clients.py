"""Compares the client with others: large responses, many small ones, imports, and the speed of other threads."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import synthetic
from comparison import compare
from harness import Row, Timing, static_server, timed_row, timing
from large_responses import large_responses
from peers.clients import ManyAtATime
from pygeodesign import Client
from python_thread import python_thread_rows
from small_responses import SMALL_RESPONSES, image_path, small_responses

TOKEN = "0" * 40
# Not an image, but as large as one.
THUMBNAIL = b"\x89PNG\r\n\x1a\n" + bytes(4_000)


def client_rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        body = write_responses(Path(folder))
        with static_server(Path(folder)) as root:
            project = Client(TOKEN, root, max_concurrency=ManyAtATime.AT_A_TIME).project(synthetic.PROJECT)
            tasks = [*large_responses(project, root, TOKEN, body), *small_responses(project, root, TOKEN)]
            rows = [row for task in tasks for row in compare(task)]
            rows += python_thread_rows(project)
        rows += one_core_rows(Path(folder))
    return rows + compare_imports()


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
        (diagram / "thumbnail").mkdir()
        (diagram / "thumbnail" / "job.png").write_bytes(THUMBNAIL + number.to_bytes(4))
    jobs = {"message": "", "results_url": [f"/api/v1/{image_path(1001 + number)}" for number in range(SMALL_RESPONSES)]}
    (project / "diagrams" / "all").mkdir()
    (project / "diagrams" / "all" / "generate_thumbnails.json").write_text(json.dumps(jobs), encoding="ascii")
    return body


def one_core_rows(folder: Path) -> list[Row]:
    program = Path(__file__).with_name("one_core.py")
    command = ["taskset", "--cpu-list", "0", sys.executable, str(program), str(folder)]
    rows = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return [Row(**row) for row in rows]


def compare_imports() -> list[Row]:
    modules = ["pygeodesign", "requests", "httpx", "aiohttp", "pyreqwest.client", "primp", "httpr", "wreq"]
    # In turns, as the tasks.
    turns = [[import_time(module) for module in modules] for _ in range(7)]
    times = {module: timing(list(taken)) for module, taken in zip(modules, zip(*turns, strict=True), strict=True)}
    ours = times.pop("pygeodesign")
    rows = [timed_row("import", module, ours, theirs) for module, theirs in times.items()]
    return [*rows, timed_row("import", "10 ms", ours, Timing(0.010, 0.010), 1)]


def import_time(module: str) -> float:
    script = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
