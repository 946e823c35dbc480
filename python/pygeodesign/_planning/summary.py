"""The figures of each design of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from pygeodesign._planning import Questions


def design_figures(compared: Questions) -> list[dict[str, Any]]:
    """A dict for each design: hectares and costs, summed over diagrams, and how many targets and budgets are met."""
    return [_figures(compared, label, ids) for label, ids in compared.designs.items()]


def _figures(compared: Questions, label: str, ids: list[int]) -> dict[str, Any]:
    diagrams, answers = compared.diagrams.loc[ids], compared.targets(label)
    # Of what is known.
    cost = diagrams["cost"].sum(min_count=1)
    figures: dict[str, Any] = {
        "design": label,
        "diagrams": len(ids),
        "area_ha": float(diagrams["area_ha"].sum()),
        "unmeasured": int(diagrams["area_ha"].isna().sum()),
        "cost": float(cost) if pd.notna(cost) else (None if ids else 0.0),
        "unpriced": int(diagrams["cost"].isna().sum()),
    }
    for name, status in (("targets", answers["area_status"]), ("budgets", answers["budget_status"])):
        figures |= {f"{name}_met": int((status == "met").sum()), name: int((status != "none").sum())}
    return figures
