"""Every operation, over plain HTTP and through both clients, matches its row of `operations.json`."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import requests

from demo import ADMINISTRATOR, Demo, DemoFor, sender
from documented_shapes import CARD_CODE, ISO_WITH_FRACTION, JOINING_CODE, SECRET, UUID, check, named_shape
from operations import OPERATIONS, Operation, call, fill_placeholders
from pygeodesign import AsyncClient, AsyncProject, Client, FeatureCollection, Project
from recording_proxy import RecordingProxy, Request

# Types of files, and their first bytes.
FILES = {
    "DATABASE": ("application/vnd.sqlite3", b"SQLite format 3\0"),
    "ARCHIVE": ("application/zip", b"PK\x03\x04"),
}


def test_operations_json_has_every_operation_of_the_openapi_document(demo: Demo) -> None:
    document = requests.get(f"{demo.sandbox.url}openapi.json", timeout=10).json()
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    in_table = [(operation.method, f"/api/v1/{operation.template}") for operation in OPERATIONS]
    assert len(set(in_table)) == len(in_table)
    assert set(in_table) == described


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_operation_has_the_documented_response(operation: Operation, demo_for: DemoFor) -> None:
    with demo_for(operation) as demo:
        authorization = demo.authorization(sender(operation))
        before = demo.content()
        response = demo.send(operation, authorization)
        after = demo.content()
    # The first request for a thumbnail stores it; everything else changes by writes only.
    changed = {table for table in before if before[table] != after[table]} - {"thumbnails", "thumbnail_batches"}
    assert bool(changed) == operation.writes
    assert response.status_code == operation.status
    match operation.shape:
        case None:
            assert response.content == b""
        case "PNG":
            assert response.headers["content-type"] == "image/png"
            assert int(response.headers["content-length"]) == len(response.content)
            assert response.content.startswith(b"\x89PNG\r\n\x1a\n")
        case "DATABASE" | "ARCHIVE":
            kind, start = FILES[operation.shape]
            assert response.headers["content-type"] == kind
            assert int(response.headers["content-length"]) == len(response.content)
            assert response.content.startswith(start)
        case shape:
            assert response.headers["content-type"] == "application/json"
            check(response.json(), named_shape(shape))


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.operation], ids=str)
def test_both_clients_send_the_documented_request_and_return_the_same(operation: Operation, demo_for: DemoFor) -> None:
    outcomes = []
    for call_with_client in (blocking, awaited):
        with demo_for(operation) as demo, RecordingProxy(demo.sandbox.url) as proxy:
            outcomes.append(comparable(call_with_client(operation, demo, proxy)))
            path = f"/api/v1/{operation.template.format_map(demo.values_of(operation))}"
            body = fill_placeholders(operation.body, demo.values)
            body = body.read_bytes() if isinstance(body, Path) else body
            assert Request(operation.method, path, body) in proxy.requests
    assert outcomes[0] == outcomes[1]


def blocking(operation: Operation, demo: Demo, proxy: RecordingProxy) -> Any:
    with Client(demo.sandbox.token(ADMINISTRATOR), proxy.url) as client:
        result = called(operation, demo, client)
        # A handle asks for its fields when it is read.
        return fields(result) if is_handle(result) else result


def awaited(operation: Operation, demo: Demo, proxy: RecordingProxy) -> Any:
    async def call_with_client() -> Any:
        async with AsyncClient(demo.sandbox.token(ADMINISTRATOR), proxy.url) as client:
            result = await called(operation, demo, client)
            return fields(await result) if is_handle(result) else result

    return asyncio.run(call_with_client())


def is_handle(result: Any) -> bool:
    return isinstance(result, Mapping) and not isinstance(result, dict)


def fields(handle: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a handle, but for the time at which it was made."""
    return {name: value for name, value in handle.items() if name not in ("created_at", "creationdate")}


def called(operation: Operation, demo: Demo, client: Client | AsyncClient) -> Any:
    assert operation.operation
    handle: Client | AsyncClient | Project | AsyncProject = client
    if not operation.path.startswith("/"):
        handle = client.project(demo.values["projectid"])
    return call(handle, operation.operation, fill_placeholders(operation.arguments, demo.values))


def comparable(response: Any) -> Any:
    """A result without the parts that differ each time: random ids of new resources, and the time."""
    match response:
        case FeatureCollection():
            return response.to_dict(), response.metadata
        case str():
            named = (UUID, ISO_WITH_FRACTION, SECRET, JOINING_CODE, CARD_CODE)
            random = [r"\b[0-9A-Za-z]{16}\b", r"\b[0-9a-f]{64}\b", *(each.pattern for each in named)]
            return re.sub("|".join(random), "…", response)
        case Mapping():
            return {key: comparable(value) for key, value in response.items()}
        case list():
            return [comparable(value) for value in response]
        case _:
            return response
