"""GeoDataFrames."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import geopandas
import numpy as np
import pandas as pd
import pyarrow
import shapely
from geopandas.array import GeometryArray

if TYPE_CHECKING:
    from pygeodesign._core import FeatureCollection

# The coordinates of this many rows need little memory, and stay in the processor's cache until they become shapes.
ROWS_AT_ONCE = 1_024


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pauses cyclic garbage collection: shapes hold no cycles, but each would bring its next run closer."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_without_collection()
def to_geopandas(collection: FeatureCollection) -> geopandas.GeoDataFrame:
    """The same frame as `GeoDataFrame.from_arrow` returns, from two threads that release the GIL most of the time."""
    shapes = np.full(len(collection), None, dtype=object)
    ranges = iter(collection._row_ranges(ROWS_AT_ONCE))

    def create_shapes() -> None:
        for start, end in ranges:
            _create_shapes(shapes, collection, start, end)

    executor = ThreadPoolExecutor(1)
    try:
        properties = executor.submit(_properties, collection)
        helper = executor.submit(create_shapes)
        create_shapes()
        helper.result()
        frame = properties.result()
    finally:
        # After an interrupt, the other thread has nothing left to start, and nothing waits for it.
        list(ranges)
        executor.shutdown(wait=False, cancel_futures=True)
    frame["geometry"] = GeometryArray(shapes, crs="EPSG:4326")
    return geopandas.GeoDataFrame(frame, geometry="geometry")


def _properties(collection: FeatureCollection) -> pd.DataFrame:
    # One record batch, however many batches the geometries have: pandas needs time for each.
    # use_threads=False: most columns are text, and only one thread at a time can make Python strings.
    # system_memory_pool: pyarrow's own pool gives a new thread large pages, whose first use takes longer than the rest.
    properties = pyarrow.record_batch(collection._properties())
    frame: pd.DataFrame = properties.to_pandas(use_threads=False, memory_pool=pyarrow.system_memory_pool())
    return frame


def _create_shapes(shapes: np.ndarray[Any, Any], collection: FeatureCollection, start: int, end: int) -> None:
    """Makes the shapes of the rows from `start` to before `end`, all shapes of one kind in one call."""
    arrays, others = collection._ragged_arrays(start, end)
    for kind, stride, rows, ordinates, offsets in arrays:
        levels = tuple(map(_numbers, offsets))
        of_kind = shapely.GeometryType[kind.upper()]
        shapes[_numbers(rows)] = shapely.from_ragged_array(
            of_kind, _numbers(ordinates).reshape(-1, stride), levels or None
        )
    for row, wkb in others:
        shapes[row] = shapely.from_wkb(wkb)


def _numbers(array: Any) -> np.ndarray[Any, Any]:
    numbers: np.ndarray[Any, Any] = pyarrow.array(array).to_numpy()
    return numbers


@_without_collection()
def costs_to_geopandas(collection: FeatureCollection, costs: pd.DataFrame) -> geopandas.GeoDataFrame:
    """One row per diagram of `costs`: its fields, its cost, and the shapes of all its features as one geometry."""
    features = to_geopandas(collection)
    # The row of `costs` that each feature belongs to; -1 for diagrams that are not priced.
    rows = pd.Index(costs["diagramid"]).get_indexer(features["diagramid"])
    features, rows = features[rows >= 0], rows[rows >= 0]
    first_features = np.unique(rows, return_index=True)[1]
    fields = pd.DataFrame(features.drop(columns="geometry")).iloc[first_features].reset_index(drop=True)
    fields = fields.rename(columns={"title": "properties.title", "description": "title"})
    # As it was priced: only the wire says if something is neither a project nor a policy.
    fields["kind"] = costs["kind"]
    figures = costs.drop(columns=["diagramid", "sysid", "title", "kind"])
    fields = fields.rename(columns={name: f"properties.{name}" for name in figures.columns})
    frame = pd.concat([fields, figures], axis=1)
    frame["geometry"] = GeometryArray(_united(features.geometry.to_numpy(), rows, len(costs)), crs="EPSG:4326")
    return geopandas.GeoDataFrame(frame, geometry="geometry")


def _united(shapes: np.ndarray[Any, Any], rows: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, Any]:
    """One geometry for each of `count` rows: all its shapes, as a multi-part geometry even for one; None without."""
    parts, rows = shapes, np.asarray(rows)
    # Collections may hold multipolygons, and collections again.
    while True:
        parts, origins = shapely.get_parts(parts, return_index=True)
        rows = rows[origins]
        if not (shapely.get_type_id(parts) > shapely.GeometryType.POLYGON).any():
            break
    order = np.argsort(rows, kind="stable")
    order = order[~shapely.is_empty(parts[order])]
    parts, rows = parts[order], rows[order]
    kinds = shapely.get_type_id(parts)
    lowest, highest = np.full(count, 99), np.full(count, -1)
    np.minimum.at(lowest, rows, kinds)
    np.maximum.at(highest, rows, kinds)
    united = np.full(count, None, dtype=object)
    for kind, unite in (
        (shapely.GeometryType.POINT, shapely.multipoints),
        (shapely.GeometryType.LINESTRING, shapely.multilinestrings),
        (shapely.GeometryType.POLYGON, shapely.multipolygons),
    ):
        chosen = ((lowest == kind) & (highest == kind))[rows]
        unite(parts[chosen], indices=rows[chosen], out=united)
    mixed = (lowest != highest)[rows]
    shapely.geometrycollections(parts[mixed], indices=rows[mixed], out=united)
    return united
