"""Hypothesis strategies for lines and polygons whose coordinates are any doubles."""

import math
from typing import Any

import shapely
from hypothesis import strategies as st

Position = tuple[float, ...]


def wkb(geometries: Any) -> list[bytes]:
    """The WKB of geometries, to compare every coordinate bit for bit."""
    return [shapely.to_wkb(geometry, output_dimension=3, byte_order=1, flavor="iso") for geometry in geometries]


def _ordinates(limit: float) -> st.SearchStrategy[float]:
    return st.floats(-limit, limit, allow_nan=False)


def _heights() -> st.SearchStrategy[float]:
    return st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def lines(draw: st.DrawFn) -> shapely.Geometry:
    """A LineString or MultiLineString anywhere on Earth, with or without heights."""
    ordinates = [_ordinates(180), _ordinates(90)] + [_heights()] * draw(st.integers(0, 1))
    line = st.lists(st.tuples(*ordinates), min_size=2, max_size=6).filter(
        lambda positions: len({position[:2] for position in positions}) > 1
    )
    drawn = draw(st.lists(line, min_size=1, max_size=3))
    return shapely.LineString(drawn[0]) if len(drawn) == 1 else shapely.MultiLineString(drawn)


@st.composite
def polygons(draw: st.DrawFn) -> shapely.Geometry:
    """A Polygon or MultiPolygon of stars, with or without holes and heights, with rings in either direction."""
    count, flat = draw(st.integers(1, 3)), draw(st.booleans())
    # Side by side, so that the polygons do not overlap.
    width = 360 / count
    stars = [draw(_stars(-180 + (index + 0.5) * width, flat)) for index in range(count)]
    return stars[0] if count == 1 else shapely.MultiPolygon(stars)


@st.composite
def _stars(draw: st.DrawFn, longitude: float, flat: bool) -> shapely.Polygon:
    latitude = draw(st.floats(-40, 40))
    angles = sorted(draw(st.sets(st.floats(0, 6.28), min_size=3, max_size=8)))
    radii = [draw(st.floats(1, 45)) for _ in angles]

    def ring(scale: float) -> list[Position]:
        positions_2d = [
            (longitude + scale * radius * math.cos(angle), latitude + scale * radius * math.sin(angle))
            for angle, radius in zip(angles, radii, strict=True)
        ]
        positions: list[Position] = [p if flat else (*p, draw(_heights())) for p in positions_2d]
        return [*positions, positions[0]][:: draw(st.sampled_from([1, -1]))]

    holes = [ring(draw(st.floats(0.1, 0.9)))] if draw(st.booleans()) else []
    return shapely.Polygon(ring(1), holes)
