"""Backups of a database that a service writes to."""

import subprocess
import sys
from pathlib import Path


def backup(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pygeodesign", "backup", str(target), "--db", str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
