"""Compares the service with the same two operations in other stacks, under the same load."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import synthetic
from harness import ROUNDS, Row, Timing, build_helper, timed_row, timing
from peers.services import AXUM, FASTAPI, SERVICES, ServicePeer
from pygeodesign import Sandbox

# How long each round of requests takes.
LOAD_SECONDS = 0.5


class Service(NamedTuple):
    """A running service, with the project and the token for requests to it."""

    # Host and port.
    address: str
    token: str
    project: str
    pid: int


class Goals(NamedTuple):
    """The smallest ratios wanted of our requests per second to the peer's, and of its 99th percentile to ours."""

    rate: float | None = None
    p99: float | None = None


class Operation(NamedTuple):
    what: str
    # Relative to the project. They are requested in turn, by each connection from another one on.
    paths: list[str]
    # The number of connections that send requests at the same time.
    connections: int
    # Without goals, the comparison is for information.
    goals: dict[ServicePeer, Goals]


class Load(NamedTuple):
    """The measurements of a service in all rounds."""

    # Requests per second: the median of the rounds, and the best.
    rate: float
    best_rate: float
    p99: Timing

    def __str__(self) -> str:
        digits = 0 if self.rate >= 100 else 1
        return f"{self.rate:.{digits}f} ({self.best_rate:.{digits}f})/s"


# Few diagrams are requested twice before all others are, so that this is not the rate of a cache.
DETAILS = Operation(
    "the details of all diagrams, in turn",
    [f"diagrams/{number}/" for number in range(1001, 3001)],
    16,
    {AXUM: Goals(0.9), FASTAPI: Goals(10)},
)
# Few connections, so that a round ends soon even for a service that needs a second for each response.
EVERYTHING = Operation("diagrams/all/ of 2 000 diagrams", ["diagrams/all/"], 4, {AXUM: Goals(1.3), FASTAPI: Goals(60)})


def service_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        ours, theirs = Path(folder, "ours.sqlite"), Path(folder, "theirs.sqlite")
        copy(fill(ours), theirs)
        own = running.enter_context(serve_ours(ours))
        peers = {peer: running.enter_context(serve_peer(peer, theirs)) for peer in SERVICES}
        for operation in (DETAILS, EVERYTHING):
            yield from compare(operation, own, peers)
        yield unchanged(own)
        yield memory(own)


def fill(path: Path) -> list[dict[str, Any]]:
    """Adds the synthetic diagrams to a database of our service. Returns the service's response to `diagrams/all/`."""
    with Sandbox(path) as sandbox:
        project_url = f"{sandbox.url}projects/{sandbox.project_ids[0]}/"
        for diagram in synthetic.diagrams():
            synthetic.add(project_url, sandbox.token(), diagram)
        diagrams: list[dict[str, Any]] = get(f"{project_url}diagrams/all/", sandbox.token())
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
            fields = compact({key: value for key, value in diagram.items() if key != "geojson"})
            database.execute("INSERT INTO diagrams VALUES (?, 'StatenIsland2050', ?)", (diagram["id"], fields))
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
def serve_ours(path: Path, *options: str) -> Iterator[Service]:
    command = [sys.executable, "-m", "pygeodesign", "serve", "--db", str(path), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            welcome = ""
            for line in process.stdout:
                welcome += line
                if line.startswith("Ctrl-C"):
                    break
            address = re.search(r"http://(\S+?)/api", welcome)
            token = re.search(r"^\s+admin\s+(\w{40})", welcome, re.MULTILINE)
            assert address and token, welcome
            yield Service(address[1], token[1], "StatenIsland2050", process.pid)
        finally:
            process.terminate()


@contextmanager
def serve_peer(peer: ServicePeer, database: Path) -> Iterator[Service]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    paths = {"DATABASE": str(database), "PYTHONPATH": str(Path(__file__).parent)}
    with subprocess.Popen(peer.command(port), env=os.environ | paths) as process:
        service = Service(f"127.0.0.1:{port}", "0" * 40, "StatenIsland2050", process.pid)
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
            get_json(service, DETAILS.paths[0])
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.exit(f"the service does not answer: {process.args!r}")


def get_json(service: Service, path: str) -> Any:
    return get(f"http://{service.address}/api/v1/projects/{service.project}/{path}", service.token)


def get(url: str, token: str) -> Any:
    with urlopen(Request(url, headers={"Authorization": f"Token {token}"}), timeout=60) as response:
        return json.load(response)


def load(service: Service, paths: list[str], connections: int, seconds: float) -> tuple[float, float]:
    """Requests per second, and the 99th percentile of their latencies in seconds."""
    lines = "\n".join(f"/api/v1/projects/{service.project}/{path}" for path in paths)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(lines)
        file.flush()
        command = [
            build_helper("load"),
            service.address,
            f"@{file.name}",
            service.token,
            str(connections),
            str(seconds),
        ]
        rate, _, p99 = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(rate), float(p99) / 1e3


def compare(operation: Operation, own: Service, peers: dict[ServicePeer, Service]) -> list[Row]:
    peers = {peer: service for peer, service in peers.items() if peer in operation.goals}
    expected = get_json(own, operation.paths[-1])
    for peer, service in peers.items():
        if get_json(service, operation.paths[-1]) != expected:
            sys.exit(f"{operation.what}: {peer.name} gives another response, so the times are not comparable")
    ours, *theirs = loads(operation, [own, *peers.values()])
    rows = []
    for peer, their in zip(peers, theirs, strict=True):
        goals = operation.goals[peer]
        rows.append(Row(operation.what, peer.name, str(ours), str(their), ours.rate / their.rate, goals.rate))
        rows.append(timed_row(f"{operation.what}, p99", peer.name, ours.p99, their.p99, goals.p99))
    return rows


def loads(operation: Operation, services: list[Service]) -> list[Load]:
    """The measurements of each service. They take turns, so that slow periods of the machine affect all of them."""
    measured: list[list[tuple[float, float]]] = [[] for _ in services]
    for _ in range(ROUNDS):
        for service, rounds in zip(services, measured, strict=True):
            rounds.append(load(service, operation.paths, operation.connections, LOAD_SECONDS))
    columns = [zip(*rounds, strict=True) for rounds in measured]
    return [Load(median(rates), max(rates), timing(list(p99s))) for rates, p99s in columns]


def memory(service: Service) -> Row:
    """The peak memory of the service while many clients request all diagrams, compared with one client."""
    peaks = []
    many_clients = 64
    for clients in (1, many_clients):
        load(service, ["diagrams/all/"], clients, 3.0)
        peaks.append(status(service, "VmHWM") / 2**20)
    one, many = peaks
    what = f"memory of the service, {many_clients} clients"
    return Row(what, "1 client", f"{many:.0f} MiB", f"{one:.0f} MiB", many / one, 1.2, at_most=True)


def unchanged(service: Service) -> Row:
    """The processor time for a response that all diagrams are as the client has them, beside one that holds them."""
    path = f"/api/v1/projects/{service.project}/{EVERYTHING.paths[0]}"
    request = Request(f"http://{service.address}{path}", headers={"Authorization": f"Token {service.token}"})
    with urlopen(request, timeout=60) as response:
        etag = response.headers["ETag"]
    command = [build_helper("load"), service.address, path, service.token, "4", str(LOAD_SECONDS)]

    def each(*options: str) -> float:
        before = processor_seconds(service)
        rate = float(subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout.split()[0])
        return (processor_seconds(service) - before) / (rate * LOAD_SECONDS)

    ours, theirs = zip(*((each(f"etag={etag}"), each()) for _ in range(ROUNDS)), strict=True)
    what = "a response that diagrams/all/ is unchanged (304), processor time of the service"
    return timed_row(what, "the whole response", timing(list(ours)), timing(list(theirs)), 20)


def processor_seconds(service: Service) -> float:
    """What the threads of the service have used so far, in the kernel too."""
    fields = Path(f"/proc/{service.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status(service: Service, field: str) -> int:
    """Bytes that the kernel reports of the process of a service."""
    lines = Path(f"/proc/{service.pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(field))) * 1024
