"""The Python that this package runs in, as a program that can be started."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PYTHON = re.compile(r"(python|pypy)[\d.]*[tdw_]*(\.exe)?", re.IGNORECASE)


def executable() -> str | None:
    """The path of the interpreter, also where `sys.executable` is a GIS or another application with Python inside."""
    return next((str(path) for path in _candidates() if path.is_file() and os.access(path, os.X_OK)), None)


def _candidates() -> Iterator[Path]:
    for known in (sys.executable, getattr(sys, "_base_executable", None)):
        if known and PYTHON.fullmatch(Path(known).name):
            yield Path(known)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for prefix in dict.fromkeys((sys.exec_prefix, sys.base_exec_prefix)):
        for folder in (Path(prefix), Path(prefix, "bin"), Path(prefix, "Scripts")):
            for name in (f"python{version}", "python3", "python"):
                yield folder / f"{name}.exe" if sys.platform == "win32" else folder / name
    # On macOS, an application has it beside its own program.
    if sys.executable:
        yield from (Path(sys.executable).with_name(name) for name in (f"python{version}", "python3"))


def search_path() -> str:
    """Where this process finds its modules, as `PYTHONPATH`; the empty entry is the working folder."""
    return os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path if isinstance(entry, str))
