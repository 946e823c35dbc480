"""Costs of designs at uncertain rates of the systems: ranges, chances, regret, and good-enough designs."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import number, t
from pygeodesign._options import currency_of
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.charts import Row, figure, rows_of_bars
from pygeodesign._paper.shown import hue, name_of, over
from pygeodesign._planning.arguments import finite, sysid_of, whole
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.questions.targets import known_sum, system_figures, unknown_count
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_SAMPLES = 1_000_000
PERCENTS = (10, 50, 90)
# Sums of the same rates in another order differ by up to this share of a budget, which is no overrun.
ROUNDING = 1e-9


class _Rows(NamedTuple):
    """The cost of one design split for drawn rates, by system."""

    fixed: pd.Series[float]
    by_rate: pd.Series[float]
    unpriced: pd.Series[int]
    # True if any diagram has a known cost, or there is none: otherwise the cost is unknown.
    known: pd.Series[bool]
    # The same for the complete design.
    any_known: bool
    # True if the design has any diagram in the system.
    planned: pd.Series[bool]


def uncertainty(
    self: Compared,
    rates: Mapping[Any, tuple[float, float, float]],
    scope: str = "designs",
    *,
    samples: int = 10_000,
    seed: int = 1,
    correlation: float = 0.0,
) -> pd.DataFrame:
    """The range of each system's cost, and the chance that it exceeds its budget, if rates are uncertain.

    Each rate is drawn many times from a triangular distribution between `low` and `high` with its peak at `likely`.

        cost = cost of what does not move + drawn rate * quantity of what follows the rate of the system

    Diagrams that use their system's rate move. Overrides, of type `total` and of other types, and policies
    do not, nor do systems that are not in `rates`. Diagrams whose system has no rate, so that their
    cost was unknown, have one at the drawn rates. The draws of each rate are spread evenly over its distribution
    (Latin hypercube, McKay et al. 1979, doi 10.2307/1268522). Correlated rates have the ranks of normal numbers
    with this correlation (Iman and Conover 1982, doi 10.1080/03610918208812265).

    Args:
        rates: For each system (name, id or tag) the low, the likely and the high rate, in money per hectare, or per
            kilometre of line.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.
        samples: The number of draws of the rates, from 100 to 1,000,000.
        seed: The seed of the random numbers, an integer from 0. The same seed gives the same figures, whatever
            the order of the systems in `rates`.
        correlation: The correlation of each pair of rates, from 0, where they are independent, to 1, where all
            are high or low together, as with the price of energy or labour.

    Returns:
        One row per design and system, by `sysid`: `system`; `by_rate`, the hectares and kilometres whose cost moves
        with a rate of `rates`; `mean`, `p10`, `p50` and `p90` of its cost, in the project's currency: one case in
        ten costs less than `p10`, one in ten more than `p90`; `budget`; `breaks_budget`, the share of cases in
        which the cost exceeds it; and `unpriced`, the number of left-out diagrams without a known cost. Costs
        are NaN if none is known, and `breaks_budget` is NaN without a budget, if it depends on unpriced diagrams, and
        if nothing is planned, which neither keeps a budget nor breaks it. Percentiles of systems cannot be added up:
        `robustness()` has percentiles of the sums. `attrs` has `samples`, `seed` and `correlation`.

    Raises:
        InputError: A rate is not such a triple, no system or design has such a name, another argument is out of
            range, or there is no design.

    Examples:
        >>> rates = {"Water": (0.9e6, 1.2e6, 2.1e6)}
        >>> table = project.compare().uncertainty(rates)
        >>> table[table["system"] == "Water"].iloc[0][["p10", "p50", "p90"]].astype(float).round(-7).tolist()
        [480000000.0, 520000000.0, 570000000.0]
    """
    drawn = drawn_rates(self, rates, samples, seed, correlation)
    parts = {label: _ranges(self, _moving(self, rows, drawn), drawn) for label, rows in self._in_scope(scope).items()}
    table = self._long_frame(parts)
    table.attrs = {"samples": samples, "seed": seed, "correlation": correlation}
    return table


def robustness(
    self: Compared,
    rates: Mapping[Any, tuple[float, float, float]],
    scope: str = "designs",
    *,
    limit: float | None = None,
    samples: int = 10_000,
    seed: int = 1,
    correlation: float = 0.0,
) -> pd.DataFrame:
    """Cost and regret of each complete design in the cases of `uncertainty()`, and the cases where it is good enough.

    All designs are tried in the same cases.

        regret = cost of the design - cost of the cheapest of the designs in the same case

    Regret (Savage 1951) is about money only: a design that does less is cheaper. A design is good enough
    (satisficing, Lempert et al. 2006, doi 10.1287/mnsc.1050.0472) in a case where each system that has a budget
    and diagrams keeps it, or, with `limit`, where its total is at most the limit.

    Args:
        rates: See `uncertainty()`.
        scope: See `uncertainty()`. The regret is always among the designs of the answer.
        limit: The most that a design may cost in all, instead of the budgets of the systems.
        samples: See `uncertainty()`.
        seed: See `uncertainty()`.
        correlation: See `uncertainty()`.

    Returns:
        One row per design: `mean`, `p10`, `p50` and `p90` of its total cost, in the project's currency;
        `mean_regret` and `max_regret`; `cheapest`, the share of the cases in which no design costs less; and
        `good_enough`, the share in which it is good enough, NaN if no system with diagrams has a budget and
        there is no limit. `unpriced` counts left-out diagrams without a known cost. They make `good_enough` NaN if it
        depends on them, and the regret of all designs NaN, since the cheapest one is unknown. `attrs` has `samples`,
        `seed`, `correlation` and `limit`.

    Raises:
        InputError: As for `uncertainty()`, or the limit is not an amount of money.

    Examples:
        >>> table = project.compare().robustness({"Water": (0.9e6, 1.2e6, 2.1e6)})
        >>> table["good_enough"].round(1).tolist()
        [0.2, 1.0, 1.0, 1.0]
    """
    if limit is not None:
        limit = finite("limit", limit, "give the most that a design may cost, 0 or more", 0)
    drawn = drawn_rates(self, rates, samples, seed, correlation)
    parts = {label: _moving(self, rows, drawn) for label, rows in self._in_scope(scope).items()}
    totals = np.column_stack([_total(part, drawn) for part in parts.values()])
    unpriced = [int(part.unpriced.sum()) for part in parts.values()]
    regrets = totals - totals.min(axis=1, keepdims=True)
    if any(unpriced):
        regrets[:] = np.nan
    is_cheapest = regrets <= ROUNDING * totals.max(axis=1, keepdims=True)
    budget = system_figures(self.systems, "budget")
    tables: dict[str | None, pd.DataFrame] = {}
    for place, (label, part) in enumerate(parts.items()):
        values = _summary(totals[:, place])
        tables[label] = pd.DataFrame(
            {
                **{name: [value] for name, value in values.items()},
                "mean_regret": regrets[:, place].mean(),
                "max_regret": regrets[:, place].max(),
                "cheapest": np.nan if any(unpriced) else is_cheapest[:, place].mean(),
                "good_enough": _good_enough(part, drawn, totals[:, place], budget, limit),
                "unpriced": unpriced[place],
            }
        )
    table = self._long_frame(tables)
    table.attrs = {"samples": samples, "seed": seed, "correlation": correlation, "limit": limit}
    return table


def plot_uncertainty(
    self: Compared,
    rates: Mapping[Any, tuple[float, float, float]],
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    samples: int = 10_000,
    seed: int = 1,
    correlation: float = 0.0,
    currency: str | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `uncertainty()`: a bar from P10 to P90 of each system's cost, its median, and its budget.

    Next to each bar is the chance that the cost exceeds the budget.

    Args:
        rates: See `uncertainty()`.
        scope: See `uncertainty()`. Each design has its own panel, all with the same scale.
        ax: The matplotlib axes to draw on. Default: new ones.
        samples: See `uncertainty()`.
        seed: See `uncertainty()`.
        correlation: See `uncertainty()`.
        currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, for several designs those of the first one; along x is the cost in the project's currency.

    Raises:
        InputError: As for `uncertainty()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_uncertainty({"Water": (0.9e6, 1.2e6, 2.1e6)}, "project")
        >>> axes.get_yticklabels()[0].get_text()
        'Water'
    """
    axes: Axes = pictures("ranges").draw_uncertainty(
        uncertainty(self, rates, scope, samples=samples, seed=seed, correlation=correlation),
        list(self._in_scope(scope)),
        self.systems["color"],
        self.title,
        currency_of(currency, self.currency),
        ax,
        theme,
    )
    return axes


def drawn_rates(compared: Compared, rates: Any, samples: Any, seed: Any, correlation: Any) -> dict[int, Numbers]:
    """The drawn rates of each system by its id."""
    triples = _triples(compared.systems, rates)
    if not 100 <= whole("samples", samples, f"give a whole number from 100 to {MAX_SAMPLES:,}", 100) <= MAX_SAMPLES:
        raise InputError(f"samples is {samples!r}: give a whole number from 100 to {MAX_SAMPLES:,}")
    whole("seed", seed, "give a whole number, 0 or more", 0)
    wanted = "give a number from 0, no correlation, to 1, where all rates are high or low together"
    shared = finite("correlation", correlation, wanted, 0)
    if shared > 1:
        raise InputError(f"correlation is {correlation!r}: {wanted}")
    random = np.random.default_rng(operator.index(seed))
    common = random.standard_normal(samples)
    drawn = {}
    # The same seed gives the same draws, whatever the order of `rates`.
    for sysid, triple in sorted(triples.items()):
        normal = np.sqrt(shared) * common + np.sqrt(1 - shared) * random.standard_normal(samples)
        places = np.empty(samples)
        places[normal.argsort()] = np.arange(samples)
        drawn[sysid] = _triangular((places + random.random(samples)) / samples, *triple)
    return drawn


def _moving(compared: Compared, rows: pd.DataFrame, drawn: dict[int, Numbers]) -> _Rows:
    """The parts of these diagrams' costs that move with the drawn rates, and that do not."""
    sysids = compared.systems.index
    follows = (rows["rate_source"] == "system") & rows["sysid"].isin(list(drawn))
    rate = pd.to_numeric(rows["rate"]).astype(float)
    size = rows["pieces"].where(rows["pieces"] > 0)
    for name in ("length_km", "area_ha"):
        size = rows[name].where(rows[name] > 0, size)
    # If the diagram has a cost, it shows the quantity that the rate was multiplied with.
    quantity = (rows["cost"] / rate).where(rows["cost"].notna() & (rate > 0), size).where(follows)
    cost = rows["cost"].mask(follows & quantity.notna(), 0.0)
    table = pd.DataFrame({"sysid": rows["sysid"], "cost": cost, "quantity": quantity.fillna(0.0)})
    unpriced = unknown_count(table, "cost", sysids)
    fixed = known_sum(table, "cost", sysids)
    any_known = not len(table) or bool(table["cost"].notna().any())
    planned = pd.Series(sysids.isin(rows["sysid"]), sysids)
    quantities = known_sum(table, "quantity", sysids)
    return _Rows(fixed.fillna(0.0), quantities, unpriced, fixed.notna(), any_known, planned)


def _ranges(compared: Compared, part: _Rows, drawn: dict[int, Numbers]) -> pd.DataFrame:
    budget = system_figures(compared.systems, "budget")
    records, breaks = [], []
    for sysid in compared.systems.index.tolist():
        cost = part.fixed[sysid] + part.by_rate[sysid] * drawn.get(sysid, np.zeros(1))
        records.append(_summary(cost if part.known[sysid] else np.full(1, np.nan)))
        share = float(_beyond(cost, budget[sysid]).mean())
        may_decide = bool(part.unpriced[sysid]) and share < 1
        is_known = part.planned[sysid] and pd.notna(budget[sysid]) and not may_decide
        breaks.append(share if is_known else np.nan)
    table = pd.DataFrame({"system": compared.systems["name"], "by_rate": part.by_rate})
    for name in ("mean", *(f"p{percent}" for percent in PERCENTS)):
        table[name] = [record[name] for record in records]
    return table.assign(budget=budget, breaks_budget=breaks, unpriced=part.unpriced).rename_axis("sysid")


def _triples(systems: pd.DataFrame, rates: Any) -> dict[int, tuple[float, float, float]]:
    wanted = 'rates must be a dict of the low, likely and high rate of systems, such as {"Water": (10, 12, 20)}'
    if not isinstance(rates, Mapping) or not rates:
        raise InputError(f"{wanted}, not {rates!r}")
    triples = {}
    for name, given in rates.items():
        if isinstance(given, (str, bytes)) or not isinstance(given, (tuple, list)) or len(given) != 3:
            raise InputError(f"the rates of {name!r} are {given!r}: {wanted}")
        low, likely, high = (finite(f"a rate of {name!r}", rate, "give an amount, 0 or more", 0) for rate in given)
        if not low <= likely <= high:
            raise InputError(f"the rates of {name!r} are {given!r}: give the low, the likely and the high one in order")
        sysid = sysid_of(systems, name)
        if sysid in triples:
            raise InputError(f"rates has system {sysid} twice, the second time as {name!r}: give each system once")
        triples[sysid] = (low, likely, high)
    return triples


def _triangular(shares: Numbers, low: float, likely: float, high: float) -> Numbers:
    """The quantiles of a triangular distribution at these shares: the inverse of its distribution function."""
    if low == high:
        return np.full(len(shares), low)
    width = high - low
    below = low + np.sqrt(shares * width * (likely - low))
    above = high - np.sqrt((1 - shares) * width * (high - likely))
    return np.where(shares * width < likely - low, below, above)


def _summary(costs: Numbers) -> dict[str, float]:
    values = np.percentile(costs, PERCENTS)
    names = {f"p{percent}": float(value) for percent, value in zip(PERCENTS, values, strict=True)}
    return {"mean": float(costs.mean()), **names}


def _beyond(costs: Numbers, most: float) -> np.ndarray[Any, Any]:
    return costs > most + ROUNDING * abs(most)


def _total(part: _Rows, drawn: dict[int, Numbers]) -> Numbers:
    """The cost of a design in each case; NaN if no cost is known."""
    moving = sum((part.by_rate[sysid] * rates for sysid, rates in drawn.items()), np.zeros(1))
    total = part.fixed.sum() + moving
    return total if part.any_known else np.full_like(total, np.nan)


def _good_enough(
    part: _Rows, drawn: dict[int, Numbers], total: Numbers, budget: pd.Series[float], limit: float | None
) -> float:
    """The share of cases in which a design keeps its limit, or each budget."""
    if limit is not None:
        share = float((~_beyond(total, limit)).mean())
        return np.nan if part.unpriced.any() and share > 0 else share
    budget = budget[part.planned & budget.notna()]
    if budget.empty:
        return np.nan
    kept = np.ones(len(total), dtype=bool)
    for sysid in budget.index.tolist():
        cost = part.fixed[sysid] + part.by_rate[sysid] * drawn.get(sysid, np.zeros(1))
        kept &= ~_beyond(cost, budget[sysid])
    share = float(kept.mean())
    return np.nan if part.unpriced[budget.index].any() and share > 0 else share


def _section(answers: Answers) -> str:
    """The cost range of each system that moves, and of each design, with the chance of exceeding budgets."""
    compared, figures, given = answers.compared, answers.figures, answers.arguments("uncertainty")
    frame = uncertainty(compared, scope=figures.scope, **given)
    whole = robustness(compared, scope=figures.scope, **given)
    columns = [
        Column(t("system"), "text"),
        *(Column(f"{name}{figures.money_unit}") for name in ("P10", "P50", "P90")),
        Column(t("budget_unit", unit=figures.money_unit)),
        Column(t("budget_broken_in")),
    ]
    text = paragraph(t("uncertainty_intro", samples=frame.attrs["samples"], seed=str(frame.attrs["seed"])))
    for scope in figures.scopes:
        rows: list[Any] = []
        for sysid, row in answers.of(frame, scope).iterrows():
            chance = row["breaks_budget"]
            unknown = t("not_known" if row["unpriced"] else "status_nothing_planned")
            rows.append(
                (
                    hue(compared, sysid, row["system"]),
                    *(figures.money(row[name]) for name in ("p10", "p50", "p90")),
                    t("none") if pd.isna(row["budget"]) else figures.money(row["budget"]),
                    _share(chance, chance > 0.5, "" if pd.isna(row["budget"]) else unknown),
                )
            )
        (total,) = answers.of(whole, scope).to_dict("records")
        kept = _share(1 - total["good_enough"], total["good_enough"] < 0.5, t("not_known"))
        percentiles = (figures.money(total[name]) for name in ("p10", "p50", "p90"))
        rows.append((t("total"), *percentiles, t("each_of_these"), kept))
        text += _bars(answers, scope, answers.of(frame, scope))
        text += table(t("uncertainty_caption", design=name_of(scope)), columns, rows)
    return text


def _bars(answers: Answers, scope: str, frame: Any) -> str:
    """P10 to P90 of each system whose cost moves as a bar, in grey below P10."""
    figures = answers.figures
    # An unknown cost is not above another one.
    known = frame[frame["p90"] > frame["p10"]]
    if not len(known):
        return ""
    most = float(known["p90"].max())
    bars = [
        Row(
            str(row["system"]),
            [(row["p10"] / most, "claimed"), ((row["p90"] - row["p10"]) / most, "bar")],
            t("to", low=figures.read_amount(row["p10"]), high=figures.read_amount(row["p90"])),
        )
        for row in known.to_dict("records")
    ]
    alt = "; ".join(f"{row.name}: {row.text}" for row in bars)
    said = t("uncertainty_picture", design=name_of(scope), unit=figures.money_unit)
    return figure(rows_of_bars(bars, f"{said}. {alt}"), f"{escape(said)}.")


def _share(chance: float, is_over: bool, unknown: str) -> Any:
    return unknown if pd.isna(chance) else over(t("of_cases", percent=number(100 * chance)), is_over)


SECTION = Section(
    "uncertainty_heading",
    "uncertainty_question",
    _section,
    is_asked_for=True,
)
