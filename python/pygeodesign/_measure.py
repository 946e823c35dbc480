"""`measure`: areas and lengths of geometries that are in no project."""

from __future__ import annotations

import warnings

from pygeodesign import _core

# Not from `typing`, whose import takes longer than that of the whole package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import pandas as pd

    from pygeodesign._core import _Geometries


def measure(geometries: _Geometries) -> pd.DataFrame:
    """Areas in hectares and lengths in kilometres, geodesic on WGS 84, by the code that prices diagrams.

    Areas are those of polygons without their holes, whatever the orientation of the rings; lengths are those of lines,
    not of outlines. Geometries are measured as they are, valid or not, on all processors. An edge is a geodesic: it
    takes the shorter way around the Earth, also across longitude 180. All figures agree with pyproj's `Geod` to 1e-9.

    Args:
        geometries: A GeoDataFrame or GeoSeries in any CRS, an Arrow stream such as a pyarrow Table with a GeoArrow
            column, GeoJSON as a dict or as text, a shapely geometry, a `FeatureCollection`, or a list of such. A Dask
            DataFrame or Series of geometries is measured partition by partition, when it is computed.

    Returns:
        A DataFrame with `area_ha` and `length_km`, one row for each geometry, in their order and with the index of
        the frame. A missing geometry has NaN, an empty one 0. For a Dask frame, a Dask DataFrame of that.

    Raises:
        InputError: A frame has no CRS (`set_crs(4326)` sets longitude and latitude), GeoJSON is in a CRS other than
            WGS 84, or something is no geometry; the message names the feature.
        ImportError: pandas, or a library that reads the geometries, is missing; `pip install 'pygeodesign[geo]'`
            installs them.

    Warns:
        UserWarning: A polygon goes around the whole Earth or is a band of all longitudes. Geodesics do not go that
            way, so its area is not the one on a flat map, and is often 0. `Project.costs()` takes it as unknown.

    Examples:
        >>> import pygeodesign
        >>> square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
        >>> line = {"type": "LineString", "coordinates": [[0, 0], [1, 0]]}
        >>> pygeodesign.measure([square, line]).round(3)
               area_ha  length_km
        0  1230877.836      0.000
        1        0.000    111.319
    """
    try:
        import pandas as pd
    except ImportError as missing:
        raise _core._missing_extra(missing) from missing

    if hasattr(geometries, "map_partitions"):
        partitions: pd.DataFrame = geometries.map_partitions(
            measure, meta=pd.DataFrame({"area_ha": [], "length_km": []}, dtype="float64")
        )
        return partitions

    from pygeodesign import _inputs

    index, encoded = _inputs.geometries(geometries)
    areas, lengths, around_the_earth = _core._measure(encoded)
    if around_the_earth:
        rows = ", ".join(map(str, around_the_earth[:5])) + (" …" if len(around_the_earth) > 5 else "")
        message = (
            f"polygons that go around the whole Earth have other geodesic areas than on a flat map: feature {rows}; "
            "cut them into polygons of less than 180 degrees of longitude"
        )
        warnings.warn(message, stacklevel=2)
    return pd.DataFrame({"area_ha": areas, "length_km": lengths}, index=index)
