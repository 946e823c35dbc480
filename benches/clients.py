"""Compares the client with others: large responses, many small ones, imports, and the speed of other threads."""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from shapely import from_wkb

import synthetic
from harness import Row, medians, static_server, timed_row
from peers.clients import Peers, features_of, frame, frame_by_pyogrio
from pygeodesign import Client, FeatureCollection, Project

TOKEN = "0" * 40
# Diagrams with a change id and a thumbnail.
SMALL_RESPONSES = 2_000
# So many that the medians depend neither on the first runs, which allocate memory, nor on a slow period of the machine.
RUNS = 15
# Not an image, but as large as one.
THUMBNAIL = b"\x89PNG\r\n\x1a\n" + bytes(4_000)


class Peer(NamedTuple):
    """Another way to the same result."""

    name: str
    run: Callable[[], Any]
    # The smallest ratio of the peer's time to ours that is wanted. None: the comparison has no goal.
    goal: float | None = None


class Task(NamedTuple):
    """What is timed: our way and those of the peers."""

    what: str
    ours: Callable[[], Any]
    peers: list[Peer]
    # Whether our result and that of a peer are equal.
    same: Callable[[Any, Any], bool]


def client_rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        body = write_responses(Path(folder))
        with static_server(Path(folder)) as root:
            project = Client(TOKEN, root, max_concurrency=32).project(synthetic.PROJECT)
            peers = Peers(root, TOKEN)
            tasks = [*large_responses(project, peers, body), *small_responses(project, peers)]
            rows = [row for task in tasks for row in compare(task)]
            rows += free_gil(project)
    return rows + compare_imports()


def write_responses(folder: Path) -> bytes:
    """Writes the files of the static server. Returns the body of diagrams/all/."""
    project = folder / "projects" / synthetic.PROJECT
    (project / "diagrams").mkdir(parents=True)
    body = synthetic.body()
    (project / "diagrams" / "all.json").write_bytes(body)
    (project / "systems").mkdir()
    (project / "systems.json").write_text(json.dumps(synthetic.systems()), encoding="utf-8")
    for system in synthetic.systems():
        (project / "systems" / f"{system['id']}.json").write_text(json.dumps(system), encoding="utf-8")
    for number in range(SMALL_RESPONSES):
        diagram = project / "diagrams" / str(1001 + number)
        diagram.mkdir()
        (diagram / "changeid.json").write_text(json.dumps({"changehash": f"{number:064x}"}), encoding="ascii")
        (diagram / "thumbnail").mkdir()
        (diagram / "thumbnail" / "job.png").write_bytes(THUMBNAIL + number.to_bytes(4))
    jobs = {"message": "", "results_url": [f"/api/v1/{image_path(1001 + number)}" for number in range(SMALL_RESPONSES)]}
    (project / "diagrams" / "all").mkdir()
    (project / "diagrams" / "all" / "generate_thumbnails.json").write_text(json.dumps(jobs), encoding="ascii")
    return body


def image_path(diagram: int) -> str:
    return f"projects/{synthetic.PROJECT}/diagrams/{diagram}/thumbnail/job/"


def large_responses(project: Project, peers: Peers, body: bytes) -> list[Task]:
    everything = f"projects/{synthetic.PROJECT}/diagrams/all/"
    collection = {"type": "FeatureCollection", "features": features_of(json.loads(body))}
    as_geojson = json.dumps(collection).encode()
    shapes = project.diagrams().to_arrow()["geometry"].to_numpy(zero_copy_only=False)

    def download_and_wkb() -> list[Any]:
        """The least work for a GeoDataFrame: the download, and the shapes from WKB."""
        peers.httpx.get(peers.root + everything).raise_for_status()
        return list(from_wkb(shapes))

    def download_and_read() -> None:
        """The least work for the costs: the requests, and the parsing of the responses."""
        project.diagrams()
        for system in range(1, synthetic.SYSTEMS + 1):
            project.system(system)

    def same_frame(ours: Any, theirs: Any) -> bool:
        if isinstance(theirs, list):
            return list(ours.geometry) == theirs
        return bool((ours.geometry.to_wkb().to_numpy() == theirs.geometry.to_wkb().to_numpy()).all())

    def same_dicts(ours: Any, theirs: Any) -> bool:
        # Our properties contain the fields of the diagram in addition.
        pairs = zip(ours["features"], theirs, strict=True)
        return all(
            own["geometry"] == other["geometry"] and own["properties"].items() >= other["properties"].items()
            for own, other in pairs
        )

    return [
        Task(
            "diagrams().to_geopandas()",
            lambda: project.diagrams().to_geopandas(),
            [
                Peer("requests + from_features", lambda: frame(peers.by_requests(everything)), 24),
                Peer("httpx + orjson + from_features", lambda: frame(peers.by_httpx(everything)), 17),
                Peer("pyogrio, from memory", lambda: frame_by_pyogrio(as_geojson), 10),
                Peer("httpx download + from_wkb", download_and_wkb, 1 / 3),
            ],
            same_frame,
        ),
        Task(
            "diagrams().to_dict()",
            lambda: project.diagrams().to_dict(),
            [
                Peer("requests.get().json()", lambda: features_of(peers.by_requests(everything)), 5),
                Peer("httpx + orjson", lambda: features_of(peers.by_httpx(everything)), 2.5),
            ],
            same_dicts,
        ),
        Task(
            "costs()",
            lambda: project.costs(),
            [Peer("diagrams() + system()", download_and_read, 1 / 1.3)],
            lambda ours, _: len(ours.diagrams) == synthetic.DIAGRAMS,
        ),
        Task(
            "a body in memory to dicts",
            lambda: FeatureCollection._from_body(body, True).to_dict(),
            [
                Peer("json.loads", lambda: features_of(json.loads(body))),
                Peer("orjson.loads", lambda: features_of(peers.read_json(body))),
            ],
            same_dicts,
        ),
    ]


def small_responses(project: Project, peers: Peers) -> list[Task]:
    path = f"projects/{synthetic.PROJECT}/diagrams"
    ids = range(1001, 1001 + SMALL_RESPONSES)
    changes = [f"{path}/{number}/changeid/" for number in ids]

    def hashes(responses: list[Any]) -> dict[int, str]:
        return {number: response["changehash"] for number, response in zip(ids, responses, strict=True)}

    def images(download: Callable[[list[str]], list[bytes]]) -> dict[int, bytes]:
        """All thumbnails as the service offers them: a request for the URLs of all, then one for each image."""
        jobs = peers.by_requests(f"{path}/all/generate_thumbnails/")["results_url"]
        return dict(zip(ids, download([job.removeprefix("/api/v1/") for job in jobs]), strict=True))

    return [
        Task(
            "200 small requests, one after the other",
            lambda: [project.diagram_change_id(number) for number in ids[:200]],
            [
                Peer("requests", lambda: [peers.by_requests(path)["changehash"] for path in changes[:200]], 10),
                Peer("httpx", lambda: [peers.by_httpx(path)["changehash"] for path in changes[:200]]),
                Peer("pyreqwest", lambda: [peers.by_pyreqwest(path)["changehash"] for path in changes[:200]], 1),
                Peer("a bare socket", lambda: [peers.by_socket(path)["changehash"] for path in changes[:200]]),
            ],
            lambda ours, theirs: bool(ours == theirs),
        ),
        Task(
            "2 000 change ids, 32 at a time",
            lambda: project.diagram_change_ids(ids),
            [
                Peer("requests, 32 threads", lambda: hashes(peers.many_by_requests(changes)), 15),
                Peer("aiohttp", lambda: hashes(peers.many_by_aiohttp(changes)), 2.5),
                Peer("pyreqwest", lambda: hashes(peers.many_by_pyreqwest(changes))),
            ],
            lambda ours, theirs: bool(ours == theirs),
        ),
        Task(
            "2 000 thumbnails, 32 at a time",
            lambda: project.thumbnails(),
            [
                Peer("requests, 32 threads", lambda: images(peers.many_bytes_by_requests), 15),
                Peer("aiohttp", lambda: images(peers.many_bytes_by_aiohttp), 2.5),
            ],
            lambda ours, theirs: bool(ours == theirs),
        ),
    ]


def compare(task: Task) -> list[Row]:
    result = task.ours()
    for peer in task.peers:
        theirs = peer.run()
        if theirs is not None and not task.same(result, theirs):
            sys.exit(f"{task.what}: {peer.name} gives another result, so the times are not comparable")
    del result, theirs
    times = medians({"": task.ours, **{peer.name: peer.run for peer in task.peers}}, runs=RUNS)
    return [timed_row(task.what, peer.name, times[""], times[peer.name], peer.goal) for peer in task.peers]


def free_gil(project: Project) -> list[Row]:
    """How fast a thread of pure Python runs while another thread calls diagrams(), compared with no other thread."""

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

    def beside_a_process() -> float:
        """The count beside another process, which shares only the processors."""
        script = "print(flush=True)\nwhile True: pass"
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                return iterations_per_second()
            finally:
                process.kill()

    # Python optimizes a function during its first calls. After that the three cases alternate, as the tasks do.
    for _ in range(5):
        iterations_per_second()
    turns = [(beside_diagrams(), iterations_per_second(), beside_a_process()) for _ in range(RUNS)]
    ours, alone, limit = (median(counts) for counts in zip(*turns, strict=True))
    others = [("the same thread alone", alone, 0.9), ("the same thread beside a busy process", limit, None)]
    return [
        Row("a Python thread beside diagrams()", other, per_second(ours), per_second(theirs), ours / theirs, goal)
        for other, theirs, goal in others
    ]


def per_second(count: float) -> str:
    return f"{count / 1e6:.2f} M/s"


def compare_imports() -> list[Row]:
    modules = ["pygeodesign", "requests", "httpx", "aiohttp", "pyreqwest.client"]
    times = {module: median(import_time(module) for _ in range(7)) for module in modules}
    ours = times.pop("pygeodesign")
    rows = [timed_row("import", module, ours, theirs) for module, theirs in times.items()]
    return [*rows, timed_row("import", "10 ms", ours, 0.010, 1)]


def import_time(module: str) -> float:
    script = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
