"""A diagram can be drawn with any common geometry type, and returns exactly these geometries."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import geopandas as gpd
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from builders import read_collection
from geometries import lines, polygons, wkb
from pygeodesign import Project
from small_project import WATER, running_workshop

LAMBERT = 3763  # Portugal, metres.
ROCIO = shapely.Polygon(
    [(-9.1402, 38.7131), (-9.1386, 38.7129), (-9.1383, 38.7146), (-9.1399, 38.7148), (-9.1402, 38.7131)],
    [[(-9.1394, 38.7137), (-9.1391, 38.7137), (-9.1391, 38.714), (-9.1394, 38.7137)]],
)
GARDENS = shapely.MultiPolygon([shapely.box(-9.16, 38.71, -9.15, 38.72), shapely.box(-9.14, 38.74, -9.13, 38.75)])
AREAS = gpd.GeoDataFrame({"name": ["Rocio", "Gardens"]}, geometry=[ROCIO, GARDENS], crs=4326).to_crs(LAMBERT)


@pytest.fixture(scope="module")
def empty_project() -> Iterator[Project]:
    """The project to which all tests of this file add diagrams; each test reads only its own."""
    with running_workshop() as workshop:
        yield workshop.project


def stored_geometries(project: Project, geometry: Any) -> Any:
    """Adds a diagram with this geometry, and returns the geometries that the service stored."""
    added = project.add_diagram(WATER, geometry, title="Drawn", outside="allow")
    return project.diagram(added.id).features().to_geopandas().geometry


class GeoInterface:
    """An object of another library that has only `__geo_interface__`."""

    def __init__(self, geojson: Any) -> None:
        self.__geo_interface__ = geojson


def geojson(frame: gpd.GeoDataFrame) -> Any:
    return frame.to_crs(4326).__geo_interface__


def reversed_members(value: Any) -> Any:
    """The same JSON with the members of every object in reverse order: coordinates before their type."""
    if isinstance(value, dict):
        return {key: reversed_members(member) for key, member in reversed(value.items())}
    return [reversed_members(item) for item in value] if isinstance(value, list | tuple) else value


def with_numpy_coordinates(frame: gpd.GeoDataFrame) -> Any:
    collection = geojson(frame)
    rings = collection["features"][0]["geometry"]["coordinates"]
    collection["features"][0]["geometry"]["coordinates"] = [np.array(ring) for ring in rings]
    polygons = collection["features"][1]["geometry"]["coordinates"]
    numbers = [[[[np.float64(number) for number in at] for at in ring] for ring in rings] for rings in polygons]
    collection["features"][1]["geometry"]["coordinates"] = numbers
    return collection


INPUTS: dict[str, Callable[[gpd.GeoDataFrame], Any]] = {
    "a GeoDataFrame": lambda frame: frame,
    "a GeoSeries": lambda frame: frame.geometry,
    "a GeometryArray": lambda frame: frame.geometry.array,
    "a GeoDataFrame with its geometry elsewhere": lambda frame: frame.rename_geometry("shape"),
    "shapely geometries": lambda frame: list(frame.to_crs(4326).geometry),
    "shapely geometries in an array": lambda frame: frame.to_crs(4326).geometry.to_numpy(),
    "a generator": lambda frame: (shape for shape in frame.to_crs(4326).geometry),
    "a __geo_interface__": lambda frame: GeoInterface(geojson(frame)),
    "several of them": lambda frame: [GeoInterface(feature) for feature in geojson(frame)["features"]],
    "a FeatureCollection of this package": lambda frame: read_collection(geojson(frame)),
    "an Arrow stream": lambda frame: frame.to_arrow(),
    "an Arrow stream of arrays of coordinates": lambda frame: frame.iloc[1:].to_arrow(geometry_encoding="geoarrow"),
    "a pyarrow table": lambda frame: pa.table(frame.to_arrow()),
    "a polars frame": lambda frame: pl.DataFrame(pa.table(frame.to_arrow())),
    "a GeoJSON FeatureCollection": geojson,
    "GeoJSON Features": lambda frame: geojson(frame)["features"],
    "GeoJSON geometries": lambda frame: [feature["geometry"] for feature in geojson(frame)["features"]],
    "GeoJSON with coordinates before the type": lambda frame: reversed_members(geojson(frame)),
    "GeoJSON with the numbers of numpy": with_numpy_coordinates,
    "GeoJSON text": lambda frame: frame.to_crs(4326).to_json(),
    "GeoJSON bytes": lambda frame: frame.to_crs(4326).to_json().encode(),
    "GeoJSON that names WGS 84": lambda frame: frame.to_crs(4326).to_json(show_bbox=True, to_wgs84=True),
}


@pytest.mark.parametrize("kind_of_input", INPUTS)
def test_a_diagram_can_be_drawn_with(kind_of_input: str, empty_project: Project) -> None:
    expected = AREAS.iloc[1:] if "arrays of coordinates" in kind_of_input else AREAS
    assert wkb(stored_geometries(empty_project, INPUTS[kind_of_input](AREAS))) == wkb(expected.to_crs(4326).geometry)


@pytest.mark.parametrize(
    "geometry",
    [ROCIO, GeoInterface(shapely.geometry.mapping(ROCIO)), shapely.geometry.mapping(ROCIO), shapely.to_geojson(ROCIO)],
    ids=["a shapely geometry", "a __geo_interface__", "a GeoJSON geometry", "its text"],
)
def test_a_diagram_can_be_drawn_with_one_geometry(geometry: Any, empty_project: Project) -> None:
    assert wkb(stored_geometries(empty_project, geometry)) == wkb([ROCIO])


def test_a_linear_ring_is_stored_as_a_line(empty_project: Project) -> None:
    (line,) = stored_geometries(empty_project, ROCIO.exterior)
    assert line.equals(shapely.LineString(ROCIO.exterior))


def test_other_columns_are_not_sent(empty_project: Project) -> None:
    added = empty_project.add_diagram(WATER, AREAS.assign(owner="nobody's business"), title="Private")
    properties = [feature["properties"] for feature in empty_project.diagram(added.id).features()]
    assert "nobody's business" not in json.dumps(properties)


# Round trips


def test_polygons_of_the_demo_project_are_returned_bit_for_bit(empty_project: Project, project: Project) -> None:
    real = project.study_area.boundaries().to_geopandas().to_crs(32618)
    assert len(shapely.get_coordinates(real.geometry)) > 100
    assert wkb(stored_geometries(empty_project, real)) == wkb(real.to_crs(4326).geometry)


def test_lines_of_the_demo_project_are_returned_bit_for_bit(empty_project: Project, project: Project) -> None:
    diagrams = project.diagrams().to_geopandas()
    real = diagrams[diagrams.geom_type.isin(["LineString", "MultiLineString"])].to_crs(32618)
    assert len(real) > 5
    assert wkb(stored_geometries(empty_project, real)) == wkb(real.to_crs(4326).geometry)


SHAPES = {
    "a polygon with holes": ROCIO,
    "a clockwise shell": ROCIO.reverse(),
    "a clockwise shell around a clockwise hole": shapely.Polygon(
        ROCIO.exterior.reverse(), [ROCIO.interiors[0].reverse()]
    ),
    "several parts": GARDENS,
    "heights": shapely.force_3d(ROCIO, 12.345678901234567),
    "heights of a line": shapely.LineString([(-9.15, 38.7, 0.1), (-9.14, 38.71, -3.3333333333333335)]),
    "fifteen decimals": shapely.LineString([(-9.123456789012345, 38.712345678901234), (-9.1, 38.700000000000001)]),
    "a line twice over itself": shapely.LineString([(-9.15, 38.7), (-9.14, 38.71), (-9.15, 38.7)]),
    "a line of several parts": shapely.MultiLineString([[(-9.15, 38.7), (-9.14, 38.71)], [(-9.1, 38.7), (-9, 38.7)]]),
    "a position twice in a row": shapely.Polygon([(0, 0), (1, 0), (1, 0), (1, 1), (0, 0)]),
    "a hole that touches its shell": shapely.Polygon(
        [(0, 0), (4, 0), (4, 4), (0, 4)], [[(0, 0), (2, 1), (1, 2), (0, 0)]]
    ),
    "half the Earth": shapely.box(-180, -90, 0, 90),
}


@pytest.mark.parametrize("what", SHAPES)
def test_a_shape_is_returned_bit_for_bit(what: str, empty_project: Project) -> None:
    assert wkb(stored_geometries(empty_project, SHAPES[what])) == wkb([SHAPES[what]])


@pytest.mark.parametrize("what", ["a polygon with holes", "several parts", "heights", "a clockwise shell"])
def test_a_projected_shape_is_returned_as_geopandas_reprojects_it(what: str, empty_project: Project) -> None:
    metres = gpd.GeoSeries([SHAPES[what]], crs=4326).to_crs(LAMBERT)
    assert wkb(stored_geometries(empty_project, metres)) == wkb(metres.to_crs(4326))


def goes_across_the_antimeridian(shape: shapely.Geometry) -> bool:
    """True if it crosses the antimeridian, where it would be cut: see test_antimeridian.py."""
    lines = [
        line
        for part in shapely.get_parts(shape)
        for line in ([part] if part.geom_type == "LineString" else [part.exterior, *part.interiors])
    ]
    return any((abs(np.diff(shapely.get_coordinates(line)[:, 0])) > 180).any() for line in lines)


@settings(max_examples=60, deadline=None)
@given(shape=st.one_of(lines(), polygons()))
def test_any_valid_shape_is_returned_bit_for_bit(shape: shapely.Geometry, empty_project: Project) -> None:
    assume(shape.is_valid and not goes_across_the_antimeridian(shape))
    assert wkb(stored_geometries(empty_project, shape)) == wkb([shape])
