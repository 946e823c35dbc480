"""Overlays of polygons whose edges are geodesics, which GEOS takes for straight in longitude and latitude.

Before an overlay, long edges get points on their geodesics. Afterwards, each point where edges cross is moved to where
their geodesics do. So an edge that is cut stays the line that it was, and parts of a polygon add up to its area.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import shapely
from pyproj import Geod

from pygeodesign import _core
from pygeodesign.errors import InputError

Numbers: TypeAlias = np.ndarray[Any, Any]
Shapes: TypeAlias = Numbers
GEOD = Geod(ellps="WGS84")
# Degrees: 10 µm. What is nearer to an edge is on it.
NEAR = 1e-10
# Longer edges get points. The straight line of one of this length is 3 cm from the geodesic in latitude 60; further
# north the limit is lower.
MAX_EDGE_METRES = 1_000
METRES_PER_DEGREE = 111_320
# Radians. Where edges meet at a smaller angle than about this, a point is moved across them, and not along.
MIN_ANGLE = 1e-5
# Each takes a point nearer to the crossing by a factor of ten thousand.
STEPS = 2
# What an overlay takes time for: pairs of edges whose bounds meet; of what people draw, about two for each edge.
MAX_MEETINGS, MEETINGS_OF_AN_EDGE = 100_000, 8
# Of how many edges they are counted.
COUNTED_EDGES = 128
# Of all geodesics of long edges.
MAX_POINTS = 5_000_000
# So that edges which end at a pole have a finite number of points.
MIN_COSINE = 1e-4


class Geodesics:
    """The edges of polygons, each from west to east or upwards, and the points where they end."""

    def __init__(self, shapes: Shapes) -> None:
        """Of all rings, one after the other."""
        parts, shape = shapely.get_parts(shapes, return_index=True)
        rings, part = shapely.get_rings(parts, return_index=True)
        points, ring = shapely.get_coordinates(rings, return_index=True)
        follows = (ring[1:] == ring[:-1]) & (points[1:] != points[:-1]).any(axis=1)
        #: The row of the point where each edge begins in its ring.
        self.begins = np.flatnonzero(follows)
        #: The row of the shape of each edge.
        self.shapes = shape[part[ring[self.begins]]]
        ends = np.hstack([points[:-1], points[1:]])[follows]
        self.is_turned = (ends[:, 0] > ends[:, 2]) | ((ends[:, 0] == ends[:, 2]) & (ends[:, 1] > ends[:, 3]))
        self.ends = np.where(self.is_turned[:, None], ends[:, [2, 3, 0, 1]], ends)
        self.points = _unique(_numbers(points))
        self._index = _core._EdgeIndex(self.ends.tobytes())

    def check_meetings(self) -> None:
        """Raise `InputError` for edges that cross each other in so many places that no overlay of them would end."""
        count = len(self.ends)
        west, east = self.ends[:, 0], self.ends[:, 2]
        south, north = self.ends[:, 1::2].min(axis=1), self.ends[:, 1::2].max(axis=1)
        counted = np.linspace(0, count - 1, min(count, COUNTED_EDGES)).astype(int)
        met = sum(
            np.count_nonzero((west <= east[at]) & (east >= west[at]) & (south <= north[at]) & (north >= south[at]))
            for at in counted
        )
        meetings = int(met / max(len(counted), 1) * count / 2)
        if meetings > MAX_MEETINGS + MEETINGS_OF_AN_EDGE * count:
            raise InputError(
                f"{count:,} edges of polygons cross or meet in some {meetings:,} places, too many for a question about "
                "land; draw these diagrams anew, or give designs without them"
            )

    def near(self, points: Numbers, *, inside: bool = False) -> tuple[Numbers, Numbers]:
        """The rows of points, and of edges that they are on; without those that end there if `inside`."""
        found = np.frombuffer(self._index.near(points.tobytes(), NEAR, inside), np.uint32)
        return found[::2].astype(int), found[1::2].astype(int)

    def aligned(self, shapes: Shapes) -> Shapes:
        """Shapes that an overlay has made of these edges, with points where edges cross moved to the geodesics."""
        points = shapely.get_coordinates(shapes)
        places = _numbers(points)
        at = np.searchsorted(self.points, places).clip(max=len(self.points) - 1)
        is_new = self.points[at] != places if len(self.points) else np.zeros(len(places), dtype=bool)
        if not is_new.any():
            return shapes
        new, inverse = np.unique(places[is_new], return_inverse=True)
        points[is_new] = self._on_geodesics(new.view(float).reshape(-1, 2))[inverse]
        moved: Shapes = shapely.set_coordinates(shapes.copy(), points)
        return moved

    def _on_geodesics(self, points: Numbers) -> Numbers:
        """Where the geodesics of the edges at each point cross; if there is only one, the nearest place on it."""
        rows, edges = self.near(points)
        if not len(rows):
            return points
        along = (self.ends[edges, 2:] - self.ends[edges, :2]) * _scale(points[rows])
        length = np.hypot(*along.T)
        order = np.lexsort((-length, rows))
        rows, edges, along = rows[order], edges[order], (along / length[:, None])[order]
        starts = np.diff(rows, prepend=-1) > 0
        first = np.flatnonzero(starts)
        # Of more than two, the longest, and the one at the widest angle to it.
        longest = along[first][np.cumsum(starts) - 1]
        angle = np.abs(longest[:, 0] * along[:, 1] - longest[:, 1] * along[:, 0])
        other = np.lexsort((angle, rows))[np.append(first[1:], len(rows)) - 1]
        pairs, found = self.ends[np.stack([edges[first], edges[other]])], rows[first]
        moved = points.copy()
        for _ in range(STEPS):
            moved[found] += _to_crossing(moved[found], pairs)
        return moved


def noded(*layers: Shapes) -> tuple[list[Shapes], Geodesics]:
    """The shapes with points on the geodesics of long edges, and wherever another shape has a point on an edge.

    The latter stay on the straight line between the ends, so that neighbours keep their common border. Long edges of a
    shape whose geodesics cross each other, as those of a sliver may, stay straight. With the edges that come of it.
    """
    shapes = np.concatenate(layers)
    edges = Geodesics(shapes)
    edges.check_meetings()
    points = edges.points.view(float).reshape(-1, 2)
    row, edge = edges.near(points, inside=True)
    points, along = points[row], edges.ends[edge, 2:] - edges.ends[edge, :2]
    share = _dot(points - edges.ends[edge, :2], along) / _dot(along, along)
    sections, whose, shares = _sections(edges.ends, edge, share, points)
    if not len(sections):
        return list(layers), edges
    is_straight = np.zeros(len(sections), dtype=bool)
    while True:
        section, part, between = _points_between(sections, is_straight)
        shares_between = shares[section, 0] + (shares[section, 1] - shares[section, 0]) * part
        found = _with_points(
            shapes,
            edges,
            np.concatenate([edge, whose[section]]),
            np.concatenate([share, shares_between]),
            np.concatenate([points, between]),
        )
        changed = np.unique(edges.shapes[whose])
        faulty = changed[~shapely.is_valid(found[changed])]
        of_faulty = np.isin(edges.shapes[whose], faulty) & ~is_straight
        if not of_faulty.any():
            break
        # And those of neighbours along them.
        _, border = np.unique(sections, axis=0, return_inverse=True)
        is_straight |= np.isin(border, border[of_faulty])
    for at in faulty:
        own = shapely.make_valid(shapely.get_parts(found[at]), method="structure", keep_collapsed=False)
        found[at] = shapely.union_all(own)
    return np.split(found, np.cumsum([len(layer) for layer in layers])[:-1]), Geodesics(found)


def _sections(ends: Numbers, edge: Numbers, share: Numbers, points: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The sections of edges that have points on them, or are long, the rows of these, and the shares where they are."""
    cut = np.union1d(edge, np.flatnonzero(_pieces(ends) > 1))
    whose = np.concatenate([edge, cut, cut])
    share = np.concatenate([share, np.zeros(len(cut)), np.ones(len(cut))])
    order = np.lexsort((share, whose))
    points = np.concatenate([points, ends[cut, :2], ends[cut, 2:]])[order]
    whose, share = whose[order], share[order]
    follows = whose[1:] == whose[:-1]
    return (
        np.hstack([points[:-1], points[1:]])[follows],
        whose[:-1][follows],
        np.column_stack([share[:-1], share[1:]])[follows],
    )


def _points_between(sections: Numbers, is_straight: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The rows of long sections, shares of these, and the points there: on the geodesic, or on the straight line."""
    more = _pieces(sections) - 1
    if more.sum() > MAX_POINTS:
        raise InputError(
            f"edges of polygons are so long that their geodesics have {more.sum():,} points; a question about land "
            f"takes {MAX_POINTS:,}"
        )
    section = np.repeat(np.arange(len(sections)), more)
    place = 1 + np.arange(len(section)) - np.repeat(np.cumsum(more) - more, more)
    part = place / (more[section] + 1)
    start, along = sections[section, :2], (sections[:, 2:] - sections[:, :2])[section]
    azimuth, _, metres = GEOD.inv(*sections.T)
    longitude, latitude, _ = GEOD.fwd(start[:, 0], start[:, 1], azimuth[section], metres[section] * part)
    longitude += 360 * np.round((start[:, 0] - longitude) / 360)
    curved = np.column_stack([longitude, latitude])
    return section, part, np.where(is_straight[section, None], start + along * part[:, None], curved)


def _with_points(shapes: Shapes, edges: Geodesics, edge: Numbers, share: Numbers, points: Numbers) -> Shapes:
    """The shapes with these points on these edges, at these shares of them."""
    parts, shape = shapely.get_parts(shapes, return_index=True)
    rings, part = shapely.get_rings(parts, return_index=True)
    own, ring = shapely.get_coordinates(rings, return_index=True)
    is_changed = np.zeros(len(shapes), dtype=bool)
    is_changed[edges.shapes[edge]] = True
    # Each point comes after the one where its edge begins.
    row = np.concatenate([np.arange(len(own)), edges.begins[edge]])
    after = np.concatenate([np.zeros(len(own)), np.where(edges.is_turned[edge], 1 - share, share)])
    order = np.lexsort((after, row))
    order = order[is_changed[shape[part[ring[row[order]]]]]]
    rings = shapely.linearrings(np.concatenate([own, points])[order], indices=_from_zero(ring[row[order]]))
    parts = shapely.polygons(rings, indices=_from_zero(part[is_changed[shape[part]]]))
    found = shapes.copy()
    found[is_changed] = shapely.multipolygons(parts, indices=_from_zero(shape[is_changed[shape]]))
    return found


def _pieces(ends: Numbers) -> Numbers:
    """How many pieces an edge is cut into. From one end of the map to the other nobody means a geodesic."""
    along = np.abs(ends[:, 2:] - ends[:, :2])
    cosine = np.cos(np.radians(np.abs(ends[:, 1::2]).max(axis=1))).clip(min=MIN_COSINE)
    metres = METRES_PER_DEGREE * np.hypot(along[:, 0] * cosine, along[:, 1])
    # A line is further from its geodesic by the tangent of the latitude.
    pieces = np.ceil(metres / (MAX_EDGE_METRES * np.sqrt(cosine))).astype(int)
    return np.where(along[:, 0] < 180, pieces.clip(min=1), 1)


def _to_crossing(points: Numbers, pairs: Numbers) -> Numbers:
    """How far it is from each point to the crossing of the geodesics of two edges, nearly."""
    start, along = pairs[..., :2], pairs[..., 2:] - pairs[..., :2]
    scale = _scale(points)
    line = along * scale
    share = _dot((points - start) * scale, line) / _dot(line, line)
    apart = (start - points + along * share[..., None] + _bend(start, along, share)) * scale
    normal = line[..., ::-1] * (-1, 1) / np.sqrt(_dot(line, line))[..., None]
    distance = _dot(apart, normal)
    # Least squares, in which what is far along nearly parallel edges counts.
    (ax, bx), (ay, by) = normal[..., 0], normal[..., 1]
    xx, xy, yy = ax * ax + bx * bx + MIN_ANGLE**2, ax * ay + bx * by, ay * ay + by * by + MIN_ANGLE**2
    x, y = (normal * distance[..., None]).sum(axis=0).T
    moves: Numbers = np.column_stack([yy * x - xy * y, xx * y - xy * x]) / (xx * yy - xy * xy)[:, None] / scale
    return moves


def _bend(start: Numbers, along: Numbers, share: Numbers) -> Numbers:
    """From the straight line between two positions to their geodesic, in degrees, at a share of the way.

    A geodesic solves x'' = -Γ(x', x'). On a short one the right side is nearly linear.
    """
    speed = np.radians(along)
    middle = start[..., 1] + along[..., 1] / 2
    turn = _acceleration(middle, speed)
    change = _acceleration(start[..., 1] + along[..., 1], speed + turn / 2)
    change -= _acceleration(start[..., 1], speed - turn / 2)
    place = (2 * share - 1)[..., None]
    bend: Numbers = np.degrees((place * place - 1) / 8 * (turn + change * place / 6))
    return bend


def _acceleration(latitude: Numbers, speed: Numbers) -> Numbers:
    """-Γ(x', x') of the ellipsoid, for longitude and latitude."""
    sine, cosine = np.sin(np.radians(latitude)), np.cos(np.radians(latitude))
    w = (1 - GEOD.es * sine * sine) / (1 - GEOD.es)
    east, north = speed[..., 0], speed[..., 1]
    bend = 3 * GEOD.es / (1 - GEOD.es) * north * north / w
    return np.stack([2 * sine / cosine / w * east * north, -sine * cosine * (w * east * east + bend)], axis=-1)


def _scale(points: Numbers) -> Numbers:
    """So that a degree of longitude is as long as one of latitude."""
    return np.column_stack([np.cos(np.radians(points[:, 1])), np.ones(len(points))])


def _dot(one: Numbers, other: Numbers) -> Numbers:
    products: Numbers = (one * other).sum(axis=-1)
    return products


def _numbers(points: Numbers) -> Numbers:
    """Each position as one complex number, which can be sorted."""
    return np.ascontiguousarray(points).view(complex)[:, 0]


def _unique(numbers: Numbers) -> Numbers:
    ascending = np.sort(numbers)
    unique: Numbers = ascending[np.append(True, ascending[1:] != ascending[:-1])[: len(numbers)]]
    return unique


def _from_zero(rows: Numbers) -> Numbers:
    """Ascending rows, without those that are not there."""
    return np.cumsum(np.diff(rows, prepend=rows[:1]) > 0)
