"""A path keeps its meaning from when it was given, and a service notices if other files replace its database."""

import logging
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest
import requests

import pygeodesign
from durability import check_integrity
from pygeodesign import Client, Project, Sandbox, ServerError
from serving import PROJECT, running_service
from workshops_folder import SQUARE, eventually, served

FILES_CAN_BE_MOVED = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not move files that are open")


def copy(source: Path, target: Path) -> None:
    """Copies in another process: closing the file in this one would release the locks of its services."""
    code = "import shutil, sys; shutil.copyfile(*sys.argv[1:])"
    subprocess.run([sys.executable, "-c", code, source, target], check=True)


def put_in_place(copied: Path, path: Path) -> None:
    """Renames, like programs that synchronise folders."""
    copied.rename(path)


def overwrite(copied: Path, path: Path) -> None:
    copy(copied, path)


def titles(path: Path) -> set[str | None]:
    """The titles of diagrams in the file's next service."""
    check_integrity(path)
    with Sandbox(path) as sandbox:
        return {diagram["worlddescription"] for diagram in sandbox.project().diagrams(fields="summary")}


def add(project: Project, title: str) -> None:
    project.add_diagram("Water", SQUARE, title=title)


def is_whole(path: Path) -> bool:
    """True if the file itself has all writes: the service moves them there while it is idle."""
    log = path.with_name(path.name + "-wal")
    before = path.stat().st_mtime_ns, log.stat().st_mtime_ns
    return before[0] >= before[1]


# A working folder that changes


def test_a_sandbox_stays_with_its_file_when_the_working_folder_changes(tmp_path: Path) -> None:
    this, other, empty = (tmp_path / name for name in ("this", "other", "empty"))
    for folder in (this, other, empty):
        folder.mkdir()
    with chdir(other), Sandbox("workshop.sqlite") as sandbox:
        sandbox.project().diagram(1001).edit(title="Another evening")
    with chdir(this):
        sandbox = Sandbox("workshop.sqlite")
    with sandbox:
        sandbox.project().diagram(1001).edit(title="This evening")
        for folder in (other, empty):
            with chdir(folder):
                sandbox.backup("copy.sqlite")
                sandbox.client("admin").backup("asked.sqlite")
    for folder in (other, empty):
        for name in ("copy.sqlite", "asked.sqlite"):
            with Sandbox(folder / name) as copied:
                assert copied.project().diagram(1001).title == "This evening"


def test_a_client_stays_with_its_cache_when_the_working_folder_changes(tmp_path: Path, sandbox: Sandbox) -> None:
    this, other = tmp_path / "this", tmp_path / "other"
    this.mkdir()
    other.mkdir()
    with chdir(this):
        client = Client(sandbox.token(), sandbox.url, cache="cached")
    with chdir(other):
        client.project(sandbox.project_ids[0]).diagrams()
    assert any((this / "cached").iterdir()) and not any(other.iterdir())


def test_a_client_stays_with_its_authority_when_the_working_folder_changes(tmp_path: Path) -> None:
    with running_service("--db", tmp_path / "w.sqlite", "--tls-self-signed") as service:
        assert service.ca_file is not None
        shutil.copy(service.ca_file, tmp_path / "ca.pem")
        with chdir(tmp_path):
            client = Client(service.tokens["admin"], service.urls[-1], ca_bundle="ca.pem")
        assert pickle.loads(pickle.dumps(client)).projects()


def test_an_archive_names_its_file_when_the_working_folder_changes(tmp_path: Path, project: Project) -> None:
    project.archive(tmp_path / "project.zip")
    with chdir(tmp_path):
        archived = pygeodesign.open("project.zip")
    assert str(tmp_path / "project.zip") in repr(archived)


# Files that change place


@FILES_CAN_BE_MOVED
@pytest.mark.parametrize("take_the_place", [put_in_place, overwrite])
def test_nothing_is_acknowledged_that_is_not_in_the_file_of_the_next_service(
    tmp_path: Path, take_the_place: Callable[[Path, Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    path, copied = tmp_path / "w.sqlite", tmp_path / "copied.sqlite"
    sandbox = Sandbox(path)
    project = sandbox.project()
    add(project, "Before")
    sandbox.backup(copied)
    add(project, "Between")
    eventually(lambda: is_whole(path))
    take_the_place(copied, path)
    with caplog.at_level(logging.ERROR), pytest.raises(ServerError, match="moved, deleted or replaced"):
        add(project, "After")
    assert str(path) in caplog.text and "start the service again" in caplog.text
    assert requests.get(sandbox.url.replace("api/v1", "health"), timeout=20).status_code == 503
    sandbox.stop()
    found = titles(path)
    assert "Before" in found and not {"Between", "After"} & found


@FILES_CAN_BE_MOVED
def test_a_moved_database_is_complete_and_a_deleted_one_takes_no_writes(tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere.sqlite"
    for name in ("moved", "deleted"):
        path = tmp_path / f"{name}.sqlite"
        with Sandbox(path) as sandbox:
            project = sandbox.project()
            add(project, "Before")
            path.rename(moved) if name == "moved" else path.unlink()
            with pytest.raises(ServerError, match="moved, deleted or replaced"):
                add(project, "After")
        assert list(tmp_path.iterdir()) == [moved]
    found = titles(moved)
    assert "Before" in found and "After" not in found


@FILES_CAN_BE_MOVED
@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_a_database_whose_log_somebody_deletes_keeps_what_was_written(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "w.sqlite"
    with Sandbox(path) as sandbox:
        project = sandbox.project()
        add(project, "Before")
        (tmp_path / f"w.sqlite{ending}").unlink()
        with pytest.raises(ServerError, match="moved, deleted or replaced"):
            add(project, "After")
    assert "Before" in titles(path)


@FILES_CAN_BE_MOVED
@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_service_says_so_within_a_moment_although_nobody_writes(tmp_path: Path, is_replaced: bool) -> None:
    path, copied = tmp_path / "w.sqlite", tmp_path / "copied.sqlite"
    with running_service("--db", path) as service:
        assert service.process.stderr is not None
        copy(path, copied)
        copied.rename(path) if is_replaced else path.unlink()
        said = service.process.stderr.readline()
        assert str(path) in said and ("replaced" if is_replaced else "moved or deleted") in said
        health = requests.get(service.urls[-1].replace("api/v1", "health"), timeout=20)
        assert (health.status_code, health.json()["status"]) == (503, "unavailable")
        with pytest.raises(ServerError, match="moved, deleted or replaced"):
            Client(service.tokens["admin"], service.urls[-1], retries=0).projects()
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(20)
    if is_replaced:
        check_integrity(path)
    assert not [file.name for file in tmp_path.iterdir() if file.name.endswith(("-wal", "-shm"))]


@FILES_CAN_BE_MOVED
def test_a_workshop_of_a_folder_that_is_replaced_is_not_answered_from_the_other_file(tmp_path: Path) -> None:
    with served(tmp_path, "spring", "autumn") as folder:
        project, path = folder.project("spring"), tmp_path / "spring.sqlite"
        add(project, "Before")
        eventually(lambda: is_whole(path))
        copy(path, tmp_path / "copied")
        (tmp_path / "copied").rename(path)
        for _ in range(3):
            with pytest.raises(ServerError, match="moved, deleted or replaced"):
                add(project, "After")
        eventually(lambda: not folder.listed()["spring"]["is_open"])
        assert "replaced by another file" in folder.listed()["spring"]["problem"]
        assert folder.status("spring") == 500 and folder.get("/w/spring/health/").status_code == 500
        assert folder.status("autumn") == 200
    assert "Before" in titles(path)


# Changes that do not stop the service


def test_other_programs_may_write_back_up_and_look_at_a_database_in_use(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"
    with Sandbox(path) as sandbox:
        add(sandbox.project(), "Before")
        eventually(lambda: is_whole(path))
        command = [sys.executable, "-m", "pygeodesign"]
        for arguments in (["backup", tmp_path / "copy.sqlite"], ["member", "--add", "zoe", "--project", PROJECT]):
            subprocess.run([*command, *map(str, arguments), "--db", str(path)], capture_output=True, check=False)
        checkpoint = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA wal_checkpoint(TRUNCATE)')"
        subprocess.run([sys.executable, "-c", checkpoint, path], check=True)
        path.chmod(0o640)
        os.link(path, tmp_path / "link.sqlite")
        add(sandbox.project(), "After")
    assert {"Before", "After"} <= titles(path)
