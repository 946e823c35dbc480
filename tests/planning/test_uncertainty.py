"""`Comparison.uncertainty()` and `robustness()`: designs' costs if rates are known as ranges."""

import math
import re
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from builders import diagram, feature, line, square
from comparisons import comparison
from pygeodesign import InputError, Project
from pygeodesign._planning.questions.uncertainty import drawn_rates

UNKNOWN: dict[str, Any] = {"area": 0, "length": 0, "flat_geobuf_url": "https://example.org/a.fgb"}
WATER, HOUSING = (5.0, 10.0, 30.0), (50.0, 100.0, 120.0)


def built(id: int, sysid: int = 1, size: float = 0.01, **fields: Any) -> Any:
    return diagram(id, feature(square(id, 0, size), **fields), type="project", sysid=sysid, **fields)


def total(id: int, cost: float, **fields: Any) -> Any:
    return built(id, cost_override=cost, cost_override_type="total", **fields)


def triangle(low: float, likely: float, high: float) -> tuple[float, float]:
    """The mean and the variance of a triangular distribution."""
    spread = low**2 + likely**2 + high**2 - low * likely - low * high - likely * high
    return (low + likely + high) / 3, spread / 18


def quantile(share: float, low: float, likely: float, high: float) -> float:
    """The cost that this share of a triangular distribution is below."""
    if share * (high - low) < likely - low:
        return low + math.sqrt(share * (high - low) * (likely - low))
    return high - math.sqrt((1 - share) * (high - low) * (high - likely))


def test_the_percentiles_of_a_system_are_those_of_its_triangle_times_its_hectares() -> None:
    compared = comparison([built(1), built(2)], {"A": [1, 2]})
    table = compared.uncertainty({"Water": WATER}, samples=20_000)
    area = compared.diagrams["area_ha"].sum()
    row = table.loc[1]
    assert row["by_rate"] == pytest.approx(area)
    assert row["mean"] == pytest.approx(area * triangle(*WATER)[0], rel=1e-4)
    for percent in (10, 50, 90):
        assert row[f"p{percent}"] == pytest.approx(area * quantile(percent / 100, *WATER), rel=1e-3)
    assert table.attrs == {"samples": 20_000, "seed": 1, "correlation": 0.0}


def test_the_chance_of_breaking_a_budget_is_the_area_of_the_triangle_beyond_it() -> None:
    area = comparison([built(1)]).diagrams["area_ha"].sum()
    # Beyond the peak, 1 - F(x) = (high - x)² / ((high - low) * (high - likely)).
    compared = comparison([built(1)], {"A": [1]}, Water={"cost": 10, "budget": 20 * area})
    chance = compared.uncertainty({"Water": WATER})["breaks_budget"]
    assert chance[1] == pytest.approx((30 - 20) ** 2 / ((30 - 5) * (30 - 10)), abs=2e-4)
    assert np.isnan(chance[2])


def test_a_system_in_which_nothing_is_planned_neither_keeps_nor_breaks_its_budget() -> None:
    budgets = {name: {"cost": 10, "budget": 1.0} for name in ("Water", "Housing")}
    compared = comparison([built(1)], {"A": [1], "Nothing": []}, **budgets)
    table = compared.uncertainty({"Water": WATER}).set_index("design", append=True)["breaks_budget"]
    assert table[1, "A"] == 1
    assert np.isnan([table[2, "A"], table[1, "Nothing"], table[2, "Nothing"]]).all()
    good = compared.robustness({"Water": WATER}).set_index("design")["good_enough"]
    assert good["A"] == 0 and np.isnan(good["Nothing"])


def test_what_does_not_follow_the_rate_of_a_given_system_does_not_move() -> None:
    diagrams = [
        built(1),
        total(2, 7),
        built(3, cost_override=2, cost_override_type="per hectare"),
        diagram(4, feature(square(4, 0, 0.01)), type="policy"),
        built(5, sysid=2),
    ]
    compared = comparison(diagrams, {"Fixed": [2, 3, 4, 5], "Moving": [1]})
    table = compared.uncertainty({"Water": WATER}, "Fixed")
    cost = compared.targets("Fixed").set_index("sysid")["cost"]
    assert table["by_rate"].tolist() == [0, 0]
    for name in ("mean", "p10", "p50", "p90"):
        assert table[name].tolist() == pytest.approx(cost.tolist())


def test_a_line_moves_by_kilometres_and_a_system_without_a_rate_gets_the_drawn_one() -> None:
    road = diagram(1, feature(line([0, 0], [0.1, 0])), type="project")
    compared = comparison([road, built(2)], {"A": [1, 2]}, Water={"cost": None})
    assert compared.targets()["unpriced"].tolist() == [2, 0]
    table = compared.uncertainty({"Water": (10, 10, 10)})
    quantity = compared.diagrams["length_km"][1] + compared.diagrams["area_ha"][2]
    assert table.loc[1, ["p10", "p90"]].tolist() == pytest.approx([10 * quantity] * 2)
    assert table.loc[1, "unpriced"] == 0


def test_what_has_no_known_size_is_counted_and_makes_no_chance_up() -> None:
    external = diagram(2, type="project", **UNKNOWN)
    compared = comparison(
        [built(1), external], {"Known": [1], "Both": [1, 2], "Unknown": [2]}, Water={"budget": 1e9, "cost": 10}
    )
    table = compared.uncertainty({"Water": WATER}).loc[[1]].set_index("design")
    assert table["unpriced"].tolist() == [0, 1, 1]
    assert table["breaks_budget"].fillna(-1).tolist() == [0, -1, -1]
    assert np.isnan(table["p50"]["Unknown"]) and table["p50"]["Both"] == table["p50"]["Known"]
    whole = compared.robustness({"Water": WATER}).set_index("design")
    assert whole["good_enough"].fillna(-1).tolist() == [1, -1, -1]
    assert whole["max_regret"].isna().all() and whole["cheapest"].isna().all()
    assert np.isnan(whole["p50"]["Unknown"])
    # The known part is too much already.
    assert compared.robustness({"Water": WATER}, limit=1)["good_enough"].tolist()[:2] == [0, 0]


@pytest.mark.parametrize("correlation", [0.0, 1.0])
def test_the_sum_of_two_systems_has_the_moments_of_two_triangles(correlation: float) -> None:
    compared = comparison([built(1), built(2, sysid=2)], {"A": [1, 2]})
    sizes = compared.diagrams["area_ha"].tolist()
    rates = {"Water": WATER, "Housing": HOUSING}
    (row,) = compared.robustness(rates, samples=50_000, correlation=correlation).to_dict("records")
    (one, first), (two, second) = triangle(*WATER), triangle(*HOUSING)
    assert row["mean"] == pytest.approx(sizes[0] * one + sizes[1] * two, rel=1e-4)
    if correlation:
        # All rates are high or low together: the percentiles add up.
        for percent in (10, 90):
            parts = [quantile(percent / 100, *rate) * size for rate, size in zip((WATER, HOUSING), sizes, strict=True)]
            assert row[f"p{percent}"] == pytest.approx(sum(parts), rel=1e-3)
    else:
        drawn = drawn_rates(compared, rates, 50_000, 1, 0.0)
        cost = drawn[1] * sizes[0] + drawn[2] * sizes[1]
        assert cost.var() == pytest.approx(sizes[0] ** 2 * first + sizes[1] ** 2 * second, rel=0.02)


def test_correlated_rates_have_the_rank_correlation_of_normal_numbers() -> None:
    drawn = drawn_rates(comparison([]), {"Water": WATER, "Housing": HOUSING}, 50_000, 4, 0.6)
    ranks = [pd.Series(rates).rank().to_numpy() for rates in drawn.values()]
    # Pearson 1907: the rank correlation of normal numbers.
    assert np.corrcoef(ranks[0], ranks[1])[0, 1] == pytest.approx(6 / math.pi * math.asin(0.6 / 2), abs=0.01)


def test_regret_is_what_the_cheapest_design_of_the_same_case_would_have_saved() -> None:
    """Water alone against a sum that does not move: each is the cheapest in a known share of the cases."""
    area = comparison([built(1)]).diagrams["area_ha"][1]
    compared = comparison([built(1), total(2, 20 * area)], {"Moves": [1], "Fixed": [2]})
    moves, fixed = compared.robustness({"Water": WATER}, limit=20 * area).to_dict("records")
    dearer = (30 - 20) ** 2 / ((30 - 5) * (30 - 10))
    assert fixed["cheapest"] == pytest.approx(dearer, abs=2e-4)
    assert moves["cheapest"] == pytest.approx(1 - dearer, abs=2e-4)
    assert (moves["good_enough"], fixed["good_enough"]) == (pytest.approx(1 - dearer, abs=2e-4), 1)
    assert moves["max_regret"] == pytest.approx(10 * area, rel=0.02)
    assert fixed["max_regret"] == pytest.approx(15 * area, rel=0.02)
    # The integral of 1 - F beyond 20: (30 - 20)³ / (3 * 25 * 20).
    assert moves["mean_regret"] == pytest.approx(area * 10**3 / (3 * 25 * 20), rel=1e-3)


def test_a_design_is_good_enough_where_all_of_its_budgets_are_kept_in_the_same_case() -> None:
    area = comparison([built(1)]).diagrams["area_ha"][1]
    budgets = {"Water": {"cost": 10, "budget": 20 * area}, "Housing": {"cost": 100, "budget": 100 * area}}
    compared = comparison([built(1), built(2, sysid=2)], {"A": [1, 2]}, **budgets)
    rates = {"Water": WATER, "Housing": HOUSING}
    broken = compared.uncertainty(rates, samples=50_000)["breaks_budget"]
    (apart,) = compared.robustness(rates, samples=50_000)["good_enough"]
    assert apart == pytest.approx((1 - broken[1]) * (1 - broken[2]), abs=0.01)
    (together,) = compared.robustness(rates, samples=50_000, correlation=1)["good_enough"]
    assert together == pytest.approx(1 - broken.max(), abs=1e-3)


@pytest.fixture(scope="module")
def of_all_kinds() -> Any:
    """Diagrams of one title that follow a rate, have a sum of their own, are policies, or have no known size."""
    diagrams: list[Any] = []
    for sysid in (1, 2, 1, 2):
        number = len(diagrams)
        fields: dict[str, Any] = {"sysid": sysid, "description": "same"}
        diagrams += [
            built(number + 1, **fields),
            total(number + 2, 5 * sysid, **fields),
            diagram(number + 3, feature(square(number, 1, 0.01)), type="policy", **fields),
            diagram(number + 4, type="project", **UNKNOWN, **fields),
        ]
    return comparison(diagrams, {}, Water={"cost": 10, "budget": 900})


@settings(deadline=None, max_examples=40)
@given(half=st.sets(st.integers(1, 16)), every=st.sets(st.integers(1, 16)))
def test_rates_without_a_range_give_the_costs_of_the_targets(
    of_all_kinds: Any, half: set[int], every: set[int]
) -> None:
    compared = of_all_kinds
    compared.designs = {"Half": sorted(half), "All": sorted(every)}
    rates = {"Water": (10, 10, 10), "Housing": (100, 100, 100)}
    targets, table = compared.targets(), compared.uncertainty(rates, samples=100).reset_index()
    for name in ("mean", "p10", "p90"):
        assert table[name].tolist() == pytest.approx(targets["cost"].tolist(), nan_ok=True)
    assert table["unpriced"].tolist() == targets["unpriced"].tolist()
    is_missed = targets["budget_status"] == "missed"
    assert (table["breaks_budget"] == 1).tolist() == is_missed.tolist()


def test_the_same_seed_gives_the_same_figures_and_another_one_others(project: Project) -> None:
    compared: Any = project.compare()
    rates = {"Water": (0.9e6, 1.2e6, 2.1e6)}
    pd.testing.assert_frame_equal(compared.robustness(rates, seed=7), compared.robustness(rates, seed=7))
    assert not compared.robustness(rates, seed=7).equals(compared.robustness(rates, seed=8))
    both: Any = {**rates, "Transport": (1e6, 2e6, 3e6)}
    turned = dict(reversed(both.items()))
    pd.testing.assert_frame_equal(compared.robustness(both), compared.robustness(turned))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"rates": {}}, "rates must be a dict of the low, likely and high rate"),
        ({"rates": {"Mars": WATER}}, "no system 'Mars'"),
        ({"rates": {"Water": 3}}, "the rates of 'Water' are 3"),
        ({"rates": {"Water": (3, 2, 4)}}, "the low, the likely and the high one in order"),
        ({"rates": {"Water": (-1, 2, 4)}}, "a rate of 'Water' is -1: give an amount, 0 or more"),
        ({"rates": {"Water": WATER, "WAT": WATER}}, "rates has system 1 twice, the second time as 'WAT'"),
        ({"samples": 10}, "samples is 10: give a whole number from 100"),
        ({"samples": 2_000_000}, "samples is 2000000"),
        ({"seed": -1}, "seed is -1"),
        ({"correlation": 1.5}, "correlation is 1.5: give a number from 0"),
        ({"limit": -1}, "limit is -1"),
    ],
)
def test_what_is_no_range_of_rates_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        comparison([], {"A": []}).robustness(**{"rates": {"Water": WATER}, **options})


def test_ten_designs_of_two_thousand_diagrams_take_less_than_two_seconds() -> None:
    diagrams = [built(number, 1 + number % 2, 0.001) for number in range(1, 2_001)]
    compared = comparison(diagrams, {f"D{place}": list(range(1 + place, 2_001, 2)) for place in range(10)})
    started = time.process_time()
    compared.robustness({"Water": WATER, "Housing": HOUSING}, samples=100_000, correlation=0.5)
    assert time.process_time() - started < 2


def test_the_picture_names_the_chance_and_what_is_not_priced() -> None:
    external = diagram(2, type="project", **UNKNOWN, sysid=2)
    compared = comparison([built(1), external], {"A": [1], "B": [1, 2]}, Water={"cost": 10, "budget": 1})
    axes = compared.plot_uncertainty({"Water": WATER}, theme="dark")
    texts = [text.get_text() for panel in axes.figure.axes for text in panel.texts]
    assert texts == ["over budget in 100 %", "", "over budget in 100 %", "1 not priced"]
    plt.close("all")


def test_the_report_has_the_ranges_and_chances_where_rates_are_given() -> None:
    diagrams = [built(1), built(2, sysid=2)]
    compared = comparison(diagrams, {"A": [1], "B": [1, 2]}, Water={"cost": 10, "budget": 1})
    page = compared.to_html(sections={"uncertainty": {"rates": {"Water": WATER}}})
    table = compared.uncertainty({"Water": WATER}, "A")
    assert "Rates that nobody knows" in page and f"{table.loc[1, 'p90']:,.0f}" in page
    assert "100 % of cases" in page and "with the seed 1" in page
    # Housing does not move; the picture has the systems that do.
    words = [text for text in re.findall(r'aria-label="([^"]*)"', page) if "from P10 to P90" in text]
    assert [text[0] for text in words] == ["A", "B"]
    assert all("Water: " in text and "Housing: " not in text for text in words)
    fixed = compared.to_html(sections={"uncertainty": {"rates": {"Water": (10, 10, 10)}}})
    assert "from P10 to P90 in blue" not in fixed
    assert "Rates that nobody knows" not in compared.to_html()
