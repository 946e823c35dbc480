"""What other rates of the systems would do to costs and budgets."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pygeodesign._planning.scopes import in_scope
from pygeodesign._planning.targets import figure, known_sum, unknown_count
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared


def sensitivity(compared: Compared, percent: float, scope: str) -> pd.DataFrame:
    """One row per system: its cost at a rate that is so much lower or higher."""
    if not isinstance(percent, Real) or not 0 < percent <= 100:
        raise InputError(f"percent is more than 0 and at most 100, not {percent!r}: a rate cannot be negative")
    systems, rows = compared.systems, in_scope(compared, scope)
    cost, budget = known_sum(rows, "cost", systems.index), figure(systems, "budget")
    # Overrides and policies do not follow the rate of the system.
    following = known_sum(rows[rows["rate_source"] == "system"], "cost", systems.index).fillna(0)
    change = following * percent / 100
    with np.errstate(divide="ignore", invalid="ignore"):
        breaks_at = 100 * (budget - cost) / following.where(following > 0)
    table = pd.DataFrame(
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
    table.attrs = {"percent": percent, "total": float(cost.sum())}
    return table
