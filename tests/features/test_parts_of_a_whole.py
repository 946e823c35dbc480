"""Parts add up to the whole for edges of any length: edges are geodesics, also after a cut."""

from typing import Any

import numpy as np
import pytest
import shapely
from shapely.affinity import rotate, scale, translate

from builders import collection, diagram, feature
from comparisons import with_maps as comparison
from overlays import along_geodesics, hectares

CLASSES = ["red", "yellow", "green"]
# The side of a project in degrees, from a metre to 5 degrees; the shortest edges are a hundredth of it.
SIZES = [1e-3, 1e-2, 0.1, 1, 5]

# Hectares: of pyproj, for polygons of a thousand corners.
ROUNDING = 1e-7


def place(random: np.random.Generator) -> Any:
    return random.uniform((-170, -60), (170, 60))


def divided(random: np.random.Generator, size: float, count: int) -> list[Any]:
    """Rectangles that fill a square, turned: with borders that begin in the middle of others, holes, and slivers."""
    boxes = [(0.0, 0.0, size, size)]
    for _ in range(count):
        west, south, east, north = boxes.pop(int(np.argmax([(box[2] - box[0]) * (box[3] - box[1]) for box in boxes])))
        # Some are slivers.
        share = random.uniform(0.2, 0.8) if random.random() < 0.9 else 1e-4
        if random.random() < 0.5:
            middle = west + share * (east - west)
            boxes += [(west, south, middle, north), (middle, south, east, north)]
        else:
            middle = south + share * (north - south)
            boxes += [(west, south, east, middle), (west, middle, east, north)]
    shapes = []
    for west, south, east, north in boxes:
        whole = shapely.box(west, south, east, north)
        hole = scale(whole, 0.3, 0.3)
        shapes += [whole.difference(hole), hole]
    return shapes


def moved(shapes: list[Any], degrees: float, to: Any) -> list[Any]:
    turned = [rotate(shape, degrees, origin=(0, 0)) for shape in shapes]
    return [translate(shape, *to) for shape in turned]


def stars(random: np.random.Generator, size: float, count: int, corners: int = 9) -> list[Any]:
    found = []
    for middle in random.uniform(0, size / 2, (count, 2)):
        angles = np.sort(random.uniform(0, 2 * np.pi, corners))
        radii = random.uniform(0.2, 1, (corners, 1)) * size
        found.append(
            shapely.make_valid(shapely.Polygon(middle + radii * np.column_stack([np.cos(angles), np.sin(angles)])))
        )
    return found


def project(shapes: list[Any], sysids: Any, designs: Any, zones: Any = ()) -> Any:
    rows = [
        diagram(number, feature(shape.__geo_interface__), sysid=int(sysid), type="project")
        for number, (shape, sysid) in enumerate(zip(shapes, sysids, strict=True), 1)
    ]
    features = [feature(shape.__geo_interface__, areatype=name, color="#fff") for shape, name in zones]
    maps = {f"systems/{sysid}/evaluation/": {"geojson": collection(*features), "sysid": sysid} for sysid in (1, 2)}
    return comparison(rows, designs, **(maps if features else {}))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_classes_and_what_is_outside_are_the_land_of_a_diagram(seed: int, size: float) -> None:
    random = np.random.default_rng(seed)
    to, degrees = place(random), random.uniform(0, 90)
    zones = moved(divided(random, size, 12), degrees * random.integers(2), to)
    shapes = moved(divided(random, size, 6) + stars(random, size, 6), degrees, to)
    classes = random.choice(CLASSES, len(zones))
    # Some land is in no class.
    named = list(zip(zones, classes, strict=True))[:: random.integers(1, 3)]
    table = project(shapes, random.integers(1, 3, len(shapes)), [], named).suitability(scope="project")
    parts = table[[*sorted({name for _, name in named}), "outside"]]
    assert parts.sum(axis=1).to_numpy() == pytest.approx(table["land_ha"].to_numpy(), rel=1e-9)
    assert parts.to_numpy().min() >= 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_the_consensus_of_a_design_without_overlaps_has_the_cost_reports_hectares(seed: int, size: float) -> None:
    random = np.random.default_rng(seed)
    shapes = moved(divided(random, size, 20), random.uniform(0, 90) * (seed > 0), place(random))
    every = list(range(1, len(shapes) + 1))
    compared = project(shapes, random.integers(1, 3, len(shapes)), {"A": every, "B": every[::3]})
    priced = compared.diagrams.groupby("sysid")["area_ha"].sum()
    assert compared.consensus()["area_ha"].groupby(compared.consensus()["sysid"]).sum().to_dict() == pytest.approx(
        priced.to_dict(), rel=1e-9
    )
    assert compared.consensus()["area_ha"].min() > 0
    # Those of the second design have gaps between them, in which geodesics of long edges may cross. So have two
    # diagrams beside a sliver, whatever it is: what a pair has in common depends on no third one.
    pairs = compared.conflicts()
    assert pairs.loc[pairs["design"] == "A", "area_ha"].sum() <= 1e-9 * priced.sum()
    pairs = compared.conflicts("diagrams", "A")
    touching = [
        shapes[one - 1].distance(shapes[other - 1]) < 1e-9 * size
        for one, other in zip(pairs["diagramid_a"], pairs["diagramid_b"], strict=True)
    ]
    assert pairs["area_ha"][touching].sum() <= 1e-9 * priced.sum()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_what_two_systems_share_is_what_an_overlay_of_geodesics_has(seed: int, size: float) -> None:
    random = np.random.default_rng(seed)
    to = place(random)
    shapes = moved(stars(random, size, 2), 0, to)
    # A sliver across the second.
    shapes.append(moved([shapely.box(-size, 0, 2 * size, size / 10_000)], random.uniform(0, 40), to)[0])
    compared = project(shapes, [1, 2, 1], {"A": [1, 3], "B": [2]})
    one, other, sliver = (along_geodesics(shape, 100 if size < 0.1 else 1_000) for shape in shapes)
    expected = hectares(shapely.union(one, sliver).intersection(other))
    for scope in ("project", "between"):
        (row,) = compared.conflicts(scope=scope).itertuples()
        assert row.area_ha == pytest.approx(expected, rel=1e-9, abs=ROUNDING)
    pairs = compared.conflicts("diagrams", "project").set_index(["diagramid_a", "diagramid_b"])["area_ha"]
    assert pairs[1, 2] == pytest.approx(hectares(one.intersection(other)), rel=1e-8, abs=ROUNDING)
    layer = compared.consensus()
    assert layer["area_ha"][layer["designs"] == 2].sum() == pytest.approx(row.area_ha, rel=1e-9)
