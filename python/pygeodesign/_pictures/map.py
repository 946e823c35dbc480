"""Maps of diagrams, evaluations and any other features."""

from __future__ import annotations

from typing import Any, Literal

from geopandas import GeoDataFrame
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pygeodesign import FeatureCollection, Project
from pygeodesign._pictures.chart import new_axes
from pygeodesign._pictures.furniture import draw_furniture
from pygeodesign._pictures.shown import Shown, shown
from pygeodesign._pictures.text import (
    LINE_HEIGHT,
    cell_size,
    font_size,
    line_scale,
    points,
    short_name,
    text_width,
    write_title,
)
from pygeodesign._pictures.theme import Theme, theme_for, visible
from pygeodesign._pictures.units import Units, units_named

DASHES = (0, (4, 2))


def plot_map(
    diagrams: FeatureCollection | GeoDataFrame | Project,
    boundary: FeatureCollection | GeoDataFrame | None = None,
    ax: Axes | None = None,
    *,
    member: str | None = None,
    team: int | None = None,
    design: str | None = None,
    title: str | None = None,
    credits: str | None = None,
    units: Literal["metric", "us"] = "metric",
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draw diagrams in their systems' colours over the study area: projects filled, policies as dashed outlines.

    Beside the map, or below it where it is larger so, is a legend of what is on it. Below are a scale bar, an arrow to
    the north and the source of the study area. Rows without a geometry are left out, and so are points. A diagram whose
    kind is not known is drawn as a project.

    Args:
        diagrams: What `Project.diagrams`, `diagram`, `design`, `selection` or `evaluation` returned, or any
            GeoDataFrame, which is drawn in the colours of its column `color`. A project stands for its diagrams and
            boundaries, or its bounds where it has no boundaries; its name becomes the title.
        boundary: The outline of the study area, such as `Project.boundaries` returned.
        ax: The axes to draw on, best of a figure with `layout="constrained"`, which makes room for the legend.
            Default: the axes of a new figure.
        member: Of a project: only what this member selected.
        team: Of a project, with `design`: only this team's design.
        design: Of a project, with `team`: the id of the design.
        title: The title, above the line that says what is shown. Default: the name of the project, or of the boundary.
        credits: Below the map. Default: where the boundary is from, if it says so.
        units: `"metric"`, or `"us"` for a scale bar in miles.
        theme: `"light"` or `"dark"`, which colours the figure. Default: what fits the colour of the figure.

    Returns:
        The axes, in degrees: longitude along x, latitude along y.

    Raises:
        InputError: It is nothing that can be drawn on a map, a GeoDataFrame has no CRS, or the units or theme are
            unknown.

    Examples:
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     axes = plot_map(project.diagrams(), project.boundaries())
        ...     design = plot_map(project, team=1, design=project.designs(1)[0]["id"], units="us")
        >>> [text.get_text() for text in axes.get_legend().get_texts()][-3:]
        ['High-density housing', 'policy', 'line']
        >>> print(design.get_title("left"))
        Staten Island 2050
        Conservation, Design 1 – room for the water: 34 diagrams
    """
    measures = units_named(units)
    found = shown(diagrams, boundary, member=member, team=team, design=design, title=title, credits=credits)
    return draw_map(found, ax, measures, theme)


def draw_map(found: Shown, ax: Axes | None, measures: Units, theme: Literal["light", "dark"] | None) -> Axes:
    """Draw the map and all that is around it."""
    if ax is None:
        ax = new_axes(9, 6.6)
    colors = theme_for(theme, ax.get_figure(root=False))
    thickness = line_scale(cell_size(ax)[0])
    _draw(ax, found, colors, thickness)
    layout = _Layout(ax, _entries(found.rows, colors, thickness))
    ax.set_axis_off()
    limits = ax.get_xlim(), ax.get_ylim()
    fills_place = _fill_place(ax, layout)
    below = draw_furniture(ax, found, measures, colors, layout.size, layout.map_width)
    _write_legend(ax, layout, colors, below)
    width = layout.map_width + (layout.legend_width if layout.beside else 0)
    write_title(ax, found.title, found.subtitle, colors, layout.size + 1.5, width)
    if fills_place:
        # Axes only ever widen their limits, so those of the final place are found from the first ones.
        figure: Any = ax.get_figure(root=True)
        figure.draw_without_rendering()
        ax.set_xlim(limits[0], auto=True)
        ax.set_ylim(limits[1], auto=True)
    return ax


def _draw(ax: Axes, found: Shown, colors: Theme, thickness: float) -> None:
    if found.outline is not None and len(found.outline):
        found.outline.plot(ax=ax, color=colors.land, edgecolor=colors.ink, linewidth=0.8 * thickness)
    rows = found.rows.assign(color=[visible(hue, colors) for hue in found.rows["color"]])
    policies, projects = rows[rows["is_policy"]], rows[~rows["is_policy"]]
    areas, lines = by_dimension(projects)
    policy_areas, policy_lines = by_dimension(policies)
    for frame, shapes, style in (
        (policy_areas, policy_areas.boundary, {"linewidth": 1.1 * thickness, "linestyle": DASHES, "alpha": 0.8}),
        (policy_lines, policy_lines.geometry, {"linewidth": 1.8 * thickness, "linestyle": DASHES, "alpha": 0.8}),
        (areas, areas.geometry, {"edgecolor": colors.paper, "linewidth": 0.4 * thickness, "alpha": 0.85}),
        (lines, lines.geometry, {"linewidth": 1.8 * thickness}),
    ):
        if len(frame):
            shapes.plot(ax=ax, color=frame["color"].tolist(), **style)


def by_dimension(frame: GeoDataFrame) -> tuple[GeoDataFrame, GeoDataFrame]:
    """Polygons, and lines."""
    kinds = frame.geometry.geom_type
    return frame[kinds == "Polygon"], frame[kinds == "LineString"]


def _entries(rows: GeoDataFrame, colors: Theme, thickness: float) -> list[Patch | Line2D]:
    """The systems or classes on the map, then what dashes and lines are."""
    groups = rows.drop_duplicates("group").sort_values("group")
    entries: list[Patch | Line2D] = [
        Patch(color=visible(hue, colors), label=short_name(name))
        for name, hue in zip(groups["label"], groups["color"], strict=True)
        if name
    ]
    if rows["is_policy"].any():
        entries.append(Line2D([], [], color=colors.ink, linestyle=DASHES, linewidth=1.1 * thickness, label="policy"))
    if entries and (~rows["is_policy"] & (rows.geom_type == "LineString")).any():
        entries.append(Line2D([], [], color=colors.ink, linewidth=1.8 * thickness, label="line"))
    return entries


class _Layout:
    """Where the legend is: beside the map, or below it where the map is larger so. All lengths are in points."""

    def __init__(self, ax: Axes, entries: list[Patch | Line2D]) -> None:
        width, height = cell_size(ax)
        self.entries = entries
        self.size = font_size(width)
        names = [text_width(str(entry.get_label()), self.size) for entry in entries]
        self.legend_width = max(names) + 4.5 * self.size if names else 0.0
        self.columns = max(1, int(0.95 * width // self.legend_width)) if names else 1
        rows = -(-len(entries) // self.columns)
        line = LINE_HEIGHT * self.size
        # Title, scale bar and credits take nine lines or so.
        left, full = width - self.legend_width - 3 * self.size, width - 3 * self.size
        beside = _width_of_map(ax, left, height - 9 * line)
        below = _width_of_map(ax, full, height - (9 + rows) * line)
        self.beside = beside >= below or not entries
        self.map_width = left if self.beside else full


def _fill_place(ax: Axes, layout: _Layout) -> bool:
    """Have the axes fill their place, whose shape is seldom that of the map: texts around them are placed by it."""
    shared = len(ax.get_shared_x_axes().get_siblings(ax)) > 1 and len(ax.get_shared_y_axes().get_siblings(ax)) > 1
    if shared:
        # Such axes keep their limits. Close to the legend there is enough room for it.
        ax.set_anchor("E" if layout.beside else "W")
    else:
        ax.set_adjustable("datalim")
    return not shared


def _width_of_map(ax: Axes, width: float, height: float) -> float:
    """About how wide a map will be that keeps the shape that it has on the ground."""
    (west, east), (south, north) = ax.get_xlim(), ax.get_ylim()
    aspect = ax.get_aspect()
    shape = (east - west) / (north - south) / (aspect if isinstance(aspect, float) else 1.0)
    return max(72.0, min(width, shape * height))


def _write_legend(ax: Axes, layout: _Layout, colors: Theme, below: float) -> None:
    """Beside the map, or that many points below it: on it, the names would lie over diagrams."""
    style: dict[str, Any] = {"handles": layout.entries, "frameon": False, "loc": "upper left", "fontsize": layout.size}
    if layout.beside:
        legend = ax.legend(**style, bbox_to_anchor=(1, 1))
    else:
        legend = ax.legend(
            **style,
            ncols=layout.columns,
            columnspacing=1,
            borderaxespad=0,
            borderpad=0,
            bbox_to_anchor=(0, 0),
            bbox_transform=ax.transAxes + points(ax, 0, -below),
        )
    for text in legend.get_texts():
        text.set_parse_math(False)
        text.set_color(colors.ink)
