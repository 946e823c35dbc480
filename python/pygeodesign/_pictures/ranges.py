"""Uncertainty of a comparison: the systems' costs at other rates, and the first design by other weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.rows import finish, name_rows, write_legend_below, write_notes
from pygeodesign._pictures.style import (
    Frame,
    Label,
    ThemeName,
    color,
    frame_for,
    panels_for,
    part_of,
    shades_of,
    tall,
    title_of,
    visible,
    write_title,
)
from pygeodesign._text import of_currency


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
    subtitle = f"Range of each system's cost{of_currency(currency, ' in ')}, summed over diagrams, if rates vary"
    titles = {label: (title_of(title, label), subtitle) for label in labels}
    panels = panels_for(labels, ax, theme, tall((9, 0.45 * max(len(hues), 2) + 2), list(titles.values())))
    for label, frame in panels:
        _draw_ranges(part_of(table, label), hues, frame)
        frame.ax.set_xlim(0, 1.05 * most or 1.0)
        _explain_ranges(frame)
        write_title(frame, *titles[label])
    return panels[0][1].ax


def _explain_ranges(frame: Frame) -> None:
    colors, size = frame.colors, frame.size
    line: dict[str, Any] = {"color": colors.ink, "linestyle": "none"}
    handles = [
        Patch(facecolor=colors.faint, label="8 of 10 cases"),
        Line2D([], [], marker="|", markersize=1.2 * size, markeredgewidth=1.5, label="median", **line),
        Line2D([], [], marker="D", markersize=5, label="budget", **line),
    ]
    write_legend_below(frame, handles, 1.2)


def _draw_ranges(rows: pd.DataFrame, hues: pd.Series[str], frame: Frame) -> None:
    ax, colors, *_ = frame
    for place, (sysid, row) in enumerate(zip(rows.index.tolist(), rows.to_dict("records"), strict=True)):
        if pd.notna(row["p50"]):
            hue = visible(color(hues[sysid]), colors)
            ax.barh(place, row["p90"] - row["p10"], left=row["p10"], height=0.5, color=hue, edgecolor=colors.faint)
            ax.plot([row["p50"]] * 2, [place - 0.33, place + 0.33], color=colors.ink, linewidth=1.5)
        if pd.notna(row["budget"]):
            ax.plot(row["budget"], place, marker="D", markersize=5, color=colors.ink, markeredgecolor=colors.paper)
        text, is_over = _chance(row)
        write_notes(frame, place, text, is_over)
    name_rows(frame, rows["system"])
    finish(frame, "x")


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
    *others, last = map(str, criteria)
    of = f"{', '.join(others)} and {last}" if others else last
    subtitle = f"Share of all weights of {of} that give a design each rank"
    ranks = [f"rank {rank}" for rank in range(1, len(table) + 1)]
    inches = tall((9, 0.45 * max(len(table), 2) + 2), [(title, subtitle)], ranks)
    frame = frame_for(ax, theme, inches)
    ax, colors, *_ = frame
    shades = shades_of(len(table), colors)[::-1]
    lefts = np.zeros(len(table))
    for shade, rank in zip(shades, range(1, len(table) + 1), strict=True):
        shares = 100 * table[f"rank_{rank}"].to_numpy()
        ax.barh(np.arange(len(table)), shares, left=lefts, height=0.66, color=shade, edgecolor=colors.paper)
        lefts += shares
    for place, first in enumerate(table["rank_1"]):
        write_notes(frame, place, f"first in {100 * first:.0f} %")
    name_rows(frame, names)
    finish(frame, "x", "{:.0f} %".format)
    ax.set_xlim(0, 100)
    handles = [Patch(color=shade, label=rank) for shade, rank in zip(shades, ranks, strict=True)]
    write_legend_below(frame, handles, 1.2)
    write_title(frame, title, subtitle)
    return ax
