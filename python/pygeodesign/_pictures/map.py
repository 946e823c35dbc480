"""Maps of diagrams, evaluations and any other features, with scale bar, north arrow and credits."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Literal

import matplotlib as mpl
import pandas as pd
from geopandas import GeoDataFrame
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.transforms import blended_transform_factory
from pyproj import Geod

from pygeodesign._core import Design, FeatureCollection, Project, Team
from pygeodesign._looks import pattern_of
from pygeodesign._pictures.fonts import use_fonts, with_letters
from pygeodesign._pictures.shown import Shown, shown
from pygeodesign._pictures.style import (
    LINE_HEIGHT,
    Colors,
    ThemeName,
    cell_size,
    colors_for,
    font_size,
    frame_for,
    line_scale,
    points,
    short_name,
    tall,
    text_width,
    visible,
    wrapped,
    write_legend,
    write_title,
)
from pygeodesign._text import Units, units_named

DASHES = (0, (4, 2))
# Square points of a point's symbol.
MARK_SIZE = 22
DOTS_PER_INCH = 200
NORTH_ARROW = Path([(0, 1), (-0.55, -1), (0, -0.55), (0.55, -1), (0, 1)], closed=True)


def plot_map(
    diagrams: FeatureCollection | GeoDataFrame | Project,
    boundary: FeatureCollection | GeoDataFrame | None = None,
    ax: Axes | None = None,
    *,
    member: str | None = None,
    team: int | str | Team | None = None,
    design: str | Design | None = None,
    title: str | None = None,
    credits: str | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: ThemeName = None,
) -> Axes:
    """Draws diagrams in their systems' colours over the study area: projects filled, policies as dashed outlines.

    The legend is next to the map, or below it if the map is larger that way. Below are a scale bar, a north arrow
    and the source of the study area. Diagrams without a geometry are left out, and so are points; the line
    below the title counts them. A diagram of unknown kind is drawn as a project.

    Args:
        diagrams: A `FeatureCollection`, such as from `Project.diagrams`, `Design.diagrams`, `Member.selection` or
            `System.evaluation`, or any GeoDataFrame, which is drawn in the colours of its column `color`. A
            project stands for its diagrams and boundaries, or its bounds if it has no boundaries; its name becomes
            the title.
        boundary: The outline of the study area, such as the result of `StudyArea.boundaries`.
        ax: The axes to draw on, preferably of a figure with `layout="constrained"`, which makes room for the legend.
            Default: the axes of a new figure.
        member: For a project: only diagrams that this member selected.
        team: For a project: the design's team, if several teams have designs of that title. Without `design`, the
            team's latest design.
        design: For a project: only this design, the object, its id, its title or its title's unique start.
        title: The title, above the line with the contents. Default: the name of the project, or of the boundary.
        credits: The line below the map. Default: the source of the boundary, if it has one.
        units: `"metric"`, or `"us"` for a scale bar in miles.
        theme: `"light"` or `"dark"`, which colours the figure. Default: the one that matches the figure's colour.

    Returns:
        The axes, in degrees: longitude along x, latitude along y.

    Raises:
        InputError: The data cannot be drawn on a map, a GeoDataFrame has no CRS, or the units or theme are
            unknown.

    Examples:
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     axes = plot_map(project.diagrams(), project.study_area.boundaries())
        ...     design = plot_map(project, design="Design 1 – room", units="us")
        >>> [text.get_text() for text in axes.get_legend().get_texts()][-3:]
        ['High-density housing', 'policy', 'line']
        >>> print(design.get_title("left"))
        Staten Island 2050
        Conservation, Design 1 – room for the water: 34 diagrams
    """
    measures = units_named(units)
    found = shown(diagrams, boundary, member=member, team=team, design=design, title=title, credits=credits)
    return draw_map(found, ax, measures, theme)


def png_of_square(found: Shown, bounds: Sequence[float], inches: float) -> bytes:
    """The bare map as a square PNG of these bounds (west, south, east, north, in degrees); on white, for slides."""
    figure = Figure(figsize=(inches, inches), dpi=DOTS_PER_INCH)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    thickness = line_scale(72 * inches)
    with mpl.rc_context({"hatch.linewidth": 0.55 * thickness}):
        _draw(ax, found, colors_for("light", figure), thickness)
        west, south, east, north = bounds
        ax.set_xlim(west, east)
        ax.set_ylim(south, north)
        # A square on the ground fills a square on paper.
        ax.set_aspect("auto")
        ax.set_axis_off()
        content = BytesIO()
        figure.savefig(content, format="png")
    return content.getvalue()


@with_letters
def draw_map(found: Shown, ax: Axes | None, measures: Units, theme: ThemeName) -> Axes:
    """Draws the map and everything around it."""
    frame = frame_for(ax, theme, tall((9, 6.6), [(found.title, found.subtitle)]))
    ax, colors, width, _ = frame
    thickness = line_scale(width)
    with mpl.rc_context({"hatch.linewidth": 0.55 * thickness}):
        _draw(ax, found, colors, thickness)
        layout = _Layout(ax, _entries(found.rows, colors, thickness))
    ax.set_axis_off()
    limits = ax.get_xlim(), ax.get_ylim()
    fills_place = _fill_place(ax, layout)
    below = _draw_furniture(ax, found, measures, colors, layout.size, layout.map_width)
    _place_legend(ax, layout, colors, below)
    write_title(frame, found.title, found.subtitle)
    if fills_place:
        # Axes only ever widen their limits, so the final limits are computed from the first ones.
        figure: Any = ax.get_figure(root=True)
        use_fonts(figure)
        figure.draw_without_rendering()
        ax.set_xlim(limits[0], auto=True)
        ax.set_ylim(limits[1], auto=True)
    return ax


def _draw(ax: Axes, found: Shown, colors: Colors, thickness: float) -> None:
    if found.outline is not None and len(found.outline):
        found.outline.plot(ax=ax, color=colors.land, edgecolor=colors.ink, linewidth=0.8 * thickness)
    rows = found.rows.assign(color=[visible(hue, colors) for hue in found.rows["color"]])
    policies, projects = rows[rows["is_policy"]], rows[~rows["is_policy"]]
    areas, lines, marks = by_dimension(projects)
    policy_areas, policy_lines, policy_marks = by_dimension(policies)
    size = MARK_SIZE * thickness**2
    for frame, shapes, style in (
        (policy_areas, policy_areas.boundary, {"linewidth": 1.1 * thickness, "linestyle": DASHES, "alpha": 0.8}),
        (policy_lines, policy_lines.geometry, {"linewidth": 1.8 * thickness, "linestyle": DASHES, "alpha": 0.8}),
        (areas, areas.geometry, {"edgecolor": colors.paper, "linewidth": 0.4 * thickness, "alpha": 0.85}),
        (lines, lines.geometry, {"linewidth": 1.8 * thickness}),
        (marks, marks.geometry, {"markersize": size, "edgecolor": colors.paper, "linewidth": 0.6 * thickness}),
        (policy_marks, policy_marks.geometry, {"markersize": size, "marker": "D", "alpha": 0.8}),
    ):
        if len(frame):
            shapes.plot(ax=ax, color=frame["color"].tolist(), **style)
    # Patterns tell systems apart without colours, too.
    for sysid, frame in areas[areas["sysid"].notna()].groupby("sysid"):
        if hatch := pattern_of(sysid).hatch:
            frame.plot(ax=ax, facecolor="none", edgecolor=colors.paper, linewidth=0, alpha=0.7, hatch=hatch)


def by_dimension(frame: GeoDataFrame) -> tuple[GeoDataFrame, GeoDataFrame, GeoDataFrame]:
    """Polygons, lines, and points."""
    kinds = frame.geometry.geom_type
    return frame[kinds == "Polygon"], frame[kinds == "LineString"], frame[kinds == "Point"]


def _entries(rows: GeoDataFrame, colors: Colors, thickness: float) -> list[Patch | Line2D]:
    """The systems or classes on the map, then the meaning of dashes and lines."""
    groups = rows.drop_duplicates("group").sort_values("group")
    entries: list[Patch | Line2D] = [
        Patch(
            facecolor=visible(hue, colors),
            edgecolor=colors.paper,
            linewidth=0,
            label=short_name(name),
            hatch=None if pd.isna(sysid) else pattern_of(sysid).hatch,
        )
        for name, hue, sysid in zip(groups["label"], groups["color"], groups["sysid"], strict=True)
        if name
    ]
    if rows["is_policy"].any():
        entries.append(Line2D([], [], color=colors.ink, linestyle=DASHES, linewidth=1.1 * thickness, label="policy"))
    if entries and (~rows["is_policy"] & (rows.geom_type == "LineString")).any():
        entries.append(Line2D([], [], color=colors.ink, linewidth=1.8 * thickness, label="line"))
    if entries and (~rows["is_policy"] & (rows.geom_type == "Point")).any():
        entries.append(
            Line2D([], [], color=colors.ink, linestyle="", marker="o", markersize=4 * thickness, label="point")
        )
    return entries


class _Layout:
    """The legend's place: next to the map, or below it if the map is larger that way. All lengths are in points."""

    def __init__(self, ax: Axes, entries: list[Patch | Line2D]) -> None:
        width, height = cell_size(ax)
        self.entries = entries
        self.size = font_size(width)
        names = [text_width(str(entry.get_label()), self.size) for entry in entries]
        self.legend_width = max(names) + 4.5 * self.size if names else 0.0
        self.columns = max(1, int(0.95 * width // self.legend_width)) if names else 1
        rows = -(-len(entries) // self.columns)
        line = LINE_HEIGHT * self.size
        # Title, scale bar and credits take about nine lines.
        left, full = width - self.legend_width - 3 * self.size, width - 3 * self.size
        beside = _width_of_map(ax, left, height - 9 * line)
        below = _width_of_map(ax, full, height - (9 + rows) * line)
        self.beside = beside >= below or not entries
        self.map_width = left if self.beside else full


def _fill_place(ax: Axes, layout: _Layout) -> bool:
    """Makes the axes fill their place, whose shape seldom matches the map: texts around them are placed by it."""
    shared = len(ax.get_shared_x_axes().get_siblings(ax)) > 1 and len(ax.get_shared_y_axes().get_siblings(ax)) > 1
    if shared:
        # Such axes keep their limits. Close to the legend there is enough room for it.
        ax.set_anchor("E" if layout.beside else "W")
    else:
        ax.set_adjustable("datalim")
    return not shared


def _width_of_map(ax: Axes, width: float, height: float) -> float:
    """The approximate width of a map that keeps its shape on the ground."""
    (west, east), (south, north) = ax.get_xlim(), ax.get_ylim()
    aspect = ax.get_aspect()
    shape = (east - west) / (north - south) / (aspect if isinstance(aspect, float) else 1.0)
    return max(72.0, min(width, shape * height))


def _place_legend(ax: Axes, layout: _Layout, colors: Colors, below: float) -> None:
    """Places the legend next to the map, or this many points below it: on the map, it would cover diagrams."""
    place: dict[str, Any] = {"bbox_to_anchor": (1, 1)}
    if not layout.beside:
        place = {"bbox_to_anchor": (0, 0), "bbox_transform": ax.transAxes + points(ax, 0, -below)}
        place |= {"ncols": layout.columns, "columnspacing": 1, "borderaxespad": 0, "borderpad": 0}
    write_legend(ax, colors, handles=layout.entries, fontsize=layout.size, **place)


def _draw_furniture(ax: Any, found: Shown, units: Units, colors: Colors, size: float, width: float) -> float:
    """Draws everything below the map, in a column of `width` points; returns its height in points."""
    height = 0.0
    if ax.collections:
        height = 2 * LINE_HEIGHT * size
        _draw_scale_and_north(ax, units, colors, size)
    lines = wrapped(found.credits, size - 1.5, width)
    if lines:
        ax.text(
            0,
            0,
            "\n".join(lines),
            transform=ax.transAxes + points(ax, 0, -height - 2),
            va="top",
            size=size - 1.5,
            color=colors.quiet,
            linespacing=1.2,
            parse_math=False,
        )
        height += LINE_HEIGHT * (size - 1.5) * len(lines) + 6
    return height + 6


def _draw_scale_and_north(ax: Any, units: Units, colors: Colors, size: float) -> None:
    (west, east), (south, north) = ax.get_xlim(), ax.get_ylim()
    middle = min(89.0, max(-89.0, (south + north) / 2))
    # In two halves: a geodesic across all longitudes would not go around the Earth.
    half = Geod(ellps="WGS84").inv(west, middle, (west + east) / 2, middle)[2]
    share, text = _scale_bar(2 * half / 1000, units)
    below = -LINE_HEIGHT * size
    along = blended_transform_factory(ax.transData, ax.transAxes) + points(ax, 0, below)
    end = west + share * (east - west)
    bar: dict[str, Any] = {"color": colors.ink, "linewidth": 1.4, "marker": "|", "markersize": 0.7 * size}
    _add(ax, Line2D([west, end], [0, 0], transform=along, **bar))
    label = blended_transform_factory(ax.transData, ax.transAxes)
    ax.text(end, 0, text, transform=label + points(ax, 0.7 * size, below), va="center", size=size, color=colors.ink)
    right = 0.7 * size + text_width(text, size) + 1.6 * size
    arrow: dict[str, Any] = {"marker": NORTH_ARROW, "markersize": 1.3 * size, "color": colors.ink, "linestyle": "none"}
    _add(ax, Line2D([end], [0], transform=label + points(ax, right, below), **arrow))
    ax.text(end, 0, "N", transform=label + points(ax, right + size, below), va="center", size=size, color=colors.ink)


def _scale_bar(kilometres: float, units: Units) -> tuple[float, str]:
    """A round length of up to a fourth of the map's width: its share of the width, and its text."""
    name, per_kilometre = units.length, units.per_kilometre
    if kilometres * per_kilometre < 4:
        name, per_kilometre = units.short_length, units.short_per_kilometre
    most = kilometres * per_kilometre / 4
    round_length = max(
        (step * 10.0**power for power in range(-3, 6) for step in (1, 2, 5) if step * 10.0**power <= most), default=most
    )
    share = round_length / (kilometres * per_kilometre) if kilometres > 0 else 0.25
    return share, f"{round_length:,g} {name}"


def _add(ax: Any, line: Line2D) -> None:
    ax.add_artist(line)
    line.set_clip_on(False)
