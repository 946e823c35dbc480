"""The Python that this package runs in, as a program to start.

It imports only modules that every Python has loaded: a program without privileges may not read the files of others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator


def interpreter() -> tuple[str | None, str]:
    """The path of the interpreter, and the search path of its modules."""
    return executable(), search_path()


def executable() -> str | None:
    """The path of the interpreter, also if `sys.executable` is a GIS or another application with Python inside."""
    return next((path for path in _candidates() if os.path.isfile(path) and os.access(path, os.X_OK)), None)  # noqa: PTH113


def _candidates() -> Iterator[str]:
    for known in (sys.executable, getattr(sys, "_base_executable", None)):
        name = os.path.basename(known or "").lower().removesuffix(".exe")  # noqa: PTH119
        version = name.removeprefix("python").removeprefix("pypy")
        # Such as python3.13t or pythonw; a GIS has other names.
        if known and version != name and not version.strip("0123456789.dtw"):
            yield known
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    ending = ".exe" if sys.platform == "win32" else ""
    for prefix in dict.fromkeys((sys.exec_prefix, sys.base_exec_prefix)):
        for folder in ("", "bin", "Scripts"):
            for name in (f"python{version}", "python3", "python"):
                yield os.path.join(prefix, folder, name + ending)  # noqa: PTH118
    # On macOS, an application has it next to its own program.
    if sys.executable:
        beside = os.path.dirname(sys.executable)  # noqa: PTH120
        yield from (os.path.join(beside, name + ending) for name in (f"python{version}", "python3"))  # noqa: PTH118


def search_path() -> str:
    """The module search path of this process, as `PYTHONPATH`; the empty entry is the working folder."""
    return os.pathsep.join(os.path.abspath(entry) for entry in sys.path if isinstance(entry, str))  # noqa: PTH100
