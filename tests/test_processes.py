"""A client works on both sides of a fork; a process that ends leaves nothing behind and waits for nobody."""

import asyncio
import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pygeodesign import AsyncClient, Client, Project, Sandbox

PROJECT = "StatenIsland2050"
# The time that a child may take on a slow machine before it counts as hung.
PATIENCE = 60
# Python warns of forks beside other threads, and this is about just those.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
]


def everything(client: Client, token: str) -> list[Any]:
    """Answers of both kinds of client: small, large and many at once."""
    project = client.project(PROJECT)
    change_ids = project.diagram_change_ids([1001, 1002, 1003])
    return [client.projects(), len(project.diagrams()), change_ids, asyncio.run(awaited(client.base_url, token))]


async def awaited(url: str, token: str) -> list[Any]:
    async with AsyncClient(token, url) as client:
        return list(await asyncio.gather(*(client.project(PROJECT).diagram_notes(1002) for _ in range(8))))


def in_a_fork(work: Callable[[], Any]) -> Any:
    """What a function returns in a forked child."""
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
    with os.fdopen(reader, "rb") as pipe, killed_when_late(child):
        outcome = pipe.read()
        os.waitpid(child, 0)
    return pickle.loads(outcome)


@contextmanager
def killed_when_late(child: int) -> Iterator[None]:
    timer = threading.Timer(PATIENCE, os.kill, (child, 9))
    timer.start()
    yield
    timer.cancel()


def test_parent_and_child_use_one_client(sandbox: Sandbox) -> None:
    client, token = sandbox.client(), sandbox.token()
    before = everything(client, token)
    assert in_a_fork(lambda: everything(client, token)) == before
    assert everything(client, token) == before


def test_a_grandchild_uses_it_too(sandbox: Sandbox) -> None:
    client, token = sandbox.client(), sandbox.token()
    before = everything(client, token)

    def child() -> Any:
        return [everything(client, token), in_a_fork(lambda: everything(client, token))]

    assert in_a_fork(child) == [before, before]


def test_a_project_of_the_parent_works_in_the_child(project: Project) -> None:
    before = len(project.diagrams())
    assert in_a_fork(lambda: len(project.diagrams())) == before


def test_a_fork_beside_requests_under_way(sandbox: Sandbox) -> None:
    """Other threads hold whatever they hold while the process is copied."""
    client, token = sandbox.client(), sandbox.token()
    before = everything(client, token)
    enough = threading.Event()

    def keep_asking() -> None:
        while not enough.is_set():
            client.project(PROJECT).diagram_change_ids([1001, 1002, 1003])

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(keep_asking) for _ in range(4)]
        try:
            assert [in_a_fork(lambda: everything(client, token)) for _ in range(10)] == [before] * 10
        finally:
            enough.set()
    assert all(each.exception() is None for each in asking)


def test_a_pool_of_forked_workers_shares_what_its_parent_made(sandbox: Sandbox) -> None:
    context = multiprocessing.get_context("fork")
    project = sandbox.client().project(PROJECT)
    project.info()
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        notes = list(pool.map(project.diagram_notes, [1002] * 8, timeout=PATIENCE))
    assert notes == [project.diagram_notes(1002)] * 8


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_client_travels_to_another_process(method: str, sandbox: Sandbox) -> None:
    client = sandbox.client()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        assert pool.submit(Client.projects, client).result(PATIENCE) == client.projects()


def test_copies_are_clients_of_their_own(sandbox: Sandbox) -> None:
    client = sandbox.client()
    project = client.project(PROJECT)
    for twin in (copy.copy(client), copy.deepcopy(client), pickle.loads(pickle.dumps(client))):
        assert twin.projects() == client.projects()
        twin.close()
        assert client.projects()
    for other in (copy.copy(project), copy.deepcopy(project), pickle.loads(pickle.dumps(project))):
        assert (other.id, other.info()) == (project.id, project.info())
    collection, report = project.boundaries(), project.costs()
    assert copy.deepcopy(collection).to_dict() == collection.to_dict()
    assert pickle.loads(pickle.dumps(report)).diagrams == report.diagrams


def test_a_sandbox_belongs_to_the_process_that_started_it() -> None:
    """In a child nothing of it can be used by accident, and the end of the child does not end it."""
    with Sandbox() as sandbox:
        token = sandbox.token()

        def child() -> Any:
            with pytest.raises(RuntimeError, match="process that started it"):
                sandbox.project_ids  # noqa: B018
            sandbox.stop()
            return Client(token, sandbox.url).projects()[0]["id"]

        assert in_a_fork(child) == PROJECT
        assert sandbox.project_ids == [PROJECT]
        assert sandbox.client().projects()[0]["id"] == PROJECT


# The end of a process


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A script in an interpreter of its own, whose temporary files go to a folder."""
    environment = os.environ | {"TMPDIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
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
def test_an_interpreter_ends_quietly_and_leaves_nothing(end: str, tmp_path: Path) -> None:
    ended = run(START + end, tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_a_child_that_ends_as_python_does_leaves_the_parent_its_database(tmp_path: Path) -> None:
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
