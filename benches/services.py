"""The service beside the same two operations in the usual Python stack, asked by one load generator."""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from json import dumps
from pathlib import Path
from typing import Any, NamedTuple

import requests

import synthetic
from harness import Row, built, timed_row
from pygeodesign import Sandbox

CONNECTIONS = 16
SECONDS = 5.0


class Served(NamedTuple):
    address: str
    token: str
    project: str
    diagram: int
    pid: int


def service_rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder, "ours.sqlite"), Path(folder, "theirs.sqlite")
        diagrams = fill(ours)
        copy(diagrams, theirs)
        with serve_ours(ours) as mine, serve_theirs(theirs) as peer:
            detail = compare("a diagram's detail", mine, peer, f"diagrams/{mine.diagram}/", goal=40)
            everything = compare("diagrams/all/ of 2 000 diagrams", mine, peer, "diagrams/all/", goal=60)
            return [*detail, *everything, memory(mine)]


def fill(path: Path) -> list[dict[str, Any]]:
    """Draws the synthetic project into a file; its diagrams as the service answers them."""
    with Sandbox(path) as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        for diagram in synthetic.diagrams():
            drawn = [feature | {"properties": None} for feature in diagram["geojson"]["features"]]
            geometry = {"type": "FeatureCollection", "features": drawn}
            project.add_diagram(diagram["sysid"], geometry, title=diagram["description"], kind=diagram["type"])
        answer = requests.get(
            f"{sandbox.url}projects/{project.id}/diagrams/all/",
            headers={"Authorization": f"Token {sandbox.token()}"},
            timeout=60,
        )
        diagrams: list[dict[str, Any]] = answer.json()
        return diagrams


def copy(diagrams: list[dict[str, Any]], path: Path) -> None:
    """The same content for the peer."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "PRAGMA journal_mode = WAL;"
            "CREATE TABLE tokens (token TEXT PRIMARY KEY, user INTEGER);"
            "CREATE TABLE members (user INTEGER, project TEXT, PRIMARY KEY (user, project));"
            "CREATE TABLE diagrams (id INTEGER PRIMARY KEY, project TEXT, fields TEXT);"
            "CREATE TABLE features (key INTEGER PRIMARY KEY, diagram INTEGER, properties TEXT, geometry TEXT);"
            "CREATE INDEX by_diagram ON features (diagram);"
            f"INSERT INTO tokens VALUES ('{'0' * 40}', 1);"
            "INSERT INTO members VALUES (1, 'StatenIsland2050');"
        )
        for diagram in diagrams:
            fields = dumps({key: value for key, value in diagram.items() if key != "geojson"})
            database.execute("INSERT INTO diagrams VALUES (?, 'StatenIsland2050', ?)", (diagram["id"], fields))
            features = [
                (diagram["id"], dumps(feature["properties"]), dumps(feature["geometry"]))
                for feature in diagram["geojson"]["features"]
            ]
            database.executemany("INSERT INTO features (diagram, properties, geometry) VALUES (?, ?, ?)", features)
        database.commit()


@contextmanager
def serve_ours(path: Path) -> Iterator[Served]:
    command = [sys.executable, "-m", "pygeodesign", "serve", "--db", str(path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        welcome = ""
        for line in process.stdout:
            welcome += line
            if line.startswith("Ctrl-C"):
                break
        address = re.search(r"http://(\S+?)/api", welcome)
        token = re.search(r"^\s+admin\s+(\w{40})", welcome, re.MULTILINE)
        assert address and token, welcome
        yield Served(address[1], token[1], "StatenIsland2050", 1500, process.pid)
        process.terminate()


@contextmanager
def serve_theirs(path: Path) -> Iterator[Served]:
    port = 8977
    command = [sys.executable, "-m", "uvicorn", "peers.service:app", "--port", str(port), "--log-level", "warning"]
    environment = os.environ | {"DATABASE": str(path), "PYTHONPATH": str(Path(__file__).parent)}
    with subprocess.Popen([*command, "--workers", "2"], env=environment) as process:
        served = Served(f"127.0.0.1:{port}", "0" * 40, "StatenIsland2050", 1500, process.pid)
        for _ in range(200):
            try:
                ask(served, f"diagrams/{served.diagram}/")
                break
            except requests.ConnectionError:
                time.sleep(0.1)
        yield served
        process.terminate()


def ask(served: Served, path: str) -> Any:
    url = f"http://{served.address}/api/v1/projects/{served.project}/{path}"
    answer = requests.get(url, headers={"Authorization": f"Token {served.token}"}, timeout=60)
    answer.raise_for_status()
    return answer.json()


def load(served: Served, path: str, connections: int, seconds: float) -> tuple[float, float]:
    """Requests a second, and the 99th percentile of their seconds."""
    whole = f"/api/v1/projects/{served.project}/{path}"
    command = [built("load"), served.address, whole, served.token, str(connections), str(seconds)]
    rate, _, p99 = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(rate), float(p99) / 1e3


def compare(what: str, mine: Served, peer: Served, path: str, goal: float) -> list[Row]:
    if ask(mine, path) != ask(peer, path):
        sys.exit(f"{what}: the services answer differently, so the times mean nothing")
    (ours, our_p99), (theirs, their_p99) = (load(served, path, CONNECTIONS, SECONDS) for served in (mine, peer))
    beside = "FastAPI + uvicorn + SQLite"
    return [
        Row(what, beside, f"{ours:.0f}/s", f"{theirs:.1f}/s", ours / theirs, goal),
        timed_row(f"{what}, p99", beside, our_p99, their_p99),
    ]


def memory(served: Served) -> Row:
    """What the service holds at most while many read everything, beside while one does."""
    held = []
    for readers in (1, 4 * CONNECTIONS):
        load(served, "diagrams/all/", readers, 3.0)
        status = Path(f"/proc/{served.pid}/status").read_text(encoding="ascii")
        held.append(int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1024)
    one, many = held
    what = f"memory of the service, {4 * CONNECTIONS} readers"
    return Row(what, "1 reader", f"{many:.0f} MiB", f"{one:.0f} MiB", many / one, 1.2, at_most=True)
