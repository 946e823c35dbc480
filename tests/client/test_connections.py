"""Idle connections: a blocking call polls its own connection; between calls, none is polled."""

import gc
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from demo import demo_sandbox
from fake_service import PROJECT
from fault_server import FaultServer
from pygeodesign import Client, NotFoundError

pytestmark = pytest.mark.alone("open sockets and processor time of this process")

NOTES = f"projects/{PROJECT}/diagrams/7/notes/"
DEMO_PROJECT = "StatenIsland2050"
TIMEOUT = 10.0


def respond_and_close_later(connection: socket.socket) -> None:
    """Closes the connection without having announced it with `Connection: close`."""
    connection.sendall(b'HTTP/1.1 200 OK\r\ncontent-length: 17\r\n\r\n{"message": "ok"}')
    time.sleep(0.05)


def open_sockets() -> int:
    open_files = Path("/proc/self/fd")
    if not open_files.exists():
        pytest.skip("this system does not list open files")

    def is_socket(file: Path) -> bool:
        try:
            return "socket" in str(file.readlink())
        except FileNotFoundError:
            # The file was closed after it was listed.
            return False

    return sum(map(is_socket, open_files.iterdir()))


def open_sockets_at_rest() -> int:
    """The number of open sockets once those of earlier tests are closed."""
    gc.collect()
    deadline = time.monotonic() + TIMEOUT
    before = open_sockets()
    while time.monotonic() < deadline:
        time.sleep(0.3)
        now = open_sockets()
        if now == before:
            break
        before = now
    return before


def wait_until_at_most(number: int) -> None:
    deadline = time.monotonic() + TIMEOUT
    while open_sockets() > number and time.monotonic() < deadline:
        time.sleep(0.05)
    assert open_sockets() <= number


@pytest.mark.parametrize("pause", [0.1, 0.5])
def test_a_connection_that_the_server_closed_is_not_reused(pause: float) -> None:
    """A write sent on it would fail, and could not be retried."""
    with FaultServer({NOTES: respond_and_close_later}) as server, Client("token", server.url, retries=0) as client:
        project = client.project(PROJECT)
        for _ in range(3):
            project.diagram(7).set_notes("Ask first.")
            time.sleep(pause)
        assert len(server.received) == 3


def test_calls_one_after_another_reuse_one_connection() -> None:
    with demo_sandbox() as sandbox:
        project = sandbox.client().project(DEMO_PROJECT)
        project.info()
        before = open_sockets()
        for diagram in range(1001, 1021):
            project.diagram(diagram).change_id()
            with pytest.raises(NotFoundError):
                project.diagram(999).features()
        assert open_sockets() == before


def test_an_idle_client_uses_no_processor_time() -> None:
    with demo_sandbox() as sandbox:
        project = sandbox.client().project(DEMO_PROJECT)
        for diagram in range(1001, 1021):
            project.diagram(diagram).change_id()
        time.sleep(0.1)
        used = time.process_time()
        time.sleep(0.5)
        assert time.process_time() - used < 0.25


def test_a_closed_or_deleted_client_keeps_no_connection_open() -> None:
    with demo_sandbox() as sandbox:
        before = open_sockets_at_rest()
        client = sandbox.client()
        client.project(DEMO_PROJECT).diagram_change_ids()
        assert open_sockets() > before
        client.close()
        wait_until_at_most(before)

        project = sandbox.client().project(DEMO_PROJECT)
        project.diagram_change_ids()
        assert open_sockets() > before
        del project
        gc.collect()
        wait_until_at_most(before)


@pytest.mark.slow
def test_failed_requests_free_their_concurrency_slots() -> None:
    """Requests that are dropped after a failure free their slots of `max_concurrency` for other threads."""
    with demo_sandbox() as sandbox:
        project = Client(sandbox.token(), sandbox.url, max_concurrency=2).project(DEMO_PROJECT)
        known = project.diagram_change_ids().keys()
        together = threading.Barrier(4)

        def fail_and_continue(_: int) -> bool:
            together.wait(TIMEOUT)
            for _ in range(20):
                with pytest.raises(NotFoundError):
                    project.diagram_change_ids([*known, 999])
            return project.diagram_change_ids().keys() == known

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(fail_and_continue, range(4), timeout=6 * TIMEOUT))
