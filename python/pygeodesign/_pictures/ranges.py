"""Uncertainty of a comparison: the systems' costs at other rates, and the first design by other weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pygeodesign._pictures.bars import finish, name_rows, title_width
from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.style import (
    Frame,
    Label,
    ThemeName,
    color,
    frame_for,
    panels_for,
    part_of,
    shades_of,
    title_of,
    visible,
    write_beside,
    write_title,
)
from pygeodesign._text import of_currency, short_amount


@with_letters
def draw_uncertainty(
    table: pd.DataFrame,
    labels: Sequence[Label],
    hues: pd.Series[str],
    title: str,
    currency: str,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """P10 to P90 of the cost of each system as a bar, its median as a line, and its budget as a mark."""
    most = np.nanmax(table[["p90", "budget"]].to_numpy(dtype=float), initial=0.0)
    panels = panels_for(labels, ax, theme, (9, 0.42 * max(len(hues), 2) + 1.8))
    for label, frame in panels:
        _draw_ranges(part_of(table, label), hues, frame)
        frame.ax.set_xlim(0, 1.05 * most or 1.0)
        subtitle = (
            f"Cost of each system{of_currency(currency)}, summed over diagrams: eight cases of ten are "
            "in the bar, half are left of the line; ◆ is the budget"
        )
        write_title(frame.ax, title_of(title, label), subtitle, frame.colors, frame.size + 1.5, title_width(frame))
    return panels[0][1].ax


def _draw_ranges(rows: pd.DataFrame, hues: pd.Series[str], frame: Frame) -> None:
    ax, colors, _, size = frame
    for place, (sysid, row) in enumerate(zip(rows.index.tolist(), rows.to_dict("records"), strict=True)):
        if pd.notna(row["p50"]):
            hue = visible(color(hues[sysid]), colors)
            ax.barh(place, row["p90"] - row["p10"], left=row["p10"], height=0.5, color=hue, edgecolor=colors.faint)
            ax.plot([row["p50"]] * 2, [place - 0.33, place + 0.33], color=colors.ink, linewidth=1.5)
        if pd.notna(row["budget"]):
            ax.plot(row["budget"], place, marker="D", markersize=5, color=colors.ink, markeredgecolor=colors.paper)
        text, is_over = _chance(row)
        write_beside(ax, place, text, size=0.85 * size, linespacing=1.1, color=colors.over if is_over else colors.ink)
    name_rows(frame, rows["system"])
    finish(ax, "x", colors, size)
    ax.xaxis.set_major_formatter(lambda amount, _: short_amount(amount))


def _chance(row: dict[Any, Any]) -> tuple[str, bool]:
    """The chance that the budget is exceeded, in words, and True if it is more likely than not."""
    unknown = f"{row['unpriced']} not priced" if row["unpriced"] else ""
    chance = row["breaks_budget"]
    words = "" if pd.isna(chance) else f"over budget in {100 * chance:.0f} %"
    return "\n".join(filter(None, [words, unknown])), bool(chance > 0.5)


@with_letters
def draw_weighing(
    table: pd.DataFrame, names: Sequence[str], criteria: Sequence[str], title: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """A bar for each design: the share of all weights for each of its ranks; the first rank is the darkest."""
    frame = frame_for(ax, theme, (9, 0.42 * max(len(table), 2) + 1.8))
    ax, colors, _, size = frame
    shades = shades_of(len(table), colors)[::-1]
    lefts = np.zeros(len(table))
    for shade, rank in zip(shades, range(1, len(table) + 1), strict=True):
        shares = 100 * table[f"rank_{rank}"].to_numpy()
        ax.barh(np.arange(len(table)), shares, left=lefts, height=0.66, color=shade, edgecolor=colors.paper)
        lefts += shares
    for place, first in enumerate(table["rank_1"]):
        write_beside(ax, place, f"first in {100 * first:.0f} %", size=0.85 * size, color=colors.ink)
    name_rows(frame, pd.Series(names))
    finish(ax, "x", colors, size)
    ax.set_xlim(0, 100)
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0f} %")
    subtitle = (
        f"Share of all weights of {', '.join(map(str, criteria))} under which a design has each rank, the first "
        "at the left"
    )
    write_title(ax, title, subtitle, colors, size + 1.5, title_width(frame))
    return ax
