"""A database needs a local disk: network drives have no memory that processes share."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backing_up import backup
from pygeodesign import ConfigurationError, Sandbox


@pytest.fixture
def network_drive(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A folder that has no shared memory, and the one behind it."""
    if shutil.which("bindfs") is None:
        pytest.skip("bindfs makes a folder without shared memory, and is not installed here")
    behind, drive = tmp_path / "behind", tmp_path / "drive"
    behind.mkdir()
    drive.mkdir()
    mounted = subprocess.run(["bindfs", "-o", "direct_io", behind, drive], capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no folder can be mounted here: {mounted.stderr.strip()}")
    yield drive, behind
    subprocess.run(["umount", drive], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="bindfs is for Linux")
def test_a_database_on_a_network_drive_is_refused_and_leaves_no_files(network_drive: tuple[Path, Path]) -> None:
    drive, behind = network_drive
    with pytest.raises(ConfigurationError, match=r"on a disk of this machine.*network drive.*w\.sqlite"):
        Sandbox(drive / "w.sqlite")
    assert list(behind.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="bindfs is for Linux")
def test_a_database_that_was_copied_to_a_network_drive_stays_as_it_was(network_drive: tuple[Path, Path]) -> None:
    drive, behind = network_drive
    with Sandbox(behind / "w.sqlite"):
        pass
    before = {path.name: path.read_bytes() for path in behind.iterdir()}
    with pytest.raises(ConfigurationError, match="on a disk of this machine"):
        Sandbox(drive / "w.sqlite")
    printed = backup(drive / "w.sqlite", behind.parent / "copy.sqlite")
    assert printed.returncode and "on a disk of this machine" in printed.stderr
    assert {path.name: path.read_bytes() for path in behind.iterdir()} == before
