"""Ctrl-C ends a blocking call, cancelling ends an awaited one, and both close the connection of the request."""

import asyncio
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from fault_server import FaultServer, Response, http, trickle, unused_url
from interrupting import ctrl_c, seconds_until_interrupt
from pygeodesign import AsyncClient, Client

pytestmark = [pytest.mark.unix, pytest.mark.alone("time until Ctrl-C ends them")]

PROJECT = "FakeProject00001"
# Seconds. The documentation promises 0.2 s; a slow test machine may need longer.
SOON = 3.0
LONG = 60.0


def send_first_byte(connection: socket.socket) -> None:
    """Sends the head and one byte of the body, then nothing until the client closes the connection."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n[")
    while connection.recv(65536):
        pass
    raise ConnectionAbortedError


@pytest.mark.parametrize(
    "response", [None, send_first_byte, trickle(b" " * 10_000, 0.05)], ids=["waiting", "stalled", "trickling"]
)
def test_ctrl_c_ends_a_request_in_progress(response: Response) -> None:
    with FaultServer({"projects/latest/": response}) as server:
        client = Client("token", server.url, timeout=LONG)
        assert seconds_until_interrupt(lambda: bool(server.received), client.latest_project) < SOON
        assert server.closed_by_client.wait(SOON)


def test_ctrl_c_ends_the_wait_before_a_retry() -> None:
    busy = http("503 Service Unavailable", retry_after="20")
    with FaultServer({"projects/latest/": busy}) as server:
        client = Client("token", server.url, timeout=LONG)
        assert seconds_until_interrupt(lambda: bool(server.received), client.latest_project) < SOON
        assert len(server.received) == 1


def test_ctrl_c_ends_connecting() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        waiting = [socket.socket() for _ in range(3)]
        for connection in waiting:
            connection.setblocking(False)
            connection.connect_ex(full.getsockname())
        client = Client("token", f"http://127.0.0.1:{full.getsockname()[1]}", timeout=LONG, connect_timeout=LONG)
        assert seconds_until_interrupt(lambda: True, client.latest_project) < SOON
        for connection in waiting:
            connection.close()


@pytest.mark.parametrize("operation", ["thumbnails", "diagram_change_ids", "costs"])
def test_ctrl_c_ends_all_requests_of_an_operation(operation: str) -> None:
    below = f"projects/{PROJECT}/"
    of_diagrams = [f"diagrams/{number}/{end}/" for number in range(9) for end in ("generate_thumbnail", "changeid")]
    with FaultServer({below + path: None for path in [*of_diagrams, "systems/", "diagrams/all/"]}) as server:
        project = Client("token", server.url, timeout=LONG).project(PROJECT)
        arguments: dict[str, Any] = {} if operation == "costs" else {"ids": range(9)}
        assert (
            seconds_until_interrupt(lambda: bool(server.received), lambda: getattr(project, operation)(**arguments))
            < SOON
        )
        assert server.closed_by_client.wait(SOON)


def test_a_client_can_be_used_after_ctrl_c() -> None:
    with FaultServer({"projects/latest/": [None, http("200 OK", b"[]")]}) as server:
        client = Client("token", server.url, timeout=LONG)
        seconds_until_interrupt(lambda: bool(server.received), client.latest_project)
        assert client.latest_project() is None


def test_a_signal_handler_that_raises_nothing_does_not_interrupt() -> None:
    """A signal whose handler raises nothing interrupts nothing."""
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        slow = FaultServer({"projects/latest/": trickle(b"[]" + b" " * 10, 0.1)})
        with slow as server, ctrl_c(lambda: bool(server.received)):
            assert Client("token", server.url, timeout=LONG).latest_project() is None
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


# asyncio


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(int(LONG * 100)):
        if condition():
            return
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("response", [None, send_first_byte], ids=["waiting", "stalled"])
def test_cancelling_a_task_ends_the_request(response: Response) -> None:
    async def cancel(server: FaultServer) -> None:
        client = AsyncClient("token", server.url, timeout=LONG)
        task = asyncio.create_task(client.latest_project())
        await until(lambda: bool(server.received))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with FaultServer({"projects/latest/": response}) as server:
        asyncio.run(cancel(server))
        assert server.closed_by_client.wait(SOON)


def test_a_timeout_around_a_request_ends_it() -> None:
    async def give_up(server: FaultServer) -> None:
        client = AsyncClient("token", server.url, timeout=LONG)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.latest_project(), 0.2)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await client.project(PROJECT).thumbnails([1, 2, 3])

    below = {f"projects/{PROJECT}/diagrams/{number}/generate_thumbnail/": None for number in (1, 2, 3)}
    with FaultServer({"projects/latest/": None, **below}) as server:
        asyncio.run(give_up(server))
        assert server.closed_by_client.wait(SOON)


def test_a_failure_in_a_task_group_ends_the_other_request() -> None:
    async def both_requests(server: FaultServer) -> None:
        client = AsyncClient("token", server.url, timeout=LONG, retries=0)
        with pytest.raises(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(client.latest_project())
                group.create_task(client.projects())

    def fail_after_both_arrived(connection: socket.socket) -> None:
        while len(server.received) < 2:
            time.sleep(0.01)
        connection.sendall(http("418 Teapot"))

    with FaultServer({"projects/latest/": None, "projects/": fail_after_both_arrived}) as server:
        asyncio.run(both_requests(server))
        assert server.closed_by_client.wait(SOON)


def test_a_coroutine_that_is_never_awaited_sends_nothing_and_warns() -> None:
    with FaultServer({"projects/latest/": http("200 OK", b"[]")}) as server:
        with pytest.warns(RuntimeWarning, match=r"AsyncClient\.latest_project\(\) was never awaited"):
            AsyncClient("token", server.url).latest_project()  # type: ignore[unused-coroutine]
        assert server.received == []


def test_an_error_that_drops_coroutines_stays_the_same_error() -> None:
    client = AsyncClient("token", unused_url())
    with pytest.warns(RuntimeWarning, match="never awaited"), pytest.raises(ZeroDivisionError):
        [(client.projects(), 1 / number) for number in [1, 0]]


def test_awaiting_a_coroutine_twice_is_an_error() -> None:
    async def twice() -> None:
        request = AsyncClient("token", unused_url(), retries=0).latest_project()
        with pytest.raises(ConnectionError):
            await request
        with pytest.raises(RuntimeError, match="already awaited"):
            await request

    asyncio.run(twice())
