"""Pictures of a project: costs against budgets, and a map of diagrams. For the extra `notebook`.

The charts are matplotlib's; `interactive_map` is a page of its own that works without a network.

    >>> from pygeodesign import Sandbox
    >>> from pygeodesign.plots import plot_map
    >>> with Sandbox() as sandbox:
    ...     axes = plot_map(sandbox.client().project("StatenIsland2050").diagrams())
    >>> axes.figure.savefig("map.png")
"""

from os import PathLike
from pathlib import Path
from typing import Any

from pygeodesign import CostReport, FeatureCollection
from pygeodesign._core import _missing_extra
from pygeodesign.types import SystemCost

try:
    from matplotlib import pyplot
    from matplotlib.axes import Axes
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.patheffects import withStroke
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    from pygeodesign._picture_parts import (
        by_dimension,
        color,
        drawable,
        facts,
        line_paths,
        polygon_paths,
        short_name,
        with_shapes,
    )
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

__all__ = ["interactive_map", "plot_costs", "plot_map"]

INK = "#2b2f33"
FAINT = "#c9ced3"
LAND = "#f4f2ed"
OVER = "#b3261e"
DASHES = (0, (4, 2))


def plot_costs(report: CostReport, ax: Axes | None = None) -> Axes:
    """Draw the cost of each system as a bar in its colour, with a mark at its budget.

    The first system is at the top. To the right of each bar are the cost and the budget as text, in red where the cost
    is beyond the budget. A system without a budget has no mark; one without a colour is grey. Diagrams of a system for
    which no rate is set, and diagrams without a known cost, are counted under the amounts of their system.

    Args:
        report: The report to draw.
        ax: The axes to draw on, best of a figure with `layout="constrained"`, which makes room for names and amounts.
            Default: the axes of a new figure.

    Returns:
        The axes. Along x are costs and budgets, in the project's currency.

    Examples:
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     report = sandbox.client().project("StatenIsland2050").costs()
        >>> axes = plot_costs(report)
        >>> axes.get_title("left")
        'Cost against budget, 13.1 bn in all'
        >>> [bar.get_width() for bar in axes.patches] == [system["cost"] for system in report.systems]
        True
    """
    systems = report.systems
    if ax is None:
        ax = _new_axes(9, 0.5 * len(systems) + 1.8)
    places = range(len(systems))
    costs = [system["cost"] for system in systems]
    budgets = {place: system["budget"] for place, system in enumerate(systems) if system["budget"] is not None}
    colors = [color(system["color"]) for system in systems]
    # The thin edge is for a bar as light as the paper.
    ax.barh(places, costs, height=0.66, color=colors, edgecolor=FAINT, linewidth=0.6)
    ax.vlines(
        list(budgets.values()),
        [place - 0.4 for place in budgets],
        [place + 0.4 for place in budgets],
        color=INK,
        linewidth=2.5,
        # On a bar as dark as itself, too, a mark is seen.
        path_effects=[withStroke(linewidth=4, foreground="white")],
    )
    for place, system in enumerate(systems):
        _write_amounts(ax, place, system)
    ax.set_yticks(places, [short_name(system["name"]) for system in systems], parse_math=False)
    ax.set_ylim(max(len(systems), 1) - 0.5, -0.5)
    _set_range_of_amounts(ax, [*costs, *budgets.values()])
    unpriced = f", {_diagrams(report.unpriced)} not priced" if report.unpriced else ""
    ax.set_title(f"Cost against budget, {_short(report.total)} in all{unpriced}", loc="left", color=INK)
    mark = [Line2D([], [], color=INK, linewidth=2.5, label="budget")] if budgets else []
    # Below the amounts at the axis, whatever the height of the figure.
    ax.legend(handles=mark, frameon=False, loc="upper left", bbox_to_anchor=(0, 0), borderaxespad=2)
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, colors=INK)
    for side in ax.spines.values():
        side.set_visible(False)
    return ax


def _new_axes(width: float, height: float) -> Axes:
    """The axes of a figure of so many inches, in which everything keeps some distance from the edge."""
    margins = ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.15)
    return pyplot.subplots(figsize=(width, height), layout=margins)[1]


def _write_amounts(ax: Axes, place: int, system: SystemCost) -> None:
    cost, budget = system["cost"], system["budget"]
    over = budget is not None and cost > budget
    text = _short(cost)
    text += ", no budget" if budget is None else f" of {_short(budget)}"
    if budget is not None and over:
        share = cost / budget - 1 if budget > 0 else 0.0
        text += f", {share:,.0%} over" if share >= 0.01 else ", over"
    if system["without_rate"]:
        text += f"\nno rate set: {_diagrams(system['without_rate'])}"
    elif system["unpriced"]:
        text += f"\nnot priced: {_diagrams(system['unpriced'])}"
    ax.annotate(
        text,
        (1, place),
        xycoords=ax.get_yaxis_transform(),
        xytext=(8, 0),
        textcoords="offset points",
        va="center_baseline",
        color=OVER if over else INK,
        weight="bold" if over else "normal",
        annotation_clip=False,
    )


def _diagrams(count: int) -> str:
    return f"{count} diagram{'' if count == 1 else 's'}"


def _set_range_of_amounts(ax: Axes, amounts: list[float]) -> None:
    """From 0, or the least amount where that is less, to a little more than the largest."""
    low, high = min([0.0, *amounts]), max([0.0, *amounts])
    margin = 0.04 * (high - low) or 1.0
    ax.set_xlim(low - (margin if low < 0 else 0), high + margin)
    ax.xaxis.set_major_locator(_AmountLocator(ax))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda amount, _: _short(amount)))


class _AmountLocator(MaxNLocator):
    """Ticks at whole amounts, so that no two are written alike, half as many as there is room for short numbers."""

    def __init__(self, ax: Axes) -> None:
        super().__init__(integer=True, steps=[1, 2, 2.5, 5, 10])
        self._room = ax.xaxis.get_tick_space

    def __call__(self) -> Any:
        self.set_params(nbins=max(1, self._room() // 2))
        return super().__call__()


def _short(amount: float) -> str:
    for size, unit in ((1e9, " bn"), (1e6, " M"), (1e3, " k")):
        # What would be rounded to 1,000 of a unit is 1 of the next.
        if abs(amount) >= 0.9995 * size:
            count = amount / size
            return f"{count:,.0f}{unit}" if abs(count) >= 999.5 else f"{count:.3g}{unit}"
    return f"{amount:,.0f}"


def plot_map(diagrams: FeatureCollection, boundary: FeatureCollection | None = None, ax: Axes | None = None) -> Axes:
    """Draw diagrams in their systems' colours over the study area: projects filled, policies as dashed outlines.

    Beside the map is a legend of the systems that have something on it. Diagrams without a geometry are left out, and
    so are points. A diagram whose kind is not known is drawn as a project.

    Args:
        diagrams: What `Project.diagrams`, `diagram`, `design` or `selection` returned.
        boundary: The outline of the study area, such as `Project.boundaries` returned.
        ax: The axes to draw on, best of a figure with `layout="constrained"`, which makes room for the legend.
            Default: the axes of a new figure.

    Returns:
        The axes, in degrees: longitude along x, latitude along y.

    Raises:
        InputError: The features are not those of diagrams.

    Examples:
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     axes = plot_map(project.diagrams(), project.boundaries())
        >>> [text.get_text() for text in axes.get_legend().get_texts()][-3:]
        ['Low-density housing', 'High-density housing', 'policy']
    """
    drawn = drawable(diagrams)
    if ax is None:
        ax = _new_axes(9, 6.6)
    outline = None if boundary is None else with_shapes(boundary)
    if outline is not None and len(outline):
        outline.plot(ax=ax, color=LAND, edgecolor=INK, linewidth=0.8)
    policies, projects = drawn[drawn["is_policy"]], drawn[~drawn["is_policy"]]
    areas, lines = by_dimension(projects)
    policy_areas, policy_lines = by_dimension(policies)
    for frame, shapes, style in (
        (policy_areas, policy_areas.boundary, {"linewidth": 1.1, "linestyle": DASHES, "alpha": 0.8}),
        (policy_lines, policy_lines.geometry, {"linewidth": 1.8, "linestyle": DASHES, "alpha": 0.8}),
        (areas, areas.geometry, {"edgecolor": "white", "linewidth": 0.4, "alpha": 0.85}),
        (lines, lines.geometry, {"linewidth": 1.8}),
    ):
        if len(frame):
            shapes.plot(ax=ax, color=frame["color"].tolist(), **style)
    systems = drawn.drop_duplicates("sysid").sort_values("sysid")
    entries: list[Patch | Line2D] = [
        Patch(color=hue, label=short_name(name)) for name, hue in zip(systems["sysname"], systems["color"], strict=True)
    ]
    if len(policies):
        entries.append(Line2D([], [], color=INK, linestyle=DASHES, linewidth=1.1, label="policy"))
    # Beside the map: on it, the names would lie over diagrams.
    legend = ax.legend(handles=entries, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    for text in legend.get_texts():
        text.set_parse_math(False)
    # Close to the legend, for which there would not be enough room if blank space lay between them.
    ax.set_anchor("E")
    ax.set_axis_off()
    return ax


def interactive_map(
    diagrams: FeatureCollection, boundary: FeatureCollection, path: str | PathLike[str], *, title: str = "Diagrams"
) -> None:
    """Write a map to look around in, as one HTML file: pan, zoom, hover for facts, click a system to hide it.

    Everything that it needs is in the file. With a network, streets appear under the diagrams. What is left out is the
    same as in `plot_map`.

    Args:
        diagrams: What `Project.diagrams`, `diagram`, `design` or `selection` returned.
        boundary: The outline of the study area, such as `Project.boundaries` returned.
        path: Where to write the page; a file that is there is replaced.
        title: The title of the page.

    Raises:
        InputError: The features are not those of diagrams.
        OSError: The page cannot be written.

    Examples:
        >>> from pathlib import Path
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     interactive_map(project.diagrams(), project.boundaries(), "map.html", title="Staten Island")
        >>> "<title>Staten Island</title>" in Path("map.html").read_text(encoding="utf-8")
        True
    """
    try:
        from bokeh.embed import file_html
        from bokeh.models import HoverTool
        from bokeh.plotting import figure
        from bokeh.resources import INLINE
    except ImportError as _missing:
        raise _missing_extra(_missing) from _missing

    mercator = "EPSG:3857"
    drawn = drawable(diagrams).to_crs(mercator)
    outline = by_dimension(with_shapes(boundary).to_crs(mercator))[0]
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
    plot.multi_polygons(**polygon_paths(outline), fill_color=LAND, fill_alpha=0.5, line_color=INK)
    renderers: list[Any] = []
    for _, system in drawn.groupby("sysid", dropna=False):
        name, hue = system["sysname"].iloc[0], system["color"].iloc[0]
        for is_policy, dash, alpha in ((False, "solid", 0.6), (True, "dashed", 0.08)):
            areas, lines = by_dimension(system[system["is_policy"] == is_policy])
            style = {"legend_label": short_name(name), "line_color": hue, "line_dash": dash}
            fill = {"fill_color": hue, "fill_alpha": alpha, "hover_fill_alpha": 0.9}
            sources = {**polygon_paths(areas), **facts(areas)}, {**line_paths(lines), **facts(lines)}
            if len(areas):
                renderers.append(plot.multi_polygons("xs", "ys", source=sources[0], **fill, **style))
            if len(lines):
                renderers.append(
                    plot.multi_line("xs", "ys", source=sources[1], line_width=3, hover_line_width=6, **style)
                )
    if renderers:
        tips = [("", "@description"), *((name, f"@{name}") for name in ("system", "kind", "by", "years"))]
        plot.add_tools(HoverTool(tooltips=tips, renderers=renderers))
        plot.legend.click_policy = "hide"
        plot.add_layout(plot.legend[0], "right")
    Path(path).write_text(file_html(plot, INLINE, title), encoding="utf-8")
