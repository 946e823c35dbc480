"""Geometries that come in, from Python or from files, to one row per feature with WKB or GeoJSON text."""

import json
import math
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from pygeodesign._core import _missing_extra
from pygeodesign._file_reader import read_file, read_flatgeobuf
from pygeodesign._wrong_arguments import with_article
from pygeodesign.errors import InputError

# Names of the CRS that GeoJSON has (RFC 7946), as files have them.
_WGS84_NAMES = ("CRS84", "EPSG::4326", "EPSG:4326")


class Row(NamedTuple):
    """A feature: its label in the index, its geometry as WKB or GeoJSON text (None without), and its attributes."""

    label: Any
    geometry: bytes | str | None
    properties: dict[str, Any]


def rows(data: Any, layer: str | None = None) -> list[Row]:
    """The features of anything that holds geometries, in WGS 84. `layer` is a layer of a file."""
    path = _path(data)
    if path is not None:
        return _from_geopandas(read_file(path, layer))
    if layer is not None:
        raise InputError(f"layer= names a layer of a file; a {type(data).__name__} has none: leave layer= out")
    if isinstance(data, (str, bytes)):
        return _from_geojson(_parsed(data))
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
    """The index of anything that holds geometries, or None, and the geometries in WGS 84; None where there is none."""
    if hasattr(data, "to_crs") and hasattr(data, "crs"):
        series = _in_wgs84(data)
        return series.index, _wkb(series.array.to_numpy())
    if hasattr(data, "__arrow_c_stream__"):
        # First, because it is much faster than `__geo_interface__`.
        return None, _wkb(_in_wgs84(_frame_from_arrow(data)).array.to_numpy())
    path = _path(data)
    if path is not None:
        return geometries(read_file(path, None))
    if isinstance(data, (str, bytes)):
        data = _parsed(data)
    elif hasattr(data, "__geo_interface__") and not hasattr(data, "geom_type"):
        data = data.__geo_interface__
    if isinstance(data, Mapping):
        return None, [_geometry_text(index, feature) for index, feature in enumerate(_features(data))]
    if isinstance(data, Iterable):
        return None, [geometry for item in data for geometry in ([None] if item is None else geometries(item)[1])]
    # A shape; anything else is refused.
    return None, [row.geometry for row in rows(data)]


def _path(data: Any) -> Path | None:
    """The path that data is, if it is one: text that is no JSON."""
    if isinstance(data, PathLike):
        return Path(data)
    # A number, a word or a drive letter does not begin JSON of geometries, other JSON is refused as such.
    is_json = not isinstance(data, str) or data.lstrip("\ufeff \t\r\n").startswith(("{", "[", '"')) or not data.strip()
    return None if is_json else Path(data.strip())


def _from_geopandas(data: Any) -> list[Row]:
    series = _in_wgs84(data)
    shapes = _wkb(series.array.to_numpy())
    attributes = _attributes(data) if hasattr(data, "columns") else [{} for _ in shapes]
    return [Row(*row) for row in zip(series.index, shapes, attributes, strict=True)]


def _in_wgs84(data: Any) -> Any:
    """The GeoSeries of a GeoDataFrame, or a GeoSeries itself."""
    import geopandas

    series = data.geometry if hasattr(data, "geometry") else geopandas.GeoSeries(data)
    if series.crs is None:
        raise InputError(
            f"the {type(data).__name__} has no CRS, so its coordinates cannot be placed; say what they are in with "
            ".set_crs(…), for example .set_crs(4326) for longitude and latitude"
        )
    return series if series.crs.to_epsg() == 4326 else series.to_crs(4326)


def _wkb(shapes: Any) -> Any:
    import shapely

    # Every height, no measure; 1: little-endian.
    return shapely.to_wkb(shapes, output_dimension=3, byte_order=1, flavor="iso")


def _attributes(frame: Any) -> list[dict[str, Any]]:
    geometries = set(frame.select_dtypes("geometry").columns)
    others = [name for name in frame.columns if name not in geometries]
    records: list[dict[str, Any]] = frame[others].to_dict("records")
    return [{str(name): _plain(value) for name, value in record.items()} for record in records]


def _plain(value: Any) -> Any:
    """The value of a cell as JSON has it; a missing value becomes None."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if value is None or isinstance(value, (bool, int, str, list, dict)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return None if str(value) in ("NaT", "<NA>") else str(value)


def _from_shape(shape: Any) -> list[Row]:
    return [Row(0, _wkb(shape), {})]


def _frame_from_arrow(data: Any) -> Any:
    try:
        import geopandas
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    try:
        return geopandas.GeoDataFrame.from_arrow(data)
    except (TypeError, ValueError) as problem:
        raise InputError(f"the Arrow stream holds no geometries that GeoPandas can read: {problem}") from problem


def _parsed(text: str | bytes) -> Any:
    try:
        parsed = json.loads(text)
    except ValueError as problem:
        raise InputError(f"the text is not GeoJSON: {problem}") from problem
    if not isinstance(parsed, dict):
        raise InputError("the text is JSON, but not a GeoJSON object")
    return parsed


def _from_geojson(data: Mapping[str, Any]) -> list[Row]:
    return [_from_feature(index, feature) for index, feature in enumerate(_features(data))]


def _features(data: Mapping[str, Any]) -> Iterable[Any]:
    """The features of a GeoJSON object, which may be a feature or a geometry itself."""
    check_crs(data)
    kind = data.get("type")
    if kind == "FeatureCollection":
        features = data.get("features")
        if not isinstance(features, (list, tuple)):
            raise InputError("the FeatureCollection has no list of features")
        return features
    return [data if kind == "Feature" else {"type": "Feature", "geometry": data}]


def _from_feature(index: int, feature: Any) -> Row:
    text = _geometry_text(index, feature)
    properties = feature.get("properties")
    if not isinstance(properties, Mapping | None):
        raise InputError(f"feature {index}: its properties are not an object")
    return Row(index, text, dict(properties or {}))


def _geometry_text(index: int, feature: Any) -> str | None:
    if not isinstance(feature, Mapping) or feature.get("type") != "Feature":
        raise InputError(f"feature {index} is not a GeoJSON Feature")
    geometry = feature.get("geometry")
    if geometry is None:
        return None
    try:
        return json.dumps(geometry, allow_nan=False, default=_plain_or_fail)
    except ValueError as problem:
        raise InputError(f"feature {index}: a coordinate is NaN or infinite") from problem
    except TypeError as problem:
        raise InputError(f"feature {index}: {problem}") from problem


def _plain_or_fail(value: Any) -> Any:
    """Arrays and numbers of numpy as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no part of a GeoJSON geometry")


def check_crs(data: Mapping[str, Any]) -> None:
    """Refuse the `crs` member of old GeoJSON if it names a CRS other than WGS 84."""
    crs = data.get("crs")
    if crs is None:
        return
    name = str((crs.get("properties") or {}).get("name") if isinstance(crs, Mapping) else crs)
    if not name.endswith(_WGS84_NAMES):
        raise InputError(f"the GeoJSON is in {name}, not in WGS 84; reproject it first, for example with GeoPandas")


def read_geometries(content: bytes, name: str) -> list[bytes | str | None]:
    """The geometries of a FlatGeobuf file as WKB in EPSG:4326; None where a feature has none."""
    return geometries(read_flatgeobuf(content, name))[1]
