"""Choices of diagrams that no other choice beats in one respect without being worse in another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign import _progress
from pygeodesign._html import Column, Markup, card, paragraph, table
from pygeodesign._language import in_digits, number, t
from pygeodesign._options import currency_of
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.charts import curve, figure
from pygeodesign._paper.shown import links
from pygeodesign._planning.arguments import diagrams_named, finite, listed_ids, whole
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.land.constraints import locked_out
from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.questions.conflicts import claimed_pairs
from pygeodesign._planning.questions.optimum import among_which, shares_of, targets_of
from pygeodesign._planning.questions.quantities import checked_quantities, rates_of
from pygeodesign._planning.solving.choice import budget_limit, decimal
from pygeodesign._planning.solving.front import Pair, front, knee_of
from pygeodesign._planning.solving.sums import SAME_COST, Conflict, Linear, Shortfall, Sum
from pygeodesign._text import counted, short_amount, units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COST, SHORTFALL, CONFLICT = "cost", "shortfall", "conflict"
MAX_POINTS = 500
BETTER = 'give "more" or "less" for each quantity, such as better={"carbon_t": "more"}'


@dataclass(frozen=True, eq=False, repr=False)
class Front:
    """The choices that `Comparison.pareto()` found: a Pareto front.

    Attributes:
        x: The name of the first sum, such as `"cost"`, for which the front is ordered.
        y: The name of the second sum.
        points: A DataFrame with one row per choice, from the best to the worst `x`: the two sums, in columns of their
            names; `diagrams`, the number of chosen ones; `chosen`, the list of their ids; `price`, the loss in `x` for
            each unit gained in `y` up to the next row (for the shortfall, for each per cent of a target), NaN in the
            last one; `knee`, True for the knee; and `gap`, the proof: no choice as good in one sum is better in the
            other by more than this share. 0 proves the choice.
        knee: The place of the knee in `points`: the choice that is farthest from the line between both ends, each sum
            divided by its range (Das 1999, doi 10.1007/BF01195985). None if no choice is on the better side of it.
        is_complete: True if these are all choices of the front, each proven. Never if HiGHS finds them: sums with
            conflict, or beside a budget, of more than 20 diagrams that one sum speaks for and another one against.
        excluded: The ids of diagrams that are never chosen because their cost, area or land is unknown, sorted.
        locked_out: The ids of diagrams that are never chosen because they lie on constraints, sorted.

    Examples:
        >>> front = project.compare().pareto("cost", "shortfall", points=7)
        >>> front
        <Front: 7 choices by cost and shortfall, knee at 1.15 bn and 3.29>
        >>> chosen = front.points["chosen"][front.knee]
        >>> round(project.costs(diagrams=chosen).total / 1e9, 2)
        1.15
    """

    x: str
    y: str
    points: pd.DataFrame
    knee: int | None
    is_complete: bool
    excluded: list[int]
    locked_out: list[int]

    def __repr__(self) -> str:
        """The number of choices, and the knee."""
        return f"<Front: {self._summary()}>"

    def to_pandas(self) -> pd.DataFrame:
        """`points`, the table of the choices.

        Examples:
        >>> len(project.compare().pareto("cost", "shortfall", points=7).to_pandas())
        7
        """
        return self.points

    def _repr_html_(self) -> str:
        rows = [
            (f"{row[self.x]:,.6g}", f"{row[self.y]:,.6g}", f"{row['diagrams']:,}", "knee" if row["knee"] else "")
            for row in self.points.to_dict("records")
        ]
        return card("Front", (self.x, self.y, "diagrams", ""), rows, self._summary())

    def _summary(self) -> str:
        text = f"{'all ' if self.is_complete else ''}{counted(len(self.points), 'choice')} by {self.x} and {self.y}"
        if self.knee is not None:
            at = self.points.iloc[self.knee]
            x, y = (short_amount(at[name]) if name == COST else f"{at[name]:.3g}" for name in (self.x, self.y))
            text += f", knee at {x} and {y}"
        worst = self.points["gap"].max()
        return text + (f", gaps up to {100 * worst:.2g} %" if worst > 0 else "")


def pareto(
    self: Compared,
    x: str = "cost",
    y: str = "shortfall",
    points: int = 20,
    *,
    per_hectare: Mapping[str, Mapping[Any, float]] | None = None,
    better: Mapping[str, Literal["more", "less"]] | None = None,
    targets: Mapping[Any, float] | None = None,
    budget: float | None = None,
    keep: Iterable[int] = (),
    drop: Iterable[int] = (),
    compatible: Any = None,
    policies: bool = False,
    among: Literal["project", "designs"] = "project",
    constraints: Literal["exclude", "ignore"] = "ignore",
    time_limit: float = 50,
    progress: bool | None = None,
) -> Front:
    """The choices of diagrams that no other choice beats in one sum without being worse in the other.

    Each point is found by the ε-constraint method (Mavrotas 2009, doi 10.1016/j.amc.2009.03.037): among all choices
    whose `x` is as good as ε, it has the best `y`, and among those the best `x`. The ends are the best possible `x` and
    `y`, and ε halves the widest gap between two points; if fewer points exist than are
    wanted, all of them are found. The sums are

        cost: what the chosen diagrams cost; less is better
        shortfall: the sum of the shares of the targets that are missing, as in `optimum()`; less is better
        conflict: hectares that two chosen projects share, summed over pairs, as `conflicts(by="diagrams")` has
            them; less is better
        a quantity: per_hectare * hectares of the chosen projects, as in `quantities()`

    Args:
        x: `"cost"`, `"shortfall"`, `"conflict"`, or the name of a quantity in `per_hectare`.
        y: Another one of these.
        points: The most choices to find, from 2 to 500.
        per_hectare: For each quantity, the amount per hectare of each system, as for `quantities()`. Other systems
            bring none.
        better: For each quantity in use, `"more"` or `"less"`: which of them is better.
        targets: See `optimum()`.
        budget: The most that all chosen diagrams may cost together. Default: no limit.
        keep: Ids of diagrams that are always chosen.
        drop: Ids of diagrams that are never chosen.
        compatible: Pairs of systems that may share land without a conflict, as for `conflicts()`.
        policies: True to choose among policies, too, as for `optimum()`.
        among: The diagrams that may be chosen: those of the `"project"`, or those that a compared design has
            (`"designs"`).
        constraints: `"exclude"` chooses no diagram on the project's constraints, as for `optimum()`.
        time_limit: Seconds for the complete front. Points that are not proven by then have a `gap`.
        progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

    Returns:
        A `Front`. Diagrams for which one of the sums, or under a budget the cost, is unknown are never chosen; its
        `excluded` lists them.

    Raises:
        InputError: There is no such sum, target, system, diagram or number, `better` lacks a quantity,
            or the diagrams to keep are beyond the budget or have an unknown figure.
        ImportError: SciPy is missing, which many diagrams with conflict need; `pip install 'pygeodesign[notebook]'`
            installs it.

    Examples:
        >>> front = project.compare().pareto("cost", "carbon_t", 4, per_hectare={"carbon_t": {"Water": 12.5}},
        ...                                  better={"carbon_t": "more"}, time_limit=10)
        >>> front.points[["cost", "carbon_t"]].round(-1)
                  cost  carbon_t
        0          0.0       0.0
        1  115475220.0    1260.0
        2  231390210.0    2470.0
        3  462864260.0    3610.0
    """
    choices = "from 2 to 500"
    if whole("points", points, f"give a number of choices {choices}", 2) > MAX_POINTS:
        raise InputError(f"points is {points!r}: give a number of choices {choices}")
    seconds = "give a number of seconds above 0"
    if finite("time_limit", time_limit, seconds) <= 0:
        raise InputError(f"time_limit is {time_limit!r}: {seconds}")
    names = [x, y]
    quantities = {} if per_hectare is None else dict(checked_quantities(per_hectare))
    _check_names(names, quantities, better)
    limit = math.inf if budget is None else finite("budget", budget, "give an amount of money, 0 or more", 0)
    kept = diagrams_named(self.diagrams, "keep", keep)
    dropped = diagrams_named(self.diagrams, "drop", drop)
    if both := sorted(kept & dropped):
        raise InputError(f"diagrams cannot be both in keep and in drop: {listed_ids(both)}")
    rows = pd.DataFrame(self.diagrams.drop(columns="geometry")).sort_index()
    is_kept = rows.index.isin(sorted(kept))
    is_open = among_which(self, rows, among, policies).to_numpy() & ~rows.index.isin(sorted(dropped))
    is_locked = (is_kept | is_open) & locked_out(self, rows, constraints, kept)
    is_open &= ~is_locked
    unknown = _unknown(self, rows, names, limit)
    if missing := sorted(rows.index[is_kept & unknown]):
        sums = " or ".join(names)
        raise InputError(f"diagrams to keep have unknown figures for {sums} or the budget: {listed_ids(missing)}")
    pool = rows[(is_kept | is_open) & ~unknown]
    kept_costs = rows.loc[is_kept, "cost"].dropna()
    if math.isfinite(limit) and sum(map(decimal, kept_costs)) > budget_limit(limit, kept_costs):
        raise InputError(
            f"the diagrams to keep cost {kept_costs.sum():,.0f}, which is more than the budget of {limit:,.0f}"
        )
    pair, signs, is_turned = _pair(self, pool, names, quantities, better or {}, targets, kept, limit, compatible)
    with _progress.counting("points of the front", points, progress) as advance:
        chain, is_complete = front(pair, points, time_limit, advance)
    table = pd.DataFrame(
        {
            x: [signs[0] * (point.second if is_turned else point.first) + 0.0 for point in chain],
            y: [signs[1] * (point.first if is_turned else point.second) + 0.0 for point in chain],
            "diagrams": [int(point.chosen.sum()) for point in chain],
            "chosen": [[int(number) for number in pool.index[point.chosen]] for point in chain],
            "gap": [point.gap for point in chain],
        }
    )
    if is_turned:
        table = table[::-1].reset_index(drop=True)
    worse, gained = (np.abs(np.diff(table[name].to_numpy(dtype=float))) for name in names)
    price = np.append(worse / gained / (100 if y == SHORTFALL else 1), np.nan)[: len(table)]
    knee = knee_of(*(sign * table[name].to_numpy(dtype=float) for sign, name in zip(signs, names, strict=True)))
    table.insert(4, "price", price)
    table.insert(5, "knee", table.index == (-1 if knee is None else knee))
    excluded = rows.index[is_open & unknown].tolist()
    return Front(x, y, table, knee, is_complete, excluded, rows.index[is_locked].tolist())


def _unknown(compared: Compared, rows: pd.DataFrame, names: list[str], limit: float) -> Numbers:
    """The diagrams with an unknown figure that counts."""
    unknown = np.zeros(len(rows), dtype=bool)
    if COST in names or math.isfinite(limit):
        unknown |= rows["cost"].isna().to_numpy()
    is_project = (rows["kind"] != "policy").to_numpy()
    for name in names:
        if name == SHORTFALL:
            unknown |= rows["area_ha"].isna().to_numpy()
        elif name == CONFLICT:
            unknown |= is_project & rows.index.isin(compared.without_geometry)
        elif name != COST:
            unknown |= is_project & rows["area_ha"].isna().to_numpy()
    return unknown


def _pair(
    compared: Compared,
    pool: pd.DataFrame,
    names: list[str],
    quantities: Mapping[str, Mapping[Any, float]],
    better: Mapping[str, str],
    targets: Any,
    kept: set[int],
    limit: float,
    compatible: Any,
) -> tuple[Pair, list[float], bool]:
    """Both sums, their signs, and True if the second one is the first of the pair."""
    cost = Linear(pool["cost"].fillna(0).to_numpy(dtype=float), SAME_COST)
    is_kept = pool.index.isin(sorted(kept))
    sums: list[Sum] = []
    signs = [-1.0 if better.get(name) == "more" and name in quantities else 1.0 for name in names]
    for name, sign in zip(names, signs, strict=True):
        if name == COST:
            sums.append(cost)
        elif name == SHORTFALL:
            sums.append(Shortfall(shares_of(compared, pool, targets_of(compared.systems, targets), is_kept, limit)))
        elif name == CONFLICT:
            pairs = claimed_pairs(compared, pool.index, compatible, False)
            one, other = (
                pool.index.get_indexer(pd.Index(pairs[end].astype(int))) for end in ("diagramid_a", "diagramid_b")
            )
            sums.append(Conflict(one, other, pairs["area_ha"].to_numpy(dtype=float), len(pool)))
        else:
            sums.append(Linear(sign * _amounts(compared, pool, name, quantities[name])))
    # Costs come first, then sums that are added diagram by diagram.
    is_turned = sums[1] is cost or (names[0] == SHORTFALL and names[1] != CONFLICT)
    first, second = sums[::-1] if is_turned else sums
    return Pair(first, second, cost, limit, is_kept), signs, is_turned


def _amounts(compared: Compared, pool: pd.DataFrame, name: str, per_hectare: Mapping[Any, float]) -> Numbers:
    """The amount that each diagram adds to a quantity."""
    rate = rates_of(compared.systems, name, per_hectare).fillna(0)
    amounts = pool["sysid"].map(rate).fillna(0) * pool["area_ha"].fillna(0)
    return amounts.where(pool["kind"] != "policy", 0.0).to_numpy(dtype=float)


def plot_pareto(
    self: Compared,
    front: Front,
    ax: Axes | None = None,
    *,
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws the result of `pareto()`: a point for each choice, with its number of diagrams, and the knee.

    Args:
        front: The result of `pareto()`.
        ax: The matplotlib axes to draw on. Default: new ones.
        currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        units: For conflicts: `"metric"`, or `"us"` for acres. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, with `x` along x and `y` along y.

    Raises:
        InputError: `front` is not a `Front`, or the units are unknown.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> comparison = project.compare()
        >>> print(comparison.plot_pareto(comparison.pareto(points=5)).get_title("left"))
        Staten Island 2050
        5 choices by cost and shortfall, none better in both. The knee is at 1.15 bn and 3.29
    """
    if not isinstance(front, Front):
        raise InputError(f"front is {front!r}: give what pareto() returned")
    axes: Axes = pictures("deciding").draw_pareto(
        front, self.title, currency_of(currency, self.currency), units_named(units), ax, theme
    )
    return axes


def _check_names(names: list[str], quantities: Mapping[str, Any], better: Any) -> None:
    own = [COST, SHORTFALL, CONFLICT]
    for name in names:
        if name not in own and name not in quantities:
            known = ", ".join(map(repr, [*own, *quantities]))
            raise InputError(f"no sum {name!r}: give one of {known}, or a quantity of per_hectare=")
    if names[0] == names[1]:
        raise InputError(f"x and y are both {names[0]!r}: give two different sums")
    if taken := [name for name in quantities if name in {*own, "diagrams", "chosen", "price", "knee", "gap"}]:
        raise InputError(f"{taken[0]!r} is a sum or a column of the result: give the quantity another name")
    if better is not None and not isinstance(better, Mapping):
        raise InputError(f"better is {better!r}: {BETTER}")
    for name in names:
        if name in quantities and (better or {}).get(name) not in ("more", "less"):
            raise InputError(f"better has no word for {name!r}: {BETTER}")


def _section(answers: Answers) -> str:
    """The choices of a front, each with its diagrams."""
    figures, found = answers.figures, answers.answered(pareto)

    def shown(name: str, amount: Any) -> str:
        if pd.isna(amount):
            return ""
        if name == COST:
            return figures.money(amount)
        return figures.area(amount) if name == CONFLICT else number(amount, 3)

    units = {COST: figures.money_unit, CONFLICT: f" ({figures.units.area})"}
    (x, y), (named_x, named_y) = (found.x, found.y), (_named(found.x), _named(found.y))
    unit_x, unit_y = (units.get(name, "") for name in (x, y))
    columns = [
        Column(t("choice")),
        *(Column(f"{name[:1].upper()}{name[1:]}{unit}") for name, unit in ((named_x, unit_x), (named_y, unit_y))),
        Column(t("next_percent" if y == SHORTFALL else "next_unit", x=named_x, y=named_y, unit=unit_x)),
        Column(t("proven_to_within")),
        Column(t("chosen_diagrams"), "ids"),
    ]
    rows = []
    for place, row in enumerate(found.points.to_dict("records"), 1):
        sums = (shown(name, row[name]) for name in (x, y))
        gap = t("exact") if not row["gap"] else in_digits(f"{100 * row['gap']:.2g} %")
        price = row["price"] / (figures.units.per_hectare if y == CONFLICT else 1)
        name = t("the_knee", place=place) if row["knee"] else str(place)
        rows.append((name, *sums, shown(x, price), gap, links(row["chosen"])))
    text = t("all_choices") if found.is_complete else ""
    if found.excluded:
        text += f" {t('never_chosen', ids=links(found.excluded))}"
    caption = t("pareto_caption", x=named_x, y=named_y)
    points = found.points[[x, y]].astype(float).to_numpy().tolist()
    picture = ""
    if points:
        names = (f"{named_x}{unit_x}", f"{named_y}{unit_y}")
        alt = t("pareto_alt", caption=caption, count=len(points))
        drawn = curve([(at_x, at_y) for at_x, at_y in points], -1 if found.knee is None else found.knee, names, alt)
        picture = figure(drawn, t("pareto_picture"))
    return picture + table(caption, columns, rows) + (paragraph(Markup(text)) if text else "")


def _named(name: str) -> str:
    """The word for one of the own sums; a quantity has its own name."""
    return t(f"sum_{name}") if name in (COST, SHORTFALL, CONFLICT) else name


SECTION = Section(
    "pareto_heading",
    "pareto_question",
    _section,
    is_asked_for=True,
    result=Front,
)
