"""DuckDB: reads JSON into columns whose types are given, on all processors."""

import tempfile
from typing import Any

from peers.readers.reader import Reader
from peers.readers.simdjson_reader import TEN_COLUMNS

DUCKDB = Reader("DuckDB", ("duckdb", "pyarrow", "shapely", "geopandas"))

TYPES = {
    "id": "BIGINT",
    "sysid": "BIGINT",
    "rank": "BIGINT",
    "length": "DOUBLE",
    "area": "DOUBLE",
    "cost_override": "DOUBLE",
    "description": "VARCHAR",
    "type": "VARCHAR",
    "fundingtype": "VARCHAR",
    "geojson": "STRUCT(features STRUCT(geometry STRUCT(coordinates DOUBLE[][][]))[])",
}


def frame_by_duckdb(body: bytes) -> Any:
    """A frame with nine fields of the diagrams and the geometry, which has to be of polygons."""
    import duckdb
    from geopandas import GeoDataFrame
    from shapely import GeometryType, from_ragged_array

    fields = ", ".join(TEN_COLUMNS)
    types = ", ".join(f"{name}: '{kind}'" for name, kind in TYPES.items())
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(body)
        file.flush()
        relation: Any = duckdb.sql(
            f"SELECT {fields}, unnest(geojson.features).geometry.coordinates AS polygon FROM read_json('{file.name}', "
            f"format = 'array', maximum_object_size = {len(body)}, columns = {{{types}}})"
        )
        table = relation.to_arrow_table()
    polygons = table["polygon"].combine_chunks()
    rings = polygons.flatten()
    positions = rings.flatten()
    shapes = from_ragged_array(
        GeometryType.POLYGON,
        positions.flatten().to_numpy().reshape(-1, 2),
        (rings.offsets.to_numpy(), polygons.offsets.to_numpy()),
    )
    return GeoDataFrame(table.drop_columns(["polygon"]).to_pandas(), geometry=shapes, crs="EPSG:4326")
