"""Files with geometries that users pass in, read by GeoPandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pygeodesign._core import _missing_extra
from pygeodesign.errors import InputError

# GDAL as it comes with pyogrio does not read these.
_PARQUET = {".parquet", ".geoparquet", ".pq"}


def read(path: Path, layer: str | None) -> Any:
    """A layer of a file; the only layer with geometries need not be named."""
    if not _exists(path):
        raise InputError(
            f"{_shortened(str(path))!r} is not GeoJSON text, and no file has that path; the working folder is "
            f"{Path.cwd()}. Give the path of a file, or geometries: a GeoDataFrame, a shapely geometry, GeoJSON"
        )
    try:
        import geopandas
        import pyogrio
    except ImportError as missing:
        raise _missing_extra(missing) from missing
    try:
        if path.suffix.lower() in _PARQUET:
            frame: Any = geopandas.read_parquet(path)
        else:
            frame = geopandas.read_file(path, layer=_layer(path, layer, pyogrio.list_layers(path)), engine="pyogrio")
    except InputError:
        raise
    # Drivers of GDAL and readers of Parquet have errors of many classes.
    except Exception as problem:
        raise InputError(
            f"{path} cannot be read as a file with geometries; give a GeoPackage, GeoJSON, Shapefile, FlatGeobuf or "
            "GeoParquet file"
        ) from problem
    if not isinstance(frame, geopandas.GeoDataFrame):
        raise InputError(f"{path} has no geometries; make them of its columns with GeoPandas, then pass the frame")
    if frame.crs is None:
        raise InputError(
            f"{path} does not say its CRS, so its coordinates cannot be placed; read it with geopandas.read_file, and "
            "say what they are in with .set_crs(…)"
        )
    return frame


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        # Text that is too long for a path, or has a NUL.
        return False


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


def _layer(path: Path, layer: str | None, layers: Any) -> str:
    """The name of the layer to read; `layers` are pairs of name and type.

    Tables without geometries hold styles and such.
    """
    names = [str(name) for name, kind in layers if kind is not None]
    listed = ", ".join(map(repr, names))
    if layer is not None and layer in names:
        return layer
    if layer is not None:
        raise InputError(f"{path} has no layer {layer!r}; its layers are {listed or 'without geometries'}")
    if len(names) == 1:
        return names[0]
    if not names:
        raise InputError(f"{path} has no layer with geometries")
    raise InputError(
        f"{path} has several layers: {listed}; name one with layer=, or read it with geopandas.read_file(…, layer=…)"
    )
