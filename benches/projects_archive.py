"""Archives of many projects: the speed of writing, of refreshing, and of work over them on a Dask cluster.

    python benches/projects_archive.py 200

does it with more projects than `make bench`. The argument is their number.
"""

import math
import random
import statistics
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import shapely

import pygeodesign
from harness import Row, seconds, sized, timed_row, timings
from peers.needs import import_peer, installed
from pygeodesign import Client, Project, Sandbox
from pygeodesign.many import ProjectsArchive
from served import Service, served

PROJECTS = sized(40, 3)
# Most projects are small.
MIN_DIAGRAMS, MAX_DIAGRAMS = sized(100, 20), sized(2_000, 40)
SYSTEMS = 9
# Seconds for which the service's rate is measured in each turn.
LOAD_SECONDS = sized(3, 1)
# Number of times that all projects are archived from scratch.
ARCHIVED_TIMES = sized(3, 1)
# The same as in a client of ours.
CONNECTIONS = 16
ROUNDS = sized(3, 1)


def many_project_rows(count: int = PROJECTS, largest: int = MAX_DIAGRAMS) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        database, store = Path(folder, "workshop.sqlite"), Path(folder, "archive")
        fill(database, count, largest)
        with served("--db", database) as service:
            yield from writing(service, Client(service.token, service.url), store)
        if installed("distributed", partial(import_peer, "distributed")):
            yield mapping(store)


def fill(database: Path, count: int, largest: int) -> None:
    """Generates the projects."""
    choose = random.Random(24)
    with Sandbox(database) as sandbox:
        client, code = sandbox.client(), sandbox.creation_code()
        for number in range(count):
            west, south = choose.uniform(-9, 24), choose.uniform(37, 59)
            systems: Any = [
                {"name": f"System {system}", "color": "#2B7BBA", "cost": 1_000 * choose.randrange(1, 500)}
                for system in range(1, SYSTEMS + 1)
            ]
            bounds = (west, south, west + 0.5, south + 0.5)
            project = client.project(
                client.create_project(code, title=f"Project {number}", bounds=bounds, systems=systems)
            )
            diagrams = round(math.exp(choose.uniform(math.log(MIN_DIAGRAMS), math.log(largest))))
            for system in project.systems():
                add(project, system["id"], diagrams // SYSTEMS, west, south, choose)


def add(project: Project, system: int, count: int, west: float, south: float, choose: random.Random) -> None:
    shapes = [
        shapely.Point(west + choose.uniform(0.1, 0.4), south + choose.uniform(0.1, 0.4)).buffer(0.01)
        for _ in range(count)
    ]
    features = [
        {"type": "Feature", "properties": {"title": f"Diagram {row}"}, "geometry": shape.__geo_interface__}
        for row, shape in enumerate(shapes)
    ]
    project.add_diagrams(system, {"type": "FeatureCollection", "features": features}, title="title", progress=False)


def writing(service: Service, client: Client, store: Path) -> list[Row]:
    """Responses archived per second, and responses of the service to a program that discards them.

    They take turns, so that slow periods of the machine affect both.
    """
    ids = [project["id"] for project in client.projects()]
    # The very first call imports libraries.
    client.archive_all(store.with_name("first"), ids[:1], progress=False)
    ours, rates, answers = [], [], 0
    for turn in range(ARCHIVED_TIMES):
        new = store if turn == 0 else store.with_name(f"again{turn}")
        taken = seconds(partial(client.archive_all, new, progress=False))
        paths = [path for project in ids for path in paths_in(store / f"project={project}" / "project.zip")]
        answers = len(paths)
        ours.append(answers / taken)
        paths = random.Random(1).sample(paths, len(paths))
        rates.append(service.load(paths, CONNECTIONS, LOAD_SECONDS))
    ratio = statistics.median(own / rate for own, rate in zip(ours, rates, strict=True))
    requests = requests_of(service)
    again = seconds(lambda: client.archive_all(store, progress=False))
    # The list of projects, and the requests that counted requests.
    asked = (requests_of(service) - requests - 2) / len(ids)
    what = f"archive_all of {len(ids)} projects, {answers:,} answers"
    rate = f"{statistics.median(rates):.0f}/s"
    return [
        Row(what, "the same requests, answers thrown away", f"{statistics.median(ours):.0f}/s", rate, ratio, 0.6),
        Row(f"an unchanged refresh, {again:.2f} s", "requests a project", f"{asked:.2f}", "1", asked, 1, at_most=True),
    ]


def paths_in(file: Path) -> list[str]:
    """The requests whose responses are in a project's own archive."""
    project = file.parent.name.partition("=")[2]
    with zipfile.ZipFile(file) as archive:
        names = [name.removesuffix(".json") for name in archive.namelist()]
    below = ["" if name == "project" else f"{name}/" for name in names if name != "manifest"]
    return [f"/api/v1/projects/{project}/{path}" for path in below]


def requests_of(service: Service) -> int:
    """The number of requests that the service has answered."""
    from urllib.request import urlopen

    with urlopen(f"http://{service.address}/metrics", timeout=60) as response:
        lines = response.read().decode().splitlines()
    counts = [line.rpartition(" ")[2] for line in lines if line.startswith("geodesign_requests_total")]
    return round(sum(map(float, counts)))


def mapping(store: Path) -> Row:
    """The same function of all projects on a cluster with one process and one with two, in turns."""
    archive = pygeodesign.read_archive(store)
    with cluster(1) as one, cluster(2) as two:
        for client in (one, two):
            # Each process imports its libraries at the first call.
            client.run(cost_and_overlaps, archive.open(next(iter(archive.projects))))
        times = timings({"alone": lambda: map_all(archive, one), "together": lambda: map_all(archive, two)}, ROUNDS)
    what = f"map_projects over {len(archive)} archives, two processes"
    return timed_row(what, "one process", times["together"], times["alone"], 1.5)


@contextmanager
def cluster(processes: int) -> Iterator[Any]:
    import distributed

    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=processes, **options) as local, distributed.Client(local) as client:
        yield client


def map_all(archive: ProjectsArchive, client: Any) -> None:
    results = pygeodesign.map_projects(cost_and_overlaps, archive, client, progress=False)
    assert len(results) == len(archive)


def cost_and_overlaps(project: Project) -> tuple[float, int]:
    """A project's cost, and the number of its overlapping pairs of diagrams."""
    pa.set_cpu_count(1)
    report = project.costs()
    frame = report.to_geopandas()
    return report.total, len(frame.sindex.query(frame.geometry, predicate="intersects")[0])


if __name__ == "__main__":
    for row in many_project_rows(*map(int, sys.argv[1:])):
        print(f"{row.what} | {row.beside} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.reached}", flush=True)
