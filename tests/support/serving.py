"""A service run by `pygeodesign serve` in a separate process."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from pygeodesign import Client

PROJECT = "StatenIsland2050"


class RunningService(NamedTuple):
    """A running `pygeodesign serve`, and its output at the start."""

    process: subprocess.Popen[str]
    urls: list[str]
    ca_file: str | None
    projects: dict[str, str]
    tokens: dict[str, str]
    links: dict[str, str]
    codes: list[str]
    headings: list[str]

    def client(self, username: str = "admin") -> Client:
        return Client(self.tokens[username], self.urls[-1], ca_bundle=self.ca_file)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "pygeodesign", "serve", *map(str, arguments)]


@contextmanager
def running_service(*arguments: object, port: int = 0) -> Iterator[RunningService]:
    process = subprocess.Popen(
        command("--port", port, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield read_start_output(process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def read_start_output(process: subprocess.Popen[str]) -> RunningService:
    """Reads the sections that the command prints, each a heading with indented lines below it."""
    assert process.stdout is not None and process.stderr is not None
    sections: dict[str, list[list[str]]] = {}
    heading = ""
    for line in iter(process.stdout.readline, ""):
        if line.startswith("Ctrl-C"):
            break
        if line.startswith("  "):
            sections[heading].append(line.split(maxsplit=1) if heading == "Projects" else line.split())
        elif line.strip():
            heading = line.split(" at\n")[0].split(" (")[0].split(",")[0].strip()
            sections[heading] = []
    else:
        raise AssertionError(f"the command ended: {process.stderr.read()}")
    first = next(iter(sections.values()))
    authority = sections.get("Certificate authority", [])
    return RunningService(
        process,
        urls=[line[0] for line in first],
        ca_file=authority[0][0] if authority else None,
        projects={project: title.strip() for project, title in sections["Projects"]},
        tokens={line[0]: line[1] for line in sections["Tokens"]},
        links={line[0]: line[1] for line in sections.get("Links to join with", [])},
        codes=[line[0] for line in sections["Project creation codes"]],
        headings=list(sections),
    )


def error_output(*arguments: object) -> str:
    """The error output of a command that cannot serve, on any free port, because tests run in parallel."""
    ended = subprocess.run(command(*arguments, "--port", 0), capture_output=True, text=True, timeout=20)
    assert ended.returncode != 0
    return ended.stderr
