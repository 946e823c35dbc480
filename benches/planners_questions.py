"""Planners' questions about 2 000 diagrams with 5 048 polygons, beside shapely and the seconds that they may take.

    python benches/planners_questions.py

All pairs of diagrams are computed once on each side, because shapely needs more than a minute for them.
"""

import random
import statistics
import sys
from collections.abc import Callable, Iterator
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
from synthetic import SYSTEMS, diagrams

ROUNDS = 5
DESIGNS = 10
# So many areas of pairs are compared with those of shapely's intersections.
SAMPLE = 1_000
# Square degrees: the 100 cm² of which `conflicts()` takes notice, in the latitude of the project.
MIN_AREA = 1.06e-12
# Seconds.
BY_SYSTEM_LIMIT, PAIRS_LIMIT, AGREEMENT_LIMIT, DEMO_OPTIMUM_LIMIT, OPTIMUM_LIMIT = 1.5, 25.0, 1.0, 0.2, 5.0


def planners_rows() -> list[Row]:
    with large_project() as comparison:
        budget, targets = comparison.costs.total / 3, dict.fromkeys(comparison.systems.index, 30_000.0)
        rows = [
            *by_system(comparison),
            *pairs(comparison),
            limit(f"agreement() of {DESIGNS} designs", median_of(comparison.agreement), AGREEMENT_LIMIT),
            limit("optimum() of 2 000 diagrams", median_of(lambda: comparison.optimum(budget, targets)), OPTIMUM_LIMIT),
        ]
    with Sandbox() as sandbox:
        demo = sandbox.client().project(sandbox.project_ids[0]).compare()
        return [*rows, limit("optimum() of the demo", median_of(demo.optimum), DEMO_OPTIMUM_LIMIT)]


@contextmanager
def large_project() -> Iterator[Comparison]:
    """All diagrams are of kind project. Each design has 200 of them."""
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
        ids = [
            project.add_diagram(
                f"System {row['sysid']}", row["geojson"], title=row["description"], feature_type="polygon"
            )["diagram_id"]
            for row in diagrams()
        ]
        choose = random.Random(22)
        yield project.compare({f"Design {number}": choose.sample(ids, 200) for number in range(DESIGNS)})


def by_system(comparison: Comparison) -> list[Row]:
    what = "conflicts() by system"
    lands = land_of_diagrams(comparison)

    def shapely_areas() -> list[float]:
        """In square degrees."""
        united = [shapely.union_all(shapes.to_numpy()) for _, shapes in lands.groupby(comparison.diagrams["sysid"])]
        return [one.intersection(other).area for one, other in combinations(united, 2)]

    same(what, shapely.area(comparison.conflicts().geometry.to_numpy()), np.array(shapely_areas()))
    times = [(seconds(comparison.conflicts), seconds(shapely_areas)) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    return [
        timed(what, "shapely: unions and 36 intersections", ours, theirs),
        limit(what, ours, BY_SYSTEM_LIMIT),
    ]


def pairs(comparison: Comparison) -> list[Row]:
    """Ours are hectares on the ellipsoid, shapely's square degrees."""
    lands = land_of_diagrams(comparison)
    found: list[Any] = []
    ours = seconds(lambda: found.append(comparison.conflicts(by="diagrams", geometry=False, progress=False)))
    theirs = seconds(lambda: found.append(areas_of_pairs(lands.to_numpy())))
    frame, areas = found
    what = f"conflicts() of {len(frame):,} pairs of diagrams"
    same(f"the number of {what}", np.array([len(frame)]), np.array([(areas > MIN_AREA).sum()]), rtol=1e-4)
    some = frame.sample(SAMPLE, random_state=1)
    shapes = lands[some["diagramid_a"]].intersection(lands[some["diagramid_b"]], align=False)
    same(what, some["area_ha"].to_numpy(), pygeodesign.measure(shapes)["area_ha"].to_numpy())
    return [timed(what, "shapely: one intersection after the other", ours, theirs), limit(what, ours, PAIRS_LIMIT)]


def areas_of_pairs(lands: Any) -> Any:
    """In square degrees."""
    one, other = shapely.STRtree(lands).query(lands, predicate="intersects")
    once = one < other
    return shapely.area(shapely.intersection(lands[one[once]], lands[other[once]]))


def land_of_diagrams(comparison: Comparison) -> gpd.GeoSeries:
    """The polygons of each diagram, united: those of one diagram may overlap."""
    parts = comparison.diagrams.geometry.map(shapely.get_parts)
    return gpd.GeoSeries(parts.map(shapely.union_all), crs=4326)


def same(what: str, ours: Any, theirs: Any, rtol: float = 1e-6) -> None:
    if ours.shape != theirs.shape or not np.allclose(np.sort(ours), np.sort(theirs), rtol=rtol):
        sys.exit(f"{what}: shapely gives another result, so the times are not comparable")


def timed(what: str, beside: str, ours: float, theirs: float) -> Row:
    return Row(what, beside, f"{ours:.3g} s", f"{theirs:.3g} s", theirs / ours)


def limit(what: str, taken: float, limit: float) -> Row:
    return Row(what, f"{limit:g} s", f"{taken:.3g} s", f"{limit:g} s", taken / limit, 1, at_most=True)


def median_of(task: Callable[[], Any]) -> float:
    return statistics.median(seconds(task) for _ in range(ROUNDS))


if __name__ == "__main__":
    for row in planners_rows():
        print(f"{row.what} | {row.beside} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.reached}", flush=True)
