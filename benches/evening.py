"""A workshop's evening over 2 000 diagrams: the room's first view, a preview, a design saved, work that comes home.

Each time is compared with the same work without the service.
"""

import json
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from threading import local
from typing import Any

import geopandas as gpd
import shapely
from pyproj import Geod
from shapely import affinity

import synthetic
from harness import Row, seconds, sized, timed_row, timing, timings
from pygeodesign import Client, Sandbox
from served import PROJECT, Service, served
from services import fill

DIAGRAMS_OF_DESIGN = sized(200, 20)
MERGED = sized(50, 5)
# A browser's connections to one host.
CONNECTIONS = 6
LISTS = ("systems", "diagrams", "tags", "data_layers", "cteams")
PARTS = ("", "members/", "boundaries/", "constraints/", "bounds/", "activities/", "diagrams/all/", "costs/")
FIRST_VIEW = [*PARTS, *(f"{name}/?page_size=1000&page=1" for name in LISTS), "members/admin/diagrams/"]
DRAWING = shapely.Point(-74.15, 40.57).buffer(0.006, quad_segs=16)
WGS84 = Geod(ellps="WGS84")


def evening_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "room.sqlite")
        with served("--db", folder / "room.sqlite") as service:
            project = Client(service.token, service.url).project(PROJECT)
            ids = [row["id"] for row in project.diagrams(fields="summary")]
            chosen = random.Random(5).sample(ids, DIAGRAMS_OF_DESIGN)
            ask = requests_to(service)
            yield first_view(ask)
            yield preview(ask, chosen, project)
            yield merge(project, folder)
            # After that, an archive would have a hundred designs with all their content.
            yield design_saved(ask, chosen, folder)


def requests_to(service: Service) -> Callable[..., Any]:
    """Sends requests as pages do: over a connection per thread that stays open."""
    threads = local()

    def ask(path: str, body: Any = None) -> Any:
        if not hasattr(threads, "connection"):
            threads.connection = HTTPConnection(service.address)
        headers = {"Authorization": f"Token {service.token}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body)
        threads.connection.request("GET" if body is None else "POST", service.path(path), sent, headers)
        response = threads.connection.getresponse()
        content = response.read()
        assert response.status < 300, content
        return content

    return ask


def first_view(ask: Callable[..., Any]) -> Row:
    """Requests of the page when it opens, compared with the one for all diagrams, which is most of the bytes."""
    with ThreadPoolExecutor(CONNECTIONS) as browser:
        taken = timings({"ours": lambda: list(browser.map(ask, FIRST_VIEW)), "theirs": lambda: ask("diagrams/all/")})
    ratio = taken["ours"].median / taken["theirs"].median
    what = "the room's first view of 2 000 diagrams"
    return Row(what, "diagrams/all/ alone", str(taken["ours"]), str(taken["theirs"]), ratio, 4, at_most=True)


def preview(ask: Callable[..., Any], chosen: list[int], project: Any) -> Row:
    """Size, cost and conflicts of a drawing, compared with shapely with the shapes in memory."""
    team = project.teams()[0].id
    design = json.loads(ask(f"cteams/{team}/", {"description": "Preview", "diagrams": chosen}))["id"]
    frame = project.diagrams().to_geopandas()
    shapes = frame.geometry[frame["diagramid"].isin(chosen)]
    system = project.systems()[0]["id"]
    features = [{"type": "Feature", "properties": {}, "geometry": DRAWING.__geo_interface__}]
    geometry = {"type": "FeatureCollection", "features": features}
    body = {"geometry": geometry, "kind": "project", "design": {"cteamid": team, "synthesisid": design}}
    evaluation = project.system(system).evaluation().to_geopandas()

    def by_shapely() -> list[float]:
        near = shapes.iloc[shapes.sindex.query(DRAWING, predicate="intersects")]
        united, classes = near.union_all(), evaluation.geometry.intersection(DRAWING)
        pieces = [DRAWING, DRAWING.intersection(united), *near.intersection(DRAWING), *classes]
        return [abs(WGS84.geometry_area_perimeter(piece)[0]) for piece in pieces]

    taken = timings({"ours": lambda: ask(f"systems/{system}/preview/", body), "theirs": by_shapely})
    what = f"preview of a drawing beside a design of {DIAGRAMS_OF_DESIGN}"
    return timed_row(what, "shapely + pyproj, shapes in memory", taken["ours"], taken["theirs"])


def design_saved(ask: Callable[..., Any], chosen: list[int], folder: Path) -> Row:
    """Compared with SQLite alone: the same rows in one transaction that is on the disk at its end."""
    database = sqlite3.connect(folder / "alone.sqlite", isolation_level=None)
    database.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE designs (id INTEGER PRIMARY KEY, title TEXT);"
        "CREATE TABLE design_diagrams (design INTEGER, diagram INTEGER, PRIMARY KEY (design, diagram)) WITHOUT ROWID;"
    )

    def alone() -> None:
        database.execute("BEGIN IMMEDIATE")
        design = database.execute("INSERT INTO designs (title) VALUES ('Design')").lastrowid
        database.executemany("INSERT INTO design_diagrams VALUES (?, ?)", [(design, one) for one in chosen])
        database.execute("COMMIT")

    def repeated(save: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [save() for _ in range(sized(20, 2))]

    saved = partial(ask, "cteams/1/", {"description": "Design", "diagrams": chosen})
    taken = timings({"ours": repeated(saved), "theirs": repeated(alone)})
    database.close()
    what = f"{sized(20, 2)} designs of {DIAGRAMS_OF_DESIGN} diagrams saved, one after the other"
    return timed_row(what, "SQLite alone", taken["ours"], taken["theirs"])


def merge(project: Any, folder: Path) -> Row:
    """New diagrams of a copy come home in its archive, compared with the requests that add them."""
    path, ours, theirs = folder / "copy.zip", [], []
    project.archive(path, progress=False)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(PROJECT)
        for turn in range(sized(3, 1)):
            shapes = [affinity.translate(DRAWING, 1e-4 * n, 1e-4 * turn) for n in range(MERGED)]
            frame = gpd.GeoDataFrame({"title": [f"{turn}.{n}" for n in range(MERGED)]}, geometry=shapes, crs=4326)
            add = partial(copy.add_diagrams, 1, frame, title="title", outside="allow", progress=False)
            theirs.append(seconds(add))
            copy.archive(path, progress=False)
            ours.append(seconds(partial(project.merge, path)))
    what = f"merge of a copy of {synthetic.DIAGRAMS:,} diagrams with {MERGED} new ones".replace(",", " ")
    return timed_row(what, "add_diagrams() of the new ones", timing(ours), timing(theirs))


if __name__ == "__main__":
    for row in evening_rows():
        print(f"{row.what} | {row.beside} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.reached}", flush=True)
