"""The pixels and the visible texts of a rendered matplotlib figure."""

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

# Sizes of figures in inches, in one theme each: the other one has other colours, and the same layout.
SIZES = [
    ((4, 3), "light"),
    ((4, 5), "dark"),
    ((6, 4), "light"),
    ((8, 8), "dark"),
    ((12, 4), "light"),
    ((12, 9), "dark"),
]


def figure_of(axes: Axes) -> Figure:
    assert isinstance(axes.figure, Figure)
    return axes.figure


def pixels(figure: Figure) -> np.ndarray[Any, Any]:
    """The rendered picture: rows from the top, columns, red-green-blue-alpha."""
    canvas: Any = figure.canvas
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def color_at(axes: Axes, x: float, y: float) -> str:
    """The colour of the rendered pixel at these data coordinates."""
    picture = pixels(figure_of(axes))
    column, row = axes.transData.transform((x, y))
    return str(to_hex(picture[len(picture) - 1 - int(row), int(column)] / 255))


def texts(figure: Figure) -> list[Text]:
    """The texts that are visible, without the tick labels that matplotlib creates but does not draw."""
    pixels(figure)
    found = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    not_drawn = {id(text) for axes in figure.axes for text in _not_drawn(axes)}
    return [text for text in found if text.get_visible() and text.get_text().strip() and id(text) not in not_drawn]


def _not_drawn(axes: Axes) -> list[Text]:
    if not axes.axison:
        return [text for axis in (axes.xaxis, axes.yaxis) for text in axis.findobj(Text) if isinstance(text, Text)]
    (left, right), (low, high) = sorted(axes.get_xlim()), sorted(axes.get_ylim())
    beside = [text for text in axes.get_xticklabels() if not left <= text.get_position()[0] <= right]
    return beside + [text for text in axes.get_yticklabels() if not low <= text.get_position()[1] <= high]


def check_texts(figure: Figure) -> None:
    """Checks that no text is cut off or overlaps another one, and that the edge of the picture is empty."""
    extents = [(text.get_text(), text.get_window_extent()) for text in texts(figure)]
    for text, extent in extents:
        inside = Bbox.intersection(extent, figure.bbox)
        assert inside is not None and np.allclose(inside.get_points(), extent.get_points()), f"{text!r} is cut"
    for (text, extent), (other, other_extent) in combinations(extents, 2):
        assert not extent.overlaps(other_extent), f"{text!r} lies on {other!r}"
    picture = pixels(figure)
    edge = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    assert (edge == edge[0]).all(), "something reaches the edge of the picture"
