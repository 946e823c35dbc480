"""What most tests start from: the embedded service with its demo project."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

os.environ["MPLBACKEND"] = "Agg"

import pytest

from demo import Demo, demo_in
from operations import Operation
from pygeodesign import Client, Project, Sandbox
from small_project import Lisbon, lisbon_in
from wire import Wire

# They fork, send signals or limit a process as only Unix can, or start from a file that does.
UNIX_ONLY = [
    "test_command_line.py",
    "test_durability.py",
    "test_hostile_servers.py",
    "test_interrupts.py",
    "test_load.py",
    "test_processes.py",
]
collect_ignore = UNIX_ONLY if sys.platform == "win32" else []


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_interrupts() -> Iterator[None]:
    """Whoever starts the tests in the background may have told them, and so what they start, to ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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


@pytest.fixture
def lisbon() -> Iterator[Lisbon]:
    """A fresh project to write to; the service above is for reading."""
    with lisbon_in() as lisbon:
        yield lisbon


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """What the table of operations needs, for reading and for what is refused."""
    with demo_in(tmp_path_factory.mktemp("demo")) as demo:
        yield demo


@pytest.fixture
def demo_for(
    demo: Demo, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Operation], AbstractContextManager[Demo]]:
    """The same for one operation: a fresh one where it writes."""
    return lambda operation: demo_in(tmp_path_factory.mktemp("fresh")) if operation.writes else nullcontext(demo)
