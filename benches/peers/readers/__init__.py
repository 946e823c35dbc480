"""The readers of JSON that a script would use instead: to Python objects, and to GeoDataFrames.

The project of the benchmarks has nothing but polygons. Readers that can use that do so.
"""

from peers.readers.duckdb_reader import DUCKDB, frame_by_duckdb
from peers.readers.geopandas_reader import GEOPANDAS, features_of, frame_from_features, frame_from_geojson
from peers.readers.json_parsers import MSGSPEC, ORJSON, without_garbage_collector
from peers.readers.reader import Reader
from peers.readers.simdjson_reader import (
    SIMDJSON,
    TEN_COLUMNS,
    frame_by_simdjson,
    parse_by_simdjson,
    whole_frame_by_simdjson,
)

READERS: list[Reader] = [DUCKDB, GEOPANDAS, MSGSPEC, ORJSON, SIMDJSON]

__all__ = [
    "READERS",
    "TEN_COLUMNS",
    "features_of",
    "frame_by_duckdb",
    "frame_by_simdjson",
    "frame_from_features",
    "frame_from_geojson",
    "parse_by_simdjson",
    "whole_frame_by_simdjson",
    "without_garbage_collector",
]
