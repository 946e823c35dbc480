"""The contents of a picture: the rows of any data that can be drawn, in the same columns, and the texts about them."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd
from geopandas import GeoDataFrame
from shapely import box

from pygeodesign._core import Design, FeatureCollection, Project, Team
from pygeodesign._evaluation_classes import EVALUATION_CLASSES, EVALUATION_COLORS, class_of, class_word
from pygeodesign._functions import measure
from pygeodesign._pictures.style import color
from pygeodesign._planning.compared import names_of_areas, or_none, source_of
from pygeodesign._text import counted
from pygeodesign.errors import InputError

# `sysid` is missing if rows do not belong to systems.
COLUMNS = [
    "group",
    "sysid",
    "label",
    "color",
    "is_policy",
    "id",
    "title",
    "author",
    "area_ha",
    "length_km",
    "pieces",
    "cost",
    "kind",
]
COLUMNS += ["start_date", "end_date", "geometry"]
SIZES = ["area_ha", "length_km", "pieces"]


class Shown(NamedTuple):
    """The contents of a picture: one row for each polygon, line or point, and the texts about them."""

    rows: GeoDataFrame
    outline: GeoDataFrame | None
    title: str
    subtitle: str
    credits: str


def shown(
    source: Any,
    boundary: Any = None,
    *,
    member: str | None = None,
    team: int | str | Team | None = None,
    design: str | Design | None = None,
    title: str | None = None,
    credits: str | None = None,
) -> Shown:
    """Collects the contents of a picture from a project, a collection or a frame."""
    place = what = ""
    if isinstance(source, Project):
        report = source.costs(member=member, team=team, design=design)
        place, what = report.project_title or source.id, report.selection or ""
        boundary = study_area(source) if boundary is None else boundary
        source = report.to_geopandas()
    elif not (member is None and team is None and design is None):
        raise InputError("member=, team= and design= choose from a project: give the Project instead of its features")
    frame = _frame(source, "what is drawn")
    outline = None if boundary is None else _frame(boundary, "the boundary")
    place = place or names_of_areas(outline)
    rows = map_rows(in_columns(frame))
    count = _count(frame)
    if "diagramid" in frame.columns and (missing := frame["diagramid"].nunique() - rows["id"].nunique()):
        count += f", {missing:,} of them not on the map" if len(frame) > 1 else ", not on the map"
    return Shown(
        rows=rows,
        outline=None if outline is None else map_rows(outline),
        title=place if title is None else title,
        subtitle=f"{what}: {count}" if what else count,
        credits=source_of(boundary) if credits is None else credits,
    )


def study_area(project: Project) -> FeatureCollection | GeoDataFrame:
    """The boundaries of the project, or the rectangle that it was created with, if the service knows it."""
    boundaries = or_none(project.study_area.boundaries)
    if boundaries is not None:
        return boundaries
    bounds = project.study_area.bounds()
    return GeoDataFrame(geometry=[] if bounds is None else [box(*bounds)], crs=4326)


def _frame(source: Any, name: str) -> GeoDataFrame:
    if isinstance(source, FeatureCollection):
        return source.to_geopandas()
    if not isinstance(source, GeoDataFrame):
        if hasattr(source, "geom_type") and hasattr(source, "crs"):
            return _frame(GeoDataFrame(geometry=source), name)
        raise InputError(
            f"{name} is a {type(source).__name__}; give a Project, a FeatureCollection such as Project.diagrams(), or "
            "a GeoDataFrame"
        )
    if source.crs is None:
        raise InputError(f"{name} is a GeoDataFrame without a CRS: .set_crs(4326) sets longitude and latitude")
    frame = source.to_crs(4326)
    return frame if frame.geometry.name == "geometry" else frame.rename_geometry("geometry")


def in_columns(frame: GeoDataFrame) -> GeoDataFrame:
    """The columns that pictures need, whatever the frame has; unknown values are missing."""
    own = {"id": "diagramid", "title": _title_column(frame), "kind": "areatype"}
    rows = frame.assign(**{name: frame[column] for name, column in own.items() if column in frame.columns})
    if "area_ha" not in rows:
        sizes = measure(frame.geometry)
        rows = rows.assign(**{name: sizes[name].to_numpy() for name in SIZES})
        if "diagramid" in rows:
            # The size of a diagram is the sum over its features.
            sums = rows.groupby("diagramid")[SIZES].transform("sum")
            rows = rows.assign(**{name: sums[name] for name in SIZES})
    of_systems = "sysid" in frame.columns
    sysname = rows["sysname"] if "sysname" in rows else pd.Series(None, index=rows.index, dtype=object)
    kinds = rows["kind"] if "kind" in rows else pd.Series(None, index=rows.index, dtype=object)
    colors = rows["color"] if "color" in rows else pd.Series(None, index=rows.index, dtype=object)
    if of_systems:
        labels = [_system_name(*known) for known in zip(sysname, rows["sysid"], strict=True)]
        rows = rows.assign(group=rows["sysid"], label=labels)
    elif (classes := kinds.map(class_of, na_action="ignore")).isin(EVALUATION_CLASSES).any():
        order = {name: place for place, name in enumerate(EVALUATION_CLASSES)}
        words = classes.map(class_word, na_action="ignore").fillna("no class")
        rows = rows.assign(kind=classes, group=classes.map(order), label=words)
        colors = colors.where(colors.notna(), classes.map(EVALUATION_COLORS))
    else:
        rows = rows.assign(group=0, label="")
    if not of_systems:
        rows = rows.assign(sysid=None)
    rows = rows.assign(color=[color(text) for text in colors], is_policy=(kinds == "policy") & of_systems)
    return GeoDataFrame(pd.DataFrame(rows).reindex(columns=COLUMNS), geometry="geometry", crs=4326)


def _title_column(frame: GeoDataFrame) -> str:
    """The name of the column with titles: frames with the service's data use their description."""
    return "description" if "description" in frame.columns else "title"


def _system_name(name: Any, sysid: Any) -> str:
    if pd.notna(name):
        return str(name)
    return f"system {sysid:.0f}" if pd.notna(sysid) else "no system"


def map_rows(frame: GeoDataFrame) -> GeoDataFrame:
    """One row for each polygon, line and point of every geometry."""
    while frame.geom_type.fillna("").str.contains("Multi|Collection").any():
        frame = frame.explode(ignore_index=True)
    return frame[frame.geom_type.isin(["Polygon", "LineString", "Point"]) & ~frame.geometry.is_empty]


def _count(frame: GeoDataFrame) -> str:
    """The number of diagrams or features, and what they have in common."""
    if "sysid" not in frame.columns:
        kinds = frame["areatype"].dropna().unique() if "areatype" in frame.columns else []
        if set(map(class_of, kinds)) & set(EVALUATION_CLASSES):
            return "Evaluation map"
        return counted(len(frame), "feature")
    ids = frame["diagramid"].nunique() if "diagramid" in frame.columns else len(frame)
    if ids == 0:
        return "no diagrams"
    titles = frame.get(_title_column(frame))
    if ids == 1 and titles is not None and pd.notna(titles.iloc[0]):
        return str(titles.iloc[0])
    common = [f"{ids:,} diagrams"]
    for column, text in (("sysname", "of {}"), ("author", "by {}")):
        values = frame[column].dropna().unique() if column in frame.columns else []
        if len(values) == 1:
            common.append(text.format(values[0]))
    return " ".join(common)
