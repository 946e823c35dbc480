"""Requests that cost the service next to nothing: waiting watchers, and responses that the client already has."""

import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
import requests

from serving import PROJECT, RunningService, running_service
from stress import LONG

MAX_WATCHER_BYTES = 20_000
# The cheapest request there is, one to no operation, is the measure: it depends on the machine as this one does.
MAX_TIMES_AS_LONG_AS_NO_OPERATION = 5

pytestmark = [
    pytest.mark.unix,
    pytest.mark.alone("time of requests"),
    pytest.mark.stress,
    pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process from /proc"),
]


@pytest.fixture
def service() -> Iterator[RunningService]:
    names = ("connections", "connections_per_user", "requests_per_user")
    with running_service(*(part for name in names for part in ("--limit", f"{name}=1200"))) as service:
        yield service


def connected(service: RunningService) -> socket.socket:
    url = urlsplit(service.urls[0])
    assert url.hostname and url.port
    return socket.create_connection((url.hostname, url.port), timeout=20)


def ask(service: RunningService, connection: socket.socket, path: str, *headers: str) -> str:
    """The head of a response, with the part of its body that came along."""
    url = urlsplit(service.urls[0])
    head = [f"GET {url.path}projects/{PROJECT}/{path} HTTP/1.1", f"Host: {url.netloc}", *headers]
    token = f"Authorization: Token {service.tokens['admin']}"
    connection.sendall("\r\n".join([*head, token, "", ""]).encode())
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536)
    return received.decode()


def memory(service: RunningService) -> int:
    """Bytes of the process's private memory."""
    text = Path(f"/proc/{service.process.pid}/smaps_rollup").read_text()
    return sum(int(size) * 1024 for size in re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.MULTILINE))


def test_an_idle_watcher_takes_less_than_20_kb(service: RunningService) -> None:
    open_connections: list[socket.socket] = []

    def open_watchers(count: int) -> None:
        for _ in range(count):
            open_connections.append(connected(service))
            assert " 200 " in ask(service, open_connections[-1], "events/").split("\r\n")[0]

    try:
        open_watchers(20)
        before, count = memory(service), 1000 if LONG else 250
        open_watchers(count)
        assert (memory(service) - before) / count < MAX_WATCHER_BYTES
    finally:
        for connection in open_connections:
            connection.close()


def time_of_requests(service: RunningService) -> tuple[float, int]:
    """The time that the service took for all requests so far, in seconds, and their number."""
    text = requests.get(urljoin(service.urls[0], "/metrics"), timeout=20).text
    total, count = (
        re.findall(rf"^geodesign_request_seconds_{name} (\S+)$", text, re.MULTILINE)[0] for name in ("sum", "count")
    )
    return float(total), int(count)


@pytest.mark.parametrize("path", ["diagrams/all/", "systems/"])
def test_an_answer_that_the_client_has_takes_little_more_than_no_answer(service: RunningService, path: str) -> None:
    with connected(service) as first:
        (tag,) = re.findall(r"(?i)\betag: (\S+)", ask(service, first, path))
    with connected(service) as client:

        def seconds_each(path: str, status: int, *headers: str) -> float:
            before, requests_before = time_of_requests(service)
            for _ in range(1000 if LONG else 50):
                assert f" {status} " in ask(service, client, path, *headers).split("\r\n")[0]
            after, requests_after = time_of_requests(service)
            return (after - before) / (requests_after - requests_before)

        rounds = [
            (seconds_each(path, 304, f"If-None-Match: {tag}"), seconds_each("no-operation/", 404)) for _ in range(15)
        ]
    # Other programs make some rounds slower.
    known, nothing = (min(times) for times in zip(*rounds, strict=True))
    assert known < MAX_TIMES_AS_LONG_AS_NO_OPERATION * nothing
