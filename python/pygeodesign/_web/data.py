"""The data of a map's page: the project's contents, requested at once, and their format for its program."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import shapely
from geopandas import GeoDataFrame

from pygeodesign._core import Design, FeatureCollection, Project, Team
from pygeodesign._evaluation_classes import EVALUATION_CLASSES, class_word
from pygeodesign._looks import PATTERN_SIZE, pattern_of
from pygeodesign._pictures.shown import Shown, shown, study_area
from pygeodesign._pictures.style import Colors, visible
from pygeodesign._planning.compared import ask_for_designs, asking, design_members, or_none
from pygeodesign._text import Units, counted, short_amount
from pygeodesign._web.page import Basemap
from pygeodesign._web.tile_file import TileFile
from pygeodesign.errors import InputError

MAX_DESIGNS = 12
# A larger page would exhaust a browser's memory, and take seconds to open.
MAX_POSITIONS = 3_000_000
# Steps per degree: a step is at most 11 cm on the ground, which is enough for drawing; the data keep all digits.
SCALE = 1_000_000
# The lines of a tooltip, and the facts in each.
FACTS = (("id", "system", "kind", "by"), ("size", "cost", "years"))


class Layers(NamedTuple):
    """The layers of a project's map, and the ids of the diagrams of each design shown by itself."""

    diagrams: GeoDataFrame
    boundary: FeatureCollection | GeoDataFrame
    constraints: FeatureCollection | None
    evaluations: list[tuple[str, FeatureCollection]]
    designs: dict[str, list[int]]
    title: str
    currency: str | None
    what: str


def layers_of(
    project: Project,
    designs: Any,
    member: str | None,
    team: int | str | Team | None,
    design: str | Design | None,
    evaluations: bool,
) -> Layers:
    """Downloads the contents of the map, some requests at a time."""
    if designs is not None and not (member is None and team is None and design is None):
        raise InputError("designs= shows designs side by side: leave out member=, team= and design=")
    with asking(project) as ask:
        costs = ask(project.costs, member=member, team=team, design=design)
        boundary, constraints = ask(study_area, project), ask(or_none, project.study_area.constraints)
        systems = ask(project.systems).result() if evaluations else []
        maps = [(system["name"], ask(or_none, system.evaluation)) for system in systems]
        report = costs.result()
        frame = report.to_geopandas()
        asked = {} if designs is None else ask_for_designs(ask, project, designs).members
        if designs is not None and not 1 <= len(asked) <= MAX_DESIGNS:
            raise InputError(f"designs has {len(asked)} designs; 1 to {MAX_DESIGNS} fit side by side")
        found = [(str(name), layer.result()) for name, layer in maps]
        return Layers(
            diagrams=frame,
            boundary=boundary.result(),
            constraints=constraints.result(),
            evaluations=[(name, collection) for name, collection in found if collection is not None],
            designs=design_members(asked, set(frame["diagramid"])),
            title=report.project_title or project.id,
            currency=report.currency,
            what=report.selection or "",
        )


def map_data(
    found: Shown,
    constraints: FeatureCollection | None,
    evaluations: list[tuple[str, FeatureCollection]],
    designs: dict[str, list[int]],
    costs: pd.Series[float] | None,
    colors: Colors,
    units: Units,
    currency: str,
    basemap: Basemap | TileFile | None,
) -> dict[str, Any]:
    """The page's data, under the names that its program reads."""
    forbidden = None if constraints is None else shown(constraints).rows
    maps = [(name, shown(collection).rows) for name, collection in evaluations]
    drawn = [
        frame for frame in (found.rows, found.outline, forbidden, *(rows for _, rows in maps)) if frame is not None
    ]
    _check_size(drawn)
    rows = found.rows.assign(color=[visible(hue, colors) for hue in found.rows["color"]])
    if not rows["label"].any():
        # Without systems or classes, each colour is a layer.
        rows = rows.assign(group=pd.factorize(rows["color"])[0])
    places = rows["group"].rank(method="dense").fillna(rows["group"].nunique() + 1).astype(int) - 1
    rows = rows.assign(place=places)
    diagrams = _diagrams(rows, units, currency)
    bounds = _bounds(drawn)
    return {
        "scale": SCALE,
        "pattern_size": PATTERN_SIZE,
        "units": "metric" if units.area == "ha" else "us",
        "bounds": bounds,
        "legend": "Classes" if set(rows["kind"]) & set(EVALUATION_CLASSES) else "Systems",
        "basemap": _basemap(basemap, bounds),
        "boundary": [] if found.outline is None else polygons_of(found.outline),
        "constraints": [] if forbidden is None else polygons_of(forbidden),
        "systems": _systems(rows),
        "evaluations": [_evaluation(name, frame, colors) for name, frame in maps],
        "diagrams": diagrams,
        "views": _views(diagrams, designs, costs, currency),
    }


def _basemap(basemap: Basemap | TileFile | None, bounds: list[float]) -> dict[str, Any] | None:
    """The source of tiles for the browser, or the tiles, and their credits."""
    if basemap is None:
        return None
    if isinstance(basemap, TileFile):
        tiles = basemap.within(bounds)
        return {**tiles.as_data(), "credits": tiles.credits}
    return {"url": basemap.url, "max_zoom": basemap.max_zoom, "credits": basemap.credits}


def _check_size(frames: list[GeoDataFrame]) -> None:
    positions = sum(int(shapely.get_num_coordinates(frame.geometry.to_numpy()).sum()) for frame in frames)
    if positions > MAX_POSITIONS:
        raise InputError(
            f"the map has {positions:,} positions, and a page takes at most {MAX_POSITIONS:,}: choose with team= and "
            "design= or member=, leave out evaluation maps with evaluations=False, or simplify the geometries"
        )


def _bounds(frames: list[GeoDataFrame]) -> list[float]:
    """West, south, east, north of everything drawn; the world if there is nothing."""
    bounds = np.array([frame.total_bounds for frame in frames if len(frame)])
    if not len(bounds):
        return [-180.0, -60.0, 180.0, 75.0]
    west, south = bounds[:, :2].min(axis=0)
    east, north = bounds[:, 2:].max(axis=0)
    return [round(float(side), 6) for side in (west, south, east, north)]


def _systems(rows: GeoDataFrame) -> list[dict[str, Any]]:
    """The systems or classes on the map, in the order of `place`."""
    systems = []
    for _, group in rows.groupby("place"):
        count = group["id"].nunique()
        systems.append(
            {
                "name": group["label"].iloc[0],
                "color": group["color"].iloc[0],
                "pattern": pattern_of(group["sysid"].iloc[0]).path if group["sysid"].notna().all() else "",
                "count": f"{count:,}" if count else "",
            }
        )
    return systems


def _diagrams(rows: GeoDataFrame, units: Units, currency: str) -> list[dict[str, Any]]:
    """Each diagram with its shapes; in a frame without ids, each shape is one."""
    numbers = rows["id"].astype(object).where(rows["id"].notna(), pd.Series(range(-1, -len(rows) - 1, -1), rows.index))
    # Shapes of a diagram have several kinds or systems only in odd data; they are separated then.
    keys = pd.MultiIndex.from_arrays([numbers.astype(str), rows["place"], rows["is_policy"].astype(bool)])
    codes, firsts = pd.factorize(keys)
    starts = pd.Series(codes).drop_duplicates().index
    first_rows = rows.iloc[starts]
    lines = fact_lines(first_rows, units, currency)
    diagrams: list[dict[str, Any]] = [
        {
            "id": None if pd.isna(number) else int(number),
            "system": int(place),
            "policy": bool(policy),
            "title": known(title),
            "facts": facts,
            "polygons": [],
            "lines": [],
            "points": [],
        }
        for number, place, policy, title, facts in zip(
            pd.to_numeric(first_rows["id"], errors="coerce"),
            first_rows["place"],
            first_rows["is_policy"],
            first_rows["title"],
            lines,
            strict=True,
        )
    ]
    assert len(diagrams) == len(firsts)
    for code, shape in zip(codes, rows.geometry, strict=True):
        if shape.geom_type == "Polygon":
            diagrams[code]["polygons"].append(polygon_rings(shape))
        else:
            diagrams[code]["lines" if shape.geom_type == "LineString" else "points"].append(deltas(shape))
    return diagrams


def _evaluation(name: str, rows: GeoDataFrame, colors: Colors) -> dict[str, Any]:
    """An evaluation map with its classes, from where change is least wanted to where it is most."""
    rows = rows[rows.geom_type == "Polygon"]
    rows = rows.assign(label=[class_word(known(kind) or "no class") for kind in rows["kind"]])
    labels = list(dict.fromkeys(rows.sort_values("group")["label"]))
    hues = rows.drop_duplicates("label").set_index("label")["color"]
    return {
        "name": name,
        "classes": [{"name": label, "color": visible(hues[label], colors)} for label in labels],
        "shapes": [
            [labels.index(label), polygon_rings(shape)]
            for label, shape in zip(rows["label"], rows.geometry, strict=True)
        ],
    }


def _views(
    diagrams: list[dict[str, Any]], designs: dict[str, list[int]], costs: pd.Series[float] | None, currency: str
) -> list[dict[str, Any]]:
    """One map with everything, or one for each design. `costs` has all diagrams, also without a geometry."""
    if not designs or costs is None:
        return [{"title": "", "facts": "", "members": None}]
    views = []
    for label, ids in designs.items():
        cost = costs.loc[ids].sum(min_count=1)
        amount = [f"{short_amount(cost)} {currency}".strip()] if pd.notna(cost) else []
        facts = " · ".join([counted(len(ids), "diagram"), *amount])
        wanted = set(ids)
        members = [number for number, diagram in enumerate(diagrams) if diagram["id"] in wanted]
        views.append({"title": label, "facts": facts, "members": members})
    return views


def fact_lines(frame: GeoDataFrame, units: Units, currency: str) -> list[list[str]]:
    """A few short lines for each row; unknown facts are left out."""
    facts = _facts(frame, units, currency)
    lines = [
        [" · ".join(filter(None, row)) for row in zip(*(facts[name] for name in line), strict=True)] for line in FACTS
    ]
    return [list(filter(None, row)) for row in zip(*lines, strict=True)]


def _facts(frame: GeoDataFrame, units: Units, currency: str) -> dict[str, list[str]]:
    texts = {
        "id": [known(value, "{:.0f}") for value in frame["id"]],
        "system": list(frame["label"]),
        # The kind of an area in an evaluation map is its class.
        "kind": [
            known(kind) if class_word(known(kind)) != label else ""
            for kind, label in zip(frame["kind"], frame["label"], strict=True)
        ],
        "by": [known(value) for value in frame["author"]],
        "size": [
            units.size_text(*sizes) for sizes in zip(frame["area_ha"], frame["length_km"], frame["pieces"], strict=True)
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
    """A value as a string; empty if it is missing."""
    if pd.isna(value):
        return ""
    return form.format(value) if isinstance(value, (int, float)) else str(value)


def polygon_rings(polygon: Any) -> list[list[int]]:
    """The exterior, then the holes."""
    return [deltas(polygon.exterior), *(deltas(ring) for ring in polygon.interiors)]


def deltas(line: Any) -> list[int]:
    """Longitude and latitude of the first position, then the difference of each position from the one before it."""
    steps = np.rint(shapely.get_coordinates(line) * SCALE).astype(np.int64)
    moved = np.diff(steps, axis=0, prepend=[[0, 0]])
    # A position in the same place as the one before it draws nothing.
    moved = moved[np.insert(moved[1:].any(axis=1), 0, True)]
    found: list[int] = moved.ravel().tolist()
    return found


def polygons_of(frame: Any) -> list[list[list[int]]]:
    """All polygons of a frame, in its order."""
    return [polygon_rings(polygon) for polygon in frame.geometry[frame.geom_type == "Polygon"]]
