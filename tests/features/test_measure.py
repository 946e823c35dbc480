"""`measure` returns pyproj's geodesic areas and lengths of any geometries, in their order and with their index."""

import json
import math
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyproj
import pytest
import shapely

import pygeodesign
from builders import collection, feature, line, read_diagrams, ring, square
from pygeodesign import InputError

WGS84 = pyproj.Geod(ellps="WGS84")
SHAPES = gpd.GeoSeries(
    [
        shapely.Polygon(ring(-9.2, 38.7, 0.1), [ring(-9.15, 38.72, 0.02)]),
        shapely.LineString([(-9.2, 38.7), (-9.1, 38.8)]),
        shapely.MultiPolygon([shapely.box(0, 0, 1, 1), shapely.box(179, -1, 180, 0)]),
        shapely.Point(5, 52),
        shapely.GeometryCollection([shapely.box(3, 3, 4, 4), shapely.LineString([(0, 0), (0, 1)])]),
    ],
    index=["bay", "tram", "islands", "well", "park"],
    crs=4326,
)


def expected(shapes: Any) -> pd.DataFrame:
    """By pyproj."""

    def hectares(shape: shapely.Geometry) -> float:
        polygons = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
        return sum(abs(WGS84.geometry_area_perimeter(shapely.normalize(part))[0]) for part in polygons) / 10_000

    def kilometres(shape: shapely.Geometry) -> float:
        lines = [part for part in shapely.get_parts(shape) if part.geom_type == "LineString"]
        return sum(WGS84.geometry_length(part) for part in lines) / 1_000

    def pieces(shape: shapely.Geometry) -> float:
        return float(sum(part.geom_type == "Point" for part in shapely.get_parts(shape)))

    figures = {"area_ha": hectares, "length_km": kilometres, "pieces": pieces}
    return pd.DataFrame(
        {name: [float(of(shape)) for shape in shapes] for name, of in figures.items()}, index=shapes.index
    )


def assert_measured(measured: pd.DataFrame, index: Any = None) -> None:
    figures = expected(SHAPES).set_axis(range(len(SHAPES)) if index is None else index)
    pd.testing.assert_frame_equal(measured, figures, rtol=1e-9, check_index_type=False)


@pytest.mark.parametrize("crs", [4326, 4258])
def test_a_series_in_any_crs_is_measured_with_its_index(crs: int) -> None:
    assert_measured(pygeodesign.measure(SHAPES.to_crs(crs)), SHAPES.index)


def test_a_projected_frame_is_measured_in_degrees() -> None:
    rows = SHAPES[["bay", "tram"]]
    measured = pygeodesign.measure(gpd.GeoDataFrame({"name": ["a", "b"]}, geometry=rows.to_crs(3763), index=rows.index))
    pd.testing.assert_frame_equal(measured, expected(rows), rtol=1e-7)


GEOJSON: Any = collection(*(feature(shapely.geometry.mapping(shape)) for shape in SHAPES))


@pytest.mark.parametrize(
    "geometries",
    [
        GEOJSON,
        json.dumps(GEOJSON),
        json.dumps(GEOJSON).encode(),
        list(SHAPES),
        [shapely.geometry.mapping(shape) for shape in SHAPES],
        pa.table(SHAPES.to_frame("geometry").to_arrow(index=False)),
    ],
    ids=["dict", "text", "bytes", "shapes", "dicts", "Arrow"],
)
def test_whatever_holds_geometries_is_measured_in_order(geometries: Any) -> None:
    assert_measured(pygeodesign.measure(geometries))


def test_diagrams_measure_what_they_cost() -> None:
    diagrams = read_diagrams({"geojson": GEOJSON, "id": 1, "sysid": 1})
    assert_measured(pygeodesign.measure(diagrams))


def test_one_geometry_is_one_row() -> None:
    for geometry in (SHAPES["bay"], square(0, 0, 1), feature(line([0, 0], [1, 1]))):
        assert len(pygeodesign.measure(geometry)) == 1


def test_a_missing_geometry_has_no_figures_and_an_empty_one_has_zeros() -> None:
    series = gpd.GeoSeries([None, shapely.Polygon(), shapely.Point()], crs=4326)
    geojson = collection(feature(None), feature({"type": "Polygon", "coordinates": []}), feature(line()))
    for geometries in (series, geojson, [None, shapely.Polygon(), shapely.LineString()]):
        measured = pygeodesign.measure(geometries)
        np.testing.assert_array_equal(measured, [[math.nan] * 3, [0] * 3, [0] * 3])


def test_many_rows_are_measured_in_order() -> None:
    squares = gpd.GeoSeries([shapely.box(0, 0, 0.001 * size, 0.001) for size in range(1, 2_000)], crs=4326)
    measured = pygeodesign.measure(squares)
    assert measured["area_ha"].is_monotonic_increasing
    assert measured["area_ha"].to_numpy() == pytest.approx(expected(squares)["area_ha"].to_numpy(), rel=1e-9)


def test_no_rows_are_an_empty_frame() -> None:
    nothings: list[Any] = [[], collection(), gpd.GeoSeries([], crs=4326)]
    for nothing in nothings:
        measured = pygeodesign.measure(nothing)
        assert list(measured.columns) == ["area_ha", "length_km", "pieces"]
        assert measured.empty


def test_coordinates_without_a_crs_are_refused() -> None:
    with pytest.raises(InputError, match=r"set_crs\(4326\)"):
        pygeodesign.measure(gpd.GeoSeries([shapely.box(0, 0, 1, 1)]))


@pytest.mark.parametrize("thing", [42, None, "a letter", [square(0, 0, 1), 42]], ids=str)
def test_what_is_no_geometry_is_refused(thing: Any) -> None:
    with pytest.raises(InputError):
        pygeodesign.measure(thing)


def test_an_unreadable_geometry_names_its_feature() -> None:
    with pytest.raises(InputError, match="feature 1: "):
        pygeodesign.measure(collection(feature(square(0, 0, 1)), feature({"type": "Circle", "coordinates": [0, 0]})))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_positions_that_are_no_numbers_have_no_figures(number: float) -> None:
    with np.errstate(invalid="ignore"):
        shapes = [shapely.Polygon([(0, 0), (1, 0), (1, number)]), shapely.LineString([(0, 0), (number, 1)])]
    np.testing.assert_array_equal(pygeodesign.measure(shapes), math.nan)


@pytest.mark.parametrize("place", [(500_000, 4_500_000), (180.1, 0), (0, -90.1)])
def test_positions_beyond_the_earth_are_refused_and_their_crs_is_asked_for(place: tuple[float, float]) -> None:
    box = shapely.box(*place, place[0] + 1, place[1] + 1)
    for geometries in ([SHAPES["bay"], box], gpd.GeoSeries([SHAPES["bay"], box], crs=4326)):
        with pytest.raises(InputError, match=r"feature 1: position .* say in which CRS"):
            pygeodesign.measure(geometries)


def test_an_invalid_polygon_is_measured_as_it_is() -> None:
    twice = shapely.MultiPolygon([shapely.box(0, 0, 1, 1)] * 2)
    once = pygeodesign.measure(shapely.box(0, 0, 1, 1))["area_ha"][0]
    assert pygeodesign.measure(twice)["area_ha"][0] == 2 * once


AROUND = {
    "whole Earth": shapely.box(-180, -90, 180, 90),
    "band": shapely.box(-180, 10, 180, 20),
    "band in short edges": shapely.box(-180, 10, 180, 20).segmentize(60),
    "cap of one long edge": shapely.box(-180, -90, 180, -60),
}


@pytest.mark.parametrize("what", AROUND)
def test_a_polygon_around_the_earth_is_measured_as_pyproj_does_with_a_warning(what: str) -> None:
    with pytest.warns(UserWarning, match="feature 1; cut them"):
        measured = pygeodesign.measure([SHAPES["bay"], AROUND[what]])
    area = abs(WGS84.polygon_area_perimeter(*AROUND[what].exterior.xy)[0]) / 10_000
    assert measured["area_ha"][1] == pytest.approx(area, rel=1e-9, abs=1e-6)


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_polygon_around_a_pole_has_its_area() -> None:
    antarctica = shapely.box(-180, -90, 180, -60).segmentize(60)
    area = abs(WGS84.polygon_area_perimeter(*antarctica.exterior.xy)[0]) / 10_000
    assert pygeodesign.measure(antarctica)["area_ha"][0] == pytest.approx(area, rel=1e-9)
