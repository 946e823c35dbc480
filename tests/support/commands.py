"""Runs `pygeodesign`, in this process or in a separate one."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import IO, NamedTuple
from unittest.mock import patch

from pygeodesign import Sandbox
from pygeodesign.__main__ import main

# Commands that send requests, with the arguments that they need. Files are relative to the working folder.
ASKING = [
    ["projects"],
    ["systems"],
    ["costs"],
    ["teams"],
    ["designs"],
    ["diagrams"],
    ["diagrams", "-o", "diagrams.geojson"],
    ["history"],
    ["compare"],
    ["ask", "targets"],
    ["report", "-o", "report.html"],
    ["map", "-o", "map.html"],
    ["gallery", "-o", "gallery.html"],
    ["thumbnails", "-o", "pictures"],
    ["archive", "project.zip"],
    ["sync", "project.zip"],
    ["watch"],
    ["upload", "parks.geojson", "--system", "Water"],
]
PRINTING = [command for command in ASKING if len(command) == 1 and command != ["watch"]]


class Ended(NamedTuple):
    """A command that has ended."""

    code: int
    output: str
    messages: str


def arguments_of(command: tuple[object, ...]) -> list[str]:
    return [sys.executable, "-m", "pygeodesign", *map(str, command)]


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """The environment of a user whose folder for settings is in `folder`, and who has set `variables`."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GEODESIGN_")}
    return inherited | {"XDG_CONFIG_HOME": str(folder / "config")} | variables


def run(folder: Path, *command: object, stdin: str = "", **variables: str) -> Ended:
    """Runs a command in a folder, without a terminal, in this process: another one would have to import everything."""
    if sys.platform == "win32":
        return run_as_process(folder, *command, stdin=stdin, **variables)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        given.write(stdin.encode())
        given.seek(0)
        with (
            chdir(folder),
            patch.dict(os.environ, environment(folder, **variables), clear=True),
            patch.object(sys, "argv", ["pygeodesign", *map(str, command)]),
            standard_streams(given, output, messages),
            settings_of_this_process(),
        ):
            code = main()
        output.seek(0)
        messages.seek(0)
        return Ended(code, output.read().decode(), messages.read().decode())


@contextmanager
def standard_streams(*files: IO[bytes]) -> Iterator[None]:
    """Input, output and error of this process, for Rust and for Python, are these files."""
    sys.stdout.flush()
    sys.stderr.flush()
    before = [os.dup(number) for number in range(3)]
    try:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        with (
            open(0, closefd=False, encoding="utf-8") as stdin,
            open(1, "w", closefd=False, encoding="utf-8") as stdout,
            open(2, "w", closefd=False, encoding="utf-8") as stderr,
            patch.object(sys, "stdin", stdin),
            redirect_stdout(stdout),
            redirect_stderr(stderr),
        ):
            yield
    finally:
        for number, descriptor in enumerate(before):
            os.dup2(descriptor, number)
            os.close(descriptor)


@contextmanager
def settings_of_this_process() -> Iterator[None]:
    """`main` may change the handling of signals and warnings; for it, warnings are no errors."""
    terminate = signal.getsignal(signal.SIGTERM)
    try:
        with warnings.catch_warnings(), patch.object(warnings, "formatwarning", warnings.formatwarning):
            warnings.simplefilter("default")
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        signal.signal(signal.SIGTERM, terminate)


def run_as_process(folder: Path, *command: object, stdin: str = "", **variables: str) -> Ended:
    """Runs a command like `run`, in a separate process."""
    ended = subprocess.run(
        arguments_of(command),
        cwd=folder,
        env=environment(folder, **variables),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def output_of(folder: Path, *command: object, **variables: str) -> str:
    """The output of a command that succeeds."""
    return successful(run(folder, *command, **variables))


def output_of_process(folder: Path, *command: object, **variables: str) -> str:
    """The output of a process that succeeds."""
    return successful(run_as_process(folder, *command, **variables))


def successful(ended: Ended) -> str:
    assert ended.code == 0, ended.messages
    return ended.output


def signed_in(sandbox: Sandbox, username: str = "admin") -> dict[str, str]:
    """The variables with which a command asks this service as this user."""
    return {"GEODESIGN_URL": sandbox.url, "GEODESIGN_TOKEN": sandbox.token(username)}


def listed_commands(help_text: str) -> list[str]:
    """The commands that `--help` lists, in groups."""
    return re.findall(r"^  ([a-z][a-z-]*)  ", help_text.partition("\nOptions:")[0], re.MULTILINE)
