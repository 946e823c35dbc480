"""GeoParquet, and Parquet with columns of geometries."""

from __future__ import annotations

import json
from typing import Any

from pygeodesign._reading import limits
from pygeodesign._reading.gdal import FEATURES_IN_A_BATCH, rows_of
from pygeodesign._reading.rows import RefusedError, Rows
from pygeodesign._reading.shapes import to_wkb
from pygeodesign._reading.source import Source

THRIFT_LIMITS = {"thrift_string_size_limit": 64 << 20, "thrift_container_size_limit": 1_000_000}


def read(source: Source, label: str, layer: str | None) -> Rows:
    import pyarrow
    import pyarrow.parquet

    if layer is not None:
        raise RefusedError(f"layer= names a layer of a file; {label} is Parquet and has none: leave layer= out")
    with pyarrow.parquet.ParquetFile(source.path, **THRIFT_LIMITS) as file:
        limits.check_features(label, file.metadata.num_rows)
        limits.check_columns(label, file.metadata.num_columns)
        about = (file.metadata.metadata or {}).get(b"geo")
        limits.check_crs_size(label, about)
        groups = range(file.metadata.num_row_groups)
        unpacked = sum(file.metadata.row_group(group).total_byte_size for group in groups)
        limits.check_unpacked(label, source.bytes, unpacked)
        described = json.loads(about or b"{}")
        shape, crs, covering = _geometry(label, described, file.schema_arrow)
        if described.get("columns", {}).get(shape, {}).get("encoding", "WKB") != "WKB":
            return _read_arrays(source, crs)
        geometries: list[Any] = []
        attributes: list[dict[str, Any]] = []
        size = 0
        for batch in file.iter_batches(FEATURES_IN_A_BATCH, use_threads=False):
            # A dictionary may have one long string for many rows.
            decoded = [getattr(column, "dictionary_decode", lambda column=column: column)() for column in batch.columns]
            size += sum(column.nbytes for column in decoded)
            limits.check_unpacked(label, source.bytes, size)
            columns = dict(zip(batch.schema.names, decoded, strict=True))
            shapes: Any = columns.pop(shape)
            columns = {name: column for name, column in columns.items() if name not in covering}
            geometries += getattr(shapes, "storage", shapes).to_pylist()
            attributes += rows_of(columns, batch.num_rows)
    times = [
        field.name
        for field in file.schema_arrow
        if pyarrow.types.is_timestamp(field.type) and field.name not in (shape, *covering)
    ]
    return Rows(None, crs, geometries, attributes, times)


def _read_arrays(source: Source, crs: Any) -> Rows:
    """Geometries as arrays of coordinates, which GeoPandas reads."""
    import geopandas

    frame = geopandas.read_parquet(source.path)
    attributes = frame.drop(columns=frame.geometry.name).to_dict("records")
    return Rows(None, crs, list(to_wkb(frame.geometry.to_numpy())), attributes, [])


def _geometry(label: str, about: dict[str, Any], schema: Any) -> tuple[str, Any, set[str]]:
    """The column with the geometries, its CRS, and the columns that repeat its bounds."""
    described = about.get("columns", {})
    name = str(about.get("primary_column") or next(iter(described), ""))
    if name in described and name in schema.names:
        own = described[name]
        bounds = own.get("covering", {}).get("bbox", {}).values()
        return name, own.get("crs", "OGC:CRS84"), {str(path[0]) for path in bounds}
    for field in schema:
        extension = (field.metadata or {}).get(b"ARROW:extension:name", b"").decode()
        extension = extension or getattr(field.type, "extension_name", "")
        if extension in ("geoarrow.wkb", "ogc.wkb"):
            metadata = (field.metadata or {}).get(b"ARROW:extension:metadata")
            if metadata is None and hasattr(field.type, "__arrow_ext_serialize__"):
                metadata = field.type.__arrow_ext_serialize__()
            return field.name, json.loads(metadata or b"{}").get("crs", "OGC:CRS84"), set()
    raise RefusedError(f"{label} has no geometries; make them of its columns with GeoPandas, then pass the frame")
