"""Pictures of a comparison: the consensus layer as a map; similarity, conflicts and impacts as tables of colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from geopandas import GeoDataFrame
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.map import draw_map
from pygeodesign._pictures.shown import COLUMNS, Shown, map_rows
from pygeodesign._pictures.style import (
    LINE_HEIGHT,
    Frame,
    Label,
    ThemeName,
    cell_size,
    frame_for,
    luminance,
    panels_for,
    part_of,
    quieten,
    shades_of,
    text_width,
    title_of,
    write_title,
)
from pygeodesign._text import Units, counted, of_currency, short_amount, short_number

CONFLICT, ALIKE, GOOD, BAD = "#b3261e", "#2c7fb8", "#2a6b3a", "#a63d2f"
# The key of the constraints' row, which no system has.
CONSTRAINTS = -1
# In the cell of two systems that may share land.
ALLOWED = "may\nshare"
MIN_FONT_SIZE = 4.0
# The share of the width for names of rows.
ROW_LABEL_SHARE = 0.34
MAX_LINES = 3
# The most letters of a name on one line.
MAX_LETTERS = 80


def draw_consensus(
    layer: GeoDataFrame,
    designs: int,
    boundaries: GeoDataFrame,
    title: str,
    note: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The consensus layer as a map: the more designs change a place, the more its colour contrasts with the paper."""
    ax, colors, *_ = frame_for(ax, theme, (9, 6.6))
    shades = shades_of(designs, colors)
    rows = layer.assign(
        group=-layer["designs"],
        label=[f"{count} of {designs} designs" for count in layer["designs"]],
        color=[shades[count - 1] for count in layer["designs"]],
        is_policy=False,
    )
    rows = GeoDataFrame(pd.DataFrame(rows).reindex(columns=COLUMNS), geometry="geometry", crs=4326)
    by_any, by_several = (units.area_text(layer.loc[layer["designs"] >= least, "area_ha"].sum()) for least in (1, 2))
    subtitle = (
        f"Land under the projects of any of {counted(designs, 'design')}, each place once: {by_any}, of several: "
        f"{by_several}"
    )
    outline = map_rows(boundaries) if len(boundaries) else None
    return draw_map(Shown(map_rows(rows), outline, title, subtitle, note), ax, units, theme)


@with_letters
def draw_similarity(table: pd.DataFrame, by: str, title: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """The similarity of designs as a matrix, each pair once; the colours range from 0 to 1."""
    below = table.where(np.tril(np.ones(table.shape, dtype=bool), -1))
    what = "diagrams" if by == "diagrams" else "costs"
    subtitle = f"Jaccard index of {what} that two designs share, from 0, nothing, to 1, the same"
    matrix = Matrix(below.iloc[1:, :-1], lambda value: f"{value:.2f}", ALIKE, largest=1.0)
    return draw_matrix(matrix, frame_for(ax, theme, matrix.inches), title, subtitle)


@with_letters
def draw_conflicts(
    pairs: pd.DataFrame,
    labels: dict[Label, str],
    names: pd.Series[str],
    allowed: set[tuple[int, int]],
    title: str,
    where: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The land that each pair of systems claims as a matrix; the constraints are the last row, if any.

    `labels` has a note for each design; the `allowed` pairs of systems are left out of `pairs`.
    """
    closed = bool(pairs["sysid_b"].isna().any())
    ids = names.index.tolist()
    rows, columns = [*ids[1:], *([CONSTRAINTS] if closed else [])], ids if closed else ids[:-1]
    heads = [names.to_dict().get(key, "constraints") for key in rows]
    empty = pd.DataFrame(np.nan, index=rows, columns=columns)
    for place, sysid in enumerate(columns):
        empty.loc[[*ids[place + 1 :], *rows[len(ids) - 1 :]], sysid] = 0.0
    words = pd.DataFrame("", index=rows, columns=columns)
    for one, other in allowed:
        if one in columns and other in rows and ids.index(one) < ids.index(other):
            empty.loc[other, one] = np.nan
            words.loc[other, one] = ALLOWED
    tables = {}
    for label in labels:
        tables[label] = empty.copy()
        own = part_of(pairs, label)
        for one, other, area in zip(own["sysid_a"], own["sysid_b"], own["area_ha"], strict=True):
            tables[label].loc[CONSTRAINTS if pd.isna(other) else other, one] = area * units.per_hectare
    largest = max((np.nanmax(table.to_numpy(), initial=0.0) for table in tables.values()), default=0.0)
    matrices = {
        label: Matrix(table, short_number, CONFLICT, largest=largest, rows=heads, words=words, columns=names[columns])
        for label, table in tables.items()
    }
    panels = panels_for(list(labels), ax, theme, matrices[next(iter(labels))].inches)
    for label, frame in panels:
        note = f"; {labels[label]}" if labels[label] else ""
        subtitle = f"Land under projects of two systems {where}, each place once, in {units.area}{note}"
        draw_matrix(matrices[label], frame, title_of(title, label), subtitle)
    return panels[0][1].ax


@with_letters
def draw_impact(
    pairs: pd.DataFrame,
    labels: Sequence[Label],
    names: pd.Series[str],
    title: str,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The impact of each system (row) on each other system (column)."""
    rows, columns = (names[names.index.isin(pairs[side])] for side in ("sysid_a", "sysid_b"))
    largest = pairs["impact"].abs().max() if len(pairs) else 0.0
    matrices = {}
    for label in labels:
        table = part_of(pairs, label).pivot(index="sysid_a", columns="sysid_b", values="impact")
        table = table.reindex(index=rows.index, columns=columns.index).astype(float)
        matrices[label] = Matrix(table, short_number, GOOD, BAD, largest, rows=rows, columns=columns)
    panels = panels_for(labels, ax, theme, matrices[labels[0]].inches)
    for label, frame in panels:
        subtitle = "Impact of systems (rows) on others (columns): hectares of projects, summed over them, times weight"
        draw_matrix(matrices[label], frame, title_of(title, label), subtitle)
    return panels[0][1].ax


@with_letters
def draw_targets(
    table: pd.DataFrame,
    labels: Mapping[Label, Label],
    by: str,
    title: str,
    currency: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The share of its target or budget that each system (row) reaches with each design (column), by short label."""
    area = by == "area"
    parts = {label: part_of(table, label).set_index("sysid") for label in labels}
    names = next(iter(parts.values()))["system"]
    strengths, words = (pd.DataFrame(index=names.index, columns=range(len(labels))) for _ in range(2))
    for place, part in enumerate(parts.values()):
        reached = part["current_ha"].fillna(0) + part["area_ha"] if area else part["cost"]
        wanted, status = part["target_ha" if area else "budget"], part["area_status" if area else "budget_status"]
        gap = part["missing_ha" if area else "over_budget"]
        shares: Any = reached / wanted.where(wanted != 0)
        for sysid, share in shares.items():
            lack = f"-{units.area_text(gap[sysid])}" if area else f"+{short_amount(gap[sysid])}"
            strengths.loc[sysid, place], words.loc[sysid, place] = _reached(status[sysid], share, lack, area)
    columns = [label or "all diagrams of the project" for label in labels.values()]
    hue = GOOD if area else BAD
    matrix = Matrix(strengths.astype(float), None, hue, largest=1.0, rows=names, columns=columns, words=words)
    if area:
        subtitle = "Share of its target that each system reaches with today's area and its diagrams, policies "
        subtitle += f"included, summed; and the {units.area} that are missing"
    else:
        subtitle = "Share of its budget that each system costs, summed over diagrams, and what is beyond it "
        subtitle = f"{subtitle.rstrip()}{of_currency(currency, ' in ')}"
    return draw_matrix(matrix, frame_for(ax, theme, matrix.inches), title, subtitle)


def _reached(status: str, share: float, lack: str, area: bool) -> tuple[float, str]:
    """The strength of the colour of a target or budget, and its text. For a budget, only the excess has colour."""
    if status not in ("met", "missed"):
        words = f"no {'target' if area else 'budget'}" if status == "none" else status
        return np.nan, words.replace(" ", "\n")
    if status == "met":
        return 1.0 * area, "met" if area or np.isnan(share) else f"met\n{100 * share:,.0f} %"
    if np.isnan(share):
        return 1.0, lack
    # A narrow miss is not rounded to 100 %.
    percent = math.floor(100 * share) if area else math.ceil(100 * share)
    return min(1.0, share if area else share - 1), f"{percent:,} %\n{lack}"


@dataclass(frozen=True)
class Matrix:
    """Numbers as cells: the larger a number, the stronger its colour, up to `largest`; missing ones have no colour."""

    table: pd.DataFrame
    #: The text of a cell; None for only `words`.
    text: Callable[[float], str] | None
    hue: str
    negative_hue: str = ""
    largest: float = 0.0
    #: Names instead of those in the table; two may be the same.
    rows: Iterable[str] | None = None
    columns: Iterable[str] | None = None
    #: Additional texts of cells.
    words: pd.DataFrame | None = None

    @property
    def inches(self) -> tuple[float, float]:
        rows, columns = self.table.shape
        column = 0.75 if self.words is None or self.text else 1.2
        return (min(12, 3.5 + column * max(columns, 3)), 2.2 + 0.45 * max(rows, 3))

    def texts(self) -> dict[tuple[int, int], str]:
        """The text of each cell, by row and column."""
        values = self.table.to_numpy(dtype=float)
        words = np.full(values.shape, "") if self.words is None else self.words.to_numpy()
        found = {(row, column): str(words[row, column]) for row, column in np.argwhere(words != "")}
        if self.text is not None:
            found |= {(row, column): self.text(values[row, column]) for row, column in np.argwhere(np.isfinite(values))}
        return found


def draw_matrix(matrix: Matrix, frame: Frame, title: str, subtitle: str) -> Axes:
    """Draws a cell for each number, with its text."""
    ax, colors, width, size = frame
    values = matrix.table.to_numpy(dtype=float)
    rows, columns = values.shape
    ax.set_xlim(0, max(columns, 1))
    ax.set_ylim(max(rows, 1), 0)
    cell_width = (1 - ROW_LABEL_SHARE) * width / max(columns, 1) - 3
    heads = [
        _fitted(str(name), size, 0.3 * width, max(1, int(cell_width / (LINE_HEIGHT * size))))
        for name in (matrix.table.columns if matrix.columns is None else matrix.columns)
    ]
    title_width = (1 - ROW_LABEL_SHARE) * width - 2 * size
    write_title(ax, title, subtitle, colors, size + 1.5, title_width)
    above = LINE_HEIGHT * (size + 1.5) * (ax.get_title("left").count("\n") + 2)
    below = max((text_width(line, size) for head in heads for line in head.split("\n")), default=0.0)
    cell_height = max(0.0, cell_size(ax)[1] - above - below) / max(rows, 1)
    names = [
        _fitted(str(name), size, ROW_LABEL_SHARE * width, max(1, int(cell_height / (LINE_HEIGHT * size))))
        for name in (matrix.table.index if matrix.rows is None else matrix.rows)
    ]
    ax.set_yticks(np.arange(rows) + 0.5, names, parse_math=False)
    ax.set_xticks(np.arange(columns) + 0.5, heads, rotation=90, parse_math=False)
    quieten(ax, colors, min(size, max(MIN_FONT_SIZE, min(cell_width, cell_height / LINE_HEIGHT))))
    texts = matrix.texts()
    in_one_line = {place: shown.replace("\n", " ") for place, shown in texts.items()}
    # If cells are low and wide, one line can be larger.
    cell_text, _, texts = max(
        (_size_in_cells(list(shown.values()), size, cell_width, cell_height), place, shown)
        for place, shown in enumerate((in_one_line, texts))
    )
    fills = {}
    for row, column in np.argwhere(np.isfinite(values)):
        value = values[row, column]
        own_hue = matrix.negative_hue if matrix.negative_hue and value < 0 else matrix.hue
        fill = _mixed(colors.land, own_hue, abs(value) / matrix.largest if matrix.largest else 0.0)
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor=colors.paper, linewidth=1))
        fills[row, column] = fill
    for (row, column), shown in texts.items():
        fill = fills.get((row, column), colors.paper)
        ink = max(("#16191c", "#ffffff"), key=lambda ink: _contrast(ink, fill))
        style: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 1.1, "parse_math": False}
        ax.text(column + 0.5, row + 0.5, shown, size=cell_text, color=ink, **style)
    return ax


def _size_in_cells(texts: list[str], size: float, width: float, height: float) -> float:
    """The size at which all texts fit in a cell."""
    widest = max((text_width(line, size) for shown in texts for line in shown.split("\n")), default=width)
    most = max((shown.count("\n") + 1 for shown in texts), default=1)
    return max(MIN_FONT_SIZE, min(size, size * width / widest, height / most / LINE_HEIGHT))


def _fitted(name: str, size: float, width: float, lines: int) -> str:
    """The name on at most `lines` lines of this width, cut if it is longer."""
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
