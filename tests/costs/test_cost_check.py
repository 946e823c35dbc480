"""`costs(check=True)` marks diagrams with an invalid geometry, whose cost may be wrong."""

import asyncio
from typing import Any

import pytest

from builders import Json, diagram, feature, ring, square
from fake_service import FakeService
from pygeodesign import CostReport, Project

SYSTEM = {"id": 1, "name": "Water", "color": "#0000ff", "tag": "WAT", "cost": 100, "budget": 0}
LAND = feature(square(0, 0, 0.01))
HOLE_OUTSIDE = feature(square(0, 0, 0.01, ring(5, 5, 0.01)))
TWICE = feature({"type": "MultiPolygon", "coordinates": [[ring(0, 0, 0.01)]] * 2})
DIAGRAMS = [diagram(7, LAND), diagram(8, LAND, HOLE_OUTSIDE, TWICE), diagram(9), diagram(10, TWICE)]


def service_with(*diagrams: Json) -> FakeService:
    return FakeService({"systems/": [SYSTEM], "systems/1/": SYSTEM, "diagrams/all/": list(diagrams)})


def checked(*diagrams: Json, **choice: Any) -> CostReport:
    with service_with(*diagrams) as service:
        return service.project().costs(check=True, **choice)


def test_the_geometry_problem_of_a_diagram_is_the_first_of_its_features() -> None:
    problems = {row["diagramid"]: row["geometry_problem"] for row in checked(*DIAGRAMS).diagrams}
    assert problems[7] is problems[9] is None
    assert problems[8] and problems[8].startswith("part 0, ring 1 is a hole that lies outside the exterior")
    assert problems[8].endswith("(and 1 other feature)")
    assert problems[10] and problems[10].startswith("part 1 overlaps part 0")


def test_the_report_says_how_many_diagrams_are_not_valid() -> None:
    report = checked(*DIAGRAMS)
    assert report.invalid == 2
    assert "not valid: 2" in repr(report)
    assert "Geometry not valid for 2 diagrams: area and cost may be wrong." in report._repr_html_()


def test_only_the_priced_diagrams_count() -> None:
    report = checked(*DIAGRAMS, diagrams=[7, 10])
    assert (len(report.diagrams), report.invalid) == (2, 1)


def test_a_valid_project_is_said_to_be_so(project: Project) -> None:
    report = project.costs(check=True)
    assert report.invalid == 0
    assert "The geometries of all diagrams are valid." in report._repr_html_()
    assert "valid" not in repr(report)


def test_without_the_check_nothing_is_said_of_validity() -> None:
    with service_with(*DIAGRAMS) as service:
        report = service.project().costs()
    assert report.invalid is None
    assert {row["geometry_problem"] for row in report.diagrams} == {None}
    assert "valid" not in report._repr_html_() + repr(report)


@pytest.mark.parametrize("frame", ["to_pandas", "to_geopandas"])
def test_a_frame_has_a_column_with_the_problems(frame: str) -> None:
    report = checked(*DIAGRAMS)
    rows = report.to_pandas("diagrams") if frame == "to_pandas" else report.to_geopandas()
    assert rows["geometry_problem"].notna().tolist() == [False, True, False, True]


def test_the_cost_is_that_of_the_geometry_as_it_is() -> None:
    with service_with(*DIAGRAMS) as service:
        unchecked = service.project().costs()
    assert checked(*DIAGRAMS).systems == unchecked.systems


def test_an_awaited_report_is_checked_too() -> None:
    async def report() -> CostReport:
        with service_with(*DIAGRAMS) as service:
            return await service.async_project().costs(check=True)

    assert asyncio.run(report()).invalid == 2
