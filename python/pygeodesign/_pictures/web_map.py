"""A map to look around in, as one HTML file."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import shapely
from geopandas import GeoDataFrame

from pygeodesign import FeatureCollection, Project
from pygeodesign._core import _missing_extra
from pygeodesign._pictures.map import by_dimension
from pygeodesign._pictures.shown import Shown, shown
from pygeodesign._pictures.text import short_name
from pygeodesign._pictures.theme import DARK, LIGHT, Theme, visible
from pygeodesign._pictures.units import METRIC, Units, short_amount, units_named
from pygeodesign.errors import InputError

MERCATOR = "EPSG:3857"
# Pixels. In a smaller window the page scrolls, because the legend would lie on the credits.
MIN_WIDTH, MIN_HEIGHT = 640, 420
# Of the width of the map: how far beside a line the mouse may be.
REACH = 0.004
# More tooltips than these would cover the map where many diagrams overlap.
MAX_TIPS = 4
# Shows the facts of what is visible, and not of systems that are hidden by a click on the legend.
FILTER = """
const shown = new Map(renderers.map((renderer, place) => [places[place], renderer.visible]));
const booleans = tips.data_source.data.place.map((place) => shown.get(place));
tips.view.filter = new view_filter.constructor({booleans});
"""
# A few short lines for each diagram, so that the list of all that overlap covers little of the map. Bokeh escapes what
# replaces the names.
TIP = """
<div style="max-width: 300px; padding: 2px 0; border-bottom: 1px solid #8888; font-size: 12px; line-height: 1.3">
<div><b>@title</b></div><div>@who</div><div>@figures</div></div>
"""
TIP_LINES = {"who": ("id", "system", "kind", "by"), "figures": ("size", "cost", "years")}
SCALE = "ground.setv({start: map.start * factor, end: map.end * factor});"


def interactive_map(
    diagrams: FeatureCollection | GeoDataFrame | Project,
    boundary: FeatureCollection | GeoDataFrame | None,
    path: str | PathLike[str],
    *,
    member: str | None = None,
    team: int | None = None,
    design: str | None = None,
    title: str | None = None,
    credits: str | None = None,
    currency: str = "",
    units: Literal["metric", "us"] = "metric",
    theme: Literal["light", "dark"] = "light",
) -> None:
    """Write a map to look around in, as one HTML file: pan, zoom, hover for facts, click a system to hide it.

    Everything that it needs is in the file. With a network, streets appear under the diagrams. What is left out is the
    same as in `plot_map`. Facts are the id, title, author, system, size and years of a diagram, and its cost if a
    project or `CostReport.to_geopandas()` is given; where diagrams overlap, one tooltip lists up to four of them.

    Args:
        diagrams: As for `plot_map`.
        boundary: The outline of the study area, such as `Project.boundaries` returned, or None; of a project, None
            stands for its boundaries.
        path: Where to write the page; a file that is there is replaced.
        member: Of a project: only what this member selected.
        team: Of a project, with `design`: only this team's design.
        design: Of a project, with `team`: the id of the design.
        title: The title of the page. Default: the name of the project, or of the boundary.
        credits: Below the map. Default: where the boundary is from, if it says so.
        currency: The currency of costs, such as `"USD"`, which no service tells.
        units: `"metric"`, or `"us"` for acres and miles.
        theme: `"light"` or `"dark"`.

    Raises:
        InputError: It is nothing that can be drawn on a map, a GeoDataFrame has no CRS, or the units or theme are
            unknown.
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
    try:
        from bokeh.embed import file_html
        from bokeh.plotting import figure
        from bokeh.resources import INLINE
    except ImportError as _missing:
        raise _missing_extra(_missing) from _missing

    measures = units_named(units)
    if theme not in ("light", "dark"):
        raise InputError(f'theme is "light" or "dark", not {theme!r}')
    colors = DARK if theme == "dark" else LIGHT
    found = shown(diagrams, boundary, member=member, team=team, design=design, title=title, credits=credits)
    # Its stubs know neither hover_ properties nor sources that differ by glyph.
    plot: Any = figure(
        title=found.title or found.subtitle,
        x_axis_type="mercator",
        y_axis_type="mercator",
        match_aspect=True,
        sizing_mode="stretch_both",
        min_width=MIN_WIDTH,
        min_height=MIN_HEIGHT,
        tools="pan,wheel_zoom,box_zoom,reset,save",
        active_scroll="wheel_zoom",
        background_fill_color="#e9eef2" if theme == "light" else "#1d2226",
        border_fill_color=colors.paper,
        outline_line_color=colors.faint,
    )
    plot.add_tile("OpenStreetMap Mapnik", alpha=0.2 if theme == "dark" else 0.5)
    if found.outline is not None:
        outline = by_dimension(found.outline.to_crs(MERCATOR))[0]
        plot.multi_polygons(**polygon_paths(outline), fill_color=colors.land, fill_alpha=0.5, line_color=colors.ink)
    _draw(plot, found.rows.to_crs(MERCATOR), colors, measures, currency)
    _write_texts(plot, found, colors)
    _add_scale_and_north(plot, found, measures, colors)
    page = file_html(_with_credits(plot, found.credits, colors), INLINE, found.title or found.subtitle)
    Path(path).write_text(page, encoding="utf-8")


def _draw(plot: Any, rows: GeoDataFrame, colors: Theme, units: Units, currency: str) -> None:
    renderers: list[Any] = []
    places: list[int] = []
    rows = rows.assign(color=[visible(hue, colors) for hue in rows["color"]])
    for place, (_, group) in enumerate(rows.groupby("group", dropna=False)):
        name, hue = group["label"].iloc[0], group["color"].iloc[0]
        for is_policy, dash, alpha in ((False, "solid", 0.6), (True, "dashed", 0.08)):
            areas, lines = by_dimension(group[group["is_policy"] == is_policy])
            style = {"line_color": hue, "line_dash": dash} | ({"legend_label": short_name(name)} if name else {})
            if len(areas):
                renderers.append(
                    plot.multi_polygons(
                        "xs", "ys", source=_source(areas, polygon_paths), fill_color=hue, fill_alpha=alpha, **style
                    )
                )
            if len(lines):
                renderers.append(plot.multi_line("xs", "ys", source=_source(lines, line_paths), line_width=3, **style))
            places += [place] * (len(renderers) - len(places))
    if renderers:
        groups = rows["group"].rank(method="dense").fillna(rows["group"].nunique() + 1).astype(int) - 1
        _add_tooltips(plot, rows.assign(place=groups), renderers, places, colors, units, currency)
        if len(plot.legend):
            plot.legend.click_policy = "hide"
            plot.add_layout(plot.legend[0], "right")
            legend = plot.legend[0]
            legend.label_text_color, legend.background_fill_color = colors.ink, colors.paper
            legend.border_line_color = None


def _source(frame: GeoDataFrame, paths: Any) -> dict[str, list[Any]]:
    return {**paths(frame), "id": [known(value, "{:.0f}") for value in frame["id"]]}


def _add_tooltips(
    plot: Any, rows: GeoDataFrame, renderers: list[Any], places: list[int], colors: Theme, units: Units, currency: str
) -> None:
    """One invisible layer of all shapes has the tooltips: those of several layers would lie on each other."""
    from bokeh.models import BooleanFilter, CDSView, ColumnDataSource, CustomJS, HoverTool

    west, south, east, north = rows.total_bounds
    reach = REACH * max(east - west, north - south, 1.0)
    is_line = rows.geom_type == "LineString"
    targets = rows.geometry.where(~is_line, shapely.buffer(rows.geometry.to_numpy(), reach, quad_segs=2))
    targets = rows.set_geometry(targets, crs=MERCATOR)
    # Small shapes first, which large ones might cover in a list that is limited.
    targets = targets.iloc[targets.area.argsort(kind="stable")]
    facts_of = facts(targets, units, currency)
    lines = {name: _joined(facts_of, names) for name, names in TIP_LINES.items()}
    source = ColumnDataSource({**polygon_paths(targets), **facts_of, **lines, "place": targets["place"].tolist()})
    view_filter = BooleanFilter(booleans=[True] * len(targets))
    layer = plot.multi_polygons(
        "xs",
        "ys",
        source=source,
        view=CDSView(filter=view_filter),
        fill_alpha=0,
        line_alpha=0,
        hover_fill_color=colors.ink,
        hover_fill_alpha=0.15,
        hover_line_color=colors.ink,
        hover_line_alpha=1,
    )
    arguments = {"tips": layer, "renderers": renderers, "places": places, "view_filter": view_filter}
    for renderer in renderers:
        renderer.js_on_change("visible", CustomJS(args=arguments, code=FILTER))
    plot.add_tools(HoverTool(tooltips=TIP, renderers=[layer], limit=MAX_TIPS))


def _joined(facts_of: dict[str, list[str]], names: tuple[str, ...]) -> list[str]:
    """The facts of each shape that are known, in one line."""
    rows = zip(*(facts_of[name] for name in names), strict=True)
    return [" · ".join(fact for fact in row if fact) for row in rows]


def facts(frame: GeoDataFrame, units: Units, currency: str) -> dict[str, list[str]]:
    """What the page tells of each shape; what is not known is empty."""
    texts = {
        "id": [known(value, "{:.0f}") for value in frame["id"]],
        "title": [known(value) for value in frame["title"]],
        "system": list(frame["label"]),
        "kind": [known(value) for value in frame["kind"]],
        "by": [known(value) for value in frame["author"]],
        "size": [
            units.length_text(length) if not area > 0 and length > 0 else (units.area_text(area) if area > 0 else "")
            for area, length in zip(frame["area_ha"], frame["length_km"], strict=True)
        ],
        "cost": [f"{short_amount(cost)} {currency}".strip() if pd.notna(cost) else "" for cost in frame["cost"]],
    }
    ends = [
        [f"{date:%Y}" if pd.notna(date) else "?" for date in pd.to_datetime(frame[end], errors="coerce")]
        for end in ("start_date", "end_date")
    ]
    texts["years"] = ["–".join(years) if years != ("?", "?") else "" for years in zip(*ends, strict=True)]
    return texts


def known(value: Any, form: str = "{}") -> str:
    """A value as text; what is missing is empty."""
    if pd.isna(value):
        return ""
    return form.format(value) if isinstance(value, (int, float)) else str(value)


def _write_texts(plot: Any, found: Shown, colors: Theme) -> None:
    from bokeh.models.annotations import Title

    plot.title.text_color, plot.title.text_font_size = colors.ink, "16px"
    looks = ["filled: projects", "dashed: policies"] if found.rows["is_policy"].any() else []
    subtitle = [found.subtitle] if found.title else []
    small: dict[str, Any] = {"text_color": colors.quiet_ink, "text_font_style": "normal", "text_font_size": "12px"}
    plot.add_layout(Title(text=" · ".join([*subtitle, *looks]), **small), "above")
    for axis in plot.axis:
        axis.axis_label_text_color = axis.major_label_text_color = colors.quiet_ink
        axis.axis_line_color = axis.major_tick_line_color = axis.minor_tick_line_color = colors.faint
    plot.grid.grid_line_color = colors.faint
    plot.grid.grid_line_alpha = 0.4


def _with_credits(plot: Any, credits: str, colors: Theme) -> Any:
    """The map above its credits, whose lines break where the window ends."""
    from bokeh.layouts import column
    from bokeh.models.widgets import Div

    styles: Any = {"color": colors.quiet_ink, "font-size": "11px", "padding": "0 8px 6px"}
    below = [Div(text=credits, render_as_text=True, styles=styles, sizing_mode="stretch_width")] if credits else []
    return column(plot, *below, sizing_mode="stretch_both", spacing=0, styles={"background-color": colors.paper})


def _add_scale_and_north(plot: Any, found: Shown, units: Units, colors: Theme) -> None:
    from bokeh.models import CustomJS, Range1d
    from bokeh.models.annotations import ImperialLength, Label, MetricLength, ScaleBar

    bounds = [frame.total_bounds for frame in (found.rows, found.outline) if frame is not None and len(frame)]
    latitude = (bounds[0][1] + bounds[0][3]) / 2 if bounds else 0.0
    # The width of the map on the ground, in units for scale bars of short lengths; Mercator is larger.
    ground = Range1d(start=0, end=1)
    per_meter = math.cos(math.radians(latitude)) * units.short_per_kilometre / 1000
    scaled = CustomJS(args={"ground": ground, "map": plot.x_range, "factor": per_meter}, code=SCALE)
    plot.x_range.js_on_change("start", scaled)
    plot.x_range.js_on_change("end", scaled)
    is_metric = units is METRIC
    plot.add_layout(
        ScaleBar(
            range=ground,
            unit=units.short_length,
            dimensional=MetricLength(include=["m", "km"]) if is_metric else ImperialLength(include=["ft", "mi"]),
            location="bottom_left",
            background_fill_color=colors.paper,
            background_fill_alpha=0.8,
            border_line_color=None,
            bar_line_color=colors.ink,
            label_text_color=colors.ink,
        )
    )
    north: dict[str, Any] = {
        "x_units": "screen",
        "y_units": "screen",
        "text_color": colors.ink,
        "text_font_size": "15px",
    }
    plot.add_layout(Label(x=12, y=70, text="▲ N", **north))


def polygon_paths(frame: GeoDataFrame) -> dict[str, list[Any]]:
    """Rings as bokeh has them: per feature, per polygon, per ring, the exterior first."""
    rings = [[polygon.exterior, *polygon.interiors] for polygon in frame.geometry]
    return {
        name: [[[list(ring.xy[axis]) for ring in part]] for part in rings] for axis, name in enumerate(("xs", "ys"))
    }


def line_paths(frame: GeoDataFrame) -> dict[str, list[Any]]:
    return {name: [list(line.xy[axis]) for line in frame.geometry] for axis, name in enumerate(("xs", "ys"))}
