"""The look of pictures: colours of paper and ink, sizes for a picture's width, texts that fit, and quiet axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, is_color_like, to_hex, to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import TextToPath
from matplotlib.transforms import Affine2D, ScaledTranslation, Transform, blended_transform_factory

from pygeodesign._html import colors_of
from pygeodesign._looks import NO_COLOR, luminance_of
from pygeodesign._options import options
from pygeodesign._pictures.fonts import family_for
from pygeodesign._text import without_lone_surrogates
from pygeodesign.errors import InputError

ThemeName: TypeAlias = Literal["light", "dark"] | None
# The label of the design that a picture shows; None for all diagrams of the project.
Label: TypeAlias = str | None
# With more designs, a picture would not fit on a page.
MAX_PANELS = 8
# The most letters of a name next to a picture.
NAME_LENGTH = 30
LINE_HEIGHT = 1.3
POINTS_PER_INCH = 72
# Points between names and their axis.
TICK_PAD = 3.5
# Inches around axes in figures without a layout that has its own.
USUAL_MARGIN = 0.05
# Points between a title and what is below it.
TITLE_PAD = 8
# The most letters of a name on one line.
MAX_LETTERS = 80
# The two colours of an answer, which colour-blind people tell apart: for what is kept, met or gained, and for what
# is missing, over or in conflict.
BLUE, RED = "#2c6fa6", "#b3261e"
# From one design to many, away from the paper: ColorBrewer's sequential YlGnBu.
SHADES = ["#a1dab4", "#41b6c4", "#2c7fb8", "#253494", "#081d58"]
SHADES_ON_DARK = ["#2c7fb8", "#41b6c4", "#a1dab4", "#ffffcc"]
# Letters are moved to whole pixels.
TEXT_MARGIN = 1.05
_MEASURE = TextToPath()


class Colors(NamedTuple):
    """The colours of a picture, except those of the systems."""

    paper: str
    ink: str
    # For parts that should not distract: grids, edges of bars, credits.
    faint: str
    quiet: str
    land: str
    # For amounts above their budget.
    over: str

    @property
    def is_dark(self) -> bool:
        return luminance(self.paper) < 0.2


LIGHT, DARK = (
    Colors(**{name: hue for name, hue in colors_of(theme).items() if name in Colors._fields})
    for theme in ("light", "dark")
)
THEMES = {"light": LIGHT, "dark": DARK}


class Frame(NamedTuple):
    """The axes of a picture, its colours, its width in points and the size of its texts."""

    ax: Axes
    colors: Colors
    width: float
    size: float


def frame_for(ax: Axes | None, theme: ThemeName, inches: tuple[float, float]) -> Frame:
    """The given axes, or those of a new figure with a margin."""
    if ax is None:
        ax = pyplot.subplots(figsize=inches, layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.15))[1]
    width, _ = cell_size(ax)
    ax.set_facecolor("none")
    # A notebook shows the picture, without a line of text about axes below it.
    ax._ipython_display_ = _nothing_more  # type: ignore[attr-defined]
    return Frame(ax, colors_for(theme, ax.get_figure(root=False)), width, font_size(width))


def _nothing_more() -> None:
    """Keeps IPython from printing axes that are the value of a cell."""


def panels_for(
    labels: Sequence[Label], ax: Axes | None, theme: ThemeName, inches: tuple[float, float]
) -> list[tuple[Label, Frame]]:
    """A panel for each design, one below the other. Beyond `MAX_PANELS`, a line of text names the other designs."""
    if len(labels) == 1:
        return [(labels[0], frame_for(ax, theme, inches))]
    drawn, others = labels[:MAX_PANELS], labels[MAX_PANELS:]
    width, height = inches
    if ax is None:
        engine = ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.15)
        figure: Any = pyplot.figure(figsize=(width, height * len(drawn)), layout=engine)
    else:
        place = ax.get_subplotspec()
        if place is None:
            raise InputError(
                f"ax= has no place in a grid, which {len(drawn)} designs could share: make it with plt.subplots(), "
                "leave it out, or give the label of one design as scope="
            )
        figure = ax.get_figure(root=False).add_subfigure(place)  # type: ignore[union-attr]
        ax.remove()
    panels = figure.subplots(len(drawn), 1)
    frames = [frame_for(panel, theme, inches) for panel in panels]
    if others:
        names = ", ".join(str(name) for name in others)
        text = f"A picture has at most {MAX_PANELS} designs; scope= draws one of the others: {names}"
        _, colors, width, size = frames[0]
        lines = "\n".join(wrapped(text, size, 0.9 * width))
        figure.supxlabel(lines, x=0.02, ha="left", size=size, color=colors.ink, parse_math=False)
    return list(zip(drawn, frames, strict=True))


def part_of(table: pd.DataFrame, label: Label) -> pd.DataFrame:
    """The rows of a design."""
    return table if label is None else table[table["design"] == label].drop(columns=["design", "team"])


def title_of(title: str, label: Label) -> str:
    """The title of a panel."""
    return title if label is None else f"{title}: {label}"


def quieten(ax: Axes, colors: Colors, size: float) -> None:
    """Removes lines around the axes and ticks, and colours labels like the ink."""
    ax.tick_params(length=0, colors=colors.ink, labelsize=size)
    for side in ax.spines.values():
        side.set_visible(False)


def write_beside(ax: Axes, place: int, text: str, **style: Any) -> None:
    """Writes to the right of a bar."""
    coordinates: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points"}
    ax.annotate(text, (1, place), annotation_clip=False, **coordinates, **{"xytext": (6, 0), "va": "center", **style})


def write_legend(ax: Axes, colors: Colors, **options: Any) -> None:
    for text in ax.legend(frameon=False, loc="upper left", **{"columnspacing": 1.4} | options).get_texts():
        text.set_parse_math(False)
        text.set_color(colors.ink)


def colors_for(name: str | None, figure: Any) -> Colors:
    """The theme of this name or of the options, which sets the figure's paper; else the one to match its colour."""
    name = options.theme if name is None else name
    if name is None:
        paper = figure.get_facecolor()
        dark = paper[3] > 0 and luminance(paper) < 0.2
        return DARK._replace(paper=to_hex(paper)) if dark else LIGHT
    if name not in THEMES:
        raise InputError(f'theme must be "light" or "dark", not {name!r}')
    figure.set_facecolor(THEMES[name].paper)
    return THEMES[name]


def color(text: Any) -> str:
    """A colour of the service as `#rrggbb`; grey if it is invalid."""
    return str(to_hex(text)) if is_color_like(text) else NO_COLOR


def shades_of(designs: int, theme: Colors) -> list[str]:
    """A colour for each number of designs, from one to all."""
    shades = LinearSegmentedColormap.from_list("designs", SHADES_ON_DARK if theme.is_dark else SHADES)
    return [str(to_hex(shades(place / max(designs - 1, 1)))) for place in range(designs)]


def visible(hue: str, theme: Colors) -> str:
    """The same colour, lighter if it would hardly be visible on dark paper."""
    if not theme.is_dark:
        return hue
    ground, parts = luminance(theme.land), to_rgb(hue)
    while (luminance(parts) + 0.05) / (ground + 0.05) < 3:
        red, green, blue = (part + 0.1 * (1 - part) for part in parts)
        parts = (red, green, blue)
    return str(to_hex(parts))


def luminance(hue: Any) -> float:
    """The luminance, from 0 (black) to 1 (white)."""
    return luminance_of(to_rgb(hue))


def short_name(name: str) -> str:
    """A name on one line, cut if it is long."""
    name = " ".join(without_lone_surrogates(name).split())
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1].rstrip()}…"


def cell_size(ax: Any) -> tuple[float, float]:
    """Width and height, in points, of the space for axes and their texts in the figure."""
    box, dpi = ax.get_figure(root=False).bbox, ax.get_figure(root=True).dpi
    width, height = (POINTS_PER_INCH * pixels / dpi for pixels in (box.width, box.height))
    place = ax.get_subplotspec()
    if place is not None:
        rows, columns = place.get_gridspec().get_geometry()
        width, height = width * len(place.colspan) / columns, height * len(place.rowspan) / rows
    return width, height


def font_size(width: float) -> float:
    """The size of texts for a picture's width in points: 7 at 4 inches, 8 from 5.1, 11.5 at 9, 12 from 9.6 on."""
    return min(12.0, max(6.0, 7 + 0.9 * (width / POINTS_PER_INCH - 4)))


def line_scale(width: float) -> float:
    """The factor for line widths in a picture of this width in points, relative to one of 9 inches."""
    return min(1.0, max(0.5, width / POINTS_PER_INCH / 9))


def text_width(text: str, size: float) -> float:
    """The width of one line in points, with a margin."""
    font = FontProperties(family=family_for(text), size=size)
    width, _, _ = _MEASURE.get_text_width_height_descent(text, font, ismath=False)
    return TEXT_MARGIN * float(width)


def wrapped(text: str, size: float, width: float) -> list[str]:
    """The lines of a text in a column of `width` points; a longer word is broken."""
    lines = [""]
    for word in without_lone_surrogates(text).split():
        whole = f"{lines[-1]} {word}".strip()
        if text_width(whole, size) <= width:
            lines[-1] = whole
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if lines[-1] and text_width(lines[-1] + letter, size) > width:
                lines.append("")
            lines[-1] += letter
    return [line for line in lines if line]


def fitted(name: str, size: float, width: float, lines: int) -> str:
    """The name on at most `lines` lines of this width, cut if it is longer."""
    words = without_lone_surrogates(name).split()
    shown: list[str] = []
    while words and len(shown) < lines - 1:
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


def write_title(frame: Frame, title: str, subtitle: str, above: float = 0.0) -> None:
    """Writes the picture's subject and its contents from its left edge, `above` points higher than the axes.

    A caller may set another title instead.
    """
    ax, colors, width, size = frame
    lines = title_lines(title, subtitle, width, size)
    style: dict[str, Any] = {"size": size + 1.5, "color": colors.ink, "linespacing": LINE_HEIGHT}
    text = ax.set_title("\n".join(lines), loc="left", parse_math=False, **style)
    text.set_transform(from_left_edge(ax) + points(ax, 0, TITLE_PAD + above))


def title_lines(title: str, subtitle: str, width: float, size: float) -> list[str]:
    """The lines of title and subtitle, each as even as they can be."""
    return [line for text in (title, subtitle) for line in _even(text, size + 1.5, width - 3 * size)]


def _even(text: str, size: float, width: float) -> list[str]:
    """Few lines of about the same length, each a sentence if they fit."""
    lines = wrapped(text, size, width)
    sentences = text.replace(". ", ".\n").split("\n")
    if 1 < len(lines) >= len(sentences) - 1 and all(len(wrapped(each, size, width)) == 1 for each in sentences):
        return sentences
    narrower = [wrapped(text, size, share * width) for share in (0.9, 0.8, 0.7, 0.6)] if len(lines) > 1 else []
    return next((found for found in reversed(narrower) if len(found) == len(lines)), lines)


def from_left_edge(ax: Axes) -> Transform:
    """A transform: along x from the left edge of the axes and their names, along y as the axes."""
    place, figure = ax.get_subplotspec(), ax.get_figure(root=False)
    if place is None or figure is None:
        return ax.transAxes
    start = place.colspan.start / place.get_gridspec().ncols
    engine: Any = ax.get_figure(root=True).get_layout_engine()  # type: ignore[union-attr]
    margin = engine.get()["w_pad"] if isinstance(engine, ConstrainedLayoutEngine) else USUAL_MARGIN
    along_x = Affine2D().translate(start, 0) + figure.transSubfigure
    return blended_transform_factory(along_x, ax.transAxes) + points(ax, POINTS_PER_INCH * margin, 0)


def tall(
    inches: tuple[float, float], titles: Sequence[tuple[str, str]], entries: Sequence[str] = ()
) -> tuple[float, float]:
    """The size of a new figure with room for titles of more than two lines and a legend of more than one."""
    width, height = inches
    size = font_size(width * POINTS_PER_INCH)
    lines = max((len(title_lines(*each, width * POINTS_PER_INCH, size)) for each in titles), default=0)
    more = max(0, lines - 2) + max(0, -(-len(entries) // legend_columns(entries, width * POINTS_PER_INCH, size)) - 1)
    return width, height + more * LINE_HEIGHT * (size + 1.5) / POINTS_PER_INCH


def legend_columns(entries: Sequence[str], width: float, size: float) -> int:
    """The number of entries side by side in a legend of this width in points."""
    widths = [text_width(entry, size) + 4.6 * size for entry in entries]
    for columns in range(len(widths), 1, -1):
        if sum(max(column) for column in np.array_split(widths, columns)) <= width - 3 * size:
            return columns
    return 1


def points(ax: Any, x: float, y: float) -> ScaledTranslation:
    """A transform that shifts by points."""
    return ScaledTranslation(x / POINTS_PER_INCH, y / POINTS_PER_INCH, ax.get_figure(root=True).dpi_scale_trans)
