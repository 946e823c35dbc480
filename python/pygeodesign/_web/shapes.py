"""Shapes as a page has them: positions of a ring or line as differences of whole numbers, which are short as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

# Steps per degree: a step is at most 11 cm on the ground. What is drawn needs no more; the data keep all digits.
SCALE = 1_000_000


def polygon_rings(polygon: Any) -> list[list[int]]:
    """The exterior, then the holes."""
    return [deltas(polygon.exterior), *(deltas(ring) for ring in polygon.interiors)]


def deltas(line: Any) -> list[int]:
    """Longitude and latitude of the first position, then how far each position is from the one before it."""
    steps = np.rint(shapely.get_coordinates(line) * SCALE).astype(np.int64)
    moved = np.diff(steps, axis=0, prepend=[[0, 0]])
    # A position in the same place as the one before it draws nothing.
    moved = moved[np.insert(moved[1:].any(axis=1), 0, True)]
    found: list[int] = moved.ravel().tolist()
    return found


def polygons_of(frame: Any) -> list[list[list[int]]]:
    """All polygons of a frame, in its order."""
    return [polygon_rings(polygon) for polygon in frame.geometry[frame.geom_type == "Polygon"]]
