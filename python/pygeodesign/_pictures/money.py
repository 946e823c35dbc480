"""Pictures of money: what other rates do to the total, and what each year costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.ticker import MaxNLocator

from pygeodesign._pictures.chart import new_axes
from pygeodesign._pictures.text import cell_size, font_size, short_name, write_title
from pygeodesign._pictures.theme import Theme as Colors
from pygeodesign._pictures.theme import color, theme_for, visible
from pygeodesign._pictures.units import short_amount

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Theme = Literal["light", "dark"] | None
YEAR = "#2c7fb8"


def draw_sensitivity(table: pd.DataFrame, hues: pd.Series[str], title: str, ax: Axes | None, theme: Theme) -> Axes:
    """The total at the lower and the higher rate of each system, with the largest change at the top."""
    rows = table.sort_values("change", ascending=False, kind="stable")
    percent, total = rows.attrs["percent"], rows.attrs["total"]
    if ax is None:
        ax = new_axes(9, 0.42 * max(len(rows), 2) + 1.8)
    colors = theme_for(theme, ax.get_figure(root=False))
    width, _ = cell_size(ax)
    size = font_size(width)
    places = np.arange(len(rows))
    change = rows["change"].to_numpy(dtype=float)
    ax.set_facecolor("none")
    ax.barh(
        places,
        2 * change,
        left=-change,
        height=0.66,
        color=[visible(color(hues[sysid]), colors) for sysid in rows.index],
        edgecolor=colors.faint,
        linewidth=0.6,
    )
    ax.axvline(0, color=colors.ink, linewidth=1)
    for place, (moved, breaks_at) in enumerate(zip(change, rows["breaks_budget_at"], strict=True)):
        text = f"± {short_amount(moved)}" + (f"\n{_limit(breaks_at)}" if math.isfinite(breaks_at) else "")
        breaks = math.isfinite(breaks_at) and breaks_at < percent
        ax.annotate(
            text,
            (1, place),
            xycoords=ax.get_yaxis_transform(),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            size=0.85 * size,
            linespacing=1.1,
            color=colors.over if breaks else colors.ink,
            annotation_clip=False,
        )
    ax.set_yticks(places, [short_name(name) for name in rows["system"]], parse_math=False)
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    # Without any change there is still an axis.
    reach = 1.05 * (change.max(initial=0.0) or 1.0)
    ax.set_xlim(-reach, reach)
    subtitle = f"How the total cost of {short_amount(total)} changes if one rate is {percent:g} % lower or higher"
    _finish(ax, "x", colors, size)
    ax.xaxis.set_major_formatter(lambda amount, _: f"{'+' if amount > 0 else ''}{short_amount(amount)}")
    write_title(ax, title, subtitle, colors, size + 1.5, 0.5 * width)
    return ax


def draw_schedule(periods: pd.DataFrame, title: str, note: str, ax: Axes | None, theme: Theme) -> Axes:
    """The cost of each period as bars, and what all until then cost as a line on an axis of its own."""
    if ax is None:
        ax = new_axes(9, 4.2)
    colors = theme_for(theme, ax.get_figure(root=False))
    width, _ = cell_size(ax)
    size = font_size(width)
    length = periods.attrs["years"]
    period = "year" if length == 1 else f"{length} years"
    middles = (periods.index.to_numpy(dtype=float) + periods["last"].to_numpy(dtype=float)) / 2
    bars = {"width": 0.72 * length, "color": visible(YEAR, colors), "edgecolor": colors.faint, "linewidth": 0.6}
    ax.set_facecolor("none")
    ax.bar(middles, periods["cost"], **bars)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10))
    _finish(ax, "y", colors, size)
    ax.set_ylabel(f"cost of the {period}", color=colors.ink, size=size)
    together = ax.twinx()
    together.plot(middles, periods["cost"].cumsum(), color=colors.ink, linewidth=1.6, marker="o", markersize=2.5)
    together.set_ylim(bottom=0)
    _finish(together, "y", colors, size)
    together.grid(visible=False)
    together.tick_params(axis="x", labelbottom=False)
    together.set_ylabel(f"cost until the end of the {period} (line)", color=colors.ink, size=size)
    subtitle = f"Cost per {period}, {short_amount(periods['cost'].sum())} in all" + (f"; {note}" if note else "")
    write_title(ax, title, subtitle, colors, size + 1.5, 0.6 * width)
    return ax


def _limit(percent: float) -> str:
    return f"over budget from {percent:+.0f} %" if percent >= 0 else f"over budget; met at {percent:+.0f} %"


def _finish(ax: Axes, along: Literal["x", "y"], colors: Colors, size: float) -> None:
    """A quiet grid, and amounts in short along one axis."""
    axis = ax.xaxis if along == "x" else ax.yaxis
    axis.set_major_formatter(lambda amount, _: short_amount(amount))
    ax.locator_params(axis=along, nbins=5)
    ax.tick_params(length=0, colors=colors.ink, labelsize=size)
    ax.grid(axis=along, color=colors.faint, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ax.spines.values():
        side.set_visible(False)
