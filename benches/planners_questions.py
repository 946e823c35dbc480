"""Planners' questions about 2 000 diagrams with 5 048 polygons, compared with shapely and HiGHS.

python benches/planners_questions.py
"""

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

import synthetic
from harness import SMALL, Row, seconds, sized, timed_row, timings
from pygeodesign import Project, Sandbox
from pygeodesign.planning import Comparison

ROUNDS = sized(3, 1)
DESIGNS, DIAGRAMS_OF_DESIGN = 10, sized(200, 20)
# The budget as a share of the cost of all diagrams, and each system's target as a share of their hectares.
BUDGET, TARGET = 0.2, 0.4
POINTS = sized(8, 3)
# Seconds for HiGHS to prove a choice, the same as for `optimum()`.
TIME_LIMIT = 4


def planners_rows() -> Iterator[Row]:
    with Sandbox() as sandbox:
        project = project_of(sandbox)
        chance = random.Random(3)
        ids = [diagram["id"] for diagram in project.diagrams(fields="summary")]
        designs = {f"Design {n + 1}": chance.sample(ids, DIAGRAMS_OF_DESIGN) for n in range(DESIGNS)}
        comparison = project.compare(designs)
    yield by_system(comparison)
    yield report(comparison)
    yield from best_choices(comparison)


def project_of(sandbox: Sandbox) -> Project:
    """A project with the synthetic diagrams, all of kind project."""
    client: Any = sandbox.client()
    systems: Any = [
        {"name": f"System {number}", "color": "#2B7BBA", "cost": 100_000 + 1_000 * number}
        for number in range(1, synthetic.SYSTEMS + 1)
    ]
    bounds = (synthetic.WEST - 0.01, synthetic.SOUTH - 0.01, synthetic.EAST + 0.01, synthetic.NORTH + 0.01)
    created = client.create_project(sandbox.creation_code(), title="Planners", bounds=bounds, systems=systems)
    project: Project = client.project(created)
    system_ids = [system["id"] for system in project.systems()]
    for row in synthetic.diagrams():
        row |= {"type": "project", "sysid": system_ids[row["sysid"] - 1]}
        synthetic.add(f"{sandbox.url}projects/{created}/", sandbox.token(), row)
    return project


def by_system(comparison: Comparison) -> Row:
    lands, systems = land_of_diagrams(comparison), comparison.diagrams["sysid"]

    def by_shapely() -> list[float]:
        """In square degrees."""
        groups = [shapes.to_numpy() for _, shapes in lands.groupby(systems)]
        return intersections(groups)

    what, ask = "conflicts() by system", partial(comparison.conflicts, scope="project")
    same(what, shapely.area(ask().geometry.to_numpy()), np.array(by_shapely()))
    return beside(what, ask, "shapely: unions and 36 intersections", by_shapely)


def report(comparison: Comparison) -> Row:
    lands = land_of_diagrams(comparison)
    groups = [lands[ids].to_numpy() for ids in comparison.designs.values()]
    what = f"a report of {DESIGNS} designs of {DIAGRAMS_OF_DESIGN} diagrams"
    return beside(what, comparison.to_html, "shapely: unions and 45 intersections", lambda: intersections(groups), 1)


def intersections(groups: list[Any]) -> list[float]:
    """The areas shared by each two groups of shapes, on all processors: shapely releases the GIL."""
    with ThreadPoolExecutor() as threads:
        united = list(threads.map(shapely.union_all, groups))
        return list(threads.map(lambda pair: pair[0].intersection(pair[1]).area, combinations(united, 2)))


def best_choices(comparison: Comparison) -> Iterator[Row]:
    diagrams = comparison.diagrams
    budget = BUDGET * diagrams["cost"].sum()
    targets = TARGET * diagrams.groupby("sysid")["area_ha"].sum()
    wanted = {int(sysid): float(area) for sysid, area in targets.items()}
    what = f"of {len(diagrams):,} diagrams".replace(",", " ")
    best = comparison.optimum(budget, wanted)
    theirs = shortfall_by_highs(comparison, budget, targets)
    if best.gap == 0 and best.shortfall > theirs + 1e-6:
        sys.exit(f"optimum() {what}: HiGHS finds a better choice, {theirs} instead of {best.shortfall}")
    highs = "scipy.optimize.milp (HiGHS), the least shortfall alone"
    yield beside(
        f"optimum() {what}",
        lambda: comparison.optimum(budget, wanted),
        highs,
        lambda: shortfall_by_highs(comparison, budget, targets),
        2,
    )
    found: list[Any] = []
    ask = partial(comparison.pareto, "cost", "shortfall", POINTS, targets=wanted, progress=False)
    ours = seconds(lambda: found.append(ask()))
    costs = found[0].points["cost"]
    theirs = seconds(lambda: [shortfall_by_highs(comparison, cost, targets) for cost in costs])
    shown = (f"{ours:.3g} s", f"{theirs:.3g} s")
    yield Row(f"pareto() {what}, {len(costs)} points", "scipy.optimize.milp (HiGHS), each point", *shown, theirs / ours)


def shortfall_by_highs(comparison: Comparison, budget: float, targets: Any) -> float:
    """The least sum of the missing shares of targets, or the best solution found in time."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, hstack, identity

    diagrams = comparison.diagrams
    count, systems = len(diagrams), targets.index
    row = systems.get_indexer(diagrams["sysid"])
    share = diagrams["area_ha"].to_numpy() / targets.to_numpy()[row]
    covered = hstack([csr_array((share, (row, np.arange(count))), (len(systems), count)), identity(len(systems))])
    spent = np.append(diagrams["cost"].to_numpy() / max(budget, 1), np.zeros(len(systems)))
    found = milp(
        np.append(np.zeros(count), np.ones(len(systems))),
        integrality=np.append(np.ones(count), np.zeros(len(systems))),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(covered, lb=1), LinearConstraint(spent, ub=1)],
        options={"time_limit": TIME_LIMIT, "mip_rel_gap": 0},
    )
    return np.inf if found.fun is None else float(found.fun)


def land_of_diagrams(comparison: Comparison) -> gpd.GeoSeries:
    """The union of each diagram's polygons, which may overlap."""
    parts = comparison.diagrams.geometry.map(shapely.get_parts)
    return gpd.GeoSeries(parts.map(shapely.union_all), crs=4326)


def same(what: str, ours: Any, theirs: Any) -> None:
    theirs = theirs[theirs > 0] if SMALL else theirs
    if ours.shape != theirs.shape or not np.allclose(np.sort(ours), np.sort(theirs), rtol=1e-6, atol=1e-8):
        sys.exit(f"{what}: shapely gives another result, so the times are not comparable")


def beside(what: str, ours: Any, peer: str, theirs: Any, rounds: int = ROUNDS) -> Row:
    taken = timings({"ours": ours, "theirs": theirs}, rounds)
    return timed_row(what, peer, taken["ours"], taken["theirs"], None)


if __name__ == "__main__":
    for row in planners_rows():
        print(f"{row.what} | {row.beside} | {row.ours} | {row.theirs} | {row.ratio:.2f} | {row.reached}", flush=True)
