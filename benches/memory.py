"""How much memory a large project takes on its way to a GeoDataFrame, and that time and memory grow with it in step."""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import linear_regression, median
from typing import NamedTuple

import synthetic
from harness import Row, static_server

# Diagrams of a project, from 2 MB to 1 GB.
SIZES = [200, 2_000, 18_500, 92_500]

# Memory that nobody has used for long takes a virtual machine's host much longer to give: the first run shows that.
RUNS = 3

MEASURE = """
import gc, json, resource, sys, time
import geopandas, pyarrow
from pygeodesign import Client
project = Client("0" * 40, sys.argv[1], timeout=600, retries=0).project(sys.argv[2])
project.systems()
def peak():
    # Not ru_maxrss, which begins with what the parent held.
    with open("/proc/self/status") as status:
        return int(next(line.split()[1] for line in status if line.startswith("VmHWM"))) * 1024
def held():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()
before = held()
start = time.perf_counter()
frame = project.diagrams().to_geopandas()
elapsed = time.perf_counter() - start
most = peak()
gc.collect()
print(json.dumps({"seconds": elapsed, "peak": most - before, "frame": held() - before, "rows": len(frame)}))
"""


class Measured(NamedTuple):
    """All sizes in bytes."""

    size: int
    seconds: float
    # Beyond what the process held before.
    peak: int
    # Of that, what is left when only the frame is.
    frame: int


def memory_rows() -> list[Row]:
    """For each size the bytes that are held at most for each byte received, beyond the frame itself; and the fit."""
    measured = [measure(count) for count in SIZES]
    rows = [
        Row(
            f"{size / 1e6:.0f} MB to a GeoDataFrame, {seconds:.2f} s",
            "bytes held beyond it, a byte received",
            f"{peak / 1e6:.0f} MB",
            f"{frame / 1e6:.0f} MB",
            (peak - frame) / size,
            3.0 if 1e8 < size < 5e8 else None,
            at_most=True,
        )
        for size, seconds, peak, frame in measured
    ]
    sizes = [each.size for each in measured]
    return [
        *rows,
        growth("time", "s", sizes, [each.seconds for each in measured]),
        growth("memory", "MB", sizes, [each.peak / 1e6 for each in measured]),
    ]


def growth(what: str, unit: str, sizes: list[int], values: list[float]) -> Row:
    """The exponent of the power of the size that fits best: 1 where the growth is linear."""
    # What is there whatever the size hides the growth in the smallest.
    logarithms = [[math.log(value) for value in column[1:]] for column in (sizes, values)]
    slope, _ = linear_regression(*logarithms)
    smallest, largest = f"{values[1]:.3g} {unit}", f"{values[-1]:.3g} {unit}"
    label = f"{what}, from {sizes[1] / 1e6:.0f} to {sizes[-1] / 1e6:.0f} MB"
    return Row(label, "grows with this power of the size", largest, smallest, slope, 1.1, at_most=True)


def measure(count: int) -> Measured:
    """Reads a project of so many diagrams in processes of their own. Medians."""
    with tempfile.TemporaryDirectory() as folder:
        size = write_body(Path(folder), count)
        with static_server(Path(folder)) as root:
            runs = [read(root) for _ in range(RUNS)]
    seconds, peak, frame = (median(run[figure] for run in runs) for figure in ("seconds", "peak", "frame"))
    return Measured(size, seconds, int(peak), int(frame))


def read(root: str) -> dict[str, float]:
    command = [sys.executable, "-c", MEASURE, root, synthetic.PROJECT]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(ended.stdout)
    return figures


def write_body(folder: Path, count: int) -> int:
    """The files of a static server for a project of so many diagrams; the bytes of the largest."""
    below = folder / "projects" / synthetic.PROJECT
    (below / "diagrams").mkdir(parents=True)
    (below / "systems.json").write_text(json.dumps(synthetic.systems()), encoding="utf-8")
    path = below / "diagrams" / "all.json"
    diagrams = synthetic.diagrams(2_000, 5_048)
    texts = [json.dumps(diagram, separators=(",", ":")) for diagram in diagrams]
    with path.open("w", encoding="utf-8") as file:
        # Geometries repeat beyond the first two thousand; their ids do not matter here.
        for number in range(count):
            file.write("[" if number == 0 else ",")
            file.write(texts[number % len(texts)])
        file.write("]")
    return path.stat().st_size
