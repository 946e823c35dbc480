"""Land: the polygons of diagrams and maps, what they have in common, and its hectares."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import geopandas
import numpy as np
import shapely

from pygeodesign import _core, measure
from pygeodesign._planning.geodesics import Geodesics, noded
from pygeodesign._planning.geodesics import Numbers as Numbers
from pygeodesign._planning.geodesics import Shapes as Shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

POLYGON, COLLECTION = shapely.GeometryType.POLYGON, shapely.GeometryType.GEOMETRYCOLLECTION
# 100 cm². Neighbours that share a border overlap by less, through rounding.
MIN_OVERLAP_HA = 1e-6
# Classes of evaluation maps, from where change is least wanted to where it is most.
EVALUATION_CLASSES: tuple[str, ...] = tuple(name for name, _ in _core._evaluation_colors() if name)
EMPTY = shapely.MultiPolygon()
MAX_LONGITUDE = 540


def polygons(geometries: Iterable[Any]) -> Shapes:
    """The land under each geometry, as a valid polygon or multipolygon; empty for lines and where there is none.

    Parts that overlap are united, and faults repaired, so that no land is counted twice.
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
    for row in np.flatnonzero(~shapely.is_valid(found)):
        # One by one, because `make_valid` of all takes what two parts share for a hole.
        (own,), edges = noded(parts[rows == row])
        union = united(shapely.make_valid(own, method="structure", keep_collapsed=False))
        found[[row]] = edges.aligned(np.array([union]))
    bounds = shapely.bounds(found)
    # Not on the Earth, also if drawn across the antimeridian: what is wrong with it is told with its costs.
    elsewhere = (bounds[:, 0] < -MAX_LONGITUDE) | (bounds[:, 2] > MAX_LONGITUDE)
    found[elsewhere] = EMPTY
    for row in np.flatnonzero(((bounds[:, 0] < -180) | (bounds[:, 2] > 180)) & ~elsewhere):
        found[row] = _within_180_degrees(found[row])
    return found


def _within_180_degrees(shape: Any) -> Any:
    """The same land with longitudes from -180 to 180, cut where it crosses the antimeridian.

    Programs draw across it by longitudes such as 181, which are those of -179.
    """
    west, _, east, _ = shape.bounds
    turns = range(math.floor((west + 180) / 360), math.floor((east + 180) / 360) + 1)
    moved = [shapely.transform(shape, lambda positions, turn=turn: positions - (360 * turn, 0)) for turn in turns]
    (cut,), _ = noded(np.array(moved))
    earth = np.array([shapely.box(-180, -90, 180, 90)])
    return united(Geodesics(np.concatenate([cut, earth])).aligned(common(cut, earth)))


def united(shapes: Shapes) -> Any:
    """The land under any of the shapes."""
    union = shapely.union_all(shapes)
    return EMPTY if shapely.is_empty(union) else union


def united_by(shapes: Shapes, groups: Sequence[Numbers]) -> Shapes:
    """For each group, a mask or rows of `shapes`, the land under any of them."""
    parts = [shapely.get_parts(shapes[group]) for group in groups]
    return np.array([*computed(lambda at: united(parts[at]), range(len(parts))), None], dtype=object)[:-1]


def common(first: Shapes, second: Shapes) -> Shapes:
    """The land under both shapes of each pair; without the lines and points where two only touch."""
    shared: Shapes = shapely.intersection(first, second)
    mixed = shapely.get_type_id(shared) == COLLECTION
    if mixed.any():
        shared[mixed] = polygons(shared[mixed])
    shared[shapely.get_dimensions(shared) < 2] = EMPTY
    return shared


def hectares(shapes: Shapes) -> Numbers:
    """The geodesic area of each shape, as `measure` has it."""
    areas: Numbers = measure(geopandas.GeoSeries(shapes, crs="EPSG:4326"))["area_ha"].to_numpy()
    return areas


def overlap_hectares(shapes: Shapes) -> Numbers:
    """The same for many small pieces, to within 1e-8, on the thread of the caller."""
    return np.array(_core._overlap_hectares(shapely.to_wkb(shapes).tolist()))


def overlapping(first: Shapes, second: Shapes | None = None) -> tuple[Numbers, Numbers]:
    """The rows of shapes whose bounds overlap: each pair of `first` once, or pairs of `first` with `second`."""
    others = first if second is None else second
    rows, other_rows = shapely.STRtree(others).query(first)
    if second is None:
        once = rows < other_rows
        rows, other_rows = rows[once], other_rows[once]
    # Pairs of one shape one after another, so that its coordinates stay in the processor's cache.
    order = np.lexsort((other_rows, rows))
    return rows[order], other_rows[order]


def computed(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterable[Any]:
    """The result of `work` for each item, in order, on all processors: GEOS and the measures release the GIL.

    After Ctrl-C or an error, no further item is started.
    """
    executor = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="overlay")
    try:
        yield from executor.map(work, items)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
