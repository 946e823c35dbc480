"""Reads layers with GDAL, through pyogrio."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator
from typing import Any

from pygeodesign._reading import limits
from pygeodesign._reading.rows import Reason, RefusedError, Rows
from pygeodesign._reading.shapes import MEASURES_NOTE
from pygeodesign._reading.source import Source

# A batch is checked after reading, so it must not be large.
FEATURES_IN_A_BATCH = 256
# Columns that GDAL adds for the bounds of each feature in GML, and of each placemark of KML.
BOUNDS = {"lowerCorner", "upperCorner"}
# Points, lines and polygons, single or multi-part, with or without heights.
PLAIN_CODES = {code + heights for code in range(1, 7) for heights in (0, 1000)}
# Thousands of the codes of geometries with measures.
MEASURED = (2, 3)
# Layers of GPX: points, and two of lines. Its other layers have the positions of the lines.
GPX_LAYERS = ("waypoints", "tracks", "routes")
KML_FIELDS = {"begin": "begin", "end": "end", "when": "timestamp"}


def read(source: Source, label: str, layer: str | None) -> Rows:
    import pyogrio

    if source.file_format == "ESRI Shapefile" and not source.path.with_suffix(".shx").exists():
        # The index can be rebuilt from the shapes.
        pyogrio.set_gdal_config_options({"SHAPE_RESTORE_SHX": True})
    path = str(source.path)
    layers = [(str(name), kind) for name, kind in pyogrio.list_layers(path)]
    if not layers:
        raise ValueError("its header is damaged")
    if source.file_format == "GPX":
        layers = [(name, kind) for name, kind in layers if name in GPX_LAYERS and _count(path, name)]
        if not layers:
            raise RefusedError(f"{label} is GPX without waypoints, tracks and routes")
    layer = chosen_layer(label, layer, layers)
    told = pyogrio.read_info(path, layer=layer)
    if told["driver"] != source.file_format:
        raise ValueError(f"GDAL reads it as {told['driver']}, not as {source.file_format}")
    limits.check_features(label, told["features"])
    limits.check_columns(label, len(told["fields"]))
    limits.check_crs_size(label, told["crs"])
    # Arrow has one time zone per column, but a file one per time.
    times = [str(name) for name, dtype in zip(told["fields"], told["dtypes"], strict=True) if "datetime64[ms]" in dtype]
    # For a FlatGeobuf feature without geometry, Arrow makes damaged WKB.
    with_geometry = source.file_format != "FlatGeobuf"
    geometries: list[bytes | Reason | None] = []
    attributes: list[dict[str, Any]] = []
    size = 0
    options = {"batch_size": FEATURES_IN_A_BATCH, "use_pyarrow": True, "datetime_as_string": True}
    with pyogrio.open_arrow(path, layer=layer, read_geometry=with_geometry, **options) as (about, reader):
        shape_column = (about["geometry_name"] or "wkb_geometry") if with_geometry else None
        unwanted = BOUNDS if source.file_format == "GML" else set()
        for batch in reader:
            size += batch.nbytes
            limits.check_features(label, len(attributes) + batch.num_rows)
            limits.check_unpacked(label, source.bytes, size)
            columns = {
                name: column
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
                if name not in unwanted
            }
            if shape_column is not None:
                geometries += columns.pop(shape_column).to_pylist()
            attributes += rows_of(columns, batch.num_rows)
    codes = {_code(wkb) for wkb in geometries if isinstance(wkb, bytes)}
    if any(code // 1000 in MEASURED for code in codes):
        warnings.warn(MEASURES_NOTE, stacklevel=2)
    if not with_geometry or not codes <= PLAIN_CODES:
        # Curves become lines, and measures are left out.
        _, _, shapes, _ = pyogrio.raw.read(path, layer=layer, columns=[])
        geometries = [None if wkb is None else bytes(wkb) for wkb in shapes]
    if source.kml_dates:
        attributes = [_with_kml_dates(row, source.kml_dates) for row in attributes]
        times = [name for name in times if name not in KML_FIELDS.values()]
    return Rows(layer, about["crs"], geometries, attributes, times)


def _count(path: str, layer: str) -> int:
    import pyogrio

    return int(pyogrio.read_info(path, layer=layer, force_feature_count=True)["features"])


def _code(wkb: bytes) -> int:
    return int(struct.unpack_from("<I" if wkb[:1] == b"\1" else ">I", wkb, 1)[0]) if len(wkb) > 4 else -1


def _with_kml_dates(row: dict[str, Any], dates: dict[str, dict[str, str | None]]) -> dict[str, Any]:
    """The row with its dates as in KML, and with its original id."""
    own = dates.get(str(row.get("id")))
    if own is None:
        return row
    texts = {field: text.strip() for name, field in KML_FIELDS.items() if (text := own.get(name))}
    return {**row, "id": own["id"], **texts}


def rows_of(columns: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The rows of Arrow columns, with a reason for each damaged string."""
    values = [(name, _values(column)) for name, column in columns.items()]
    return [{name: column[row] for name, column in values} for row in range(count)]


def _values(column: Any) -> list[Any]:
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        import pyarrow

        return [_text(value) for value in column.cast(pyarrow.binary()).to_pylist()]


def _text(content: bytes | None) -> str | Reason | None:
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as problem:
        # A string may be cut at the width of its field, within a character.
        if problem.reason == "unexpected end of data":
            return problem.object[: problem.start].decode()
        return Reason(f"its text {problem.object[:40]!r} is not in UTF-8", "save the file with texts in UTF-8")


def chosen_layer(label: str, layer: str | None, layers: Iterator[Any] | list[Any]) -> str:
    """The name of the layer to read; `layers` are pairs of name and type.

    You need not name the only layer with geometries. Tables without geometries hold styles and such.
    """
    names = [str(name) for name, kind in layers if kind is not None]
    listed = ", ".join(map(repr, names))
    if layer is not None and layer in names:
        return layer
    if layer is not None:
        raise RefusedError(f"{label} has no layer {layer!r}; its layers are {listed or 'without geometries'}")
    if len(names) == 1:
        return names[0]
    if not names:
        raise RefusedError(f"{label} has no layer with geometries")
    raise RefusedError(
        f"{label} has several layers: {listed}; name one with layer=, or read it with geopandas.read_file(…, layer=…)",
        names,
    )
