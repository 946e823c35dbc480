"""The diagrams that meet targets best under a budget."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, card, paragraph, table
from pygeodesign._language import in_digits, number, t
from pygeodesign._options import currency_of
from pygeodesign._paper.answers import Answers, Section, once
from pygeodesign._paper.shown import hue, links
from pygeodesign._planning.arguments import diagrams_named, finite, listed_ids, sysid_of, whole
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.land.constraints import locked_out
from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.questions.targets import system_figures
from pygeodesign._planning.solving.choice import MAX_EARLIER, Best, Problem, budget_limit, decimal, solve
from pygeodesign._text import counted, short_amount, short_number, units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CENT = 0.01
MOST_ALTERNATIVES = f"give the number of choices after the best one, from 0 to {MAX_EARLIER}"


@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """The choice of diagrams that `Comparison.optimum()` found.

    Attributes:
        chosen: The ids of the chosen diagrams, sorted.
        systems: A DataFrame with one row per system, by `sysid`: `system`, `diagrams` (the number of chosen ones),
            `target_ha`, `current_ha`, `area_ha` (hectares of the chosen diagrams), `missing_ha`, `shortfall` (the share
            of the target that is missing, from 0 to 1) and `cost`. Columns about a target are NaN without one.
        cost: The cost of the chosen diagrams, in the project's currency.
        budget: The most that they may cost.
        shortfall: The sum of the shortfalls of all systems.
        gap: The proof: no choice has a shortfall below `shortfall * (1 - gap)`. 0 proves the optimum.
        cost_gap: Like `gap`, for the cost of choices with the same shortfall.
        alternatives: The next best choices, each an `Optimum`, from better to worse.
        excluded: The ids of diagrams of unknown cost or area, sorted. None of them is chosen.
        locked_out: The ids of diagrams that are not chosen because they lie on constraints, sorted.
        policies: The number of policies among the chosen diagrams.
        policies_ha: Their hectares, which are in `area_ha`.

    Examples:
        >>> best = project.compare().optimum(budget=5e9)
        >>> best
        <Optimum: 87 diagrams for 5.00 bn of 5.00 bn, shortfall 2.85>
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
    locked_out: list[int]
    policies: int
    policies_ha: float

    def __repr__(self) -> str:
        """The number of diagrams, their cost, and the shortfall with its proof."""
        return f"<Optimum: {self._summary()}>"

    def to_pandas(self) -> pd.DataFrame:
        """`systems`, the table of the choice.

        Examples:
        >>> project.compare().optimum(budget=5e9).to_pandas()["cost"].sum() <= 5e9
        np.True_
        """
        return self.systems

    def _repr_html_(self) -> str:
        amounts = self.systems[["target_ha", "area_ha", "missing_ha", "cost"]].map(
            lambda amount: "" if pd.isna(amount) else f"{amount:,.1f}"
        )
        rows = zip(
            self.systems["system"], self.systems["diagrams"].map("{:,}".format), *amounts.to_numpy().T, strict=True
        )
        headings = ("system", "diagrams", "target ha", "ha summed over diagrams", "missing ha", "cost")
        return card("Optimum", headings, rows, self._summary())

    def _proof(self) -> str:
        """The sentence about the least that any choice leaves missing."""
        if not self.gap:
            return t("best_proven")
        return t("best_gap", percent=in_digits(f"{100 * self.gap:.2g}"))

    def _summary(self) -> str:
        """The choice, and its proof."""
        policies = (
            "1 policy" if self.policies == 1 else f"{self.policies:,} policies"
        ) + f" with {short_number(self.policies_ha)} ha"
        among = f", among them {policies}," if self.policies else ""
        proven = "" if self.gap == 0 else f", at most {100 * self.gap:.2g} % above the least"
        cost, budget = short_amount(self.cost), short_amount(self.budget)
        return (
            f"{counted(len(self.chosen), 'diagram')}{among} for {cost} of {budget}, "
            f"shortfall {self.shortfall:.3g}{proven}"
        )


def optimum(
    self: Compared,
    budget: float | None = None,
    targets: Mapping[Any, float] | None = None,
    keep: Iterable[int] = (),
    drop: Iterable[int] = (),
    alternatives: int = 0,
    time_limit: float = 4,
    *,
    policies: bool = False,
    among: Literal["project", "designs"] = "project",
    constraints: Literal["exclude", "ignore"] = "ignore",
) -> Optimum:
    """The projects that come nearest to all targets under a budget.

    This is the minimum shortfall objective of prioritizr (Hanson et al. 2025, doi 10.1111/cobi.14376): among all
    choices that cost at most the budget, the one with the least sum over the systems of

        shortfall = max(0, target_ha - current_ha - area_ha) / target_ha

    and among those with the same sum, the cheapest one. Sums that differ by at most 1e-9 are the same. Among
    diagrams of the same system, area and cost, those with lower ids are chosen first. A diagram without cost is chosen
    if more would be missing without it, and a project whose cost is below 0 always. Costs are added as decimal
    numbers. Hectares count as in the cost report: where two diagrams overlap, both count.

    Args:
        budget: The most that all chosen diagrams may cost together. Default: the sum of the budgets of the systems.
        targets: Hectares by system (name, id or tag); other systems then have no target. Default: the targets of
            the systems. Land that a system covers today counts towards its target.
        keep: Ids of diagrams that are always chosen, policies too.
        drop: Ids of diagrams that are never chosen.
        alternatives: The number of next best choices to find, too, at most 60. Each lacks at least one diagram of
            every choice before it that costs something and is not in `keep`.
        time_limit: Seconds for each choice. After it, the best choice so far is the result, and `gap` bounds its
            distance from the least shortfall.
        policies: True to choose among policies, too. They change no land, and most of them cost nothing; yet their
            hectares then count towards targets.
        among: The diagrams that may be chosen: those of the `"project"`, or those that a compared design has
            (`"designs"`).
        constraints: `"exclude"` chooses no diagram with land, a line or a point on the project's constraints; policies
            change no land. `"ignore"` chooses them like any other.

    Returns:
        An `Optimum`. Diagrams of unknown cost or area are not chosen, unless they are in `keep`; its
        `excluded` lists them.

    Raises:
        InputError: There is no target, no budget or no design, a system, diagram or number is invalid, or the diagrams
            to keep are beyond the budget, of unknown cost, or on constraints that are excluded.

    Examples:
        >>> best = project.compare().optimum(budget=1e9, keep=[1001], alternatives=2)
        >>> best
        <Optimum: 45 diagrams for 1.00 bn of 1.00 bn, shortfall 3.32>
        >>> len(best.alternatives), best.gap
        (2, 0.0)
        >>> project.compare().optimum(budget=1e9, policies=True)
        <Optimum: 38 diagrams, among them 21 policies with 5,653 ha, for 996 M of 1.00 bn, shortfall 0.277>
    """
    seconds = "give a number of seconds above 0"
    if finite("time_limit", time_limit, seconds) <= 0:
        raise InputError(f"time_limit is {time_limit!r}: {seconds}")
    if whole("alternatives", alternatives, MOST_ALTERNATIVES, 0) > MAX_EARLIER:
        raise InputError(f"alternatives is {alternatives!r}: {MOST_ALTERNATIVES}")
    diagrams, systems = self.diagrams.drop(columns="geometry").sort_index(), self.systems
    kept, dropped = diagrams_named(diagrams, "keep", keep), diagrams_named(diagrams, "drop", drop)
    if both := sorted(kept & dropped):
        raise InputError(f"diagrams cannot be both in keep and in drop: {listed_ids(both)}")
    if unknown := sorted(kept - set(diagrams.index[diagrams["cost"].notna()])):
        raise InputError(f"the cost of diagrams to keep is not known: {listed_ids(unknown)}")
    limit = _budget(systems, budget)
    kept_costs = diagrams.loc[sorted(kept), "cost"]
    if sum(map(decimal, kept_costs)) > budget_limit(limit, kept_costs):
        raise InputError(
            f"the diagrams to keep cost {kept_costs.sum():,.0f}, which is more than the budget of {limit:,.0f}"
        )
    target = targets_of(systems, targets)
    is_kept = diagrams.index.isin(sorted(kept))
    is_open = among_which(self, diagrams, among, policies) & ~diagrams.index.isin(sorted(dropped))
    is_locked = (is_kept | is_open) & locked_out(self, diagrams, constraints, kept)
    locked = [int(number) for number in diagrams.index[is_locked]]
    candidates = diagrams[(is_kept | is_open) & ~is_locked]
    known = candidates["cost"].notna() & candidates["area_ha"].notna()
    pool = candidates[known | candidates.index.isin(sorted(kept))]
    excluded = sorted(set(candidates.index) - set(pool.index))
    problem = shares_of(self, pool, target, pool.index.isin(sorted(kept)), limit)
    found: list[Optimum] = []
    earlier: list[Numbers] = []
    while len(found) <= alternatives:
        best = solve(problem, earlier, time.monotonic() + time_limit)
        if best is None:
            break
        earlier.append(best.chosen)
        found.append(_result(systems, pool[best.chosen], target, limit, excluded, locked, best))
    first, *others = found
    return Optimum(**{**vars(first), "alternatives": tuple(others)})


def shares_of(
    compared: Compared, pool: pd.DataFrame, target: pd.Series[float], kept: Numbers, budget: float
) -> Problem:
    """The diagrams' costs, and the shares of targets that they cover."""
    need = (target - system_figures(compared.systems, "current_ha").fillna(0)).clip(lower=0)
    with_need = need.index[need > 0]
    wanted = pool["sysid"].map(target[with_need])
    return Problem(
        cost=pool["cost"].fillna(0).to_numpy(dtype=float),
        share=(pool["area_ha"] / wanted).fillna(0).to_numpy(dtype=float),
        system=with_need.get_indexer(pd.Index(pool["sysid"])),
        kept=kept,
        need=(need / target)[with_need].to_numpy(dtype=float),
        budget=budget,
    )


def among_which(compared: Compared, diagrams: pd.DataFrame, among: str, policies: bool) -> pd.Series[bool]:
    """The diagrams that may be chosen."""
    if among not in ("project", "designs"):
        raise InputError(f'among must be "project" for all diagrams or "designs" for theirs, not {among!r}')
    if among == "designs" and not compared.designs:
        raise InputError('no design is compared: choose among="project", or compare designs with project.compare()')
    members = diagrams.index if among == "project" else {number for ids in compared.designs.values() for number in ids}
    return pd.Series(diagrams.index.isin(list(members)), diagrams.index) & (policies | (diagrams["kind"] != "policy"))


def plot_optimum(
    self: Compared,
    best: Optimum,
    ax: Axes | None = None,
    *,
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws the choice of `optimum()`: the area of each system as a bar with a mark at its target, and what is missing.

    Args:
        best: The result of `optimum()`, or one of its `alternatives`.
        ax: The matplotlib axes to draw on. Default: new ones.
        currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        units: `"metric"`, or `"us"` for acres. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; along x are hectares or acres, summed over diagrams.

    Raises:
        InputError: `best` is not an `Optimum`, or the units are unknown.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> comparison = project.compare()
        >>> axes = comparison.plot_optimum(comparison.optimum(budget=1e9))
        >>> axes.get_yticklabels()[0].get_text()
        'Water'
    """
    if not isinstance(best, Optimum):
        raise InputError(f"best is {best!r}: give what optimum() returned")
    chosen = self.diagrams.loc[best.chosen]
    axes: Axes = pictures("bars").draw_optimum(
        best,
        chosen[chosen["kind"] == "policy"],
        self.systems["color"],
        self.title,
        currency_of(currency, self.currency),
        units_named(units),
        ax,
        theme,
    )
    return axes


def _result(
    systems: pd.DataFrame,
    rows: pd.DataFrame,
    target: pd.Series[float],
    budget: float,
    excluded: list[int],
    locked: list[int],
    best: Best,
) -> Optimum:
    groups = rows.groupby("sysid")
    area, cost = (
        groups[name].agg(_sum).reindex(systems.index, fill_value=0.0).astype(float) for name in ("area_ha", "cost")
    )
    current = system_figures(systems, "current_ha")
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
    is_policy = rows["kind"] == "policy"
    spent = sum(map(decimal, rows["cost"]))
    return Optimum(
        chosen=[int(number) for number in rows.index],
        systems=table,
        # Without the rounding error of floats in a budget that is spent to the last cent.
        cost=min(float(spent), budget),
        budget=budget,
        shortfall=_sum(table["shortfall"]),
        gap=best.missed / best.shortfall if best.missed else 0.0,
        cost_gap=min(1.0, best.saving / abs(float(spent))) if best.saving > CENT / 2 and spent else 0.0,
        alternatives=(),
        excluded=excluded,
        locked_out=locked,
        policies=int(is_policy.sum()),
        policies_ha=_sum(rows.loc[is_policy, "area_ha"]),
    )


def _sum(amounts: pd.Series[float]) -> float:
    """The exact sum of known values, rounded once."""
    return math.fsum(amounts.dropna())


def _budget(systems: pd.DataFrame, budget: float | None) -> float:
    if budget is None:
        budgets = system_figures(systems, "budget")
        if budgets.isna().all():
            raise InputError("no system has a budget: say how much diagrams may cost with budget=")
        return float(budgets.sum())
    return finite("budget", budget, "give an amount of money, 0 or more", 0)


def targets_of(systems: pd.DataFrame, targets: Mapping[Any, float] | None) -> pd.Series[float]:
    """The target of each system in hectares; NaN without one."""
    if targets is None:
        target = system_figures(systems, "target_ha")
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


@once
def reported_optimum(answers: Answers) -> Optimum | None:
    """The best choice in a report, if it was requested and a system has a target."""
    if not answers.asks_for("optimum") or not (answers.compared.systems["target_ha"] > 0).any():
        return None
    return answers.answered(optimum)


def _section(answers: Answers) -> str:
    compared, figures, best = answers.compared, answers.figures, reported_optimum(answers)
    if best is None:
        return paragraph(t("optimum_not_computed"))
    rows = []
    systems: Any = best.systems
    for sysid, row in systems.iterrows():
        own = [diagram for diagram in best.chosen if compared.diagrams.loc[diagram, "sysid"] == sysid]
        target = t("none") if pd.isna(row["target_ha"]) else figures.area(row["target_ha"])
        missing = "" if pd.isna(row["missing_ha"]) else figures.area(row["missing_ha"])
        name = hue(compared, sysid, row["system"])
        rows.append((name, target, figures.area(row["area_ha"]), missing, figures.money(row["cost"]), links(own)))
    unit = f" ({figures.units.area})"
    columns = [
        Column(t("system"), "text"),
        Column(t("target_unit", unit=unit)),
        figures.summed,
        Column(t("missing_unit", unit=unit)),
        Column(t("cost_unit", unit=figures.money_unit)),
        Column(t("chosen_diagrams"), "ids"),
    ]
    summary = t(
        "optimum_summary",
        budget=figures.full_money(best.budget),
        projects=t("projects", count=len(best.chosen)),
        cost=figures.full_money(best.cost),
        shortfall=number(best.shortfall, 3),
        proof=best._proof(),
    )
    return paragraph(summary) + table(t("optimum_caption"), columns, rows)


SECTION = Section(
    "best_heading",
    "optimum_question",
    _section,
    is_asked_for=True,
    result=Optimum,
)
