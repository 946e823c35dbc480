"""How much memory `to_geopandas()` needs for large projects, and whether time and memory grow linearly."""

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

# Numbers of diagrams, whose bodies have 2 to 200 MB.
DIAGRAM_COUNTS = [200, 2_000, 18_500]

# The first run is slower on a virtual machine, whose host has to provide new memory. The median ignores it.
RUNS = 3

MEASURE = """
import gc, json, resource, sys, time
import geopandas, pyarrow
from pygeodesign import Client
project = Client("0" * 40, sys.argv[1], timeout=600, retries=0).project(sys.argv[2])
project.systems()
def peak():
    # Not ru_maxrss, which includes the peak of the parent process before the fork.
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
    """What it takes to read a project. All sizes are in bytes."""

    # The size of the body.
    size: int
    seconds: float
    # The growth of the resident memory from before the request to its peak.
    peak: int
    # The growth that remains at the end, when only the frame is left.
    frame: int


def memory_rows() -> list[Row]:
    """For each size the peak memory in addition to the frame, per byte of the body. Then how time and memory grow."""
    measured = [measure(count) for count in DIAGRAM_COUNTS]
    rows = [
        Row(
            f"{size / 1e6:.0f} MB to a GeoDataFrame, {seconds:.2f} s",
            "peak bytes beyond the frame, per byte",
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
    """The exponent of the power law that fits best: 1 means that the growth is linear."""
    # The smallest size is left out: its values consist mostly of what every request costs.
    logarithms = [[math.log(value) for value in column[1:]] for column in (sizes, values)]
    slope, _ = linear_regression(*logarithms)
    smallest, largest = f"{values[1]:.3g} {unit}", f"{values[-1]:.3g} {unit}"
    label = f"{what}, from {sizes[1] / 1e6:.0f} to {sizes[-1] / 1e6:.0f} MB"
    return Row(label, "exponent of the growth with the size", largest, smallest, slope, 1.1, at_most=True)


def measure(count: int) -> Measured:
    """Medians of reading a project of `count` diagrams, each time in a new process."""
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
    """Writes the files of a static server for `count` diagrams. Returns the size of the body of diagrams/all/."""
    project = folder / "projects" / synthetic.PROJECT
    (project / "diagrams").mkdir(parents=True)
    (project / "systems.json").write_text(json.dumps(synthetic.systems()), encoding="utf-8")
    path = project / "diagrams" / "all.json"
    diagrams = synthetic.diagrams(2_000, 5_048)
    texts = [json.dumps(diagram, separators=(",", ":")) for diagram in diagrams]
    with path.open("w", encoding="utf-8") as file:
        # After the first 2 000, diagrams repeat with their ids, which do not matter here.
        for number in range(count):
            file.write("[" if number == 0 else ",")
            file.write(texts[number % len(texts)])
        file.write("]")
    return path.stat().st_size
