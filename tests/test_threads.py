"""One client serves many threads and many event loops."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pygeodesign import AsyncClient, Client, Sandbox

THREADS = 32


def test_threads_share_a_client_and_get_the_same_answers(client: Client) -> None:
    together = threading.Barrier(THREADS)

    def answers(_: int) -> list[Any]:
        together.wait(timeout=30)
        project = client.project("StatenIsland2050")
        return [client.projects(), project.diagrams().to_dict(), project.costs().diagrams, project.diagram_notes(1002)]

    with ThreadPoolExecutor(THREADS) as pool:
        first, *others = pool.map(answers, range(THREADS))
    assert all(answer == first for answer in others)


def test_threads_share_a_collection(client: Client) -> None:
    diagrams = client.project("StatenIsland2050").diagrams()
    together = threading.Barrier(THREADS)

    def read(_: int) -> tuple[Any, Any, str]:
        together.wait(timeout=30)
        return diagrams.to_dict(), diagrams.to_arrow(), diagrams._repr_html_()

    with ThreadPoolExecutor(THREADS) as pool:
        first, *others = pool.map(read, range(THREADS))
    assert all(answer == first for answer in others)


def test_event_loops_one_after_another_share_a_client(sandbox: Sandbox) -> None:
    """What a loop leaves behind does not bother the next."""
    client = sandbox.async_client()

    async def ask() -> Any:
        # Still under way when the loop closes.
        left_behind = asyncio.ensure_future(client.project("StatenIsland2050").diagrams())
        await asyncio.sleep(0)
        assert not left_behind.done()
        return await client.projects()

    assert [asyncio.run(ask()) for _ in range(5)] == [sandbox.client().projects()] * 5


def test_event_loops_beside_each_other_share_a_client(sandbox: Sandbox) -> None:
    client = sandbox.async_client()
    together = threading.Barrier(THREADS)

    async def ask() -> list[str]:
        project = client.project("StatenIsland2050")
        return await asyncio.gather(*(project.diagram_notes(1002) for _ in range(5)))

    def in_a_loop(_: int) -> list[str]:
        together.wait(timeout=30)
        return asyncio.run(ask())

    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(in_a_loop, range(THREADS)))
    assert answers == [[sandbox.client().project("StatenIsland2050").diagram_notes(1002)] * 5] * THREADS


def test_a_loop_may_be_closed_on_an_answer_that_comes_later(sandbox: Sandbox) -> None:
    loop = asyncio.new_event_loop()

    async def ask() -> asyncio.Future[Any]:
        under_way = asyncio.ensure_future(sandbox.async_client().project("StatenIsland2050").diagrams())
        await asyncio.sleep(0)
        return under_way

    under_way = loop.run_until_complete(ask())
    loop.close()
    assert not under_way.done()
    # The answer that nobody waits for does no harm to others.
    assert asyncio.run(sandbox.async_client().projects())
    under_way._log_destroy_pending = False  # type: ignore[attr-defined]


def test_blocking_and_awaited_calls_go_together(sandbox: Sandbox) -> None:
    blocking, awaited = sandbox.client(), sandbox.async_client()

    async def both() -> tuple[Any, Any, Any]:
        other = asyncio.to_thread(blocking.projects)
        return await awaited.projects(), await other, blocking.projects()

    first, second, third = asyncio.run(both())
    assert first == second == third


def test_what_is_awaited_is_a_coroutine(sandbox: Sandbox) -> None:
    client: AsyncClient = sandbox.async_client()

    async def ways() -> list[Any]:
        task = asyncio.create_task(client.latest_project())
        async with asyncio.TaskGroup() as group:
            grouped = group.create_task(client.latest_project())
        gathered = await asyncio.gather(client.latest_project())
        waited = await asyncio.wait_for(client.latest_project(), 30)
        return [await task, grouped.result(), *gathered, waited, await client.latest_project()]

    one = asyncio.run(client.latest_project())
    assert asyncio.run(ways()) == [one] * 5
