"""Fixtures: the embedded service with its demo project, and a small project to write to."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"

import hypothesis
import pytest
from playwright.sync_api import Browser

from chromium import NO_BROWSER, chromium, without_event_loop
from demo import Demo, running_demo
from operations import Operation
from pygeodesign import Client, Project, Sandbox
from small_project import Workshop, running_workshop
from wire import Wire

# How long an example takes depends on what else this machine does. What decides whether a commit lands tries the same
# examples each time; on a developer's machine they are others in each run.
hypothesis.settings.register_profile("tests", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("tests")

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


# These measure seconds, memory or open connections, or keep both processors busy. `make test` runs two tests at a time,
# but never two of these.
ALONE = {
    "test_attacks.py": "memory of a service, and how long others wait for it",
    "test_backups.py": "how long others wait for a service that is copied",
    "test_connections.py": "open sockets and processor time of this process",
    "test_durability.py": "memory, and eight writers at once",
    "test_fair_sharing.py": "how long others wait for a service",
    "test_floods.py": "how long others wait for a service, and keeps both processors busy",
    "test_http2.py": "how long others wait for a service",
    "test_idle_costs.py": "time of requests",
    "test_interrupted_conversions.py": "time until Ctrl-C ends them",
    "test_interrupts.py": "time until Ctrl-C ends them",
    "test_load.py": "200 members at once",
    "test_optimum.py": "time of a solver",
    "test_room_load.py": "four browsers and thirty connections at once",
    "test_room_speed.py": "time of frames in a browser",
    "test_size_limits.py": "memory, and how long others wait for a service",
    "test_thumbnails.py": "time of drawing",
    "test_watching.py": "how soon watchers are told",
    "test_wide_collections.py": "memory",
}


# The groups that take longest come first, so that both processes end at about the same time.
LONGEST = [
    "alone",
    "test_site.py",
    "test_openapi.py",
    "test_command_documents.py",
    "test_archive_all_s3.py",
    "test_room_trouble.py",
    "test_docstrings.py",
    "test_room_pages.py",
    "test_every_command.py",
    "test_archive_served.py",
    "test_web_map.py",
    "test_room_evening.py",
    "test_map.py",
    "test_room_for_everybody.py",
    "test_external_files.py",
    "test_archive.py",
    "test_report_first_pages.py",
    "test_documents.py",
    "test_new_command.py",
    "test_commands.py",
    "test_map_projects.py",
    "test_not_modified.py",
    "test_room_designing.py",
    "test_archive_all.py",
    "test_room_facilitator.py",
    "test_report.py",
    "test_gallery.py",
]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make test` does not read files that have slow tests only: what some of them import takes seconds."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    is_slow = "\npytestmark = pytest.mark.slow\n" in collection_path.read_text(encoding="utf-8")
    return True if is_slow else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What imports and tests themselves take of the memory stays to the end: no garbage is looked for in it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tests of a file run in one process, so that its fixtures are made once; those of `ALONE` all in the same.

    Tests in a browser are among the slow ones: together they take as long as all others.
    """
    for item in items:
        if "shared_browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            item.add_marker(pytest.mark.xdist_group(group_of(item)))
        ranks = {group: rank for rank, group in enumerate(LONGEST)}
        items.sort(key=lambda item: ranks.get(group_of(item), len(ranks)))


def group_of(item: pytest.Item) -> str:
    return "alone" if item.path.name in ALONE else item.path.name


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_interrupts() -> Iterator[None]:
    """A shell makes background jobs ignore SIGINT; the tests of Ctrl-C, and the processes that they start, need it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with without_event_loop(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with without_event_loop(item):
        return (yield)


@pytest.fixture(scope="session")
def shared_browser() -> Iterator[Browser]:
    """To start one takes a second: all tests of a process have the same."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(shared_browser: Browser) -> Iterator[Browser]:
    """A browser without windows. What a test leaves open is closed: each has a profile of its own."""
    yield shared_browser
    for context in shared_browser.contexts:
        context.close()


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
def demo() -> Iterator[Demo]:
    """The demo project for the requests of `operations.json`; shared, so only for reads and rejected writes."""
    with running_demo() as demo:
        yield demo


@pytest.fixture
def demo_for(demo: Demo) -> Callable[[Operation], AbstractContextManager[Demo]]:
    """The shared demo project for an operation that reads, a new one for an operation that writes."""
    return lambda operation: running_demo() if operation.writes else nullcontext(demo)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says loudly that pages were not opened."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if NO_BROWSER in str(report.longrepr)]
    if skipped:
        terminalreporter.write_sep("!", f"{len(skipped)} tests of pages did not run: {NO_BROWSER}", red=True, bold=True)
