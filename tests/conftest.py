"""Fixtures: the embedded service with its demo project, and a small project to write to."""

import gc
import os
import re
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

# An example's time depends on the machine's other work. The run that decides whether a commit lands tries the same
# examples each time; on a developer's machine they are others in each run.
hypothesis.settings.register_profile("tests", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("tests")

# The marks of a file are read before it is imported.
MARKS = re.compile(r"^pytestmark = (\[\n.*?^\]|[^\n]*)$", re.DOTALL | re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make test` skips files with slow tests only, because some imports take seconds; Windows skips files for Unix."""
    if collection_path.suffix != ".py":
        return None
    marks = "".join(MARKS.findall(collection_path.read_text(encoding="utf-8")))
    is_slow = config.option.markexpr == "not slow" and "pytest.mark.slow" in marks
    return is_slow or (sys.platform == "win32" and "pytest.mark.unix" in marks) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Freezes the objects of imports and collected tests, which stay to the end: no garbage is searched in them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tests of a file run in one process, so that its fixtures are made once; those that run alone all in the same.

    What takes longest begins first, so that both processes end at about the same time.

    Tests in a browser are among the slow ones: together they take as long as all others.
    """
    for item in items:
        if "shared_browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            item.add_marker(pytest.mark.xdist_group("alone" if item.get_closest_marker("alone") else item.path.name))
        items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in ("alone", "early")])


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
    """The browser that all tests of a process share: starting one takes a second."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(shared_browser: Browser) -> Iterator[Browser]:
    """A headless browser. Pages that a test leaves open are closed: each has its own profile."""
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
    """Warns if tests of pages did not run."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if NO_BROWSER in str(report.longrepr)]
    if skipped:
        terminalreporter.write_sep("!", f"{len(skipped)} tests of pages did not run: {NO_BROWSER}", red=True, bold=True)
