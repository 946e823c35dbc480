"""The case for paper of docs/comparing-designs.md: its money and targets equal the results of a `Comparison`."""

from typing import Any

import pytest

from builders import diagram, feature, square
from comparisons import comparison


def test_the_answers_about_money_of_the_case_for_paper() -> None:
    # Two squares of the same size, measured below. The document has 8 hectares.
    dates: dict[str, Any] = {"start_date": "2030-12-31", "end_date": "2031-01-01"}
    storeys = {"storeys_above_ground": 5, "storeys_below_ground": -1}
    diagrams = [
        diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project"),
        diagram(2, feature(square(0.01, 0, 0.02), **dates), sysid=2, type="project", building_data=storeys, **dates),
    ]
    size = comparison(diagrams).diagrams["area_ha"][1] / 8
    figures = {"budget": 900 * size, "target_ha": 10 * size}
    homes = {"homes": {"amount": 0.0125, "per": "floor_m2", "target": 10_000 * size}}
    compared = comparison(diagrams, {"A": [1, 2]}, Housing=figures | {"quantities": homes})
    housing = compared.targets().iloc[1]
    assert housing["missing_ha"] == pytest.approx(2 * size) and housing["cost"] == pytest.approx(800 * size)
    assert not housing["area_met"] and housing["budget_met"]
    moved = compared.sensitivity(20).loc[2]
    assert [moved["low"], moved["high"]] == pytest.approx([640 * size, 960 * size])
    assert moved["breaks_budget_at"] == pytest.approx(12.5)
    best = compared.optimum(800.001 * size, {"Water": 10 * size, "Housing": 10 * size})
    assert (best.chosen, best.gap) == ([1], 0)
    assert [best.shortfall, best.cost] == pytest.approx([1.2, 80 * size])
    years = compared.schedule("A", rate=0.1)
    assert years["cost"].iloc[:2].tolist() == pytest.approx([400 * size, 400 * size])
    assert years.attrs["net_present_value"]["A"] == pytest.approx((400 + 400 / 1.1) * size)
    assert compared.quantities({"carbon_t": {"Water": 12.5}})["carbon_t"][0] == pytest.approx(100 * size)
    (floor,) = compared.floor_area().itertuples()
    assert [floor.floor_above_m2, floor.floor_below_m2] == pytest.approx([400_000 * size, 80_000 * size])
    assert floor.plot_ratio == pytest.approx(5) and floor.without_storeys == 1
    (row,) = compared.people().itertuples()
    assert [row.amount, row.missing] == pytest.approx([6_000 * size, 4_000 * size]) and not row.met
