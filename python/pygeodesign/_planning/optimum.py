"""The diagrams that meet targets best under a budget, found and proven by HiGHS."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pygeodesign._planning.minimum_shortfall import Best, Problem, solve
from pygeodesign._planning.numbers import finite, whole
from pygeodesign._planning.systems import sysid_of
from pygeodesign._planning.targets import figure
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared


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


def optimum(
    compared: Compared,
    budget: float | None,
    targets: Mapping[Any, float] | None,
    keep: Iterable[int],
    drop: Iterable[int],
    alternatives: int,
    time_limit: float,
) -> Optimum:
    """The best choice, and the next best ones."""
    seconds = "give a number of seconds above 0"
    if finite("time_limit", time_limit, seconds) <= 0:
        raise InputError(f"time_limit is {time_limit!r}: {seconds}")
    whole("alternatives", alternatives, "give the number of choices after the best one, 0 or more", 0)
    diagrams, systems = compared.diagrams, compared.systems
    kept, dropped = _ids(diagrams, "keep", keep), _ids(diagrams, "drop", drop)
    if both := sorted(kept & dropped):
        raise InputError(f"diagrams cannot be in keep and in drop: {_listed(both)}")
    known = diagrams["cost"].notna() & diagrams["area_ha"].notna()
    if unknown := sorted(kept - set(diagrams.index[diagrams["cost"].notna()])):
        raise InputError(f"the cost of diagrams to keep is not known: {_listed(unknown)}")
    limit = _budget(systems, budget)
    kept_cost = float(diagrams.loc[sorted(kept), "cost"].sum())
    if kept_cost > limit:
        raise InputError(f"the diagrams to keep cost {kept_cost:,.0f}, which is more than the budget of {limit:,.0f}")
    target = _targets(systems, targets)
    is_kept = diagrams.index.isin(sorted(kept))
    pool = pd.DataFrame(diagrams[is_kept | (known & ~diagrams.index.isin(sorted(dropped)))].drop(columns="geometry"))
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
    earlier: list[np.ndarray[Any, Any]] = []
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
