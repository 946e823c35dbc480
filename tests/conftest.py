"""Fixtures: the embedded service with its demo project, and a small project to write to."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

os.environ["MPLBACKEND"] = "Agg"

import pytest

from chromium import NO_BROWSER
from demo import Demo, running_demo
from operations import Operation
from pygeodesign import Client, Project, Sandbox
from small_project import Workshop, running_workshop
from wire import Wire

# These use fork, signals or resource limits of Unix, or import a file that does.
UNIX_ONLY = [
    "test_command_documents.py",
    "test_command_failures.py",
    "test_command_line.py",
    "test_durability.py",
    "test_every_command.py",
    "test_facilitator_commands.py",
    "test_hostile_servers.py",
    "test_idle_costs.py",
    "test_interrupted_conversions.py",
    "test_interrupts.py",
    "test_load.py",
    "test_processes.py",
    "test_setup_file.py",
    "test_workshop.py",
]
collect_ignore = UNIX_ONLY if sys.platform == "win32" else []


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_interrupts() -> Iterator[None]:
    """A shell makes background jobs ignore SIGINT; the tests of Ctrl-C, and the processes that they start, need it."""
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
def workshop() -> Iterator[Workshop]:
    """A new service with a small project that the test may write to; tests only read from `sandbox`."""
    with running_workshop() as workshop:
        yield workshop


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The demo project for the requests of `operations.json`; shared, so only for reads and rejected writes."""
    with running_demo(tmp_path_factory.mktemp("demo")) as demo:
        yield demo


@pytest.fixture
def demo_for(
    demo: Demo, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Operation], AbstractContextManager[Demo]]:
    """The shared demo project for an operation that reads, a new one for an operation that writes."""
    return lambda operation: running_demo(tmp_path_factory.mktemp("fresh")) if operation.writes else nullcontext(demo)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says loudly that pages were not opened."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if NO_BROWSER in str(report.longrepr)]
    if skipped:
        terminalreporter.write_sep("!", f"{len(skipped)} tests of pages did not run: {NO_BROWSER}", red=True, bold=True)
