"""Compares the service with the same two operations in other stacks, under the same load."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import synthetic
from harness import ROUNDS, Row, sized
from peers.needs import import_peer, installed
from peers.services import AXUM, FASTAPI, SERVICES, ServicePeer
from pygeodesign import Sandbox
from served import PROJECT, Service, served

# Seconds of each round of requests.
LOAD_SECONDS = sized(5, 1) / 10


class Operation(NamedTuple):
    what: str
    # Relative to the project. They are requested in turn; each connection begins at another one.
    paths: list[str]
    # The number of connections that send requests at the same time.
    connections: int
    # The smallest ratios wanted of our requests per second to those of a peer.
    goals: dict[ServicePeer, float]


# Few diagrams are requested twice before all others, so that this is not a cache's rate.
DETAILS = Operation(
    "the details of all diagrams, in turn",
    [f"diagrams/{number}/" for number in range(1001, 1001 + synthetic.DIAGRAMS)],
    16,
    {AXUM: 0.9, FASTAPI: 10},
)
# Few connections, so that a round ends soon even for a service that needs a second for each response.
EVERYTHING = Operation("diagrams/all/ of 2 000 diagrams", ["diagrams/all/"], 4, {AXUM: 1.3, FASTAPI: 60})


def service_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        ours, theirs = Path(folder, "ours.sqlite"), Path(folder, "theirs.sqlite")
        fill(ours)
        own = running.enter_context(served("--db", ours))
        copy(own.get("diagrams/all/"), theirs)
        usable = [peer for peer in SERVICES if installed(peer.name, partial(import_peer, peer.name))]
        peers = {peer: running.enter_context(serve_peer(peer, theirs)) for peer in usable}
        for operation in (DETAILS, EVERYTHING):
            yield from compare(operation, own, peers)
        yield memory(own)


def fill(path: Path) -> None:
    """Adds the synthetic diagrams to a database of our service."""
    with Sandbox(path) as sandbox:
        project_url = f"{sandbox.url}projects/{sandbox.project_ids[0]}/"
        for diagram in synthetic.diagrams():
            synthetic.add(project_url, sandbox.token(), diagram)


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
            f"INSERT INTO members VALUES (1, '{PROJECT}');"
        )
        for diagram in diagrams:
            fields = compact({key: value for key, value in diagram.items() if key != "geojson"})
            database.execute("INSERT INTO diagrams VALUES (?, ?, ?)", (diagram["id"], PROJECT, fields))
            features = [
                (diagram["id"], compact(feature["properties"]), compact(feature["geometry"]))
                for feature in diagram["geojson"]["features"]
            ]
            database.executemany("INSERT INTO features (diagram, properties, geometry) VALUES (?, ?, ?)", features)
        database.commit()


def compact(value: Any) -> str:
    """JSON without spaces, as our service writes it."""
    return json.dumps(value, separators=(",", ":"))


@contextmanager
def serve_peer(peer: ServicePeer, database: Path) -> Iterator[Service]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    paths = {"DATABASE": str(database), "PYTHONPATH": str(Path(__file__).parent)}
    with subprocess.Popen(peer.command(port), env=os.environ | paths) as process:
        service = Service(f"127.0.0.1:{port}", "0" * 40, process.pid)
        try:
            wait_until_it_answers(service, process)
            yield service
        finally:
            process.terminate()


def wait_until_it_answers(service: Service, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        if process.poll() is not None:
            break
        try:
            service.get(DETAILS.paths[0])
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.exit(f"the service does not answer: {process.args!r}")


def compare(operation: Operation, own: Service, peers: dict[ServicePeer, Service]) -> Iterator[Row]:
    expected = own.get(operation.paths[-1])
    for peer, service in peers.items():
        if service.get(operation.paths[-1]) != expected:
            sys.exit(f"{operation.what}: {peer.name} gives another response, so the times are not comparable")
    # They take turns, so that slow periods of the machine affect all of them.
    services = [own, *peers.values()]
    paths = [own.path(path) for path in operation.paths]
    rounds = [[each.load(paths, operation.connections, LOAD_SECONDS) for each in services] for _ in range(ROUNDS)]
    ours, *theirs = zip(*rounds, strict=True)
    for peer, rates in zip(peers, theirs, strict=True):
        ratio = median(ours) / median(rates)
        yield Row(operation.what, peer.name, shown(ours), shown(rates), ratio, operation.goals[peer])


def shown(rates: Sequence[float]) -> str:
    """The median of the rounds, and the best."""
    digits = 0 if median(rates) >= 100 else 1
    return f"{median(rates):.{digits}f} ({max(rates):.{digits}f})/s"


def memory(service: Service) -> Row:
    """The peak memory of the service while many clients request all diagrams, compared with one client."""
    peaks = []
    many_clients = 64
    for clients in (1, many_clients):
        service.load([service.path("diagrams/all/")], clients, 6 * LOAD_SECONDS)
        peaks.append(service.status("VmHWM") / 2**20)
    one, many = peaks
    what = f"memory of the service, {many_clients} clients"
    return Row(what, "1 client", f"{many:.0f} MiB", f"{one:.0f} MiB", many / one, 1.2, at_most=True)
