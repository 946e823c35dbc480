"""Every figure of the demo project's cost report equals PROJ's, computed from the responses of the service."""

from typing import Any
from unittest.mock import ANY

import pytest
from pyproj import Geod

from pygeodesign import CostReport, Project
from wire import Wire

WGS84 = Geod(ellps="WGS84")


def approximately(number: float) -> Any:
    return pytest.approx(number, rel=1e-9, abs=1e-12)


def hectares(geometry: dict[str, Any]) -> float:
    def area(ring: list[list[float]]) -> float:
        longitudes, latitudes = zip(*ring, strict=True)
        return abs(float(WGS84.polygon_area_perimeter(longitudes, latitudes)[0])) / 10_000

    match geometry["type"]:
        case "Polygon":
            exterior, *holes = map(area, geometry["coordinates"])
            return exterior - sum(holes)
        case "MultiPolygon":
            return sum(hectares({"type": "Polygon", "coordinates": rings}) for rings in geometry["coordinates"])
        case _:
            return 0.0


def kilometres(geometry: dict[str, Any]) -> float:
    def length(line: list[list[float]]) -> float:
        longitudes, latitudes = zip(*line, strict=True)
        return float(WGS84.line_length(longitudes, latitudes)) / 1_000

    match geometry["type"]:
        case "LineString":
            return length(geometry["coordinates"])
        case "MultiLineString":
            return sum(map(length, geometry["coordinates"]))
        case _:
            return 0.0


def expected_row(diagram: dict[str, Any], system_cost: float) -> dict[str, Any]:
    geometries = [feature["geometry"] for feature in diagram["geojson"]["features"]]
    area, length = sum(map(hectares, geometries)), sum(map(kilometres, geometries))
    if not geometries:
        area, length = diagram["area"] / 10_000, diagram["length"]
    own = diagram["cost_override"]
    extent = area or length
    if own and diagram["cost_override_type"] == "total":
        rate, source, cost = None, "total", own
    elif diagram["type"] == "policy":
        rate, source, cost = None, "policy", 0.0
    elif own:
        rate, source, cost = own, "override", own * extent
    else:
        rate, source, cost = system_cost, "system", system_cost * extent
    storeys, is_building = diagram["building_data"], diagram["type"] == "project" and area > 0
    floors = [
        approximately(area * 10_000 * abs(storeys[f"storeys_{side}_ground"])) if is_building and storeys else None
        for side in ("above", "below")
    ]
    above, below = floors if is_building else [0.0, 0.0]
    return {
        "diagramid": diagram["id"],
        "sysid": diagram["sysid"],
        "description": diagram["description"],
        "kind": diagram["type"],
        "area_ha": approximately(area),
        "area_source": "geometry" if geometries else "service",
        "area_figure": None if geometries else ANY,
        "area_problem": None,
        "length_km": approximately(length),
        "pieces": 0,
        "rate": rate,
        "rate_source": source,
        "cost": approximately(cost),
        "cost_problem": None,
        "geometry_problem": None,
        "file_problem": None,
        "floor_above_m2": above,
        "floor_below_m2": below,
    }


@pytest.fixture(scope="module")
def report(project: Project) -> CostReport:
    return project.costs()


@pytest.fixture(scope="module")
def systems(wire: Wire) -> list[dict[str, Any]]:
    return [wire.json(f"systems/{item['id']}/") for item in wire.json("systems/?page_size=100")]


def test_every_diagram_costs_what_the_rules_say(report: CostReport, systems: list[dict[str, Any]], wire: Wire) -> None:
    costs = {system["id"]: system["cost"] for system in systems}
    expected = [expected_row(diagram, costs[diagram["sysid"]]) for diagram in wire.json("diagrams/all/")]
    assert report.diagrams == expected
    sources = {row["rate_source"] for row in report.diagrams}, {row["area_source"] for row in report.diagrams}
    assert sources == ({"total", "policy", "override", "system"}, {"geometry", "service"})


def test_a_system_is_the_sum_of_its_diagrams(report: CostReport, systems: list[dict[str, Any]]) -> None:
    for row, system in zip(report.systems, systems, strict=True):
        own = [diagram for diagram in report.diagrams if diagram["sysid"] == system["id"]]
        area = sum(diagram["area_ha"] or 0 for diagram in own)
        cost = sum(diagram["cost"] or 0 for diagram in own)
        assert row == {
            "sysid": system["id"],
            "name": system["name"],
            "color": system["color"],
            "diagrams": len(own),
            "projects": sum(diagram["kind"] == "project" for diagram in own),
            "policies": sum(diagram["kind"] == "policy" for diagram in own),
            "area_ha": approximately(area),
            "length_km": approximately(sum(diagram["length_km"] or 0 for diagram in own)),
            "pieces": 0,
            "cost": approximately(cost),
            "unpriced": 0,
            "without_rate": 0,
            "lines_at_area_rate": sum(
                diagram["rate_source"] == "system" and diagram["area_ha"] == 0 for diagram in own
            ),
            "points_at_area_rate": 0,
            "budget": system["budget"],
            "budget_left": approximately(system["budget"] - cost),
            "budget_met": cost <= system["budget"],
            "current_ha": system["current_ha"],
            "target_ha": system["target_ha"],
            "target_left_ha": approximately(max(0, system["target_ha"] - system["current_ha"] - area)),
            "target_met": system["current_ha"] + area >= system["target_ha"],
            "floor_m2": approximately(sum((one["floor_above_m2"] or 0) + (one["floor_below_m2"] or 0) for one in own)),
        }


def test_the_total_is_the_sum_of_all(report: CostReport) -> None:
    assert report.total == approximately(sum(row["cost"] for row in report.systems))
    assert report.total == approximately(sum(row["cost"] or 0 for row in report.diagrams))
