"""Converts geometries from Python or from files to one row per feature with WKB or GeoJSON text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from pygeodesign._core import _crs_name, _missing_extra
from pygeodesign._reading.crs import transform
from pygeodesign._reading.rows import Reason, RefusedError
from pygeodesign._reading.shapes import to_wkb
from pygeodesign._reading.table import (
    NO_FEATURE,
    NO_OBJECT,
    Row,
    Table,
    in_wgs84,
    read_file,
    read_flatgeobuf,
    rows_of_geojson,
)
from pygeodesign._reading.values import plain
from pygeodesign._wrong_arguments import with_article
from pygeodesign.errors import InputError


def rows(data: Any, layer: str | None = None) -> list[Row]:
    """The features of any object that holds geometries, in WGS 84. `layer` is a layer of a file."""
    try:
        return _rows(data, layer)
    except RefusedError as refused:
        raise InputError(str(refused)) from None


def _rows(data: Any, layer: str | None) -> list[Row]:
    if isinstance(data, Table):
        return data.rows
    path = _path(data)
    if path is not None:
        return read_file(path, layer).rows
    if layer is not None:
        raise InputError(f"layer= names a layer of a file; a {type(data).__name__} has none: leave layer= out")
    if isinstance(data, (str, bytes)):
        return rows_of_geojson(data.encode() if isinstance(data, str) else data, "the text")
    if hasattr(data, "to_crs") and hasattr(data, "crs"):
        return _from_geopandas(data)
    if isinstance(data, Mapping):
        return _from_geojson(data)
    if hasattr(data, "__geo_interface__"):
        return _from_shape(data) if hasattr(data, "geom_type") else _from_geojson(data.__geo_interface__)
    if hasattr(data, "__arrow_c_stream__"):
        return _from_geopandas(_frame_from_arrow(data))
    if isinstance(data, Iterable):
        return [row._replace(label=index) for index, item in enumerate(data) for row in rows(item)]
    raise InputError(
        f"no geometry can be made of {with_article(type(data).__name__)}; give a GeoDataFrame, a GeoSeries, a shapely "
        "geometry, anything with __geo_interface__ or an Arrow stream, GeoJSON as a dict or as text, or the path of a "
        "file"
    )


def geometries(data: Any) -> tuple[Any, list[bytes | str | None]]:
    """The index, or None, and the geometries in WGS 84 of any object that holds geometries; a missing one is None."""
    if hasattr(data, "to_crs") and hasattr(data, "crs"):
        series = _series(data)
        return series.index, _wkb_in_wgs84(series)
    if hasattr(data, "__arrow_c_stream__"):
        # First, because it is much faster than `__geo_interface__`.
        return None, _wkb_in_wgs84(_series(_frame_from_arrow(data)))
    is_one = isinstance(data, (str, bytes, Mapping, PathLike)) or hasattr(data, "__geo_interface__")
    if isinstance(data, Iterable) and not is_one:
        return None, [geometry for item in data for geometry in ([None] if item is None else geometries(item)[1])]
    found = rows(data)
    for number, row in enumerate(found):
        if row.problem:
            raise InputError(f"feature {number}: {row.problem}")
    return None, [row.geometry for row in found]


def _path(data: Any) -> Path | None:
    """The path, if the data is one: a string that is not JSON."""
    if isinstance(data, PathLike):
        return Path(data).expanduser()
    # JSON of geometries does not begin with a number, a word or a drive letter; other JSON is refused as such.
    is_json = not isinstance(data, str) or data.lstrip("\ufeff \t\r\n").startswith(("{", "[", '"')) or not data.strip()
    return None if is_json else Path(data.strip()).expanduser()


def _from_geopandas(data: Any) -> list[Row]:
    series = _series(data)
    shapes = _wkb_in_wgs84(series)
    attributes = _attributes(data) if hasattr(data, "columns") else [{} for _ in shapes]
    return [Row(*row) for row in zip(series.index, shapes, attributes, strict=True)]


def _series(data: Any) -> Any:
    """The GeoSeries of a GeoDataFrame, an array of geometries, or a GeoSeries itself."""
    import geopandas

    series = data.geometry if hasattr(data, "geometry") else geopandas.GeoSeries(data)
    if series.crs is None:
        raise InputError(
            f"the {type(data).__name__} has no CRS, so its coordinates cannot be placed; set it with "
            ".set_crs(…), for example .set_crs(4326) for longitude and latitude"
        )
    return series


def _wkb_in_wgs84(series: Any) -> list[bytes | str | None]:
    try:
        is_elsewhere = transform(series.crs, "the GeoDataFrame") is not None
    except RefusedError as refused:
        raise InputError(str(refused)) from None
    return list(to_wkb((series.to_crs(4326) if is_elsewhere else series).array.to_numpy()))


def _attributes(frame: Any) -> list[dict[str, Any]]:
    geometries = set(frame.select_dtypes("geometry").columns)
    others = [name for name in frame.columns if name not in geometries]
    records: list[dict[str, Any]] = frame[others].to_dict("records")
    return [{str(name): plain(value) for name, value in record.items()} for record in records]


def _from_shape(shape: Any) -> list[Row]:
    return [Row(0, to_wkb(shape), {})]


def _frame_from_arrow(data: Any) -> Any:
    try:
        import geopandas
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    try:
        return geopandas.GeoDataFrame.from_arrow(data)
    except (TypeError, ValueError) as problem:
        raise InputError(f"the Arrow stream holds no geometries that GeoPandas can read: {problem}") from problem


def _from_geojson(data: Mapping[str, Any]) -> list[Row]:
    features = [_from_feature(index, feature) for index, feature in enumerate(_features(data))]
    whole = _name_of_crs(data)
    return in_wgs84([row for row, _ in features], [own or whole for _, own in features], "the GeoJSON")


def _features(data: Mapping[str, Any]) -> Iterable[Any]:
    """The features of a GeoJSON object, which may be a feature or a geometry itself."""
    kind = data.get("type")
    if kind == "FeatureCollection":
        features = data.get("features")
        if not isinstance(features, (list, tuple)):
            raise InputError("the FeatureCollection has no list of features")
        return features
    return [data if kind == "Feature" else {"type": "Feature", "geometry": data}]


def _from_feature(index: int, feature: Any) -> tuple[Row, str | None]:
    """The row of a feature, and the name of its own CRS if that is not WGS 84."""
    if not isinstance(feature, Mapping) or feature.get("type") != "Feature":
        return Row(index, None, {}, NO_FEATURE), None
    geometry, properties = feature.get("geometry"), feature.get("properties")
    if not isinstance(properties, Mapping | None):
        return Row(index, None, {}, NO_OBJECT), None
    attributes = {str(name): plain(value) for name, value in (properties or {}).items()}
    if geometry is None:
        return Row(index, None, attributes), None
    name = None
    if isinstance(geometry, Mapping):
        name = _name_of_crs(geometry) or _name_of_crs(feature)
        geometry = {name: value for name, value in geometry.items() if name != "crs"}
    try:
        text = json.dumps(geometry, allow_nan=False, default=_plain_or_fail)
    except ValueError:
        return Row(index, None, attributes, Reason("a coordinate is NaN or infinite", "correct it")), None
    except TypeError as problem:
        return Row(index, None, attributes, Reason(str(problem), "give numbers")), None
    return Row(index, text, attributes), name


def _name_of_crs(data: Mapping[str, Any]) -> str | None:
    crs = data.get("crs")
    return None if crs is None else _crs_name(json.dumps(crs))


def _plain_or_fail(value: Any) -> Any:
    """Arrays and numbers of numpy as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be part of a GeoJSON geometry")


def read_geometries(content: bytes, name: str) -> list[bytes | str | None]:
    """The geometries of a FlatGeobuf file as WKB in EPSG:4326; None where a feature has none."""
    return [row.geometry for row in read_flatgeobuf(content, name).rows]
