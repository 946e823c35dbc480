"""A client works in parent and child after a fork; a process that ends waits for nothing and leaves no files."""

import asyncio
import copy
import multiprocessing
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import pygeodesign
from pygeodesign import AsyncClient, Client, Diagram, Project, Sandbox, TransportError

PROJECT = "StatenIsland2050"
# Seconds after which a child process counts as hung.
TIMEOUT = 60
# Python warns of a fork in a process with several threads, which these tests do on purpose.
pytestmark = [
    pytest.mark.unix,
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
]


def results_of(client: Client, token: str) -> list[Any]:
    """Results of a blocking and an async client: small ones, large ones, and concurrent requests."""
    project = client.project(PROJECT)
    change_ids = project.diagram_change_ids([1001, 1002, 1003])
    return [client.projects(), len(project.diagrams()), change_ids, asyncio.run(awaited(client.base_url, token))]


async def awaited(url: str, token: str) -> list[Any]:
    async with AsyncClient(token, url) as client:
        return list(await asyncio.gather(*(client.project(PROJECT).diagram(1002).notes() for _ in range(8))))


def run_in_fork(work: Callable[[], Any]) -> Any:
    """Calls a function in a forked child, and returns its result."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            outcome = pickle.dumps(work())
        except BaseException as error:
            outcome = pickle.dumps(repr(error))
        os.write(writer, outcome)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe, killed_after_timeout(child):
        outcome = pipe.read()
        os.waitpid(child, 0)
    return pickle.loads(outcome)


@contextmanager
def killed_after_timeout(child: int) -> Iterator[None]:
    timer = threading.Timer(TIMEOUT, os.kill, (child, 9))
    timer.start()
    yield
    timer.cancel()


def test_a_client_works_in_parent_and_child(sandbox: Sandbox) -> None:
    client, token = sandbox.client(), sandbox.token()
    before = results_of(client, token)
    assert run_in_fork(lambda: results_of(client, token)) == before
    assert results_of(client, token) == before


def test_a_client_works_in_a_grandchild(sandbox: Sandbox) -> None:
    client, token = sandbox.client(), sandbox.token()
    before = results_of(client, token)

    def child() -> Any:
        return [results_of(client, token), run_in_fork(lambda: results_of(client, token))]

    assert run_in_fork(child) == [before, before]


def test_a_project_works_in_a_child(project: Project) -> None:
    before = len(project.diagrams())
    assert run_in_fork(lambda: len(project.diagrams())) == before


def test_a_fork_during_requests_of_other_threads_works(sandbox: Sandbox) -> None:
    """Other threads may hold locks while the process is copied."""
    client, token = sandbox.client(), sandbox.token()
    before = results_of(client, token)
    done = threading.Event()

    def request_until_done() -> None:
        while not done.is_set():
            client.project(PROJECT).diagram_change_ids([1001, 1002, 1003])

    with ThreadPoolExecutor(4) as pool:
        requesting = [pool.submit(request_until_done) for _ in range(4)]
        try:
            assert [run_in_fork(lambda: results_of(client, token)) for _ in range(10)] == [before] * 10
        finally:
            done.set()
    assert all(each.exception() is None for each in requesting)


def test_a_pool_of_forked_workers_uses_the_project_of_the_parent(sandbox: Sandbox) -> None:
    context = multiprocessing.get_context("fork")
    project = sandbox.client().project(PROJECT)
    project.info()
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        notes = list(pool.map(Diagram.notes, [project.diagram(1002)] * 8, timeout=TIMEOUT))
    assert notes == [project.diagram(1002).notes()] * 8


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_client_can_be_sent_to_another_process(method: str, sandbox: Sandbox) -> None:
    client = sandbox.client()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        assert pool.submit(Client.projects, client).result(TIMEOUT) == client.projects()


def test_closing_a_copy_does_not_close_the_original(sandbox: Sandbox) -> None:
    client = sandbox.client()
    project = client.project(PROJECT)
    for twin in (copy.copy(client), copy.deepcopy(client), pickle.loads(pickle.dumps(client))):
        assert twin.projects() == client.projects()
        twin.close()
        assert client.projects()
    for other in (copy.copy(project), copy.deepcopy(project), pickle.loads(pickle.dumps(project))):
        assert (other.id, other.info()) == (project.id, project.info())
    collection, report = project.study_area.boundaries(), project.costs()
    assert copy.deepcopy(collection).to_dict() == collection.to_dict()
    assert pickle.loads(pickle.dumps(report)).diagrams == report.diagrams


def test_a_sandbox_can_only_be_used_in_the_process_that_started_it() -> None:
    """In a child, its methods raise an error, and `stop` does not stop the service of the parent."""
    with Sandbox() as sandbox:
        token = sandbox.token()

        def child() -> Any:
            with pytest.raises(RuntimeError, match="process that started it"):
                sandbox.project_ids  # noqa: B018
            sandbox.stop()
            return Client(token, sandbox.url).projects()[0]["id"]

        assert run_in_fork(child) == PROJECT
        assert sandbox.project_ids == [PROJECT]
        assert sandbox.client().projects()[0]["id"] == PROJECT


# Every public name of `Sandbox` that works only in the process that started it.
USES: dict[str, Callable[[Sandbox], object]] = {
    "add_user": lambda sandbox: sandbox.add_user("dora.vaz"),
    "async_client": lambda sandbox: sandbox.async_client(),
    "backup": lambda sandbox: sandbox.backup("copy.sqlite"),
    "client": lambda sandbox: sandbox.client(),
    "creation_code": lambda sandbox: sandbox.creation_code(),
    "project": lambda sandbox: sandbox.project(),
    "project_ids": lambda sandbox: sandbox.project_ids,
    "remove_user": lambda sandbox: sandbox.remove_user("dora.vaz"),
    "token": lambda sandbox: sandbox.token(),
    "usernames": lambda sandbox: sandbox.usernames,
    "__enter__": lambda sandbox: sandbox.__enter__(),
}
# A child may read the address of the parent's service, and must not stop it.
HARMLESS = {"stop", "url"}


def test_every_use_of_a_sandbox_is_tried_in_a_child() -> None:
    assert {name for name in dir(Sandbox) if not name.startswith("_")} | {"__enter__"} == USES.keys() | HARMLESS


@pytest.mark.parametrize("use", USES)
def test_every_use_of_a_sandbox_in_a_child_is_an_error(use: str, sandbox: Sandbox) -> None:
    # The parent has made these, so that nothing has to be asked of the database.
    sandbox.client().projects()
    with pytest.raises(RuntimeError, match="process that started it"):
        raise run_in_fork(lambda: error_of(lambda: USES[use](sandbox)))


def error_of(use: Callable[[], object]) -> BaseException:
    try:
        use()
    except Exception as error:
        return error
    return AssertionError("there was no error")


# The end of a process


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script in a new interpreter, with this folder for temporary files."""
    environment = os.environ | {"TMPDIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env=environment,
        check=False,
    )


START = """
import asyncio, sys, threading, time
from pygeodesign import AsyncClient, Client, Sandbox
sandbox = Sandbox()
client = sandbox.client()
project = client.project(sandbox.project_ids[0])
"""


@pytest.mark.parametrize(
    "end",
    [
        "project.diagrams()",
        "sys.exit(0)",
        "ask = lambda: [project.diagrams() for _ in range(10**9)]; "
        "threading.Thread(target=ask, daemon=True).start(); time.sleep(0.1)",
        "asyncio.run(sandbox.async_client().projects())",
        "sandbox.async_client().project(project.id)",
        "import logging; logging.disable(); client = Client('x', 'http://127.0.0.1:9', retries=1); "
        "threading.Thread(target=client.projects, daemon=True).start()",
    ],
    ids=["asked", "exit", "a daemon still asking", "asyncio", "never asked", "a retry under way"],
)
def test_an_interpreter_exits_without_output_or_temporary_files(end: str, tmp_path: Path) -> None:
    ended = run(START + end, tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_the_regular_exit_of_a_child_keeps_the_database_of_the_parent(tmp_path: Path) -> None:
    script = (
        START
        + """
import os
client.projects()
child = os.fork()
if child == 0:
    client.projects()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
assert client.projects() and sandbox.project_ids
print("both")
"""
    )
    ended = run("import warnings; warnings.simplefilter('ignore', DeprecationWarning)" + script, tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "both\n", "")
    assert list(tmp_path.iterdir()) == []


def child_that_lives_on() -> int:
    """A forked child that does nothing until it is killed."""
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    return child


def test_a_sandbox_that_is_stopped_answers_nobody_although_a_forked_child_lives_on() -> None:
    sandbox = Sandbox()
    url, token, port = sandbox.url, sandbox.token(), urlsplit(sandbox.url).port
    assert port is not None
    with socket.create_connection(("127.0.0.1", port)) as accepted:
        accepted.sendall(b"GET /health/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert accepted.recv(12) == b"HTTP/1.1 200"
        child = child_that_lives_on()
        try:
            sandbox.stop()
            begun = time.monotonic()
            with pytest.raises(TransportError):
                Client(token, url, retries=0).projects()
            # The connection ends, too.
            accepted.settimeout(10)
            while accepted.recv(4096):
                pass
            assert time.monotonic() - begun < 10
            with Sandbox(port=port) as again:
                assert again.client().projects()
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_a_forked_child_keeps_its_own_connections_and_those_of_others() -> None:
    with Sandbox() as sandbox, socket.create_server(("127.0.0.1", 0)) as listener:
        client = sandbox.client()
        with socket.create_connection(listener.getsockname()) as other, listener.accept()[0] as accepted:

            def use() -> bool:
                accepted.sendall(b"x")
                return bool(client.projects()) and listener.getsockname()[1] > 0

            assert run_in_fork(use) is True
            assert other.recv(1) == b"x"


# Sub-interpreters

SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
MAIN
made = interpreters.create()
outcome = interpreters.run_string(made, '''
import sys
sys.path.insert(0, FOLDER)
try:
    import pygeodesign
except ImportError as error:
    print(error, flush=True)
''')
assert outcome is None, outcome
interpreters.destroy(made)
"""


@pytest.mark.parametrize("main", ["", "import pygeodesign"], ids=["only there", "after the main interpreter"])
def test_a_sub_interpreter_cannot_import_the_package(main: str, tmp_path: Path) -> None:
    folder = str(Path(pygeodesign.__file__).parents[1])
    ended = run(SUBINTERPRETER.replace("MAIN", main).replace("FOLDER", repr(folder)), tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "pygeodesign cannot be imported in a sub-interpreter" in ended.stdout
