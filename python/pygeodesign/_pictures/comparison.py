"""Pictures of a comparison: the consensus layer as a map; similarity, conflicts and impacts as tables of colours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from geopandas import GeoDataFrame
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

from pygeodesign._pictures.map import draw_map
from pygeodesign._pictures.shown import COLUMNS, Shown, map_rows
from pygeodesign._pictures.style import (
    LINE_HEIGHT,
    ThemeName,
    cell_size,
    frame_for,
    luminance,
    quieten,
    text_width,
    write_title,
)
from pygeodesign._text import short_hectares, units_named

# From one design to many, as ColorBrewer's sequential YlGnBu has them.
SHADES = ("#a1dab4", "#41b6c4", "#2c7fb8", "#253494", "#081d58")
CONFLICT, ALIKE, GOOD, BAD = "#b3261e", "#2c7fb8", "#2a6b3a", "#a63d2f"
MIN_FONT_SIZE = 4.0
# The share of the width that names of rows get.
ROW_LABEL_SHARE = 0.34
MAX_LINES = 3
# The most letters of a name in a line.
MAX_LETTERS = 80


def draw_consensus(
    layer: GeoDataFrame,
    designs: int,
    boundaries: GeoDataFrame,
    title: str,
    note: str,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The consensus layer as a map: the more designs change a place, the darker it is."""
    rows = layer.assign(
        group=-layer["designs"],
        label=[f"{count} of {designs} designs" for count in layer["designs"]],
        color=[SHADES[round((count - 1) * (len(SHADES) - 1) / max(designs - 1, 1))] for count in layer["designs"]],
        is_policy=False,
    )
    rows = GeoDataFrame(pd.DataFrame(rows).reindex(columns=COLUMNS), geometry="geometry", crs=4326)
    agreed = layer.loc[layer["designs"] > 1, "area_ha"].sum()
    subtitle = f"Changed by any of {designs} designs: {layer['area_ha'].sum():,.0f} ha, by several: {agreed:,.0f} ha"
    outline = map_rows(boundaries) if len(boundaries) else None
    return draw_map(Shown(map_rows(rows), outline, title, subtitle, note), ax, units_named("metric"), theme)


def draw_similarity(table: pd.DataFrame, by: str, title: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """The similarity of designs as a matrix, with each pair once."""
    below = table.where(np.tril(np.ones(table.shape, dtype=bool), -1))
    what = "diagrams" if by == "diagrams" else "costs"
    subtitle = f"Jaccard index of {what} that two designs share, from 0 to 1"
    return draw_matrix(
        below.iloc[1:, :-1],
        ax,
        title=title,
        subtitle=subtitle,
        hue=ALIKE,
        text=lambda value: f"{value:.2f}",
        theme=theme,
    )


def draw_conflicts(
    pairs: pd.DataFrame, names: list[str], title: str, where: str, note: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """The hectares that each pair of systems claims as a matrix; the constraints are the last row, if any."""
    closed = pairs["sysid_b"].isna()
    rows = [*names[1:], *(["constraints"] if closed.any() else [])]
    table = pd.DataFrame(np.nan, index=rows, columns=names if closed.any() else names[:-1])
    for place, name in enumerate(names[:-1]):
        table.loc[names[place + 1 :], name] = 0.0
    if closed.any():
        table.loc["constraints"] = 0.0
    for one, other, area in zip(pairs["system_a"], pairs["system_b"], pairs["area_ha"], strict=True):
        table.loc[other, one] = area
    subtitle = f"Hectares that two systems claim {where}{f'; {note}' if note else ''}"
    return draw_matrix(table, ax, title=title, subtitle=subtitle, hue=CONFLICT, text=short_hectares, theme=theme)


def draw_impact(pairs: pd.DataFrame, names: list[str], title: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """The impact of each system (row) on each other system (column)."""
    table = pairs.pivot(index="system_a", columns="system_b", values="impact")
    table = table.reindex(index=[name for name in names if name in table.index])
    table = table.reindex(columns=[name for name in names if name in table.columns])
    subtitle = "Impact of systems (rows) on others (columns): hectares times weight"
    return draw_matrix(
        table, ax, title=title, subtitle=subtitle, hue=GOOD, negative_hue=BAD, text=short_hectares, theme=theme
    )


def draw_matrix(
    table: pd.DataFrame,
    ax: Axes | None,
    *,
    title: str,
    subtitle: str,
    hue: str,
    negative_hue: str | None = None,
    text: Callable[[float], str],
    theme: ThemeName,
) -> Axes:
    """Draw a cell for each number, with its text; missing numbers are empty places."""
    rows, columns = table.shape
    inches = (min(12, 3.5 + 0.75 * max(columns, 3)), 2.2 + 0.45 * max(rows, 3))
    ax, colors, width, size = frame_for(ax, theme, inches)
    values = table.to_numpy(dtype=float)
    largest = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
    cell_width = (1 - ROW_LABEL_SHARE) * width / max(columns, 1) - 3
    texts = {(row, column): text(values[row, column]) for row, column in np.argwhere(np.isfinite(values))}
    widest = max((text_width(shown, size) for shown in texts.values()), default=cell_width)
    cell_text = max(MIN_FONT_SIZE, min(size, size * cell_width / widest))
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
    spaces = (0.5 * height / max(rows, 1), cell_width)
    row_lines, head_lines = (max(1, int(space / (LINE_HEIGHT * size))) for space in spaces)
    names = [_fitted(str(name), size, ROW_LABEL_SHARE * width, row_lines) for name in table.index]
    ax.set_yticks(np.arange(rows) + 0.5, names, parse_math=False)
    heads = [_fitted(str(name), size, 0.3 * width, head_lines) for name in table.columns]
    ax.set_xticks(np.arange(columns) + 0.5, heads, rotation=90, parse_math=False)
    quieten(ax, colors, min(size, max(MIN_FONT_SIZE, cell_width)))
    write_title(ax, title, subtitle, colors, size + 1.5, (1 - ROW_LABEL_SHARE) * width - 2 * size)
    return ax


def _fitted(name: str, size: float, width: float, lines: int) -> str:
    """The name on at most `lines` lines of this width, cut where it is longer."""
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
