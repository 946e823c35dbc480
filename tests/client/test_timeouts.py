"""No request takes longer than its limits: for connecting, for the next byte, and for the complete request."""

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from fault_server import FaultServer, trickle
from pygeodesign import AsyncClient, Client, RequestTimeoutError

# Seconds that a slow test machine may need in addition.
SLACK = 5.0


def time_out_of(call: Callable[[], Any]) -> tuple[str, float]:
    """The message of the time-out, and the seconds until it was raised."""
    started = time.monotonic()
    with pytest.raises(RequestTimeoutError) as raised:
        call()
    return str(raised.value), time.monotonic() - started


def blocking(url: str, **settings: float) -> None:
    Client("token", url, **settings).latest_project()  # type: ignore[arg-type]


def awaited(url: str, **settings: float) -> None:
    async def send_request() -> None:
        await AsyncClient("token", url, **settings).latest_project()  # type: ignore[arg-type]

    asyncio.run(send_request())


@pytest.mark.parametrize("send_request", [blocking, awaited])
def test_a_server_that_never_answers_is_a_time_out(send_request: Callable[..., None]) -> None:
    with FaultServer({"projects/latest/": None}) as server:
        message, elapsed = time_out_of(lambda: send_request(server.url, timeout=0.3))
        assert server.closed_by_client.wait(SLACK)
    assert "no complete answer within timeout=0.3 s (1 try in 0.3 s)" in message
    assert 0.3 <= elapsed < SLACK


@pytest.mark.parametrize("send_request", [blocking, awaited])
def test_a_server_that_sends_too_slowly_is_a_time_out(send_request: Callable[..., None]) -> None:
    """Each pause is shorter than `read_timeout`, so that only `timeout` can end the request."""
    with FaultServer({"projects/latest/": trickle(b" " * 10_000, pause=0.05)}) as server:
        message, elapsed = time_out_of(lambda: send_request(server.url, timeout=0.5, read_timeout=4))
        assert server.closed_by_client.wait(SLACK)
    assert "within timeout=0.5 s" in message
    assert 0.5 <= elapsed < SLACK


def test_read_timeout_ends_a_request_before_timeout_does() -> None:
    def send_first_byte(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n[")
        connection.recv(1)

    with FaultServer({"projects/latest/": send_first_byte}) as server:
        message, elapsed = time_out_of(lambda: blocking(server.url, timeout=600, read_timeout=0.3))
    assert "no byte arrived within read_timeout" in message
    assert 0.3 <= elapsed < SLACK


def test_a_server_that_keeps_sending_does_not_exceed_read_timeout() -> None:
    with FaultServer({"projects/latest/": trickle(b"[]" + b" " * 8, pause=0.1)}) as server:
        assert Client("token", server.url, timeout=60, read_timeout=30).latest_project() is None


def test_a_server_that_does_not_accept_connections_is_a_time_out() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        # The system accepts one connection more than `backlog`, then none.
        waiting = [socket.socket() for _ in range(3)]
        for connection in waiting:
            connection.setblocking(False)
            connection.connect_ex(address)
        url = f"http://127.0.0.1:{address[1]}/"
        message, elapsed = time_out_of(lambda: blocking(url, connect_timeout=0.3, timeout=0.8))
        for connection in waiting:
            connection.close()
    assert "GET /projects/latest/ was not answered in time" in message
    assert elapsed < SLACK


def test_retries_count_towards_the_timeout() -> None:
    """`Retry-After` is longer than `timeout`, so that the error is raised at once."""
    busy = b"HTTP/1.1 503 Busy\r\nretry-after: 15\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    with FaultServer({"projects/latest/": busy}) as server:
        started = time.monotonic()
        with pytest.raises(Exception, match="503"):
            blocking(server.url, timeout=2)
        assert time.monotonic() - started < SLACK
        assert len(server.received) == 1


def test_waiting_for_other_requests_does_not_count_towards_the_timeout() -> None:
    """Six requests of 0.3 s, one after another, take longer than the `timeout` of 1.5 s for each."""

    def slow(connection: socket.socket) -> None:
        time.sleep(0.3)
        connection.sendall(b'HTTP/1.1 200 OK\r\ncontent-length: 18\r\nconnection: close\r\n\r\n{"changehash":"a"}')

    paths = {f"projects/FakeProject00001/diagrams/{number}/changeid/": slow for number in range(6)}
    with FaultServer(paths) as server:
        project = Client("token", server.url, timeout=1.5, max_concurrency=1, retries=0).project("FakeProject00001")
        assert len(project.diagram_change_ids(range(6))) == 6
