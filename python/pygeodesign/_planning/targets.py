"""Which targets and budgets of the systems designs meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pygeodesign._planning.scopes import designs_in_scope

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared

COLUMNS = [
    "design",
    "sysid",
    "system",
    "diagrams",
    "target_ha",
    "current_ha",
    "area_ha",
    "missing_ha",
    "area_met",
    "unmeasured",
    "budget",
    "cost",
    "over_budget",
    "budget_met",
    "unpriced",
]


def targets(compared: Compared, scope: str) -> pd.DataFrame:
    """One row per design and system."""
    parts = [_of_design(compared, label, rows) for label, rows in designs_in_scope(compared, scope).items()]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


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


def _of_design(compared: Compared, label: str, rows: pd.DataFrame) -> pd.DataFrame:
    systems = compared.systems
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
            "area_met": _answer(missing == 0, target.isna() | ((missing > 0) & (unmeasured > 0))),
            "unmeasured": unmeasured.to_numpy(),
            "budget": budget.to_numpy(),
            "cost": cost.to_numpy(),
            "over_budget": over.to_numpy(),
            "budget_met": _answer(over == 0, budget.isna() | ((over == 0) & (unpriced > 0))),
            "unpriced": unpriced.to_numpy(),
        }
    )


def _answer(met: pd.Series[bool], unknown: pd.Series[bool]) -> pd.arrays.BooleanArray:
    return pd.arrays.BooleanArray(met.to_numpy(dtype=bool), np.array(unknown, dtype=bool))
