"""`AsyncClient` and `AsyncProject` return the same results as `Client` and `Project`."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely

import pygeodesign
from fault_server import FaultServer
from operations import OPERATIONS, call
from pygeodesign import (
    AsyncClient,
    Client,
    CostReport,
    Design,
    Diagram,
    FeatureCollection,
    Member,
    Project,
    Sandbox,
    StudyArea,
    System,
    Team,
    Workshop,
)
from pygeodesign.planning import Comparison
from pygeodesign.types import UploadedRow
from small_project import ADMINISTRATOR, BOUNDS, WATER, running_workshop

# The argument for each parameter name. A new operation may need a new line here.
ARGUMENTS: dict[str, Any] = {
    "id": 1002,
    "matrix": {"Water": {"Agriculture": -1}},
    "quantities": {"Water": {"homes": {"amount": 1.0, "per": "piece"}}},
    "building_data": {"storeys_above_ground": 3},
    "ids": [1002, 1001],
    "sysid": 3,
    "system": 1,
    "kind": "project",
    "username": "jose.villanueva",
    "member": "jose.villanueva",
    "since": "2026-03-02",
    "user": "admin",
    "diagram": 1002,
    "team": 1,
    "design": "a023631f09bc2e31",
    "diagrams": [1001, 1055],
    "progress": False,
    "check": True,
    "fields": "details",
    "designs": [[1001, 1002], [1002]],
    # Would send requests to other servers.
    "external": False,
    "max_bytes": 1_000,
    "allow_private": True,
    "strict": True,
    "pairs": [[1001, 1002]],
    "classes_of": [1003],
    "land": "inside",
    "minutes": 30,
    "outline": [(-74.16, 40.57), (-74.15, 40.58)],
    "geometry": {"type": "LineString", "coordinates": [[-74.16, 40.57], [-74.15, 40.58]]},
}
# These methods send nothing, so that both classes have them as ordinary methods.
WITHOUT_REQUEST = {"project", "team", "design", "system", "diagram", "member", "close"}
# Sends a request to another server; test_external_files.py tests it.
OTHER_SERVERS = {"external"}
# These write files, which tests of their own look at: test_archive.py, test_sync.py, test_record.py and so on.
FILES = {"archive", "archive_all", "backup", "download_archive", "record", "sync", "to_qgis"}
# These make pages; test_web_map.py and test_gallery.py test them.
PAGES = {"gallery", "map"}
# These sign somebody in; test_joining.py and test_card_codes.py test them.
JOINING = {"join", "login", "sign_in"}
# Iterates; test_watch.py tests it.
ITERATORS = {"watch"}
# These operations write; test_operations.py compares them.
WRITES = {operation.operation for operation in OPERATIONS if operation.writes} | {
    "add_diagrams",
    "add_external_diagrams",
    "system.add",
    "comment",
    "design.comment",
    "set_impacts",
    "set_quantities",
    "diagram.comment",
    "reply",
}
# The classes with a twin, each with the prefix of its operations in a project.
CLASSES: dict[type, str] = {
    Client: "",
    Project: "",
    Workshop: "workshop.",
    StudyArea: "study_area.",
    Team: "team.",
    Design: "design.",
    System: "system.",
    Diagram: "diagram.",
    Member: "member.",
}
# Arguments that name a part of the project, in place of others.
PARTS: dict[str, dict[str, Any]] = {
    "team.": {"team": 1},
    "design.": {"design": "a023631f09bc2e31", "team": 1},
    "system.": {"system": 1},
    "diagram.": {"diagram": 1002},
    "member.": {"member": "jose.villanueva"},
}
# They read the fields of a handle, as test_parts.py tests, or are made of other operations.
OF_FIELDS = {"get", "keys", "values", "items", "to_geopandas"}


def operations(blocking: type) -> list[str]:
    """The public methods of a class that send requests."""
    methods = inspect.getmembers(blocking, inspect.isroutine)
    others = WITHOUT_REQUEST | OTHER_SERVERS | FILES | PAGES | JOINING | ITERATORS | OF_FIELDS
    return [CLASSES[blocking] + name for name, _ in methods if not name.startswith("_") and name not in others]


def calls(blocking: type, name: str) -> list[dict[str, Any]]:
    """Arguments for an operation: the required ones, these with each optional one, and all of them."""
    parameters = inspect.signature(getattr(blocking, name.rpartition(".")[2])).parameters.values()
    named = [parameter for parameter in parameters if parameter.name != "self"]
    unknown = [parameter.name for parameter in named if parameter.name not in ARGUMENTS]
    assert not unknown, f"{blocking.__name__}.{name} has parameters that ARGUMENTS does not know: {unknown}"
    required = PARTS.get(CLASSES[blocking], {}) | {p.name: ARGUMENTS[p.name] for p in named if p.default is p.empty}
    options = {p.name: ARGUMENTS[p.name] for p in named if p.default is not p.empty}
    every = required | options
    calls_with = [required, *(required | {option: value} for option, value in options.items()), every]
    return [arguments for index, arguments in enumerate(calls_with) if arguments not in calls_with[:index]]


# Calls that test_operations.py compares, by their names and those of their arguments.
COMPARED = {(operation.operation, frozenset(operation.arguments or {})) for operation in OPERATIONS}
CALLS = [
    pytest.param(blocking, name, arguments, id=f"{blocking.__name__}.{name}({', '.join(arguments)})")
    for blocking in CLASSES
    for name in operations(blocking)
    if name not in WRITES
    for arguments in calls(blocking, name)
    if (name, frozenset(arguments)) not in COMPARED
]


def contents(result: Any) -> Any:
    """A result as values that can be compared."""
    match result:
        case FeatureCollection():
            return result.to_dict(), result.metadata
        case CostReport():
            return result.systems, result.diagrams
        case Comparison():
            return result.designs, result.agreement().to_dict()
        case pd.DataFrame():
            return result.to_dict(), result.attrs
        case Mapping() if not isinstance(result, dict):
            return dict(result)
        case list():
            return [contents(item) for item in result]
        case _:
            return result


def outcome(call: Callable[[], Any]) -> Any:
    """A call's result, or the error that it raises."""
    try:
        return contents(call())
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(("blocking", "name", "arguments"), CALLS)
def test_an_awaited_result_equals_the_blocking_one(
    blocking: type, name: str, arguments: dict[str, Any], sandbox: Sandbox
) -> None:
    client, async_client = sandbox.client(), sandbox.async_client()
    project_id = sandbox.project_ids[0]
    handles: Any = (
        (client, async_client) if blocking is Client else (client.project(project_id), async_client.project(project_id))
    )

    async def awaited() -> Any:
        request = call(handles[1], name, arguments)
        assert isinstance(request, Coroutine)
        return await request

    assert outcome(lambda: asyncio.run(awaited())) == outcome(lambda: call(handles[0], name, arguments))


READS = [(of, name) for of in CLASSES if of is not Client for name in operations(of) if name not in WRITES]


@pytest.mark.parametrize(("of", "name"), READS)
def test_an_operation_works_with_its_required_arguments(of: type, name: str, project: Project) -> None:
    """If operations failed, the comparison above would compare only errors."""
    arguments = calls(of, name)[0]
    if (name, frozenset(arguments)) not in COMPARED:
        assert call(project, name, arguments) is not None


def test_the_async_add_diagrams_gives_the_same_report() -> None:
    frame = gpd.GeoDataFrame({"name": ["Alfama", "Belém"]}, geometry=[shapely.box(*BOUNDS)] * 2, crs=4326)

    def without_order(report: list[UploadedRow]) -> Any:
        """The report without the order of ids: both rows are sent concurrently."""
        places = sorted((row["diagram_id"], row["grid_location"]) for row in report)
        return [(row["row"], row["title"], row["error"]) for row in report], places

    with running_workshop() as one, running_workshop() as other:

        async def awaited() -> list[UploadedRow]:
            project = other.sandbox.async_client(ADMINISTRATOR).project(other.id)
            return await project.add_diagrams(WATER, frame, title="name")

        assert without_order(asyncio.run(awaited())) == without_order(
            one.project.add_diagrams(WATER, frame, title="name")
        )


@pytest.mark.parametrize("blocking", CLASSES)
def test_both_classes_have_the_same_operations(blocking: type) -> None:
    awaited = getattr(pygeodesign, f"Async{blocking.__name__}")
    assert public(blocking) == public(awaited)
    for name in public(blocking):
        if inspect.isroutine(method := getattr(blocking, name)):
            assert inspect.signature(method) == inspect.signature(getattr(awaited, name)), name


def public(of: type) -> list[str]:
    return [name for name in dir(of) if not name.startswith("_")]


def test_an_async_client_works_in_one_event_loop_after_another(sandbox: Sandbox) -> None:
    client = sandbox.async_client()

    async def titles() -> list[str | None]:
        return [project["projecttitle"] for project in await client.projects()]

    assert [asyncio.run(titles()) for _ in range(3)] == [["Staten Island 2050"]] * 3


def test_many_requests_run_concurrently(sandbox: Sandbox, project: Project) -> None:
    ids = [summary["id"] for summary in project.diagrams(fields="summary")][:40]

    async def all_notes() -> list[str]:
        async with sandbox.async_client() as client:
            handle = client.project(project.id)
            return await asyncio.gather(*(handle.diagram(diagram).notes() for diagram in ids))

    assert asyncio.run(all_notes()) == [project.diagram(diagram).notes() for diagram in ids]


def test_a_cancelled_request_raises_cancelled_error_at_once() -> None:
    async def cancelled(client: AsyncClient, server: FaultServer) -> None:
        request = asyncio.ensure_future(client.projects())
        async with asyncio.timeout(10):
            while not server.received:
                await asyncio.sleep(0)
        request.cancel()
        await request

    with FaultServer({"projects/": None}) as server, pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled(AsyncClient("token", server.url), server))


def test_a_waiting_request_does_not_block_the_event_loop() -> None:
    async def iterations_of_the_loop(client: AsyncClient) -> int:
        request = asyncio.ensure_future(client.projects())
        iterations = 0
        while iterations < 1_000:
            await asyncio.sleep(0)
            iterations += 1
        assert not request.done()
        request.cancel()
        return iterations

    with FaultServer({"projects/": None}) as server:
        assert asyncio.run(iterations_of_the_loop(AsyncClient("token", server.url))) == 1_000


def test_leaving_the_context_closes_the_client(sandbox: Sandbox) -> None:
    async def after_closing() -> AsyncClient:
        async with sandbox.async_client() as client:
            await client.projects()
        return client

    client = asyncio.run(after_closing())
    with pytest.raises(ValueError, match="closed"):
        client.project("StatenIsland2050")


def test_a_library_other_than_asyncio_cannot_await_an_operation(sandbox: Sandbox) -> None:
    """Such as trio, which runs a coroutine by its own loop."""
    awaited = sandbox.async_client().projects()
    with pytest.raises(RuntimeError, match=r"AsyncClient and AsyncProject need asyncio.*With trio, call the blocking"):
        awaited.send(None)
