"""The data of a map's page: what the program in `map/` draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import shapely
from geopandas import GeoDataFrame

from pygeodesign import FeatureCollection
from pygeodesign._pictures.shown import Shown, shown
from pygeodesign._pictures.theme import Theme, visible
from pygeodesign._pictures.units import Units, short_amount
from pygeodesign._planning.evaluation_classes import EVALUATION_CLASSES
from pygeodesign._web.basemaps import Basemap
from pygeodesign._web.facts import fact_lines, known
from pygeodesign._web.shapes import SCALE, deltas, polygon_rings, polygons_of
from pygeodesign.errors import InputError

# A page with more would take a browser's memory, and seconds to open.
MAX_POSITIONS = 3_000_000


def map_data(
    found: Shown,
    constraints: FeatureCollection | None,
    evaluations: list[tuple[str, FeatureCollection]],
    designs: dict[str, list[int]],
    costs: pd.Series[float] | None,
    colors: Theme,
    units: Units,
    currency: str,
    basemap: Basemap | None,
) -> dict[str, Any]:
    """All of the page; the names are those that the program reads."""
    forbidden = None if constraints is None else shown(constraints).rows
    maps = [(name, shown(collection).rows) for name, collection in evaluations]
    drawn = [
        frame for frame in (found.rows, found.outline, forbidden, *(rows for _, rows in maps)) if frame is not None
    ]
    _check_size(drawn)
    rows = found.rows.assign(color=[visible(hue, colors) for hue in found.rows["color"]])
    if not rows["label"].any():
        # Without systems or classes, what has the same colour is a layer.
        rows = rows.assign(group=pd.factorize(rows["color"])[0])
    places = rows["group"].rank(method="dense").fillna(rows["group"].nunique() + 1).astype(int) - 1
    rows = rows.assign(place=places)
    diagrams = _diagrams(rows, units, currency)
    return {
        "scale": SCALE,
        "units": "metric" if units.area == "ha" else "us",
        "bounds": _bounds(drawn),
        "legend": "Classes" if set(rows["label"]) & set(EVALUATION_CLASSES) else "Systems",
        "basemap": None if basemap is None else {"url": basemap.url, "max_zoom": basemap.max_zoom},
        "boundary": [] if found.outline is None else polygons_of(found.outline),
        "constraints": [] if forbidden is None else polygons_of(forbidden),
        "systems": _systems(rows),
        "evaluations": [_evaluation(name, frame, colors) for name, frame in maps],
        "diagrams": diagrams,
        "views": _views(diagrams, designs, costs, currency),
    }


def _check_size(frames: list[GeoDataFrame]) -> None:
    positions = sum(int(shapely.get_num_coordinates(frame.geometry.to_numpy()).sum()) for frame in frames)
    if positions > MAX_POSITIONS:
        raise InputError(
            f"the map has {positions:,} positions, and a page takes {MAX_POSITIONS:,}: choose with team= and "
            "design= or member=, leave out evaluation maps with evaluations=False, or simplify the geometries"
        )


def _bounds(frames: list[GeoDataFrame]) -> list[float]:
    """West, south, east, north of all that is drawn; the world where nothing is."""
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
            {"name": group["label"].iloc[0], "color": group["color"].iloc[0], "count": f"{count:,}" if count else ""}
        )
    return systems


def _diagrams(rows: GeoDataFrame, units: Units, currency: str) -> list[dict[str, Any]]:
    """Each diagram with its shapes; of a frame without ids, each shape is one."""
    numbers = rows["id"].astype(object).where(rows["id"].notna(), pd.Series(range(-1, -len(rows) - 1, -1), rows.index))
    # Shapes of a diagram may be of several kinds or systems only in odd data; they are told apart then.
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
            diagrams[code]["lines"].append(deltas(shape))
    return diagrams


def _evaluation(name: str, rows: GeoDataFrame, colors: Theme) -> dict[str, Any]:
    """An evaluation map with its classes, from where change is least wanted to where it is most."""
    rows = rows[rows.geom_type == "Polygon"]
    rows = rows.assign(label=[known(kind) or "no class" for kind in rows["kind"]])
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
    """One map with everything, or one for each design. `costs` are those of all diagrams, also without a geometry."""
    if not designs or costs is None:
        return [{"title": "", "facts": "", "members": None}]
    views = []
    for label, ids in designs.items():
        cost = costs.loc[ids].sum(min_count=1)
        amount = [f"{short_amount(cost)} {currency}".strip()] if pd.notna(cost) else []
        facts = " · ".join([f"{len(ids):,} diagram{'' if len(ids) == 1 else 's'}", *amount])
        wanted = set(ids)
        members = [number for number, diagram in enumerate(diagrams) if diagram["id"] in wanted]
        views.append({"title": label, "facts": facts, "members": members})
    return views
