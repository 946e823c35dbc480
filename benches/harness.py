"""What every part of the bench needs: its rows, its helpers in Rust, and a static server."""

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
    """A figure of ours beside that of a peer, or beside a limit."""

    what: str
    beside: str
    ours: str
    theirs: str
    ratio: float
    # What the ratio should be at least, or where `at_most`, at most. None: for information.
    goal: float | None = None
    at_most: bool = False

    @property
    def reached(self) -> bool:
        if self.goal is None:
            return True
        return self.ratio <= self.goal if self.at_most else self.ratio >= self.goal


def timed_row(what: str, beside: str, ours: float, theirs: float, goal: float | None = None) -> Row:
    """Of times in seconds; the ratio says how many times as fast ours is."""
    return Row(what, beside, f"{ours * 1e3:.2f} ms", f"{theirs * 1e3:.2f} ms", theirs / ours, goal)


def timed(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    # Taking a result apart is part of having it.
    task()
    return time.perf_counter() - start


def medians(tasks: dict[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """The median seconds of each task. They take turns, so that a slow moment of the machine is everybody's."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(runs):
        for name, task in tasks.items():
            times[name].append(timed(task))
    return {name: statistics.median(taken) for name, taken in times.items()}


def built(name: str) -> str:
    """A helper in Rust, which needs nothing but the compiler."""
    source, program = Path(__file__).with_name(f"{name}.rs"), BUILD / name
    BUILD.mkdir(exist_ok=True)
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["rustc", "-O", "--edition", "2024", str(source), "-o", str(program)], check=True)
    return str(program.resolve())


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """Serves the JSON files of a folder from memory; its API root."""
    with subprocess.Popen([built("static_server"), str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/api/v1/"
        finally:
            process.kill()
