"""Folders for databases that tests make once and copy: opening a copy takes a tenth of the time of making one."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A service syncs the disk for each write. A folder in memory, where the system has one, takes no time for that.
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for a small database, which is deleted with it."""
    with tempfile.TemporaryDirectory(prefix="pygeodesign-test-", dir=IN_MEMORY) as folder:
        yield Path(folder)
