"""Speed of a thread of pure Python while another thread calls `diagrams()`."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from harness import ROUNDS, Row
from pygeodesign import Project


def python_thread_row(project: Project) -> Row:
    """Speed of a thread of pure Python while another thread calls diagrams(), compared with no other thread."""

    def iterations_per_second() -> float:
        seconds = 0.3
        count, until = 0, time.perf_counter() + seconds
        while time.perf_counter() < until:
            count += 1
        return count / seconds

    def call_repeatedly(stop: threading.Event) -> None:
        while not stop.is_set():
            project.diagrams()

    def beside_diagrams() -> float:
        stop = threading.Event()
        with ThreadPoolExecutor(1) as other:
            calls = other.submit(call_repeatedly, stop)
            try:
                count = iterations_per_second()
            finally:
                stop.set()
            # If the other thread failed, the count would be that of a thread alone.
            calls.result()
        return count

    # Python optimizes a function during its first calls. After that the two cases alternate, as the tasks do.
    for _ in range(5):
        iterations_per_second()
    turns = [(beside_diagrams(), iterations_per_second()) for _ in range(ROUNDS)]
    ours, alone = (median(counts) for counts in zip(*turns, strict=True))
    what = "a Python thread beside diagrams()"
    return Row(what, "the same thread alone", per_second(ours), per_second(alone), ours / alone, 0.9)


def per_second(count: float) -> str:
    return f"{count / 1e6:.2f} M/s"
