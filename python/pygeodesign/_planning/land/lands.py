"""Land: the polygons of diagrams and maps, their overlaps and their hectares.

All of it is computed by the overlay of `_core`, on a plane where geodesics are straight.
"""

from __future__ import annotations

import operator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import geopandas
import numpy as np
import shapely

from pygeodesign import _core
from pygeodesign._functions import measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Numbers: TypeAlias = np.ndarray[Any, Any]
Shapes: TypeAlias = Numbers
POLYGON = shapely.GeometryType.POLYGON
# 100 cm². Neighbours with a shared border overlap by less, through rounding.
MIN_OVERLAP_HA = 1e-6
# As a share of the total, and in hectares: rounding may cause this much.
ROUNDING, ROUNDING_HA = 1e-9, 1e-8
# Square metres.
HECTARE = 10_000.0
EMPTY = shapely.MultiPolygon()


class Lands:
    """The land under geometries, one row each, which has no place twice."""

    def __init__(
        self, geometries: Iterable[Any] = (), areas: Iterable[Any] = (), *, own: _core._Lands | None = None
    ) -> None:
        """Takes the polygons of geometries, also self-intersecting ones, and then the areas of one map."""
        if own is None:
            first = list(geometries)
            shapes = np.array([*first, *areas, None], dtype=object)[:-1]
            own = _core._Lands(shapely.to_wkb(shapes).tolist(), len(first))
        self.own = own

    def __len__(self) -> int:
        return len(self.own)

    def hectares(self) -> Numbers:
        """The geodesic area of each row."""
        return np.frombuffer(self.own.hectares())

    def shapes(self) -> Shapes:
        """Each row as a multipolygon in longitude and latitude, cut at the antimeridian."""
        return _from_wkb(self.own.shapes())

    def near(self, split: int | None = None) -> tuple[Numbers, Numbers]:
        """The rows of each pair whose bounds meet: `first < second`, or if given, `first < split <= second`."""
        pairs = np.frombuffer(self.own.near(split), np.uint32).reshape(-1, 2).astype(int)
        return pairs[:, 0], pairs[:, 1]

    def rows(self, rows: Iterable[int]) -> Lands:
        """These rows; for a mask, give its places."""
        return Lands(own=self.own.rows([int(row) for row in rows]))

    def joined(self, *others: Lands) -> Lands:
        """These rows, followed by rows of lands derived from them."""
        own = self.own
        for other in others:
            own = own.joined(other.own)
        return Lands(own=own)

    def united(self, groups: Iterable[Iterable[int]]) -> Lands:
        """The land under any row of each group."""
        return Lands(own=self.own.united([[int(row) for row in group] for group in groups]))

    def common(self, rows: Iterable[int], others: Iterable[Iterable[int]]) -> Lands:
        """The land that each of these rows shares with any of the others."""
        return Lands(own=self.own.common(_groups(rows, others)))

    def without(self, rows: Iterable[int], others: Iterable[Iterable[int]]) -> Lands:
        """Each of these rows without the land under any of the others."""
        return Lands(own=self.own.without(_groups(rows, others)))

    def consensus(
        self, hectares: Numbers, systems: Numbers, designs: Iterable[Numbers]
    ) -> tuple[list[tuple[int, int, int, bool]], Numbers, Lands]:
        """The places with the same votes. Rows are diagrams with these hectares, systems and designs, by number.

        For each kind of votes: the number of designs, the system, its votes and True if tied; the hectares; the land.
        """
        own = (hectares * HECTARE).tolist(), systems.tolist(), [row.tolist() for row in designs]
        votes, found, lands = self.own.consensus(*own)
        return votes, np.frombuffer(found), Lands(own=lands)

    def between(self, pairs: Iterable[tuple[int, int]], systems: Numbers, designs: Iterable[Numbers]) -> Lands:
        """The land that one design gives to the first system of a pair, and a different design to the second, by pair.

        The last row is for all pairs together. The first rows are diagrams of these systems and designs, by number.
        """
        return Lands(own=self.own.between(list(pairs), systems.tolist(), [row.tolist() for row in designs]))

    def in_classes(self, hectares: Numbers, class_of: Iterable[int], classes: int) -> Numbers:
        """For each of the first rows, with these hectares, those in each class of the later rows, and in none."""
        own, numbers = (hectares * HECTARE).tolist(), [int(number) for number in class_of]
        return np.frombuffer(self.own.in_classes(own, numbers, classes)).reshape(len(own), classes + 1)

    def shared_hectares(self, first: Sequence[int] | Numbers, second: Sequence[int] | Numbers) -> Numbers:
        """The hectares that the rows of each pair share."""
        pairs = np.column_stack([first, second]).astype(np.uint32)
        return np.frombuffer(self.own.shared_hectares(pairs.tobytes()))


class DiagramLands:
    """The land of diagrams, computed once, on first use."""

    def __init__(self, geometries: geopandas.GeoSeries) -> None:
        """Takes the geometries of diagrams by their ids."""
        self._ids, self._geometries = geometries.index, geometries.to_numpy(copy=True)

    def of(self, geometries: geopandas.GeoSeries) -> Lands:
        """A row for each of some of these geometries; changed or other geometries are computed again."""
        rows, shapes = self._ids.get_indexer(geometries.index), geometries.to_numpy()
        if (rows < 0).any() or not all(map(operator.is_, self._geometries[rows], shapes)):
            return Lands(shapes)
        return self._every.rows(rows)

    @cached_property
    def _every(self) -> Lands:
        every = Lands(self._geometries)
        every.hectares()
        return every

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_every"}


def _groups(rows: Iterable[int], others: Iterable[Iterable[int]]) -> list[tuple[int, list[int]]]:
    pairs = zip(rows, others, strict=True)
    return [(int(row), [int(other) for other in group]) for row, group in pairs]


def _from_wkb(written: list[bytes]) -> Shapes:
    shapes: Shapes = shapely.from_wkb(np.array([*written, None], dtype=object)[:-1])
    return shapes


def grouped(firsts: Numbers, seconds: Numbers, count: int) -> list[Numbers]:
    """The second rows for each of `count` first rows."""
    order = np.argsort(firsts, kind="stable")
    return np.split(seconds[order], np.searchsorted(firsts[order], np.arange(1, count)))[:count]


def polygons(geometries: Iterable[Any]) -> Shapes:
    """The land under each geometry, as a valid polygon or multipolygon; empty for lines and missing geometries.

    Overlapping parts are united, faults repaired, and shapes that cross the antimeridian are cut there.
    """
    shapes = np.array([*geometries, None], dtype=object)[:-1]
    parts, rows = shapely.get_parts(shapes, return_index=True)
    while (shapely.get_type_id(parts) > POLYGON).any():
        parts, origins = shapely.get_parts(parts, return_index=True)
        rows = rows[origins]
    areal = (shapely.get_type_id(parts) == POLYGON) & ~shapely.is_empty(parts)
    parts, rows = parts[areal], rows[areal]
    found = np.full(len(shapes), EMPTY, dtype=object)
    shapely.multipolygons(parts, indices=rows, out=found)
    bounds = shapely.bounds(found)
    is_wide = (bounds[:, 0] < -180) | (bounds[:, 2] > 180) | (bounds[:, 2] / 2 - bounds[:, 0] / 2 > 90)
    changed = np.flatnonzero(~shapely.is_valid(found) | is_wide)
    if len(changed):
        found[changed] = Lands(found[changed]).shapes()
    return found


def are_there(geometries: geopandas.GeoSeries) -> Numbers:
    """True for each geometry, also for an empty one, as of a diagram outside a study area."""
    there: Numbers = ~shapely.is_missing(geometries.to_numpy())
    return there


def hectares(shapes: Shapes) -> Numbers:
    """The geodesic area of each shape, as from `measure`."""
    areas: Numbers = measure(geopandas.GeoSeries(shapes, crs="EPSG:4326"))["area_ha"].to_numpy()
    return areas


def overlapping(first: Shapes, second: Shapes) -> tuple[Numbers, Numbers]:
    """The rows of each pair of shapes whose bounds overlap."""
    rows, other_rows = shapely.STRtree(second).query(first)
    # Pairs of one shape follow each other, so that its coordinates stay in the processor's cache.
    order = np.lexsort((other_rows, rows))
    return rows[order], other_rows[order]


def land_once(lands: Lands) -> float:
    """The hectares of all rows, each place once."""
    return float(lands.united([range(len(lands))]).hectares()[0])
