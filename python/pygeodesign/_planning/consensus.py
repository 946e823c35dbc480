"""The consensus layer: how many designs change each place, and what most of them put there.

Places are what the outlines of all shapes divide the land into, tile by tile: one overlay of hundreds of thousands of
edges takes minutes on one processor; that of a tile takes milliseconds, and tiles need nothing of each other. They are
on the plane of `Lands`, where geodesics are straight, in units of about a degree.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign import _progress
from pygeodesign._planning.compared import membership
from pygeodesign._planning.land import EMPTY, DiagramLands, Lands, Numbers, computed, hectares, polygons

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = ["designs", "sysid", "system", "votes", "tied", "area_ha", "geometry"]
# What is the same in the places of a row.
VOTES = ["designs", "sysid", "votes", "tied"]
# About this many edges are in a tile, which is fast for GEOS and for the table of places and edges.
EDGES_IN_A_TILE = 600
# The most values of the table of places and edges at once.
MAX_TABLE = 4_000_000
# Points that are nearer to each other are the same, which differ by rounding.
MIN_DISTANCE = 1e-12
# GEOS takes nearer points for the same one where rounding would otherwise lead to an error.
MIN_GAP = 2e-10
# 0.1 mm. What is narrower lies between borders that differ by rounding.
MIN_WIDTH = 1e-9
# Of the land of a layer: what rounding makes of borders in common is no overlap.
MAX_OVERLAP = 1e-9
# The fewest points of a ring, without the last one.
MIN_POINTS = 3


def consensus(
    diagrams: geopandas.GeoDataFrame,
    designs: dict[str, list[int]],
    systems: pd.DataFrame,
    progress: bool | None,
    lands: DiagramLands | None = None,
) -> geopandas.GeoDataFrame:
    """One row for each number of designs, system and number of votes for it, with all such places."""
    layers, ground = _layers(diagrams, designs, lands or DiagramLands(diagrams.geometry))
    known = systems.index[systems.index.isin(layers.sysids)].to_numpy()
    of_known = np.isin(layers.sysids, known)
    found = _voted(Layers(*(column[of_known] for column in layers)), known, progress)
    names = systems["name"]
    rows = [(count, sysid, names[sysid], *vote, more, shape) for (count, sysid, *vote), shape, more in found]
    frame = geopandas.GeoDataFrame(pd.DataFrame(rows, columns=COLUMNS), geometry="geometry", crs="EPSG:4326")
    places = ground.of_plane(frame.geometry.to_numpy())
    frame["area_ha"] += places.hectares()
    frame = frame.set_geometry(geopandas.GeoSeries(polygons(places.shapes()), frame.index, crs="EPSG:4326"))
    frame = frame[~frame.is_empty]
    # Systems in the order of the project.
    order = {sysid: place for place, sysid in enumerate(systems.index)}
    frame["order"] = frame["sysid"].map(order)
    frame = frame.sort_values(["designs", "order", "votes"], ascending=[False, True, False], ignore_index=True)
    return frame.drop(columns="order")


class Layers(NamedTuple):
    """The land of diagrams of one system that the same designs have, united."""

    shapes: Numbers
    by_design: Numbers
    sysids: Numbers
    # Hectares of the diagrams that their land does not have since points of others are on its edges: each makes two
    # geodesics of one.
    missing: Numbers


def _layers(
    diagrams: geopandas.GeoDataFrame, designs: dict[str, list[int]], every: DiagramLands
) -> tuple[Layers, Lands]:
    chosen = membership(diagrams, designs)
    counted = (chosen["chosen"] > 0) & (diagrams["kind"] != "policy")
    frame = diagrams[counted]
    by_design = chosen.loc[counted].drop(columns="chosen").to_numpy(dtype=bool)
    keys = pd.Series(
        [(sysid, row.tobytes()) for sysid, row in zip(frame["sysid"], by_design, strict=True)], dtype=object
    )
    groups = [np.asarray(rows) for rows in keys.groupby(keys).indices.values()]
    firsts = np.array([rows[0] for rows in groups], dtype=int)
    lands = every.of(frame.geometry)
    bent = lands.as_map()
    whole = bent.hectares()
    united = bent.united(groups)
    sums = np.array([whole[rows].sum() for rows in groups])
    # Where diagrams of a layer overlap, it is their union that has an area.
    apart = np.abs(sums - united.hectares()) <= MAX_OVERLAP * sums
    lost = hectares(polygons(frame.geometry)) - whole
    missing = np.array([lost[rows].sum() for rows in groups]) * apart
    return Layers(united.on_plane(), by_design[firsts], frame["sysid"].to_numpy()[firsts], missing), lands


def _voted(layers: Layers, known: Numbers, progress: bool | None) -> list[tuple[tuple[Any, ...], Any, float]]:
    """For each number of designs, system, number of votes for it and whether it is tied, the places with these.

    With the hectares that they have beyond those of their polygons.
    """
    tiles, found = _all_places(layers.shapes, progress)
    tables = [_votes(of_tile, layers.by_design, layers.sysids, known) for of_tile in found]
    groups: dict[Any, Any] = pd.concat([pd.DataFrame(columns=VOTES), *tables], ignore_index=True).groupby(VOTES).indices
    polygons = np.concatenate([np.array([], dtype=object), *(of_tile.polygons for of_tile in found)])
    missing = _missing(found, layers.missing)

    def united(rows: np.ndarray) -> Any:
        try:
            # Places meet in the same points, so their union needs no new ones.
            union = shapely.coverage_union_all(polygons[rows])
        except shapely.GEOSException:
            # But for borders that are nearly the same: between them are places that are no wider than rounding errors.
            union = shapely.union_all(polygons[rows])
        return tiles.without_cuts(union)

    return [
        (key, shape, missing[rows].sum())
        for (key, rows), shape in zip(groups.items(), computed(united, groups.values()), strict=True)
    ]


def _missing(found: list[Places], hectares: Numbers) -> Numbers:
    """Of the missing hectares of each layer, the part of each place, by size; the mean where a place is in several."""
    flat = [shapely.area(of_tile.polygons) for of_tile in found]
    whole = np.zeros(len(hectares))
    for of_tile, areas in zip(found, flat, strict=True):
        whole[of_tile.shapes] += areas @ of_tile.inside
    share = np.divide(hectares, whole, out=np.zeros(len(hectares)), where=whole > 0)
    parts = [
        areas * (of_tile.inside @ share[of_tile.shapes]) / of_tile.inside.sum(axis=1)
        for of_tile, areas in zip(found, flat, strict=True)
    ]
    return np.concatenate([np.array([]), *parts])


def _all_places(shapes: np.ndarray, progress: bool | None) -> tuple[Tiles, list[Places]]:
    size = EDGES_IN_A_TILE
    while True:
        tiles = tiles_of(shapes, size)
        bar = _progress.bar("consensus", len(tiles.tiles), progress)
        found = []
        try:
            for of_tile in places(tiles.tiles):
                if of_tile is None:
                    break
                found.append(of_tile)
                if bar is not None:
                    bar.update(1)
        finally:
            if bar is not None:
                bar.close()
        if len(found) == len(tiles.tiles):
            return tiles, found
        # The land is cut elsewhere; in the end, not at all.
        size = 2 * size + 1


def _votes(found: Places, by_design: np.ndarray, sysids: np.ndarray, known: np.ndarray) -> pd.DataFrame:
    """How many designs change each place, and what most of them choose there."""
    # By system, place and design: whether the design has a diagram of that system there.
    inside, by_design, sysids = found.inside.astype(np.float32), by_design[found.shapes], sysids[found.shapes]
    own = [sysids == sysid for sysid in known]
    there = np.array([inside[:, layers] @ by_design[layers].astype(np.float32) > 0 for layers in own])
    votes = there.sum(axis=2)
    most = votes.max(axis=0)
    columns = (there.any(axis=0).sum(axis=1), known[votes.argmax(axis=0)], most, (votes == most).sum(axis=0) > 1)
    return pd.DataFrame(dict(zip(VOTES, columns, strict=True)))


class Places(NamedTuple):
    """The places of a tile as polygons, a column for each shape that has some of them, and whether it has each."""

    polygons: Numbers
    shapes: Numbers
    inside: Numbers


class Edges(NamedTuple):
    """Edges, each from its western end to the eastern one, and for each owner of an edge a row of `owned` and `owners`.

    An edge that two shapes have in common is there once, so that both are cut at the same points.
    """

    ends: Numbers
    owned: Numbers
    owners: Numbers

    def rows(self, chosen: Numbers) -> Edges:
        """The edges of a mask."""
        place = np.cumsum(chosen) - 1
        kept = chosen[self.owned]
        return Edges(self.ends[chosen], place[self.owned[kept]], self.owners[kept])


class Tile(NamedTuple):
    """The edges in a tile, and its own outline, with the points in which edges of any tile meet it."""

    edges: Edges
    outline: Numbers
    west: float
    # How often a line from below all land to the corner of the tile, along its west, crosses the outline of each shape.
    crossed: Numbers


class Tiles(NamedTuple):
    """Tiles in columns from west to east, and in each from south to north, and where the land was cut for them."""

    tiles: list[Tile]
    longitudes: Numbers
    latitudes: Numbers

    def without_cuts(self, shape: Any) -> Any:
        """A union of places without the points of cuts: with more points it would have another geodesic area.

        Without slivers, too, which lie between borders that differ by rounding.
        """
        rings, part_of_ring = shapely.get_rings(shapely.get_parts(shape), return_index=True)
        is_outer = np.diff(part_of_ring, prepend=-1) > 0
        is_land = shapely.area(shapely.polygons(rings)) > shapely.length(rings) / 2 * MIN_WIDTH
        is_land &= is_land[is_outer][part_of_ring]
        if not is_land.any():
            return EMPTY
        rings, part_of_ring = rings[is_land], np.unique(part_of_ring[is_land], return_inverse=True)[1]
        points, ring_of_point = shapely.get_coordinates(rings, return_index=True)
        is_own = ~(np.isin(points[:, 0], self.longitudes) | np.isin(points[:, 1], self.latitudes))
        # The last point of a ring is its first one, which may go.
        is_own[np.append(np.diff(ring_of_point) > 0, True)] = False
        is_own |= (np.bincount(ring_of_point, is_own) < MIN_POINTS)[ring_of_point]
        rings = shapely.linearrings(points[is_own], indices=ring_of_point[is_own])
        whole = shapely.multipolygons(shapely.polygons(rings, indices=part_of_ring))
        return whole if shapely.is_valid(whole) else polygons([whole])[0]


def tiles_of(shapes: Numbers, edges_in_a_tile: int = EDGES_IN_A_TILE) -> Tiles:
    """Tiles with about the same number of edges each."""
    edges = _edges_of(shapes)
    if not len(edges.ends):
        return Tiles([], np.array([]), np.array([]))
    values = [np.unique(edges.ends[:, axis::2]) for axis in (0, 1)]
    count = math.ceil(math.sqrt(len(edges.ends) / edges_in_a_tile))
    x = _cuts(edges.ends[:, ::2], count, values[0])
    edges = _cut(edges, x[1:-1])
    column = np.searchsorted(x, _middles(edges.ends[:, ::2])) - 1
    columns, heights = [], []
    for place in range(len(x) - 1):
        own = edges.rows(column == place)
        y = _cuts(own.ends[:, 1::2], math.ceil(len(own.ends) / edges_in_a_tile), values[1])
        columns.append(_turned(_cut(_turned(own), y[1:-1])))
        heights.append(y)
    tiles = [tile for place in range(len(x) - 1) for tile in _tiles_of_column(place, x, columns, heights, len(shapes))]
    return Tiles(tiles, x, np.concatenate(heights))


def places(tiles: list[Tile]) -> Iterator[Places | None]:
    """The places of each tile. None for one whose outline GEOS moved because other edges are too near."""
    yield from computed(_places_of_tile, tiles)


def _edges_of(shapes: Numbers) -> Edges:
    parts, shape_of_part = shapely.get_parts(shapes, return_index=True)
    rings, part_of_ring = shapely.get_rings(parts, return_index=True)
    points, ring_of_point = shapely.get_coordinates(rings, return_index=True)
    points = np.column_stack([_merged(column, MIN_DISTANCE) for column in points.T])
    follows = ring_of_point[1:] == ring_of_point[:-1]
    ends = np.hstack([points[:-1], points[1:]])[follows]
    owners = shape_of_part[part_of_ring[ring_of_point[:-1][follows]]]
    has_length = (ends[:, :2] != ends[:, 2:]).any(axis=1)
    return _unique(ends[has_length], np.arange(has_length.sum()), owners[has_length])


def _unique(ends: Numbers, owned: Numbers, owners: Numbers) -> Edges:
    """From west to east, or upwards, and each once."""
    backwards = (ends[:, 0] > ends[:, 2]) | ((ends[:, 0] == ends[:, 2]) & (ends[:, 1] > ends[:, 3]))
    ends = np.where(backwards[:, None], ends[:, [2, 3, 0, 1]], ends)
    order = np.lexsort(ends.T)
    ends = ends[order]
    is_first = np.append(True, (ends[1:] != ends[:-1]).any(axis=1))[: len(ends)]
    place = np.empty(len(ends), dtype=int)
    place[order] = np.cumsum(is_first) - 1
    return Edges(ends[is_first], place[owned], owners)


def _turned(edges: Edges) -> Edges:
    """With x and y exchanged."""
    return _unique(edges.ends[:, [1, 0, 3, 2]], edges.owned, edges.owners)


def _middles(ends: Numbers) -> Numbers:
    return ends[:, 0] + (ends[:, 1] - ends[:, 0]) / 2


def _merged(values: Numbers, distance: float) -> Numbers:
    """The values, and for those that are less than this above another one, the lower one."""
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    is_other = np.diff(ascending, prepend=-np.inf) > distance
    merged = np.empty(len(values))
    merged[order] = ascending[np.maximum.accumulate(np.where(is_other, np.arange(len(values)), 0))]
    return merged


def _cuts(ends: Numbers, count: int, values: Numbers) -> Numbers:
    """Where to divide a range into parts with about the same number of edges. The outer limits are outside all land.

    No cut is at one of `values`, those of all points: so a point on a cut was made by cutting.
    """
    middles = np.quantile(_middles(ends), np.arange(1, count) / count) if count > 1 else np.array([])
    after = np.unique(np.searchsorted(values, middles).clip(1, len(values) - 1))
    wide = after[np.diff(values)[after - 1] > 10 * MIN_GAP]
    return np.array([values[0] - 1, *(values[wide - 1] + values[wide]) / 2, values[-1] + 1])


def _cut(edges: Edges, x: Numbers) -> Edges:
    """The edges, cut where they cross one of these longitudes."""
    ends = edges.ends
    first, last = np.searchsorted(x, ends[:, 0], side="right"), np.searchsorted(x, ends[:, 2], side="left")
    pieces = 1 + np.maximum(last - first, 0)
    edge = np.repeat(np.arange(len(ends)), pieces)
    starts = np.cumsum(pieces) - pieces
    place = np.arange(len(edge)) - starts[edge]
    # Each piece ends where the next one of the edge begins.
    middle = place > 0
    line = x[(first[edge] + place - 1)[middle]]
    x0, y0, x1, y1 = ends[edge[middle]].T
    y = y0 + (line - x0) * ((y1 - y0) / (x1 - x0))
    cut = ends[edge]
    y = np.clip(y, np.minimum(y0, y1), np.maximum(y0, y1))
    for longitude in np.unique(line):
        # Nearer points GEOS may take for one in a tile, and not in the next.
        y[line == longitude] = _merged(y[line == longitude], MIN_GAP)
    cut[middle, 0], cut[middle, 1] = line, y
    cut[:-1, 2:][middle[1:]] = cut[middle, :2]
    counts = pieces[edges.owned]
    owned = np.repeat(starts[edges.owned] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    return _unique(cut, owned, np.repeat(edges.owners, counts))


def _tiles_of_column(
    place: int, x: Numbers, columns: list[Edges], heights: list[Numbers], shapes: int
) -> Iterator[Tile]:
    edges, y = columns[place], heights[place]
    west, east = x[place], x[place + 1]
    sides = [_points_between(place - 1, west, columns, heights), _points_between(place, east, columns, heights)]
    points = edges.ends.reshape(-1, 2)
    row = np.searchsorted(y, _middles(edges.ends[:, [1, 3]]), side="right") - 1
    begins = (edges.ends[edges.owned, 0] == west) & (edges.ends[edges.owned, 2] > west)
    begin_row, begin_shape = row[edges.owned[begins]], edges.owners[begins]
    for number in range(len(y) - 1):
        south, north = y[number], y[number + 1]
        level = [np.unique([west, east, *points[points[:, 1] == height, 0]]) for height in (south, north)]
        upright = [side[(side >= south) & (side <= north)] for side in sides]
        outline = np.concatenate(
            [_along(*ends) for ends in zip(level, (south, north), strict=True)]
            + [_along(*ends)[:, [1, 0, 3, 2]] for ends in zip(upright, (west, east), strict=True)]
        )
        crossed = np.bincount(begin_shape[begin_row < number], minlength=shapes)
        yield Tile(edges.rows(row == number), outline, west, crossed)


def _points_between(place: int, x: float, columns: list[Edges], heights: list[Numbers]) -> Numbers:
    """The latitudes where edges or tiles of a column and of the next one meet the side that these share."""
    near = [column for column in (place, place + 1) if 0 <= column < len(columns)]
    points = np.concatenate([columns[column].ends.reshape(-1, 2) for column in near])
    return np.unique(np.concatenate([points[points[:, 0] == x, 1], *(heights[column] for column in near)]))


def _along(x: Numbers, y: float) -> Numbers:
    """Edges between neighbouring points on a line."""
    height = np.full(len(x) - 1, y)
    return np.column_stack([x[:-1], height, x[1:], height])


def _places_of_tile(tile: Tile) -> Places | None:
    lines = shapely.linestrings(np.concatenate([tile.edges.ends, tile.outline]).reshape(-1, 2, 2))
    polygons = shapely.get_parts(shapely.polygonize([shapely.union_all(lines)]))
    if not _has_outline(polygons, tile.outline):
        return None
    points = shapely.get_coordinates(shapely.point_on_surface(polygons))
    # All other shapes have all of the tile, or nothing of it.
    shapes = np.union1d(tile.edges.owners, np.flatnonzero(tile.crossed % 2))
    count = max(1, MAX_TABLE // max(len(tile.edges.ends), 1))
    chunks = range(0, len(points), count)
    inside = np.concatenate([_inside(tile, shapes, points[at : at + count]) for at in chunks])
    covered = inside.any(axis=1)
    return Places(polygons[covered], shapes, inside[covered])


def _has_outline(polygons: Numbers, outline: Numbers) -> bool:
    """Whether polygons of the next tile have the same points in common with these."""
    points, polygon = shapely.get_coordinates(polygons, return_index=True)
    follows = polygon[1:] == polygon[:-1]
    none = np.array([], dtype=int)
    found = _unique(np.hstack([points[:-1], points[1:]])[follows], none, none).ends
    return len(_unique(np.concatenate([found, outline]), none, none).ends) == len(found)


def _inside(tile: Tile, shapes: Numbers, points: Numbers) -> Numbers:
    """Whether each point is in each shape.

    It is if a line from outside, along the west of the tile and then eastwards to the point, crosses the outline of the
    shape an odd number of times.
    """
    x0, y0, x1, y1 = tile.edges.ends.T
    x, y = points[:, :1], points[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = x0 + (y - y0) * ((x1 - x0) / (y1 - y0))
    eastwards = ((y0 <= y) != (y1 <= y)) & (crossing < x)
    upwards = (x0 == tile.west) & (x1 > tile.west) & (y0 <= y)
    outlines = np.zeros((len(x0), len(shapes)), dtype=np.float32)
    np.add.at(outlines, (tile.edges.owned, np.searchsorted(shapes, tile.edges.owners)), 1)
    crossings: Numbers = (eastwards.astype(np.float32) + upwards) @ outlines + tile.crossed[shapes]
    is_odd: Numbers = crossings.astype(np.int64) % 2 == 1
    return is_odd
