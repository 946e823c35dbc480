"""A project with very many diagrams."""

import math
import random
from collections.abc import Iterator
from typing import Any

DIAGRAMS = 2_000
POLYGONS = 5_000
CORNERS = 30


def polygon(chance: random.Random, x: float, y: float, radius: float = 0.003) -> list[list[list[float]]]:
    ring = []
    for corner in range(CORNERS):
        angle, reach = 2 * math.pi * corner / CORNERS, radius * chance.uniform(0.75, 1)
        ring.append([round(x + reach * math.cos(angle), 6), round(y + 0.8 * reach * math.sin(angle), 6)])
    return [[*ring, ring[0]]]


def collections(systems: int) -> Iterator[dict[str, Any]]:
    """The diagrams of each system."""
    chance = random.Random(7)
    for system in range(systems):
        features = []
        for number in range(system, DIAGRAMS, systems):
            x, y = chance.uniform(-74.24, -74.07), chance.uniform(40.51, 40.64)
            count = POLYGONS // DIAGRAMS + number % 2
            parts = [polygon(chance, x + 0.008 * part, y + 0.004 * chance.random()) for part in range(count)]
            geometry = {"type": "MultiPolygon", "coordinates": parts}
            features.append({"type": "Feature", "properties": {"title": f"Diagram {number}"}, "geometry": geometry})
        yield {"type": "FeatureCollection", "features": features}
