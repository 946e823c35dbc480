"""Small pictures of diagrams over the study area, as SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import shapely

# Units of a picture, about pixels.
WIDTH = 150
MARGIN = 3
# A diagram with a smaller extent than this is marked by a ring, because it would not be found.
SMALL = 9


class Paper:
    """Where longitudes and latitudes are on a picture. Its shape is that of the study area."""

    def __init__(self, bounds: Iterable[float]) -> None:
        """`bounds` are west, south, east and north in degrees."""
        self.west, south, east, self.north = bounds
        shrink = max(0.05, math.cos(math.radians((south + self.north) / 2)))
        wide, high = (east - self.west) * shrink or 1e-6, (self.north - south) or 1e-6
        room = WIDTH - 2 * MARGIN
        # A long study area gets a lower or narrower picture, within limits.
        per_degree = min(room / wide, 1.3 * room / high)
        self.across, self.down = per_degree * shrink, per_degree
        self.left = (WIDTH - wide * per_degree) / 2
        self.height = max(60.0, high * per_degree + 2 * MARGIN)
        self.top = (self.height - high * per_degree) / 2

    def path(self, shape: Any) -> str:
        """The path of a polygon with its holes, or of a line, without positions that would not be seen."""
        if shape.geom_type == "Polygon":
            return "".join(self._line(ring) + "z" for ring in (shape.exterior, *shape.interiors))
        return self._line(shape)

    def _line(self, line: Any) -> str:
        positions = np.round(self._on_paper(shapely.get_coordinates(line)) * 2) / 2
        kept = positions[np.insert((np.diff(positions, axis=0) != 0).any(axis=1), 0, True)]
        return "M" + " ".join(f"{x:g},{y:g}" for x, y in kept)

    def _on_paper(self, positions: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x = self.left + (positions[:, 0] - self.west) * self.across
        y = self.top + (self.north - positions[:, 1]) * self.down
        return np.column_stack([x, y])

    def ring(self, shapes: list[Any]) -> str:
        """A ring around shapes that are small; empty around others."""
        west, south, east, north = shapely.total_bounds(shapes)
        (left, bottom), (right, top) = self._on_paper(np.array([[west, south], [east, north]]))
        if right - left > SMALL or bottom - top > SMALL:
            return ""
        return (
            f'<circle cx="{(left + right) / 2:.1f}" cy="{(top + bottom) / 2:.1f}" r="{SMALL}" fill="none" '
            'stroke="currentColor" stroke-opacity="0.6"/>'
        )


def picture(paper: Paper, outline: str, rows: Any, name: str) -> str:
    """A diagram over the outline of the study area, which the page has once, under the id `outline`."""
    parts = []
    for shape, hue, policy in zip(rows.geometry, rows["color"], rows["is_policy"], strict=True):
        area = shape.geom_type == "Polygon"
        look = f'fill="{hue if area else "none"}" stroke="{hue}" stroke-width="{1 if area else 2}"'
        look += ' fill-opacity="0.1" stroke-dasharray="3 2"' if policy else ' fill-opacity="0.7"'
        parts.append(f'<path d="{paper.path(shape)}" {look}/>')
    parts.append(paper.ring(list(rows.geometry)))
    return (
        f'<svg viewBox="0 0 {WIDTH} {paper.height:.0f}" role="img" aria-label="{html.escape(name)}">'
        f'<use href="#{outline}"/>{"".join(parts)}</svg>'
    )


def outline_symbol(paper: Paper, outline: str, shapes: Iterable[Any]) -> str:
    """The outline of the study area, for all pictures."""
    path = "".join(paper.path(shape) for shape in shapes)
    return (
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
        f'<path id="{outline}" d="{path}" fill="var(--land)" stroke="currentColor" stroke-opacity="0.5" '
        'stroke-width="0.6"/></defs></svg>'
    )
