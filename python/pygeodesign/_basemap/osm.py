"""Layers of a basemap from an extract of OpenStreetMap, in Protomaps' schema, which the room draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from pygeodesign._basemap.coast import land_within

# Kinds of roads by their first word, which `_link` or others may follow.
ROADS = {
    "motorway": "highway",
    **dict.fromkeys(("trunk", "primary", "secondary", "tertiary"), "major_road"),
    **dict.fromkeys(("unclassified", "residential", "living", "service", "road"), "minor_road"),
    **dict.fromkeys(("pedestrian", "footway", "path", "cycleway", "bridleway", "track", "steps"), "path"),
}
RAILWAYS = dict.fromkeys(("rail", "light_rail", "narrow_gauge", "tram"), "rail")
# Roads that are visible from afar.
MAJOR = ("highway", "major_road", "rail")
RIVERS = {"river", "stream"}
WATER = {"water", "bay", "strait", "reservoir", "basin"}
LANDUSE = {
    *("park", "forest", "wood", "nature_reserve", "protected_area", "national_park", "cemetery", "golf_course"),
    *("playground", "allotments", "village_green", "grass", "grassland", "scrub", "beach", "sand", "glacier"),
    *("zoo", "military", "hospital", "school", "university", "college", "industrial", "aerodrome"),
}
# The most telling first.
LANDUSE_COLUMNS = ("leisure", "amenity", "aeroway", "tourism", "military", "boundary", "natural", "landuse")
# Tags of lines that have no column of their own.
OTHER_TAGS = ("natural", "boundary", "admin_level")
# The zoom from which a place has a name. The room draws important places first.
PLACES = {"city": 4, "town": 8, "village": 10}
FIRST, LAST = 6, 14
# From these zooms on, there are minor roads and buildings.
CLOSE, CLOSEST = 12, 13

Box = tuple[float, float, float, float]


class Layer(NamedTuple):
    """Features of a layer in a range of zooms."""

    name: str
    features: Any
    first: int = FIRST
    last: int = LAST


def layers_of(extract: Path, box: Box) -> list[Layer]:
    """The layers of a rectangle (west, south, east, north). A name may occur for several ranges of zooms."""
    import pandas as pd
    import pyogrio

    points, lines, areas = (
        pyogrio.read_dataframe(extract, layer=name, bbox=box) for name in ("points", "lines", "multipolygons")
    )
    other = {name: lines.other_tags.str.extract(f'"{name}"=>"([^"]*)"', expand=False) for name in OTHER_TAGS}
    land = _land(lines[other["natural"] == "coastline"], areas[areas.natural == "coastline"], box)
    roads = _layer(lines, lines.highway.str.extract("^([a-z]+)", expand=False).map(ROADS), name=lines.name)
    rails = _layer(lines, lines.railway.map(RAILWAYS))
    rivers = _layer(lines, _among(RIVERS, lines.waterway))
    water = _layer(areas, _among(WATER, areas.natural, areas.landuse))
    ways = pd.concat([roads, rails])
    place = points.place.map(dict.fromkeys(PLACES, "locality"))
    level = pd.to_numeric(other["admin_level"], errors="coerce")
    layers = [
        Layer("earth", land),
        Layer("landuse", _layer(areas, _among(LANDUSE, *(areas[name] for name in LANDUSE_COLUMNS)))),
        Layer("water", pd.concat([water, rivers])),
        Layer("roads", ways[ways.kind.isin(MAJOR)], last=CLOSE - 1),
        Layer("roads", ways, first=CLOSE),
        Layer("buildings", _layer(areas, areas.building), first=CLOSEST),
        Layer("boundaries", _layer(lines, _among({"administrative"}, other["boundary"]), kind_detail=level)),
        Layer("places", _layer(points, place, name=points.name, min_zoom=points.place.map(PLACES))),
    ]
    return [layer for layer in layers if len(layer.features)]


def _layer(features: Any, kind: Any, **columns: Any) -> Any:
    """The features that have a kind, with these columns."""
    return features[["geometry"]].assign(kind=kind, **columns)[kind.notna()]


def _among(kinds: set[str], *columns: Any) -> Any:
    """The first value of each row that is one of these kinds."""
    known = [column.where(column.isin(kinds)) for column in columns]
    first = known[0]
    for column in known[1:]:
        first = first.fillna(column)
    return first


def _land(coasts: Any, islands: Any, box: Box) -> Any:
    import geopandas
    import shapely

    land = land_within(shapely.box(*box), coasts.geometry.array, islands.geometry.array)
    return geopandas.GeoDataFrame({"kind": ["earth"]}, geometry=[land], crs="EPSG:4326")
