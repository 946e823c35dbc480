"""What a map has around it: scale bar, arrow to the north and credits."""

from __future__ import annotations

from typing import Any

from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.transforms import blended_transform_factory
from pyproj import Geod

from pygeodesign._pictures.shown import Shown
from pygeodesign._pictures.text import LINE_HEIGHT, points, text_width, wrapped
from pygeodesign._pictures.theme import Theme
from pygeodesign._pictures.units import Units

NORTH_ARROW = Path([(0, 1), (-0.55, -1), (0, -0.55), (0.55, -1), (0, 1)], closed=True)


def draw_furniture(ax: Any, found: Shown, units: Units, colors: Theme, size: float, width: float) -> float:
    """Draw all of it below the map, in a column of `width` points; the answer is its height in points."""
    height = 0.0
    if ax.collections:
        height = 2 * LINE_HEIGHT * size
        _draw_scale_and_north(ax, units, colors, size)
    lines = wrapped(found.credits, size - 1.5, width)
    if lines:
        ax.text(
            0,
            0,
            "\n".join(lines),
            transform=ax.transAxes + points(ax, 0, -height - 2),
            va="top",
            size=size - 1.5,
            color=colors.quiet_ink,
            linespacing=1.2,
            parse_math=False,
        )
        height += LINE_HEIGHT * (size - 1.5) * len(lines) + 6
    return height + 6


def _draw_scale_and_north(ax: Any, units: Units, colors: Theme, size: float) -> None:
    (west, east), (south, north) = ax.get_xlim(), ax.get_ylim()
    middle = min(89.0, max(-89.0, (south + north) / 2))
    # In two halves: the geodesic of all longitudes is no way around the Earth.
    half = Geod(ellps="WGS84").inv(west, middle, (west + east) / 2, middle)[2]
    share, text = scale_bar(2 * half / 1000, units)
    below = -LINE_HEIGHT * size
    along = blended_transform_factory(ax.transData, ax.transAxes) + points(ax, 0, below)
    end = west + share * (east - west)
    bar: dict[str, Any] = {"color": colors.ink, "linewidth": 1.4, "marker": "|", "markersize": 0.7 * size}
    _add(ax, Line2D([west, end], [0, 0], transform=along, **bar))
    label = blended_transform_factory(ax.transData, ax.transAxes)
    ax.text(end, 0, text, transform=label + points(ax, 0.7 * size, below), va="center", size=size, color=colors.ink)
    right = 0.7 * size + text_width(text, size) + 1.6 * size
    arrow: dict[str, Any] = {"marker": NORTH_ARROW, "markersize": 1.3 * size, "color": colors.ink, "linestyle": "none"}
    _add(ax, Line2D([end], [0], transform=label + points(ax, right, below), **arrow))
    ax.text(end, 0, "N", transform=label + points(ax, right + size, below), va="center", size=size, color=colors.ink)


def scale_bar(kilometres: float, units: Units) -> tuple[float, str]:
    """A round length of up to a fourth of the map's width: its share of the width, and its text."""
    name, per_kilometre = units.length, units.per_kilometre
    if kilometres * per_kilometre < 4:
        name, per_kilometre = units.short_length, units.short_per_kilometre
    most = kilometres * per_kilometre / 4
    round_length = max(
        (step * 10.0**power for power in range(-3, 6) for step in (1, 2, 5) if step * 10.0**power <= most),
        default=most,
    )
    share = round_length / (kilometres * per_kilometre) if kilometres > 0 else 0.25
    return share, f"{round_length:,g} {name}"


def _add(ax: Any, line: Line2D) -> None:
    ax.add_artist(line)
    line.set_clip_on(False)
