"""What all benchmarks share: the rows of the result, timing, the helper programs in Rust, and a static server."""

import json
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

BUILD = Path("build")
# Enough for a median that neither the first rounds, which allocate memory, nor a slow period of the machine decides.
ROUNDS = 7


@dataclass(frozen=True)
class Row:
    """A measurement of pygeodesign compared with that of a peer, or with a limit."""

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
    """Of the seconds of all rounds, the median and the least."""

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


def build_helper(name: str) -> str:
    """Compiles a helper program in Rust, unless that has been done; its path. The helpers have no dependencies."""
    source, program = Path(__file__).with_name(f"{name}.rs"), BUILD / name
    BUILD.mkdir(exist_ok=True)
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["rustc", "-O", "--edition", "2024", str(source), "-o", str(program)], check=True)
    return str(program.resolve())


def build_example(name: str) -> str:
    """Compiles an example of Cargo.toml; its path."""
    command = ["cargo", "build", "--release", "--quiet", "--features", "service", "--example", name]
    command += ["--message-format", "json"]
    messages = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    executables = [path for message in messages if (path := json.loads(message).get("executable"))]
    return str(executables[-1])


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """Serves the JSON files of a folder from memory. Yields the URL of its API root."""
    with subprocess.Popen([build_helper("static_server"), str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/api/v1/"
        finally:
            process.kill()
