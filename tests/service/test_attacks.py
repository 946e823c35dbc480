"""A member or stranger takes as much of the service as possible: others are not delayed, and memory is bounded."""

import itertools
import json
import selectors
import socket
import sqlite3
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import cos, pi, sin
from pathlib import Path

import pytest

from demo import MEMBER
from machine import allow_many_files
from pygeodesign import Sandbox
from raw_requests import Connections, connections, head
from serving import PROJECT, RunningService, running_service
from stress import duration

ADDED_DIAGRAMS = 200
VERTICES = 500_000
SECONDS = duration(short=5.0, long=30.0)
MAX_MEMORY = 2**30
ALL_DIAGRAMS = f"/api/v1/projects/{PROJECT}/diagrams/all/"
LARGE_DESIGN = "All that was added"
NOTES = f"/api/v1/projects/{PROJECT}/diagrams/1002/notes/"

pytestmark = [
    pytest.mark.alone("memory of a service, and how long others wait for it"),
    pytest.mark.stress,
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="a process there has no limit of open files that could be raised"
    ),
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo and 200 diagrams more, with 500,000 vertices, and a design with all of these.

    The response with all diagrams has about 20 MB, as has that with the design.
    """
    path = tmp_path_factory.mktemp("attacks") / "service.sqlite"
    count = VERTICES // ADDED_DIAGRAMS
    with Sandbox(path) as sandbox:
        project = sandbox.client().project(PROJECT)
        for number in range(ADDED_DIAGRAMS):
            west, south = -74.2 + number % 20 / 200, 40.5 + number // 20 / 200
            angles = [2 * pi * vertex / count for vertex in range(count)]
            ring = [[west + 0.002 * cos(angle), south + 0.002 * sin(angle)] for angle in angles]
            polygon = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
            project.add_diagram(1 + number % 9, polygon, title=f"added {number}", outside="allow")
        added = [
            diagram["id"] for diagram in project.diagrams(fields="details") if "added" in (diagram["description"] or "")
        ]
        project.team(1).save(LARGE_DESIGN, added)
    return path


@pytest.fixture
def service(database: Path) -> Iterator[RunningService]:
    with running_service("--db", database) as running:
        yield running


def memory(service: RunningService, name: str) -> int:
    """`VmRSS` or `VmHWM` (the peak) of the service, in bytes; 0 where the system does not report it."""
    status = Path(f"/proc/{service.process.pid}/status")
    if not status.exists():
        return 0
    lines = status.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) * 1024


@dataclass
class OtherMember:
    """Reads and writes all the time on its own connection, and measures the service's response times."""

    service: RunningService
    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "OtherMember":
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()

    def run(self) -> None:
        project = self.service.client("admin").project(PROJECT)
        for number in itertools.count():
            if self.ended.wait(0.05):
                return
            try:
                started = time.monotonic()
                project.diagram(1003).features()
                project.systems()
                project.diagrams(fields="details")
                read = time.monotonic()
                project.diagram(1003).set_notes(f"{number}")
                self.reads.append(read - started)
                self.writes.append(time.monotonic() - read)
            except Exception as error:
                self.failures.append(error)


def post(path: str, token: str, body: bytes, *headers: str) -> bytes:
    return head("POST", path, token, "Content-Type: application/json", *headers) + body


def unread_responses(service: RunningService, attacker: Connections, encoding: str = "identity") -> None:
    """Asks for all diagrams after each change, and never reads."""
    token = service.tokens[MEMBER]
    project = service.client(MEMBER).project(PROJECT)
    for _ in range(20):
        project.diagram(1002).set_notes(f"{time.time_ns()}")
        for _ in range(3):
            attacker.open(head("GET", ALL_DIAGRAMS, token, f"Accept-Encoding: {encoding}"))
        time.sleep(SECONDS / 20)


def unread_compressed_responses(service: RunningService, attacker: Connections) -> None:
    unread_responses(service, attacker, "zstd")


def unread_designs(service: RunningService, attacker: Connections) -> None:
    """Asks for responses that are made for each request."""
    designs = service.client(MEMBER).project(PROJECT).designs(1)
    design = next(design["id"] for design in designs if design["description"] == LARGE_DESIGN)
    for _ in range(200):
        attacker.open(head("GET", f"/api/v1/projects/{PROJECT}/cteams/1/{design}/", service.tokens[MEMBER]))
    time.sleep(SECONDS / 2)


def slow_bodies(service: RunningService, attacker: Connections) -> None:
    """Bodies that hardly arrive: announced as large, and chunked."""
    token = service.tokens[MEMBER]
    for _ in range(50):
        attacker.open(post(NOTES, token, b"1\r\n{\r\n", "Transfer-Encoding: chunked"))
        attacker.open(post(NOTES, token, b"{", "Content-Length: 60000000"))
    time.sleep(SECONDS / 2)


def large_bodies(service: RunningService, attacker: Connections) -> None:
    """Bodies of 30 MB, as many at a time as the service accepts."""
    body = b'{"notes": "short"' + b" " * 30_000_000 + b"}"
    for _ in range(8):
        connection = attacker.open(post(NOTES, service.tokens[MEMBER], b"", f"Content-Length: {len(body)}"))
        threading.Thread(target=send_all, args=(connection, body), daemon=True).start()
    time.sleep(SECONDS / 2)


def send_all(connection: socket.socket, body: bytes) -> None:
    with suppress(OSError):
        connection.sendall(body)


def idle_connections(service: RunningService, attacker: Connections) -> None:
    """Connections without a token, more than the service keeps."""
    for _ in range(1_000):
        with suppress(OSError):
            attacker.open()
    time.sleep(SECONDS / 2)


def long_heads(service: RunningService, attacker: Connections) -> None:
    """Request heads that never end."""
    for _ in range(600):
        with suppress(OSError):
            attacker.open(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"y" * 100_000)
    time.sleep(SECONDS / 2)


def slow_watchers(service: RunningService, attacker: Connections) -> None:
    """300 watchers of several members that read none of the changes which another one makes all the time."""
    others = [token for name, token in service.tokens.items() if name not in ("admin", MEMBER)]
    project = service.client(MEMBER).project(PROJECT)
    for _, token in zip(range(300), itertools.cycle(others), strict=False):
        attacker.open(head("GET", f"/api/v1/projects/{PROJECT}/events/", token))
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        project.diagram(1002).set_notes("x" * 10_000 + str(time.time_ns()))


ATTACKS = [
    unread_responses,
    slow_watchers,
    unread_compressed_responses,
    unread_designs,
    slow_bodies,
    large_bodies,
    idle_connections,
    long_heads,
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_delays_no_other_member_and_takes_no_more_than_1_gb(
    attack: Callable[[RunningService, Connections], None], service: RunningService
) -> None:
    allow_many_files()
    with OtherMember(service) as other:
        time.sleep(0.5)
        with connections(service.urls[0], receive_buffer=4096) as attacker:
            attack(service, attacker)
        time.sleep(1)
    peak, after = memory(service, "VmHWM"), memory(service, "VmRSS")
    slowest = max(other.reads), max(other.writes)
    times = f"read {slowest[0]:.2f} s, write {slowest[1]:.2f} s"
    print(f"\n{attack.__name__}: {times}, {peak >> 20} MiB, then {after >> 20} MiB")
    assert not other.failures
    assert slowest[0] < 1 and slowest[1] < 2
    assert peak < MAX_MEMORY
    # A project of that size takes this anyway.
    assert after < MAX_MEMORY / 2


def fill_up(database: Path, limit: int) -> None:
    """Adds features of 1 MB to diagrams of the demo until it has as many bytes as a project may."""
    ring = [[-74.2 + 0.1 * cos(at * pi / 12_500), 40.5 + 0.1 * sin(at * pi / 12_500)] for at in range(25_000)]
    geometry = json.dumps({"type": "Polygon", "coordinates": [[*ring, ring[0]]]}, separators=(",", ":"))
    with closing(sqlite3.connect(database)) as connection, connection:
        # Python may have a SQLite without it, which the triggers that count bytes use.
        connection.create_function("octet_length", 1, lambda text: len(text.encode()), deterministic=True)
        ids = [row[0] for row in connection.execute("SELECT id FROM all_diagrams ORDER BY id")]
        (used,) = connection.execute("SELECT bytes FROM projects").fetchone()
        for diagram in ids[: (limit - used) // len(geometry)]:
            connection.execute(
                "INSERT INTO features (diagram, min_height, max_height, geometry) VALUES (?, 0, 0, ?)",
                (diagram, geometry),
            )
            connection.execute(
                "UPDATE all_diagrams SET geometry_bytes = geometry_bytes + ? WHERE id = ?", (len(geometry), diagram)
            )


def test_reads_of_the_largest_project_take_no_more_than_1_gb(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox:
        limits = {limit["name"]: limit["value"] for limit in sandbox.client().limits()}
        project = sandbox.project()
        ids = [diagram["id"] for diagram in project.diagrams(fields="details")]
        design_id = project.team(1).save("All diagrams", ids)["id"]
    fill_up(path, limits["project_bytes"])
    paths = [ALL_DIAGRAMS, f"/api/v1/projects/{PROJECT}/cteams/1/{design_id}/"]
    with running_service("--db", path) as service, connections(service.urls[0], receive_buffer=4096) as readers:
        for at in range(24):
            token = service.tokens[("admin", MEMBER)[at // 2 % 2]]
            readers.open(head("GET", paths[at % 2], token))
        time.sleep(SECONDS)
        peak = memory(service, "VmHWM")
        print(f"\nlargest project: {peak >> 20} MiB")
        assert peak < MAX_MEMORY
        # The responses were made: the memory is that of the project at least.
        assert sys.platform != "linux" or peak > limits["project_bytes"]


@dataclass
class LoadedConnection:
    """One of many connections, which sends a request, reads the response, and sends the next one."""

    socket: socket.socket
    request: bytes
    is_entitled: bool
    sent_at: float
    received: bytearray = field(default_factory=bytearray)


def test_2000_connections_are_answered_or_refused_at_once(service: RunningService) -> None:
    """A third of them have no token. Refused and closed connections are opened again after a second."""
    allow_many_files()
    tokens = list(service.tokens.values())
    small = [ALL_DIAGRAMS.replace("diagrams/all", path) for path in ("systems", "members", "diagrams/1002", "tags")]
    kinds = [head("GET", path, token) for path in small for token in tokens]
    kinds += [post(NOTES, token, b'{"notes": "x"}', "Content-Length: 14") for token in tokens]
    kinds += [head("GET", "/api/v1/projects/")] * (len(kinds) // 2)
    statuses: Counter[tuple[bool, int]] = Counter()
    slowest: dict[int, float] = {}
    refused: deque[tuple[float, int]] = deque()
    with connections(service.urls[0]) as opened, selectors.DefaultSelector() as selector:

        def connect(number: int) -> None:
            request = kinds[number % len(kinds)]
            connection = opened.open()
            connection.setblocking(False)
            connection.send(request)
            loaded = LoadedConnection(connection, request, b"Authorization" in request, time.monotonic())
            selector.register(connection, selectors.EVENT_READ, (number, loaded))

        for number in range(2_000):
            connect(number)
        until = time.monotonic() + duration(short=10.0, long=60.0)
        while time.monotonic() < until:
            while refused and refused[0][0] < time.monotonic():
                connect(refused.popleft()[1])
            for key, _ in selector.select(timeout=0.01):
                number, loaded = key.data
                part = b""
                with suppress(ConnectionResetError):
                    part = loaded.socket.recv(2**20)
                loaded.received += part
                end = loaded.received.find(b"\r\n\r\n")
                if part and end >= 0 and len(loaded.received) - end - 4 >= announced(loaded.received[:end]):
                    code = int(loaded.received.split(b" ", 2)[1])
                    statuses[loaded.is_entitled, code] += 1
                    slowest[code] = max(slowest.get(code, 0), time.monotonic() - loaded.sent_at)
                    loaded.received.clear()
                    if code not in (503, 429):
                        loaded.sent_at = time.monotonic()
                        with suppress(OSError):
                            loaded.socket.send(loaded.request)
                        continue
                elif part:
                    continue
                else:
                    statuses[loaded.is_entitled, 0] += 1
                selector.unregister(loaded.socket)
                loaded.socket.close()
                refused.append((time.monotonic() + 1, number))
        open_ones = [key.data[1] for key in selector.get_map().values()]
        waiting = [loaded.sent_at for loaded in open_ones if loaded.is_entitled]
    print(f"\n(entitled, status): {dict(statuses)}; slowest: {slowest}; longest waiting: {until - min(waiting):.2f} s")
    assert statuses[True, 200] > 1_000
    assert {code for _, code in statuses} <= {0, 200, 401, 429, 503}
    assert max(slowest.values()) < 10 and until - min(waiting) < 10
    assert memory(service, "VmHWM") < MAX_MEMORY


def announced(response_head: bytearray) -> int:
    lines = bytes(response_head).lower().split(b"\r\n")
    return next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
