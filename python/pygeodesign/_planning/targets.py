"""What designs reach: targets and budgets of the systems, and other quantities by the hectare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pygeodesign._planning.compared import Compared
from pygeodesign._planning.given import finite, sysid_of
from pygeodesign.errors import InputError

QUANTITY_COLUMNS = ["design", "sysid", "system", "area_ha", "unmeasured"]


class TargetQuestions(Compared):
    """What designs reach, by system."""

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
        parts = [_targets_of(self.systems, label, rows) for label, rows in self._designs_in_scope(scope).items()]
        # Without designs, no rows and the same columns.
        return pd.concat(parts or [_targets_of(self.systems, "", self.diagrams)[:0]], ignore_index=True)

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
        systems = self.systems
        rates = {name: _rates(systems, name, by_system) for name, by_system in _checked(per_hectare).items()}
        parts = []
        for label, diagrams in self._designs_in_scope(scope).items():
            # A diagram of unknown kind is priced as a project, too.
            projects = diagrams[diagrams["kind"] != "policy"]
            area = known_sum(projects, "area_ha", systems.index)
            part = pd.DataFrame({"design": label, "system": systems["name"], "area_ha": area}).rename_axis("sysid")
            part["unmeasured"] = unknown_count(projects, "area_ha", systems.index)
            for name, rate in rates.items():
                # Whatever the area is.
                part[name] = (rate * area).where(rate != 0, 0.0)
            parts.append(part.reset_index())
        columns = [*QUANTITY_COLUMNS, *rates]
        return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


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


def _targets_of(systems: pd.DataFrame, label: str, rows: pd.DataFrame) -> pd.DataFrame:
    target, current, budget = (figure(systems, name) for name in ("target_ha", "current_ha", "budget"))
    area, unmeasured = (summary(rows, "area_ha", systems.index) for summary in (known_sum, unknown_count))
    cost, unpriced = (summary(rows, "cost", systems.index) for summary in (known_sum, unknown_count))
    # What is known is the least that there may be.
    missing = (target - current.fillna(0) - area.fillna(0)).clip(lower=0)
    over = (cost.fillna(0) - budget).clip(lower=0)
    return pd.DataFrame(
        {
            "design": label,
            "sysid": systems.index,
            "system": systems["name"].to_numpy(),
            "diagrams": rows.groupby("sysid").size().reindex(systems.index, fill_value=0).to_numpy(),
            "target_ha": target.to_numpy(),
            "current_ha": current.to_numpy(),
            "area_ha": area.to_numpy(),
            "missing_ha": missing.to_numpy(),
            "area_met": _if_known(missing == 0, target.isna() | ((missing > 0) & (unmeasured > 0))),
            "unmeasured": unmeasured.to_numpy(),
            "budget": budget.to_numpy(),
            "cost": cost.to_numpy(),
            "over_budget": over.to_numpy(),
            "budget_met": _if_known(over == 0, budget.isna() | ((over == 0) & (unpriced > 0))),
            "unpriced": unpriced.to_numpy(),
        }
    )


def _if_known(met: pd.Series[bool], unknown: pd.Series[bool]) -> pd.arrays.BooleanArray:
    return pd.arrays.BooleanArray(met.to_numpy(dtype=bool), np.array(unknown, dtype=bool))


def _checked(per_hectare: Any) -> Mapping[str, Mapping[Any, float]]:
    if not isinstance(per_hectare, Mapping) or not all(isinstance(rates, Mapping) for rates in per_hectare.values()):
        raise InputError(
            'per_hectare is a dict of dicts: for each quantity, amounts per hectare by system, such as {"carbon_t": '
            '{"Water": 12.5}}'
        )
    if taken := [name for name in per_hectare if name in QUANTITY_COLUMNS]:
        raise InputError(f"{taken[0]!r} is a column of the result: give the quantity another name")
    return per_hectare


def _rates(systems: pd.DataFrame, quantity: str, by_system: Mapping[Any, float]) -> pd.Series[float]:
    """The amount per hectare of each system; NaN where none is given."""
    rates = pd.Series(np.nan, index=systems.index)
    for name, rate in by_system.items():
        amount = finite(f"{quantity!r} per hectare of {name!r}", rate, "give a number")
        rates[sysid_of(systems, name)] = amount
    return rates
