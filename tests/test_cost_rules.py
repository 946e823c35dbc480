"""The rules for the cost of a diagram, one test for each rule."""

from typing import Any

import pytest
from pyproj import Geod

from builders import collection, diagram, feature, line, ring, square
from fake_service import FakeService
from pygeodesign import CostReport, DecodeError
from pygeodesign.types import DiagramCost

SYSTEM = {"id": 1, "name": "Water", "color": "#0000ff", "verbose_description": "", "tag": "WAT"}
FIGURES = {"cost": 100, "budget": 5000, "current_ha": 10, "target_ha": 30}
LAND, HOLE, LINE = square(10, 45, 0.01), ring(10.002, 45.002, 0.003), line([10, 45], [10.02, 45.01])
GEOD = Geod(ellps="WGS84")


def hectares(positions: list[list[float]]) -> float:
    longitudes, latitudes = zip(*positions, strict=True)
    return abs(float(GEOD.polygon_area_perimeter(longitudes, latitudes)[0])) / 10_000


HECTARES = hectares(LAND["coordinates"][0])
KILOMETRES = float(GEOD.line_length([10, 10.02], [45, 45.01])) / 1_000


def report(*diagrams: Any, system: dict[str, Any] | None = None) -> CostReport:
    """The cost report of a project with one system, whose rate is 100."""
    detail = system or SYSTEM | FIGURES
    responses = {"systems/": [{"id": 1, "name": "Water"}], "systems/1/": detail, "diagrams/all/": list(diagrams)}
    with FakeService(responses) as service:
        return service.project().costs()


def cost_of(*geometries: Any, areatype: str = "project", **fields: Any) -> DiagramCost:
    """The report's row for a diagram with these geometries and fields."""
    features = [feature(geometry, areatype=areatype) for geometry in geometries]
    (row,) = report(diagram(7, *features, **fields)).diagrams
    return row


def approximately(number: float) -> Any:
    return pytest.approx(number, rel=1e-9)


@pytest.mark.parametrize("kind", ["project", "policy"])
def test_an_override_of_type_total_is_the_cost_of_a_project_and_of_a_policy(kind: str) -> None:
    row = cost_of(LAND, type=kind, cost_override=900, cost_override_type="total")
    assert (row["cost"], row["rate"], row["rate_source"]) == (900, None, "total")


def test_a_policy_costs_nothing() -> None:
    row = cost_of(LAND, type="policy")
    assert (row["cost"], row["rate"], row["rate_source"]) == (0, None, "policy")
    assert row["area_ha"] == approximately(HECTARES)


def test_a_policy_with_a_rate_override_costs_nothing() -> None:
    assert cost_of(LAND, type="policy", cost_override=20, cost_override_type="per hectare.")["cost"] == 0


@pytest.mark.parametrize("text", ["per hectare.", "unit", "", "totally", None])
def test_an_override_of_any_other_type_is_a_rate_per_hectare(text: str | None) -> None:
    row = cost_of(LAND, type="project", cost_override=20, cost_override_type=text)
    assert (row["rate"], row["rate_source"], row["cost"]) == (20, "override", approximately(20 * HECTARES))


@pytest.mark.parametrize("text", ["total", "per hectare."])
@pytest.mark.parametrize("amount", [0, None, "", "0"])
def test_an_override_that_is_zero_or_empty_is_ignored(amount: Any, text: str) -> None:
    row = cost_of(LAND, type="project", cost_override=amount, cost_override_type=text)
    assert (row["rate"], row["rate_source"], row["cost"]) == (100, "system", approximately(100 * HECTARES))


def test_without_an_override_the_rate_is_that_of_the_system() -> None:
    row = cost_of(LAND, type="project")
    assert (row["rate"], row["rate_source"], row["cost"]) == (100, "system", approximately(100 * HECTARES))


def test_the_area_does_not_include_holes() -> None:
    row = cost_of(square(10, 45, 0.01, HOLE), type="project")
    assert row["area_ha"] == approximately(HECTARES - hectares(HOLE))


def test_lines_cost_rate_times_kilometres() -> None:
    row = cost_of(LINE, type="project")
    assert (row["area_ha"], row["length_km"]) == (0, approximately(KILOMETRES))
    assert row["cost"] == approximately(100 * KILOMETRES)


def test_lines_of_a_diagram_that_covers_an_area_cost_nothing() -> None:
    row = cost_of(LAND, LINE, type="project")
    assert (row["area_ha"], row["length_km"]) == (approximately(HECTARES), approximately(KILOMETRES))
    assert row["cost"] == approximately(100 * HECTARES)


def test_the_areas_of_all_features_of_a_diagram_add_up() -> None:
    assert cost_of(LAND, square(11, 45, 0.01), type="project")["cost"] == approximately(200 * HECTARES)


def test_points_have_no_area_and_no_length() -> None:
    row = cost_of({"type": "Point", "coordinates": [10, 45]}, type="project", area=70_000, length=0)
    assert (row["area_ha"], row["length_km"], row["cost"], row["area_source"]) == (0, 0, 0, "geometry")


def test_without_geometry_the_area_is_the_figure_of_the_service() -> None:
    row = cost_of(type="project", area=70_000, length=0)
    assert (row["area_ha"], row["area_source"], row["cost"]) == (approximately(7), "service", approximately(700))


def test_without_geometry_the_length_is_the_figure_of_the_service() -> None:
    row = cost_of(type="project", area=0, length=2.5)
    assert (row["length_km"], row["area_source"], row["cost"]) == (approximately(2.5), "service", approximately(250))


def test_without_geometry_and_figures_the_cost_is_zero() -> None:
    row = cost_of(type="project")
    assert (row["area_ha"], row["length_km"], row["area_source"], row["cost"]) == (0, 0, "none", 0)


@pytest.mark.parametrize(
    ("areatype", "fields", "kind"),
    [
        ("policy", {}, "policy"),
        ("project", {}, "project"),
        ("policy", {"type": "project"}, "project"),
        ("policy", {"type": None}, "policy"),
        ("red", {}, None),
    ],
)
def test_the_kind_is_the_type_field_or_else_the_areatype_of_the_features(
    areatype: str, fields: dict[str, Any], kind: str | None
) -> None:
    assert cost_of(LAND, areatype=areatype, **fields)["kind"] == kind


def test_the_error_for_a_diagram_of_an_unlisted_system_names_both() -> None:
    with pytest.raises(DecodeError, match=r"diagram 8 .*Dune.* system 42\b"):
        report(diagram(7, feature(LAND)), diagram(8, feature(LAND), sysid=42, description="Dune"))


def test_a_project_that_needs_the_missing_rate_of_its_system_is_an_error() -> None:
    with pytest.raises(DecodeError, match=r"diagram 7 .* system 1 .*Water.* no cost"):
        report(diagram(7, feature(LAND), type="project"), system=SYSTEM)


def test_an_override_of_type_total_needs_no_rate_of_the_system() -> None:
    total = diagram(7, feature(LAND), type="project", cost_override=5, cost_override_type="total")
    assert report(total, system=SYSTEM).total == 5


def test_both_sets_of_field_names_of_a_system_give_the_same_costs() -> None:
    other = {"id": 1, "sysname": "Water", "syscolor": "#0000ff", "verbose_description": "", "systag": "WAT"}
    figures = {"syscost": 100, "sysbudget": 5000, "current_ha": 10, "target_ha": 30}
    land = diagram(7, feature(LAND), type="project")
    assert report(land, system=other | figures).systems == report(land).systems


def test_a_system_without_diagrams_has_a_row_of_zeros() -> None:
    (row,) = report().systems
    assert (row["diagrams"], row["cost"], row["budget_left"], row["target_left_ha"]) == (0, 0, 5000, 20)


def test_target_left_and_budget_left_are_negative_once_exceeded() -> None:
    (row,) = report(diagram(7, feature(square(10, 45, 0.1)), type="project")).systems
    assert (row["target_left_ha"] or 0) < 0
    assert (row["budget_left"] or 0) < 0


def test_a_diagram_without_a_geojson_field_has_a_cost() -> None:
    without_geojson = diagram(7, type="project", area=10_000) | {"geojson": collection()}
    del without_geojson["geojson"]
    assert report(without_geojson).total == approximately(100)
