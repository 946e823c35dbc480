"""Acknowledged writes survive crashes and full disks; other writes are stored completely or not at all."""

import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from durability import WRITERS, Writer, check_integrity
from pygeodesign import Client, ConfigurationError, Project, Sandbox, ServerError
from serving import PROJECT, command, read_start_output, running_service
from stress import duration

pytestmark = [pytest.mark.unix, pytest.mark.alone("memory, and eight writers at once"), pytest.mark.stress]


def test_a_killed_service_loses_no_acknowledged_write(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    notes_by_diagram: dict[int, str] = {}
    stakeholders: set[str] = set()
    for _ in range(duration(short=3, long=50)):
        process = subprocess.Popen(
            command("--port", 0, "--db", path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        service = read_start_output(process)
        project = Client(service.tokens["admin"], service.urls[0], retries=0).project(PROJECT)
        check_acknowledged(project, notes_by_diagram, stakeholders)
        writers = [Writer(project, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        while sum(len(writer.stakeholders) for writer in writers) < WRITERS:
            time.sleep(0.005)
        time.sleep(random.uniform(0, 0.1))
        process.kill()
        process.communicate()
        for writer in writers:
            writer.join()
            notes_by_diagram |= writer.diagrams
            stakeholders |= writer.stakeholders
        check_integrity(path)
    with running_service("--db", path) as service:
        check_acknowledged(service.client().project(PROJECT), notes_by_diagram, stakeholders)


def check_acknowledged(project: Project, notes_by_diagram: dict[int, str], stakeholders: set[str]) -> None:
    stored = {diagram["id"]: diagram for diagram in project.diagrams(fields="details")}
    assert notes_by_diagram.keys() <= stored.keys()
    for number, notes in notes_by_diagram.items():
        # Notes that were not acknowledged may be stored, but only completely.
        assert stored[number]["notes"] in ((notes,) if notes else ("", stored[number]["description"]))
    assert stakeholders <= {stakeholder["name"] for stakeholder in project.workshop.stakeholders()}


def test_a_terminated_service_finishes_requests_in_progress(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with running_service("--db", path) as service:
        project = Client(service.tokens["admin"], service.urls[0], retries=0).project(PROJECT)
        writers = [Writer(project, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        time.sleep(0.3)
        service.process.send_signal(signal.SIGTERM)
        for writer in writers:
            writer.join()
    check_integrity(path)
    # After a regular stop, the database is one file.
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    with Sandbox(path) as sandbox:
        stored = {
            diagram["id"]: diagram["notes"] for diagram in sandbox.client().project(PROJECT).diagrams(fields="details")
        }
    for writer in writers:
        assert {number: stored[number] for number, notes in writer.diagrams.items() if notes} == {
            number: notes for number, notes in writer.diagrams.items() if notes
        }


FULL_DISK = """
import resource, sys
from pygeodesign import Sandbox, ServerError
sandbox = Sandbox(sys.argv[1], limits={"name_characters": 200_000})
project = sandbox.client().project(sandbox.project_ids[0])
largest = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
written = []
try:
    for turn in range(10**6):
        written.append(project.workshop.add_stakeholders([f"{turn}: " + "x" * 100_000]) and turn)
except ServerError as error:
    print(error.status_code, error)
# Reading goes on, and so does writing once there is room.
assert len(project.workshop.stakeholders()) == 8 + len(written), (len(project.workshop.stakeholders()), len(written))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
project.workshop.add_stakeholders(["after all"])
assert project.workshop.stakeholders()[-1]["name"] == "after all"
"""


def test_a_full_disk_is_a_server_error_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path):
        pass
    ended = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), str(path.stat().st_size + 3_000_000)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    status, _, message = ended.stdout.partition(" ")
    assert int(status) >= 500, ended.stdout
    assert "POST /projects/StatenIsland2050/stakeholders/ answered 5" in message
    check_integrity(path)


# The user below may not be able to read the library of Python.
READ_ONLY = """
import collections.abc, os, sys
from pygeodesign import ConfigurationError, Sandbox
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
try:
    Sandbox(sys.argv[1])
except ConfigurationError as error:
    print(error)
"""


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_file_or_folder_that_is_not_writable_is_an_error_at_the_start(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "service.sqlite"
    if what == "file":
        with Sandbox(path):
            pass
        path.chmod(0o444)
    folder.chmod(0o555)
    for above in (folder, *folder.parents):
        # The unprivileged user of the child process must reach the file.
        with suppress(PermissionError):
            above.chmod(above.stat().st_mode | 0o055)
    ended = subprocess.run([sys.executable, "-c", READ_ONLY, str(path)], capture_output=True, text=True, check=False)
    folder.chmod(0o755)
    assert ended.returncode == 0, ended.stderr
    assert str(path) in ended.stdout


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_not_a_database_is_named_in_the_error_and_unchanged(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    path.write_bytes(content)
    if not content:
        # For SQLite, an empty file is an empty database.
        with Sandbox(path) as sandbox:
            assert sandbox.project_ids == [PROJECT]
        return
    with pytest.raises(ConfigurationError, match=str(path)):
        Sandbox(path)
    assert path.read_bytes() == content


HOLD_WRITE_LOCK = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
database.execute("ROLLBACK")
"""


@contextmanager
def write_lock_of(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds the write lock of the database until it reads a line or the block ends."""
    command = [sys.executable, "-c", HOLD_WRITE_LOCK, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        with suppress(ValueError):
            process.communicate("\n")


def test_a_sandbox_reads_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox:
        # To issue a token is a write.
        sandbox.token()
        with write_lock_of(path):
            assert sandbox.project_ids == [PROJECT]
            assert sandbox.usernames
            assert sandbox.project().diagram_groups() == []
            assert len(sandbox.project().system(1).impact()) == 0


@pytest.mark.slow
def test_a_write_waits_for_another_process_and_then_fails(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox:
        # With retries, the client would send the write again.
        project = Client(sandbox.token("admin"), sandbox.url, retries=0).project(PROJECT)
        with write_lock_of(path) as process, ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(project.workshop.add_stakeholders, ["patient"])
            time.sleep(0.5)
            assert not waiting.done()
            process.communicate("\n")
            waiting.result(30)
        with write_lock_of(path), pytest.raises(ServerError) as locked:
            project.workshop.add_stakeholders(["too patient"])
        assert locked.value.status_code == 503
        names = [stakeholder["name"] for stakeholder in project.workshop.stakeholders()]
    assert "patient" in names
    assert "too patient" not in names


@pytest.mark.slow
def test_the_memory_of_responses_is_freed() -> None:
    """The peak memory of the process does not grow with the number of requests."""
    with Sandbox() as sandbox:
        project = sandbox.client().project(PROJECT)
        for _ in range(50):
            project.diagrams().to_dict()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(duration(short=200, long=5_000)):
            project.diagrams().to_dict()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 32 * 1024
