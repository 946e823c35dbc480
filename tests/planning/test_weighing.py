"""`Comparison.weighing()`: under which weights a design is first, against exact areas and rankings by hand."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from comparisons import comparison
from pygeodesign import InputError


def weighed(rows: dict[str, list[float]], weights: Any = None, best: Any = None, **options: Any) -> Any:
    """Designs with criteria where more is better."""
    criteria = pd.DataFrame.from_dict(rows, orient="index", columns=list("abc")[: len(next(iter(rows.values())))])
    compared = comparison([], {name: [] for name in rows})
    return compared.weighing(criteria, best or dict.fromkeys(criteria, "max"), weights, **options)


def test_with_two_criteria_a_design_is_first_on_a_known_part_of_the_line_of_weights() -> None:
    """M has 0.6 of both, so that it is first where the larger weight is below 0.6: from 0.4 to 0.6."""
    table = weighed({"A": [1, 0], "B": [0, 1], "M": [0.6, 0.6]}, samples=100_000)
    assert table["rank_1"].tolist() == pytest.approx([0.4, 0.4, 0.2], abs=0.005)
    assert table.filter(like="rank_").sum(axis=1).tolist() == pytest.approx([1, 1, 1])
    assert table.attrs == {"samples": 100_000, "seed": 1}


def test_with_three_criteria_the_shares_are_areas_of_the_triangle_of_weights() -> None:
    """M has 0.5 of each: where a weight is above 0.5, in corners of a quarter each, another design is first."""
    table = weighed({"A": [1, 0, 0], "B": [0, 1, 0], "C": [0, 0, 1], "M": [0.5] * 3}, samples=100_000)
    assert table["rank_1"].tolist() == pytest.approx([0.25] * 4, abs=0.005)


def test_less_is_better_where_the_least_is_best_and_equal_criteria_decide_nothing() -> None:
    rows = {"Cheap": [10.0, 5.0], "Dear": [20.0, 5.0]}
    table = weighed(rows, {"Us": {"b": 1}}, {"a": "min", "b": "max"})
    assert table["rank_1"].tolist() == [1, 0] and table["rank_2"].tolist() == [0, 1]
    assert table["rank: Us"].tolist() == [1, 1]


def test_teams_that_agree_have_a_w_of_1_and_who_stands_apart_is_far_from_the_others() -> None:
    rows = {"X": [3.0, 1.0], "Y": [2.0, 2.0], "Z": [1.0, 3.5]}
    agreed = weighed(rows, {"One": {"a": 1}, "Two": {"a": 5, "b": 1}})
    assert agreed.attrs["kendalls_w"] == pytest.approx(1) and set(agreed.attrs["apart"].values()) == {0}
    apart = weighed(rows, {"One": {"a": 1}, "Two": {"a": 2}, "Other": {"b": 1}})
    assert apart["rank: Other"].tolist() == [3, 2, 1]
    # Sums of ranks 5, 6, 7: S = 2, W = 12 * 2 / (9 * 24).
    assert apart.attrs["kendalls_w"] == pytest.approx(12 * 2 / (9 * 24))
    assert apart.attrs["apart"] == pytest.approx({"One": 2 / 3, "Two": 2 / 3, "Other": 4 / 3})
    assert weighed(rows, {"One": {"a": 1}, "Other": {"b": 1}}).attrs["kendalls_w"] == pytest.approx(0)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=2, max_size=5), st.tuples(*[st.integers(0, 4)] * 3))
def test_a_rank_is_one_more_than_the_number_of_better_designs(rows: list[Any], weights: Any) -> None:
    if not any(weights):
        return
    table = weighed(
        {f"D{place}": list(row) for place, row in enumerate(rows)},
        {"Us": dict(zip("abc", weights, strict=True))},
        samples=100,
    )
    columns = list(zip(*rows, strict=True))
    spans = [max(column) - min(column) for column in columns]
    parts = [[(v - min(c)) / s if s else 1.0 for v, c, s in zip(row, columns, spans, strict=True)] for row in rows]
    values = [sum(w * p for w, p in zip(weights, part, strict=True)) for part in parts]
    expected = [1 + sum(other > value + 1e-9 for other in values) for value in values]
    assert table["rank: Us"].tolist() == expected
    for (one, first), (other, second) in itertools.permutations(enumerate(parts), 2):
        # A design that is better in everything is never behind.
        if all(x > y for x, y in zip(first, second, strict=True)):
            assert table["rank_1"].iloc[other] == 0 and table["rank_1"].iloc[one] >= 0


def test_the_ranks_of_a_design_do_not_depend_on_the_order_of_the_rows() -> None:
    compared = comparison([], {"A": [], "B": []})
    criteria = pd.DataFrame({"a": [1.0, 2.0]}, index=["B", "A"])
    assert compared.weighing(criteria, {"a": "max"})["rank_1"].to_dict() == {"A": 1, "B": 0}


def test_the_picture_has_a_bar_for_each_rank_of_each_design() -> None:
    compared = comparison([], {"A": [], "B": []}, Water={"cost": 1})
    criteria = pd.DataFrame({"a": [1.0, 2.0]}, index=["A", "B"])
    axes = compared.plot_weighing(criteria, {"a": "max"}, theme="dark")
    assert [text.get_text() for text in axes.texts] == ["first in 0 %", "first in 100 %"]
    assert [round(bar.get_width()) for bar in axes.patches] == [0, 100, 100, 0]
    plt.close("all")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"best": {"a": "most"}}, 'best must be a dict of "min" or "max"'),
        ({"best": {"a": "max", "z": "min"}}, "criteria has no column 'z'"),
        ({"best": {"a": "max"}}, 'best has no value for \'b\': give "min" or "max"'),
        ({"criteria": [1]}, "criteria must be a DataFrame"),
        ({"criteria": pd.DataFrame({"a": [1], "b": [1]}, index=["A"])}, "give one for each of the designs"),
        ({"criteria": pd.DataFrame({"a": [1, np.nan], "b": [1, 2]}, index=["A", "B"])}, "'a' of 'B' is not known"),
        ({"weights": {"Us": {"a": -1}}}, "the weight of 'a' for 'Us' is -1: give a number, 0 or more"),
        ({"weights": {"Us": {"z": 1}}}, "'z', which is not a criterion"),
        ({"weights": {"Us": {}}}, "the weights of 'Us' are all 0"),
        ({"weights": 3}, "weights must be a dict of dicts"),
        ({"samples": 5}, "samples is 5"),
        ({"seed": "x"}, "seed is 'x'"),
    ],
)
def test_what_is_no_table_of_criteria_is_refused(change: dict[str, Any], reason: str) -> None:
    given: dict[str, Any] = {
        "criteria": pd.DataFrame({"a": [1, 2], "b": [2, 1]}, index=["A", "B"]),
        "best": {"a": "max", "b": "max"},
    }
    with pytest.raises(InputError, match=reason):
        comparison([], {"A": [], "B": []}).weighing(**{**given, **change})
    with pytest.raises(InputError, match="has no design to weigh"):
        comparison([], {}).weighing(**given)
