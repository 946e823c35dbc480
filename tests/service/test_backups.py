"""The database file is ours and complete, and its copies are complete while a service writes to it."""

import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from backing_up import backup
from durability import WRITERS, Writer, check_integrity
from pygeodesign import Client, ConfigurationError, Project, Sandbox
from serving import PROJECT, error_output, running_service
from stress import duration

pytestmark = [pytest.mark.alone("how long others wait for a service that is copied"), pytest.mark.stress]

APPLICATION_ID = 0x6764736E


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def stored_notes(path: Path) -> dict[int, str]:
    with closing(sqlite3.connect(path)) as database:
        return dict(database.execute("SELECT id, notes FROM diagrams").fetchall())


# Whose the file is


@pytest.mark.skipif(sys.platform == "win32", reason="files have no mode there")
def test_only_its_owner_may_read_a_new_database(tmp_path: Path) -> None:
    with Sandbox(tmp_path / "service.sqlite") as sandbox:
        sandbox.add_user("ana")
        modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {0o600}


def test_a_database_names_the_program_that_it_belongs_to(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path):
        pass
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_a_copy_without_its_log_is_refused(tmp_path: Path) -> None:
    path, copy = tmp_path / "service.sqlite", tmp_path / "copy.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA journal_mode = WAL")
        database.executescript("CREATE TABLE users (key); PRAGMA user_version = 1")
        shutil.copy(path, copy)
    with pytest.raises(ConfigurationError, match="was copied without its log"):
        Sandbox(copy)


FOREIGN = {
    "without tables": "PRAGMA user_version = 0; VACUUM",
    "with a table": "CREATE TABLE notes (text)",
    "with a table named like ours": "CREATE TABLE projects (id, title); PRAGMA user_version = 3",
    "with a version of ours": "CREATE TABLE notes (text); PRAGMA user_version = 2",
    "with a version of nobody": "CREATE TABLE notes (text); PRAGMA user_version = -7",
    "with an id": "CREATE TABLE notes (text); PRAGMA application_id = 1196444487",
    "with a log": "PRAGMA journal_mode = WAL; CREATE TABLE notes (text)",
}


@pytest.mark.parametrize("content", FOREIGN)
def test_a_database_of_another_program_is_refused_and_left_as_it_is(content: str, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(FOREIGN[content])
    before = files(tmp_path)
    with pytest.raises(ConfigurationError, match="is not a database of pygeodesign"):
        Sandbox(path)
    assert "not a database of pygeodesign" in error_output("--db", path)
    assert files(tmp_path) == before


def test_a_damaged_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE notes (text); PRAGMA user_version = 3")
    damaged = bytearray(path.read_bytes())
    damaged[100:110] = b"\xff" * 10
    path.write_bytes(damaged)
    with pytest.raises(ConfigurationError, match="is not a database of pygeodesign"):
        Sandbox(path)
    assert files(tmp_path) == {path.name: bytes(damaged)}


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "newer.sqlite"
    with Sandbox(path):
        pass
    with closing(sqlite3.connect(path)) as database:
        database.executescript(f"PRAGMA user_version = 900; PRAGMA journal_mode = {mode}")
    before, time = files(tmp_path), path.stat().st_mtime_ns
    with pytest.raises(ConfigurationError, match="newer"):
        Sandbox(path)
    assert "newer" in error_output("--db", path)
    assert (files(tmp_path), path.stat().st_mtime_ns) == (before, time)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_database_of_an_older_version_is_refused_and_left_as_it_is(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "older.sqlite"
    with Sandbox(path):
        pass
    with closing(sqlite3.connect(path)) as database:
        database.executescript(f"PRAGMA user_version = 17; PRAGMA journal_mode = {mode}")
    before, time = files(tmp_path), path.stat().st_mtime_ns
    with pytest.raises(ConfigurationError, match=r"an older version of pygeodesign .*17.*not changed") as refused:
        Sandbox(path)
    assert str(path) in str(refused.value)
    assert "write an archive of each project: `project.archive(" in str(refused.value)
    assert str(refused.value) in error_output("--db", path)
    assert (files(tmp_path), path.stat().st_mtime_ns) == (before, time)


def test_a_database_without_projects_is_not_filled_with_the_demo(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path, project=None):
        pass
    with Sandbox(path) as sandbox:
        assert sandbox.project_ids == []


# Copies


def test_the_file_alone_is_whole_a_second_after_the_last_write(tmp_path: Path) -> None:
    path, copy = tmp_path / "service.sqlite", tmp_path / "copy.sqlite"
    with Sandbox(path) as sandbox:
        project = sandbox.client().project(PROJECT)
        for turn in range(20):
            project.diagram(1001).set_notes(f"turn {turn}")
        time.sleep(1)
        shutil.copy(path, copy)
    assert stored_notes(copy)[1001] == "turn 19"


def test_a_copy_of_the_file_during_writes_is_never_taken_for_a_new_database(tmp_path: Path) -> None:
    path, copy = tmp_path / "service.sqlite", tmp_path / "copy.sqlite"
    with Sandbox(path, project=None) as sandbox:
        sandbox.add_user("ana")
        shutil.copy(path, copy)
    try:
        with Sandbox(copy) as copied:
            assert copied.project_ids == []
    except ConfigurationError as error:
        assert "copied without its log" in str(error)


def test_a_sandbox_is_copied_while_it_runs(tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with Sandbox() as sandbox:
        project = sandbox.client().project(PROJECT)
        for notes in ("first", "second"):
            project.diagram(1001).set_notes(notes)
            sandbox.backup(copy)
            assert stored_notes(copy)[1001] == notes
    assert list(files(tmp_path)) == [copy.name]
    with Sandbox(copy) as copied:
        details = copied.client().project(PROJECT).diagrams(fields="details")
        assert "second" in [diagram["notes"] for diagram in details]


def test_a_backup_replaces_no_other_file(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    with Sandbox(path) as sandbox:
        with pytest.raises(ConfigurationError, match="cannot replace"):
            sandbox.backup(notes)
        with pytest.raises(ConfigurationError, match="it is the database itself"):
            sandbox.backup(path)
        with pytest.raises(ConfigurationError, match="cannot be written"):
            sandbox.backup(tmp_path / "missing" / "copy.sqlite")
    assert notes.read_text() == "mine"


def test_the_command_copies_a_database_with_and_without_a_service(tmp_path: Path) -> None:
    path, copy = tmp_path / "service.sqlite", tmp_path / "copy.sqlite"
    with running_service("--db", path) as service:
        service.client().project(PROJECT).diagram(1001).set_notes("noted")
        assert backup(path, copy).returncode == 0
        assert stored_notes(copy)[1001] == "noted"
    ended = backup(path, copy)
    assert (ended.returncode, ended.stdout) == (0, f"Copied {path} to {copy}\n")
    assert sorted(files(tmp_path)) == [copy.name, path.name]


def test_the_command_says_what_it_cannot_copy(tmp_path: Path) -> None:
    missing = backup(tmp_path / "missing.sqlite", tmp_path / "copy.sqlite")
    assert missing.returncode == 1
    assert "missing.sqlite cannot be opened" in missing.stderr
    (tmp_path / "notes.txt").write_text("mine")
    other = backup(tmp_path / "notes.txt", tmp_path / "copy.sqlite")
    assert other.returncode == 1
    assert "notes.txt is not a database of pygeodesign" in other.stderr
    assert list(files(tmp_path)) == ["notes.txt"]


def test_every_backup_under_writers_is_whole_and_holds_what_was_acknowledged(tmp_path: Path) -> None:
    path, copy = tmp_path / "service.sqlite", tmp_path / "copy.sqlite"
    with running_service("--db", path) as service:
        project = Client(service.tokens["admin"], service.urls[0], retries=0).project(PROJECT)
        writers = [Writer(project, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        for _ in range(duration(short=3, long=60)):
            time.sleep(1)
            acknowledged = {
                number: notes for writer in writers for number, notes in dict(writer.diagrams).items() if notes
            }
            assert backup(path, copy).returncode == 0
            check_integrity(copy)
            stored = stored_notes(copy)
            assert acknowledged == {number: stored.get(number) for number in acknowledged}
        assert all(writer.is_alive() for writer in writers)
    for writer in writers:
        writer.join()


def test_a_service_makes_backups_and_keeps_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    (tmp_path / "service-backup-notes.sqlite").touch()
    with running_service("--db", path, "--backup-every", "1s", "--backup-keep", 2) as service:
        project: Project = service.client().project(PROJECT)
        names: set[str] = set()
        for turn in range(100):
            project.diagram(1001).set_notes(f"turn {turn}")
            time.sleep(0.1)
            there = {file.name for file in tmp_path.glob("service-backup-2*Z.sqlite")}
            names |= there
            if len(names) > 2 and len(there) == 2:
                break
    kept = sorted(file.name for file in tmp_path.glob("service-backup-2*Z.sqlite"))
    assert len(names) > 2
    assert len(kept) == 2
    assert kept == sorted(names)[-2:] or kept[0] in names
    assert stored_notes(tmp_path / kept[-1])[1001].startswith("turn ")
    assert (tmp_path / "service-backup-notes.sqlite").exists()


def test_backups_need_a_file_and_an_interval(tmp_path: Path) -> None:
    assert "--db" in error_output("--backup-every", "10m")
    assert "at least 1s" in error_output("--db", tmp_path / "service.sqlite", "--backup-every", "0s")
    assert not list(tmp_path.iterdir())


def test_readers_and_writers_do_not_wait_for_a_backup(tmp_path: Path) -> None:
    with Sandbox(tmp_path / "service.sqlite") as sandbox:
        project = sandbox.client().project(PROJECT)
        stop = threading.Event()

        def copy() -> None:
            while not stop.is_set():
                sandbox.backup(tmp_path / "copy.sqlite")

        thread = threading.Thread(target=copy)
        thread.start()
        slowest = 0.0
        for turn in range(50):
            start = time.perf_counter()
            project.diagram(1001).set_notes(f"turn {turn}")
            slowest = max(slowest, time.perf_counter() - start)
        stop.set()
        thread.join()
    assert slowest < 2


# A small disk of its own, which a process without rights may mount in Linux.
SMALL_DISK = ["unshare", "--map-root-user", "--mount", "sh", "-ec"]
FULL_BACKUP = 'mount -t tmpfs -o size="$3" none "$1"; exec "$2" -m pygeodesign backup "$1/copy.sqlite" --db "$4"'


@pytest.mark.parametrize("size", ["16k", "400k"])
def test_a_backup_to_a_full_disk_says_that_it_is_full(size: str, tmp_path: Path) -> None:
    path, disk = tmp_path / "service.sqlite", tmp_path / "disk"
    disk.mkdir()
    if sys.platform != "linux" or not shutil.which("unshare"):
        pytest.skip("no disk can be mounted")
    tried = subprocess.run([*SMALL_DISK, 'mount -t tmpfs none "$0"', str(disk)], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("no disk may be mounted")
    with Sandbox(path):
        command = [*SMALL_DISK, FULL_BACKUP, "sh", *map(str, (disk, sys.executable, size, path))]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert f"{disk}/copy.sqlite cannot be written: the disk is full: it had room for" in ended.stderr
    assert "malformed" not in ended.stderr
