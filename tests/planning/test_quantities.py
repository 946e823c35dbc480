"""`Comparison.quantities()`: quantities that projects' hectares yield in addition to their cost."""

from typing import Any

import numpy as np
import pytest

from builders import diagram, feature, line, square
from comparisons import comparison
from pygeodesign import InputError, Project


def test_a_quantity_is_the_amount_per_hectare_by_the_hectares_of_projects() -> None:
    diagrams = [
        diagram(1, feature(square(0, 0, 0.01)), type="project"),
        diagram(2, feature(square(1, 0, 0.01)), type="policy"),
        diagram(3, feature(line([0, 0], [1, 0])), type="project"),
        diagram(4, feature(square(2, 0, 0.01)), type=None, cost_override=9, cost_override_type="total"),
        diagram(5, area=0, length=0, flat_geobuf_url="https://example.org/a.fgb", type="project"),
        diagram(6, area=0, length=0, flat_geobuf_url="https://example.org/a.fgb", type="project", sysid=2),
    ]
    compared = comparison(diagrams, {"A": [1, 2, 3], "B": [4, 5, 6]})
    rates = {"carbon_t": {"Water": 12.5, 2: 1}, "jobs": {"HOU": 3}, "water": {"Housing": 0}}
    one, empty, other, unknown = compared.quantities(rates).to_dict("records")
    area = compared.diagrams["area_ha"]
    assert one["carbon_t"] == pytest.approx(12.5 * area[1]) and one["unmeasured"] == 0
    assert (other["carbon_t"], other["unmeasured"]) == (pytest.approx(12.5 * area[4]), 1)
    assert np.isnan(one["jobs"]) and (empty["jobs"], empty["carbon_t"]) == (0, 0)
    assert np.isnan(unknown["jobs"]) and unknown["unmeasured"] == 1 and unknown["water"] == 0


def test_the_rates_of_systems_as_a_quantity_are_the_costs_that_follow_them(project: Project) -> None:
    """Where all of a design's projects have areas and no rates of their own, money is a quantity like any other."""
    compared: Any = project.compare()
    rows = compared.diagrams
    simple = rows[(rows["rate_source"] == "system") & (rows["area_ha"] > 0)]
    design = project.compare({"simple": simple.index.tolist()})
    table = design.quantities({"money": compared.systems["rate"].to_dict()})
    assert table["money"].tolist() == pytest.approx(design.targets()["cost"].tolist())


@pytest.mark.parametrize(
    ("per_hectare", "reason"),
    [
        ({"carbon_t": {"Mars": 1}}, "no system 'Mars'"),
        ({"carbon_t": {"Water": "much"}}, "'carbon_t' per hectare of 'Water' is 'much': give a number"),
        ({"carbon_t": 3}, "per_hectare must be a dict of dicts"),
        ({"area_ha": {"Water": 1}}, "'area_ha' is a column of the result"),
    ],
)
def test_what_is_no_amount_per_hectare_is_refused(per_hectare: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        comparison([]).quantities(per_hectare)
