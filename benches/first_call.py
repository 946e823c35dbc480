"""Scripts from the start of their process to their output, and calls after a process's first one."""

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness import ROUNDS, Row, timed_row, timing, timings
from served import PROJECT, Service, served

PEER = "requests + GeoPandas"
SCRIPTS = Path(__file__).with_name("scripts")
# Wanted speed of the first call, as a multiple of the peer's.
GOAL = 15


class Ended(NamedTuple):
    """A script that has ended: its output, and the seconds of each of its calls."""

    printed: str
    calls: list[float]


class Scripts(NamedTuple):
    """The scripts, which read the demo project of a service."""

    service: Service
    # None: that of this process.
    environment: dict[str, str] | None = None

    def run(self, script: str, calls: int) -> Ended:
        command = [sys.executable, str(SCRIPTS / script), self.service.url, self.service.token, PROJECT, str(calls)]
        ended = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        return Ended(ended.stdout, [float(line) for line in ended.stderr.splitlines()])


def first_call_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, served() as service:
        yield from costs_rows(Scripts(service), "")
        with served("--tls-self-signed", "--db", Path(folder, "demo.sqlite")) as secure:
            scripts = Scripts(secure, trusting(secure, Path(folder, "authorities.pem")))
            yield from costs_rows(scripts, " over https")


def trusting(service: Service, authorities: Path) -> dict[str, str]:
    """The environment of a system that trusts the service's authority, and as many others as usual."""
    import certifi

    assert service.ca_file is not None
    usual = Path(certifi.where()).read_text(encoding="utf-8")
    authorities.write_text(usual + Path(service.ca_file).read_text(encoding="utf-8"), encoding="utf-8")
    others = {name: value for name, value in os.environ.items() if name != "SSL_CERT_DIR"}
    return others | {"SSL_CERT_FILE": str(authorities), "REQUESTS_CA_BUNDLE": str(authorities)}


def costs_rows(scripts: Scripts, suffix: str) -> Iterator[Row]:
    names = {"ours": "costs_by_pygeodesign.py", PEER: "costs_by_requests.py"}
    if not same(*(scripts.run(name, 1).printed for name in names.values())):
        sys.exit(f"{PEER} gives other costs, so the times are not comparable")
    first = timings({side: partial(scripts.run, name, 1) for side, name in names.items()})
    what = f"costs of the demo{suffix}, from the start of a process"
    yield timed_row(what, PEER, first["ours"], first[PEER], GOAL)
    if not suffix:
        # The first call of each process does not count.
        warm = {side: timing(scripts.run(name, ROUNDS + 1).calls[1:]) for side, name in names.items()}
        yield timed_row("costs of the demo, a call after the first", PEER, warm["ours"], warm[PEER])


def same(ours: str, theirs: str) -> bool:
    """True if both printed the same systems and costs, within a relative 1e-9: they measure areas differently."""
    systems, others = ([line.split("\t") for line in printed.splitlines()] for printed in (ours, theirs))
    return bool(systems) and all(
        name == other and math.isclose(float(cost), float(price), rel_tol=1e-9)
        for (name, cost), (other, price) in zip(systems, others, strict=True)
    )
