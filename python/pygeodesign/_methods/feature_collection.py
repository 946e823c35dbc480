"""A `FeatureCollection`'s methods in Python: frames, tables, pictures and maps.

`import pygeodesign` imports this file, so it imports no library: slow imports happen in the calls.
"""

from __future__ import annotations

from pygeodesign._core import FeatureCollection, _need
from pygeodesign._methods.added import method_of

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from geopandas import GeoDataFrame as _GeoDataFrame
    from matplotlib.axes import Axes
    from pyarrow import Table as _Table

    from pygeodesign.maps import WebMap


@method_of(FeatureCollection)
def to_geopandas(self: FeatureCollection) -> _GeoDataFrame:
    """The collection as a GeoDataFrame.

    A diagram of several features has several rows, each with all fields of the diagram. To sum a field of diagrams,
    such as their cost, use `CostReport.to_geopandas()`, which has one row per diagram.

    Returns:
        One row per feature, in EPSG:4326. Columns have the service's names, but `kind` distinguishes projects from
        policies: `frame.type` is each geometry's type. Free-form objects are JSON strings.

    Raises:
        ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

    Examples:
        >>> project.diagrams().to_geopandas().dtypes["start_date"]
        dtype('<M8[us]')
    """
    _need("geopandas", "pyarrow")
    from pygeodesign import _frames

    return _frames.to_geopandas(self)


@method_of(FeatureCollection)
def to_arrow(self: FeatureCollection, *, geometry: Literal["all", "present"] = "all") -> _Table:
    """The collection as a pyarrow Table.

    Args:
        geometry: `"all"`, or `"present"` to leave out rows with a null geometry, such as external
            diagrams, for tools that refuse them; the column is then not nullable.

    Returns:
        One row per feature; the column `geometry` is WKB, marked as GeoArrow with its CRS.

    Raises:
        InputError: `geometry` has another value.
        ImportError: pyarrow is missing; `pip install 'pygeodesign[geo]'` installs it.

    Examples:
        >>> project.diagrams().to_arrow().num_rows
        214
    """
    _need("pyarrow")
    from pygeodesign._arrow_tables import table_of

    return table_of(self, geometry)


@method_of(FeatureCollection)
def plot(
    self: FeatureCollection,
    boundary: FeatureCollection | _GeoDataFrame | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draws the features as a picture, like `pygeodesign.plots.plot_map`.

    Args:
        boundary: The outline of the study area, such as the result of `StudyArea.boundaries`.
        ax: The matplotlib axes to draw on. Default: new ones.
        options: Further arguments of `plot_map`, such as `title="Staten Island"`, `units="us"` or `theme="dark"`.

    Returns:
        The axes.

    Raises:
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.diagrams().plot(project.study_area.boundaries(), title="Staten Island 2050")
    """
    _need("matplotlib")
    from pygeodesign.plots import plot_map

    return plot_map(self, boundary, ax, **options)


@method_of(FeatureCollection)
def map(  # noqa: A001
    self: FeatureCollection, boundary: FeatureCollection | _GeoDataFrame | None = None, **options: Any
) -> WebMap:
    """Shows the features on an interactive map, made by `pygeodesign.maps.web_map`.

    Args:
        boundary: The outline of the study area, such as the result of `StudyArea.boundaries`.
        options: Further arguments of `web_map`, such as `title="Staten Island"`, `units="us"`, `theme="dark"` or
            `basemap="light"`.

    Returns:
        A `pygeodesign.maps.WebMap`, which a notebook shows; `to_html` writes it as one file that needs no network.

    Raises:
        ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` installs them.

    Examples:
        >>> water, area = project.system("Water").evaluation(), project.study_area.boundaries()
        >>> view = water.map(area, title="Where water needs room")
        >>> view.to_html("water.html")
    """
    _need("matplotlib")
    from pygeodesign.maps import web_map

    return web_map(self, boundary, **options)
