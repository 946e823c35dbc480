"""A thousand workshops in one service, of which a hundred are used by ten members each.

Measures memory, threads, first responses, and the time of responses beside a service that has one workshop only.
"""

import http.client
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from harness import ROUNDS, Row, build_helper, timing

WORKSHOPS = 1_000
ACTIVE = 100
MEMBERS = 10
# Of all members together: each member sends one a second.
REQUESTS_PER_SECOND = ACTIVE * MEMBERS
LOAD_SECONDS = 3
PROJECT = "projects/StatenIsland2050/"
READS = ("", "systems/", "diagrams/1001/", "tags/", "changeid/")
MAX_BYTES = 1.5e9
MAX_THREADS = 64


class Running(NamedTuple):
    """A service, as a process of its own."""

    pid: int
    # Host and port.
    address: str

    def status(self, name: str) -> int:
        """A number of the process, such as its threads."""
        text = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        return int(re.findall(rf"^{name}:\s+(\d+)", text, re.MULTILINE)[0])


def workshop_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        token = fill(folder / "many")
        alone = folder / "alone.sqlite"
        shutil.copy(folder / "many" / "w0.sqlite", alone)
        with (
            running("--workshops", folder / "many") as many,
            running("--db", alone, "--limit", "connections=4000") as one,
        ):
            first = first_responses(many, token)
            p99s = members_at_work(folder, token, many, one)
            resident, threads = many.status("VmHWM") * 1024, many.status("Threads")
    what = f"{WORKSHOPS:,} workshops in one service: ".replace(",", " ")
    ours, theirs = (timing(p99s[service]) for service in (many, one))
    shown = f"{median(first) * 1e3:.1f} ms, at most {max(first) * 1e3:.1f} ms"
    yield from [
        limit_row(what + "most memory", f"{resident / 1e6:.0f} MB", "1 500 MB", resident / MAX_BYTES),
        limit_row(what + "threads", str(threads), str(MAX_THREADS), threads / MAX_THREADS),
        Row(what + "first response of each", "a later response, p99", shown, str(ours), median(first) / ours.median),
        Row(
            f"{what}p99 of {ACTIVE} with {MEMBERS} members each, who read once a second",
            f"one workshop with {ACTIVE * MEMBERS:,} members".replace(",", " "),
            str(ours),
            str(theirs),
            ours.median / theirs.median,
            1.2,
            at_most=True,
        ),
    ]


def limit_row(what: str, ours: str, limit: str, ratio: float) -> Row:
    return Row(what, limit, ours, limit, ratio, 1, at_most=True)


def fill(folder: Path) -> str:
    """Writes the databases, which are copies of one. Returns the token that is valid in all of them."""
    add = [sys.executable, "-m", "pygeodesign", "workshops", str(folder), "--add", "w0", "--demo", "--json"]
    created = json.loads(subprocess.run(add, stdout=subprocess.PIPE, check=True).stdout)
    for number in range(1, WORKSHOPS):
        shutil.copy(folder / "w0.sqlite", folder / f"w{number}.sqlite")
    return str(created["tokens"]["admin"])


@contextmanager
def running(*options: object) -> Iterator[Running]:
    command = [sys.executable, "-m", "pygeodesign", "serve", "--port", "0", *map(str, options)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"http://([^/]+)/", line):
                break
        else:
            raise RuntimeError("the service does not start")
        try:
            yield Running(process.pid, found[1])
        finally:
            process.terminate()
            process.stdout.read()


def first_responses(many: Running, token: str) -> list[float]:
    """The seconds until the first answer of each workshop, one after the other."""
    connection, taken = http.client.HTTPConnection(many.address), []
    for number in range(WORKSHOPS):
        start = time.perf_counter()
        connection.request("GET", f"/w/w{number}/api/v1/{PROJECT}", headers={"Authorization": f"Token {token}"})
        response = connection.getresponse()
        response.read()
        taken.append(time.perf_counter() - start)
        assert response.status == 200, f"workshop w{number} answered {response.status}"
    return taken


def members_at_work(folder: Path, token: str, many: Running, one: Running) -> dict[Running, list[float]]:
    """The 99th percentiles of the seconds of answers, of several rounds in turns."""
    lines = {many: folder / "many.txt", one: folder / "one.txt"}
    for service, path in lines.items():
        prefixes = [f"/w/w{workshop}" if service is many else "" for workshop in range(ACTIVE)]
        reads = [
            f"{prefixes[number % ACTIVE]}/api/v1/{PROJECT}{READS[number % len(READS)]} {token}"
            for number in range(ACTIVE * MEMBERS)
        ]
        path.write_text("\n".join(reads), encoding="utf-8")
    p99s: dict[Running, list[float]] = {service: [] for service in lines}
    for turn in range(ROUNDS + 1):
        for service, path in lines.items():
            members = [f"each:{path}", token, str(ACTIVE * MEMBERS), str(LOAD_SECONDS), f"rate={REQUESTS_PER_SECOND}"]
            command = [build_helper("load"), service.address, *members]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            # The first turn opens the workshops.
            p99s[service].extend([float(printed.split()[2]) / 1e3][: min(turn, 1)])
    return p99s
