"""`Comparison.optimum()`: no choice of diagrams under the budget leaves less shortfall, or as little for less."""

import pickle
import sys
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from builders import diagram, feature, square
from comparisons import comparison
from demo import demo_sandbox
from pygeodesign import InputError, Project

TIE = 1e-8


@pytest.fixture(scope="module")
def compared() -> Any:
    with demo_sandbox() as sandbox:
        return sandbox.client().project("StatenIsland2050").compare()


class EveryChoice:
    """The shortfall and the cost of each of the choices among a few diagrams."""

    def __init__(self, compared: Any, ids: list[int], target: "pd.Series[float]", kept: list[int]) -> None:
        rows, self.ids = compared.diagrams.loc[ids], np.array(ids)
        self.masks = (np.arange(2 ** len(ids))[:, None] >> np.arange(len(ids)) & 1).astype(bool)
        self.masks = self.masks[self.masks[:, np.isin(self.ids, kept)].all(axis=1)]
        self.cost = self.masks @ rows["cost"].to_numpy()
        self.paid = (rows["cost"] > 0).to_numpy() & ~np.isin(self.ids, kept)
        self.shortfall = np.zeros(len(self.masks))
        for sysid, hectares in target.items():
            area = self.masks @ np.where(rows["sysid"] == sysid, rows["area_ha"], 0.0)
            current = compared.systems.loc[sysid, "current_ha"]
            self.shortfall += np.maximum(0, hectares - current - area) / hectares

    def best(self, budget: float, earlier: list[list[int]]) -> tuple[float, float] | None:
        allowed = self.cost <= budget * (1 + 1e-12)
        for chosen in earlier:
            allowed &= ~self.masks[:, self.paid & np.isin(self.ids, chosen)].all(axis=1)
        if not allowed.any():
            return None
        least = self.shortfall[allowed].min()
        return least, self.cost[allowed & (self.shortfall <= least + TIE)].min()


@pytest.mark.parametrize("seed", range(40))
def test_no_choice_of_sixteen_diagrams_is_better(compared: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    every = compared.diagrams.index.to_numpy()
    ids = sorted(random.choice(every, random.integers(2, 15), replace=False).tolist())
    kept = ids[: random.integers(0, 3)]
    systems = random.choice(compared.systems.index, random.integers(1, 6), replace=False)
    target = compared.systems.loc[systems, "current_ha"] + random.uniform(1, 300, len(systems))
    cost = compared.diagrams.loc[ids, "cost"].sum()
    budget = compared.diagrams.loc[kept, "cost"].sum() + random.uniform(0, 1) * cost
    best = compared.optimum(budget, target.to_dict(), keep=kept, drop=set(every.tolist()) - set(ids), alternatives=2)
    choices, found = EveryChoice(compared, ids, target, kept), [best, *best.alternatives]
    for place, choice in enumerate(found):
        expected = choices.best(budget, [earlier.chosen for earlier in found[:place]])
        assert expected is not None
        assert choice.shortfall == pytest.approx(expected[0], abs=TIE)
        assert choice.cost == pytest.approx(expected[1], rel=1e-6, abs=1e-3)
        assert choice.gap == 0 and set(kept) <= set(choice.chosen) <= set(ids)
        assert choice.cost == pytest.approx(compared.diagrams.loc[choice.chosen, "cost"].sum())
        assert choice.cost <= budget * (1 + 1e-9)
    if len(found) < 3:
        paid = [number for number in found[-1].chosen if compared.diagrams["cost"][number] > 0 and number not in kept]
        assert paid == []


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
        ({"time_limit": 0}, "time_limit is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(compared: Any, given: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        compared.optimum(**given)


def test_a_project_without_budgets_needs_one() -> None:
    with pytest.raises(InputError, match="no system has a budget: say how much diagrams may cost with budget="):
        comparison([]).optimum(targets={"Water": 1})


def test_without_highspy_the_error_names_the_extra(compared: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(ImportError, match=r"pip install 'pygeodesign\[planning\]'"):
        compared.optimum()


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9])
def test_the_optimum_of_two_thousand_diagrams_takes_five_seconds_and_is_nearly_proven(share: float) -> None:
    random, compared = np.random.default_rng(1), comparison([])
    area, sysid = random.uniform(1, 60, 2000), random.integers(1, 3, 2000)
    cost = area * np.array([0, 3, 20])[sysid] * random.uniform(0.5, 2, 2000)
    frame = pd.DataFrame({"sysid": sysid, "cost": cost, "area_ha": area, "geometry": None}, pd.RangeIndex(1, 2001))
    compared.diagrams = frame
    started = time.perf_counter()
    best = compared.optimum(cost.sum() * share, {sysid: 0.7 * area.sum() / 2 for sysid in (1, 2)})
    assert time.perf_counter() - started < 5
    assert best.gap < 1e-3 and best.cost_gap < 1e-2
