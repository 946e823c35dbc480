"""Responses reach event loops of any kind and number, whichever way they end."""

import asyncio
import os
import subprocess
import sys
from typing import Any

import pytest

from fault_server import FaultServer
from pygeodesign import AsyncClient, Sandbox

TITLES = ["Staten Island 2050"]
REQUESTS = 100


class WithoutReaders(asyncio.SelectorEventLoop):
    """An event loop that does not wait for foreign sockets, like the default one on Windows."""

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


ONE_LOOP_AFTER_ANOTHER = """
for _ in range(2):
    asyncio.run(titles())
before = open_files()
for _ in range(20):
    asyncio.run(titles())
    gc.collect()
    counts.append(open_files() - before)
"""
LOOPS_IN_TURNS = """
with asyncio.Runner() as first, asyncio.Runner() as second:
    for _ in range(2):
        first.run(titles()), second.run(titles())
    before = open_files()
    for _ in range(20):
        first.run(titles()), second.run(titles())
        counts.append(open_files() - before)
"""
# A process of its own, because others open and close files in this one.
PROGRAM = """
import asyncio, gc, os
from pygeodesign import AsyncClient

client = AsyncClient(os.environ["TOKEN"], os.environ["URL"])
counts = []

async def titles():
    assert [project["projecttitle"] for project in await client.projects()] == ["Staten Island 2050"]

def open_files():
    return len(os.listdir("/proc/self/fd"))

{loops}
print(max(counts))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open files of a process")
@pytest.mark.parametrize("loops", [ONE_LOOP_AFTER_ANOTHER, LOOPS_IN_TURNS], ids=["one after another", "in turns"])
def test_event_loops_leave_no_sockets_behind(loops: str, sandbox: Sandbox) -> None:
    variables = {**os.environ, "TOKEN": sandbox.token(), "URL": sandbox.url}
    program = [sys.executable, "-W", "ignore", "-c", PROGRAM.format(loops=loops)]
    ended = subprocess.run(program, env=variables, capture_output=True, text=True, timeout=60, check=True)
    # A connection to the service may have come. Twenty loops would leave forty sockets.
    assert int(ended.stdout) < 10


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
