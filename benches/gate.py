"""Waiting times of others, and memory, while a member floods the service with its heaviest requests.

python benches/gate.py
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

from harness import Row, sized
from pygeodesign import Sandbox
from served import PROJECT, Service, served
from services import fill

FLOODER, OTHER = "jose.villanueva", "admin"
SECONDS = sized(6, 1)
CONNECTIONS = 24
# Waiting time that one user may cause others, and memory beyond the limit of responses.
MOST_SECONDS, MOST_MEGABYTES = 0.5, 512
MEGABYTE = 1_000_000
HEAVY = (
    f"/ogc/collections/{PROJECT}.diagrams/items?f=html&limit=1000",
    f"/ogc/collections/{PROJECT}.parts/items?limit=10000&filter=description%20LIKE%20%27%25a%25%27",
    f"/api/v1/projects/{PROJECT}/diagrams/all/",
    f"/api/v1/projects/{PROJECT}/costs/",
    f"/api/v1/projects/{PROJECT}/archive/",
    f"/api/v1/projects/{PROJECT}/history/",
)


def gate_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        database = Path(name, "gate.sqlite")
        fill(database)
        with Sandbox(database) as sandbox:
            token = sandbox.token(FLOODER)
        with served("--db", database) as service:
            before = service.status("VmHWM")
            waits = sorted(waits_beside_a_flood(service, token))
            megabytes = (service.status("VmHWM") - before) / MEGABYTE
    what = f"a read and a write of others beside {CONNECTIONS} connections of heavy requests of a member"
    ours = f"{waits[len(waits) // 2] * 1e3:.1f} ms, at most {waits[-1] * 1e3:.0f}"
    yield Row(
        what, "the most that others wait", ours, f"{MOST_SECONDS * 1e3:.0f} ms", waits[-1] / MOST_SECONDS, 1, True
    )
    shares = (f"{megabytes:.0f} MB", f"{MOST_MEGABYTES} MB", megabytes / MOST_MEGABYTES)
    yield Row("memory that this flood takes", "the most that it may", *shares, 1, True)


def waits_beside_a_flood(service: Service, token: str) -> Iterator[float]:
    """Seconds of each request of another member: in turn the id of the last change, and a choice of diagrams."""
    with subprocess.Popen([sys.executable, __file__, service.address, token]) as flood:
        try:
            time.sleep(SECONDS / 3)
            yield from waits(service)
            assert flood.poll() is None
        finally:
            flood.kill()


def waits(service: Service) -> Iterator[float]:
    """Seconds of each request: in turn the id of the last change, and a choice of diagrams."""
    connection, end, number = HTTPConnection(service.address, timeout=60), time.monotonic() + SECONDS, 0
    headers = {"Authorization": f"Token {service.token}", "Content-Type": "application/json"}
    while time.monotonic() < end:
        number += 1
        body = json.dumps({"diagrams": [1001 + number % 100]}) if number % 2 else None
        below = f"members/{OTHER}/diagrams/" if body else "changeid/"
        began = time.perf_counter()
        connection.request("PUT" if body else "GET", service.path(below), body, headers)
        response = connection.getresponse()
        content = response.read()
        yield time.perf_counter() - began
        assert response.status < 300, content
        time.sleep(0.02)


def flood(address: str, token: str) -> None:
    """Sends requests without an end; refused ones are sent again."""

    def send(first: int) -> None:
        connection: Any = None
        for number in range(first, sys.maxsize):
            try:
                connection = connection or HTTPConnection(address, timeout=60)
                connection.request("GET", HEAVY[number % len(HEAVY)], headers={"Authorization": f"Token {token}"})
                connection.getresponse().read()
            except OSError:
                connection = None

    for first in range(CONNECTIONS):
        Thread(target=send, args=[first]).start()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        flood(*sys.argv[1:3])
    else:
        for row in gate_rows():
            print(
                f"{row.what} | {row.beside} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.reached}", flush=True
            )
