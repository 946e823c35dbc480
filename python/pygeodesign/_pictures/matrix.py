"""A table of numbers as a picture: the larger a number, the stronger its colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

from pygeodesign._pictures.chart import new_axes
from pygeodesign._pictures.text import cell_size, font_size, text_width, write_title
from pygeodesign._pictures.theme import luminance, theme_for

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.axes import Axes

MIN_SIZE = 4.0
# The share of the width that names of rows get.
NAMES = 0.34
MAX_LINES = 3
# No line has room for more.
MAX_LETTERS = 80
# The height of a line, in sizes of its text.
LINE = 1.3


def draw_matrix(
    table: pd.DataFrame,
    ax: Axes | None,
    *,
    title: str,
    subtitle: str,
    hue: str,
    negative_hue: str | None = None,
    text: Callable[[float], str],
    theme: Literal["light", "dark"] | None,
) -> Axes:
    """Draw a cell for each number, with its text; missing numbers are empty places."""
    rows, columns = table.shape
    if ax is None:
        ax = new_axes(min(12, 3.5 + 0.75 * max(columns, 3)), 2.2 + 0.45 * max(rows, 3))
    colors = theme_for(theme, ax.get_figure(root=False))
    width, _ = cell_size(ax)
    size = font_size(width)
    ax.set_facecolor("none")
    values = table.to_numpy(dtype=float)
    largest = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
    room = (1 - NAMES) * width / max(columns, 1) - 3
    texts = {(row, column): text(values[row, column]) for row, column in np.argwhere(np.isfinite(values))}
    widest = max((text_width(shown, size) for shown in texts.values()), default=room)
    cell_text = max(MIN_SIZE, min(size, size * room / widest))
    for (row, column), shown in texts.items():
        value = values[row, column]
        own_hue = negative_hue if negative_hue and value < 0 else hue
        fill = _mixed(colors.land, own_hue, abs(value) / largest if largest else 0.0)
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor=colors.paper, linewidth=1))
        ink = max(("#16191c", "#ffffff"), key=lambda ink: _contrast(ink, fill))
        ax.text(column + 0.5, row + 0.5, shown, ha="center", va="center", size=cell_text, color=ink, parse_math=False)
    ax.set_xlim(0, max(columns, 1))
    ax.set_ylim(max(rows, 1), 0)
    _, height = cell_size(ax)
    lines = [max(1, int(space / max(count, 1) / (LINE * size))) for space, count in ((0.5 * height, rows), (room, 1))]
    names = [_fitted(str(name), size, NAMES * width, lines[0]) for name in table.index]
    ax.set_yticks(np.arange(rows) + 0.5, names, parse_math=False)
    heads = [_fitted(str(name), size, 0.3 * width, lines[1]) for name in table.columns]
    ax.set_xticks(np.arange(columns) + 0.5, heads, rotation=90, parse_math=False)
    ax.tick_params(length=0, colors=colors.ink, labelsize=min(size, max(MIN_SIZE, room)))
    for side in ax.spines.values():
        side.set_visible(False)
    write_title(ax, title, subtitle, colors, size + 1.5, (1 - NAMES) * width - 2 * size)
    return ax


def _fitted(name: str, size: float, width: float, lines: int) -> str:
    """The name on as many lines of at most this width as there may be, cut where it is longer."""
    words = name.split()
    shown: list[str] = []
    while words and len(shown) < min(lines, MAX_LINES) - 1:
        count = 1
        while count < len(words) and text_width(" ".join(words[: count + 1]), size) <= width:
            count += 1
        shown.append(_cut(" ".join(words[:count]), size, width))
        words = words[count:]
    return "\n".join([*shown, _cut(" ".join(words), size, width)] if words else shown)


def _cut(name: str, size: float, width: float) -> str:
    """The name on one line of at most this width."""
    name = name if len(name) <= MAX_LETTERS else f"{name[:MAX_LETTERS]}…"
    while text_width(name, size) > width and len(name) > 2:
        name = f"{name.rstrip('…')[:-1].rstrip()}…"
    return name


def _mixed(ground: str, hue: str, share: float) -> str:
    one, other = to_rgb(ground), to_rgb(hue)
    red, green, blue = ((1 - share) * first + share * second for first, second in zip(one, other, strict=True))
    return str(to_hex((red, green, blue)))


def _contrast(ink: str, fill: str) -> float:
    light, dark = sorted((luminance(ink), luminance(fill)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
