"""The readers of JSON that a script would use instead: to Python objects, and to GeoDataFrames.

The project of the benchmarks has nothing but polygons. Readers that can use that do so.
"""

from peers.readers.geopandas_reader import GEOPANDAS, features_of, frame_from_features
from peers.readers.json_parsers import MSGSPEC, SSRJSON, without_garbage_collector
from peers.readers.reader import Reader
from peers.readers.simdjson_reader import COLUMNS, SIMDJSON, frame_by_simdjson

READERS: list[Reader] = [GEOPANDAS, MSGSPEC, SIMDJSON, SSRJSON]

__all__ = [
    "COLUMNS",
    "READERS",
    "features_of",
    "frame_by_simdjson",
    "frame_from_features",
    "without_garbage_collector",
]
