"""Common parts of all benchmarks: rows of the result, timing, sizes of a small run, and programs in Rust."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

# Each row once, with little data: shows that all of them run.
SMALL = "--small" in sys.argv


def sized(full: int, small: int) -> int:
    """A size of a run, and of a small one."""
    return small if SMALL else full


BUILD = Path("build")
# Enough for a median that neither the first rounds, which allocate memory, nor a slow period of the machine decides.
ROUNDS = sized(7, 1)


@dataclass(frozen=True)
class Row:
    """A measurement of pygeodesign, compared with a peer's or with a limit."""

    what: str
    # The peer or the limit.
    beside: str
    ours: str
    theirs: str
    ratio: float
    # The smallest ratio wanted, or the largest if `at_most`. None: the row has no goal.
    goal: float | None = None
    at_most: bool = False

    @property
    def reached(self) -> bool:
        if self.goal is None:
            return True
        return self.ratio <= self.goal if self.at_most else self.ratio >= self.goal


class Timing(NamedTuple):
    """Median and minimum of the seconds of all rounds."""

    median: float
    least: float

    def __str__(self) -> str:
        return f"{self.median * 1e3:.2f} ({self.least * 1e3:.2f}) ms"


def timing(seconds: list[float]) -> Timing:
    return Timing(statistics.median(seconds), min(seconds))


def timed_row(what: str, beside: str, ours: Timing, theirs: Timing, goal: float | None = None) -> Row:
    """A row of times. The ratio is the peer's median divided by ours."""
    return Row(what, beside, str(ours), str(theirs), theirs.median / ours.median, goal)


def seconds(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    # Freeing the result is part of the time.
    task()
    return time.perf_counter() - start


def timings(tasks: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, Timing]:
    """The times of each task. The tasks take turns, so that slow periods of the machine affect all of them."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            times[name].append(seconds(task))
    return {name: timing(taken) for name, taken in times.items()}


@cache
def program(name: str) -> str:
    """The path of a program of `benches/programs/`, compiled as a release, or for trying in a small run."""
    profile = "dev" if SMALL else "release"
    manifest = Path(__file__).with_name("programs") / "Cargo.toml"
    command = ["cargo", "build", "--quiet", "--locked", "--profile", profile, "--manifest-path", str(manifest)]
    subprocess.run([*command, "--target-dir", "target"], check=True)
    return str(Path("target", "debug" if SMALL else profile, name).resolve())


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """Serves the JSON files of a folder from memory. Yields the URL of its API root."""
    with subprocess.Popen([program("static_server"), str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/api/v1/"
        finally:
            process.kill()
