"""The figures of each design of a comparison."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pygeodesign._planning.compared import Compared
from pygeodesign._planning.questions.targets import targets


def design_figures(compared: Compared) -> list[dict[str, Any]]:
    """A dict for each design: hectares and costs, summed over diagrams, and the numbers of met targets and budgets."""
    return [_figures(compared, label, ids) for label, ids in compared.designs.items()]


def cost_of(diagrams: Any) -> float:
    """The cost of diagrams: the sum of known costs, 0 without a diagram, NaN without a known cost."""
    return float(diagrams["cost"].sum(min_count=1)) if len(diagrams) else 0.0


def _figures(compared: Compared, label: str, ids: list[int]) -> dict[str, Any]:
    diagrams, answers = compared.diagrams.loc[ids], targets(compared, label)
    cost = cost_of(diagrams)
    figures: dict[str, Any] = {
        "design": label,
        "diagrams": len(ids),
        "area_ha": float(diagrams["area_ha"].sum()),
        "unmeasured": int(diagrams["area_ha"].isna().sum()),
        "cost": None if pd.isna(cost) else cost,
        "unpriced": int(diagrams["cost"].isna().sum()),
    }
    for name, status in (("targets", answers["area_status"]), ("budgets", answers["budget_status"])):
        figures |= {f"{name}_met": int((status == "met").sum()), name: int((status != "none").sum())}
    return figures
