"""A polygon can be drawn exactly if shapely calls it valid, and the drawing's area is pyproj's."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyproj
import pytest
import shapely

from builders import collection, feature
from pygeodesign import InputError
from small_project import WATER, Workshop, running_workshop

WGS84 = pyproj.Geod(ellps="WGS84")
SHAPES = 1000
Ring = list[tuple[float, float]]


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with running_workshop() as workshop:
        yield workshop


def random_shapes() -> Iterator[shapely.Geometry]:
    """Polygons with holes and parts that often touch or share an edge; about half of the polygons are valid."""
    chance = random.Random(2026)
    for _ in range(SHAPES):
        lattice = chance.random() < 0.7
        parts = []
        for part in range(chance.randint(1, 3)):
            west = 10 * part + chance.randint(-3, 0)
            holes = [
                random_ring(chance, west + chance.randint(0, 6), chance.randint(0, 6), chance.randint(1, 4), lattice)
                for _ in range(chance.choice([0, 0, 1, 2, 3]))
            ]
            parts.append((random_ring(chance, west, 0, 10, lattice), holes))
        yield shapely.Polygon(*parts[0]) if len(parts) == 1 else shapely.MultiPolygon(parts)


def random_ring(chance: random.Random, west: float, south: float, size: float, lattice: bool) -> Ring:
    """A square, a diamond or a triangle on a lattice, or a star anywhere, in either direction."""
    half = size / 2
    square = [(0.0, 0.0), (size, 0.0), (size, size), (0.0, size)]
    diamond = [(half, 0.0), (size, half), (half, size), (0.0, half)]
    star = [
        (half + half * radius * math.cos(angle), half + half * radius * math.sin(angle))
        for angle in (math.tau * step / 9 for step in range(9))
        for radius in [chance.uniform(0.5, 1)]
    ]
    ring = chance.choice([square, square, diamond, square[:3]]) if lattice else star
    # Squares of about ten kilometres, in Lisbon.
    placed = [(-9.2 + (west + x) / 64, 38.7 + (south + y) / 64) for x, y in ring]
    return placed[:: chance.choice([1, -1])]


def hectares(polygon: shapely.Polygon) -> float:
    areas = [abs(WGS84.polygon_area_perimeter(*ring.xy)[0]) for ring in (polygon.exterior, *polygon.interiors)]
    return float(areas[0] - sum(areas[1:])) / 10_000


def refusal(workshop: Workshop, shape: shapely.Geometry) -> str | None:
    """The client's message."""
    try:
        workshop.project.add_diagram(WATER, shape, title="Random", outside="allow")
    except InputError as refused:
        return str(refused).removeprefix("feature 0: ")
    return None


def refusal_by_service(workshop: Workshop, shape: shapely.Geometry) -> str | None:
    """The service's message for another program."""
    drawn: Any = collection(feature(shapely.geometry.mapping(shape)))
    body = {"geometry": drawn, "featuretype": "polygon", "description": "Random", "fundingtype": "pu"}
    answer = workshop.send("POST", f"systems/{WATER}/add/project/", body)
    assert answer.status_code in (200, 400)
    return answer.text if answer.status_code == 400 else None


@pytest.mark.slow
def test_a_thousand_random_shapes_are_drawn_just_when_shapely_calls_them_valid(workshop: Workshop) -> None:
    verdicts: Counter[bool] = Counter()
    areas: list[float] = []
    for shape in random_shapes():
        refused = refusal(workshop, shape)
        assert (refused is None) == shape.is_valid, f"{refused}; {shapely.is_valid_reason(shape)}: {shape}"
        verdicts[shape.is_valid] += 1
        if shape.is_valid:
            areas.append(sum(map(hectares, shapely.get_parts(shape))))
    assert min(verdicts.values()) > SHAPES / 5
    measured = [row["area_ha"] or 0.0 for row in workshop.project.costs().diagrams]
    assert sorted(measured) == pytest.approx(sorted(areas), rel=1e-9)


def test_the_service_refuses_what_the_client_refuses_in_the_same_words(workshop: Workshop) -> None:
    for shape, _ in zip(random_shapes(), range(100), strict=False):
        refused, refused_by_service = refusal(workshop, shape), refusal_by_service(workshop, shape)
        assert (refused is None) == (refused_by_service is None)
        assert refused is None or refused.split(";")[0] in str(refused_by_service)
