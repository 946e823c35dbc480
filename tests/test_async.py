"""`AsyncClient` and `AsyncProject` answer what `Client` and `Project` answer."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from typing import Any

import geopandas as gpd
import pytest
import shapely

from fault_server import FaultServer
from operations import OPERATIONS
from pygeodesign import AsyncClient, AsyncProject, Client, CostReport, FeatureCollection, Project, Sandbox
from pygeodesign.types import UploadedRow
from small_project import ADMINISTRATOR, BOUNDS, WATER, lisbon_in

# What a parameter of that name is called with. A new operation may need a new line here.
ARGUMENTS: dict[str, Any] = {
    "id": 1002,
    "ids": [1002, 1001],
    "sysid": 3,
    "system": 1,
    "kind": "project",
    "username": "jose.villanueva",
    "member": "jose.villanueva",
    "team": 1,
    "design": "a023631f09bc2e31",
    "diagrams": [1001, 1055],
    "progress": False,
}
# These send nothing, so that there is nothing to wait for.
LOCAL = {"project", "close"}
# These change something; test_operations.py compares them.
WRITES = {operation.operation for operation in OPERATIONS if operation.writes} | {"add_diagrams"}
TWINS: dict[type, type] = {Client: AsyncClient, Project: AsyncProject}


def operations(blocking: type) -> list[str]:
    """The public methods of a class that ask the service."""
    methods = inspect.getmembers(blocking, inspect.isroutine)
    return [name for name, _ in methods if not name.startswith("_") and name not in LOCAL]


def calls(blocking: type, name: str) -> list[dict[str, Any]]:
    """Ways to call an operation: with what it needs, with each of its options beside that, and with everything."""
    parameters = inspect.signature(getattr(blocking, name)).parameters.values()
    named = [parameter for parameter in parameters if parameter.name != "self"]
    unknown = [parameter.name for parameter in named if parameter.name not in ARGUMENTS]
    assert not unknown, f"{blocking.__name__}.{name} has parameters that ARGUMENTS does not know: {unknown}"
    needed = {p.name: ARGUMENTS[p.name] for p in named if p.default is p.empty}
    options = {p.name: ARGUMENTS[p.name] for p in named if p.default is not p.empty}
    every = needed | options
    ways = [needed, *(needed | {option: value} for option, value in options.items()), every]
    return [way for index, way in enumerate(ways) if way not in ways[:index]]


CALLS = [
    pytest.param(blocking, name, arguments, id=f"{blocking.__name__}.{name}({', '.join(arguments)})")
    for blocking in TWINS
    for name in operations(blocking)
    if name not in WRITES
    for arguments in calls(blocking, name)
]


def contents(answer: Any) -> Any:
    """An answer as values that can be compared."""
    match answer:
        case FeatureCollection():
            return answer.to_dict(), answer.metadata
        case CostReport():
            return answer.systems, answer.diagrams
        case _:
            return answer


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or which error it raises."""
    try:
        return contents(call())
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(("blocking", "name", "arguments"), CALLS)
def test_the_awaited_answer_is_the_blocking_one(
    blocking: type, name: str, arguments: dict[str, Any], sandbox: Sandbox
) -> None:
    client, async_client = sandbox.client(), sandbox.async_client()
    project_id = sandbox.project_ids[0]
    handles: Any = (
        (client, async_client) if blocking is Client else (client.project(project_id), async_client.project(project_id))
    )

    async def awaited() -> Any:
        request = getattr(handles[1], name)(**arguments)
        assert isinstance(request, Coroutine)
        return await request

    assert outcome(lambda: asyncio.run(awaited())) == outcome(lambda: getattr(handles[0], name)(**arguments))


@pytest.mark.parametrize("name", [name for name in operations(Project) if name not in WRITES])
def test_an_operation_works_with_what_it_needs(name: str, project: Project) -> None:
    """Were it to fail, the comparison above would compare failures."""
    assert getattr(project, name)(**calls(Project, name)[0]) is not None


def test_rows_are_added_as_the_blocking_class_adds_them() -> None:
    frame = gpd.GeoDataFrame({"name": ["Alfama", "Belém"]}, geometry=[shapely.box(*BOUNDS)] * 2, crs=4326)

    def told(report: list[UploadedRow]) -> Any:
        """Without which row came first, as both are sent at once."""
        places = sorted((row["diagram_id"], row["grid_location"]) for row in report)
        return [(row["row"], row["title"], row["error"]) for row in report], places

    with lisbon_in() as one, lisbon_in() as other:

        async def awaited() -> list[UploadedRow]:
            project = other.sandbox.async_client(ADMINISTRATOR).project(other.id)
            return await project.add_diagrams(WATER, frame, title="name")

        assert told(asyncio.run(awaited())) == told(one.project.add_diagrams(WATER, frame, title="name"))


@pytest.mark.parametrize("blocking", TWINS)
def test_both_classes_have_the_same_operations(blocking: type) -> None:
    assert operations(blocking) == operations(TWINS[blocking])
    for name in operations(blocking):
        assert inspect.signature(getattr(blocking, name)) == inspect.signature(getattr(TWINS[blocking], name)), name


def test_an_async_client_works_in_one_event_loop_after_another(sandbox: Sandbox) -> None:
    client = sandbox.async_client()

    async def titles() -> list[str | None]:
        return [project["projecttitle"] for project in await client.projects()]

    assert [asyncio.run(titles()) for _ in range(3)] == [["Staten Island 2050"]] * 3


def test_many_requests_run_at_once(sandbox: Sandbox, project: Project) -> None:
    ids = [summary["id"] for summary in project.diagram_summaries()][:40]

    async def all_notes() -> list[str]:
        async with sandbox.async_client() as client:
            handle = client.project(project.id)
            return await asyncio.gather(*(handle.diagram_notes(diagram) for diagram in ids))

    assert asyncio.run(all_notes()) == [project.diagram_notes(diagram) for diagram in ids]


def test_a_cancelled_request_ends_at_once() -> None:
    async def cancelled(client: AsyncClient, server: FaultServer) -> None:
        request = asyncio.ensure_future(client.projects())
        async with asyncio.timeout(10):
            while not server.received:
                await asyncio.sleep(0)
        request.cancel()
        await request

    with FaultServer({"projects/": None}) as server, pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled(AsyncClient("token", server.url), server))


def test_the_event_loop_goes_on_while_a_request_waits() -> None:
    async def turns_of_the_loop(client: AsyncClient) -> int:
        request = asyncio.ensure_future(client.projects())
        turns = 0
        while turns < 1_000:
            await asyncio.sleep(0)
            turns += 1
        assert not request.done()
        request.cancel()
        return turns

    with FaultServer({"projects/": None}) as server:
        assert asyncio.run(turns_of_the_loop(AsyncClient("token", server.url))) == 1_000


def test_leaving_the_context_closes_the_client(sandbox: Sandbox) -> None:
    async def after_closing() -> AsyncClient:
        async with sandbox.async_client() as client:
            await client.projects()
        return client

    client = asyncio.run(after_closing())
    with pytest.raises(ValueError, match="closed"):
        client.project("StatenIsland2050")
