"""Pictures of a project: costs against budgets, and a map of diagrams. For the extra `notebook`.

The charts are matplotlib's; `interactive_map` writes the page of a `pygeodesign.maps.WebMap`, which works without a
network.

    >>> from pygeodesign import Sandbox
    >>> from pygeodesign.plots import plot_map
    >>> with Sandbox() as sandbox:
    ...     axes = plot_map(sandbox.client().project("StatenIsland2050").diagrams())
    >>> axes.figure.savefig("map.png")
"""

from __future__ import annotations

from os import PathLike
from typing import Literal

from pygeodesign import Design, FeatureCollection, Project, Team
from pygeodesign._core import _missing_extra

try:
    from geopandas import GeoDataFrame

    from pygeodesign._pictures.charts import plot_costs
    from pygeodesign._pictures.map import plot_map
    from pygeodesign.maps import web_map
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

__all__ = ["interactive_map", "plot_costs", "plot_map"]


def interactive_map(
    diagrams: FeatureCollection | GeoDataFrame | Project,
    boundary: FeatureCollection | GeoDataFrame | None,
    path: str | PathLike[str],
    *,
    member: str | None = None,
    team: int | str | Team | None = None,
    design: str | Design | None = None,
    title: str | None = None,
    credits: str | None = None,
    currency: str = "",
    units: Literal["metric", "us"] = "metric",
    theme: Literal["light", "dark"] = "light",
) -> None:
    """Write a map to look around in, as one HTML file: pan, zoom, point for facts, switch systems in the legend.

    It is the page of `pygeodesign.maps.web_map`, which has further arguments. Everything that it needs is in the file.
    What is left out is the same as in `plot_map`. Facts are the id, title, author, system, size and years of a diagram,
    and its cost if a project or `CostReport.to_geopandas()` is given; where diagrams overlap, one tooltip lists up to
    four of them.

    Args:
        diagrams: As for `plot_map`.
        boundary: The outline of the study area, such as `Project.boundaries` returned, or None; of a project, None
            stands for its boundaries.
        path: Where to write the page; a file that is there is replaced.
        member: Of a project: only what this member selected.
        team: Of a project, where titles of several teams are alike: the team of the design; alone, its latest design.
        design: Of a project: only this design, the object, its id, its title or the unique start of one.
        title: The title of the page. Default: the name of the project, or of the boundary.
        credits: Below the map. Default: where the boundary is from, if it says so.
        currency: The currency of costs, such as `"USD"`, which no service tells.
        units: `"metric"`, or `"us"` for acres and miles.
        theme: `"light"` or `"dark"`.

    Raises:
        InputError: It is nothing that can be drawn on a map, a GeoDataFrame has no CRS, or the units or theme are
            unknown; or it is too much for a page.
        OSError: The page cannot be written.

    Examples:
        >>> from pathlib import Path
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     interactive_map(project, None, "map.html", currency="USD")
        >>> "<title>Staten Island 2050</title>" in Path("map.html").read_text(encoding="utf-8")
        True
    """
    web_map(
        diagrams,
        boundary,
        member=member,
        team=team,
        design=design,
        title=title,
        credits=credits,
        currency=currency,
        units=units,
        theme=theme,
    ).to_html(path)


# Where users find them.
for _function in (plot_costs, plot_map):
    _function.__module__ = __name__
