"""Costs and revenue of designs over the years: net present value, internal rate of return and payback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import in_digits, number, t
from pygeodesign._options import currency_of
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.shown import hue, name_of
from pygeodesign._paper.years import left_out, pictures_of_years
from pygeodesign._planning.arguments import finite, sysid_of
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.figures import OwnFigures, no_figures, with_own_years
from pygeodesign._planning.figures import own_figures as of_metadata
from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.years import building, checked_years, first_year
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOWS = ("investment", "revenue", "operation")
# Defaults for diagrams without their own figures.
GROWTH, RATE = 0.0, 0.03
SHARE = "give a share per year between -1 and 1: 0.03 for 3 %"
# The precision of 1 / (1 + rate of return), as a share of it.
PRECISION = 1e-12


def cash_flow(
    self: Compared,
    revenue: Mapping[Any, float] | None = None,
    operation: Mapping[Any, float] | None = None,
    scope: str = "designs",
    *,
    by: Literal["system", "design", "year"] = "system",
    growth: float | None = None,
    rate: float | None = None,
    years: int = 30,
    undated: int | None = None,
    own_figures: bool = True,
) -> pd.DataFrame:
    """Investment, revenue and operation over the years, with net present value (NPV), rate of return (IRR) and payback.

    The cost of a diagram is invested evenly over its days, as in `schedule()`. From the year after its last day on,
    a project brings its revenue and costs its operation. The first year is that of the first start date of the
    project, the same for all designs; `t` counts the years from there.

        cash[t] = (revenue - operation) * (1 + growth) ** t - investment[t]
        npv = sum of cash[t] / (1 + rate) ** t
        0 = sum of cash[t] / (1 + irr) ** t

    Policies change no land: they bring nothing and need no operation, and neither do diagrams of lines only.

    Diagrams may have their own figures in their `additional_metadata`, from the form of the financial plugin.
    These take precedence over the rates of systems, like overrides of costs:

        capex: money that building costs, instead of the cost of the diagram
        capex_start, capex_end: years from the year of its start date on; capex is spent evenly from the year
            capex_start until before the year capex_end, instead of over its days
        acf: money that comes in per year, in all years after the year acf_start, instead of revenue
        opex, asga: money per year for running it, and for sales, general and administrative expenses; their sum
            instead of operation, from the year after the building on
        acfg, wacc: its growth and its discount rate, as shares per year: 0.05 for 5 %

    A `capex`, `acf`, `opex` or `asga` of 0 counts as missing unless `fin_set` is 1. So do the form's initial years: 0
    to 1 for capex, and 0 for acf. Meanings and units are those of the plugin's public program (GDHDiagramDCF, its page
    on financial details and `computeAreas.js`). It adds in each year a share `acfg` of the income of the year before;
    here `acfg` is what its documentation says, the growth of prices.

    Args:
        revenue: The money per hectare of project and year for systems (name, id or tag), in prices of the first
            year. Other systems bring nothing. Default: only the diagrams' own figures.
        operation: The same for the cost of operation. Default: nothing.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.
        by: `"system"`, `"design"` or `"year"`: the subject of a row. Rates of return cannot be added up.
        growth: Growth of revenue and operation, as a share per year between -1 and 1: 0.02 for 2 %. Default: the `acfg`
            of a diagram that has one, 0 for others.
        rate: The discount rate, as a share per year between -1 and 1. Default: the `wacc` of a diagram that has
            one, 0.03, which is 3 %, for others.
        years: The number of years, the first included, from 1 to 500. All investment must be within them.
        undated: The year in which diagrams without dates, or that end before they start, are built. Default: they
            are left out, and counted.
        own_figures: True to use the diagrams' own figures.

    Returns:
        One row per design and system, or per design: `investment`, `revenue`, `operation` and `cash`, their sums
        over all years, not discounted; `npv`; `irr`, as a share per year; `payback_year`, the calendar year from which
        revenue covers all spending until then, and keeps doing so to the end; and the numbers of diagrams left out:
        `undated`, `unpriced` without a known cost, `unmeasured` without known hectares where a hectare brings or costs
        something. `own_figures` counts diagrams with their own figures. Sums are of known values; where `unpriced` or
        `unmeasured` is not 0, `npv`, `irr` and `payback_year` are unknown. `irr` is NaN if there is none, or may be
        several: the cash, or its sum until each year, changes its sign more than once. `by="year"` has one row per
        design and `year`, with `investment`, `revenue`, `operation`, `cash`, `cumulative` and `present_value`. `attrs`
        has `growth`, `rate`, `years` and `base_year`.

    Raises:
        InputError: A share, year or amount is invalid, no system or design has such a name, a diagram is built before
            the first or after the last year, no diagram has dates and `undated` is not given, a figure of a diagram
            is invalid, or there is no design.

    Examples:
        >>> table = project.compare().cash_flow({"Mixed use": 1.5e6}, by="design", undated=2030, years=40)
        >>> bool((table["npv"] < 0).all())
        True
    """
    if by not in ("system", "design", "year"):
        raise InputError(f'by must be "system", "design" or "year", not {by!r}')
    for name, share in (("growth", growth), ("rate", rate)):
        if share is not None and not -1 < finite(name, share, SHARE) < 1:
            raise InputError(f"{name} is {share!r}: {SHARE}")
    checked_years(years)
    earned, spent = (_amounts(self.systems, *given) for given in (("revenue", revenue), ("operation", operation)))
    base = first_year(self.diagrams, undated)
    metadata = _metadata(self) if own_figures else None
    parts: dict[str | None, pd.DataFrame] = {}
    for label, rows in self._in_scope(scope).items():
        own = no_figures(len(rows)) if metadata is None else of_metadata(metadata.reindex(rows.index))
        growing, discounts = (
            _powers(share, usual, of_each, years)
            for share, usual, of_each in ((growth, GROWTH, own.growth), (rate, RATE, own.rate))
        )
        flows, notes = _flows(rows, earned, spent, own, growing, base, undated)
        flows["value"] = (flows["revenue"] - flows["operation"] - flows["investment"]) / discounts
        if by == "year":
            sums = {name: flows[name].sum(axis=1) for name in FLOWS}
            cash = sums["revenue"] - sums["operation"] - sums["investment"]
            parts[label] = pd.DataFrame(
                {"year": np.arange(base, base + years), **sums, "cash": cash, "cumulative": cash.cumsum()}
            ).assign(present_value=flows["value"].sum(axis=1))
            continue
        groups = [("", rows["sysid"].notna())] if by == "design" else _groups(self, rows)
        records = [_record(flows, notes, chosen.to_numpy(), base) for _, chosen in groups]
        part = pd.DataFrame(records)
        part["payback_year"] = part["payback_year"].astype("Int64")
        if by == "system":
            part.insert(0, "sysid", self.systems.index)
            part.insert(1, "system", self.systems["name"].to_numpy())
        parts[label] = part
    table = self._long_frame(parts)
    table.attrs = {"growth": GROWTH if growth is None else growth, "rate": RATE if rate is None else rate}
    table.attrs |= {"years": years, "base_year": base}
    return table


def plot_cash_flow(
    self: Compared,
    revenue: Mapping[Any, float] | None = None,
    operation: Mapping[Any, float] | None = None,
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    growth: float | None = None,
    years: int = 30,
    undated: int | None = None,
    own_figures: bool = True,
    currency: str | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `cash_flow()` by year: income and spending as bars, and the cumulative sum as a line.

    Args:
        revenue: See `cash_flow()`.
        operation: See `cash_flow()`.
        scope: See `cash_flow()`. Each design has its own panel, all with the same scale.
        ax: The matplotlib axes to draw on. Default: new ones.
        growth: See `cash_flow()`.
        years: See `cash_flow()`.
        undated: See `cash_flow()`.
        own_figures: See `cash_flow()`.
        currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, for several designs those of the first one; along y is money, not discounted.

    Raises:
        InputError: As for `cash_flow()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_cash_flow({"Mixed use": 1.5e6}, undated=2030, years=40)
        >>> len(axes.patches)
        40
    """
    given: dict[str, Any] = {"growth": growth, "years": years, "undated": undated, "own_figures": own_figures}
    left_out = cash_flow(self, revenue, operation, scope, by="design", **given)
    axes: Axes = pictures("cash").draw_cash_flow(
        cash_flow(self, revenue, operation, scope, by="year", **given),
        dict(zip(self._in_scope(scope), left_out[["undated", "unpriced", "unmeasured"]].to_numpy(), strict=True)),
        self.title,
        currency_of(currency, self.currency),
        ax,
        theme,
    )
    return axes


def _metadata(compared: Compared) -> pd.Series[Any]:
    """The additional metadata of the diagrams as JSON, by id."""
    frame = compared.costs.to_geopandas().set_index("diagramid")
    known = "additional_metadata" in frame
    return frame["additional_metadata"] if known else pd.Series(None, frame.index, dtype=object)


def _groups(compared: Compared, rows: pd.DataFrame) -> list[tuple[str, pd.Series[bool]]]:
    return [(name, rows["sysid"] == sysid) for sysid, name in compared.systems["name"].items()]


def _amounts(systems: pd.DataFrame, name: str, given: Any) -> pd.Series[float]:
    """The amount per hectare and year of each system; 0 if none is given."""
    if not isinstance(given, (Mapping, type(None))):
        raise InputError(f'{name} must be a dict of yearly amounts per hectare, such as {{"Water": 10}}, not {given!r}')
    amounts = pd.Series(0.0, systems.index)
    for system, amount in (given or {}).items():
        amounts[sysid_of(systems, system)] = finite(f"{name} of {system!r}", amount, "give an amount, 0 or more", 0)
    return amounts


def _flows(
    rows: pd.DataFrame,
    earned: pd.Series[float],
    spent: pd.Series[float],
    own: OwnFigures,
    growing: Numbers,
    base: int,
    undated: int | None,
) -> tuple[dict[str, Numbers], dict[str, np.ndarray[Any, Any]]]:
    """Costs and revenue of each diagram (column) in each year (row), and the diagrams left out, by reason."""
    plan, runs = with_own_years(building(rows, base, len(growing), undated), rows, own, base, undated)
    cost = np.where(np.isnan(own.capex), rows["cost"].to_numpy(dtype=float), own.capex)
    area, is_project = rows["area_ha"].to_numpy(dtype=float), (rows["kind"] != "policy").to_numpy()
    flows, needs_area = {"investment": plan.shares * np.nan_to_num(cost)}, np.zeros(len(rows), dtype=bool)
    for name, by_system, of_each, running in (
        ("revenue", earned, own.revenue, runs),
        ("operation", spent, own.operation, plan.is_there),
    ):
        per_hectare = np.where(is_project, rows["sysid"].map(by_system).to_numpy(dtype=float), 0.0)
        has_own = ~np.isnan(of_each)
        amount = np.where(has_own, of_each, np.nan_to_num(area) * per_hectare)
        flows[name] = np.where(has_own, running, plan.is_there) * amount * growing
        needs_area |= ~has_own & (per_hectare != 0)
    notes = {"undated": ~plan.is_built, "unpriced": np.isnan(cost), "unmeasured": np.isnan(area) & needs_area}
    return flows, notes | {"own_figures": own.are_there}


def _powers(share: float | None, usual: float, of_each: Numbers, years: int) -> Numbers:
    """1 + the share of each diagram (column), to the power of the years (rows) since the first one."""
    shares = np.where(np.isnan(of_each), usual, of_each) if share is None else np.full(len(of_each), share)
    powers: Numbers = (1.0 + shares) ** np.arange(years, dtype=float)[:, None]
    return powers


def _record(
    flows: dict[str, Numbers], notes: dict[str, np.ndarray[Any, Any]], chosen: Any, base: int
) -> dict[str, Any]:
    """The figures of some of the diagrams."""
    by_year = {name: flows[name][:, chosen].sum(axis=1) for name in FLOWS}
    cash = by_year["revenue"] - by_year["operation"] - by_year["investment"]
    left_out = {name: int(values[chosen].sum()) for name, values in notes.items()}
    unknown = bool(left_out["unpriced"] or left_out["unmeasured"])
    return {
        **{name: float(values.sum()) for name, values in by_year.items()},
        "cash": float(cash.sum()),
        "npv": np.nan if unknown else float(flows["value"][:, chosen].sum()),
        "irr": np.nan if unknown else rate_of_return(cash),
        "payback_year": pd.NA if unknown else _payback_year(cash, base),
        **left_out,
    }


def rate_of_return(cash: Numbers) -> float:
    """The rate at which the present value of the cash is 0; NaN if there is none, or may be several.

    There is one if the cash changes its sign once (Descartes), or if its sums do and end above 0 (Norstrom 1972); in
    the latter case there is one above 0.
    """
    sums = cash.cumsum()
    once = _sign_changes(cash) == 1
    if not once and not (_sign_changes(sums) == 1 and sums[-1] > 0):
        return float("nan")

    def worth(factor: float) -> float:
        """The present value, by 1 / (1 + rate)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.polynomial.polynomial.polyval(factor, cash))

    begins_negative = cash[np.flatnonzero(cash)[0]] < 0
    # By bisection: the present value near factor 0 has the sign of the first cash, and beyond the root the other one.
    low, high = 0.0, 1.0
    while once and (worth(high) < 0) == begins_negative and high < 1e6:
        low, high = high, 2 * high
    if (worth(high) < 0) == begins_negative:
        return float("nan")
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if (worth(middle) < 0) == begins_negative else (low, middle)
    return 2 / (low + high) - 1


def _sign_changes(values: Numbers) -> int:
    signs = np.sign(values[values != 0])
    return int((signs[1:] != signs[:-1]).sum())


def _payback_year(cash: Numbers, base: int) -> Any:
    """The year from which the sum of the cash stays at or above 0; NA if there is none, or the sum was never below."""
    sums = cash.cumsum()
    if not (sums < 0).any() or sums[-1] < 0:
        return pd.NA
    return base + int(np.flatnonzero(sums < 0)[-1]) + 1


def _section(answers: Answers) -> str:
    """Costs and revenue of each system and design, and the cash of each year."""
    compared, figures, given = answers.compared, answers.figures, answers.arguments("cash_flow")
    frames = {by: cash_flow(compared, **given, scope=figures.scope, by=by) for by in ("system", "design", "year")}
    attrs = frames["design"].attrs
    growth, rate = (in_digits(f"{100 * attrs[name]:g}") for name in ("growth", "rate"))
    years = {"count": attrs["years"], "year": str(attrs["base_year"])}
    text = paragraph(t("cash_flow_intro", growth=growth, rate=rate, **years))
    amounts = ("investment", "revenue", "operation", "cash", "npv")
    names = ("investment_unit", "revenue_unit", "operation_unit", "cash_unit", "net_present_value_unit")
    columns = [
        Column(t("system"), "text"),
        *(Column(t(name, unit=figures.money_unit)) for name in names),
        Column(t("rate_of_return")),
        Column(t("paid_back_in")),
    ]

    def shown(row: Any) -> tuple[str, ...]:
        of_return = t("none") if pd.isna(row["irr"]) else f"{number(100 * row['irr'], 1)} %"
        payback = t("none") if pd.isna(row["payback_year"]) else str(row["payback_year"])
        if row["unpriced"] or row["unmeasured"]:
            of_return = payback = t("not_known")
        return (*(figures.money(row[name]) for name in amounts), of_return, payback)

    for scope in figures.scopes:
        systems = answers.of(frames["system"], scope)
        rows: list[Any] = [
            (hue(compared, row["sysid"], row["system"]), *shown(row)) for row in systems.to_dict("records")
        ]
        (total,) = answers.of(frames["design"], scope).to_dict("records")
        rows.append((t("all"), *shown(total)))
        text += table(t("cash_flow_caption", design=name_of(scope)), columns, rows)
        text += left_out(systems, {name: f"diagrams_{name}" for name in ("undated", "unpriced", "unmeasured")})
    if own := int(frames["design"]["own_figures"].max()):
        text += paragraph(t("own_figures", count=own))
    what = t("cash_of_each_year", unit=figures.money_unit)
    return text + pictures_of_years(answers, frames["year"], "cash", what)


SECTION = Section(
    "cash_flow_heading",
    "cash_flow_question",
    _section,
    is_asked_for=True,
)
