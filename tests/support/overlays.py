"""Land and its hectares, computed one geometry at a time by shapely and pyproj."""

import itertools
from typing import Any

import numpy as np
import shapely
from pyproj import Geod

GEOD = Geod(ellps="WGS84")
PLACES = {"Spain": (-4.0, 40.0), "Fiji": (178.0, -17.0), "equator": (10.0, 0.0), "Lapland": (25.0, 67.0)}


def land(geometry: Any) -> Any:
    """The union of a geometry's polygons; empty for lines and for None."""
    if geometry is None or geometry.is_empty:
        return shapely.MultiPolygon()
    if hasattr(geometry, "geoms"):
        return shapely.unary_union([land(part) for part in geometry.geoms])
    return shapely.make_valid(geometry) if geometry.geom_type == "Polygon" else shapely.MultiPolygon()


def along_geodesics(geometry: Any, pieces: int) -> Any:
    """A geometry's polygons, with each edge divided into `pieces` parts of its geodesic."""

    def ring(line: Any) -> list[Any]:
        edges = itertools.pairwise(line.coords)
        return [
            point
            for start, end in edges
            for point in (start, *GEOD.npts(start[0], start[1], end[0], end[1], pieces - 1))
        ]

    parts = [
        shapely.Polygon(ring(part.exterior), [ring(hole) for hole in part.interiors])
        for part in shapely.get_parts(land(geometry))
    ]
    return shapely.union_all(parts)


def hectares(geometry: Any) -> float:
    """The geodesic area of a geometry's polygons."""
    if hasattr(geometry, "geoms"):
        return sum(hectares(part) for part in geometry.geoms)
    if geometry.geom_type != "Polygon" or geometry.is_empty:
        return 0.0
    rings = [geometry.exterior, *geometry.interiors]
    areas = [abs(GEOD.geometry_area_perimeter(shapely.Polygon(ring))[0]) / 10_000 for ring in rings]
    return float(areas[0] - sum(areas[1:]))


def curved(shape: Any) -> Any:
    """A geometry's polygons, with edges along their geodesics."""
    return along_geodesics(shape, 400)


def stars(place: tuple[float, float], size: float, count: int, seed: int) -> list[Any]:
    """Polygons around places near this one."""
    random = np.random.default_rng(seed)
    angles = np.linspace(0, 2 * np.pi, 9, endpoint=False)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    return [
        shapely.Polygon(around * random.uniform(0.4, 1, (9, 1)) * size + place + random.uniform(-0.5, 0.5, 2) * size)
        for _ in range(count)
    ]
