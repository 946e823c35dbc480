"""Every operation of the service, over plain HTTP and through both clients, is as the table says."""

import asyncio
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
import requests

from demo import ADMINISTRATOR, MEMBER, Demo
from documented_answers import ANSWERS
from documented_shapes import check
from operations import OPERATIONS, Operation, filled
from pygeodesign import AsyncClient, AsyncProject, Client, FeatureCollection, Project
from recording_proxy import RecordingProxy, Request

AtHand = Callable[[Operation], AbstractContextManager[Demo]]


def test_the_table_has_every_operation_that_the_service_describes(demo: Demo) -> None:
    document = requests.get(f"{demo.sandbox.url}openapi.json", timeout=10).json()
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    in_table = [(operation.method, f"/api/v1/{operation.template}") for operation in OPERATIONS]
    assert len(set(in_table)) == len(in_table)
    assert set(in_table) == described


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_it_answers_as_documented(operation: Operation, demo_for: AtHand) -> None:
    with demo_for(operation) as demo:
        before = demo.content()
        user = ADMINISTRATOR if operation.caller == "administrator" else MEMBER
        answer = demo.ask(operation, demo.authorization(user))
        after = demo.content()
    # Pictures are kept when they are first asked for; all else changes by writes only.
    changed = {table for table in before if before[table] != after[table]} - {"thumbnails", "thumbnail_batches"}
    assert bool(changed) == operation.writes
    assert answer.status_code == operation.status
    match operation.shape:
        case None:
            assert answer.content == b""
        case "PNG":
            assert answer.headers["content-type"] == "image/png"
            assert int(answer.headers["content-length"]) == len(answer.content)
            assert answer.content.startswith(b"\x89PNG\r\n\x1a\n")
        case shape:
            assert answer.headers["content-type"] == "application/json"
            check(answer.json(), ANSWERS[shape])


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.operation], ids=str)
def test_both_clients_ask_for_it_and_agree(operation: Operation, demo_for: AtHand) -> None:
    outcomes = []
    for ask in (blocking, awaited):
        with demo_for(operation) as demo, RecordingProxy(demo.sandbox.url) as proxy:
            outcomes.append(comparable(ask(operation, demo, proxy)))
            path = f"/api/v1/{operation.template.format_map(demo.values)}"
            assert Request(operation.method, path, filled(operation.body, demo.values)) in proxy.requests
    assert outcomes[0] == outcomes[1]


def blocking(operation: Operation, demo: Demo, proxy: RecordingProxy) -> Any:
    with Client(demo.sandbox.token(ADMINISTRATOR), proxy.url) as client:
        return call(operation, demo, client)


def awaited(operation: Operation, demo: Demo, proxy: RecordingProxy) -> Any:
    async def ask() -> Any:
        async with AsyncClient(demo.sandbox.token(ADMINISTRATOR), proxy.url) as client:
            return await call(operation, demo, client)

    return asyncio.run(ask())


def call(operation: Operation, demo: Demo, client: Client | AsyncClient) -> Any:
    assert operation.operation
    handle: Client | AsyncClient | Project | AsyncProject = client
    if not operation.path.startswith("/"):
        handle = client.project(demo.values["projectid"])
    return getattr(handle, operation.operation)(**filled(operation.arguments, demo.values))


def comparable(answer: Any) -> Any:
    """An answer without what no two services have in common: the id of a new project."""
    match answer:
        case FeatureCollection():
            return answer.to_dict(), answer.metadata
        case str():
            return re.sub(r"\b[0-9A-Za-z]{16}\b", "…", answer)
        case _:
            return answer
