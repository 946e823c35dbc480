"""`pygeodesign basemap`: vector tiles from an extract of OpenStreetMap, read back by GDAL and by the service."""

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import geopandas
import numpy as np
import pyogrio
import pytest
import requests
import shapely

from osm_town import BOX, write_town
from pygeodesign._basemap.coast import land_within
from pygeodesign._basemap.pmtiles import as_pmtiles
from serving import running_service

WORLD = (-180.0, -85.0, 180.0, 85.0)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pygeodesign", "basemap", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=120, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an extract, the file of an area, and the basemaps of both."""
    folder = tmp_path_factory.mktemp("town")
    write_town(folder / "city.osm")
    area = shapely.box(-74.16, 40.56, -74.14, 40.57)
    geopandas.GeoDataFrame({"name": ["Centre"]}, geometry=[area], crs=4326).to_crs(32618).to_file(folder / "area.gpkg")
    assert run(folder, "city.osm", "-o", "city.pmtiles").returncode == 0
    assert run(folder, "city.osm", "--area", "area.gpkg", "-o", "area.pmtiles").returncode == 0
    return folder


def layer(path: Path, name: str, zoom: int = 14) -> Any:
    """The features of a layer at a zoom. Those on the border of tiles are there several times."""
    return pyogrio.read_dataframe(path, layer=name, ZOOM_LEVEL=str(zoom)).to_crs(4326)


def kinds(folder: Path, name: str, zoom: int = 14) -> set[str]:
    return set(layer(folder / "city.pmtiles", name, zoom).kind)


def test_things_have_the_kinds_of_protomaps(folder: Path) -> None:
    assert kinds(folder, "roads") == {"highway", "major_road", "minor_road", "rail"}
    assert kinds(folder, "landuse") == {"park", "forest", "industrial"}
    assert kinds(folder, "water") == {"water", "river"}
    assert kinds(folder, "places") == {"locality"} and kinds(folder, "earth") == {"earth"}
    places = layer(folder / "city.pmtiles", "places")
    assert set(zip(places.name, places.min_zoom, strict=True)) == {("Seaside", 8)}
    assert set(layer(folder / "city.pmtiles", "boundaries").kind_detail) == {6}
    assert "Street 3" in set(layer(folder / "city.pmtiles", "roads").name)


def test_small_things_are_in_close_tiles_alone(folder: Path) -> None:
    assert kinds(folder, "roads", 11) == {"highway", "major_road", "rail"}
    assert kinds(folder, "roads", 12) == {"highway", "major_road", "minor_road", "rail"}
    assert len(layer(folder / "city.pmtiles", "buildings", 13)) >= 48
    with pytest.raises(pyogrio.errors.DataSourceError):
        layer(folder / "city.pmtiles", "buildings", 15)


def test_the_sea_is_on_the_right_of_the_coast(folder: Path) -> None:
    land = shapely.union_all(layer(folder / "city.pmtiles", "earth", 12).geometry)
    assert all(land.contains(shapely.Point(place)) for place in ((-74.15, 40.58), (-74.15, 40.52)))
    assert not any(land.contains(shapely.Point(place)) for place in ((-74.15, 40.505), (-74.19, 40.505)))


def test_the_file_has_the_rectangle_around_the_area_and_half_of_its_longer_side_more(folder: Path) -> None:
    west, south, east, north = shapely.union_all(layer(folder / "area.pmtiles", "earth", 14).geometry).bounds
    assert (west, south, east, north) == pytest.approx((-74.17, 40.55, -74.13, 40.58), abs=3e-4)
    assert layer(folder / "city.pmtiles", "earth", 14).total_bounds == pytest.approx(BOX, abs=2e-2)


def test_the_file_says_whose_data_it_has(folder: Path) -> None:
    with running_service("--basemap", folder / "city.pmtiles") as service:
        page = requests.get(urljoin(service.urls[0], "/"), timeout=20).text
    assert '"credits":"© OpenStreetMap contributors"' in page and '"vector":true' in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.osm.pbf", "-o", "x.pmtiles"], "none.osm.pbf cannot be read: there is no such file"),
        (["area.gpkg", "-o", "x.pmtiles"], "area.gpkg is not an extract of OpenStreetMap (.osm.pbf or .osm)"),
        (["city.osm", "--area", "none.gpkg", "-o", "x.pmtiles"], "none.gpkg cannot be read: there is no such file"),
        (["city.osm", "--area", "far.geojson", "-o", "x.pmtiles"], "nothing from 9.50, 49.50 to 11.50, 51.50"),
        (["city.osm", "-o", "x.mbtiles"], "a basemap is a file of tiles, such as x.pmtiles"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_written(arguments: list[str], message: str, folder: Path) -> None:
    geopandas.GeoDataFrame(geometry=[shapely.box(10, 50, 11, 51)], crs=4326).to_file(folder / "far.geojson")
    ended = run(folder, *arguments)
    assert ended.returncode == 2 and message in ended.stderr
    assert not (folder / arguments[-1]).exists()


# Land and sea

FRAME = shapely.box(0, 0, 4, 4)


@pytest.mark.parametrize(
    ("coasts", "islands", "area"),
    [
        ([], [], 16),
        # Eastwards: land in the north. Westwards: in the south.
        ([[(-1, 1), (5, 1)]], [], 12),
        ([[(5, 1), (-1, 1)]], [], 4),
        # A strait between two coasts.
        ([[(5, 1), (-1, 1)], [(-1, 2), (5, 2)]], [], 12),
        ([], [shapely.box(1, 1, 2, 2)], 1),
        # The southern coast, and an island in front of it.
        ([[(-1, 3), (5, 3)]], [shapely.box(1, 1, 2, 2)], 5),
    ],
)
def test_land_is_on_the_left_of_coasts(coasts: Any, islands: Any, area: float) -> None:
    found = land_within(FRAME, np.array([shapely.LineString(line) for line in coasts]), np.array(islands))
    assert found.area == pytest.approx(area)


# Files of many tiles


def test_a_file_of_many_tiles_has_directories_of_directories(tmp_path: Path) -> None:
    tiles = {(7, x, y): b"\x1a" + f"{x * y % 977}/{x}".encode() for x in range(128) for y in range(128)}
    path = tmp_path / "many.pmtiles"
    path.write_bytes(as_pmtiles(tiles, WORLD, {"name": "Many"}))
    content = path.read_bytes()
    leaves = int.from_bytes(content[48:56], "little")
    assert leaves > 0
    with running_service("--basemap", path) as service:
        for place in ((7, 0, 0), (7, 127, 127), (7, 64, 63), (7, 1, 126)):
            answer = requests.get(urljoin(service.urls[0], "/basemap/" + "/".join(map(str, place))), timeout=20)
            assert answer.content == tiles[place], place


def test_equal_tiles_are_in_a_file_once() -> None:
    sea = {(7, x, y): b"\x1a sea" for x in range(128) for y in range(128)}
    assert len(as_pmtiles(sea, WORLD, {})) < 300
    assert gzip.compress(b"\x1a sea", mtime=0) in as_pmtiles(sea, WORLD, {})
