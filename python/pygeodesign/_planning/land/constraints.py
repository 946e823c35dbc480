"""Diagrams on constraints, the land where nothing can be changed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import shapely

from pygeodesign._planning.arguments import listed_ids
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.land.classes import INSIDE, hectares_by_class
from pygeodesign._planning.land.lands import MIN_OVERLAP_HA, Numbers, polygons
from pygeodesign.errors import InputError

IGNORE, EXCLUDE = "ignore", "exclude"
# In degrees, about 1 cm: lines that end at a border reach over it by less, through rounding.
MIN_LENGTH = 1e-7


def locked_out(compared: Compared, rows: pd.DataFrame, constraints: str, kept: set[int]) -> Numbers:
    """True for each row that cannot be chosen, as a part of it lies on constraints. Policies change no land."""
    if constraints not in (IGNORE, EXCLUDE):
        raise InputError(f'constraints is {constraints!r}: give "exclude" to choose nothing on them, or "ignore"')
    if constraints == IGNORE or not len(compared.constraints):
        return np.zeros(len(rows), dtype=bool)
    shapes = compared.diagrams.geometry.loc[rows.index]
    closed = compared.constraints.to_crs(4326)[[compared.constraints.geometry.name]].assign(areatype=INSIDE)
    table = hectares_by_class(shapes, closed)
    hectares = table[INSIDE].to_numpy() if INSIDE in table else np.zeros(len(rows))
    area, parts = shapely.union_all(polygons(closed.geometry)), _parts(shapes.to_numpy())
    across, points = shapely.length(_lines_within(parts, area, len(rows))), _points_within(parts, area, len(rows))
    has_part = (hectares >= MIN_OVERLAP_HA) | (across > MIN_LENGTH) | (points > 0)
    locked: Numbers = has_part & (rows["kind"] != "policy").to_numpy()
    if both := sorted(kept & set(rows.index[locked])):
        raise InputError(f'diagrams to keep lie on constraints: {listed_ids(both)}. Use constraints="ignore"')
    return locked


class _Parts(NamedTuple):
    """The single parts of diagrams, and the row of each."""

    shapes: Numbers
    rows: Numbers

    def of(self, kind: int) -> _Parts:
        chosen = shapely.get_type_id(self.shapes) == kind
        return _Parts(self.shapes[chosen], self.rows[chosen])


def _parts(shapes: Numbers) -> _Parts:
    collected, places = shapely.get_parts(shapes, return_index=True)
    # A collection has shapes of several parts.
    parts, within_collected = shapely.get_parts(collected, return_index=True)
    return _Parts(parts, places[within_collected])


def _lines_within(parts: _Parts, area: shapely.Geometry, count: int) -> Numbers:
    """The parts of each diagram's lines in an area."""
    own = parts.of(shapely.GeometryType.LINESTRING)
    lines = np.full(count, shapely.LineString())
    for row in np.unique(own.rows):
        lines[row] = shapely.MultiLineString(list(own.shapes[own.rows == row]))
    within: Numbers = shapely.intersection(lines, area)
    return within


def _points_within(parts: _Parts, area: shapely.Geometry, count: int) -> Numbers:
    """The number of each diagram's points in an area. One on its border touches it."""
    own = parts.of(shapely.GeometryType.POINT)
    shapely.prepare(area)
    found: Numbers = np.bincount(own.rows[shapely.contains(area, own.shapes)], minlength=count)
    return found
