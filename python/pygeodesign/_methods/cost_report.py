"""A `CostReport`'s methods in Python: a frame, a picture, a workbook, and the diagrams behind its figures.

`import pygeodesign` imports this file, so it imports no library: slow imports happen in the calls.
"""

from __future__ import annotations

from pygeodesign._core import CostReport, FeatureCollection, _need
from pygeodesign._methods.added import method_of
from pygeodesign._options import currency_of

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from geopandas import GeoDataFrame as _GeoDataFrame
    from matplotlib.axes import Axes
    from pandas import DataFrame


@method_of(CostReport)
def to_geopandas(self: CostReport) -> _GeoDataFrame:
    """The priced diagrams as a GeoDataFrame, one row each with all fields, the cost and all shapes.

    `FeatureCollection.to_geopandas()` has a row for each feature. Costs joined to it would count a diagram of several
    features several times.

    Returns:
        One row per diagram, in the order of `diagrams` and in EPSG:4326. The geometry is a MultiPolygon,
        MultiLineString or MultiPoint of the shapes of all features, a GeometryCollection if they are of several kinds,
        or None. The columns are those of the frame of `Project.diagrams()`, with the values of the first feature where
        features differ and `title` in place of `description`, then `area_ha`, `area_source`, `area_figure`,
        `area_problem`, `length_km`, `rate`, `rate_source`, `cost`, `cost_problem`, `geometry_problem` and
        `file_problem` as in `diagrams`; in a report on land inside the study area also `outside_ha`, `outside_km` and
        `outside_note`, while geometries stay whole. The geometry of an external diagram is None; `Project.external()`
        reads it. A field of the service with one of these names is called `properties.cost`, and so on.

    Raises:
        ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

    Examples:
        >>> frame = project.costs().to_geopandas()
        >>> len(frame), round(frame["cost"].sum()) == round(project.costs().total)
        (180, True)
    """
    _need("geopandas", "pyarrow")
    from pygeodesign._frames import costs_to_geopandas

    return costs_to_geopandas(self._features, self.to_pandas("diagrams"))


@method_of(CostReport)
def explain(
    self: CostReport,
    system: str | int | None = None,
    *,
    boundaries: FeatureCollection | _GeoDataFrame | None = None,
) -> DataFrame:
    """The diagrams behind a figure, such as the cost or the hectares of a system, with the share of each.

    Args:
        system: The system, by name or id. Default: all systems.
        boundaries: The study area, such as `project.boundaries()` or a GeoDataFrame. Default: `outside_ha` is
            unknown. A report on land inside the study area needs them.

    Returns:
        A DataFrame with one row per diagram, by `diagramid`, the most expensive first: `system`, `title`, `kind`,
        `cost` with its `rate` and `rate_source`, `area_ha` with its `area_source`, `length_km`, `outside_ha` (its land
        outside the study area), `overlap_ha` (its land that other diagrams of the report cover too), `overlaps` (the
        ids of these), `start_date` and `end_date`. Where diagrams overlap, `cost` and `area_ha` count both;
        `attrs["land_ha"]` is the land under all rows, each place once.

    Raises:
        InputError: No system has that name, `boundaries` is not a map, or the report needs them.
        ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

    Examples:
        >>> report = project.costs()
        >>> rows = report.explain("Transport", boundaries=project.study_area.boundaries())
        >>> bool(abs(rows["cost"].sum() - report.systems[4]["cost"]) < 0.01)
        True
        >>> rows["rate_source"].value_counts().to_dict()
        {'system': 10, 'override': 7, 'policy': 5, 'total': 4}
    """
    _need("geopandas", "pyarrow")
    from pygeodesign._planning.questions.explain import explain_report

    return explain_report(self, system, boundaries)


@method_of(CostReport)
def plot(self: CostReport, ax: Axes | None = None, **options: Any) -> Axes:
    """Draws cost against budget of each system, as bars in the systems' colours.

    Args:
        ax: The matplotlib axes to draw on. Default: new ones.
        options: Further arguments of `pygeodesign.plots.plot_costs`, such as `title="Design 1"` or `currency="USD"`.

    Returns:
        The axes.

    Raises:
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.costs().plot(currency="USD")
    """
    _need("matplotlib")
    from pygeodesign.plots import plot_costs

    return plot_costs(self, ax, **options)


@method_of(CostReport)
def to_excel(
    self: CostReport, path: str | PathLike[str], *, title: str | None = None, currency: str | None = None
) -> None:
    """Writes an Excel workbook with formulas: change a rate or a budget, and costs and differences follow.

    The sheet Rates has each system's rate and budget; a rate that no diagram uses is empty. Diagrams has a
    row per diagram with a formula for its cost, Systems the sums, Notes the terms. Results are in the file,
    too, for programs that do not calculate. Sizes are in hectares and kilometres.

    Args:
        path: The file to write; an existing file is replaced.
        title: The subject of the workbook; it is printed on each page. Default: the report's subject.
        currency: The currency of all amounts, such as `"USD"`. Default: from the project, or else from
            `pygeodesign.options`.

    Raises:
        OSError: The file cannot be written.
        ImportError: XlsxWriter is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> project.costs().to_excel("costs.xlsx", title="Staten Island 2050", currency="USD")
    """
    _need("xlsxwriter")
    from pathlib import Path

    from pygeodesign import _cost_workbook

    _cost_workbook.write(
        self, Path(path).expanduser(), self._title if title is None else title, currency_of(currency, self.currency)
    )
