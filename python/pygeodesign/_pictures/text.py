"""Texts that fit: sizes and line breaks for the width of the picture."""

from __future__ import annotations

from typing import Any

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath
from matplotlib.transforms import ScaledTranslation

from pygeodesign._half_characters import without_half_characters
from pygeodesign._pictures.theme import Theme

# Letters of a name that find room beside a picture.
NAME_LENGTH = 30
LINE_HEIGHT = 1.3
POINTS_PER_INCH = 72
_MEASURE = TextToPath()


def short_name(name: str) -> str:
    """A name on one line, cut where it is long."""
    name = " ".join(without_half_characters(name).split())
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1].rstrip()}…"


def cell_size(ax: Any) -> tuple[float, float]:
    """Width and height, in points, of the place that axes and their texts have in the figure."""
    box, dpi = ax.get_figure(root=False).bbox, ax.get_figure(root=True).dpi
    width, height = (POINTS_PER_INCH * pixels / dpi for pixels in (box.width, box.height))
    place = ax.get_subplotspec()
    if place is not None:
        rows, columns = place.get_gridspec().get_geometry()
        width, height = width * len(place.colspan) / columns, height * len(place.rowspan) / rows
    return width, height


def font_size(width: float) -> float:
    """The size of texts in a picture of so many points: 7 at 4 inches, 10 from 9 inches on."""
    return min(10.0, max(6.0, 7 + 0.6 * (width / POINTS_PER_INCH - 4)))


def line_scale(width: float) -> float:
    """How much thinner lines are in a picture of so many points than in one of 9 inches."""
    return min(1.0, max(0.5, width / POINTS_PER_INCH / 9))


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of one line in points, with a little more for letters that are moved to whole pixels."""
    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = _MEASURE.get_text_width_height_descent(text, font, ismath=False)
    return 1.05 * float(width)


def wrapped(text: str, size: float, width: float, *, bold: bool = False) -> list[str]:
    """The lines of a text in a column of `width` points; a longer word is broken."""
    lines = [""]
    for word in without_half_characters(text).split():
        whole = f"{lines[-1]} {word}".strip()
        if text_width(whole, size, bold=bold) <= width:
            lines[-1] = whole
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if lines[-1] and text_width(lines[-1] + letter, size, bold=bold) > width:
                lines.append("")
            lines[-1] += letter
    return [line for line in lines if line]


def write_title(ax: Any, title: str, subtitle: str, theme: Theme, size: float, width: float) -> None:
    """Write what the picture is about and, below it, what is shown; a caller may set another title instead."""
    lines = wrapped(title, size, width) + wrapped(subtitle, size, width)
    ax.set_title("\n".join(lines), loc="left", size=size, color=theme.ink, pad=8, linespacing=1.3, parse_math=False)


def points(ax: Any, x: float, y: float) -> ScaledTranslation:
    """A shift by points."""
    return ScaledTranslation(x / POINTS_PER_INCH, y / POINTS_PER_INCH, ax.get_figure(root=True).dpi_scale_trans)
