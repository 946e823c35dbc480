"""A table of colours: numbers as cells, with names of rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

from pygeodesign._pictures.style import (
    LINE_HEIGHT,
    TICK_PAD,
    TITLE_PAD,
    Frame,
    Label,
    ThemeName,
    cell_size,
    fitted,
    font_size,
    luminance,
    panels_for,
    quieten,
    tall,
    text_width,
    title_lines,
    write_title,
)

MIN_FONT_SIZE = 4.0
# The shares of the width for names of rows, and of the height for names of columns that are turned.
ROW_NAMES, COLUMN_NAMES = 0.34, 0.3
MAX_LINES = 3


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

    #: True if only cells below the diagonal are filled, on which the names of the columns then stand.
    is_half: bool = False

    def inches(self, titles: Sequence[tuple[str, str]]) -> tuple[float, float]:
        """The size of a new figure, with room for its titles and names of columns."""
        rows, columns = self.table.shape
        width = min(12, max(9, 3.5 + (0.8 if self.words is None or self.text else 1.3) * columns))
        size = font_size(72 * width)
        heads = self.heads(size, 72 * width)
        above = LINE_HEIGHT * size if self.is_half else heads.height
        return tall((width, 1.4 + 0.45 * max(rows, 3) + above / 72), titles)

    def heads(self, size: float, width: float) -> Heads:
        """The names of the columns as they fit in a figure of this width in points."""
        names = [str(name) for name in (self.table.columns if self.columns is None else self.columns)]
        room, count = (1 - ROW_NAMES) * width, max(len(names), 1)
        if self.is_half:
            shown = [fitted(name, size, 0.5 * room, 1) for name in names]
            # The last names begin on the diagonal and end beside the table.
            ends = [(room - text_width(name, size)) / place for place, name in enumerate(shown) if place]
            return Heads(shown, size, min([room / count, *ends]) - 3, LINE_HEIGHT * size, False)
        cell = room / count - 3
        for smaller in (size, 0.9 * size, 0.8 * size):
            shown = [fitted(name, smaller, cell, MAX_LINES) for name in names]
            if [text.split() for text in shown] == [name.split() for name in names]:
                most = max((text.count("\n") + 1 for text in shown), default=1)
                return Heads(shown, smaller, cell, most * LINE_HEIGHT * smaller, False)
        lines = min(MAX_LINES, max(1, int(cell / (LINE_HEIGHT * size))))
        shown = [fitted(name, size, COLUMN_NAMES * width, lines) for name in names]
        height = max((text_width(line, size) for text in shown for line in text.split("\n")), default=0.0)
        return Heads(shown, size, cell, height, True)

    def texts(self) -> dict[tuple[int, int], str]:
        """The text of each cell, by row and column."""
        values = self.table.to_numpy(dtype=float)
        words = np.full(values.shape, "") if self.words is None else self.words.to_numpy()
        found = {(row, column): str(words[row, column]) for row, column in np.argwhere(words != "")}
        if self.text is not None:
            found |= {(row, column): self.text(values[row, column]) for row, column in np.argwhere(np.isfinite(values))}
        return found


class Heads(NamedTuple):
    """The names of columns, their size, and the width of a cell and the names' height in points."""

    names: list[str]
    size: float
    cell: float
    height: float
    are_turned: bool


def draw_matrices(matrices: Mapping[Label, tuple[Matrix, str, str]], ax: Axes | None, theme: ThemeName) -> Axes:
    """Draws a panel for each design: a table of colours with its title and subtitle."""
    first = next(iter(matrices.values()))[0]
    inches = first.inches([(title, subtitle) for _, title, subtitle in matrices.values()])
    panels = panels_for(list(matrices), ax, theme, inches)
    for label, frame in panels:
        matrix, title, subtitle = matrices[label]
        draw_matrix(matrix, frame, title, subtitle)
    return panels[0][1].ax


def draw_matrix(matrix: Matrix, frame: Frame, title: str, subtitle: str) -> Axes:
    """Draws a cell for each number, with its text."""
    ax, colors, width, size = frame
    values = matrix.table.to_numpy(dtype=float)
    rows, columns = values.shape
    heads = matrix.heads(size, width)
    ax.set_xlim(0, max(columns, 1))
    # The first name on the diagonal is above the first row.
    ax.set_ylim(max(rows, 1), -1 if matrix.is_half and columns else 0)
    above = LINE_HEIGHT * (size + 1.5) * len(title_lines(title, subtitle, width, size)) + 2 * TITLE_PAD
    cell_height = max(0.0, cell_size(ax)[1] - above - heads.height) / max(rows, 1)
    names = [
        fitted(str(name), size, ROW_NAMES * width, min(MAX_LINES, max(1, int(cell_height / (LINE_HEIGHT * size)))))
        for name in (matrix.table.index if matrix.rows is None else matrix.rows)
    ]
    ax.set_yticks(np.arange(rows) + 0.5, names, parse_math=False)
    largest = max(MIN_FONT_SIZE, min(heads.cell, cell_height / LINE_HEIGHT))
    quieten(ax, colors, min(size, largest))
    _name_columns(ax, heads._replace(size=min(heads.size, largest)), matrix.is_half, rows)
    write_title(frame, title, subtitle)
    cell_width = heads.cell
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


def _name_columns(ax: Axes, heads: Heads, is_half: bool, rows: int) -> None:
    """Writes the names above the table, turned only if they do not fit; of half a table, above their first cells."""
    ax.xaxis.tick_top()
    start = TICK_PAD / max(heads.cell, TICK_PAD) if is_half else 0.5
    ax.set_xticks(np.arange(len(heads.names)) + start, heads.names, parse_math=False)
    ax.tick_params(axis="x", length=0, labelsize=heads.size, pad=0 if is_half else TICK_PAD)
    for place, label in enumerate(ax.get_xticklabels()):
        if is_half:
            label.set(ha="left", va="center", y=1 - (place + 0.5) / (max(rows, 1) + 1))
        elif heads.are_turned:
            label.set(rotation=90)


def _mixed(ground: str, hue: str, share: float) -> str:
    one, other = to_rgb(ground), to_rgb(hue)
    red, green, blue = ((1 - share) * first + share * second for first, second in zip(one, other, strict=True))
    return str(to_hex((red, green, blue)))


def _contrast(ink: str, fill: str) -> float:
    light, dark = sorted((luminance(ink), luminance(fill)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
