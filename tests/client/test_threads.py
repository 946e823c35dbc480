"""One client serves many threads and many event loops."""

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fake_service import FakeService, Response
from pygeodesign import AsyncClient, Client, Sandbox

THREADS = 32


def test_threads_share_a_client_and_get_the_same_answers(client: Client) -> None:
    barrier = threading.Barrier(THREADS)

    def results(_: int) -> list[Any]:
        barrier.wait(timeout=30)
        project = client.project("StatenIsland2050")
        return [
            client.projects(),
            project.diagrams().to_dict(),
            project.costs().diagrams,
            project.diagram(1002).notes(),
        ]

    with ThreadPoolExecutor(THREADS) as pool:
        first, *others = pool.map(results, range(THREADS))
    assert all(result == first for result in others)


def test_threads_share_a_collection(client: Client) -> None:
    diagrams = client.project("StatenIsland2050").diagrams()
    barrier = threading.Barrier(THREADS)

    def read(_: int) -> tuple[Any, Any, str]:
        barrier.wait(timeout=30)
        return diagrams.to_dict(), diagrams.to_arrow(), diagrams._repr_html_()

    with ThreadPoolExecutor(THREADS) as pool:
        first, *others = pool.map(read, range(THREADS))
    assert all(result == first for result in others)


def test_event_loops_one_after_another_share_a_client(sandbox: Sandbox) -> None:
    """A request that is unfinished when a loop closes does not affect the next loop."""
    client = sandbox.async_client()

    async def request() -> Any:
        # Still in progress when the loop closes.
        unfinished = asyncio.ensure_future(client.project("StatenIsland2050").diagrams())
        await asyncio.sleep(0)
        assert not unfinished.done()
        return await client.projects()

    assert [asyncio.run(request()) for _ in range(5)] == [sandbox.client().projects()] * 5


def test_concurrent_event_loops_share_a_client(sandbox: Sandbox) -> None:
    client = sandbox.async_client()
    barrier = threading.Barrier(THREADS)

    async def request() -> list[str]:
        project = client.project("StatenIsland2050")
        return await asyncio.gather(*(project.diagram(1002).notes() for _ in range(5)))

    def run_in_new_loop(_: int) -> list[str]:
        barrier.wait(timeout=30)
        return asyncio.run(request())

    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(run_in_new_loop, range(THREADS)))
    assert results == [[sandbox.client().project("StatenIsland2050").diagram(1002).notes()] * 5] * THREADS


def test_an_event_loop_may_close_before_the_response_arrives(sandbox: Sandbox) -> None:
    loop = asyncio.new_event_loop()

    async def request() -> asyncio.Future[Any]:
        in_progress = asyncio.ensure_future(sandbox.async_client().project("StatenIsland2050").diagrams())
        await asyncio.sleep(0)
        return in_progress

    in_progress = loop.run_until_complete(request())
    loop.close()
    assert not in_progress.done()
    # The response arrives without its loop, and does not affect other requests.
    assert asyncio.run(sandbox.async_client().projects())
    in_progress._log_destroy_pending = False  # type: ignore[attr-defined]


def test_blocking_and_awaited_calls_run_side_by_side(sandbox: Sandbox) -> None:
    blocking, awaited = sandbox.client(), sandbox.async_client()

    async def both() -> tuple[Any, Any, Any]:
        other = asyncio.to_thread(blocking.projects)
        return await awaited.projects(), await other, blocking.projects()

    first, second, third = asyncio.run(both())
    assert first == second == third


def test_asyncio_accepts_the_returned_coroutines(sandbox: Sandbox) -> None:
    client: AsyncClient = sandbox.async_client()

    async def await_in_every_way() -> list[Any]:
        task = asyncio.create_task(client.latest_project())
        async with asyncio.TaskGroup() as group:
            grouped = group.create_task(client.latest_project())
        gathered = await asyncio.gather(client.latest_project())
        waited = await asyncio.wait_for(client.latest_project(), 30)
        return [await task, grouped.result(), *gathered, waited, await client.latest_project()]

    one = asyncio.run(client.latest_project())
    assert asyncio.run(await_in_every_way()) == [one] * 5


def test_a_blocking_call_in_the_middle_of_another_is_an_error_that_says_so() -> None:
    """A handler of `logging` runs on the thread that is to go on with the request."""
    said: list[str] = []

    class Nested(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            try:
                said.append(str(service.client().projects()))
            except RuntimeError as error:
                said.append(str(error))

    answers = [Response({"detail": "busy"}, 503, {"retry-after": "0"}), Response([])]
    logger, handler = logging.getLogger("pygeodesign.client"), Nested()
    before = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        with FakeService({"tags/": answers}) as service:
            assert service.project().tags() == []
            answers.insert(0, answers[0])
            assert asyncio.run(awaited(service.async_project().tags())) == []
            # After it, all is as before.
            assert service.project().tags() == []
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    assert said and all("in the middle of a request" in text and "another thread" in text for text in said)


async def awaited(operation: Any) -> Any:
    return await operation
