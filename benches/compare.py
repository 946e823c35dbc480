"""Times pygeodesign beside what a script would use instead: requests and GeoPandas, on the demo project, over loopback.

    make bench

Prints medians and ratios of one run and writes them to `build/bench.json`. Results are compared before they are timed.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import requests
from geopandas import GeoDataFrame

from pygeodesign import Project, Sandbox

RUNS = 15
OUTPUT = Path("build/bench.json")


class Task(NamedTuple):
    what: str
    peer: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    same: Callable[[Any, Any], bool]


def main() -> None:
    with Sandbox() as sandbox, requests.Session() as session:
        session.headers["Authorization"] = f"Token {sandbox.token()}"
        project = sandbox.client().project(sandbox.project_ids[0])
        tasks = make_tasks(project, session, f"{sandbox.url}projects/{project.id}/")
        results = [compare(task) for task in tasks]
    results.append(compare_imports())
    print(f"{'what':<38}{'ours':>10}{'peer':>10}{'ratio':>8}  peer")
    for result in results:
        ours, theirs = result["ours_ms"], result["peer_ms"]
        print(f"{result['what']:<38}{ours:>7.2f} ms{theirs:>7.2f} ms{theirs / ours:>7.1f}×  {result['peer']}")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(results, indent=1), encoding="utf-8")
    print(f"\nWritten to {OUTPUT}")


def make_tasks(project: Project, session: requests.Session, root: str) -> list[Task]:
    def read(path: str) -> Any:
        response = session.get(root + path)
        response.raise_for_status()
        return response.json()

    def features() -> list[dict[str, Any]]:
        return [feature for diagram in read("diagrams/all/") for feature in diagram["geojson"]["features"]]

    def with_features(frame: GeoDataFrame) -> GeoDataFrame:
        return frame[frame.geometry.notna()]

    return [
        Task(
            "all diagrams to a GeoDataFrame",
            "requests + from_features",
            lambda: project.diagrams().to_geopandas(),
            lambda: GeoDataFrame.from_features(features(), crs="EPSG:4326"),
            lambda ours, theirs: bool((with_features(ours).geometry.to_wkb() == theirs.geometry.to_wkb().values).all()),
        ),
        Task(
            "all diagrams to dicts",
            "requests.json()",
            lambda: project.diagrams().to_dict()["features"],
            features,
            lambda ours, theirs: [f["geometry"] for f in ours if f["geometry"]] == [f["geometry"] for f in theirs],
        ),
        Task(
            "one small request",
            "requests",
            lambda: project.diagram_change_id(1001),
            lambda: read("diagrams/1001/changeid/")["changehash"],
            lambda ours, theirs: ours == theirs,
        ),
        Task(
            "180 small requests",
            "requests, one after the other",
            lambda: project.diagram_change_ids(range(1001, 1181)),
            lambda: {number: read(f"diagrams/{number}/changeid/")["changehash"] for number in range(1001, 1181)},
            lambda ours, theirs: ours == theirs,
        ),
    ]


def compare(task: Task) -> dict[str, Any]:
    if not task.same(task.ours(), task.theirs()):
        sys.exit(f"{task.what}: the results differ, so the times mean nothing")
    ours, theirs = zip(*((timed(task.ours), timed(task.theirs)) for _ in range(RUNS)), strict=True)
    return record(task.what, task.peer, list(ours), list(theirs))


def compare_imports() -> dict[str, Any]:
    ours, theirs = zip(*((import_time("pygeodesign"), import_time("requests")) for _ in range(5)), strict=True)
    return record("import", "requests", list(ours), list(theirs))


def import_time(module: str) -> float:
    script = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


def timed(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def record(what: str, peer: str, ours: list[float], theirs: list[float]) -> dict[str, Any]:
    return {
        "what": what,
        "peer": peer,
        "ours_ms": statistics.median(ours) * 1e3,
        "peer_ms": statistics.median(theirs) * 1e3,
    }


if __name__ == "__main__":
    main()
