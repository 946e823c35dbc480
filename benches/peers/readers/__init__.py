"""The readers of JSON that a script would use instead: to Python objects, and to GeoDataFrames.

The project of the benchmarks has nothing but polygons. Readers that can use that do so.
"""

from peers.readers.geopandas_reader import features_of, frame_from_features
from peers.readers.simdjson_reader import COLUMNS, frame_by_simdjson
from peers.readers.ssrjson_reader import dicts_by_ssrjson

__all__ = ["COLUMNS", "dicts_by_ssrjson", "features_of", "frame_by_simdjson", "frame_from_features"]
