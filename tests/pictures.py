"""What can be seen on a matplotlib figure, as it is rendered."""

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox


def figure_of(axes: Axes) -> Figure:
    assert isinstance(axes.figure, Figure)
    return axes.figure


def pixels(figure: Figure) -> np.ndarray[Any, Any]:
    """The rendered picture: rows from the top, columns, red-green-blue-alpha."""
    canvas: Any = figure.canvas
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def color_at(axes: Axes, x: float, y: float) -> str:
    """The colour that is seen at a place of the data."""
    picture = pixels(figure_of(axes))
    column, row = axes.transData.transform((x, y))
    return str(to_hex(picture[len(picture) - 1 - int(row), int(column)] / 255))


def texts(figure: Figure) -> list[Text]:
    """The texts that are drawn. What an axis does not show has texts, too."""
    pixels(figure)
    found = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    unseen = {id(text) for axes in figure.axes for text in _unseen(axes)}
    return [text for text in found if text.get_visible() and text.get_text().strip() and id(text) not in unseen]


def _unseen(axes: Axes) -> list[Text]:
    if not axes.axison:
        return [text for axis in (axes.xaxis, axes.yaxis) for text in axis.findobj(Text) if isinstance(text, Text)]
    low, high = sorted(axes.get_xlim())
    return [text for text in axes.get_xticklabels() if not low <= text.get_position()[0] <= high]


def check_texts(figure: Figure) -> None:
    """Every text is whole, and on no other one; nothing touches the edge of the picture."""
    places = [(text.get_text(), text.get_window_extent()) for text in texts(figure)]
    for text, place in places:
        inside = Bbox.intersection(place, figure.bbox)
        assert inside is not None and np.allclose(inside.get_points(), place.get_points()), f"{text!r} is cut"
    for (one, here), (other, there) in combinations(places, 2):
        assert not here.overlaps(there), f"{one!r} lies on {other!r}"
    picture = pixels(figure)
    edge = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    assert (edge == 255).all(), "something reaches the edge of the picture"
