"""A folder of workshops that a process serves."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import requests

from commands import output_of
from pygeodesign import Client, Project

PROJECT = "StatenIsland2050"
SQUARE = {
    "type": "Polygon",
    "coordinates": [[[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.56], [-74.15, 40.55]]],
}


class Folder(NamedTuple):
    """The folder, the address of its service, and the tokens that were printed."""

    path: Path
    address: str
    tokens: dict[str, dict[str, str]]
    process: subprocess.Popen[str]

    @property
    def operator_token(self) -> str:
        return (self.path / "operator-token").read_text(encoding="utf-8").strip()

    def root(self, name: str) -> str:
        return f"{self.address}/w/{name}/api/v1/"

    def client(self, name: str, username: str = "admin") -> Client:
        return Client(self.tokens[name][username], self.root(name))

    def project(self, name: str) -> Project:
        return self.client(name).project(PROJECT)

    def get(self, path: str, token: str | None = None) -> requests.Response:
        headers = {"Authorization": f"Token {token}"} if token else {}
        return requests.get(self.address + path, headers=headers, timeout=30, allow_redirects=False)

    def status(self, name: str) -> int:
        """The status of the answer to a first read of a workshop."""
        return self.get(f"/w/{name}/api/v1/projects/", self.tokens[name]["admin"]).status_code

    def operate(self, method: str, path: str = "", body: Any = None, token: str | None = None) -> requests.Response:
        """Sends a request of the operator."""
        headers = {"Authorization": f"Token {token or self.operator_token}"}
        url = f"{self.address}/api/v1/workshops/{path}"
        return requests.request(method, url, json=body, headers=headers, timeout=30)

    def listed(self) -> dict[str, Any]:
        return {workshop["name"]: workshop for workshop in self.operate("GET").json()}


def workshops(*arguments: object) -> str:
    """The output of `pygeodesign workshops`."""
    return output_of(Path.cwd(), "workshops", *arguments)


def add(folder: Path, name: str, *options: object) -> dict[str, str]:
    """Adds a workshop with the demo project; returns the tokens of its users."""
    tokens: dict[str, str] = json.loads(workshops(folder, "--add", name, "--demo", "--json", *options))["tokens"]
    return tokens


@contextmanager
def served(folder: Path, *names: str, options: tuple[object, ...] = (), files: int | None = None) -> Iterator[Folder]:
    """Serves a folder, with a new workshop for each name, from a process that may open at most `files` files."""
    tokens = {name: add(folder, name) for name in names}
    command = [
        sys.executable,
        "-m",
        "pygeodesign",
        "serve",
        "--workshops",
        str(folder),
        "--port",
        "0",
        *map(str, options),
    ]
    if files is not None:
        command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    try:
        for line in process.stdout:
            if found := re.search(r"(https?://[^/]+)/w/NAME/api/v1/", line):
                break
        else:
            raise AssertionError(process.stderr.read())
        yield Folder(folder, found[1], tokens, process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def eventually(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.05)
