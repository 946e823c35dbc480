"""Connections between calls. A blocking call to this machine serves its own, so nobody does while there is no call."""

import gc
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fake_service import PROJECT
from fault_server import FaultServer
from pygeodesign import Client, NotFoundError, Sandbox

NOTES = f"projects/{PROJECT}/diagrams/7/notes/"
DEMO = "StatenIsland2050"
PATIENCE = 10.0


def answer_and_hang_up_later(connection: socket.socket) -> None:
    """And it does not say that it will."""
    connection.sendall(b'HTTP/1.1 200 OK\r\ncontent-length: 17\r\n\r\n{"message": "ok"}')
    time.sleep(0.05)


def sockets() -> int:
    open_files = Path("/proc/self/fd")
    if not open_files.exists():
        pytest.skip("this system does not list open files")

    def is_socket(file: Path) -> bool:
        try:
            return "socket" in str(file.readlink())
        except FileNotFoundError:
            # Closed since it was listed.
            return False

    return sum(map(is_socket, open_files.iterdir()))


def assert_soon_at_most(number: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while sockets() > number and time.monotonic() < deadline:
        time.sleep(0.05)
    assert sockets() <= number


@pytest.mark.parametrize("pause", [0.1, 0.5])
def test_a_connection_that_the_server_closed_since_is_not_asked(pause: float) -> None:
    """A write on it would be lost, and could not be tried again."""
    with FaultServer({NOTES: answer_and_hang_up_later}) as server, Client("token", server.url, retries=0) as client:
        project = client.project(PROJECT)
        for _ in range(5):
            project.set_diagram_notes(7, "Ask first.")
            time.sleep(pause)
        assert len(server.received) == 5


def test_one_connection_serves_calls_one_after_another() -> None:
    with Sandbox() as sandbox:
        project = sandbox.client().project(DEMO)
        project.info()
        before = sockets()
        for diagram in range(1001, 1021):
            project.diagram_change_id(diagram)
            with pytest.raises(NotFoundError):
                project.diagram(999)
        assert sockets() == before


def test_what_stays_awake_for_calls_sleeps_after_them() -> None:
    with Sandbox() as sandbox:
        project = sandbox.client().project(DEMO)
        for diagram in range(1001, 1021):
            project.diagram_change_id(diagram)
        time.sleep(0.1)
        used = time.process_time()
        time.sleep(0.5)
        assert time.process_time() - used < 0.25


def test_a_client_that_is_closed_or_gone_holds_no_connection() -> None:
    with Sandbox() as sandbox:
        before = sockets()
        client = sandbox.client()
        client.project(DEMO).diagram_change_ids()
        assert sockets() > before
        client.close()
        assert_soon_at_most(before)

        project = sandbox.client().project(DEMO)
        project.diagram_change_ids()
        assert sockets() > before
        del project
        gc.collect()
        assert_soon_at_most(before)


def test_what_failed_leaves_its_turn_to_others() -> None:
    """The requests that a failure drops hold no turn that another thread waits for."""
    with Sandbox() as sandbox:
        project = Client(sandbox.token(), sandbox.url, max_concurrency=2).project(DEMO)
        known = project.diagram_change_ids().keys()
        together = threading.Barrier(4)

        def fail_and_go_on(_: int) -> bool:
            together.wait(PATIENCE)
            for _ in range(20):
                with pytest.raises(NotFoundError):
                    project.diagram_change_ids([*known, 999])
            return project.diagram_change_ids().keys() == known

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(fail_and_go_on, range(4), timeout=6 * PATIENCE))
