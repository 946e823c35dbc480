"""Files of external diagrams, read by GDAL."""

import geopandas
import pyogrio

from pygeodesign import _inputs
from pygeodesign.errors import ExternalFileError


def open_flatgeobuf(content: bytes, name: str) -> geopandas.GeoDataFrame:
    """A FlatGeobuf file as a GeoDataFrame in EPSG:4326. Errors call it by `name`."""
    try:
        frame = _read(content)
    except ExternalFileError as problem:
        raise ExternalFileError(f"{name}, cannot be opened: {problem}") from None
    # A file that is damaged on purpose leads to errors of pyogrio, pyarrow, shapely and pyproj, of any class.
    except Exception as problem:
        raise ExternalFileError(f"{name}, cannot be opened: GDAL cannot read it: {problem}") from problem
    return frame


def read_geometries(content: bytes, name: str) -> list[bytes | str | None]:
    """The geometries of a FlatGeobuf file as WKB in EPSG:4326; None where a feature has none."""
    return _inputs.geometries(open_flatgeobuf(content, name))[1]


def _read(content: bytes) -> geopandas.GeoDataFrame:
    if len(pyogrio.list_layers(content)) == 0:
        raise ExternalFileError("its header is damaged")
    driver = pyogrio.read_info(content)["driver"]
    if driver != "FlatGeobuf":
        # Some formats lead to further files.
        raise ExternalFileError(f"GDAL takes it for {driver}, not for FlatGeobuf")
    # As a stream of batches: otherwise memory is reserved for as many features as the file says that it has.
    frame = pyogrio.read_dataframe(content, use_arrow=True)
    if not isinstance(frame, geopandas.GeoDataFrame):
        raise ExternalFileError("it has no geometries")
    if frame.crs is None:
        raise ExternalFileError("it has no CRS, so its coordinates cannot be placed")
    return frame.to_crs(4326)
