"""The answer next to a board's sliders: costs against budgets, areas against targets, and the best choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pygeodesign._paper.shown import SHOWN_HA
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.questions.optimum import optimum
from pygeodesign._planning.questions.targets import targets
from pygeodesign._planning.summary import cost_of
from pygeodesign._report.marks import MARKS
from pygeodesign._text import Units, counted, money, short_amount, short_number
from pygeodesign.errors import InputError

# A board answers while a slider moves, and says what is not proven by then.
SOLVER_SECONDS = 0.1
BEST = "Best choice"

Cell = dict[str, Any]
Column = tuple[str, list[Cell]]


def board_answer(asked: Compared, units: Units, currency: str) -> dict[str, Any]:
    """A sentence about the best choice, and two tables: a row for each system, a column for each design."""
    met = targets(asked) if asked.designs else None
    choice, best = best_choice(asked, currency)
    figures = Figures(units, currency, asked.land == "inside")
    tables = [table(asked, figures, met, choice, in_area) for in_area in (False, True)]
    return {"best": best, "tables": tables}


def best_choice(asked: Compared, currency: str) -> tuple[pd.DataFrame | None, str]:
    """The best choice by system, and a sentence about it."""
    try:
        best = optimum(asked, time_limit=SOLVER_SECONDS)
    except InputError as problem:
        return None, f"{BEST}: none, since {problem}"
    proven = f", at most {100 * best.gap:.2g} % above the least" if best.gap else ""
    left_out = f"; {counted(len(best.excluded), 'diagram')} of unknown cost or area left out" * bool(best.excluded)
    if asked.designs:
        alone = targets(asked, policies=False)
        met = (alone["area_status"] == "met").groupby(alone["design"]).sum()
        few, many = met.min(), met.max()
        left_out += f"; without their policies, the designs meet {few if few == many else f'{few} to {many}'} targets"
    return best.systems, (
        f"{BEST} under all budgets together, {money(best.budget, currency)}: "
        f"{counted(len(best.chosen), 'diagram')} for {money(best.cost, currency)}, "
        f"shortfall {best.shortfall:.3g}{proven}{left_out}"
    )


def table(
    asked: Compared, figures: Figures, targets: pd.DataFrame | None, best: pd.DataFrame | None, in_area: bool
) -> dict[str, Any]:
    """Areas against targets, or costs against budgets, with their sum in a last row."""
    columns: list[Column] = []
    if targets is not None:
        for label, ids in asked.designs.items():
            rows = targets[targets["design"] == label].to_dict("records")
            cells = [figures.area_cell(row) if in_area else figures.cost_cell(row) for row in rows]
            cells += [] if in_area else [total_cell(asked, ids)]
            columns.append((asked._short_labels.get(label, label), cells))
    if best is not None:
        cells = [figures.best_cell(row, in_area) for row in best.to_dict("records")]
        cells += [] if in_area else [cell("none", short_amount(best["cost"].sum()), "")]
        columns.append((BEST, cells))
    heads = [{"name": row["name"], "color": row["color"], "isTotal": False} for row in asked.systems.to_dict("records")]
    heads += [] if in_area else [{"name": "Total", "color": None, "isTotal": True}]
    rows_of_cells = zip(*(cells for _, cells in columns), strict=True) if columns else ()
    unit = figures.units.area if in_area else figures.currency
    what = "Targets: met, and what is missing" if in_area else "Budgets: met, and cost"
    return {
        "caption": f"{what} ({unit})" if unit else what,
        "columns": [name for name, _ in columns],
        # Without a design and a best choice there is nothing to compare.
        "rows": [head | {"cells": list(cells)} for head, cells in zip(heads, rows_of_cells, strict=bool(columns))],
    }


@dataclass(frozen=True)
class Figures:
    """Formats of amounts and areas."""

    units: Units
    currency: str
    inside: bool

    def cost_cell(self, row: Mapping[Any, Any]) -> Cell:
        """A design's cost for a system, from a row of `targets()`."""
        over = row["over_budget"]
        more = "no budget" if pd.isna(row["budget"]) else f"budget {money(row['budget'], self.currency)}"
        more += f", {short_amount(over)} over" if over > 0 else ""
        return cell(row["budget_status"], cost_text(row["cost"], row["unpriced"]), more)

    def area_cell(self, row: Mapping[Any, Any]) -> Cell:
        """A design's missing area of a target, from a row of `targets()`."""
        missing, target = row["missing_ha"], row["target_ha"]
        text = "" if pd.isna(missing) or missing == 0 else self.area(missing)
        if row["unmeasured"]:
            text += f" + {row['unmeasured']:,} not known"
        more = "no target" if pd.isna(target) else f"target {self.area(target)} {self.units.area}"
        if row["outside_ha"] >= SHOWN_HA:
            counted = "outside not counted" if self.inside else "of its land outside the study area"
            more += f", {self.area(row['outside_ha'])} {counted}"
        return cell(row["area_status"], text.strip(), more)

    def best_cell(self, row: Mapping[Any, Any], in_area: bool) -> Cell:
        """The same for the best choice, whose budget is the sum of all systems' budgets."""
        if not in_area:
            return cell("none", short_amount(row["cost"]), "")
        missing = row["missing_ha"]
        status = "none" if pd.isna(missing) else "missed" if missing > 0 else "met"
        return cell(status, self.area(missing) if status == "missed" else "", "")

    def area(self, hectares: float) -> str:
        """An area without its unit."""
        return short_number(hectares * self.units.per_hectare)


def total_cell(asked: Compared, ids: list[int]) -> Cell:
    """The total cost of a design."""
    rows = asked.diagrams.loc[ids]
    return cell("none", cost_text(cost_of(rows), int(rows["cost"].isna().sum())), "")


def cost_text(cost: float, unpriced: int) -> str:
    """An amount, and the number of diagrams of unknown cost."""
    if pd.isna(cost):
        return "not known"
    return short_amount(cost) + (f" + {unpriced:,} not known" if unpriced else "")


def cell(status: str, text: str, more: str) -> Cell:
    """A mark with a text; `word` is read out, and `more` is a tooltip."""
    mark = MARKS[status]
    return {"text": f"{mark} {text}".strip(), "status": status, "word": status if mark else "", "more": more}
