"""The rules for the cost of a diagram, one test for each rule."""

from typing import Any

import pytest
from pyproj import Geod

from builders import collection, diagram, feature, line, ring, square
from fake_service import FakeService
from pygeodesign import CostReport
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


def test_without_geometry_the_area_is_the_figure_of_the_service() -> None:
    row = cost_of(type="project", area=70_000, length=0)
    assert (row["area_ha"], row["area_source"], row["cost"]) == (approximately(7), "service", approximately(700))


def test_without_geometry_the_length_is_the_figure_of_the_service() -> None:
    row = cost_of(type="project", area=0, length=2.5)
    assert (row["length_km"], row["area_source"], row["cost"]) == (approximately(2.5), "service", approximately(250))


@pytest.mark.parametrize("figures", [{}, {"area": 0, "length": 0}, {"area": None, "length": None}], ids=str)
def test_an_area_that_nobody_knows_is_not_priced(figures: dict[str, Any]) -> None:
    outcome = report(diagram(7, type="project", **figures), diagram(8, feature(LAND), type="project"))
    unknown, known = outcome.diagrams
    assert (unknown["area_source"], unknown["area_ha"], unknown["length_km"]) == ("unknown", None, None)
    assert (unknown["rate"], unknown["cost"]) == (100, None)
    assert outcome.total == known["cost"] == approximately(100 * HECTARES)
    assert (outcome.unpriced, outcome.without_rate, outcome.systems[0]["unpriced"]) == (1, 0, 1)
    assert "not priced: 1" in repr(outcome)
    assert "Area unknown for 1 diagram with a rate" in outcome._repr_html_()


AROUND = {
    "whole Earth": [[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]],
    "band": [[-180, 10], [180, 10], [180, 20], [-180, 20], [-180, 10]],
    "band from 0 to 360": [[0, 10], [360, 10], [360, 20], [0, 20], [0, 10]],
}


@pytest.mark.parametrize("what", AROUND)
def test_the_area_of_a_polygon_around_the_earth_is_not_known(what: str) -> None:
    around = feature({"type": "Polygon", "coordinates": [AROUND[what]]})
    outcome = report(diagram(7, around, feature(LAND), type="project", area=1e9), diagram(8, feature(LAND)))
    unknown, known = outcome.diagrams
    assert (unknown["area_source"], unknown["area_ha"], unknown["cost"]) == ("unknown", None, None)
    assert outcome.total == known["cost"] == approximately(100 * HECTARES)
    assert outcome.unpriced == 1


@pytest.mark.parametrize("what", AROUND)
def test_it_is_not_known_either_in_a_body_that_is_read_while_it_arrives(what: str) -> None:
    around = feature({"type": "Polygon", "coordinates": [AROUND[what]]})
    outcome = report(
        *(diagram(number, feature(LAND), notes="x" * 1_000) for number in range(3_000)), diagram(7_000, around)
    )
    assert [row["diagramid"] for row in outcome.diagrams if row["area_source"] == "unknown"] == [7_000]


def test_parts_on_both_sides_of_the_antimeridian_have_their_area() -> None:
    parts = {"type": "MultiPolygon", "coordinates": [[ring(-180, 10, 0.01)], [ring(179.99, 10, 0.01)]]}
    assert cost_of(parts, type="project")["area_source"] == "geometry"


def test_an_area_that_nobody_knows_does_not_matter_to_a_total_and_to_a_policy() -> None:
    total = diagram(7, type="project", cost_override=5, cost_override_type="total")
    outcome = report(total, diagram(8, type="policy"))
    assert [row["cost"] for row in outcome.diagrams] == [5, 0]
    assert {row["area_source"] for row in outcome.diagrams} == {"unknown"}
    assert outcome.unpriced == 0


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


def test_a_diagram_of_an_unlisted_system_has_no_cost_and_the_reason() -> None:
    rows = diagram(7, feature(LAND)), diagram(8, feature(LAND), sysid=42, description="Dune")
    with pytest.warns(UserWarning, match="1 bad row: diagram 8: sysid is 42"):
        outcome = report(*rows)
    assert (outcome.unpriced, outcome.total) == (1, outcome.diagrams[0]["cost"])
    row = outcome.diagrams[1]
    assert (row["sysid"], row["cost"], row["rate_source"]) == (42, None, "unknown")
    assert "the project does not list; it lists 1" in str(row["cost_problem"])
    assert "Dune" in str(outcome.to_html())


@pytest.mark.parametrize(("rate", "unpriced"), [(None, 1), (0, 0)])
def test_a_system_without_a_rate_is_said_with_the_number_of_its_diagrams(rate: float | None, unpriced: int) -> None:
    own = diagram(8, feature(LAND), type="project", cost_override=20, cost_override_type="unit")
    policy = diagram(9, feature(LAND), type="policy")
    outcome = report(diagram(7, feature(LAND), type="project"), own, policy, system=SYSTEM | FIGURES | {"cost": rate})
    first, second, _ = outcome.diagrams
    assert (first["rate"], first["rate_source"], first["cost"]) == (rate, "system", rate)
    assert outcome.total == second["cost"] == approximately(20 * HECTARES)
    assert (outcome.without_rate, outcome.unpriced) == (1, unpriced)
    (row,) = outcome.systems
    assert (row["without_rate"], row["unpriced"]) == (1, unpriced)
    assert "no rate set: 1" in repr(outcome)
    assert "no rate set: 1 diagram<" in outcome._repr_html_()
    assert ("The total does not include 1 diagram" in outcome._repr_html_()) == (rate is None)


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


def test_a_target_is_met_and_a_broken_budget_is_negative() -> None:
    outcome = report(diagram(7, feature(square(10, 45, 0.1)), type="project"))
    (row,) = outcome.systems
    assert (row["target_left_ha"], row["target_met"]) == (0, True)
    assert (row["budget_left"] or 0) < 0
    assert "<td>met</td>" in outcome._repr_html_()


def test_a_target_that_is_not_met_says_what_is_left() -> None:
    (row,) = report().systems
    assert (row["target_left_ha"], row["target_met"]) == (20, False)


@pytest.mark.parametrize("none", [0, None])
def test_no_budget_and_no_target_are_none(none: float | None) -> None:
    system = SYSTEM | FIGURES | {"budget": none, "target_ha": none}
    outcome = report(diagram(7, feature(LAND), type="project"), system=system)
    (row,) = outcome.systems
    assert [row[name] for name in ("budget", "budget_left", "target_ha", "target_left_ha", "target_met")] == [None] * 5
    page = outcome._repr_html_()
    assert "no budget" in page and "no target" in page and " over<" not in page


def test_a_diagram_without_a_geojson_field_has_a_cost() -> None:
    without_geojson = diagram(7, type="project", area=10_000) | {"geojson": collection()}
    del without_geojson["geojson"]
    assert report(without_geojson).total == approximately(100)


def test_a_line_is_priced_at_the_hectare_rate_per_kilometre_with_a_notice() -> None:
    own_rate = diagram(9, feature(LINE, areatype="project"), cost_override=5, cost_override_type="per km")
    policy = diagram(10, feature(LINE, areatype="policy"), type="policy")
    outcome = report(
        diagram(7, feature(LINE, areatype="project")), diagram(8, feature(LAND, areatype="project")), own_rate, policy
    )
    assert outcome.diagrams[0]["cost"] == approximately(100 * KILOMETRES)
    assert outcome.lines_at_area_rate == outcome.systems[0]["lines_at_area_rate"] == 1
    sentence = "1 line priced per kilometre at a rate per hectare"
    assert sentence in str(outcome.to_html()) and sentence in outcome._repr_html_()
    without_rate = report(diagram(7, feature(LINE, areatype="project")), system=SYSTEM | FIGURES | {"cost": 0})
    assert without_rate.lines_at_area_rate == 0


NO_EXTENT: dict[str, tuple[Any, str]] = {
    "metres": (square(512_000, 4_500_000, 100), "perhaps they are metres of another CRS"),
    "metres near 0": (line([90, 4_000], [200, 4_100]), "perhaps they are metres of another CRS"),
    "no area": ({"type": "Polygon", "coordinates": [[[10, 45], [11, 45.5], [10, 45]]]}, "neither area nor length"),
    "no length": (line([10, 45], [10, 45]), "neither area nor length"),
}


@pytest.mark.parametrize("shape", NO_EXTENT)
def test_what_has_no_extent_has_no_known_cost_and_the_reason(shape: str) -> None:
    geometry, reason = NO_EXTENT[shape]
    outcome = report(diagram(7, feature(geometry, areatype="project")), diagram(8, feature(LAND, areatype="project")))
    row, other = outcome.diagrams
    assert (row["cost"], row["area_ha"], row["length_km"], row["area_source"]) == (None, None, None, "unknown")
    assert reason in str(row["area_problem"]) and reason in str(outcome.to_html())
    assert (outcome.unpriced, outcome.systems[0]["unpriced"]) == (1, 1)
    assert other["area_problem"] is None and outcome.total == other["cost"]


@pytest.mark.parametrize(
    ("override", "cost"), [({}, 300), ({"cost_override": 40, "cost_override_type": "per piece"}, 120)]
)
def test_points_cost_their_rate_for_each_piece(override: dict[str, Any], cost: float) -> None:
    trees = {"type": "MultiPoint", "coordinates": [[10, 45], [10.1, 45]]}
    well = {"type": "Point", "coordinates": [10.2, 45]}
    outcome = report(diagram(7, *(feature(shape, areatype="project", **override) for shape in (trees, well))))
    (row,) = outcome.diagrams
    assert (row["pieces"], row["area_ha"], row["length_km"], row["area_problem"]) == (3, 0, 0, None)
    assert (row["cost"], outcome.systems[0]["pieces"]) == (cost, 3)
    sentence = "1 diagram of points priced by the piece at a rate per hectare"
    assert (outcome.points_at_area_rate, sentence in str(outcome.to_html())) == ((0, False) if override else (1, True))
    assert '<th scope="col">pieces</th>' in str(outcome.to_html())


def test_an_override_per_piece_prices_no_land_and_no_lines() -> None:
    for shape, named in ((LAND, "an area"), (LINE, "lines")):
        with pytest.warns(UserWarning, match="cost_override_type is per piece"):
            row = cost_of(shape, cost_override=40, cost_override_type="per piece")
        assert (row["cost"], row["cost_problem"]) == (
            None,
            f"cost_override_type is per piece, and the diagram has {named}",
        )


def test_a_point_beside_land_leaves_the_land_its_cost() -> None:
    row = cost_of(LAND, {"type": "Point", "coordinates": [10, 45]}, area=70_000)
    assert (row["cost"], row["area_problem"]) == (approximately(100 * HECTARES), None)
