"""Compares the service with the same two operations in FastAPI, under the same load."""

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
from harness import Row, build_helper, timed_row
from pygeodesign import Sandbox

# The number of connections that send requests at the same time, and for how long.
CONNECTIONS = 16
LOAD_SECONDS = 5.0


class Service(NamedTuple):
    """A running service, with the ids and the token for requests to it."""

    # Host and port.
    address: str
    token: str
    project: str
    # The diagram that is requested alone.
    diagram: int
    pid: int


def service_rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder, "ours.sqlite"), Path(folder, "theirs.sqlite")
        diagrams = fill(ours)
        copy(diagrams, theirs)
        with serve_ours(ours) as own, serve_theirs(theirs) as peer:
            detail = compare("a diagram's detail", own, peer, f"diagrams/{own.diagram}/", goal=40)
            everything = compare("diagrams/all/ of 2 000 diagrams", own, peer, "diagrams/all/", goal=60)
            return [*detail, *everything, memory(own)]


def fill(path: Path) -> list[dict[str, Any]]:
    """Adds the synthetic diagrams to a database of our service. Returns the service's response to `diagrams/all/`."""
    with Sandbox(path) as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        for diagram in synthetic.diagrams():
            features = [feature | {"properties": None} for feature in diagram["geojson"]["features"]]
            geometry = {"type": "FeatureCollection", "features": features}
            project.add_diagram(diagram["sysid"], geometry, title=diagram["description"], kind=diagram["type"])
        response = requests.get(
            f"{sandbox.url}projects/{project.id}/diagrams/all/",
            headers={"Authorization": f"Token {sandbox.token()}"},
            timeout=60,
        )
        diagrams: list[dict[str, Any]] = response.json()
        return diagrams


def copy(diagrams: list[dict[str, Any]], path: Path) -> None:
    """Writes the same diagrams to a database of the peer."""
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
def serve_ours(path: Path) -> Iterator[Service]:
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
        yield Service(address[1], token[1], "StatenIsland2050", 1500, process.pid)
        process.terminate()


@contextmanager
def serve_theirs(path: Path) -> Iterator[Service]:
    port = 8977
    command = [sys.executable, "-m", "uvicorn", "peers.service:app", "--port", str(port), "--log-level", "warning"]
    environment = os.environ | {"DATABASE": str(path), "PYTHONPATH": str(Path(__file__).parent)}
    with subprocess.Popen([*command, "--workers", "2"], env=environment) as process:
        service = Service(f"127.0.0.1:{port}", "0" * 40, "StatenIsland2050", 1500, process.pid)
        for _ in range(200):
            try:
                get_json(service, f"diagrams/{service.diagram}/")
                break
            except requests.ConnectionError:
                time.sleep(0.1)
        yield service
        process.terminate()


def get_json(service: Service, path: str) -> Any:
    url = f"http://{service.address}/api/v1/projects/{service.project}/{path}"
    response = requests.get(url, headers={"Authorization": f"Token {service.token}"}, timeout=60)
    response.raise_for_status()
    return response.json()


def load(service: Service, path: str, connections: int, seconds: float) -> tuple[float, float]:
    """Requests per second, and the 99th percentile of their latencies in seconds."""
    full_path = f"/api/v1/projects/{service.project}/{path}"
    command = [build_helper("load"), service.address, full_path, service.token, str(connections), str(seconds)]
    rate, _, p99 = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(rate), float(p99) / 1e3


def compare(what: str, own: Service, peer: Service, path: str, goal: float) -> list[Row]:
    if get_json(own, path) != get_json(peer, path):
        sys.exit(f"{what}: the services give different responses, so the times are not comparable")
    (ours, our_p99), (theirs, their_p99) = (load(service, path, CONNECTIONS, LOAD_SECONDS) for service in (own, peer))
    beside = "FastAPI + uvicorn + SQLite"
    return [
        Row(what, beside, f"{ours:.0f}/s", f"{theirs:.1f}/s", ours / theirs, goal),
        timed_row(f"{what}, p99", beside, our_p99, their_p99),
    ]


def memory(service: Service) -> Row:
    """The peak memory of the service while many clients request all diagrams, compared with one client."""
    peaks = []
    for clients in (1, 4 * CONNECTIONS):
        load(service, "diagrams/all/", clients, 3.0)
        status = Path(f"/proc/{service.pid}/status").read_text(encoding="ascii")
        peaks.append(int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1024)
    one, many = peaks
    what = f"memory of the service, {4 * CONNECTIONS} clients"
    return Row(what, "1 client", f"{many:.0f} MiB", f"{one:.0f} MiB", many / one, 1.2, at_most=True)
