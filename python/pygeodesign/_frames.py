"""GeoDataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import geopandas
import numpy as np
import pyarrow
import shapely

if TYPE_CHECKING:
    from pygeodesign import FeatureCollection


def to_geopandas(collection: FeatureCollection) -> geopandas.GeoDataFrame:
    """The same frame as `GeoDataFrame.from_arrow` makes, with shapes made by kind instead of one by one."""
    shapes = np.full(len(collection), None, dtype=object)
    runs, others = collection._geometry_runs()
    for kind, stride, rows, ordinates, offsets in runs:
        positions = np.frombuffer(ordinates, "<f8").reshape(-1, stride)
        levels = tuple(np.frombuffer(level, "<i8") for level in offsets)
        of_kind = shapely.GeometryType[kind.upper()]
        shapes[np.frombuffer(rows, "<i8")] = shapely.from_ragged_array(of_kind, positions, levels or None)
    for row, wkb in others:
        shapes[row] = shapely.from_wkb(wkb)
    frame = pyarrow.table(collection).drop_columns(["geometry"]).to_pandas()
    frame.insert(frame.shape[1], "geometry", geopandas.GeoSeries(shapes, index=frame.index, crs="EPSG:4326"))
    return geopandas.GeoDataFrame(frame, geometry="geometry")
