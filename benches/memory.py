"""Memory that `to_geopandas()` needs for small and large projects."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import synthetic
from harness import Row, sized, static_server

# Numbers of diagrams, whose bodies have 2 and 200 MB.
DIAGRAM_COUNTS = [sized(200, 20), sized(18_500, 180)]

# The first run is slower on a virtual machine, whose host has to provide new memory. The median ignores it.
RUNS = sized(3, 1)

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
    """Time and memory of reading a project. All sizes are in bytes."""

    # The size of the body.
    size: int
    seconds: float
    # The growth of the resident memory from before the request to its peak.
    peak: int
    # The growth that remains at the end, when only the frame is left.
    frame: int


def memory_rows() -> list[Row]:
    """For each size the peak memory in addition to the frame, per byte of the body."""
    return [
        Row(
            f"{size / 1e6:.0f} MB to a GeoDataFrame, {seconds:.2f} s",
            "peak bytes beyond the frame, per byte",
            f"{peak / 1e6:.0f} MB",
            f"{frame / 1e6:.0f} MB",
            (peak - frame) / size,
            3.0 if 1e8 < size < 5e8 else None,
            at_most=True,
        )
        for size, seconds, peak, frame in map(measure, DIAGRAM_COUNTS)
    ]


def measure(count: int) -> Measured:
    """Medians of reading a project of `count` diagrams, each time in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        size = len(synthetic.write_responses(Path(folder), count))
        with static_server(Path(folder)) as root:
            runs = [read(root) for _ in range(RUNS)]
    seconds, peak, frame = (median(run[figure] for run in runs) for figure in ("seconds", "peak", "frame"))
    return Measured(size, seconds, int(peak), int(frame))


def read(root: str) -> dict[str, float]:
    command = [sys.executable, "-c", MEASURE, root, synthetic.PROJECT]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(ended.stdout)
    return figures
