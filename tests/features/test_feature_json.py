"""Feature-JSON is converted to GeoJSON: the same areas, in degrees, with holes in their polygons."""

import random
from typing import Any

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Transformer
from shapely.geometry import shape

from pygeodesign import FeatureCollection, InputError, Project
from pygeodesign.types import EsriFeature

DEGREES = {"wkid": 4326}
TO_DEGREES = Transformer.from_crs(3857, 4326, always_xy=True)
# A node is an exterior where its depth is even, and a hole in the node above it where it is odd.
Tree = list[Any]
trees: st.SearchStrategy[Tree] = st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=4), max_leaves=12)
forests = st.lists(trees, min_size=1, max_size=3)


def esri_feature(geometry: dict[str, Any] | None, **attributes: Any) -> EsriFeature:
    return {"attributes": attributes, "geometry": geometry}


def geometry_of(esri_geometry: dict[str, Any]) -> Any:
    """The shapely geometry of converted feature-JSON."""
    (feature,) = FeatureCollection.from_esri([esri_feature(esri_geometry)])
    return shape(feature["geometry"])


def square(x: float, y: float, size: float, *, clockwise: bool) -> list[list[float]]:
    ring = [[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]]
    return ring[::-1] if clockwise else ring


def nest(tree: Tree, x: float, y: float, size: float, depth: int) -> tuple[list[Any], list[Any]]:
    """The rings of nested squares, each in a quarter of its parent, and the polygons that the rings mean."""
    rings = [square(x, y, size, clockwise=depth % 2 == 0)]
    polygons, holes = [], []
    for index, child in enumerate(tree):
        left, low = x + size * (0.05 + 0.5 * (index % 2)), y + size * (0.05 + 0.5 * (index // 2))
        inner_rings, inner_polygons = nest(child, left, low, size * 0.4, depth + 1)
        rings += inner_rings
        polygons += inner_polygons
        holes.append(inner_rings[0])
    if depth % 2 == 0:
        polygons.append(shapely.Polygon(rings[0], holes))
    return rings, polygons


@settings(max_examples=150, deadline=None)
@given(forests, st.randoms(use_true_random=False))
def test_a_hole_is_in_the_polygon_around_it(forest: list[Tree], chance: random.Random) -> None:
    nested = [nest(tree, 20.0 * index, 0.0, 10.0, 0) for index, tree in enumerate(forest)]
    rings = [ring for rings, _ in nested for ring in rings]
    chance.shuffle(rings)
    polygons = [polygon for _, polygons in nested for polygon in polygons]
    expected = polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)
    found = geometry_of({"rings": rings, "spatialReference": DEGREES})
    assert found.is_valid
    assert shapely.equals_exact(shapely.normalize(found), shapely.normalize(expected), tolerance=0)


@pytest.mark.parametrize("wkid", [3857, 102100])
@given(st.lists(st.tuples(st.floats(-2e7, 2e7), st.floats(-2e7, 2e7)), min_size=2, max_size=5))
def test_web_mercator_coordinates_are_converted_to_degrees(wkid: int, metres: list[tuple[float, float]]) -> None:
    found = geometry_of({"paths": [metres], "spatialReference": {"wkid": wkid}})
    for (longitude, latitude), position in zip(found.coords, metres, strict=True):
        assert (longitude, latitude) == pytest.approx(TO_DEGREES.transform(*position), abs=1e-10)


def test_coordinates_in_degrees_are_unchanged() -> None:
    path = [[-74.123742, 40.554509], [0.1 + 0.2, 1 / 3]]
    assert [list(position) for position in geometry_of({"paths": [path], "spatialReference": DEGREES}).coords] == path


@pytest.mark.parametrize("wkid", [26918, 4269, 0])
def test_the_error_for_another_spatial_reference_names_it_and_the_feature(wkid: int) -> None:
    known = esri_feature({"x": 1.0, "y": 2.0, "spatialReference": DEGREES})
    other = esri_feature({"x": 1.0, "y": 2.0, "spatialReference": {"wkid": wkid}})
    with pytest.raises(InputError, match=rf"feature 1: wkid {wkid}\b"):
        FeatureCollection.from_esri([known, other])


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ([esri_feature({"x": 1.0, "y": 2.0})], "feature 0.*spatialReference"),
        ([esri_feature({"spatialReference": DEGREES})], "feature 0.*rings, paths"),
        ([esri_feature({"paths": [[[1.0], [2.0]]], "spatialReference": DEGREES})], "feature 0.*two or three numbers"),
        ([{"geometry": None}], "attributes"),
        (["a feature"], "feature-JSON"),
        ({"features": []}, "feature-JSON"),
    ],
)
def test_invalid_feature_json_is_an_input_error(features: Any, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        FeatureCollection.from_esri(features)


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        ({"x": 1.0, "y": 2.0}, shapely.Point(1, 2)),
        ({"x": 1.0, "y": 2.0, "z": 3.0}, shapely.Point(1, 2, 3)),
        ({"points": [[1.0, 2.0], [3.0, 4.0]]}, shapely.MultiPoint([(1, 2), (3, 4)])),
        ({"paths": [[[0.0, 0.0], [1.0, 1.0]]]}, shapely.LineString([(0, 0), (1, 1)])),
        (
            {"paths": [[[0.0, 0.0], [1.0, 1.0]], [[2.0, 2.0], [3.0, 3.0]]]},
            shapely.MultiLineString([[(0, 0), (1, 1)], [(2, 2), (3, 3)]]),
        ),
    ],
)
def test_points_and_lines_are_converted(geometry: dict[str, Any], expected: Any) -> None:
    assert shapely.equals_identical(geometry_of(geometry | {"spatialReference": DEGREES}), expected)


def test_a_feature_may_have_no_geometry() -> None:
    bare: Any = {"attributes": {"id": 1}}
    collection = FeatureCollection.from_esri([bare, esri_feature(None, id=2)])
    assert [(feature["properties"], feature["geometry"]) for feature in collection] == [
        ({"id": 1}, None),
        ({"id": 2}, None),
    ]


def test_attributes_become_properties() -> None:
    attributes = {"diagramid": 7, "notes": None, "volume_information": {"min_height": 0.0, "max_height": 4.5}}
    (feature,) = FeatureCollection.from_esri([esri_feature(None, **attributes)])
    assert feature["properties"] == attributes


def test_an_empty_list_is_an_empty_collection() -> None:
    assert len(FeatureCollection.from_esri([])) == 0


def test_every_design_is_the_same_as_geojson_and_as_feature_json(project: Project) -> None:
    for team in project.teams():
        for design in project.designs(team["id"]):
            geojson = project.design(design["id"], team["id"]).features()
            from_esri = FeatureCollection.from_esri(project.design(design["id"], team["id"]).esri())
            # GeoJSON has a feature for each part.
            parts = iter(geojson)
            for whole in from_esri:
                expected = shapely.get_parts(shape(whole["geometry"])) if whole["geometry"] else [None]
                for part in expected:
                    feature = next(parts)
                    assert feature["properties"] == whole["properties"]
                    geometry = shape(feature["geometry"])
                    assert geometry.is_empty if part is None else geometry.normalize().equals_exact(part.normalize(), 0)
            assert list(parts) == []
