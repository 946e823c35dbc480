"""What designs reach: targets and budgets of the systems, and other quantities by the hectare."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._options import currency_of
from pygeodesign._planning.arguments import finite, sysid_of
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.explained import outside_hectares
from pygeodesign._text import units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What a status says to those who count yes and no.
ANSWERS = {"met": True, "missed": False, "nothing planned": None, "not known": None, "none": None}
QUANTITY_COLUMNS = ["design", "sysid", "system", "area_ha", "unmeasured"]


class TargetQuestions(Compared):
    """What designs reach, by system."""

    @cached_property
    def _outside_ha(self) -> pd.Series[float]:
        """The hectares of each diagram outside the study area: 0 without a geometry, NaN without boundaries."""
        return pd.Series(outside_hectares(self.diagrams.geometry, self.boundaries), self.diagrams.index)

    def targets(self, scope: str = "designs", *, policies: bool = True) -> pd.DataFrame:
        """Which targets and budgets of the systems each design meets, and how much is missing.

        As in the cost report, the area of a system is what it covers today (`current_ha`) and the hectares summed over
        its diagrams, policies included: where two overlap, both count.

            missing_ha = max(0, target_ha - current_ha - area_ha)
            over_budget = max(0, cost - budget)

        Args:
            scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.
            policies: Whether policies count. Without them, a design is beside what projects alone reach, such as those
                of `optimum()`.

        Returns:
            One row per design and system, with `sysid`, `system` and `diagrams`, their number. Hectares: `target_ha`,
            `current_ha`, `area_ha`, of it `outside_ha` beyond the study area (NaN where the project has no boundaries),
            `missing_ha`; `area_met` says whether the target is met, and `unmeasured` counts diagrams whose area is not
            known. Money: `budget`, `cost`, `over_budget`; `budget_met`, and `unpriced` for diagrams whose cost is not
            known. A sum is of what is known, NaN where nothing is. Where a system has no target or budget, and where
            what is not known may decide, NaN or `<NA>` is the answer. Without a diagram, nothing is planned:
            `budget_met` is `<NA>`, since a budget that nobody spends meets nothing.
            `area_status` and `budget_status` say it in words: `"met"`, `"missed"`, `"nothing planned"`,
            `"not known"`, or `"none"` without a target or budget. A target that today's area meets is met.

        Raises:
            InputError: No design has that label, or there is no design.

        Examples:
            >>> table = project.compare().targets()
            >>> table["budget_status"].value_counts().to_dict()
            {'met': 26, 'nothing planned': 9, 'missed': 1}
            >>> missed = table[table["budget_status"] == "missed"]
            >>> missed[["system", "budget", "cost", "over_budget"]].round(-3)
              system       budget         cost  over_budget
            0  Water  490000000.0  495363000.0    5363000.0
        """
        counted = {
            label: rows if policies else rows[rows["kind"] != "policy"] for label, rows in self._in_scope(scope).items()
        }
        return self._long_frame(
            {label: _targets_of(self.systems, rows, self._outside_ha) for label, rows in counted.items()}
        )

    def plot_targets(
        self,
        by: Literal["area", "cost"] = "area",
        scope: str = "designs",
        ax: Axes | None = None,
        *,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw `targets()` as a table of colours: a row for each system, a column for each design.

        Args:
            by: `"area"` for the share of its target that each system reaches and what is missing; `"cost"` for the
                share of its budget and what is beyond it.
            scope: As for `targets()`.
            ax: The matplotlib axes to draw on. Default: new ones.
            currency: Of costs, such as `"USD"`, which no service tells. Default: `pygeodesign.options.currency`.
            units: `"metric"`, or `"us"` for acres. Default: as `pygeodesign.options` says.
            theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or what fits the figure.

        Returns:
            The axes.

        Raises:
            InputError: As for `targets()`, or `by` is neither of the two.
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_targets()
            >>> axes.texts[0].get_text()
            'met'
        """
        if by not in ("area", "cost"):
            raise InputError(f'by is "area" or "cost", not {by!r}')
        axes: Axes = pictures("comparison").draw_targets(
            self.targets(scope),
            {label: self._short_labels.get(label or "", label) for label in self._in_scope(scope)},
            by,
            self.title,
            currency_of(currency),
            units_named(units),
            ax,
            theme,
        )
        return axes

    def quantities(self, per_hectare: Mapping[str, Mapping[Any, float]], scope: str = "designs") -> pd.DataFrame:
        """Any other quantity that goes by hectares, such as carbon, jobs or water, by design and system.

            amount = per_hectare * hectares of the projects

        Policies change no land and add nothing; neither do diagrams of lines only, which have no hectares. A diagram
        whose kind is not known counts as a project. Each diagram counts for itself, where two overlap, too. Other than
        costs, quantities know no overrides. What the land was before, and the years, are asked for by `stock_change()`.

        Args:
            per_hectare: For each quantity, the amount that a hectare of each system (name, id or tag) brings; it may be
                negative.
            scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.

        Returns:
            One row per design and system: `sysid`, `system`, `area_ha` summed over its projects, `unmeasured`, the
            number of projects whose area is not known and left out, and a column per quantity. It is NaN for systems
            without an amount per hectare, and where no project's area is known.

        Raises:
            InputError: No system or design has such a name, an amount is no number, or there is no design.

        Examples:
            >>> rates = {"carbon_t": {"Water": 12.5, "Green infrastructure": 8}, "jobs": {"Industry & commerce": 40}}
            >>> table = project.compare().quantities(rates, "project")
            >>> table.loc[[0, 2, 5], ["system", "area_ha", "carbon_t", "jobs"]].round(0)
                             system  area_ha  carbon_t    jobs
            0                 Water    289.0    3608.0     NaN
            2  Green infrastructure    752.0    6016.0     NaN
            5   Industry & commerce    243.0       NaN  9724.0
        """
        systems = self.systems
        rates = {
            name: rates_of(systems, name, by_system) for name, by_system in checked_quantities(per_hectare).items()
        }
        parts: dict[str | None, pd.DataFrame] = {}
        for label, diagrams in self._in_scope(scope).items():
            # A diagram of unknown kind is priced as a project, too.
            projects = diagrams[diagrams["kind"] != "policy"]
            area = known_sum(projects, "area_ha", systems.index)
            part = pd.DataFrame({"system": systems["name"], "area_ha": area}).rename_axis("sysid")
            part["unmeasured"] = unknown_count(projects, "area_ha", systems.index)
            for name, rate in rates.items():
                # Whatever the area is.
                part[name] = (rate * area).where(rate != 0, 0.0)
            parts[label] = part.reset_index()
        return self._long_frame(parts)


def known_sum(rows: pd.DataFrame, column: str, sysids: pd.Index[int]) -> pd.Series[float]:
    """The sum of a column by system: 0 without diagrams, and NaN where no value of any is known."""
    groups = rows.groupby("sysid")[column]
    sums = groups.sum(min_count=1).reindex(sysids)
    return sums.where(groups.size().reindex(sysids).notna(), 0.0).astype(float)


def unknown_count(rows: pd.DataFrame, column: str, sysids: pd.Index[int]) -> pd.Series[int]:
    """How many values of a column are not known, by system."""
    return rows[column].isna().groupby(rows["sysid"]).sum().reindex(sysids, fill_value=0).astype(int)


def figure(systems: pd.DataFrame, column: str) -> pd.Series[float]:
    """A figure of each system as a float; NaN where it has none."""
    return pd.to_numeric(systems[column]).astype(float)


def _targets_of(systems: pd.DataFrame, rows: pd.DataFrame, outside: pd.Series[float]) -> pd.DataFrame:
    target, current, budget = (figure(systems, name) for name in ("target_ha", "current_ha", "budget"))
    area, unmeasured = (summary(rows, "area_ha", systems.index) for summary in (known_sum, unknown_count))
    cost, unpriced = (summary(rows, "cost", systems.index) for summary in (known_sum, unknown_count))
    diagrams = rows.groupby("sysid").size().reindex(systems.index, fill_value=0)
    outside_ha = outside[rows.index].groupby(rows["sysid"]).sum().reindex(systems.index, fill_value=0.0)
    if outside.isna().any():
        outside_ha[:] = np.nan
    # What is known is the least that there may be.
    missing = (target - current.fillna(0) - area.fillna(0)).clip(lower=0)
    over = (cost.fillna(0) - budget).clip(lower=0)
    area_status = _status(missing, target, unknown=(missing > 0) & (unmeasured > 0), unplanned=missing > 0, of=diagrams)
    budget_status = _status(over, budget, unknown=(over == 0) & (unpriced > 0), unplanned=over == 0, of=diagrams)
    return (
        pd.DataFrame(
            {
                "system": systems["name"],
                "diagrams": diagrams,
                "target_ha": target,
                "current_ha": current,
                "area_ha": area,
                "outside_ha": outside_ha,
                "missing_ha": missing,
                "area_met": area_status.map(ANSWERS | {"nothing planned": False}).astype("boolean"),
                "area_status": area_status,
                "unmeasured": unmeasured,
                "budget": budget,
                "cost": cost,
                "over_budget": over,
                "budget_met": budget_status.map(ANSWERS).astype("boolean"),
                "budget_status": budget_status,
                "unpriced": unpriced,
            }
        )
        .rename_axis("sysid")
        .reset_index()
    )


def _status(
    gap: pd.Series[float],
    wanted: pd.Series[float],
    unknown: pd.Series[bool],
    unplanned: pd.Series[bool],
    of: pd.Series[int],
) -> pd.Series[str]:
    """Whether what is wanted is met, in words; the last that holds."""
    status = pd.Series(np.where(gap > 0, "missed", "met"), gap.index).mask(unknown, "not known")
    return status.mask(unplanned & (of == 0), "nothing planned").mask(wanted.isna(), "none")


def counted_status(status: pd.Series[str]) -> str:
    """How many systems meet what is wanted, such as `2 met, 1 missed, 6 nothing planned`."""
    counts = status[status != "none"].value_counts()
    return ", ".join(f"{counts[name]} {name}" for name in ANSWERS if name in counts) or "none"


def checked_quantities(per_hectare: Any) -> Mapping[str, Mapping[Any, float]]:
    if not isinstance(per_hectare, Mapping) or not all(isinstance(rates, Mapping) for rates in per_hectare.values()):
        raise InputError(
            'per_hectare is a dict of dicts: for each quantity, amounts per hectare by system, such as {"carbon_t": '
            '{"Water": 12.5}}'
        )
    if taken := [name for name in per_hectare if name in QUANTITY_COLUMNS]:
        raise InputError(f"{taken[0]!r} is a column of the result: give the quantity another name")
    return per_hectare


def rates_of(systems: pd.DataFrame, quantity: str, by_system: Mapping[Any, float]) -> pd.Series[float]:
    """The amount per hectare of each system; NaN where none is given."""
    rates = pd.Series(np.nan, index=systems.index)
    for name, rate in by_system.items():
        amount = finite(f"{quantity!r} per hectare of {name!r}", rate, "give a number")
        rates[sysid_of(systems, name)] = amount
    return rates
