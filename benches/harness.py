"""What all benchmarks share: the rows of the result, timing, the helper programs in Rust, and a static server."""

import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BUILD = Path("build")


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


def timed_row(what: str, beside: str, ours: float, theirs: float, goal: float | None = None) -> Row:
    """A row of times in seconds. The ratio is the peer's time divided by ours."""
    return Row(what, beside, f"{ours * 1e3:.2f} ms", f"{theirs * 1e3:.2f} ms", theirs / ours, goal)


def seconds(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    # Freeing the result is part of the time.
    task()
    return time.perf_counter() - start


def medians(tasks: dict[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """The median seconds of each task. The tasks alternate, so that slow periods of the machine affect all of them."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(runs):
        for name, task in tasks.items():
            times[name].append(seconds(task))
    return {name: statistics.median(taken) for name, taken in times.items()}


def build_helper(name: str) -> str:
    """Compiles a helper program in Rust, unless that has been done; its path. The helpers have no dependencies."""
    source, program = Path(__file__).with_name(f"{name}.rs"), BUILD / name
    BUILD.mkdir(exist_ok=True)
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["rustc", "-O", "--edition", "2024", str(source), "-o", str(program)], check=True)
    return str(program.resolve())


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """Serves the JSON files of a folder from memory. Yields the URL of its API root."""
    with subprocess.Popen([build_helper("static_server"), str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/api/v1/"
        finally:
            process.kill()
