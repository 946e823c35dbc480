"""No user and no address takes the memory or the connections of the service away from the others."""

import re
import socket
import time
from math import cos, pi, sin
from urllib.parse import urljoin

import pytest
import requests

from answers import detail, status
from demo import MEMBER, demo_sandbox
from pygeodesign import Sandbox
from raw_requests import connections, head, is_complete, is_open, read_response
from serving import PROJECT

pytestmark = pytest.mark.alone("how long others wait for a service")

NOTES = f"/api/v1/projects/{PROJECT}/diagrams/1002/notes/"
PROJECTS = "/api/v1/projects/"
CHUNKED = "Transfer-Encoding: chunked"


def upload(sandbox: Sandbox, user: str, length: int) -> int:
    """The status of a body of about `length` bytes."""
    body = b'{"notes": "short"' + b" " * length + b"}"
    url = f"{sandbox.url}projects/{PROJECT}/diagrams/1002/notes/"
    headers = {"Authorization": f"Token {sandbox.token(user)}", "Content-Type": "application/json"}
    return requests.post(url, body, headers=headers, timeout=20).status_code


# Bodies


def test_chunked_bodies_take_the_memory_of_what_has_come() -> None:
    with demo_sandbox() as sandbox, connections(sandbox.url) as slow:
        for _ in range(20):
            slow.open(head("POST", NOTES, sandbox.token(MEMBER), CHUNKED) + b"1\r\n{\r\n")
        assert upload(sandbox, "admin", 200_000) == 200


@pytest.mark.slow
def test_bodies_of_one_user_take_no_more_than_a_share_of_the_memory() -> None:
    limits = {"memory_bytes": 800_000, "memory_bytes_per_user": 400_000}
    with demo_sandbox(limits=limits) as sandbox, connections(sandbox.url) as slow:
        announced = slow.open(head("POST", NOTES, sandbox.token(MEMBER), "Content-Length: 300000") + b"{")
        time.sleep(0.1)
        started = time.monotonic()
        assert upload(sandbox, "admin", 300_000) == 200
        assert time.monotonic() - started < 2
        second = slow.open(head("POST", NOTES, sandbox.token(MEMBER), "Content-Length: 300000") + b" " * 300_000)
        refused = read_response(second)
        assert status(refused) == 429
        assert b"\r\nretry-after: 1\r\n" in refused.lower()
        assert "memory_bytes_per_user is 400000" in detail(refused)
        announced.close()
        time.sleep(0.1)
        assert upload(sandbox, MEMBER, 300_000) == 200


@pytest.mark.parametrize("framing", ["Content-Length: 100", CHUNKED])
def test_a_body_that_stops_arriving_is_refused(framing: str) -> None:
    with demo_sandbox(limits={"request_body_stall_seconds": 1}) as sandbox, connections(sandbox.url) as slow:
        started = time.monotonic()
        stalled = slow.open(head("POST", NOTES, sandbox.token(MEMBER), framing) + b"1\r\n{")
        assert status(read_response(stalled)) == 408
        assert 0.9 < time.monotonic() - started < 5


# Connections


def test_connections_without_a_token_make_place_for_others_at_once() -> None:
    with demo_sandbox(limits={"connections": 20}) as sandbox, connections(sandbox.url) as opened:
        entitled = opened.open(head("GET", PROJECTS, sandbox.token(MEMBER)))
        assert status(read_response(entitled)) == 200
        idle = [opened.open() for _ in range(19)]
        time.sleep(0.2)
        for _ in range(5):
            started = time.monotonic()
            assert status(read_response(opened.open(head("GET", PROJECTS, sandbox.token("admin"))))) == 200
            assert time.monotonic() - started < 1
        assert is_open(entitled)
        assert sum(map(is_open, idle)) == 14


def test_a_connection_beyond_the_limit_is_answered_with_503_at_once() -> None:
    with demo_sandbox(limits={"connections": 5}) as sandbox, connections(sandbox.url) as opened:
        for _ in range(5):
            assert status(read_response(opened.open(head("GET", PROJECTS, sandbox.token(MEMBER))))) == 200
        started = time.monotonic()
        refused = read_response(opened.open(head("GET", PROJECTS, sandbox.token("admin"))))
        assert time.monotonic() - started < 1
        assert status(refused) == 503
        assert b"\r\nretry-after: 1\r\n" in refused.lower()
        assert detail(refused) == "Too many connections; the limit connections is 5."


def test_a_user_with_too_many_connections_makes_place_when_they_run_short() -> None:
    with (
        demo_sandbox(limits={"connections": 6, "connections_per_user": 3}) as sandbox,
        connections(sandbox.url) as opened,
    ):
        watching = head("GET", f"{PROJECTS}{PROJECT}/events/", sandbox.token(MEMBER))
        own = [opened.open(watching) for _ in range(6)]
        assert {status(connection.recv(2**16)) for connection in own} == {200}
        others = [opened.open(head("GET", PROJECTS, sandbox.token("admin"))) for _ in range(3)]
        assert [status(read_response(connection)) for connection in others] == [200] * 3
        time.sleep(0.1)
        assert sum(map(is_ended, own)) == 3
        # The user has no more than the share now.
        assert status(read_response(opened.open(head("GET", PROJECTS, sandbox.token("admin"))))) == 503


def is_ended(connection: socket.socket) -> bool:
    """True if the service has closed a connection on which it sends events."""
    connection.setblocking(False)
    try:
        while connection.recv(2**16):
            pass
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    return True


# Responses


def test_clients_that_read_nothing_are_dropped_when_others_wait_for_the_memory() -> None:
    limits = {"memory_bytes": 30_000_000, "memory_bytes_per_user": 20_000_000}
    ring = [[-74.2 + 0.1 * cos(2 * pi * k / 100_000), 40.6 + 0.1 * sin(2 * pi * k / 100_000)] for k in range(100_000)]
    with demo_sandbox(limits=limits) as sandbox, connections(sandbox.url, receive_buffer=4096) as unread:
        project = sandbox.client().project(PROJECT)
        disk = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
        project.add_diagram(1, disk, title="with 100,000 vertices", outside="allow")
        for number in range(12):
            # Each response is another one, so that they do not share their memory.
            project.diagram(1002).set_notes(str(number))
            unread.open(head("GET", f"/api/v1/projects/{PROJECT}/diagrams/all/", sandbox.token(MEMBER)))
            started = time.monotonic()
            assert len(project.diagrams()) == 215
            assert time.monotonic() - started < 4
        # His own read waits until clients before it are dropped. If there was enough memory, each would have 30 s.
        assert len(sandbox.client(MEMBER).project(PROJECT).diagrams()) == 215
        assert not is_complete(read_response(unread.opened[0]))


def test_a_client_that_reads_byte_by_byte_is_dropped() -> None:
    with (
        demo_sandbox(limits={"response_stall_seconds": 1}) as sandbox,
        connections(sandbox.url, receive_buffer=4096) as slow,
    ):
        # More than the systems at both ends keep for a connection.
        reader = slow.open(head("GET", f"/api/v1/projects/{PROJECT}/diagrams/all/", sandbox.token(MEMBER)) * 30)
        deadline = time.monotonic() + 5
        # Data that the system has received can still be read after the connection was closed.
        while open_connections(sandbox) > 1:
            assert time.monotonic() < deadline
            reader.recv(1)
            time.sleep(0.02)


def open_connections(sandbox: Sandbox) -> int:
    """Number of connections of a service, including the one of this request."""
    text = requests.get(urljoin(sandbox.url, "/metrics"), timeout=20).text
    return int(re.findall(r"^geodesign_connections (\d+)$", text, re.MULTILINE)[0])
