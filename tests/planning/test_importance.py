"""`Comparison.importance()`: what the best choice loses without each of its diagrams, by looking at every choice."""

import itertools
from typing import Any

import numpy as np
import pytest

from builders import diagram, feature, square
from comparisons import comparison
from pygeodesign import InputError

TARGETS = {"Water": 900.0, "Housing": 700.0}


def plan(seed: int) -> Any:
    """Eight squares of random sizes and costs in two systems."""
    random = np.random.default_rng(seed)
    sizes, costs = random.uniform(0.01, 0.03, 8), random.integers(1, 60, 8)
    rows = [
        diagram(
            number,
            feature(square(0.1 * number, 0, size)),
            sysid=1 + number % 2,
            type="project",
            cost_override=int(cost),
            cost_override_type="total",
        )
        for number, (size, cost) in enumerate(zip(sizes, costs, strict=True), 1)
    ]
    return comparison(rows, {"A": [1, 2, 3]})


def least(compared: Any, budget: float, without: int) -> float:
    """The least shortfall of any choice without a diagram."""
    rows = compared.diagrams.drop(index=without)
    choices = np.array(list(itertools.product([False, True], repeat=len(rows))))
    missing = np.zeros(len(choices))
    for name, target in TARGETS.items():
        missing += (1 - choices @ np.where(rows["system"] == name, rows["area_ha"], 0.0) / target).clip(0)
    return float(missing[choices @ rows["cost"].to_numpy() <= budget].min())


@pytest.mark.parametrize("seed", range(4))
def test_the_loss_is_that_of_the_best_of_all_choices_without_the_diagram(seed: int) -> None:
    compared = plan(seed)
    budget = compared.diagrams["cost"].sum() * 0.6
    table = compared.importance(budget, TARGETS, progress=False)
    best = table.attrs["best"]
    assert sorted(table.index) == best.chosen == compared.optimum(budget, TARGETS).chosen
    assert table["loss"].is_monotonic_decreasing
    for number, row in table.iterrows():
        expected = least(compared, budget, number)
        assert row["shortfall_without"] == pytest.approx(expected, rel=1e-9)
        assert row["loss"] == pytest.approx(expected - best.shortfall, abs=1e-9)
        assert number not in row["replaced_by"]


def test_a_diagram_that_is_kept_by_hand_is_left_out_once_too() -> None:
    compared = plan(1)
    budget = compared.diagrams["cost"].sum()
    table = compared.importance(budget, TARGETS, keep=[8], drop=[1], progress=False)
    assert 8 in table.index and 1 not in table.index
    assert not any(1 in ids for ids in table["replaced_by"])


def test_what_optimum_refuses_is_refused() -> None:
    with pytest.raises(InputError, match="no system has a budget"):
        plan(1).importance(targets=TARGETS, progress=False)
