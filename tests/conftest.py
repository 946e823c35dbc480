"""What most tests start from: the embedded service with its demo project."""

import os
from collections.abc import Iterator

os.environ["MPLBACKEND"] = "Agg"

import pytest

from pygeodesign import Client, Project, Sandbox
from wire import Wire


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def client(sandbox: Sandbox) -> Client:
    return sandbox.client()


@pytest.fixture(scope="session")
def project(sandbox: Sandbox, client: Client) -> Project:
    return client.project(sandbox.project_ids[0])


@pytest.fixture(scope="session")
def wire(sandbox: Sandbox) -> Wire:
    return Wire(sandbox)
