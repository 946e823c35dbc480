"""`Comparison.optimum()`: no choice of diagrams under the budget leaves less shortfall, or as little for less."""

import math
import pickle
import time
from collections.abc import Sequence
from copy import copy
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from builders import diagram, feature, square
from comparisons import comparison
from demo import demo_sandbox
from pygeodesign import InputError, Project
from pygeodesign._planning.solving import search

pytestmark = pytest.mark.alone("time of a solver")

CENT = 0.01
SAME_SHORTFALL = 1e-9


@pytest.fixture(scope="module")
def compared() -> Any:
    with demo_sandbox() as sandbox:
        return sandbox.client().project("StatenIsland2050").compare()


@cache
def nothing() -> Any:
    return comparison([])


class RandomProblem:
    """At most sixteen diagrams of any cost, and the shortfall and the cost of each choice among them."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        count, system_count = int(random.integers(1, 17)), int(random.integers(1, 6))
        self.systems = pd.DataFrame({"current_ha": random.choice([0, 5.5, np.nan], system_count)})
        self.systems.index += 1
        self.systems = self.systems.assign(name=[f"System {sysid}" for sysid in self.systems.index], tag=None)
        sysid = random.choice(self.systems.index, count)
        areas: list[Any] = [random.uniform(0.01, 300, count), random.integers(1, 5, count) * 10.0]
        area = areas[random.integers(2)]
        costs: list[Any] = [
            np.round(10 ** random.uniform(-2, 10.7, count), 2),
            random.integers(1, 100, count) / 100,
            random.choice([0.1, 0.2, 0.3, 1e5, 1e10], count),
            random.uniform(0, 1, count),
            area * 10 ** random.uniform(0, 8, system_count)[sysid - 1],
        ]
        shape = int(random.integers(len(costs)))
        kind = random.choice(np.array(["project", "policy", None]), count, p=[0.75, 0.2, 0.05])
        is_free = random.random(count) < np.where(kind == "policy", 0.8, 0.05)
        cost = np.where(is_free, 0, costs[shape] * np.where(random.random(count) < 0.02, -1, 1))
        cost, area = (np.where(random.random(count) < 0.04, np.nan, values) for values in (cost, area))
        values = {"sysid": sysid, "cost": cost, "area_ha": area, "kind": kind, "geometry": None}
        self.diagrams = pd.DataFrame(values, pd.RangeIndex(1, count + 1))
        policies = bool(random.random() < 0.5)
        ids = self.diagrams.index.to_numpy()
        keep = ids[(random.random(count) < 0.08) & ~np.isnan(cost)]
        drop = np.setdiff1d(ids[random.random(count) < 0.08], keep)
        usable = ~np.isnan(cost) & ~np.isnan(area) & (policies | (kind != "policy")) & ~np.isin(ids, drop)
        self.rows = self.diagrams[usable | np.isin(ids, keep)].fillna({"area_ha": 0.0})
        of_keep = math.fsum(self.diagrams.loc[keep, "cost"])
        some = self.rows["cost"][random.random(len(self.rows)) < random.uniform(0.2, 1)]
        # The exact cost of a choice, to the cent where all costs are cents; or any other budget.
        budget = math.fsum(some) if random.random() < 0.6 else random.uniform(0, 1.1) * self.rows["cost"].sum()
        budget = max(budget, of_keep, 0.0)
        self.budget = max(round(budget, 2), of_keep) if shape < 3 else budget
        total = self.diagrams.groupby("sysid")["area_ha"].sum().reindex(self.systems.index, fill_value=0)
        wanted = (total * random.uniform(0.2, 1.3, system_count) + 5.6)[random.random(system_count) < 0.8]
        self.target = wanted if len(wanted) else pd.Series({1: 100.0})
        self.given: dict[str, Any] = {"keep": keep.tolist(), "drop": drop.tolist(), "policies": policies}
        self._look_at_every_choice(keep)

    def _look_at_every_choice(self, keep: Any) -> None:
        places = range(len(self.rows))
        self.cost = np.zeros(1, np.longdouble)
        for cost in self.rows["cost"]:
            self.cost = np.r_[self.cost, self.cost + cost]
        self.shortfall, current = np.zeros(1), self.systems["current_ha"].fillna(0).to_dict()
        for sysid, hectares in self.target.items():
            area = np.zeros(1)
            for covered in np.where(self.rows["sysid"] == sysid, self.rows["area_ha"], 0):
                area = np.r_[area, area + covered]
            missing = hectares - float(current[sysid]) - area
            self.shortfall = self.shortfall + np.maximum(0, missing) / hectares
        self.choices = np.arange(1 << len(self.rows))
        kept = sum(1 << place for place in places if self.rows.index[place] in keep)
        rounding = 4e-15 * (self.budget + np.abs(self.rows["cost"]).sum())
        self.allowed = (self.cost <= self.budget + rounding) & (self.choices & kept == kept)

    def compared(self) -> Any:
        compared = copy(nothing())
        compared.diagrams, compared.systems = self.diagrams, self.systems
        return compared

    def best(self) -> tuple[float, float]:
        least = self.shortfall[self.allowed].min()
        return least, self.cost[self.allowed & (self.shortfall <= least + SAME_SHORTFALL)].min()

    def forbid(self, chosen: list[int]) -> bool:
        """Allow only choices that lack something of this one; whether there are any."""
        paid = self.rows.index[(self.rows["cost"] > 0) & ~self.rows.index.isin(self.given["keep"])]
        bits = sum(1 << place for place in self.rows.index.get_indexer(sorted(set(paid) & set(chosen))).tolist())
        self.allowed &= self.choices & bits != bits
        return bool(bits)


def check(problem: RandomProblem, alternatives: int) -> None:
    compared = problem.compared()
    best = compared.optimum(problem.budget, problem.target.to_dict(), alternatives=alternatives, **problem.given)
    found = [best, *best.alternatives]
    for one in found:
        assert one.shortfall == pytest.approx(problem.best()[0], abs=1.001 * SAME_SHORTFALL)
        assert one.cost == pytest.approx(float(problem.best()[1]), abs=CENT / 2)
        assert one.cost <= problem.budget and (one.gap, one.cost_gap) == (0, 0)
        rows = problem.diagrams.loc[one.chosen]
        assert one.cost == pytest.approx(math.fsum(rows["cost"]), rel=1e-14, abs=1e-14 * rows["cost"].abs().sum())
        assert set(problem.given["keep"]) <= set(one.chosen) <= set(problem.rows.index)
        has_more = problem.forbid(one.chosen)
    assert len(found) == alternatives + 1 or not has_more


def test_no_choice_of_sixteen_diagrams_is_better() -> None:
    for seed in range(60):
        check(RandomProblem(seed), alternatives=seed % 3)


def test_no_choice_is_better_where_not_all_choices_are_listed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FEW", 0)
    for seed in range(60):
        check(RandomProblem(seed), alternatives=seed % 3)


@pytest.mark.slow
def test_no_choice_is_better_in_five_thousand_problems() -> None:
    for seed in range(5000):
        check(RandomProblem(seed), alternatives=0)


def test_by_default_budget_and_targets_are_those_of_the_systems(compared: Any) -> None:
    best = compared.optimum()
    assert best.budget == compared.systems["budget"].sum()
    assert best.systems["target_ha"].tolist() == compared.systems["target_ha"].tolist()
    assert best.chosen == compared.optimum(best.budget, best.systems["target_ha"].to_dict()).chosen


def test_the_figures_of_the_optimum_are_those_of_the_cost_report(project: Project) -> None:
    best: Any = project.compare().optimum(budget=2e9)
    report = project.costs(diagrams=best.chosen)
    assert best.cost == pytest.approx(report.total)
    for row, system in zip(best.systems.itertuples(), report.systems, strict=True):
        assert (row.system, row.diagrams) == (system["name"], system["diagrams"])
        assert row.area_ha == pytest.approx(system["area_ha"]) and row.cost == pytest.approx(system["cost"])
        assert row.missing_ha == pytest.approx(system["target_left_ha"], abs=1e-9)
        assert row.shortfall == pytest.approx(row.missing_ha / row.target_ha)
    assert best.shortfall == pytest.approx(best.systems["shortfall"].sum())
    assert repr(pickle.loads(pickle.dumps(best))) == repr(best)


def test_a_diagram_of_unknown_cost_is_excluded_and_cannot_be_kept() -> None:
    unknown = diagram(2, area=0, length=0, flat_geobuf_url="https://example.org/a.fgb")
    compared = comparison([diagram(1, feature(square(0, 0, 0.01)), type="project"), unknown])
    best = compared.optimum(1e9, {"Water": 1e6})
    assert best.chosen == [1] and best.excluded == [2]
    with pytest.raises(InputError, match="the cost of diagrams to keep is not known: 2"):
        compared.optimum(1e9, {"Water": 1}, keep=[2])


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"budget": -1}, "budget is -1: give an amount"),
        ({"targets": {"Mars": 1}}, "no system 'Mars': the project has 1 'Water'"),
        ({"targets": {"Water": -1}}, "the target of 'Water' is -1: give hectares"),
        ({"targets": {}}, "no system has a target"),
        ({"keep": [7]}, "keep has diagrams that the project does not have: 7"),
        ({"drop": ["1001"]}, "drop has diagrams that the project does not have: '1001'"),
        ({"keep": 1001}, "keep is 1001: give a list"),
        ({"keep": [1001], "drop": [1001]}, "in keep and in drop: 1001"),
        ({"keep": [1001], "budget": 5}, "the diagrams to keep cost 61,224,583, which is more than the budget of 5"),
        ({"alternatives": -1}, "alternatives is -1"),
        ({"alternatives": 61}, "alternatives is 61: give the number of choices after the best one, from 0 to 60"),
        ({"time_limit": 0}, "time_limit is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(compared: Any, given: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        compared.optimum(**given)


def test_a_project_without_budgets_needs_one() -> None:
    with pytest.raises(InputError, match="no system has a budget: say how much diagrams may cost with budget="):
        comparison([]).optimum(targets={"Water": 1})


def small(costs: Sequence[float], areas: Sequence[float], kinds: Any = "project") -> Any:
    """Diagrams of Water and Housing in turn."""
    compared = copy(nothing())
    sysid = [1 + place % 2 for place in range(len(costs))]
    values = {"sysid": sysid, "cost": costs, "area_ha": areas, "kind": kinds, "geometry": None}
    compared.diagrams = pd.DataFrame(values, pd.RangeIndex(1, len(costs) + 1))
    return compared


def test_the_cheaper_way_to_the_targets_is_chosen_for_any_cost_of_other_diagrams() -> None:
    areas = [144, 155, 227, 285, 15, 47, 247, 284, 78, 96]
    costs = [900e3, 1480e6, 1400e3, 38e3, 830e6, 24e3, 640e6, 100e3, 950e6, 1300e3]
    best = small(costs, areas).optimum(2.5e9, {"Water": 371, "Housing": 569})
    assert (best.chosen, best.cost, best.shortfall) == ([1, 3, 4, 8], 2_438_000, 0)


def test_cents_are_added_as_decimal_numbers() -> None:
    compared = small([0.1, 0.7, 0.2], [5, 5, 5])
    best = compared.optimum(0.3, {"Water": 10})
    assert (best.chosen, best.cost, best.shortfall) == ([1, 3], 0.3, 0)
    assert compared.optimum(0.29, {"Water": 10}).chosen == [1]


def test_what_is_free_is_chosen_only_if_it_covers_what_is_missing() -> None:
    best = small([0, 0, 0, 5, 0, 0, 9], [6, 7, 5, 7, 3, 7, 2]).optimum(100, {"Water": 10})
    assert (best.chosen, best.cost, best.shortfall) == ([1, 3], 0, 0)


def test_a_project_that_brings_money_in_is_always_chosen_and_pays_for_others() -> None:
    compared = small([50, -40, 60], [10, 1, 10])
    best = compared.optimum(10, {"Water": 20})
    assert (best.chosen, best.cost, best.shortfall) == ([1, 2], 10, 0.5)
    assert compared.optimum(10, {"Water": 20}, drop=[2]).chosen == []


def test_of_diagrams_that_are_the_same_those_with_lower_ids_are_chosen() -> None:
    compared = small([7, 0.5, 7, 0.5, 7], [10, 1, 10, 1, 10])
    best = compared.optimum(15, {"Water": 25}, alternatives=2)
    assert [choice.chosen for choice in [best, *best.alternatives]] == [[1, 3], [1, 5], [3, 5]]
    compared.diagrams = compared.diagrams[::-1]
    assert compared.optimum(15, {"Water": 25}).chosen == [1, 3]


def test_policies_are_chosen_only_if_asked_for_and_are_told() -> None:
    compared = small([0, 30, 50, 40, 60], [8, 9, 10, 7, 5.5], ["policy", "project", "project", "policy", None])
    targets = {"Water": 20, "Housing": 20}
    best = compared.optimum(1000, targets)
    assert (best.chosen, best.policies, best.policies_ha) == ([2, 3, 5], 0, 0)
    assert "polic" not in repr(best)
    best = compared.optimum(1000, targets, policies=True)
    assert (best.chosen, best.policies, best.policies_ha) == ([1, 2, 3, 4, 5], 2, 15)
    told = "5 diagrams, among them 2 policies with 15.0 ha, for 180 of 1.00 k, shortfall 0.2"
    assert repr(best) == f"<Optimum: {told}>" and told in best._repr_html_()
    assert compared.optimum(1000, targets, keep=[1], drop=[2]).chosen == [1, 3, 5]
    assert compared.optimum(1000, targets, policies=True, drop=[4]).policies == 1


def test_the_choice_can_be_among_the_diagrams_of_the_compared_designs() -> None:
    compared = small([5, 5, 5, 5], [10, 10, 10, np.nan])
    targets = {"Water": 50, "Housing": 50}
    with pytest.raises(InputError, match='no design is compared: choose among="project"'):
        compared.optimum(100, targets, among="designs")
    compared.designs = {"A": [1], "B": [1, 2]}
    best = compared.optimum(100, targets, among="designs")
    assert (best.chosen, best.excluded) == ([1, 2], [])
    assert compared.optimum(100, targets, among="designs", keep=[3]).chosen == [1, 2, 3]
    best = compared.optimum(100, targets)
    assert (best.chosen, best.excluded) == ([1, 2, 3], [4])
    with pytest.raises(InputError, match=r"""among must be "project" for all diagrams or "designs" .* not 'design'"""):
        compared.optimum(100, targets, among="design")


def test_without_time_a_choice_within_the_budget_is_found_and_its_gap_is_true() -> None:
    random, compared = np.random.default_rng(1), copy(nothing())
    area, sysid = random.uniform(1, 60, 300), random.integers(1, 3, 300)
    values = {"sysid": sysid, "cost": area * random.uniform(1, 20, 300), "area_ha": area, "kind": "project"}
    compared.diagrams = pd.DataFrame({**values, "geometry": None}, pd.RangeIndex(1, 301))
    question = (compared.diagrams["cost"].sum() * 0.3, {"Water": 4000, "Housing": 4000})
    hasty, best = compared.optimum(*question, time_limit=1e-9), compared.optimum(*question)
    assert best.gap == 0 < hasty.gap < 0.05 and hasty.cost <= hasty.budget
    assert hasty.shortfall * (1 - hasty.gap) <= best.shortfall <= hasty.shortfall


@pytest.mark.slow
@pytest.mark.parametrize("has_rates", [False, True], ids=["any costs", "costs by rates"])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9])
def test_the_optimum_of_2000_diagrams_takes_five_seconds_and_is_nearly_proven(share: float, has_rates: bool) -> None:
    random, compared = np.random.default_rng(1), copy(nothing())
    area, sysid = random.uniform(1, 60, 2000), random.integers(1, 3, 2000)
    cost = area * np.array([0, 3, 20])[sysid] * (1 if has_rates else random.uniform(0.5, 2, 2000))
    values = {"sysid": sysid, "cost": cost, "area_ha": area, "kind": "project", "geometry": None}
    compared.diagrams = pd.DataFrame(values, pd.RangeIndex(1, 2001))
    started = time.perf_counter()
    best = compared.optimum(cost.sum() * share, {sysid: 0.7 * area.sum() / 2 for sysid in (1, 2)})
    assert time.perf_counter() - started < 5
    assert best.cost <= best.budget
    if has_rates:
        assert best.gap < 1e-5 and best.cost_gap < 1e-5
    else:
        assert (best.gap, best.cost_gap) == (0, 0)
