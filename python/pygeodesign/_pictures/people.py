"""Homes, people and other quantities of designs as bars, with their targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.rows import finish, name_rows, write_notes
from pygeodesign._pictures.style import BLUE, Frame, ThemeName, panels_for, tall, write_title
from pygeodesign._text import short_amount


@with_letters
def draw_people(table: pd.DataFrame, names: Sequence[str], title: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """A panel for each quantity: a bar for each design, and a line at the target."""
    quantities = list(dict.fromkeys(table["quantity"]))
    titles = {name: (title, _subtitle(name, table[table["quantity"] == name])) for name in quantities}
    inches = tall((9, 0.45 * max(len(names), 2) + 1.8), list(titles.values()))
    panels = panels_for(quantities, ax, theme, inches)
    for name, frame in panels:
        _draw(table[table["quantity"] == name], names, frame)
        write_title(frame, *titles[str(name)])
    return panels[0][1].ax


def _subtitle(name: str, rows: pd.DataFrame) -> str:
    target = rows["target"].iloc[0]
    return f"{name[:1].upper()}{name[1:]}" + ("" if pd.isna(target) else f", and the target of {target:,.0f}")


def _draw(rows: pd.DataFrame, names: Sequence[str], frame: Frame) -> None:
    ax, colors, *_ = frame
    amounts = rows["amount"].to_numpy(dtype=float)
    ax.barh(np.arange(len(rows)), np.nan_to_num(amounts), height=0.66, color=BLUE)
    target = rows["target"].iloc[0]
    if pd.notna(target):
        ax.axvline(target, color=colors.ink, linewidth=1.5)
    row: Any
    for place, row in enumerate(rows.itertuples()):
        amount = "not known" if pd.isna(row.amount) else short_amount(row.amount)
        missing = f"{short_amount(row.missing)} missing" if pd.notna(row.missing) and row.missing > 0 else ""
        unknown = f"{row.unknown} not counted" if row.unknown else ""
        write_notes(frame, place, "\n".join(filter(None, [amount, missing or unknown])), bool(missing))
    name_rows(frame, names)
    finish(frame, "x")
