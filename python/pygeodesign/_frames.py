"""GeoDataFrames."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import geopandas
import numpy as np
import pandas as pd
import pyarrow
import shapely
from geopandas.array import GeometryArray

if TYPE_CHECKING:
    from pygeodesign import FeatureCollection

# Few enough that their coordinates take little room until they are shapes.
ROWS_AT_ONCE = 4_096


def to_geopandas(collection: FeatureCollection) -> geopandas.GeoDataFrame:
    """The same frame as `GeoDataFrame.from_arrow` makes. Both halves let go of the GIL for the most part."""
    with ThreadPoolExecutor(1) as beside:
        properties = beside.submit(_properties, collection)
        shapes = _shapes(collection)
        frame = properties.result()
    frame["geometry"] = GeometryArray(shapes, crs="EPSG:4326")
    return geopandas.GeoDataFrame(frame, geometry="geometry")


def _properties(collection: FeatureCollection) -> pd.DataFrame:
    # Most columns are text, which one thread at a time can turn into Python's.
    table = pyarrow.table(collection).drop_columns(["geometry"])
    frame: pd.DataFrame = table.to_pandas(use_threads=False)
    return frame


def _shapes(collection: FeatureCollection) -> np.ndarray[Any, Any]:
    """A shape for every row."""
    shapes = np.full(len(collection), None, dtype=object)
    for start in range(0, len(shapes), ROWS_AT_ONCE):
        _make_shapes(shapes, collection, start, start + ROWS_AT_ONCE)
    return shapes


def _make_shapes(shapes: np.ndarray[Any, Any], collection: FeatureCollection, start: int, end: int) -> None:
    """By kind instead of one by one."""
    runs, others = collection._geometry_runs(start, end)
    for kind, stride, rows, ordinates, offsets in runs:
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
