"""Runs `pygeodesign` as a process."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from pygeodesign import Sandbox

# Commands that ask a service, with what they need beside it. Files are relative to the working folder.
ASKING = [
    ["projects"],
    ["systems"],
    ["costs"],
    ["teams"],
    ["designs"],
    ["diagrams"],
    ["diagrams", "-o", "diagrams.geojson"],
    ["report", "-o", "report.html"],
    ["thumbnails", "-o", "pictures"],
    ["archive", "project.zip"],
    ["sync", "project.zip"],
    ["watch"],
    ["upload", "parks.geojson", "--system", "Water"],
]
PRINTING = [command for command in ASKING if len(command) == 1 and command != ["watch"]]


class Ended(NamedTuple):
    """How a command ended."""

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
    """Runs a command in a folder, without a terminal."""
    ended = subprocess.run(
        arguments_of(command),
        cwd=folder,
        env=environment(folder, **variables),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def output_of(folder: Path, *command: object, **variables: str) -> str:
    """The output of a command that succeeds."""
    ended = run(folder, *command, **variables)
    assert ended.code == 0, ended.messages
    return ended.output


def signed_in(sandbox: Sandbox, username: str = "admin") -> dict[str, str]:
    """The variables with which a command asks this service as this user."""
    return {"GEODESIGN_URL": sandbox.url, "GEODESIGN_TOKEN": sandbox.token(username)}
