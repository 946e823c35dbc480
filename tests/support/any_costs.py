"""Projects with drawings of all kinds, and the comparison of the service's costs with those of the client's report."""

import random
from typing import Any

from builders import line, square
from pygeodesign import CostReport
from pygeodesign.types import CostFigures
from small_project import GREEN, WATER, Workshop


def assert_same(figures: CostFigures, report: CostReport) -> None:
    """To the last bit: both add the same numbers in the same order."""
    assert figures["systems"] == report.systems
    assert figures["diagrams"] == report.diagrams
    for name in ("total", "unpriced", "without_rate", "lines_at_area_rate", "selection"):
        assert figures[name] == getattr(report, name), name
    assert figures["project"] == report.project_title


def drawing(chance: random.Random) -> Any:
    """Squares or lines in the study area, one feature or three."""
    west, south = chance.uniform(-9.2, -9.1), chance.uniform(38.7, 38.78)
    if chance.random() < 0.3:
        return line([west, south], [west + 0.004, south + 0.003], [west + 0.004, south])
    parts = [
        square(west + 0.003 * part, south, chance.uniform(0.0001, 0.0025)) for part in range(chance.choice([1, 3]))
    ]
    features = [{"type": "Feature", "properties": {}, "geometry": part} for part in parts]
    return {"type": "FeatureCollection", "features": features}


def fill(workshop: Workshop, chance: random.Random, count: int = 25) -> list[int]:
    project = workshop.project
    ids: list[int] = []
    for number in range(count):
        system = chance.choice([WATER, GREEN])
        kind: Any = chance.choice(["project", "project", "policy"])
        if chance.random() < 0.2:
            cost: Any = chance.choice([{}, {"cost": 900, "cost_type": "total"}, {"cost": 7, "cost_type": "unit"}])
            url = "https://data.example.org/parks.fgb"
            added = project.system(system).add_external(
                url, title=f"{number}", layer_type="fgb-layer", kind=kind, **cost
            )
        else:
            added = project.add_diagram(system, drawing(chance), title=f"{number}", kind=kind, outside="allow")
        ids.append(added.id)
        if chance.random() < 0.4:
            override: Any = chance.choice([{"cost": 12.5, "cost_type": "unit"}, {"cost": 1e6, "cost_type": "total"}])
            project.diagram(ids[-1]).edit(**override)
    project.system(GREEN).edit(cost=chance.choice([0, 31.7]), budget=5e6, current_ha=3, target_ha=40)
    return ids
