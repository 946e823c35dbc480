"""A synthetic project as large as those of large workshops. The same seed gives the same project."""

import json
import math
import random
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

DIAGRAMS = 2_000
FEATURES = 5_048
# Positions per polygon.
VERTICES = 100
PROJECT = "BenchProject0001"
SYSTEMS = 9


def diagrams(count: int = DIAGRAMS, features: int = FEATURES, seed: int = 7) -> Iterator[dict[str, Any]]:
    """`count` diagrams in the format of `diagrams/all/`, with `features` features in total."""
    rng = random.Random(seed)
    for number in range(count):
        feature_count = features * (number + 1) // count - features * number // count
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
        own_features = [
            {"type": "Feature", "properties": properties, "geometry": random_polygon(rng)} for _ in range(feature_count)
        ]
        yield {
            "geojson": {"type": "FeatureCollection", "features": own_features},
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


def random_polygon(rng: random.Random) -> dict[str, Any]:
    """A star-shaped polygon around a random position, which never crosses itself."""
    west, south = rng.uniform(-74.2, -74.1), rng.uniform(40.5, 40.6)
    radii = [rng.uniform(0.004, 0.006) for _ in range(VERTICES - 1)]
    turn = 2 * math.pi / len(radii)
    ring = [[west + r * math.cos(step * turn), south + r * math.sin(step * turn)] for step, r in enumerate(radii)]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def systems() -> list[dict[str, Any]]:
    """Systems in the format of `systems/`."""
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
    """The body of `diagrams/all/`."""
    return json.dumps(list(diagrams(count, features)), separators=(",", ":")).encode()


def add(project_url: str, token: str, diagram: dict[str, Any]) -> int:
    """Adds a diagram by a request, as programs in other languages do; our client refuses polygons that overlap."""
    features = [feature | {"properties": None} for feature in diagram["geojson"]["features"]]
    drawn = {
        "geometry": {"type": "FeatureCollection", "features": features},
        "featuretype": "polygon",
        "description": diagram["description"],
        "fundingtype": "pu",
    }
    request = Request(
        f"{project_url}systems/{diagram['sysid']}/add/{diagram['type']}/",
        json.dumps(drawn).encode(),
        {"Authorization": f"Token {token}", "Content-Type": "application/json"},
    )
    with urlopen(request, timeout=60) as response:
        return int(json.load(response)["diagram_id"])
