"""A project as large as a workshop's gets, made up: the same for the same seed."""

import json
import math
import random
from collections.abc import Iterator
from typing import Any

DIAGRAMS = 2_000
FEATURES = 5_048
VERTICES = 100
PROJECT = "BenchProject0001"
SYSTEMS = 9


def diagrams(count: int = DIAGRAMS, features: int = FEATURES, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Diagrams as `diagrams/all/` answers them, with as many features in all as asked for."""
    chance = random.Random(seed)
    for number in range(count):
        own = features * (number + 1) // count - features * number // count
        kind = "policy" if number % 5 == 0 else "project"
        system = number % SYSTEMS + 1
        properties = {
            "diagramid": 1001 + number,
            "areatype": kind,
            "author": f"member.{number % 50:02}",
            "color": f"#{number * 37 % 0xFFFFFF:06X}",
            "sysid": system,
            "sysname": f"System {system}",
            "systag": f"S{system}",
            "tag_codes": "AH|LS",
            "description": f"Diagram {number}: something that a team proposes",
        }
        shapes = [{"type": "Feature", "properties": properties, "geometry": blob(chance, VERTICES)} for _ in range(own)]
        yield {
            "geojson": {"type": "FeatureCollection", "features": shapes},
            "sysid": system,
            "rank": number + 1,
            "id": 1001 + number,
            "description": properties["description"],
            "type": kind,
            "length": 0,
            "area": 120_000.5,
            "fundingtype": "public",
            "cost_override": 0,
            "cost_override_type": "",
            "building_data": {},
            "notes": "",
            "created_at": "2026-03-02T09:30:00.123456",
            "start_date": "2030-01-01",
            "end_date": "2035-12-31",
            "additional_metadata": {"phase": number % 3},
            "tag_codes": "AH|LS",
            "flat_geobuf_url": None,
            "external_geometries": None,
        }


def blob(chance: random.Random, vertices: int) -> dict[str, Any]:
    """A polygon around some place, star-shaped, so that it never crosses itself."""
    west, south = chance.uniform(-74.2, -74.1), chance.uniform(40.5, 40.6)
    radii = [chance.uniform(0.004, 0.006) for _ in range(vertices - 1)]
    turn = 2 * math.pi / len(radii)
    ring = [[west + r * math.cos(step * turn), south + r * math.sin(step * turn)] for step, r in enumerate(radii)]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def systems() -> list[dict[str, Any]]:
    """As `systems/` answers them."""
    return [
        {
            "id": number,
            "name": f"System {number}",
            "color": "#2B7BBA",
            "verbose_description": "",
            "sysid": number,
            "tag": f"S{number}",
            "cost": 100_000,
            "budget": 1e9,
            "current_ha": 0,
            "target_ha": 100,
        }
        for number in range(1, SYSTEMS + 1)
    ]


def body(count: int = DIAGRAMS, features: int = FEATURES) -> bytes:
    return json.dumps(list(diagrams(count, features)), separators=(",", ":")).encode()
