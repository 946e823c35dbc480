"""`Comparison.what_if()`: its figures equal the service's with systems changed accordingly."""

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from builders import diagram, feature, line, square
from comparisons import comparison
from pygeodesign import InputError, Sandbox

UNKNOWN: dict[str, Any] = {"area": 0, "length": 0, "flat_geobuf_url": "https://example.org/a.fgb"}


def test_it_is_the_comparison_of_a_project_whose_systems_are_so() -> None:
    with Sandbox() as sandbox:
        project = sandbox.project()
        before = project.compare()
        supposed = before.what_if(
            rates={"Water": 1.5e6, "TRA": 9e6}, budgets={"Water": 600e6, 4: 1e6}, targets={"Energy": 900, "Water": 10}
        )
        untouched = before.targets()
        project.system("Water").edit(cost=1.5e6, budget=600e6, target_ha=10)
        project.system("Transport").edit(cost=9e6)
        project.system("Energy").edit(budget=1e6, target_ha=900)
        after = project.compare()
    assert supposed.costs.systems == after.costs.systems and supposed.costs.diagrams == after.costs.diagrams
    assert_frame_equal(supposed.systems, after.systems)
    assert_frame_equal(pd.DataFrame(supposed.diagrams), pd.DataFrame(after.diagrams))
    assert_frame_equal(supposed.targets(), after.targets())
    assert supposed.optimum(5e9).chosen == after.optimum(5e9).chosen
    # The original comparison stays as it is, and a second assumption builds on the first.
    assert_frame_equal(before.targets(), untouched)
    back = supposed.what_if(
        rates={"Water": 1.2e6, "Transport": 22e6},
        budgets={"Water": 490e6, "Energy": 680e6},
        targets={"Energy": 440, "Water": 1200},
    )
    assert_frame_equal(back.targets(), untouched)


def test_titles_and_reports_say_that_figures_are_supposed() -> None:
    assert SMALL.what_if().title == "P" and SMALL.what_if().supposed == {}
    supposed = SMALL.what_if(rates={"Water": 20}).what_if(rates={"Housing": None}, targets={"Water": 30, "HOU": 1})
    assert supposed.supposed == {"rates": {1: 20, 2: None}, "targets": {1: 30, 2: 1}}
    assert repr(supposed).startswith("<Comparison of P – what if: ")
    page = supposed.to_html(units="us")
    assert "<h1>P – what if</h1>" in page and "the rate of Water is 8.09 per acre; the rate of Housing is none" in page
    assert "the target of Water is 74.1 acres" in page and "What if" not in SMALL.to_html()


def test_what_is_not_known_stays_unknown_until_a_rate_makes_it_known() -> None:
    small = comparison(
        [
            diagram(1, feature(square(1, 0, 0.01)), type="project", sysid=1),
            diagram(2, feature(line([2, 0], [2, 0.01])), type="project", sysid=1),
            diagram(3, feature(None), type="project", sysid=1, **UNKNOWN),
        ],
        {"A": [1, 2, 3]},
        Water={"cost": None},
    )
    assert small.costs.systems[0]["unpriced"] == 3
    priced = small.what_if(rates={"Water": 10})
    area, length = priced.diagrams["area_ha"][1], priced.diagrams["length_km"][2]
    assert priced.diagrams["cost"][[1, 2]].tolist() == [10 * area, 10 * length]
    assert priced.costs.unpriced == 1 and priced.targets()["unpriced"][0] == 1
    assert "area is not known" in priced.costs.diagrams[2]["cost_problem"]
    assert priced.what_if(rates={"Water": 0}).costs.unpriced == 0
    unknown = priced.what_if(rates={"Water": None})
    assert unknown.costs.unpriced == 3 and unknown.targets()["cost"].isna()[0]


@settings(max_examples=25, deadline=None)
@given(
    rate=st.floats(0, 1e9),
    budget=st.none() | st.floats(0, 1e12),
    target=st.none() | st.floats(0, 1e6),
)
def test_costs_follow_the_rate_in_proportion_and_only_where_they_are_priced_by_it(
    rate: float, budget: float | None, target: float | None
) -> None:
    before = SMALL.diagrams
    after = SMALL.what_if(rates={"Water": rate}, budgets={"Water": budget}, targets={"Water": target})
    follows = (before["rate_source"] == "system") & (before["sysid"] == 1)
    assert follows.sum() == 1
    assert after.diagrams["cost"][follows].tolist() == pytest.approx((before["cost"][follows] / 10 * rate).tolist())
    assert after.diagrams["cost"][~follows].tolist() == before["cost"][~follows].tolist()
    row = after.targets().iloc[0]
    assert pd.isna(row["budget"]) == (not budget) and pd.isna(row["target_ha"]) == (not target)
    assert after.costs.total == pytest.approx(after.diagrams["cost"].sum())


SMALL = comparison(
    [
        diagram(1, feature(square(1, 0, 0.01)), type="project", sysid=1),
        diagram(2, feature(square(2, 0, 0.01)), type="policy", sysid=1),
        diagram(3, feature(square(3, 0, 0.01)), type="project", sysid=1, cost_override=7, cost_override_type="total"),
        diagram(4, feature(square(4, 0, 0.01)), type="project", sysid=1, cost_override=7, cost_override_type="unit"),
        diagram(5, feature(square(5, 0, 0.01)), type="project", sysid=2),
    ],
    {"A": [1, 2, 3, 4, 5]},
)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"rates": {"Air": 1}}, "no system 'Air'"),
        ({"rates": {"Water": 1, "WAT": 2}}, "system 1 twice"),
        ({"rates": {"Water": -1}}, "rates of 'Water' is -1: give money per hectare"),
        ({"budgets": {"Water": "much"}}, "budgets of 'Water' is 'much'"),
        ({"targets": {"Water": float("nan")}}, "targets of 'Water' is nan: give hectares"),
        ({"targets": [1]}, "targets must be a dict by system"),
    ],
)
def test_what_cannot_be_supposed_is_named(wrong: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        SMALL.what_if(**wrong)
