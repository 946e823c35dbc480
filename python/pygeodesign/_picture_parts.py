"""Names, colours and shapes, as the pictures show them."""

from typing import Any

import pandas
from geopandas import GeoDataFrame
from matplotlib.colors import is_color_like, to_hex

from pygeodesign import FeatureCollection, InputError

NO_COLOR = "#7a8288"
# Letters of a name that find room beside a picture.
NAME_LENGTH = 30


def short_name(name: str) -> str:
    """A name on one line, cut where it is long."""
    name = " ".join(name.split())
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1].rstrip()}…"


def color(text: Any) -> str:
    """A colour as the service has it, as `#rrggbb`; grey where it is none."""
    return str(to_hex(text)) if is_color_like(text) else NO_COLOR


def drawable(diagrams: FeatureCollection) -> GeoDataFrame:
    """The shapes of diagrams, each with its system's name and colour, and the columns that collections may lack."""
    frame = with_shapes(diagrams)
    if len(diagrams) and "sysid" not in frame.columns:
        raise InputError(
            "these features are no diagrams, since they belong to no system; give what Project.diagrams, "
            "diagram, design or selection returns"
        )
    wanted = ["sysid", "sysname", "color", "areatype", "description", "author", "start_date", "end_date"]
    frame = frame.reindex(columns=[*wanted, "geometry"])
    frame["color"] = [color(text) for text in frame["color"]]
    frame["is_policy"] = frame["areatype"] == "policy"
    frame["sysname"] = [_system_name(*known) for known in zip(frame["sysname"], frame["sysid"], strict=True)]
    return frame


def _system_name(name: Any, sysid: Any) -> str:
    if pandas.notna(name):
        return str(name)
    return f"system {sysid:.0f}" if pandas.notna(sysid) else "no system"


def with_shapes(collection: FeatureCollection) -> GeoDataFrame:
    """The polygons and lines, one row for each part of a geometry."""
    frame = collection.to_geopandas().explode(ignore_index=True)
    return frame[frame.geometry.geom_type.isin(["Polygon", "LineString"]) & ~frame.geometry.is_empty]


def by_dimension(frame: GeoDataFrame) -> tuple[GeoDataFrame, GeoDataFrame]:
    """Polygons, and lines."""
    kinds = frame.geometry.geom_type
    return frame[kinds == "Polygon"], frame[kinds == "LineString"]


def facts(frame: GeoDataFrame) -> dict[str, list[str]]:
    """What the page tells of each shape; what is not known is empty."""
    columns = {"description": "description", "system": "sysname", "kind": "areatype", "by": "author"}
    facts = {fact: [text if pandas.notna(text) else "" for text in frame[column]] for fact, column in columns.items()}
    dates = [[f"{date:%Y}" if pandas.notna(date) else "?" for date in frame[end]] for end in ("start_date", "end_date")]
    facts["years"] = ["–".join(years) if years != ("?", "?") else "" for years in zip(*dates, strict=True)]
    return facts


def polygon_paths(frame: GeoDataFrame) -> dict[str, list[Any]]:
    """Rings as bokeh has them: per feature, per polygon, per ring, the exterior first."""
    rings = [[polygon.exterior, *polygon.interiors] for polygon in frame.geometry]
    return {
        name: [[[list(ring.xy[axis]) for ring in part]] for part in rings] for axis, name in enumerate(("xs", "ys"))
    }


def line_paths(frame: GeoDataFrame) -> dict[str, list[Any]]:
    return {name: [list(line.xy[axis]) for line in frame.geometry] for axis, name in enumerate(("xs", "ys"))}
