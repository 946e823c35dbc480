"""Tables with longitude and latitude, and waypoints of GPX, as points: read by whatever reads files of diagrams."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pyogrio
import pyproj
import pytest
import shapely

from commands import output_of, signed_in
from pygeodesign import InputError
from pygeodesign._reading.table import Table, read_file
from small_project import WATER, Workshop

pytestmark = pytest.mark.filterwarnings("ignore:.*priced by the piece")

STOPS = [(-9.2, 38.7), (-9.15, 38.7125), (-9.1, 38.75)]
NAMES = ["Alfama", "Belém", "Chiado"]
TABLE = pd.DataFrame({"name": NAMES, "lon": [x for x, _ in STOPS], "lat": [y for _, y in STOPS]})


def written(path: Path, table: pd.DataFrame, **options: Any) -> Path:
    write = table.to_excel if path.suffix == ".xlsx" else table.to_csv
    write(path, index=False, **options)
    return path


def places(table: Table) -> list[tuple[float, float]]:
    shapes = [shapely.from_wkb(row.geometry) for row in table.rows]
    assert {shape.geom_type for shape in shapes} == {"Point"}
    return [(shape.x, shape.y) for shape in shapes]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        *[("lon", "lat"), ("LNG", "Lat"), ("long", "lat"), ("Longitude", "Latitude"), ("stop_lon", "stop_lat")],
        *[("x", "y"), ("X", "Y"), ("Längengrad", "Breitengrad"), ("longitud", "latitud"), ("خط الطول", "خط العرض")],
    ],
)
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_rows_with_longitude_and_latitude_are_points(ending: str, x: str, y: str, tmp_path: Path) -> None:
    table = read_file(written(tmp_path / f"stops.{ending}", TABLE.rename(columns={"lon": x, "lat": y})), None)
    assert places(table) == STOPS
    assert [row.properties for row in table.rows] == [{"name": name} for name in NAMES]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_commas_may_be_in_the_numbers(separator: str, tmp_path: Path) -> None:
    assert places(read_file(written(tmp_path / "stops.csv", TABLE, sep=separator, decimal=","), None)) == STOPS


def test_numbers_that_a_sheet_holds_as_texts_are_read_too(tmp_path: Path) -> None:
    texts = TABLE.assign(lon=TABLE.lon.astype(str).str.replace(".", ","), lat=TABLE.lat.astype(str) + " ")
    assert places(read_file(written(tmp_path / "stops.xlsx", texts), None)) == STOPS


def test_tables_of_gdal_come_back(tmp_path: Path) -> None:
    """GDAL writes the columns X and Y."""
    frame = gpd.GeoDataFrame({"name": NAMES}, geometry=[shapely.Point(stop) for stop in STOPS], crs=4326)
    pyogrio.write_dataframe(frame, tmp_path / "stops.csv", layer_options={"GEOMETRY": "AS_XY"})
    assert places(read_file(tmp_path / "stops.csv", None)) == STOPS


def test_metres_need_a_crs_beside_them(tmp_path: Path) -> None:
    to_metres = pyproj.Transformer.from_crs(4326, 3763, always_xy=True)
    x, y = to_metres.transform(TABLE.lon, TABLE.lat)
    path = written(tmp_path / "stops.csv", TABLE.drop(columns=["lon", "lat"]).assign(x=x, y=y))
    assert "put the CRS of a CSV file into a .prj file" in str(read_file(path, None).rows[0].problem)
    path.with_suffix(".prj").write_text(pyproj.CRS(3763).to_wkt("WKT1_ESRI"))
    assert places(read_file(path, None)) == [pytest.approx(stop, abs=1e-9) for stop in STOPS]


def test_geometries_count_before_coordinates_and_coordinates_before_addresses(tmp_path: Path) -> None:
    table = TABLE.assign(WKT=["LINESTRING (0 0, 1 1)"] * 3, url=["https://example.org/stop"] * 3)
    path = written(tmp_path / "stops.csv", table)
    path.with_suffix(".prj").write_text(pyproj.CRS(4326).to_wkt("WKT1_ESRI"))
    assert {shapely.from_wkb(row.geometry).geom_type for row in read_file(path, None).rows} == {"LineString"}
    assert places(read_file(written(path, table.drop(columns="WKT")), None)) == STOPS


@pytest.mark.parametrize(
    ("lon", "lat", "reason"),
    [
        ("", "38.7", "'lon': it is empty"),
        ("-9.2", "", "'lat': it is empty"),
        ("", "", "'lon': it is empty"),
        ("9 W", "38.7", "'lon': '9 W' is not a number; give decimal degrees"),
        ("-9.2", "nan", "'lat': 'nan' is not a number"),
        ("-9.2", "1.234.567", "'lat': '1.234.567' is not a number"),
        ("38.7", "-109.2", "'lat': -109.2 is not a latitude, .*; longitude and latitude are swapped"),
        (
            "-9.2",
            "100",
            "'lat': 100 is not a latitude, which lies between -90 and 90; longitude and",
        ),
        ("200", "38.7", "'lon': 200 is not a longitude, which lies between -180 and 180"),
        ("487000", "4284000", "'lat': 4284000 is not a latitude.*give decimal degrees, or put the CRS"),
        # In range, but far from the study area.
        ("38.7", "-9.2", "its longitude and latitude are swapped"),
    ],
)
def test_a_wrong_number_is_named_by_row_and_column(
    lon: str, lat: str, reason: str, tmp_path: Path, workshop: Workshop
) -> None:
    (tmp_path / "stops.csv").write_text(f"name;lon;lat\nAlfama;-9.2;38.7\nBelém;{lon};{lat}\nChiado;-9.1;38.75\n")
    with pytest.raises(InputError, match=f"^row 1.*{reason}"):
        workshop.project.add_diagrams(WATER, tmp_path / "stops.csv", title="name")
    report = workshop.project.add_diagrams(WATER, tmp_path / "stops.csv", title="name", on_error="skip")
    assert [bool(row["diagram_id"]) for row in report] == [True, False, True]


# GPX


def gpx(path: Path, *, walk: bool = False) -> Path:
    stops = "".join(
        f'<wpt lat="{y}" lon="{x}"><ele>12</ele><name>{name}</name></wpt>'
        for (x, y), name in zip(STOPS, NAMES, strict=True)
    )
    positions = "".join(f'<trkpt lat="{y}" lon="{x}"/>' for x, y in STOPS)
    track = f"<trk><name>Walk</name><trkseg>{positions}</trkseg></trk>" if walk else ""
    path.write_text(f'<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">{stops}{track}</gpx>')
    return path


def test_waypoints_are_points(tmp_path: Path) -> None:
    table = read_file(gpx(tmp_path / "stops.gpx"), None)
    assert places(table) == STOPS and [row.properties["name"] for row in table.rows] == NAMES


def test_waypoints_that_gdal_wrote_are_points(tmp_path: Path) -> None:
    frame = gpd.GeoDataFrame({"name": NAMES}, geometry=[shapely.Point(stop) for stop in STOPS], crs=4326)
    pyogrio.write_dataframe(frame, tmp_path / "stops.gpx", driver="GPX", layer="waypoints")
    assert places(read_file(tmp_path / "stops.gpx", None)) == STOPS


def test_of_waypoints_and_tracks_one_must_be_named(tmp_path: Path) -> None:
    path = gpx(tmp_path / "walk.gpx", walk=True)
    with pytest.raises(InputError, match="several layers: 'waypoints', 'tracks'; name one with layer="):
        read_file(path, None)
    assert places(read_file(path, "waypoints")) == STOPS
    (track,) = read_file(path, "tracks").rows
    assert shapely.from_wkb(track.geometry).geom_type == "MultiLineString"


# Every way into a project


@pytest.mark.parametrize("name", ["stops.csv", "stops.xlsx", "stops.gpx"])
def test_rows_are_diagrams_each_or_one_diagram_together(name: str, tmp_path: Path, workshop: Workshop) -> None:
    path = gpx(tmp_path / name) if name.endswith("gpx") else written(tmp_path / name, TABLE)
    report = workshop.project.add_diagrams(WATER, path, title="name")
    assert [row["title"] for row in report] == NAMES
    together = workshop.project.add_diagram("Green", path, title="Stops")
    costs = {row["diagramid"]: row["pieces"] for row in workshop.project.costs().diagrams}
    assert costs == {**{row["diagram_id"]: 1 for row in report}, together.id: 3}


def test_the_command_uploads_them(tmp_path: Path, workshop: Workshop) -> None:
    written(tmp_path / "stops.csv", TABLE)
    output_of(tmp_path, "upload", "stops.csv", "--system", "Water", **signed_in(workshop.sandbox, "ana.sousa"))
    titles = {row["worlddescription"] for row in workshop.project.diagrams(fields="summary")}
    assert titles == set(NAMES)


def test_the_room_reads_them(tmp_path: Path, workshop: Workshop) -> None:
    """A facilitator's map of places goes through the service."""
    root = workshop.sandbox.url.removesuffix("api/v1/")
    request = urllib.request.Request(
        f"{root}processes/{workshop.id}/read_map/?name=stops.csv",
        data=written(tmp_path / "stops.csv", TABLE).read_bytes(),
        headers={"Authorization": f"Token {workshop.sandbox.token('ana.sousa')}"},
    )
    with urllib.request.urlopen(request) as response:
        features = json.load(response)["features"]
    assert [(*feature["geometry"]["coordinates"],) for feature in features] == STOPS
    assert [feature["properties"]["name"] for feature in features] == NAMES
