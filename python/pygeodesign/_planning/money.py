"""What other rates of the systems do to costs and budgets, and what each year costs."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._options import currency_of
from pygeodesign._planning.arguments import finite, whole
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.land import Numbers
from pygeodesign._planning.targets import figure, known_sum, unknown_count
from pygeodesign._planning.years import year_shares
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The most bars of a chart and rows of a page; more years are taken together.
MAX_PERIODS = 100
# How many years a bar or a row may stand for. The last one is enough for the years 1 to 9999.
PERIODS = (1, 5, 10, 50, 100)


class MoneyQuestions(Compared):
    """What diagrams cost at other rates, and year by year."""

    def sensitivity(self, percent: float = 20, scope: str = "designs") -> pd.DataFrame:
        """What the cost and the budget of each system become if its rate is lower or higher by a percentage.

        One rate changes at a time. The costs that follow the rate of a system change with it; overrides and policies
        do not (`rate_source` of the cost report says which a diagram has).

            low, high = cost -+ by_rate * percent / 100
            breaks_budget_at = 100 * (budget - cost) / by_rate

        Args:
            percent: How much each rate changes: more than 0, at most 100.
            scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.

        Returns:
            One row per design and system, by `sysid`: `system`, its `rate`, its `cost`, and how much of it follows the
            rate (`by_rate`); `low` and `high`, its cost at the lower and at the higher rate; `change`, how much the
            cost of the system and the total move up or down; `budget`, and `breaks_budget_at`, the percent at which the
            cost is the budget. It is negative where the cost is beyond the budget already, and NaN where there is no
            budget or no rate meets it. `unpriced` diagrams have no known cost and are left out. Costs are summed over
            diagrams: where two overlap, both count.

        Raises:
            InputError: `percent` is out of range, no design has that label, or there is no design.

        Examples:
            >>> table = project.compare().sensitivity(20, "project")
            >>> table.loc[[4, 5], "change"].round(-6).to_dict()
            {4: 41000000.0, 5: 334000000.0}
            >>> table.loc[[4, 5], "breaks_budget_at"].round(1).to_dict()
            {4: 19.6, 5: -36.7}
        """
        if not isinstance(percent, Real) or not 0 < percent <= 100:
            raise InputError(f"percent is more than 0 and at most 100, not {percent!r}: a rate cannot be negative")
        table = self._long_frame(
            {label: self._sensitivity(percent, rows) for label, rows in self._in_scope(scope).items()}
        )
        table.attrs = {"percent": percent}
        return table

    def _sensitivity(self, percent: float, rows: pd.DataFrame) -> pd.DataFrame:
        systems = self.systems
        cost, budget = known_sum(rows, "cost", systems.index), figure(systems, "budget")
        # Overrides and policies do not follow the rate of the system.
        following = known_sum(rows[rows["rate_source"] == "system"], "cost", systems.index).fillna(0)
        change = following * percent / 100
        with np.errstate(divide="ignore", invalid="ignore"):
            breaks_at = 100 * (budget - cost) / following.where(following > 0)
        return pd.DataFrame(
            {
                "system": systems["name"],
                "rate": figure(systems, "rate"),
                "cost": cost,
                "by_rate": following,
                "low": cost - change,
                "high": cost + change,
                "change": change,
                "budget": budget,
                # No rate is lower than 0.
                "breaks_budget_at": breaks_at.where(breaks_at >= -100),
                "unpriced": unknown_count(rows, "cost", systems.index),
            }
        )

    def plot_sensitivity(
        self,
        percent: float = 20,
        scope: str = "designs",
        ax: Axes | None = None,
        *,
        currency: str | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw `sensitivity()` as a tornado chart: the rate that moves the total of a design most is at the top.

        Beside each bar is how much the total moves, and the change of the rate at which the system's budget is reached,
        or that no rate can meet it.

        Args:
            percent: As for `sensitivity()`.
            scope: As for `sensitivity()`. Each design has a panel of its own, all with the same scale.
            ax: The matplotlib axes to draw on. Default: new ones.
            currency: Such as `"USD"`, which no service tells. Default: as `pygeodesign.options` says.
            theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or what fits the figure.

        Returns:
            The axes, of several designs those of the first one; along x is how much the total cost changes, in the
            project's currency.

        Raises:
            InputError: As for `sensitivity()`.
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_sensitivity(20, "project")
            >>> axes.get_yticklabels()[0].get_text()
            'High-density housing'
        """
        axes: Axes = pictures("bars").draw_sensitivity(
            self.sensitivity(percent, scope),
            list(self._in_scope(scope)),
            self.systems["color"],
            self.title,
            currency_of(currency),
            ax,
            theme,
        )
        return axes

    def schedule(self, scope: str = "designs", rate: float | None = None, base_year: int | None = None) -> pd.DataFrame:
        """What each calendar year costs and changes, by the start and end dates of diagrams.

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
            One row per design and year, by `design` and `year` (of the project by `year`), from its first start to its
            last end: `team`, the title of the team of the design, `diagrams` (how many are under way), `area_ha` and
            `cost` of that year, `cost_share` (its share of the cost of the design), and, of the diagrams under way, how
            many have no known cost (`unpriced`) or area (`unmeasured`): these are left out, and where all are unknown,
            the sum is NaN. Diagrams without both dates, or that end before they start, have a last row with the year
            `<NA>`. With `rate`, `present_value` follows, NaN without a year. `attrs["net_present_value"]` is its sum,
            without what has no dates, and a dict of the sum of each design unless the scope is the project; `attrs` has
            `rate` and `base_year`, too.

        Raises:
            InputError: `rate` is no such share, no design has that label, or there is no design.

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
                    f"rate {rate!r} over the years from {base} to {years.max()} gives no finite present value; look at "
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
        self,
        scope: str = "designs",
        ax: Axes | None = None,
        *,
        currency: str | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw `schedule()`: the cost of each year as a bar, and of all years until then as a line.

        What diagrams without dates cost is a hatched bar apart, which the line leaves out.

        Where the schedule has more than 100 years, a bar is the fewest of 5, 10, 50 or 100 years of which 100 bars are
        enough, from one that is a multiple of them on, such as a decade. Then look for a date that is a mistake.

        Args:
            scope: As for `schedule()`. Each design has a panel of its own, all with the same years and scales.
            ax: The matplotlib axes to draw on. Default: new ones.
            currency: Such as `"USD"`, which no service tells. Default: as `pygeodesign.options` says.
            theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or what fits the figure.

        Returns:
            The axes of the bars, of several designs those of the first one; along x are years, along y the project's
            currency.

        Raises:
            InputError: As for `schedule()`.
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> print(project.compare().plot_schedule("project").get_title("left"))
            Staten Island 2050
            Cost per year, summed over diagrams: 13.1 bn (no currency given) in all
        """
        axes: Axes = pictures("bars").draw_schedule(
            self.schedule(scope), list(self._in_scope(scope)), self.title, currency_of(currency), ax, theme
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


def in_periods(table: pd.DataFrame, length: int = 0) -> pd.DataFrame:
    """A schedule without its row for diagrams without dates: sums of `area_ha`, `cost` and so on for each period.

    A period is `length` years; without it, a year; or, where these are more than `MAX_PERIODS`, the years of one of
    `PERIODS`, such as a decade. The index is its first year, `last` its last one.
    """
    dated = table[table.index.notna()]
    years = dated.index.to_numpy(dtype=int)
    length = length or next(length for length in PERIODS if len(years) <= MAX_PERIODS * length or length == PERIODS[-1])
    sums = (
        dated.drop(columns=["diagrams", "cost_share", "unpriced", "unmeasured"])
        .groupby(years // length * length)
        .sum(min_count=1)
    )
    sums["last"] = sums.index + length - 1
    sums.attrs["years"] = length
    return sums


def _spread(values: pd.Series[float], shares: Numbers) -> tuple[Numbers, Numbers]:
    """What each year has of the values, NaN where it has only unknown ones; and how many are not known."""
    known = values.notna().to_numpy()
    sums, under_way = shares @ values.fillna(0).to_numpy(dtype=float), shares > 0
    unknown = under_way[:, ~known].sum(axis=1)
    return np.where((unknown > 0) & ~under_way[:, known].any(axis=1), np.nan, sums), unknown
