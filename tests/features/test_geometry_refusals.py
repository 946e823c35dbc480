"""An invalid geometry is an error that names the feature, before anything is sent."""

import json
import math
from collections.abc import Iterator
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st

from builders import Json, collection, feature, line, ring, square
from fake_service import UPLOAD_CHECKS, FakeService
from pygeodesign import InputError, Project
from small_project import WATER

ADDED = {"diagram_id": "1", "grid_location": "A1", "status": "The diagram was added at A1."}
VALID = square(0, 0, 1)
Ring = list[list[float]]


@pytest.fixture
def service() -> Iterator[FakeService]:
    """A service that accepts every new diagram."""
    with FakeService({f"systems/{WATER}/add/project/": ADDED, **UPLOAD_CHECKS}) as service:
        yield service


def error_for(service: FakeService, geometry: Any) -> str:
    """The error for this geometry, as a diagram and as a row of a frame; checks that nothing is sent."""
    project = service.project()
    with pytest.raises(InputError) as refused:
        project.add_diagram(WATER, geometry, title="Refused")
    with pytest.raises(InputError):
        project.add_diagrams(WATER, geometry, title="name")
    assert service.sent == []
    return str(refused.value)


def polygon(*rings: Ring) -> Json:
    return {"type": "Polygon", "coordinates": list(rings)}


BOW_TIE: Ring = [[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]
FIGURE_EIGHT: Ring = [[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 1], [0, 0]]
SPIKE: Ring = [[0, 0], [2, 0], [2, 1], [3, 1], [2, 1], [2, 2], [0, 0]]
SPIKE_AT_THE_START: Ring = [[0, 0], [1, 0], [1, 1], [0, 0], [-1, -1], [0, 0]]
TOUCHES_ITS_OWN_SIDE: Ring = [[0, 0], [4, 0], [4, 4], [2, 0], [0, 4], [0, 0]]
CROSSING_HOLE = ring(0.5, 0.5, 1)
BAND: Ring = [[-180, 10], [180, 10], [180, 20], [-180, 20], [-180, 10]]
BAND_IN_SHORT_EDGES: Ring = [[-180, 10], [0, 10], [180, 10], [180, 20], [0, 20], [-180, 20], [-180, 10]]
WHOLE_EARTH: Ring = [[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]


def parts(*polygons: list[Ring]) -> Json:
    return {"type": "MultiPolygon", "coordinates": list(polygons)}


INVALID: dict[str, tuple[Json, str]] = {
    "a collection": ({"type": "GeometryCollection", "geometries": [VALID]}, "give its members separately"),
    "an unclosed ring": (polygon([[0, 0], [1, 0], [1, 1], [0, 1]]), "not closed"),
    "a ring that is closed at another height": (polygon([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 0, 2]]), "not closed"),
    "a bow tie": (polygon(BOW_TIE), r"crosses or touches itself at \[0\.5, 0\.5\].*make_valid"),
    "a figure eight": (polygon(FIGURE_EIGHT), r"crosses or touches itself at \[1\.0, 1\.0\]"),
    "a spike": (polygon(SPIKE), "crosses or touches itself"),
    "a spike where the ring begins": (polygon(SPIKE_AT_THE_START), "crosses or touches itself"),
    "a ring that touches its own side": (polygon(TOUCHES_ITS_OWN_SIDE), r"crosses or touches itself at \[2\.0, 0\.0\]"),
    "a flat ring": (polygon([[0, 0], [1, 0], [2, 0], [0, 0]]), "crosses or touches itself"),
    "a ring of two positions": (polygon([[0, 0], [1, 0], [0, 0]]), "too few positions"),
    "a ring of one position": (polygon([[0, 0], [0, 0], [0, 0], [0, 0]]), "too few positions"),
    "a hole across its shell": (polygon(ring(0, 0, 1), CROSSING_HOLE), "ring 1 crosses ring 0"),
    "a bow tie as a hole": (polygon(ring(-1, -1, 4), BOW_TIE), "ring 1 crosses or touches itself"),
    "holes across each other": (polygon(ring(-1, -1, 4), ring(0, 0, 1), CROSSING_HOLE), "ring 2 crosses ring 1"),
    "a hole outside its shell": (
        polygon(ring(0, 0, 1), ring(5, 5, 1)),
        r"ring 1 is a hole that lies outside the exterior, ring 0, at \[5\.0, 5\.0\]",
    ),
    "a hole around its shell": (polygon(ring(0, 0, 1), ring(-1, -1, 3)), "ring 1 is a hole that lies outside"),
    "a hole equal to its shell": (
        polygon(ring(0, 0, 1), ring(0, 0, 1)),
        r"ring 1 shares an edge with ring 0 at \[0\.0, 0\.0\]",
    ),
    "a hole in a hole": (
        polygon(ring(0, 0, 9), ring(1, 1, 5), ring(2, 2, 1)),
        r"ring 2 is a hole inside another hole, ring 1, at \[2\.0, 2\.0\]",
    ),
    "a hole that divides the interior": (
        polygon(ring(0, 0, 2), [[0, 1], [1, 0.5], [2, 1], [1, 1.5], [0, 1]]),
        r"the interior is divided at \[2\.0, 1\.0\]",
    ),
    "parts that overlap": (
        parts([ring(0, 0, 2)], [ring(1, 1, 2)]),
        r"part 1 overlaps part 0 at \[(1\.0, 2\.0|2\.0, 1\.0)\]",
    ),
    "a part that is there twice": (
        parts([ring(0, 0, 2)], [ring(0, 0, 2)]),
        r"part 1 overlaps part 0 at \[0\.0, 0\.0\]",
    ),
    "a part inside another": (parts([ring(0, 0, 9)], [ring(2, 2, 1)]), r"part 1 overlaps part 0 at \[2\.0, 2\.0\]"),
    "parts that share an edge": (
        parts([ring(0, 0, 1)], [ring(1, 0, 1)]),
        r"part 1 shares an edge with part 0 at \[1\.0, 0\.0\]",
    ),
    "the whole Earth": (polygon(WHOLE_EARTH), "ring 0 goes around the whole Earth"),
    "a band of all longitudes": (polygon(BAND), "ring 0 goes around the whole Earth"),
    "a band of all longitudes in short edges": (polygon(BAND_IN_SHORT_EDGES), "ring 0 goes around the whole Earth"),
    "an unclosed hole": (polygon(ring(-1, -1, 4), ring(0, 0, 1)[:-1]), "ring 1 is not closed"),
    "a bow tie among parts": (
        {"type": "MultiPolygon", "coordinates": [[ring(5, 5, 1)], [BOW_TIE]]},
        "part 1, ring 0 crosses or touches itself",
    ),
    "a line of one position": (line([0, 0]), "a line needs two"),
    "a line that goes nowhere": (line([0, 0], [0, 0]), "a line needs two"),
    "a longitude beyond 180": (line([0, 0], [180.00000001, 0]), r"beyond longitude -180\.\.=180"),
    "a latitude beyond 90": (line([0, 0], [0, -90.00000001]), r"latitude -90\.\.=90"),
    "metres": (square(485_000, 4_285_000, 100), "reproject other coordinates to WGS 84"),
    "NaN": (line([0, 0], [math.nan, 1]), "NaN or infinite"),
    "an infinite height": (line([0, 0, 1], [1, 1, math.inf]), "NaN or infinite"),
    "a line without positions": (line(), "no positions"),
    "a polygon without rings": (polygon(), "no positions"),
    "a polygon with an empty hole": (polygon(ring(0, 0, 1), []), "no positions"),
}
# Shapely repairs or rejects these itself, so that a GeoDataFrame cannot contain them.
NOT_IN_SHAPELY = {
    "an unclosed ring",
    "an unclosed hole",
    "a ring that is closed at another height",
    "a ring of two positions",
    "a line of one position",
    "a polygon with an empty hole",
}
# JSON that is not a GeoJSON geometry.
GEOJSON_ONLY: dict[str, tuple[Json, str]] = {
    "no coordinates": ({"type": "Polygon"}, "coordinates"),
    "no type": ({"coordinates": []}, 'no "type"'),
    "another type": ({"type": "Circle", "coordinates": [0, 0]}, '"Circle" is not a GeoJSON geometry type'),
    "coordinates of another type": ({"type": "Polygon", "coordinates": [[0, 0], [1, 1]]}, "Polygon"),
    "text for a number": ({"type": "LineString", "coordinates": [[0, 0], ["1", 1]]}, 'the text "1" is not a number'),
    "one number": (line([0, 0], [1]), "one number"),
    "what JSON has no word for": (
        {"type": "LineString", "coordinates": [[0, 1j]]},
        "a complex cannot be part of a GeoJSON geometry",
    ),
    "a height here and none there": (line([0, 0, 1], [1, 1]), "every position a height or none"),
}


@pytest.mark.parametrize("problem", INVALID | GEOJSON_ONLY)
def test_geojson_is_rejected_for(problem: str, service: FakeService) -> None:
    geometry, expected = (INVALID | GEOJSON_ONLY)[problem]
    message = error_for(service, collection(feature(VALID, name="a"), feature(geometry, name="b")))
    assert message.startswith("feature 1: ")
    with pytest.raises(InputError, match=expected):
        raise InputError(message)


@pytest.mark.parametrize("problem", [problem for problem in INVALID if problem not in NOT_IN_SHAPELY])
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_a_frame_is_rejected_for(problem: str, service: FakeService) -> None:
    geometry, expected = INVALID[problem]
    shapes = [shapely.geometry.shape(VALID), shapely.geometry.shape(geometry)]
    frame = gpd.GeoDataFrame({"name": ["a", "b"]}, geometry=shapes, crs=4326)
    message = error_for(service, frame)
    assert message.startswith("feature 1: ")
    with pytest.raises(InputError, match=expected):
        raise InputError(message)


def test_the_error_for_lines_beside_polygons_explains_how_to_split_them(service: FakeService) -> None:
    mixture = collection(feature(VALID), feature(VALID), feature(line([0, 0], [1, 1])))
    with pytest.raises(InputError, match=r"feature 0 is a polygon and feature 2 is not.*a diagram for each"):
        service.project().add_diagram(WATER, mixture, title="Mixture")
    assert service.requests.total() == 0


@pytest.mark.parametrize("feature_type", ["line", "Polyline"])
def test_the_feature_type_must_be_that_of_the_geometry(feature_type: Any, service: FakeService) -> None:
    with pytest.raises(InputError, match="featuretype is line, but the geometry is drawn with a polygon"):
        service.project().add_diagram(WATER, VALID, title="Called a line", feature_type=feature_type)
    assert service.requests.total() == 0


@pytest.mark.parametrize("empty", [[], collection(), gpd.GeoSeries([], crs=4326)], ids=["list", "GeoJSON", "series"])
def test_a_diagram_without_features_is_rejected(empty: Any, service: FakeService) -> None:
    with pytest.raises(InputError, match="at least one"):
        service.project().add_diagram(WATER, empty, title="Nothing")
    assert service.requests.total() == 0


# Coordinate reference system


@pytest.mark.parametrize("kind", [gpd.GeoSeries, lambda shapes: gpd.GeoDataFrame({"name": ["a"]}, geometry=shapes)])
def test_a_frame_without_a_crs_is_rejected(kind: Any, service: FakeService) -> None:
    assert "set_crs(4326)" in error_for(service, kind([shapely.box(0, 0, 1, 1)]))


def test_a_frame_that_cannot_be_reprojected_is_rejected(service: FakeService) -> None:
    beyond = gpd.GeoSeries([shapely.box(0, 0, 1, 1), shapely.box(1e9, 1e9, 2e9, 2e9)], crs=3763)
    assert error_for(service, beyond).startswith("feature 1: ")


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA])
def test_a_row_without_a_geometry_is_rejected(missing: Any, service: FakeService) -> None:
    series = gpd.GeoSeries([shapely.box(0, 0, 1, 1), missing], crs=4326)
    assert error_for(service, series).startswith("feature 1 has no geometry")


def test_a_feature_without_a_geometry_is_rejected(service: FakeService) -> None:
    message = error_for(service, collection(feature(VALID), feature(None)))
    assert message.startswith("feature 1 has no geometry")


def with_crs(crs: Any) -> Json:
    return collection(feature(VALID, name="a")) | {"crs": crs}


@pytest.mark.parametrize("name", ["EPSG:3763", "urn:ogc:def:crs:EPSG::3763"])
def test_geojson_in_a_known_crs_is_reprojected(name: str, service: FakeService) -> None:
    where = with_crs({"type": "name", "properties": {"name": name}})
    for source in (where, json.dumps(where)):
        service.project().add_diagram(WATER, source, title="Placed")
    expected = gpd.GeoSeries([shapely.geometry.shape(VALID)], crs=3763).to_crs(4326).iloc[0]
    for sent in service.sent:
        (placed,) = sent["geometry"]["features"]
        assert shapely.hausdorff_distance(shapely.geometry.shape(placed["geometry"]), expected) < 1e-12
    assert len(service.sent) == 2


@pytest.mark.parametrize("name", ["EPSG:14326x", "EPSG:1", "a plan", "", None])
def test_geojson_in_another_crs_is_rejected(name: Any, service: FakeService) -> None:
    message = error_for(service, with_crs({"type": "name", "properties": {"name": name}}))
    assert "not in WGS 84; reproject it first" in message


@pytest.mark.parametrize("name", ["EPSG:4326", "urn:ogc:def:crs:EPSG::4326", "urn:ogc:def:crs:OGC:1.3:CRS84"])
def test_geojson_may_name_wgs_84(name: str, service: FakeService) -> None:
    service.project().add_diagram(WATER, with_crs({"type": "name", "properties": {"name": name}}), title="Placed")
    assert len(service.sent) == 1


# Values that are not geometries


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a letter", "not GeoJSON"),
        (b"\xff\xfe", "not GeoJSON"),
        ("[]", "not a GeoJSON object"),
        ('"Polygon"', "not a GeoJSON object"),
        ({"type": "FeatureCollection"}, "no list of features"),
        ({"type": "FeatureCollection", "features": {}}, "no list of features"),
        ({"type": "FeatureCollection", "features": [VALID]}, "feature 0: it is not a GeoJSON Feature"),
        ({"type": "FeatureCollection", "features": [None]}, "feature 0: it is not a GeoJSON Feature"),
        ({}, 'no "type"'),
        (None, "no geometry can be made of None"),
        (42, "no geometry can be made of an int"),
        ([VALID, 42], "no geometry can be made of an int"),
        (pd.DataFrame({"longitude": [0]}), "no geometries that GeoPandas can read"),
        (gpd.GeoDataFrame({"longitude": [0]}), "no geometries"),
    ],
    ids=str,
)
def test_the_error_for_a_value_without_geometries_says_why(value: Any, expected: str, service: FakeService) -> None:
    assert expected in error_for(service, value)


# The same result as GEOS


@pytest.fixture(scope="module")
def accepting() -> Iterator[Project]:
    """A project whose service accepts every new diagram."""
    with FakeService({f"systems/{WATER}/add/project/": ADDED, **UPLOAD_CHECKS}) as service:
        yield service.project()


@settings(max_examples=400, deadline=None)
@example([(0, 0), (1, 1), (1, 0), (0, 1)])
@example([(0, 0), (0, 0), (2, 0), (2, 2), (2, 2)])
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=9))
def test_a_ring_is_rejected_exactly_when_shapely_calls_it_invalid(
    accepting: Project, corners: list[tuple[int, int]]
) -> None:
    ring = [*corners, corners[0]]
    assert is_accepted(accepting, {"type": "Polygon", "coordinates": [ring]}) == shapely.Polygon(ring).is_valid


def is_accepted(project: Project, geometry: Json) -> bool:
    try:
        project.add_diagram(WATER, geometry, title="Random")
    except InputError:
        return False
    return True
