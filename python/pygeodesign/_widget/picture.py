"""A small picture of a live map, for programs that show a saved notebook without a kernel."""

from __future__ import annotations

import io
import math
from textwrap import fill
from typing import Any

from pygeodesign._core import FeatureCollection, Project
from pygeodesign._pictures.shown import map_rows, study_area
from pygeodesign._text import NEEDS_OF_WIDGETS
from pygeodesign.errors import GeodesignError

MAX_PICTURE_BYTES = 60_000
# Inches per view, and views in a row.
WIDTH, HEIGHT, IN_A_ROW = 3.6, 3.0, 3
LAND = {"facecolor": "#f4f2ed", "edgecolor": "#5f676e", "linewidth": 0.6}
SELECTED = {"facecolor": "none", "edgecolor": "black", "linewidth": 1.5}


def map_picture(
    project: Project, title: str, views: list[dict[str, Any]], shown: list[int] | None, selected: list[int]
) -> bytes | None:
    """A PNG of the map, with selected diagrams in black outlines; None if matplotlib is missing.

    `views` are designs side by side, each with a `title` and the ids of its `members`; `shown` are the ids of diagrams
    shown alone. A map that cannot be drawn so small has no picture.
    """
    try:
        from matplotlib.figure import Figure

        frame, area = project.diagrams().to_geopandas(), study_area(project)
        outline = map_rows(area.to_geopandas() if isinstance(area, FeatureCollection) else area)
    except (ImportError, GeodesignError):
        return None
    frame = frame[frame.geometry.notna() & ~frame.geometry.is_empty]
    if shown is not None:
        frame = frame[frame["diagramid"].isin(shown)]
    columns = min(IN_A_ROW, len(views)) or 1
    rows = math.ceil(len(views) / columns) or 1
    size = (6.0, 4.0) if len(views) < 2 else (WIDTH * columns, HEIGHT * rows + 0.4)
    figure = Figure(figsize=size, dpi=60, layout="constrained")
    figure.suptitle(title)
    figure.supxlabel(fill(f"A picture of a live map. {NEEDS_OF_WIDGETS}", int(14 * size[0])), fontsize="small")
    bounds = (outline if len(outline) else frame).total_bounds
    # The ratio of a degree of latitude to one of longitude there.
    aspect = 1 / math.cos(math.radians(bounds[1::2].mean())) if len(outline) or len(frame) else 1.0
    for place, view in enumerate(views or [{"title": "", "members": None}]):
        axes = figure.add_subplot(rows, columns, place + 1)
        axes.set_title(view["title"], fontsize="small", wrap=True)
        axes.set_axis_off()
        if len(outline):
            outline.plot(ax=axes, aspect=aspect, **LAND)
        own = frame if view["members"] is None else frame[frame["diagramid"].isin(view["members"])]
        if len(own):
            own.plot(ax=axes, color=own["color"], alpha=0.6, linewidth=0.8, aspect=aspect)
        if (marked := own["diagramid"].isin(selected)).any():
            own[marked].plot(ax=axes, aspect=aspect, **SELECTED)
    content = io.BytesIO()
    figure.savefig(content, format="png")
    return content.getvalue() if content.tell() <= MAX_PICTURE_BYTES else None
