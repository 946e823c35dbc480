"""Members join and work while a neighbour behind the same address floods the service with connections."""

import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from demo import MEMBER
from http2 import connect
from machine import allow_many_files
from raw_requests import connections, head, read_response
from serving import PROJECT, RunningService, running_service

MAX_SECONDS = 0.5
# More than the service keeps.
HELD = 1_000
Flood = Callable[[tuple[str, int], bytes, str, Event], None]

pytestmark = [
    pytest.mark.alone("how long others wait for a service, and keeps both processors busy"),
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="a process there has no limit of open files that could be raised"
    ),
]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    allow_many_files()
    with running_service("--db", tmp_path / "service.sqlite", "--tls-self-signed") as service:
        yield service


def first_message(ca_file: str | None) -> bytes:
    """The first message of a client of TLS."""
    sent = ssl.MemoryBIO()
    context = ssl.create_default_context(cafile=ca_file)
    with suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname="localhost").do_handshake()
    return sent.read()


def dropped_at_once(address: tuple[str, int], message: bytes, _: str, end: Event) -> None:
    while not end.is_set():
        with suppress(OSError), socket.create_connection(address, timeout=5) as connection:
            connection.sendall(message)


def dropped_after_the_answer(address: tuple[str, int], message: bytes, _: str, end: Event) -> None:
    while not end.is_set():
        with suppress(OSError), socket.create_connection(address, timeout=5) as connection:
            connection.sendall(message)
            connection.recv(1)


def held(open_one: Callable[[], socket.socket], end: Event) -> None:
    allow_many_files()
    opened: list[socket.socket] = []
    while not end.is_set():
        with suppress(OSError):
            opened.append(open_one())
        if len(opened) > HELD:
            opened.pop(0).close()


def silent(address: tuple[str, int], _: bytes, __: str, end: Event) -> None:
    held(lambda: socket.create_connection(address, timeout=5), end)


def half_a_handshake(address: tuple[str, int], message: bytes, _: str, end: Event) -> None:
    def open_one() -> socket.socket:
        connection = socket.create_connection(address, timeout=5)
        connection.sendall(message[:100])
        return connection

    held(open_one, end)


def whole_handshakes(address: tuple[str, int], _: bytes, ca_file: str, end: Event) -> None:
    context = ssl.create_default_context(cafile=ca_file)

    def open_one() -> socket.socket:
        return context.wrap_socket(socket.create_connection(address, timeout=5), server_hostname="localhost")

    held(open_one, end)


@contextmanager
def flooded(service: RunningService, flood: Flood) -> Iterator[None]:
    """A service that two processes flood with connections, as fast as they can."""
    processes = get_context("spawn")
    end = processes.Event()
    url = urlsplit(service.urls[0])
    arguments = ((url.hostname, url.port), first_message(service.ca_file), service.ca_file, end)
    flooding = [processes.Process(target=flood, args=arguments) for _ in range(2)]
    for process in flooding:
        process.start()
    try:
        time.sleep(3)
        yield
    finally:
        end.set()
        for process in flooding:
            process.join(20)


def seconds(request: Callable[[], object]) -> float:
    started = time.monotonic()
    assert request()
    return time.monotonic() - started


@pytest.mark.parametrize(
    "flood", [dropped_at_once, dropped_after_the_answer, silent, half_a_handshake, whole_handshakes]
)
def test_members_join_and_work_while_a_neighbour_floods_the_service(flood: Flood, service: RunningService) -> None:
    at_work = service.client()
    at_work.projects()
    with flooded(service, flood):
        joining = [seconds(service.client(name).projects) for name in list(service.tokens) * 3]
        working = [seconds(at_work.projects) for _ in range(20)]
    print(f"\n{flood.__name__}: joining {max(joining):.2f} s, working {max(working):.2f} s")
    assert sorted(joining)[len(joining) // 2] < MAX_SECONDS and sorted(working)[10] < MAX_SECONDS


def test_a_member_who_watches_on_1000_connections_shuts_nobody_out(service: RunningService) -> None:
    request = head("GET", f"/api/v1/projects/{PROJECT}/events/", service.tokens[MEMBER])
    context = ssl.create_default_context(cafile=service.ca_file)
    with connections(service.urls[0]) as opened, ExitStack() as encrypted:
        for _ in range(HELD):
            connection = context.wrap_socket(opened.open(), server_hostname="localhost")
            encrypted.enter_context(connection).sendall(request)
        assert max(seconds(service.client("admin").projects) for _ in range(10)) < MAX_SECONDS


def test_a_plain_request_gets_its_redirect_while_others_send_bodies_without_end(service: RunningService) -> None:
    endless = head("POST", "/", None, "Content-Length: 1000000000000")
    with connections(service.urls[0]) as opened:
        for connection in [opened.open(endless) for _ in range(50)]:
            connection.setblocking(False)
            with suppress(BlockingIOError):
                connection.send(b"x" * 2**20)
        answers = [read_response(opened.open(head("GET", "/", None))) for _ in range(10)]
    assert {answer.split(b" ", 2)[1] for answer in answers} == {b"301"}


def test_requests_that_are_cancelled_at_once_delay_no_other_member(service: RunningService) -> None:
    """Rapid reset (CVE-2023-44487), and slower, so that the service has begun to answer."""
    for pause in (0, 0.005):
        end = time.monotonic() + 3
        while time.monotonic() < end:
            with connect(service) as connection:
                while not connection.is_closed and time.monotonic() < end:
                    streams = [connection.get(f"projects/{PROJECT}/diagrams/all/", flush=False) for _ in range(100)]
                    if pause:
                        connection.flush()
                        time.sleep(pause)
                    for stream in streams:
                        connection.reset(stream)
                    connection.flush()
                    assert seconds(service.client("admin").projects) < MAX_SECONDS
