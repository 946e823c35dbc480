"""The questions about money and hectares: targets and budgets, rates that change, and what a budget buys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pygeodesign._core import _missing_extra
from pygeodesign._planning import optimum, quantities, schedule, sensitivity, targets
from pygeodesign._planning.compared import Compared

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import ModuleType

    import pandas as pd
    from matplotlib.axes import Axes

    from pygeodesign._planning.optimum import Optimum


class MoneyQuestions(Compared):
    """What diagrams cost, and what they are worth, by system and design."""

    def targets(self, scope: str = "designs") -> pd.DataFrame:
        """Which targets and budgets of the systems each design meets, and how much is missing.

        As in the cost report, the land of a system is what it covers today (`current_ha`) and the hectares of all its
        diagrams, policies too, each diagram for itself: where two overlap, both count.

            missing_ha = max(0, target_ha - current_ha - area_ha)
            over_budget = max(0, cost - budget)

        Args:
            scope: `"designs"` for every design, the label of one, or `"project"` for all diagrams.

        Returns:
            One row per design and system, with `design` (its label, or `"project"`), `sysid`, `system` and `diagrams`,
            their number. Hectares: `target_ha`, `current_ha`, `area_ha`, `missing_ha`; `area_met` says whether the
            target is met, and `unmeasured` counts diagrams whose area is not known. Money: `budget`, `cost`,
            `over_budget`; `budget_met`, and `unpriced` for diagrams whose cost is not known. A sum is of what is known,
            NaN where nothing is. Where a system has no target or budget, and where what is not known may decide, NaN
            or `<NA>` is the answer.

        Raises:
            InputError: No design has that label.

        Examples:
            >>> table = project.compare().targets()
            >>> table.groupby("sysid")["area_met"].sum().to_dict()
            {1: 1, 2: 0, 3: 2, 4: 0, 5: 3, 6: 1, 7: 2, 8: 1, 9: 0}
            >>> table.loc[~table["budget_met"], ["system", "budget", "cost", "over_budget"]].round(-3)
              system       budget         cost  over_budget
            0  Water  490000000.0  495363000.0    5363000.0
        """
        return targets.targets(self, scope)

    def sensitivity(self, percent: float = 20, scope: str = "project") -> pd.DataFrame:
        """What the cost and the budget of each system become if its rate is lower or higher by so many percent.

        One rate changes at a time. The costs that follow the rate of a system change with it; overrides and policies
        do not (`rate_source` of the cost report says which a diagram has).

            low, high = cost -+ by_rate * percent / 100
            breaks_budget_at = 100 * (budget - cost) / by_rate

        Args:
            percent: How much each rate changes: more than 0, at most 100.
            scope: `"project"`, or the label of a design.

        Returns:
            One row per system, by `sysid`: `system`, its `rate`, its `cost`, and how much of it follows the rate
            (`by_rate`); `low` and `high`, its cost at the lower and at the higher rate; `change`, how much the cost
            of the system and the total move up or down; `budget`, and `breaks_budget_at`, the percent at which the
            cost is the budget. It is negative where the cost is beyond the budget already, and NaN where there is no
            budget or no rate meets it. `unpriced` diagrams have no known cost and are left out. `attrs["total"]` is
            the cost of all systems.

        Raises:
            InputError: `percent` is out of range, or no design has that label.

        Examples:
            >>> table = project.compare().sensitivity(20)
            >>> table.loc[[4, 5], "change"].round(-6).to_dict()
            {4: 41000000.0, 5: 334000000.0}
            >>> table.loc[[4, 5], "breaks_budget_at"].round(1).to_dict()
            {4: 19.6, 5: -36.7}
        """
        return sensitivity.sensitivity(self, percent, scope)

    def plot_sensitivity(
        self,
        percent: float = 20,
        scope: str = "project",
        ax: Axes | None = None,
        *,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw `sensitivity()` as a tornado chart: the rate that moves the total most is at the top.

        Beside each bar is how much the total moves, and the change of the rate at which the system's budget is reached.

        Args:
            percent: As for `sensitivity()`.
            scope: `"project"`, or the label of a design.
            ax: The matplotlib axes to draw on. Default: new ones.
            theme: `"light"` or `"dark"`. Default: what fits the colour of the figure.

        Returns:
            The axes; along x is how much the total cost changes, in the project's currency.

        Raises:
            InputError: As for `sensitivity()`.
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_sensitivity(20)
            >>> axes.get_yticklabels()[0].get_text()
            'High-density housing'
        """
        table = self.sensitivity(percent, scope)
        axes: Axes = _pictures().draw_sensitivity(table, self.systems["color"], self.title, ax, theme)
        return axes

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
        return optimum.optimum(self, budget, targets, keep, drop, alternatives, time_limit)

    def schedule(self, scope: str = "project", rate: float | None = None, base_year: int | None = None) -> pd.DataFrame:
        """What each calendar year costs and changes, by the start and end dates of diagrams.

        The cost and the area of a diagram are spread evenly over its days, the first and the last one included. The
        present value of a year discounts its cost, as in the Green Book of HM Treasury (2022, annex 6):

            present_value = cost / (1 + rate) ** (year - base_year)

        Args:
            scope: `"project"`, or the label of a design.
            rate: The discount rate per year as a share, such as 0.03.
            base_year: The year whose money counts in full. Default: the first year of the schedule.

        Returns:
            One row per year, by `year`, from the first start to the last end: `diagrams` (how many are under way),
            `area_ha` and `cost` of that year, and, of the diagrams under way, how many have no known cost (`unpriced`)
            or area (`unmeasured`): these are left out, and where all are unknown, the sum is NaN. Diagrams without both
            dates, or that end before they start, have a last row with the year `<NA>`. With `rate`, `present_value`
            follows, NaN without a year, and `attrs["net_present_value"]` is its sum; `attrs` has `rate` and
            `base_year`, too.

        Raises:
            InputError: `rate` is no number above -1, or no design has that label.

        Examples:
            >>> table = project.compare().schedule(rate=0.03)
            >>> int(table.index[0]), int(table["cost"].idxmax()), len(table)
            (2027, 2035, 24)
            >>> print(f"{table['cost'].sum():.3g}, worth {table.attrs['net_present_value']:.3g} in 2027")
            1.31e+10, worth 1.06e+10 in 2027
        """
        return schedule.schedule(self, scope, rate, base_year)

    def plot_schedule(
        self, scope: str = "project", ax: Axes | None = None, *, theme: Literal["light", "dark"] | None = None
    ) -> Axes:
        """Draw `schedule()`: the cost of each year as a bar, and of all years until then as a line.

        Where the schedule has more than 100 years, a bar is the fewest of 5, 10, 50 or 100 years of which 100 bars are
        enough, from one that is a multiple of them on, such as a decade. Then look for a date that is a mistake.

        Args:
            scope: `"project"`, or the label of a design.
            ax: The matplotlib axes to draw on. Default: new ones.
            theme: `"light"` or `"dark"`. Default: what fits the colour of the figure.

        Returns:
            The axes of the bars; along x are years, along y the project's currency.

        Raises:
            InputError: No design has that label.
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> print(project.compare().plot_schedule().get_title("left"))
            Staten Island 2050
            Cost per year, 13.1 bn in all
        """
        table = self.schedule(scope)
        undated = int(table.loc[table.index.isna(), "diagrams"].sum())
        note = f"{undated} diagram{'' if undated == 1 else 's'} without dates not shown" if undated else ""
        axes: Axes = _pictures().draw_schedule(schedule.in_periods(table), self.title, note, ax, theme)
        return axes

    def quantities(self, per_hectare: Mapping[str, Mapping[Any, float]], scope: str = "designs") -> pd.DataFrame:
        """Any other quantity that goes by hectares, such as carbon, jobs or water, by design and system.

            amount = per_hectare * hectares of the projects

        Policies change no land and add nothing; neither do diagrams of lines only, which have no hectares. A diagram
        whose kind is not known counts as a project. Each diagram counts for itself, where two overlap, too. Other than
        costs, quantities know no overrides.

        Args:
            per_hectare: For each quantity, the amount that a hectare of each system (name, id or tag) brings; it may be
                negative.
            scope: `"designs"` for every design, the label of one, or `"project"` for all diagrams.

        Returns:
            One row per design and system: `design`, `sysid`, `system`, `area_ha` of its projects, `unmeasured`, the
            number of projects whose area is not known and left out, and a column per quantity. It is NaN for systems
            without an amount per hectare, and where no project's area is known.

        Raises:
            InputError: No system or design has such a name, or an amount is no number.

        Examples:
            >>> rates = {"carbon_t": {"Water": 12.5, "Green infrastructure": 8}, "jobs": {"Industry & commerce": 40}}
            >>> table = project.compare().quantities(rates, "project")
            >>> table.loc[[0, 2, 5], ["system", "area_ha", "carbon_t", "jobs"]].round(0)
                             system  area_ha  carbon_t    jobs
            0                 Water    289.0    3608.0     NaN
            2  Green infrastructure    752.0    6016.0     NaN
            5   Industry & commerce    243.0       NaN  9724.0
        """
        return quantities.quantities(self, per_hectare, scope)


def _pictures() -> ModuleType:
    """Matplotlib is of another extra than GeoPandas."""
    try:
        from pygeodesign._pictures import money
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    return money
