"""What a notebook shows of a comparison."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import pandas as pd

from pygeodesign._pictures.units import short_amount

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared

MAX_DESIGNS = 20
STYLE = "font-family:sans-serif;font-size:13px"


def comparison_card(comparison: Compared) -> str:
    """The designs, each with the number of its diagrams, their hectares and what they cost."""
    rows = [
        _row(label, f"{len(ids):,}", *_sums(comparison.diagrams.loc[ids]))
        for label, ids in list(comparison.designs.items())[:MAX_DESIGNS]
    ]
    more = len(comparison.designs) - len(rows)
    return (
        f'<div style="{STYLE}"><b>Comparison of {html.escape(comparison.title)}</b><table style="margin-top:4px">'
        f"<tr><th>design</th><th>diagrams</th><th>ha</th><th>cost</th></tr>{''.join(rows)}</table>"
        f"{f'and {more} more designs' if more > 0 else ''}</div>"
    )


def _sums(diagrams: pd.DataFrame) -> tuple[str, str]:
    """Hectares and cost of diagrams, of which those count that are known."""
    cost = diagrams["cost"].sum(min_count=1)
    return f"{diagrams['area_ha'].sum():,.1f}", short_amount(cost) if pd.notna(cost) else ""


def _row(label: str, *figures: str) -> str:
    cells = "".join(f'<td style="text-align:right">{figure}</td>' for figure in figures)
    return f'<tr><td style="text-align:left">{html.escape(label)}</td>{cells}</tr>'
