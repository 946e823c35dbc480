"""Pictures of a comparison: the consensus layer, similarity, conflicts, suitability, impacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from geopandas import GeoDataFrame
from matplotlib.patches import Patch

from pygeodesign._pictures.chart import new_axes
from pygeodesign._pictures.map import draw_map
from pygeodesign._pictures.matrix import draw_matrix
from pygeodesign._pictures.shown import COLUMNS, EVALUATION_COLORS, Shown, map_rows
from pygeodesign._pictures.text import LINE_HEIGHT, cell_size, font_size, points, short_name, text_width, write_title
from pygeodesign._pictures.theme import NO_COLOR, theme_for, visible
from pygeodesign._pictures.units import units_named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Theme = Literal["light", "dark"] | None
# From one design to many, as ColorBrewer's sequential YlGnBu has them.
SHADES = ("#a1dab4", "#41b6c4", "#2c7fb8", "#253494", "#081d58")
CONFLICT, ALIKE, GOOD, BAD = "#b3261e", "#2c7fb8", "#2a6b3a", "#a63d2f"


def draw_consensus(
    layer: GeoDataFrame, designs: int, boundaries: GeoDataFrame, title: str, note: str, ax: Axes | None, theme: Theme
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


def draw_similarity(table: pd.DataFrame, by: str, title: str, ax: Axes | None, theme: Theme) -> Axes:
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
    pairs: pd.DataFrame, names: list[str], title: str, where: str, note: str, ax: Axes | None, theme: Theme
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
    return draw_matrix(table, ax, title=title, subtitle=subtitle, hue=CONFLICT, text=_hectares, theme=theme)


def draw_impact(pairs: pd.DataFrame, names: list[str], title: str, ax: Axes | None, theme: Theme) -> Axes:
    """The impact of each system (row) on each other system (column)."""
    table = pairs.pivot(index="system_a", columns="system_b", values="impact")
    table = table.reindex(index=[name for name in names if name in table.index])
    table = table.reindex(columns=[name for name in names if name in table.columns])
    subtitle = "Impact of systems (rows) on others (columns): hectares times weight"
    return draw_matrix(
        table, ax, title=title, subtitle=subtitle, hue=GOOD, negative_hue=BAD, text=_hectares, theme=theme
    )


def draw_suitability(table: pd.DataFrame, title: str, note: str, ax: Axes | None, theme: Theme) -> Axes:
    """Hectares of each system in each class of its map as bars."""
    classes = [name for name in table.columns if name not in ("system", "land_ha")]
    if ax is None:
        ax = new_axes(9, 0.42 * max(len(table), 2) + 2)
    colors = theme_for(theme, ax.get_figure(root=False))
    width, _ = cell_size(ax)
    size = font_size(width)
    ax.set_facecolor("none")
    shares = table[classes].div(table[classes].sum(axis=1), axis=0)
    lefts = np.zeros(len(table))
    places = np.arange(len(table))
    for name in classes:
        hue = visible(EVALUATION_COLORS.get(name, NO_COLOR), colors)
        lengths = 100 * shares[name].fillna(0.0).to_numpy()
        ax.barh(places, lengths, left=lefts, height=0.66, color=hue, edgecolor=colors.paper, linewidth=0.6)
        lefts += lengths
    names = table["system"].map(short_name).tolist()
    while max((text_width(name, size) for name in names), default=0) > 0.35 * width:
        names = [f"{name.rstrip('…')[:-1]}…" if text_width(name, size) > 0.35 * width else name for name in names]
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(max(len(table), 1) - 0.5, -0.5)
    ax.set_xlim(0, 100)
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0f} %")
    ax.tick_params(length=0, colors=colors.ink, labelsize=size)
    for place, (hectares, known) in enumerate(zip(table["land_ha"], shares.notna().any(axis=1), strict=True)):
        text = f"{_hectares(hectares)} ha" + ("" if known else "\nno map")
        ax.annotate(
            text,
            (1, place),
            xycoords=ax.get_yaxis_transform(),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            size=size,
            color=colors.ink,
            annotation_clip=False,
        )
    handles = [Patch(color=visible(EVALUATION_COLORS.get(name, NO_COLOR), colors), label=name) for name in classes]
    legend = ax.legend(
        handles=handles,
        frameon=False,
        loc="upper left",
        ncols=max(1, min(len(classes), int(0.5 * width / (7 * size)))),
        bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + points(ax, 0, -LINE_HEIGHT * size - 4),
        fontsize=size,
        borderaxespad=0,
    )
    for label in legend.get_texts():
        label.set_color(colors.ink)
        label.set_parse_math(False)
    for side in ax.spines.values():
        side.set_visible(False)
    subtitle = "Land in each class of the system's evaluation map" + (f"; {note}" if note else "")
    write_title(ax, title, subtitle, colors, size + 1.5, 0.5 * width)
    return ax


def _hectares(area: float) -> str:
    return f"{area:,.0f}" if abs(area) >= 9.95 or area == 0 else f"{area:.1f}"
