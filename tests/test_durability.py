"""What was acknowledged is there after whatever comes; what was not is there whole or not at all."""

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from pygeodesign import Client, ConfigurationError, GeodesignError, Project, Sandbox, ServerError
from stress import times
from test_command_line import PROJECT, command, read_welcome, serving

WRITERS = 8
SQUARE = {"type": "Polygon", "coordinates": [[[-74.16, 40.57], [-74.15, 40.57], [-74.15, 40.58], [-74.16, 40.57]]]}


def check_sound(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


class Writer(threading.Thread):
    """A member who draws and takes notes until the service is gone, and keeps what it acknowledged."""

    def __init__(self, project: Project, number: int) -> None:
        super().__init__(daemon=True)
        self.project, self.number = project, number
        self.diagrams: dict[int, str] = {}
        self.stakeholders: set[str] = set()

    def run(self) -> None:
        with suppress(GeodesignError):
            for turn in range(10**6):
                text = f"writer {self.number}, turn {turn} of {os.getpid()} at {time.time_ns()}"
                added = int(self.project.add_diagram(1 + turn % 9, SQUARE, title=text)["diagram_id"])
                self.diagrams[added] = ""
                noted = self.project.set_diagram_notes(added, text)
                self.diagrams[added] = noted
                self.project.add_stakeholders([text])
                self.stakeholders.add(text)


def test_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    kept: dict[int, str] = {}
    stakeholders: set[str] = set()
    for _ in range(times(short=3, long=50)):
        process = subprocess.Popen(
            command("--port", 0, "--db", path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        room = read_welcome(process)
        project = Client(room.tokens["admin"], room.urls[0], retries=0).project(PROJECT)
        check_kept(project, kept, stakeholders)
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
            kept |= writer.diagrams
            stakeholders |= writer.stakeholders
        check_sound(path)
    with serving("--db", path) as room:
        check_kept(room.client().project(PROJECT), kept, stakeholders)


def check_kept(project: Project, kept: dict[int, str], stakeholders: set[str]) -> None:
    there = {diagram["id"]: diagram for diagram in project.diagram_details()}
    assert kept.keys() <= there.keys()
    for number, notes in kept.items():
        # A note that was not acknowledged may be there, but only whole.
        assert there[number]["notes"] in ((notes,) if notes else ("", there[number]["description"]))
    assert stakeholders <= {stakeholder["name"] for stakeholder in project.stakeholders()}


def test_a_service_that_is_terminated_finishes_what_it_began(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with serving("--db", path) as room:
        project = Client(room.tokens["admin"], room.urls[0], retries=0).project(PROJECT)
        writers = [Writer(project, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        time.sleep(0.3)
        room.process.send_signal(signal.SIGTERM)
        for writer in writers:
            writer.join()
    check_sound(path)
    # Closed in good order, the database is one file.
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    with Sandbox(path) as sandbox:
        there = {diagram["id"]: diagram["notes"] for diagram in sandbox.client().project(PROJECT).diagram_details()}
    for writer in writers:
        assert {number: there[number] for number, notes in writer.diagrams.items() if notes} == {
            number: notes for number, notes in writer.diagrams.items() if notes
        }


FULL_DISK = """
import resource, sys
from pygeodesign import Sandbox, ServerError
sandbox = Sandbox(sys.argv[1])
project = sandbox.client().project(sandbox.project_ids[0])
largest = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
written = []
try:
    for turn in range(10**6):
        written.append(project.add_stakeholders([f"{turn}: " + "x" * 100_000]) and turn)
except ServerError as error:
    print(error.status_code, error)
# Reading goes on, and so does writing once there is room.
assert len(project.stakeholders()) == 8 + len(written), (len(project.stakeholders()), len(written))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
project.add_stakeholders(["after all"])
assert project.stakeholders()[-1]["name"] == "after all"
"""


def test_a_full_disk_is_an_error_of_the_service_and_loses_nothing(tmp_path: Path) -> None:
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
    check_sound(path)


READ_ONLY = """
import os, sys
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
def test_a_file_that_cannot_be_written_is_an_error_at_the_start(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "service.sqlite"
    if what == "file":
        with Sandbox(path):
            pass
        path.chmod(0o444)
    folder.chmod(0o555)
    for above in (folder, *folder.parents):
        # Others may look at what the tests made.
        with suppress(PermissionError):
            above.chmod(above.stat().st_mode | 0o055)
    ended = subprocess.run([sys.executable, "-c", READ_ONLY, str(path)], capture_output=True, text=True, check=False)
    folder.chmod(0o755)
    assert ended.returncode == 0, ended.stderr
    assert str(path) in ended.stdout


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_named_and_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    path.write_bytes(content)
    if not content:
        # An empty file is an empty database, as SQLite sees it.
        with Sandbox(path) as sandbox:
            assert sandbox.project_ids == [PROJECT]
        return
    with pytest.raises(ConfigurationError, match=str(path)):
        Sandbox(path)
    assert path.read_bytes() == content


HOLD = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
database.execute("ROLLBACK")
"""


@contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process writes to the database until it is told to end."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        with suppress(ValueError):
            process.communicate("\n")


def test_a_sandbox_reads_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox, held(path):
        assert sandbox.project_ids == [PROJECT]
        assert sandbox.usernames
        assert sandbox.diagram_groups(PROJECT) == {}
        assert len(sandbox.impact(PROJECT, 1)) == 0


@pytest.mark.slow
def test_a_database_that_another_process_writes_to_is_waited_for_and_then_said(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox:
        project = sandbox.client().project(PROJECT)
        with held(path) as process, ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(project.add_stakeholders, ["patient"])
            time.sleep(0.5)
            assert not waiting.done()
            process.communicate("\n")
            assert waiting.result(30)
        with held(path), pytest.raises(ServerError):
            project.add_stakeholders(["too patient"])
        names = [stakeholder["name"] for stakeholder in project.stakeholders()]
    assert "patient" in names
    assert "too patient" not in names


def test_memory_is_given_back() -> None:
    """The largest that a process took does not grow with what it did."""
    with Sandbox() as sandbox:
        project = sandbox.client().project(PROJECT)
        for _ in range(50):
            project.diagrams().to_dict()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(times(short=200, long=5_000)):
            project.diagrams().to_dict()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 32 * 1024
