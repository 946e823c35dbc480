"""How much memory a large project takes on its way to a GeoDataFrame, and that time and memory grow with it in step."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import synthetic

# Diagrams of a project, from 2 MB to 1 GB.
SIZES = [200, 2_000, 18_500, 92_500]

MEASURE = """
import gc, json, resource, sys, time
import geopandas, pyarrow
from pygeodesign import Client
project = Client("0" * 40, sys.argv[1], timeout=600, retries=0).project(sys.argv[2])
project.systems()
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
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


def memory_rows() -> list[dict[str, Any]]:
    """For each size the bytes that are held at most for each byte received, beyond the frame itself."""
    from compare import static_server

    rows, measured = [], []
    for count in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            size = write_body(Path(folder), count)
            with static_server(Path(folder)) as root:
                command = [sys.executable, "-c", MEASURE, root, synthetic.PROJECT]
                ended = subprocess.run(command, capture_output=True, text=True, check=True)
        figures = json.loads(ended.stdout)
        measured.append((size, figures["seconds"], figures["peak"]))
        beyond = (figures["peak"] - figures["frame"]) / size
        goal = 3.0 if 1e8 < size < 5e8 else None
        rows.append(
            {
                "what": f"{size / 1e6:.0f} MB to a GeoDataFrame",
                "peer": "bytes held beyond it, a byte received",
                "ours": f"{figures['seconds']:.2f} s",
                "theirs": f"{figures['peak'] / 1e6:.0f} MB",
                "ratio": beyond,
                "goal": goal,
                "reached": goal is None or beyond <= goal,
            }
        )
    for what, column in (("time", 1), ("memory", 2)):
        # What the largest takes, beside what the one before it says that it should.
        (size, *_), (largest, *_) = measured[-2], measured[-1]
        growth = (measured[-1][column] / measured[-2][column]) / (largest / size)
        rows.append(
            {
                "what": f"{what} from {size / 1e6:.0f} to {largest / 1e6:.0f} MB",
                "peer": "growth beside that of the size",
                "ours": f"{measured[-1][column]:.3g}",
                "theirs": f"{measured[-2][column]:.3g}",
                "ratio": growth,
                "goal": 1.25,
                "reached": growth <= 1.25,
            }
        )
    return rows


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
