"""Times pygeodesign beside what users would pick instead, over loopback, in one run.

    make bench

Clients ask a static server, so that nothing but the client is timed; services are asked by one load generator. Results
are compared before they are timed. Prints medians and ratios, and writes them to `build/bench.json`.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from shapely import from_wkb

import synthetic
from memory import memory_rows
from peers.clients import Peers, features_of, frame, frame_by_pyogrio
from pygeodesign import Client, Project
from services import service_rows

OUTPUT = Path("build/bench.json")
TOKEN = "0" * 40
SMALL = 2_000


class Peer(NamedTuple):
    name: str
    run: Callable[[], Any]
    # What the ratio should reach at least; None: for information.
    goal: float | None = None


class Task(NamedTuple):
    what: str
    ours: Callable[[], Any]
    peers: list[Peer]
    # Makes the results of ours and of a peer comparable.
    same: Callable[[Any, Any], bool]
    runs: int = 7


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        body = write_site(Path(folder))
        with static_server(Path(folder)) as root:
            project = Client(TOKEN, root, max_concurrency=32).project(synthetic.PROJECT)
            rows = [row for task in tasks(root, project, body) for row in compare(task)]
            rows.append(free_gil(project))
    rows += compare_imports()
    rows += memory_rows()
    rows += service_rows()
    show(rows)
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(f"\nWritten to {OUTPUT}")
    missed = [row for row in rows if row["goal"] is not None and not row["reached"]]
    print(f"{len(missed)} of {sum(row['goal'] is not None for row in rows)} goals missed")


def write_site(folder: Path) -> bytes:
    """The files of the static server; the largest."""
    below = folder / "projects" / synthetic.PROJECT
    (below / "diagrams").mkdir(parents=True)
    body = synthetic.body()
    (below / "diagrams" / "all.json").write_bytes(body)
    (below / "systems").mkdir()
    (below / "systems.json").write_text(json.dumps(synthetic.systems()), encoding="utf-8")
    for system in synthetic.systems():
        (below / "systems" / f"{system['id']}.json").write_text(json.dumps(system), encoding="utf-8")
    for number in range(SMALL):
        own = below / "diagrams" / str(1001 + number)
        own.mkdir()
        (own / "changeid.json").write_text(json.dumps({"changehash": f"{number:064x}"}), encoding="ascii")
    return body


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    command = [built("static_server"), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/api/v1/"
        finally:
            process.kill()


def built(name: str) -> str:
    """A helper in Rust, which needs nothing but the compiler."""
    source, program = Path(__file__).with_name(f"{name}.rs"), Path("build") / name
    program.parent.mkdir(exist_ok=True)
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["rustc", "-O", "--edition", "2024", str(source), "-o", str(program)], check=True)
    return str(program.resolve())


def tasks(root: str, project: Project, body: bytes) -> list[Task]:
    peers = Peers(root, TOKEN)
    below = f"projects/{synthetic.PROJECT}/"
    everything = below + "diagrams/all/"
    small = [f"{below}diagrams/{1001 + number}/changeid/" for number in range(SMALL)]
    shapes = project.diagrams().to_arrow()["geometry"].to_numpy(zero_copy_only=False)
    collection = {"type": "FeatureCollection", "features": features_of(json.loads(body))}
    as_geojson = json.dumps(collection).encode()

    def same_frame(ours: Any, theirs: Any) -> bool:
        return bool((ours.geometry.to_wkb().to_numpy() == theirs.geometry.to_wkb().to_numpy()).all())

    def same_shapes(ours: Any, theirs: Any) -> bool:
        return len(ours["features"]) == len(theirs) and ours["features"][-1]["geometry"] == theirs[-1]["geometry"]

    def hashes(answers: list[Any]) -> dict[int, str]:
        return {1001 + number: answer["changehash"] for number, answer in enumerate(answers)}

    return [
        Task(
            "diagrams().to_geopandas()",
            lambda: project.diagrams().to_geopandas(),
            [
                Peer("requests + from_features", lambda: frame(peers.by_requests(everything)), 24),
                Peer("httpx + orjson + from_features", lambda: frame(peers.by_httpx(everything)), 17),
                Peer("pyogrio, from memory", lambda: frame_by_pyogrio(as_geojson), 10),
                Peer("httpx download + from_wkb", lambda: download_and_wkb(peers, everything, shapes), 1 / 3),
            ],
            lambda ours, theirs: not hasattr(theirs, "geometry") or same_frame(ours, theirs),
        ),
        Task(
            "diagrams().to_dict()",
            lambda: project.diagrams().to_dict(),
            [
                Peer("requests.get().json()", lambda: features_of(peers.by_requests(everything)), 5),
                Peer("httpx + orjson", lambda: features_of(peers.by_httpx(everything)), 2.5),
            ],
            same_shapes,
        ),
        Task(
            "costs()",
            lambda: project.costs(),
            [Peer("diagrams() + system()", lambda: read_for_costs(project), 1 / 1.3)],
            lambda ours, theirs: len(ours.diagrams) == synthetic.DIAGRAMS,
        ),
        Task(
            "200 small requests, one after the other",
            lambda: [project.diagram_change_id(1001 + number) for number in range(200)],
            [
                Peer("requests", lambda: [peers.by_requests(path)["changehash"] for path in small[:200]], 10),
                Peer("httpx", lambda: [peers.by_httpx(path)["changehash"] for path in small[:200]]),
                Peer("pyreqwest", lambda: [peers.by_pyreqwest(path)["changehash"] for path in small[:200]], 1),
            ],
            lambda ours, theirs: ours == theirs,
        ),
        Task(
            "2 000 small requests, 32 at a time",
            lambda: project.diagram_change_ids(range(1001, 1001 + SMALL)),
            [
                Peer(
                    "requests, 32 threads",
                    lambda: hashes(peers.many_by_requests(small, lambda response: response.json())),
                    15,
                ),
                Peer("aiohttp", lambda: hashes(peers.many_by_aiohttp(small, as_json=True)), 2.5),
                Peer("pyreqwest", lambda: hashes(peers.many_by_pyreqwest(small))),
            ],
            lambda ours, theirs: ours == theirs,
        ),
    ]


def read_for_costs(project: Project) -> None:
    project.diagrams()
    for system in range(1, synthetic.SYSTEMS + 1):
        project.system(system)


def download_and_wkb(peers: Peers, path: str, shapes: Any) -> list[Any]:
    """What no way to a GeoDataFrame can do without."""
    peers.httpx.get(peers.root + path).raise_for_status()
    return list(from_wkb(shapes))


def compare(task: Task) -> list[dict[str, Any]]:
    result = task.ours()
    for peer in task.peers:
        if not task.same(result, peer.run()):
            sys.exit(f"{task.what}: {peer.name} gives something else, so the times mean nothing")
    del result
    times: dict[str, list[float]] = {}
    for _ in range(task.runs):
        times.setdefault("", []).append(timed(task.ours))
        for peer in task.peers:
            times.setdefault(peer.name, []).append(timed(peer.run))
    ours = statistics.median(times[""])
    return [row(task.what, peer.name, ours, statistics.median(times[peer.name]), peer.goal) for peer in task.peers]


def row(what: str, peer: str, ours: float, theirs: float, goal: float | None) -> dict[str, Any]:
    """Times in seconds; the ratio says how many times as fast ours is."""
    ratio = theirs / ours
    reached = goal is None or ratio >= goal
    return {
        "what": what,
        "peer": peer,
        "ours": f"{ours * 1e3:.2f} ms",
        "theirs": f"{theirs * 1e3:.2f} ms",
        "ratio": ratio,
        "goal": goal,
        "reached": reached,
    }


def free_gil(project: Project) -> dict[str, Any]:
    """How much of its speed a thread of plain Python keeps while another downloads and parses."""

    def counted(seconds: float) -> float:
        count, until = 0, time.perf_counter() + seconds
        while time.perf_counter() < until:
            count += 1
        return count / seconds

    alone = statistics.median(counted(0.5) for _ in range(3))
    enough = threading.Event()

    def keep_reading() -> None:
        while not enough.is_set():
            project.diagrams()

    reading = threading.Thread(target=keep_reading)
    reading.start()
    beside = statistics.median(counted(0.5) for _ in range(3))
    enough.set()
    reading.join()
    return {
        "what": "a Python thread beside diagrams()",
        "peer": "the same thread alone",
        "ours": f"{beside / 1e6:.2f} M/s",
        "theirs": f"{alone / 1e6:.2f} M/s",
        "ratio": beside / alone,
        "goal": 0.9,
        "reached": beside / alone >= 0.9,
    }


def compare_imports() -> list[dict[str, Any]]:
    modules = {"pygeodesign": None, "requests": None, "httpx": None, "aiohttp": None, "pyreqwest.client": None}
    times = {module: statistics.median(import_time(module) for _ in range(7)) for module in modules}
    ours = times.pop("pygeodesign")
    rows = [row("import", module, ours, theirs, None) for module, theirs in times.items()]
    return [*rows, row("import", "10 ms", ours, 0.010, 1)]


def import_time(module: str) -> float:
    script = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


def timed(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    # Taking a result apart is part of having it.
    task()
    return time.perf_counter() - start


def show(rows: list[dict[str, Any]]) -> None:
    print(f"{'what':<42}{'beside':<34}{'ours':>14}{'theirs':>14}{'ratio':>9}{'goal':>8}")
    for each in rows:
        goal = "" if each["goal"] is None else f"{each['goal']:.2f}"
        mark = "" if each["reached"] else "  missed"
        print(
            f"{each['what']:<42}{each['peer']:<34}{each['ours']:>14}{each['theirs']:>14}"
            f"{each['ratio']:>8.2f}×{goal:>7}{mark}"
        )


if __name__ == "__main__":
    main()
