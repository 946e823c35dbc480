"""Answers reach event loops of any kind, however many there are and however they end."""

import asyncio
import gc
import sys
from pathlib import Path
from typing import Any

import pytest

from fault_server import FaultServer
from pygeodesign import AsyncClient, Sandbox

TITLES = ["Staten Island 2050"]
REQUESTS = 100


class WithoutReaders(asyncio.SelectorEventLoop):
    """An event loop that does not wait for sockets of others, as the default one of Windows."""

    def add_reader(self, *_: Any) -> None:  # type: ignore[override]
        raise NotImplementedError


async def titles(client: AsyncClient) -> list[str | None]:
    return [project["projecttitle"] for project in await client.projects()]


async def many_titles(client: AsyncClient) -> list[list[str | None]]:
    return await asyncio.gather(*(titles(client) for _ in range(REQUESTS)))


def test_an_event_loop_that_does_not_wait_for_sockets_gets_every_answer(sandbox: Sandbox) -> None:
    with asyncio.Runner(loop_factory=WithoutReaders) as runner:
        assert runner.run(many_titles(sandbox.async_client())) == [TITLES] * REQUESTS


def test_an_error_of_one_request_does_not_keep_the_answers_of_others(sandbox: Sandbox) -> None:
    async def answers() -> list[Any]:
        client = sandbox.async_client()
        requests = [client.project(name).info() for name in ["StatenIsland2050", "NoSuchProject000"] * 20]
        return await asyncio.gather(*requests, return_exceptions=True)

    found = asyncio.run(answers())
    assert [type(answer).__name__ for answer in found] == ["dict", "NotFoundError"] * 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open files of a process")
def test_event_loops_that_take_turns_in_a_thread_open_no_further_sockets(sandbox: Sandbox) -> None:
    client = sandbox.async_client()
    with asyncio.Runner() as first, asyncio.Runner() as second:

        def turn() -> int:
            assert first.run(titles(client)) == second.run(titles(client)) == TITLES
            return len(list(Path("/proc/self/fd").iterdir()))

        turn()
        before = turn()
        assert [turn() for _ in range(20)] == [before] * 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open files of a process")
def test_an_event_loop_that_is_gone_leaves_no_socket_behind(sandbox: Sandbox) -> None:
    client = sandbox.async_client()

    def open_files_after_a_loop() -> int:
        asyncio.run(titles(client))
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir()))

    open_files_after_a_loop()
    before = open_files_after_a_loop()
    assert [open_files_after_a_loop() for _ in range(20)] == [before] * 20


def test_answers_that_come_after_their_event_loop_was_closed_are_dropped() -> None:
    with FaultServer({"projects/": None}) as server:
        client = AsyncClient("token", server.url)

        async def start() -> asyncio.Future[Any]:
            request = asyncio.ensure_future(client.projects())
            while not server.received:
                await asyncio.sleep(0.001)
            return request

        loop = asyncio.new_event_loop()
        request = loop.run_until_complete(start())
        loop.close()
        assert not request.done()
        request._log_destroy_pending = False  # type: ignore[attr-defined]
        del request
    with Sandbox() as sandbox:
        assert asyncio.run(titles(sandbox.async_client())) == TITLES


def test_a_request_ends_when_its_coroutine_is_closed() -> None:
    async def start_and_close(client: AsyncClient, server: FaultServer) -> None:
        awaited = client.projects()
        awaited.send(None)
        while not server.received:
            await asyncio.sleep(0.001)
        awaited.close()
        assert server.closed_by_client.wait(timeout=10)

    with FaultServer({"projects/": None}) as server:
        asyncio.run(start_and_close(AsyncClient("token", server.url), server))
