"""Ctrl-C ends a blocking call, cancelling ends an awaited one, and both end the request on the wire."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fault_server import Answer, FaultServer, http, trickle, unused_url
from pygeodesign import AsyncClient, Client

PROJECT = "FakeProject00001"
# Promised are 0.2 s; a slow machine may take longer to run anything at all.
SOON = 3.0
LONG = 60.0


@contextmanager
def ctrl_c(when: Callable[[], bool]) -> Iterator[list[float]]:
    """Presses Ctrl-C as soon as something is so; the list gets the time of that."""
    pressed: list[float] = []
    over = threading.Event()

    def press() -> None:
        while not when() and not over.is_set():
            time.sleep(0.01)
        time.sleep(0.05)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield pressed
    finally:
        over.set()
        thread.join()


def interrupted(when: Callable[[], bool], call: Callable[[], Any]) -> float:
    """Seconds from Ctrl-C to the exception."""
    with ctrl_c(when) as pressed, pytest.raises(KeyboardInterrupt):
        call()
    return time.monotonic() - pressed[0]


def stall(connection: socket.socket) -> None:
    """Half a body."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n[")
    while connection.recv(65536):
        pass
    raise ConnectionAbortedError


@pytest.mark.parametrize("answer", [None, stall, trickle(b" " * 10_000, 0.05)], ids=["waiting", "stalled", "trickling"])
def test_ctrl_c_ends_a_request_under_way(answer: Answer) -> None:
    with FaultServer({"projects/latest/": answer}) as server:
        client = Client("token", server.url, timeout=LONG)
        assert interrupted(lambda: bool(server.received), client.latest_project) < SOON
        assert server.hung_up.wait(SOON)


def test_ctrl_c_ends_a_wait_between_tries() -> None:
    busy = http("503 Service Unavailable", retry_after="20")
    with FaultServer({"projects/latest/": busy}) as server:
        client = Client("token", server.url, timeout=LONG)
        assert interrupted(lambda: bool(server.received), client.latest_project) < SOON
        assert len(server.received) == 1


def test_ctrl_c_ends_connecting() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        waiting = [socket.socket() for _ in range(3)]
        for connection in waiting:
            connection.setblocking(False)
            connection.connect_ex(full.getsockname())
        client = Client("token", f"http://127.0.0.1:{full.getsockname()[1]}", timeout=LONG, connect_timeout=LONG)
        assert interrupted(lambda: True, client.latest_project) < SOON
        for connection in waiting:
            connection.close()


@pytest.mark.parametrize("operation", ["thumbnails", "diagram_change_ids", "costs"])
def test_ctrl_c_ends_many_requests(operation: str) -> None:
    below = f"projects/{PROJECT}/"
    of_diagrams = [f"diagrams/{number}/{end}/" for number in range(9) for end in ("generate_thumbnail", "changeid")]
    with FaultServer({below + path: None for path in [*of_diagrams, "systems/", "diagrams/all/"]}) as server:
        project = Client("token", server.url, timeout=LONG).project(PROJECT)
        arguments: dict[str, Any] = {} if operation == "costs" else {"ids": range(9)}
        assert interrupted(lambda: bool(server.received), lambda: getattr(project, operation)(**arguments)) < SOON
        assert server.hung_up.wait(SOON)


def test_after_ctrl_c_the_client_goes_on() -> None:
    with FaultServer({"projects/latest/": [None, http("200 OK", b"[]")]}) as server:
        client = Client("token", server.url, timeout=LONG)
        interrupted(lambda: bool(server.received), client.latest_project)
        assert client.latest_project() is None


def test_a_handler_of_the_program_decides() -> None:
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


@pytest.mark.parametrize("answer", [None, stall], ids=["waiting", "stalled"])
def test_cancelling_a_task_ends_the_request(answer: Answer) -> None:
    async def cancel(server: FaultServer) -> None:
        client = AsyncClient("token", server.url, timeout=LONG)
        task = asyncio.create_task(client.latest_project())
        await until(lambda: bool(server.received))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with FaultServer({"projects/latest/": answer}) as server:
        asyncio.run(cancel(server))
        assert server.hung_up.wait(SOON)


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
        assert server.hung_up.wait(SOON)


def test_one_failure_cancels_its_group() -> None:
    async def together(server: FaultServer) -> None:
        client = AsyncClient("token", server.url, timeout=LONG, retries=0)
        with pytest.raises(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(client.latest_project())
                group.create_task(client.projects())

    def refuse_when_both_are_there(connection: socket.socket) -> None:
        while len(server.received) < 2:
            time.sleep(0.01)
        connection.sendall(http("418 Teapot"))

    with FaultServer({"projects/latest/": None, "projects/": refuse_when_both_are_there}) as server:
        asyncio.run(together(server))
        assert server.hung_up.wait(SOON)


def test_what_is_never_awaited_is_never_sent_and_says_so() -> None:
    with FaultServer({"projects/latest/": http("200 OK", b"[]")}) as server:
        with pytest.warns(RuntimeWarning, match=r"AsyncClient\.latest_project\(\) was never awaited"):
            AsyncClient("token", server.url).latest_project()  # type: ignore[unused-coroutine]
        assert server.received == []


def test_an_operation_is_awaited_once() -> None:
    async def twice() -> None:
        request = AsyncClient("token", unused_url(), retries=0).latest_project()
        with pytest.raises(ConnectionError):
            await request
        with pytest.raises(RuntimeError, match="already awaited"):
            await request

    asyncio.run(twice())
