"""Planners' questions about 2 000 diagrams with 5 048 polygons, beside shapely on as many threads as ours uses.

python benches/planners_questions.py
"""

import os
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import combinations
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

import pygeodesign
from harness import Row, seconds
from pygeodesign import Client, Sandbox
from pygeodesign.planning import Comparison
from synthetic import SYSTEMS, add, diagrams

ROUNDS = 5
# Diagrams and their polygons: by system, and for all pairs, which would take minutes for all of the first.
BY_SYSTEM, OF_PAIRS = (2_000, 5_048), (1_000, 2_524)
# The areas of this many pairs are compared with those of shapely's intersections.
SAMPLE = 1_000
# Square degrees: the 100 cm² of which `conflicts()` takes notice, in the latitude of the project.
MIN_AREA = 1.06e-12


def planners_rows() -> Iterator[Row]:
    with comparison_of(*BY_SYSTEM) as comparison:
        yield by_system(comparison)
    with comparison_of(*OF_PAIRS) as comparison:
        yield pairs(comparison)


@contextmanager
def comparison_of(count: int, polygons: int) -> Iterator[Comparison]:
    """A project with this many diagrams, all of kind project."""
    west, south, east, north = -74.21, 40.49, -74.09, 40.61
    systems: Any = [
        {"name": f"System {number}", "color": "#2B7BBA", "cost": 100_000} for number in range(1, SYSTEMS + 1)
    ]
    with Sandbox() as sandbox:
        client: Client = sandbox.client()
        created = client.create_project(
            sandbox.creation_code(), title="Planners", bounds=(west, south, east, north), systems=systems
        )
        project = client.project(created)
        project_url, system_ids = f"{sandbox.url}projects/{project.id}/", [system["id"] for system in project.systems()]
        ids = [
            add(project_url, sandbox.token(), row | {"type": "project", "sysid": system_ids[row["sysid"] - 1]})
            for row in diagrams(count, polygons)
        ]
        yield project.compare({"All": ids})


def by_system(comparison: Comparison) -> Row:
    what = "conflicts() by system"
    lands, systems = land_of_diagrams(comparison), comparison.diagrams["sysid"]

    def shapely_areas() -> list[float]:
        """In square degrees."""
        with ThreadPoolExecutor() as threads:
            lands_of_systems = [shapes.to_numpy() for _, shapes in lands.groupby(systems)]
            united = list(threads.map(shapely.union_all, lands_of_systems))
            return list(threads.map(lambda pair: pair[0].intersection(pair[1]).area, combinations(united, 2)))

    same(what, shapely.area(comparison.conflicts(scope="project").geometry.to_numpy()), np.array(shapely_areas()))
    times = [(seconds(lambda: comparison.conflicts(scope="project")), seconds(shapely_areas)) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    return timed(what, "shapely: unions and 36 intersections, on all processors", ours, theirs, 1)


def pairs(comparison: Comparison) -> Row:
    """Ours are hectares on the ellipsoid, shapely's square degrees."""
    lands = land_of_diagrams(comparison)
    found: list[Any] = []
    ours = seconds(lambda: found.append(comparison.conflicts("diagrams", "project", geometry=False, progress=False)))
    theirs = seconds(lambda: found.append(areas_of_pairs(lands.to_numpy())))
    frame, areas = found
    what = f"conflicts() of {len(frame):,} pairs of diagrams"
    same(f"the number of {what}", np.array([len(frame)]), np.array([(areas > MIN_AREA).sum()]), rtol=1e-4)
    some = frame.sample(SAMPLE, random_state=1)
    shapes = lands[some["diagramid_a"]].intersection(lands[some["diagramid_b"]], align=False)
    # A tenth of a square metre: shapely cuts edges on straight lines.
    same(what, some["area_ha"].to_numpy(), pygeodesign.measure(shapes)["area_ha"].to_numpy(), atol=1e-5)
    return timed(what, "shapely: an intersection of each pair, on all processors", ours, theirs, 1)


def areas_of_pairs(lands: Any) -> Any:
    """In square degrees. Each thread takes a part of the pairs: shapely releases the GIL."""
    one, other = shapely.STRtree(lands).query(lands, predicate="intersects")
    once = one < other
    parts = os.cpu_count() or 1
    with ThreadPoolExecutor(parts) as threads:
        shares = zip(np.array_split(one[once], 8 * parts), np.array_split(other[once], 8 * parts), strict=True)
        areas = threads.map(lambda pair: shapely.area(shapely.intersection(lands[pair[0]], lands[pair[1]])), shares)
        return np.concatenate(list(areas))


def land_of_diagrams(comparison: Comparison) -> gpd.GeoSeries:
    """The polygons of each diagram, united: those of one diagram may overlap."""
    parts = comparison.diagrams.geometry.map(shapely.get_parts)
    return gpd.GeoSeries(parts.map(shapely.union_all), crs=4326)


def same(what: str, ours: Any, theirs: Any, rtol: float = 1e-6, atol: float = 1e-8) -> None:
    if ours.shape != theirs.shape or not np.allclose(np.sort(ours), np.sort(theirs), rtol=rtol, atol=atol):
        sys.exit(f"{what}: shapely gives another result, so the times are not comparable")


def timed(what: str, beside: str, ours: float, theirs: float, goal: float) -> Row:
    return Row(what, beside, f"{ours:.3g} s", f"{theirs:.3g} s", theirs / ours, goal)


if __name__ == "__main__":
    for row in planners_rows():
        print(f"{row.what} | {row.beside} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.reached}", flush=True)
