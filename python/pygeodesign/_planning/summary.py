"""The figures of each design of a comparison."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pygeodesign._planning.compared import Compared
from pygeodesign._planning.questions.people import targets_of_quantities
from pygeodesign._planning.questions.targets import targets


def design_figures(compared: Compared) -> list[dict[str, Any]]:
    """A dict for each design: hectares and costs, summed over diagrams, and the numbers of met targets and budgets.

    Targets are hectares of systems, and amounts of their quantities, such as homes.
    """
    return [figures_of(compared, label) for label in compared.designs]


def cost_of(diagrams: Any) -> float:
    """The cost of diagrams: the sum of known costs, 0 without a diagram, NaN without a known cost."""
    return float(diagrams["cost"].sum(min_count=1)) if len(diagrams) else 0.0


def figures_of(compared: Compared, scope: str) -> dict[str, Any]:
    """The same figures of a design by its label, or of all diagrams, whose scope is `"project"`."""
    everything, answers = compared.diagrams, targets(compared, scope)
    diagrams = everything if scope == "project" else everything.loc[compared.designs[scope]]
    cost = cost_of(diagrams)
    figures: dict[str, Any] = {
        "design": scope,
        "diagrams": len(diagrams),
        "area_ha": float(diagrams["area_ha"].sum()),
        "unmeasured": int(diagrams["area_ha"].isna().sum()),
        "cost": None if pd.isna(cost) else cost,
        "unpriced": int(diagrams["cost"].isna().sum()),
    }
    for name, status in (("targets", answers["area_status"]), ("budgets", answers["budget_status"])):
        figures |= {f"{name}_met": int((status == "met").sum()), name: int((status != "none").sum())}
    of_quantities = targets_of_quantities(compared, scope)
    figures["targets"] += len(of_quantities)
    figures["targets_met"] += int(of_quantities["met"].fillna(False).sum())
    return figures
