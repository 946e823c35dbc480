"""The diagrams that meet targets best under a budget, found and proven by HiGHS."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pygeodesign._core import _missing_extra
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.given import finite, sysid_of, whole
from pygeodesign._planning.land import Numbers
from pygeodesign._planning.targets import figure
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from highspy import Highs

# The budget in the units of the programme, so that rounding is far below a millionth of it.
SCALED_BUDGET = 1000.0
TOLERANCE = 1e-9
# The share of the time that the shortfall may take; the rest is for the cost.
SHORTFALL_SHARE = 0.6


@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """The choice of diagrams that `Comparison.optimum()` found.

    Attributes:
        chosen: The ids of the chosen diagrams, sorted.
        systems: A DataFrame with one row per system, by `sysid`: `system`, `diagrams` (how many are chosen),
            `target_ha`, `current_ha`, `area_ha` (hectares of the chosen diagrams), `missing_ha`, `shortfall` (the share
            of the target that is missing, from 0 to 1) and `cost`. What belongs to a target is NaN without one.
        cost: What the chosen diagrams cost, in the project's currency.
        budget: What they may cost.
        shortfall: The sum of the shortfalls of all systems.
        gap: The proof: no choice has a shortfall that is lower than `shortfall * (1 - gap)`. 0 proves the optimum.
        cost_gap: As `gap`, for the cost of choices with the same shortfall.
        alternatives: The next best choices, each an `Optimum`, from better to worse.
        excluded: The ids of diagrams whose cost or area is not known, sorted. None of them is chosen.

    Examples:
        >>> best = project.compare().optimum(budget=5e9)
        >>> best
        <Optimum: 66 diagrams for 3.25e+09 of 5e+09, shortfall 0.2>
        >>> project.costs(diagrams=best.chosen).total <= best.budget
        True
    """

    chosen: list[int]
    systems: pd.DataFrame
    cost: float
    budget: float
    shortfall: float
    gap: float
    cost_gap: float
    alternatives: tuple[Optimum, ...]
    excluded: list[int]

    def __repr__(self) -> str:
        """The number of diagrams, their cost, and the shortfall with what is proven."""
        proven = "" if self.gap == 0 else f", at most {100 * self.gap:.2g} % above the least"
        return (
            f"<Optimum: {len(self.chosen)} diagrams for {self.cost:.3g} of {self.budget:.3g}, "
            f"shortfall {self.shortfall:.3g}{proven}>"
        )


class OptimumQuestion(Compared):
    """What a budget buys."""

    def optimum(
        self,
        budget: float | None = None,
        targets: Mapping[Any, float] | None = None,
        keep: Iterable[int] = (),
        drop: Iterable[int] = (),
        alternatives: int = 0,
        time_limit: float = 4,
    ) -> Optimum:
        """The diagrams of the project that come nearest to all targets under a budget.

        This is the minimum shortfall objective of prioritizr (Hanson et al. 2025, doi 10.1111/cobi.14376): of all
        choices that cost at most the budget, the one with the least sum over the systems of

            shortfall = max(0, target_ha - current_ha - area_ha) / target_ha

        and of those with the same sum, the one that costs least. HiGHS finds it by branch and bound and proves it.
        Hectares count as in the cost report: policies too, and each diagram for itself where two overlap.

        Args:
            budget: What all chosen diagrams may cost together. Default: the sum of the budgets of the systems.
            targets: Hectares by system (name, id or tag); other systems then have no target. Default: the targets of
                the systems. What a system covers today counts towards its target.
            keep: Ids of diagrams that are chosen in any case.
            drop: Ids of diagrams that are not chosen, for example policies.
            alternatives: How many of the next best choices to find, too. Each lacks at least one diagram of every
                choice before it that costs something and is not in `keep`.
            time_limit: Seconds for each choice. After it, the best choice so far is the result, and `gap` says how far
                from the least shortfall it is at most.

        Returns:
            An `Optimum`. Diagrams whose cost or area is not known are not chosen, unless they are in `keep`; its
            `excluded` lists them.

        Raises:
            InputError: There is no target or no budget, a system, diagram or number is none, or what to keep is beyond
                the budget or of unknown cost.
            ImportError: highspy is missing; `pip install 'pygeodesign[planning]'` brings it.

        Examples:
            >>> best = project.compare().optimum(budget=1e9, keep=[1001], alternatives=2)
            >>> best
            <Optimum: 58 diagrams for 9.99e+08 of 1e+09, shortfall 0.279>
            >>> len(best.alternatives), best.gap
            (2, 0.0)
            >>> missing = best.systems.set_index("system")["missing_ha"]
            >>> missing[missing > 0].round(1).to_dict()
            {'Agriculture': 173.1, 'High-density housing': 145.9}
        """
        seconds = "give a number of seconds above 0"
        if finite("time_limit", time_limit, seconds) <= 0:
            raise InputError(f"time_limit is {time_limit!r}: {seconds}")
        whole("alternatives", alternatives, "give the number of choices after the best one, 0 or more", 0)
        diagrams, systems = self.diagrams, self.systems
        kept, dropped = _ids(diagrams, "keep", keep), _ids(diagrams, "drop", drop)
        if both := sorted(kept & dropped):
            raise InputError(f"diagrams cannot be in keep and in drop: {_listed(both)}")
        known = diagrams["cost"].notna() & diagrams["area_ha"].notna()
        if unknown := sorted(kept - set(diagrams.index[diagrams["cost"].notna()])):
            raise InputError(f"the cost of diagrams to keep is not known: {_listed(unknown)}")
        limit = _budget(systems, budget)
        kept_cost = float(diagrams.loc[sorted(kept), "cost"].sum())
        if kept_cost > limit:
            raise InputError(
                f"the diagrams to keep cost {kept_cost:,.0f}, which is more than the budget of {limit:,.0f}"
            )
        target = _targets(systems, targets)
        is_kept = diagrams.index.isin(sorted(kept))
        pool = pd.DataFrame(
            diagrams[is_kept | (known & ~diagrams.index.isin(sorted(dropped)))].drop(columns="geometry")
        )
        need = (target - figure(systems, "current_ha").fillna(0)).clip(lower=0)
        with_need = need.index[need > 0]
        places = {sysid: place for place, sysid in enumerate(with_need)}
        problem = Problem(
            cost=pool["cost"].to_numpy(dtype=float),
            area=pool["area_ha"].fillna(0).to_numpy(dtype=float),
            system=np.array([places.get(sysid, -1) for sysid in pool["sysid"]], dtype=int),
            kept=pool.index.isin(sorted(kept)),
            need=need[with_need].to_numpy(dtype=float),
            target=target[with_need].to_numpy(dtype=float),
            budget=limit,
        )
        excluded = sorted(set(diagrams.index[~known]) - kept - dropped)
        found: list[Optimum] = []
        earlier: list[Numbers] = []
        while len(found) <= alternatives:
            best = solve(problem, earlier, time.monotonic() + time_limit)
            if best is None:
                break
            earlier.append(best.chosen)
            found.append(_result(systems, pool, target, limit, excluded, best))
        first, *others = found
        return Optimum(**{**vars(first), "alternatives": tuple(others)})


def _result(
    systems: pd.DataFrame, pool: pd.DataFrame, target: pd.Series[float], budget: float, excluded: list[int], best: Best
) -> Optimum:
    rows = pool[best.chosen]
    groups = rows.groupby("sysid")
    area, cost = (
        groups[name].sum().reindex(systems.index, fill_value=0.0).astype(float) for name in ("area_ha", "cost")
    )
    current = figure(systems, "current_ha")
    missing = (target - current.fillna(0) - area).clip(lower=0)
    table = pd.DataFrame(
        {
            "system": systems["name"],
            "diagrams": groups.size().reindex(systems.index, fill_value=0).astype(int),
            "target_ha": target,
            "current_ha": current,
            "area_ha": area,
            "missing_ha": missing,
            "shortfall": missing / target,
            "cost": cost,
        }
    )
    shortfall = float(table["shortfall"].sum())
    chosen = sorted(int(number) for number in rows.index)
    return Optimum(chosen, table, float(rows["cost"].sum()), budget, shortfall, best.gap, best.cost_gap, (), excluded)


def _ids(diagrams: pd.DataFrame, name: str, ids: Iterable[int]) -> set[int]:
    """The ids that the caller gave; all of them are of the project."""
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise InputError(f"{name} is {ids!r}: give a list of diagram ids")
    given = list(ids)
    known = set(diagrams.index)
    unknown = [number for number in given if not isinstance(number, Hashable) or number not in known]
    if unknown:
        raise InputError(f"{name} has diagrams that the project does not have: {_listed(unknown)}")
    return {int(number) for number in given}


def _listed(ids: list[Any]) -> str:
    return ", ".join(map(repr, ids))


def _budget(systems: pd.DataFrame, budget: float | None) -> float:
    if budget is None:
        budgets = figure(systems, "budget")
        if budgets.isna().all():
            raise InputError("no system has a budget: say how much diagrams may cost with budget=")
        return float(budgets.sum())
    return finite("budget", budget, "give an amount of money, 0 or more", 0)


def _targets(systems: pd.DataFrame, targets: Mapping[Any, float] | None) -> pd.Series[float]:
    """The target of each system in hectares; NaN without one."""
    if targets is None:
        target = figure(systems, "target_ha")
    elif isinstance(targets, (Mapping, pd.Series)):
        target = pd.Series(np.nan, index=systems.index)
        for name, wanted in targets.items():
            hectares = finite(f"the target of {name!r}", wanted, "give hectares, 0 or more", 0)
            target[sysid_of(systems, name)] = hectares
    else:
        raise InputError(f"targets is {targets!r}: give hectares by system, such as {{'Water': 250}}")
    target = target.where(target > 0)
    if target.isna().all():
        raise InputError("no system has a target: give hectares per system with targets=")
    return target


@dataclass(frozen=True)
class Problem:
    """What may be chosen. Each array has a value per diagram, or per system with something missing."""

    cost: Numbers
    area: Numbers
    #: The place of the diagram's system in `need`, -1 for one that needs nothing.
    system: Numbers
    kept: Numbers
    #: Hectares that are missing without any diagram.
    need: Numbers
    target: Numbers
    budget: float


@dataclass(frozen=True)
class Best:
    """A mask of the chosen diagrams, and how much better another choice could be, as a share."""

    chosen: Numbers
    gap: float
    cost_gap: float


def solve(problem: Problem, earlier: list[Numbers], deadline: float) -> Best | None:
    """First the least shortfall, then the least cost with it. Each of the earlier choices lacks something."""
    diagrams, systems = len(problem.cost), len(problem.need)
    # Diagrams that cost nothing, or are kept, make no other choice.
    cuts = [np.flatnonzero(chosen & (problem.cost > 0) & ~problem.kept) for chosen in earlier]
    if any(len(cut) == 0 for cut in cuts):
        return None
    scale = SCALED_BUDGET / max(problem.budget, np.abs(problem.cost).max(initial=1e-12))
    cost = scale * problem.cost
    highs = _programme(problem, cost, scale * problem.budget, cuts)
    kept_area = np.bincount(problem.system + 1, problem.area * problem.kept, minlength=systems + 1)[1:]
    only_kept = np.r_[problem.kept, np.maximum(problem.need - kept_area, 0) / problem.target]
    highs.setOptionValue("time_limit", SHORTFALL_SHARE * (deadline - time.monotonic()))
    values, gap = _solved(highs, only_kept)
    columns = np.arange(diagrams + systems)
    highs.changeColsCost(len(columns), columns, np.r_[cost, np.zeros(systems)])
    highs.addRow(-np.inf, values[diagrams:].sum() + TOLERANCE, systems, columns[diagrams:], np.ones(systems))
    highs.setOptionValue("time_limit", max(0.0, deadline - time.monotonic()))
    values, cost_gap = _solved(highs, values)
    return Best(values[:diagrams] > 0.5, gap, cost_gap)


def _programme(problem: Problem, cost: Numbers, budget: float, cuts: list[Numbers]) -> Highs:
    """A column per diagram, 0 or 1, and per system, its shortfall as a share of the target."""
    highspy = _highspy()
    diagrams, systems = len(problem.cost), len(problem.need)
    useful = (problem.system >= 0) & (problem.area > 0) | (problem.cost < 0)
    programme = highspy.HighsLp()
    programme.num_col_, programme.num_row_ = diagrams + systems, systems + 1 + len(cuts)
    programme.col_cost_ = np.r_[np.zeros(diagrams), np.ones(systems)]
    programme.col_lower_ = np.r_[problem.kept.astype(float), np.zeros(systems)]
    programme.col_upper_ = np.r_[(useful | problem.kept).astype(float), problem.need / problem.target]
    programme.row_lower_ = np.r_[problem.need / problem.target, np.full(1 + len(cuts), -np.inf)]
    programme.row_upper_ = np.r_[np.full(systems, np.inf), budget, [len(cut) - 1.0 for cut in cuts]]
    rows = []
    for place, target in enumerate(problem.target):
        own = np.flatnonzero(problem.system == place)
        rows.append((np.r_[own, diagrams + place], np.r_[problem.area[own] / target, 1.0]))
    rows.append((np.arange(diagrams), cost))
    rows.extend((cut, np.ones(len(cut))) for cut in cuts)
    programme.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    programme.a_matrix_.start_ = np.r_[0, np.cumsum([len(columns) for columns, _ in rows])]
    programme.a_matrix_.index_ = np.concatenate([columns for columns, _ in rows])
    programme.a_matrix_.value_ = np.concatenate([values for _, values in rows])
    kinds = highspy.HighsVarType
    programme.integrality_ = [kinds.kInteger] * diagrams + [kinds.kContinuous] * systems
    highs = highspy.Highs()
    highs.silent()
    # What `cancelSolve` needs.
    highs.HandleUserInterrupt = True
    for option in ("mip_rel_gap", "mip_abs_gap", "mip_feasibility_tolerance", "primal_feasibility_tolerance"):
        highs.setOptionValue(option, 0.0 if option == "mip_rel_gap" else TOLERANCE)
    highs.passModel(programme)
    return highs


def _solved(highs: Highs, start: Numbers) -> tuple[Numbers, float]:
    """The best values that were found in time, at worst those of the start, and the gap that is proven."""
    solution = _highspy().HighsSolution()
    solution.col_value = start.astype(float).tolist()
    highs.setSolution(solution)
    # In another thread, so that Ctrl-C is noticed.
    highs.startSolve()
    try:
        while not highs.wait(0.1)[0]:
            pass
    except BaseException:
        highs.cancelSolve()
        while not highs.wait(0.1)[0]:
            pass
        raise
    info = highs.getInfo()
    if not np.isfinite(info.objective_function_value):
        return start, 1.0
    # Without a diagram to choose from there is no gap to close; and what rounding leaves is none.
    proven = highs.getModelStatus() == _highspy().HighsModelStatus.kOptimal or info.mip_gap < TOLERANCE
    return np.array(highs.getSolution().col_value), 0.0 if proven else min(info.mip_gap, 1.0)


def _highspy() -> Any:
    """HiGHS is of an extra of its own."""
    try:
        import highspy
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    return highspy
