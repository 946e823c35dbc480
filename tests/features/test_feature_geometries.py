"""GeoJSON geometries are converted to a GeoDataFrame and back bit for bit."""

import math
from typing import Any

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import shape

from builders import collection, feature, read_collection
from pygeodesign import DecodeError

longitudes = st.floats(-180, 180)
latitudes = st.floats(-90, 90)
heights = st.floats(-1e4, 1e4)
texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)
# GeoJSON readers do not have integers of more than 64 bits.
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e300, 1e300) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
names = texts.map(lambda text: f"x_{text}")


@st.composite
def geometries(draw: st.DrawFn) -> dict[str, Any]:
    """A geometry of one of the six types, in two dimensions or three; rings may lack their last position."""
    ordinates = (longitudes, latitudes, heights) if draw(st.booleans()) else (longitudes, latitudes)
    position = st.tuples(*ordinates).map(list)
    line = st.lists(position, min_size=2, max_size=6)
    open_ring = st.lists(position, min_size=3, max_size=6, unique_by=lambda position: tuple(position[:2]))
    ring = st.builds(lambda ring, closed: [*ring, ring[0]] if closed else ring, open_ring, st.booleans())
    polygon = st.lists(ring, min_size=1, max_size=3)
    coordinates: dict[str, st.SearchStrategy[Any]] = {
        "Point": position,
        "MultiPoint": st.lists(position, min_size=1, max_size=4),
        "LineString": line,
        "MultiLineString": st.lists(line, min_size=1, max_size=3),
        "Polygon": polygon,
        "MultiPolygon": st.lists(polygon, min_size=1, max_size=3),
    }
    kind = draw(st.sampled_from(sorted(coordinates)))
    members = {"type": kind, "coordinates": draw(coordinates[kind])}
    # The type may stand after the coordinates.
    return members if draw(st.booleans()) else dict(reversed(members.items()))


features = st.builds(
    lambda geometry, properties: {"type": "Feature", "properties": properties, "geometry": geometry},
    st.none() | geometries(),
    st.dictionaries(names, json_values, max_size=3),
)
bodies = st.lists(features, max_size=5).map(lambda features: collection(*features))


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(bodies)
def test_geometries_in_a_frame_are_identical_to_those_of_shapely(body: dict[str, Any]) -> None:
    frame = read_collection(body).to_geopandas()
    expected = [feature["geometry"] and shape(feature["geometry"]) for feature in body["features"]]
    assert len(frame) == len(expected)
    for geometry, original in zip(frame.geometry, expected, strict=True):
        assert geometry is original is None or shapely.equals_identical(geometry, original)


@settings(max_examples=80, deadline=None)
@given(bodies)
def test_the_dict_of_a_collection_is_the_geojson_that_was_read(body: dict[str, Any]) -> None:
    assert read_collection(body).to_dict() == body


@settings(max_examples=80, deadline=None)
@given(bodies)
def test_the_bounds_contain_every_position(body: dict[str, Any]) -> None:
    shapes = [shape(feature["geometry"]) for feature in body["features"] if feature["geometry"]]
    positions = shapely.get_coordinates(shapes)
    expected = (*positions.min(axis=0), *positions.max(axis=0)) if shapes else None
    assert read_collection(body).bounds == expected


@pytest.mark.parametrize("kind", ["Point", "MultiPoint", "MultiLineString", "MultiPolygon"])
def test_a_geometry_may_be_empty(kind: str) -> None:
    body = collection(feature({"type": kind, "coordinates": []}))
    assert read_collection(body).to_geopandas().geometry[0].is_empty


@pytest.mark.parametrize("kind", ["LineString", "Polygon"])
def test_an_empty_line_or_polygon_stands_for_no_geometry(kind: str) -> None:
    body = collection(feature({"type": kind, "coordinates": []}))
    assert read_collection(body).to_geopandas().geometry[0] is None


def test_a_geometry_collection_is_one_geometry() -> None:
    geometry = {
        "type": "GeometryCollection",
        "geometries": [
            {"type": "Point", "coordinates": [1.0, 2.0]},
            {"type": "LineString", "coordinates": [[0.0, 0.0], [3.0, 4.0]]},
        ],
    }
    read = read_collection(collection(feature(geometry)))
    assert shapely.equals_identical(read.to_geopandas().geometry[0], shape(geometry))
    assert read.bounds == (0, 0, 3, 4)


@pytest.mark.parametrize(
    ("geometry", "problem"),
    [
        ({"type": "Circle", "coordinates": [0, 0]}, "Circle"),
        ({"type": "Polygon"}, "coordinates"),
        ({"coordinates": [0, 0]}, "type"),
        ({"type": "LineString", "coordinates": [[0, 0], [1]]}, "longitude and latitude"),
        ({"type": "Polygon", "coordinates": [[0, 0], [1, 1]]}, "Polygon"),
        ({"type": "Point", "coordinates": ["east", "north"]}, "east"),
        ("somewhere", "geometry"),
    ],
)
def test_the_error_for_an_invalid_geometry_names_its_feature(geometry: Any, problem: str) -> None:
    with pytest.raises(DecodeError) as raised:
        read_collection(collection(feature(), feature(geometry)), strict=True)
    assert "features[1].geometry" in str(raised.value)
    assert problem in str(raised.value)


def test_numbers_keep_all_digits() -> None:
    longitude = math.nextafter(0.1, 1)
    body = collection(feature({"type": "Point", "coordinates": [longitude, -0.0]}, share=longitude))
    read = read_collection(body)
    assert read.to_geopandas().geometry[0].x == longitude
    assert read.to_arrow()["share"].to_pylist() == [longitude]
