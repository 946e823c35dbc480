"""Land before it is changed: the hectares of projects by the uses of a map, each place once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign._core import FeatureCollection
from pygeodesign._evaluation_classes import EVALUATION_CLASSES
from pygeodesign._planning.arguments import finite, sysid_of
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.land.classes import OUTSIDE
from pygeodesign._planning.land.lands import ROUNDING, ROUNDING_HA, Lands, Numbers, grouped
from pygeodesign._reading.table import read_file
from pygeodesign.errors import InputError

FORMS = (
    "a system for its evaluation map, a GeoDataFrame, a FeatureCollection or the path of a file with the map of "
    "today's land"
)
# Columns and names other than the map's uses.
SEVERAL, NO_USE = "several uses", "no class"
# The most names that an error lists.
MOST_LISTED = 20


class Before(NamedTuple):
    """The land of some projects, a row for each, in hectares."""

    #: The land counted for each project: each place of a design counts for one project.
    own: Numbers
    #: The rest of its land, which counts for a project that is built later.
    later: Numbers
    #: By use (column).
    by_use: pd.DataFrame
    #: Land for which the map has several uses.
    several: Numbers


def map_of_uses(compared: Compared, land_use: Any, column: str | None) -> geopandas.GeoDataFrame:
    """The map in longitude and latitude, whose column `areatype` has the uses as strings."""
    frame, known = _frame(compared, land_use), column
    if known is None:
        known = "areatype" if "areatype" in frame.columns else None
    columns = [str(name) for name in frame.columns if name != frame.geometry.name]
    if known is None or known not in frame.columns or known == frame.geometry.name:
        raise InputError(
            f"column is {column!r}: give the column of the map that names the use; it has {_listed(columns)}"
        )
    if frame.crs is None:
        raise InputError("land_use has no CRS, so its coordinates cannot be placed: set it with .set_crs(…)")
    uses = [use_name(value) for value in frame[known]]
    if taken := {OUTSIDE, SEVERAL} & set(uses):
        raise InputError(f"the map has a use called {min(taken)!r}, which is reserved: rename it")
    if not (shapely.get_dimensions(frame.geometry.to_numpy()) == 2).any():
        raise InputError("land_use has no polygons: give a map of areas")
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
            return read_file(Path(land_use).expanduser(), None).frame()
        raise InputError(f"land_use is {land_use!r}: give {FORMS}; {unknown}") from None
    if not len(compared.evaluations[sysid]):
        raise InputError(f"{compared.systems['name'][sysid]!r} has no evaluation map: as land_use, give {FORMS}")
    return compared.evaluations[sysid]


def use_name(value: Any) -> str | None:
    """A use as a string, None if there is none: a code that is a number has no decimals."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if isinstance(value, (float, np.floating)) and value.is_integer():
        value = int(value)
    return str(value)


def amounts_of_uses(before: Any, uses: set[str]) -> dict[str, float]:
    """The amount per hectare of each known use, by its name."""
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
        raise InputError(f"before names the use {twice!r} twice, as text and as a number: give it once")
    if uses and not uses & amounts.keys() and not amounts.keys() <= set(EVALUATION_CLASSES):
        raise InputError(f"before names no use of the map, which has {_listed(sorted(uses))}")
    return amounts


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return (", ".join(map(repr, names[:MOST_LISTED])) or "none") + more


def land_before(
    geometries: list[Any], finished: list[Numbers], uses: geopandas.GeoDataFrame, order: list[str]
) -> list[Before]:
    """The land of the projects of each design, from their geometries and the order in which they are finished.

    Where projects of a design share land, it counts for the one that is finished last. Where uses of the map overlap,
    land counts for the use that `order` names first.
    """
    names = uses["areatype"].fillna(NO_USE).to_numpy()
    known = [*(use for use in order if use in set(names)), *sorted(set(names) - {*order})]
    found = []
    for own, places in zip(geometries, finished, strict=True):
        lands, count = Lands(own, uses.geometry), len(own)
        firsts, seconds = lands.near()
        is_own = seconds < count
        earlier = np.where(places[firsts[is_own]] < places[seconds[is_own]], firsts[is_own], seconds[is_own])
        later = grouped(earlier, firsts[is_own] + seconds[is_own] - earlier, count)
        kept = lands.without(range(count), later)
        whole = kept.hectares()
        # Rounding remainders are no land.
        beyond = lands.hectares()[:count] - whole
        beyond[beyond <= ROUNDING * whole + ROUNDING_HA] = 0.0
        on_map = (firsts < count) & ~is_own
        by_use, several = _by_use(kept.joined(lands), firsts[on_map], seconds[on_map], count, names, known)
        found.append(Before(whole, beyond, by_use, several))
    return found


def _by_use(
    lands: Lands, firsts: Numbers, seconds: Numbers, count: int, names: Numbers, known: list[str]
) -> tuple[pd.DataFrame, Numbers]:
    """The hectares of the first rows by use, counted for the first known use, and the hectares with several uses.

    After the first rows, all lands follow again, the map's last.
    """
    used, maps = names[seconds - count], seconds + count
    by_use = pd.DataFrame(0.0, index=range(count), columns=known)
    covered, summed = np.zeros(count), np.zeros(count)
    groups = {use: grouped(firsts[used == use], maps[used == use], count) for use in known}
    until = [np.array([], dtype=int)] * count
    for use in known:
        rows = np.unique(firsts[used == use])
        for row in rows:
            until[row] = np.concatenate([until[row], groups[use][row]])
        summed[rows] += lands.common(rows, [groups[use][row] for row in rows]).hectares()
        area = lands.common(rows, [until[row] for row in rows]).hectares()
        by_use.loc[rows, use] = (area - covered[rows]).clip(min=0)
        covered[rows] = area
    several = np.zeros(count)
    for row in np.flatnonzero(summed - covered > ROUNDING * summed + ROUNDING_HA).tolist():
        parts = [groups[use][row] for use in known if len(groups[use][row])]
        pieces = lands.common([row] * len(parts), parts)
        shared = pieces.common(range(1, len(parts)), [range(part) for part in range(1, len(parts))])
        several[row] = shared.united([range(len(shared))]).hectares()[0]
    return by_use, several
