"""Years of a comparison whose amounts may be below 0: cash, and gains or losses of land."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.rows import finish
from pygeodesign._pictures.style import (
    BLUE,
    Label,
    ThemeName,
    panels_for,
    part_of,
    tall,
    title_of,
    visible,
    write_title,
)
from pygeodesign._text import Units, money

# Projects that are in no amount.
LEFT_OUT = {"undated": "without dates", "without_geometry": "without a geometry"}


@with_letters
def draw_cash_flow(
    table: pd.DataFrame,
    left_out: Mapping[Label, Sequence[int]],
    title: str,
    currency: str,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The cash of each year as bars, and its cumulative sum as a line; the title counts left-out diagrams."""
    subtitles = {}
    for label, counts in left_out.items():
        notes = zip(counts, ("without dates", "without a cost", "without an area"), strict=True)
        text = _subtitle("Cash", part_of(table, label), currency)
        subtitles[label] = text + ", not discounted" + _left_out([f"{count} {what}" for count, what in notes if count])
    return _draw(table, "cash", subtitles, title, ax, theme)


@with_letters
def draw_stock_change(
    table: pd.DataFrame,
    sums: Mapping[Label, Mapping[Any, Any]],
    title: str,
    unit: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The land's gain in each year as bars, and its cumulative sum as a line; the title counts left-out projects."""
    subtitles = {}
    for label, row in sums.items():
        missing = [f"{row[name]} {what}" for name, what in LEFT_OUT.items() if row[name]]
        if row["unknown_ha"]:
            missing.insert(0, f"{units.area_text(row['unknown_ha'])} of land that is not known")
        subtitles[label] = _subtitle("The gain", part_of(table, label), unit) + _left_out(missing)
    return _draw(table, "gain", subtitles, title, ax, theme)


def _subtitle(what: str, rows: pd.DataFrame, unit: str) -> str:
    last = rows["cumulative"].iloc[-1]
    if pd.isna(last):
        return f"{what} of each year is not known"
    return f"{what} of each year (bars) adds up (line) to {money(last, unit)} in {rows['year'].iloc[-1]}"


def _left_out(missing: Sequence[str]) -> str:
    return f". Left out: {', '.join(missing)}" if missing else ""


def _draw(
    table: pd.DataFrame, column: str, subtitles: Mapping[Label, str], title: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    # Unknown amounts have no bar.
    amounts = table[[column, "cumulative"]].fillna(0.0).to_numpy()
    low, high = min(float(amounts.min()), 0.0), max(float(amounts.max()), 0.0)
    margin = 0.05 * max(high - low, 1.0)
    titles = {label: (title_of(title, label), subtitle) for label, subtitle in subtitles.items()}
    panels = panels_for(list(subtitles), ax, theme, tall((9, 3.6), list(titles.values())))
    for label, frame in panels:
        rows = part_of(table, label)
        hue = [visible(BLUE, frame.colors) if amount >= 0 else frame.colors.over for amount in rows[column]]
        frame.ax.bar(rows["year"], rows[column], color=hue, width=0.8)
        frame.ax.plot(rows["year"], rows["cumulative"], color=frame.colors.ink, linewidth=1.5)
        frame.ax.axhline(0, color=frame.colors.ink, linewidth=0.8)
        frame.ax.set_ylim(low - margin, high + margin)
        finish(frame, "y")
        frame.ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        write_title(frame, *titles[label])
    return panels[0][1].ax
