"""Diagrams on constraints, the land where nothing can be changed."""

from __future__ import annotations

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
    across = shapely.length(_lines_within(shapes.to_numpy(), shapely.union_all(polygons(closed.geometry))))
    locked: Numbers = ((hectares >= MIN_OVERLAP_HA) | (across > MIN_LENGTH)) & (rows["kind"] != "policy").to_numpy()
    if both := sorted(kept & set(rows.index[locked])):
        raise InputError(f'diagrams to keep lie on constraints: {listed_ids(both)}. Use constraints="ignore"')
    return locked


def _lines_within(shapes: Numbers, area: shapely.Geometry) -> Numbers:
    """The parts of each diagram's lines in an area."""
    collected, places = shapely.get_parts(shapes, return_index=True)
    # A collection has lines of several parts.
    parts, within_collected = shapely.get_parts(collected, return_index=True)
    owners = places[within_collected]
    is_line = shapely.get_type_id(parts) == shapely.GeometryType.LINESTRING
    lines = np.full(len(shapes), shapely.LineString())
    for owner in np.unique(owners[is_line]):
        lines[owner] = shapely.MultiLineString(list(parts[is_line & (owners == owner)]))
    within: Numbers = shapely.intersection(lines, area)
    return within
