"""Pictures of a project: costs against budgets, and a map of diagrams. For the extra `notebook`.

The charts are matplotlib's; `interactive_map` is a page of its own that works without a network.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from geopandas import GeoDataFrame
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from pygeodesign import CostReport, FeatureCollection

INK = "#2b2f33"
FAINT = "#c9ced3"
LAND = "#f4f2ed"
OVER = "#b3261e"
NO_COLOR = "#7a8288"


def plot_costs(report: CostReport, ax: Axes | None = None) -> Axes:
    """Draw the cost of each system as a bar in its colour, with a mark at its budget.

    Args:
        report: The report to draw.
        ax: The axes to draw on. Default: new ones.

    Returns:
        The axes.

    Examples:
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     report = sandbox.client().project("StatenIsland2050").costs()
        >>> axes = plot_costs(report)
        >>> axes.get_ylabel()
        ''
    """
    systems = report.systems
    if ax is None:
        ax = pyplot.subplots(figsize=(9, 0.5 * len(systems) + 1.6), layout="constrained")[1]
    places = range(len(systems))
    costs = [system["cost"] for system in systems]
    ax.barh(places, costs, color=[system["color"] or NO_COLOR for system in systems], height=0.66)
    for place, system in zip(places, systems, strict=True):
        _mark_budget(ax, place, system["cost"], system["budget"])
    ax.set_yticks(places, [system["name"] for system in systems])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.4 * max([1.0, *costs, *(system["budget"] or 0 for system in systems)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda amount, _: _short(amount)))
    ax.set_title(f"Cost against budget, {_short(report.total)} in all", loc="left", color=INK)
    ax.legend(handles=[Line2D([], [], color=INK, linewidth=2.5, label="budget")], frameon=False, loc="upper right")
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, colors=INK)
    for side in ax.spines.values():
        side.set_visible(False)
    return ax


def _mark_budget(ax: Axes, place: int, cost: float, budget: float | None) -> None:
    over = budget is not None and cost > budget
    label = _short(cost)
    if budget is not None:
        label += f" of {_short(budget)}" + (f", {cost / budget - 1:.0%} over" if over and budget else "")
        ax.plot([budget, budget], [place - 0.4, place + 0.4], color=INK, linewidth=2.5, solid_capstyle="butt")
    end = max(cost, budget or 0)
    ax.annotate(
        label,
        (end, place),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        color=OVER if over else INK,
        weight="bold" if over else "normal",
    )


def _short(amount: float) -> str:
    for size, unit in ((1e9, " bn"), (1e6, " M"), (1e3, " k")):
        if abs(amount) >= size:
            return f"{amount / size:,.3g}{unit}"
    return f"{amount:,.0f}"


def plot_map(diagrams: FeatureCollection, boundary: FeatureCollection | None = None, ax: Axes | None = None) -> Axes:
    """Draw diagrams in their systems' colours over the study area: projects filled, policies as outlines.

    Args:
        diagrams: What `Project.diagrams`, `design` or `selection` returned.
        boundary: The outline of the study area.
        ax: The axes to draw on. Default: new ones.

    Returns:
        The axes, in degrees of longitude and latitude.

    Examples:
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     axes = plot_map(project.diagrams(), project.boundaries())
        >>> len(axes.get_legend().get_texts())
        10
    """
    if ax is None:
        ax = pyplot.subplots(figsize=(9, 8.2), layout="constrained")[1]
    if boundary is not None:
        boundary.to_geopandas().plot(ax=ax, color=LAND, edgecolor=INK, linewidth=0.8)
    drawn = _drawable(diagrams)
    policies, projects = drawn[drawn["areatype"] == "policy"], drawn[drawn["areatype"] != "policy"]
    areas, lines = _by_dimension(projects)
    if len(policies):
        policies.boundary.plot(ax=ax, color=policies["color"].tolist(), linewidth=1.1, linestyle=(0, (4, 2)), alpha=0.8)
    if len(areas):
        areas.plot(ax=ax, color=areas["color"].tolist(), edgecolor="white", linewidth=0.4, alpha=0.85)
    if len(lines):
        lines.plot(ax=ax, color=lines["color"].tolist(), linewidth=1.8)
    systems = drawn.drop_duplicates("sysid").sort_values("sysid")
    legend: list[Patch | Line2D] = [
        Patch(color=color, label=name) for name, color in zip(systems["sysname"], systems["color"], strict=True)
    ]
    legend.append(Line2D([], [], color=INK, linestyle=(0, (4, 2)), linewidth=1.1, label="policy"))
    ax.legend(handles=legend, frameon=False, loc="upper left")
    ax.set_axis_off()
    return ax


def interactive_map(
    diagrams: FeatureCollection, boundary: FeatureCollection, path: str | PathLike[str], *, title: str = "Diagrams"
) -> None:
    """Write a map to look around in, as one HTML file: pan, zoom, hover for facts, click a system to hide it.

    Everything that it needs is in the file. With a network, streets appear under the diagrams.

    Args:
        diagrams: What `Project.diagrams`, `design` or `selection` returned.
        boundary: The outline of the study area.
        path: Where to write the page.
        title: The title of the page.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from pygeodesign import Sandbox
        >>> page = Path(tempfile.mkdtemp()) / "map.html"
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     interactive_map(project.diagrams(), project.boundaries(), page)
        >>> "Staten" in page.read_text() or page.stat().st_size > 100_000
        True
    """
    from bokeh.embed import file_html
    from bokeh.models import HoverTool
    from bokeh.plotting import figure
    from bokeh.resources import INLINE

    mercator = "EPSG:3857"
    tips = [("", "@description"), ("system", "@sysname"), ("kind", "@areatype"), ("by", "@author"), ("years", "@years")]
    # Its stubs know neither hover_ properties nor sources that differ by glyph.
    plot: Any = figure(
        title=title,
        x_axis_type="mercator",
        y_axis_type="mercator",
        match_aspect=True,
        sizing_mode="stretch_both",
        tools="pan,wheel_zoom,box_zoom,reset,save",
        active_scroll="wheel_zoom",
        background_fill_color="#e9eef2",
    )
    plot.add_tile("OpenStreetMap Mapnik", alpha=0.5)
    outline = boundary.to_geopandas().to_crs(mercator)
    plot.multi_polygons(**_polygon_paths(outline), fill_color=LAND, fill_alpha=0.5, line_color=INK)
    drawn = _drawable(diagrams).to_crs(mercator)
    drawn["years"] = drawn["start_date"].dt.year.astype(str) + "–" + drawn["end_date"].dt.year.astype(str)
    facts = ["description", "sysname", "areatype", "author", "years"]
    renderers: list[Any] = []
    for _, system in drawn.groupby("sysid"):
        areas, lines = _by_dimension(system)
        style: dict[str, Any] = {"legend_label": system["sysname"].iloc[0], "line_color": system["color"].iloc[0]}
        fill = {"fill_color": style["line_color"], "hover_fill_alpha": 0.9}
        for kind, alpha, dash in (("project", 0.6, "solid"), ("policy", 0.08, "dashed")):
            part = areas[areas["areatype"] == kind]
            data = {**_polygon_paths(part), **part[facts].to_dict("list")}
            renderers.append(
                plot.multi_polygons("xs", "ys", source=data, fill_alpha=alpha, line_dash=dash, **fill, **style)
            )
        paths = {**_line_paths(lines), **lines.explode()[facts].to_dict("list")}
        renderers.append(plot.multi_line("xs", "ys", source=paths, line_width=3, hover_line_width=6, **style))
    plot.add_tools(HoverTool(tooltips=tips, renderers=renderers))
    plot.legend.click_policy = "hide"
    plot.add_layout(plot.legend[0], "right")
    Path(path).write_text(file_html(plot, INLINE, title), encoding="utf-8")


def _drawable(diagrams: FeatureCollection) -> GeoDataFrame:
    """The rows that have a geometry and a system's colour."""
    frame = diagrams.to_geopandas()
    frame = frame[frame.geometry.notna()]
    return frame.assign(color=frame["color"].fillna(NO_COLOR))


def _by_dimension(frame: GeoDataFrame) -> tuple[GeoDataFrame, GeoDataFrame]:
    lines = frame.geometry.type.isin(["LineString", "MultiLineString"])
    areas = frame.geometry.type.isin(["Polygon", "MultiPolygon"])
    return frame[areas], frame[lines]


def _polygon_paths(frame: GeoDataFrame) -> dict[str, Sequence[Any]]:
    """Rings as bokeh has them: per feature, per polygon, per ring, the exterior first."""
    features = [list(getattr(geometry, "geoms", [geometry])) for geometry in frame.geometry]
    rings = [[[part.exterior, *part.interiors] for part in parts] for parts in features]
    return {
        name: [[[list(ring.xy[axis]) for ring in part] for part in parts] for parts in rings]
        for axis, name in enumerate(("xs", "ys"))
    }


def _line_paths(frame: GeoDataFrame) -> dict[str, Sequence[Any]]:
    lines = frame.geometry.explode()
    return {name: [list(line.xy[axis]) for line in lines] for axis, name in enumerate(("xs", "ys"))}
