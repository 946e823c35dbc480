"""A synthetic project of a large workshop's size. The same seed gives the same project."""

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from harness import sized

DIAGRAMS = sized(2_000, 60)
FEATURES = sized(5_048, 150)
# Positions per polygon.
VERTICES = 100
PROJECT = "BenchProject0001"
SYSTEMS = 9
# The study area of the diagrams, around the demo's: each place lies under five of them.
WEST, SOUTH, EAST, NORTH = -74.33, 40.43, -73.99, 40.71


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
    """A hand-drawn outline of about ninety hectares around a random position, which never crosses itself."""
    west, south, radius = rng.uniform(WEST, EAST), rng.uniform(SOUTH, NORTH), rng.uniform(0.0048, 0.0062)
    bays, depth, phase = rng.randint(2, 5), rng.uniform(0.05, 0.3), rng.uniform(0, 2 * math.pi)
    turn = 2 * math.pi / (VERTICES - 1)
    angles = [step * turn for step in range(VERTICES - 1)]
    reach = [radius * (1 + depth * math.sin(bays * angle + phase)) for angle in angles]
    ring = [[west + r * math.cos(angle), south + r * math.sin(angle)] for angle, r in zip(angles, reach, strict=True)]
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


def write_responses(folder: Path, count: int = DIAGRAMS) -> bytes:
    """Writes the files of a static server for `count` diagrams. Returns the body of `diagrams/all/`."""
    project = folder / "projects" / PROJECT
    (project / "systems").mkdir(parents=True)
    (project / "diagrams").mkdir()
    texts = [json.dumps(diagram, separators=(",", ":")) for diagram in diagrams()]
    # After the first ones, diagrams repeat with other ids.
    rows = (
        texts[number % DIAGRAMS].replace(f'"id":{1001 + number % DIAGRAMS},', f'"id":{1001 + number},')
        for number in range(count)
    )
    body = f"[{','.join(rows)}]".encode()
    lists = {"diagrams/all": (body, count), "systems": (json.dumps(systems()).encode(), SYSTEMS)}
    for name, (content, items) in lists.items():
        (project / f"{name}.json").write_bytes(content)
        (project / f"{name}.count").write_text(str(items), encoding="ascii")
    for system in systems():
        (project / "systems" / f"{system['id']}.json").write_text(json.dumps(system), encoding="utf-8")
    return body


def add(project_url: str, token: str, diagram: dict[str, Any]) -> int:
    """Adds a diagram by a request, like programs in other languages; our client refuses polygons that overlap."""
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
