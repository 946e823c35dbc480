"""What land was before it is changed: the hectares of projects by the uses of a map, each place once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign import FeatureCollection
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.geodesics import noded
from pygeodesign._planning.given import finite, sysid_of
from pygeodesign._planning.land import EVALUATION_CLASSES, Numbers, Shapes, hectares, overlapping, polygons, united_by
from pygeodesign._planning.suitability import OUTSIDE, ROUNDING, ROUNDING_HA, hectares_by_class
from pygeodesign._reading.table import read_file
from pygeodesign.errors import InputError

FORMS = (
    "a system whose evaluation map says it, a GeoDataFrame, a FeatureCollection or the path of a file with the map of "
    "today's land"
)
# Columns and names beside those of the uses of a map.
SEVERAL, NO_USE = "several uses", "no class"
# How many names an error lists.
MOST_LISTED = 20


class Before(NamedTuple):
    """The land of some projects, a row for each, in hectares."""

    #: The land that counts for it: each place of a design counts for one project.
    own: Numbers
    #: The rest of its land, which counts for a project that is built later.
    later: Numbers
    #: By use (column).
    by_use: pd.DataFrame
    #: Where the map has several uses.
    several: Numbers


def map_of_uses(compared: Compared, land_use: Any, column: str | None) -> geopandas.GeoDataFrame:
    """The map in longitude and latitude, whose column `areatype` has the uses as text."""
    frame, known = _frame(compared, land_use), column
    if known is None:
        known = "areatype" if "areatype" in frame.columns else None
    columns = [str(name) for name in frame.columns if name != frame.geometry.name]
    if known is None or known not in frame.columns or known == frame.geometry.name:
        raise InputError(
            f"column is {column!r}: give the column of the map that names the use; it has {_listed(columns)}"
        )
    if frame.crs is None:
        raise InputError("land_use has no CRS, so its coordinates cannot be placed: say it with .set_crs(…)")
    uses = [use_name(value) for value in frame[known]]
    if taken := {OUTSIDE, SEVERAL} & set(uses):
        raise InputError(f"the map has a use called {min(taken)!r}, which has a meaning of its own here: rename it")
    if not (shapely.get_dimensions(frame.geometry.to_numpy()) == 2).any():
        raise InputError("land_use has no polygons, so it says of no land what it is: give a map of areas")
    return geopandas.GeoDataFrame({"areatype": uses}, geometry=frame.geometry.to_crs(4326).to_numpy(), crs=4326)


def _frame(compared: Compared, land_use: Any) -> geopandas.GeoDataFrame:
    if isinstance(land_use, FeatureCollection):
        return land_use.to_geopandas()
    if isinstance(land_use, geopandas.GeoDataFrame):
        return land_use
    if isinstance(land_use, Path):
        return read_file(land_use, None).frame()
    try:
        sysid = sysid_of(compared.systems, land_use)
    except InputError as unknown:
        if isinstance(land_use, str) and Path(land_use).suffix:
            return read_file(Path(land_use), None).frame()
        raise InputError(f"land_use is {land_use!r}: give {FORMS}; {unknown}") from None
    if not len(compared.evaluations[sysid]):
        raise InputError(f"{compared.systems['name'][sysid]!r} has no evaluation map: as land_use, give {FORMS}")
    return compared.evaluations[sysid]


def use_name(value: Any) -> str | None:
    """A use as text, None where there is none: a code that is a number has no decimals."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if isinstance(value, (float, np.floating)) and value.is_integer():
        value = int(value)
    return str(value)


def amounts_of_uses(before: Any, uses: set[str]) -> dict[str, float]:
    """The amount per hectare of each use that is known, by its name."""
    if not isinstance(before, Mapping) or not before:
        raise InputError(
            f'before is {before!r}: give a dict of amounts per hectare by use of the map, such as {{"forest": 120}}'
        )
    amounts = {
        str(use_name(use)): finite(f"before of {use!r}", amount, "give an amount per hectare")
        for use, amount in before.items()
    }
    if len(amounts) < len(before):
        names = [str(use_name(use)) for use in before]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"before names the use {twice!r} twice: as text and as a number it is the same")
    if uses and not uses & amounts.keys() and not amounts.keys() <= set(EVALUATION_CLASSES):
        raise InputError(f"before names no use of the map, which has {_listed(sorted(uses))}")
    return amounts


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return (", ".join(map(repr, names[:MOST_LISTED])) or "none") + more


def land_before(
    geometries: list[Any], finished: list[Numbers], uses: geopandas.GeoDataFrame, order: list[str]
) -> list[Before]:
    """For each design, the geometries of its projects, and the order in which they are finished: what land they have.

    Where projects of a design share land, it counts for the one that is finished last, and where uses of the map do,
    for the one that `order` names first.
    """
    lands = [polygons(own) for own in geometries]
    owned = [_each_place_once(shapes, places) for shapes, places in zip(lands, finished, strict=True)]
    every = np.concatenate([*owned, np.array([None], dtype=object)])[:-1]
    areal = np.array([not shape.is_empty for shape in every], dtype=bool)
    # A diagram is in several designs.
    kinds, rows = np.unique(shapely.to_wkb(every[areal]), return_inverse=True)
    own = shapely.from_wkb(kinds)
    measured, whole = hectares_by_class(own, uses), hectares(every)
    several = measured.drop(columns=OUTSIDE).sum(axis=1) + measured[OUTSIDE] - hectares(own)
    several[several <= ROUNDING * hectares(own) + ROUNDING_HA] = 0.0
    if several.any():
        measured = hectares_by_class(own, _one_use_each(uses, order))
    table = pd.DataFrame(0.0, index=range(len(every)), columns=[*measured.columns, SEVERAL])
    table.loc[areal] = measured.assign(**{SEVERAL: several}).to_numpy()[rows.ravel()]
    several_of_each = table.pop(SEVERAL).to_numpy()
    table = table.drop(columns=OUTSIDE)
    found, start = [], 0
    for shapes in lands:
        part = slice(start, start + len(shapes))
        # What rounding leaves is none.
        later = hectares(shapes) - whole[part]
        later[later <= ROUNDING * whole[part] + ROUNDING_HA] = 0.0
        found.append(Before(whole[part], later, table.iloc[part].reset_index(drop=True), several_of_each[part]))
        start += len(shapes)
    return found


def _one_use_each(uses: geopandas.GeoDataFrame, order: list[str]) -> geopandas.GeoDataFrame:
    """The map with one use for each place: the one that comes first in the order, then by name."""
    shapes, names = polygons(uses.geometry), uses["areatype"].fillna(NO_USE).to_numpy()
    known = [*(use for use in order if use in set(names)), *sorted(set(names) - {*order})]
    united = united_by(shapes, [names == use for use in known])
    own = _each_place_once(united, -np.arange(len(known)))
    return geopandas.GeoDataFrame({"areatype": known}, geometry=own, crs=4326)


def _each_place_once(shapes: Shapes, order: Numbers) -> Shapes:
    """The shapes without the land of those that come later in the order."""
    firsts, others = overlapping(shapes)
    if not len(firsts):
        return shapes
    (cut,), edges = noded(shapes)
    earlier = np.where(order[firsts] < order[others], firsts, others)
    later = np.where(order[firsts] < order[others], others, firsts)
    rows = np.unique(earlier)
    rest = [shapely.difference(cut[row], shapely.union_all(cut[later[earlier == row]])) for row in rows]
    owned = shapes.copy()
    owned[rows] = polygons(edges.aligned(np.array([*rest, None], dtype=object)[:-1]))
    return owned
