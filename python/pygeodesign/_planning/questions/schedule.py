"""Costs and changes by calendar year."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import in_digits, percent, t
from pygeodesign._options import currency_of
from pygeodesign._paper.answers import Answers, Section, once
from pygeodesign._paper.shown import anchored, ids_of, links, name_of
from pygeodesign._planning.arguments import finite, whole
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.years import MAX_PERIODS, in_periods, year_shares
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def schedule(
    self: Compared, scope: str = "designs", rate: float | None = None, base_year: int | None = None
) -> pd.DataFrame:
    """Cost and changed area per calendar year, by the start and end dates of diagrams.

    The cost and the area of a diagram are spread evenly over its days, the first and the last one included. Both
    are summed over diagrams, policies included: where two overlap, both count. The present value of a year
    discounts its cost, as in the Green Book of HM Treasury (2022, annex 6):

        present_value = cost / (1 + rate) ** (year - base_year)

    Args:
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.
        rate: The discount rate per year as a share between -1 and 1: 0.03 for 3 %.
        base_year: The year whose money counts in full. Default: the first year of the schedule, the same for all
            designs.

    Returns:
        One row per design and year, by `design` and `year` (for the project by `year`), from its first start to its
        last end: `team`, the title of the team of the design, `diagrams` (the number in progress), `area_ha` and
        `cost` of that year, `cost_share` (its share of the cost of the design), and, among diagrams in progress, the
        numbers without a known cost (`unpriced`) or area (`unmeasured`): these are left out, and if all are unknown,
        the sum is NaN. Diagrams without both dates, or that end before they start, have a last row with the year
        `<NA>`. With `rate`, `present_value` follows, NaN without a year. `attrs["net_present_value"]` is its sum,
        without undated diagrams, and a dict of the sum of each design unless the scope is the project; `attrs` has
        `rate` and `base_year`, too.

    Raises:
        InputError: `rate` is out of range, no design has that label, or there is no design.

    Examples:
        >>> table = project.compare().schedule("project", rate=0.03)
        >>> int(table.index[0]), int(table["cost"].idxmax()), len(table)
        (2027, 2035, 24)
        >>> print(f"{table['cost'].sum():.3g}, worth {table.attrs['net_present_value']:.3g} in 2027")
        1.31e+10, worth 1.06e+10 in 2027
    """
    if rate is not None:
        share = "give a share per year between -1 and 1: 0.03 for 3 %"
        if not -1 < finite("rate", rate, share) < 1:
            raise InputError(f"rate is {rate!r}: {share}")
    if base_year is not None:
        base_year = whole("base_year", base_year, "give a calendar year, such as 2030")
    parts = {label: _by_year(rows) for label, rows in self._in_scope(scope).items()}
    table = parts[None] if None in parts else pd.concat(parts, names=["design"])
    if None not in parts:
        table.insert(0, "team", [self.teams.get(label) for label in table.index.get_level_values("design")])
    if rate is not None:
        years = table.index.get_level_values("year")
        base = base_year if base_year is not None else (0 if years.isna().all() else int(years.min()))
        with np.errstate(over="ignore", divide="ignore"):
            discounts = np.power(1.0 + rate, base - years.to_numpy(dtype=float, na_value=np.nan))
        if np.isinf(discounts).any():
            rows = pd.concat(self._in_scope(scope).values())
            dated = rows[rows["start_date"].notna() & (rows["start_date"] <= rows["end_date"])]
            ids = sorted({int(dated["start_date"].idxmin()), int(dated["end_date"].idxmax())})
            raise InputError(
                f"rate {rate!r} over the years from {base} to {years.max()} gives no finite present value; check "
                f"the dates of diagram {' and '.join(map(str, ids))}"
            )
        table["present_value"] = table["cost"] * discounts
        value: Any = float(table["present_value"].sum())
        if None not in parts:
            of_designs = table["present_value"].groupby(level="design").sum()
            value = {label: float(of_designs.get(label, 0.0)) for label in parts}
        table.attrs = {"net_present_value": value, "rate": rate, "base_year": base}
    return table


def plot_schedule(
    self: Compared,
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    currency: str | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `schedule()`: the cost of each year as a bar, and the cumulative cost as a line.

    The cost of diagrams without dates is a separate hatched bar, which the line leaves out.

    If the schedule has more than 100 years, each bar is a period of 5, 10, 50 or 100 years, the shortest for which 100
    bars are enough, and starts at a multiple of it, such as a decade. Such a schedule often has a wrong date.

    Args:
        scope: See `schedule()`. Each design has its own panel, all with the same years and scales.
        ax: The matplotlib axes to draw on. Default: new ones.
        currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes of the bars, for several designs those of the first one; along x are years, along y the project's
        currency.

    Raises:
        InputError: As for `schedule()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> print(project.compare().plot_schedule("project").get_title("left"))
        Staten Island 2050
        The diagrams cost 13.1 bn in total
    """
    axes: Axes = pictures("bars").draw_schedule(
        schedule(self, scope), list(self._in_scope(scope)), self.title, currency_of(currency, self.currency), ax, theme
    )
    return axes


def _by_year(rows: pd.DataFrame) -> pd.DataFrame:
    """The schedule of these diagrams, by year."""
    years, shares, dated = year_shares(rows)
    names: list[Any] = list(years)
    if not dated.all():
        shares, names = np.vstack([shares, ~dated]), [*names, pd.NA]
    cost, unpriced = _spread(rows["cost"], shares)
    area, unmeasured = _spread(rows["area_ha"], shares)
    total = rows["cost"].sum()
    return pd.DataFrame(
        {
            "diagrams": (shares > 0).sum(axis=1),
            "area_ha": area,
            "cost": cost,
            "cost_share": cost / total if total else np.nan,
            "unpriced": unpriced,
            "unmeasured": unmeasured,
        },
        index=pd.Index(pd.array(names, dtype="Int64"), name="year"),
    )


def _spread(values: pd.Series[float], shares: Numbers) -> tuple[Numbers, Numbers]:
    """The sum of the values in each year, NaN if it has only unknown ones; and the numbers of unknown values."""
    known = values.notna().to_numpy()
    sums, under_way = shares @ values.fillna(0).to_numpy(dtype=float), shares > 0
    unknown = under_way[:, ~known].sum(axis=1)
    return np.where((unknown > 0) & ~under_way[:, known].any(axis=1), np.nan, sums), unknown


@once
def reported_schedule(answers: Answers) -> Any:
    """The years of the scopes of a report."""
    return schedule(answers.compared, answers.figures.scope, **answers.arguments("schedule"))


def years_of(answers: Answers, scope: str) -> Any:
    """The years of one scope of a report; None if it has no diagram."""
    frame = reported_schedule(answers)
    if scope == "project":
        return frame
    return frame.loc[scope] if scope in frame.index.get_level_values(0) else None


def _section(answers: Answers) -> str:
    frame = reported_schedule(answers)
    if not frame.index.get_level_values("year").notna().any():
        return paragraph(t("no_dates_for_building"))
    text = ""
    for scope in answers.figures.scopes:
        years = years_of(answers, scope)
        text += (
            paragraph(t("design_without_diagrams", design=scope))
            if years is None
            else _schedule_of(answers, scope, years)
        )
    return text


def _schedule_of(answers: Answers, scope: str, frame: Any) -> str:
    compared, figures, attrs = answers.compared, answers.figures, reported_schedule(answers).attrs
    diagrams: Any = compared.diagrams.loc[ids_of(compared, scope)]
    start: Any
    end: Any
    start, end = (pd.to_datetime(diagrams[name]) for name in ("start_date", "end_date"))
    dated = start.notna() & end.notna() & (start.dt.normalize() <= end.dt.normalize())
    rows = []

    def add(period: str, under_way: Any, row: Any, worth: str | None) -> None:
        ids = sorted(diagrams.index[under_way])
        worths = [] if worth is None else [worth]
        rows.append((period, len(ids), figures.area(row["area_ha"]), figures.money(row["cost"]), *worths, links(ids)))

    for first, row in in_periods(frame).iterrows():
        last = int(row["last"])
        under_way = dated & (start.dt.year <= last) & (end.dt.year >= first)
        worth = figures.money(row["present_value"]) if attrs else None
        add(str(first) if first == last else t("years_range", first=str(first), last=str(last)), under_way, row, worth)
    for _, row in frame[frame.index.isna()].iterrows():
        share = "" if pd.isna(row["cost_share"]) else percent(row["cost_share"])
        add(t("without_dates_share" if share else "without_dates", share=share), ~dated, row, "" if attrs else None)
    columns = [
        Column(t("year" if frame.index.notna().sum() <= MAX_PERIODS else "years"), "text"),
        Column(t("under_way")),
        figures.summed,
        Column(t("cost_unit", unit=figures.money_unit)),
        *([Column(t("present_value_unit", unit=figures.money_unit))] if attrs else []),
        Column(t("their_ids"), "ids"),
    ]
    caption = t("schedule_caption", design=name_of(scope))
    text = anchored(f"y{answers.number(scope)}", table(caption, columns, rows))
    if attrs:
        value = attrs["net_present_value"]
        amount = figures.full_money(value if scope == "project" else value[scope])
        worth = t(
            "worth_without_undated" if frame.index.isna().any() else "worth",
            design=name_of(scope),
            rate=in_digits(f"{100 * attrs['rate']:g}"),
            amount=amount,
            year=str(attrs["base_year"]),
        )
        text += paragraph(worth)
    return text


SECTION = Section(
    "schedule_heading",
    "schedule_question",
    _section,
    takes=("rate", "base_year"),
)
