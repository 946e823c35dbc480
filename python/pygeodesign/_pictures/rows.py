"""Parts that charts share: names of rows and axes, a grid along the amounts, and the legend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import MaxNLocator

from pygeodesign._pictures.style import (
    LINE_HEIGHT,
    Frame,
    cell_size,
    fitted,
    from_left_edge,
    legend_columns,
    points,
    quieten,
    write_beside,
    write_legend,
)
from pygeodesign._text import short_amount

# The share of the width for names of rows.
NAMES = 0.3
# Lines of text above and below the rows of a chart: title, axis and legend.
OTHER_LINES = 7


def name_rows(frame: Frame, names: Iterable[str]) -> None:
    """Writes a name next to each row, the first at the top, on two lines if it is long and they fit."""
    ax, _, width, size = frame
    rows = list(names)
    line = LINE_HEIGHT * size
    lines = 2 if (cell_size(ax)[1] - OTHER_LINES * line) / max(len(rows), 1) >= 2 * line else 1
    shown = [fitted(name, size, NAMES * width, lines) for name in rows]
    ax.set_yticks(np.arange(len(rows)), shown, parse_math=False)
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)


def write_notes(frame: Frame, place: int, text: str, is_over: bool = False) -> None:
    """Writes smaller texts to the right of a bar, in red for what is over or missing."""
    ax, colors, _, size = frame
    hue = colors.over if is_over else colors.ink
    write_beside(ax, place, text, size=0.88 * size, linespacing=1.1, color=hue)


def name_axis(frame: Frame, along: Literal["x", "y"], text: str) -> float:
    """Names the amounts of an axis, horizontally; returns the points that the name needs above the axes."""
    ax, colors, _, size = frame
    style: dict[str, Any] = {"color": colors.ink, "size": size, "parse_math": False}
    if along == "x":
        ax.set_xlabel(text, **style)
        return 0.0
    is_right = ax.yaxis.get_ticks_position() == "right"
    ax.set_ylabel(text, rotation=0, va="bottom", ha="right" if is_right else "left", **style)
    place = ax.transAxes + points(ax, 3 * size, 0) if is_right else from_left_edge(ax)
    ax.yaxis.set_label_coords(1 if is_right else 0, 1, transform=place + points(ax, 0, 0.5 * size))
    return 1.5 * LINE_HEIGHT * size


def tick_amount(amount: float) -> str:
    """An amount beside an axis, without zeros at its end: 2 bn, 2.5 bn."""
    number, _, unit = short_amount(amount).partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}".rstrip()


def finish(
    frame: Frame, along: Literal["x", "y"], shown: Callable[[float], str] = tick_amount, *, whole: bool = False
) -> None:
    """A light grid and a few round numbers along the axis of amounts; `whole` for numbers of things."""
    ax, colors, _, size = frame
    axis = ax.xaxis if along == "x" else ax.yaxis
    axis.set_major_formatter(lambda amount, _: shown(amount))
    axis.set_major_locator(FewTicks(axis, integer=whole))
    ax.grid(axis=along, color=colors.faint, linewidth=0.6)
    ax.set_axisbelow(True)
    quieten(ax, colors, size)


class FewTicks(MaxNLocator):
    """Ticks at round amounts: at most 5, and for half of the short numbers that fit."""

    def __init__(self, axis: Axis, *, integer: bool) -> None:
        super().__init__(integer=integer, steps=[1, 2, 2.5, 5, 10])
        self._short_numbers = axis.get_tick_space

    def __call__(self) -> Any:
        self.set_params(nbins=max(1, min(5, self._short_numbers() // 2)))
        return super().__call__()


def write_legend_below(frame: Frame, handles: list[Any], lines: float) -> None:
    """A legend under the axes and their texts, from the picture's left edge, with entries side by side if they fit."""
    ax, colors, width, size = frame
    write_legend(
        ax,
        colors,
        handles=handles,
        ncols=legend_columns([str(each.get_label()) for each in handles], width, size),
        bbox_to_anchor=(0, 0),
        bbox_transform=from_left_edge(ax) + points(ax, 0, -lines * LINE_HEIGHT * size - 4),
        fontsize=size,
        borderaxespad=0,
        borderpad=0,
    )
