"""Planners' files of all kinds: formats, attributes, places, encodings and wrappings, as tables.

A new one joins them by a line.
"""

import datetime
import gzip
import json
import math
import sqlite3
import struct
import sys
import warnings
import zipfile
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pyogrio
import pyproj
import pytest
import shapely
import shapely.affinity

import pygeodesign
from pygeodesign import FeatureCollection, InputError, Project, _inputs
from pygeodesign._reading import interpreter
from pygeodesign._reading.table import Table, read_file
from small_project import WATER, Workshop

GEOD = pyproj.Geod(ellps="WGS84")
BOXES = [shapely.box(-9.2 + step / 100, 38.7, -9.195 + step / 100, 38.71) for step in range(3)]
LISBON = 3763


def hectares(shape: shapely.Geometry) -> float:
    return abs(float(GEOD.geometry_area_perimeter(shape)[0])) / 1e4


def frame(shapes: list[Any] = BOXES, **columns: Any) -> gpd.GeoDataFrame:
    named = {"name": [f"Park {number}" for number in range(len(shapes))], **columns}
    return gpd.GeoDataFrame(named, geometry=list(shapes), crs=4326)


def read(path: Path, layer: str | None = None) -> Table:
    """The table of a file without a message."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_file(path, layer)


def column(table: Table, name: str) -> list[Any]:
    return [row.properties.get(name) for row in table.rows]


# Formats × types of attributes


def by_gdal(path: Path, given: gpd.GeoDataFrame) -> Path:
    drivers = {".kml": "LIBKML"}
    # An index would bring the rows into another order.
    options = {"SPATIAL_INDEX": "NO"} if path.suffix == ".fgb" else {}
    pyogrio.write_dataframe(given, path, driver=drivers.get(path.suffix), use_arrow=True, layer_options=options)
    return path


def as_parquet(path: Path, given: gpd.GeoDataFrame) -> Path:
    given.to_parquet(path)
    return path


def as_csv(path: Path, given: gpd.GeoDataFrame) -> Path:
    given.assign(WKT=given.geometry.to_wkt()).drop(columns="geometry").to_csv(path, index=False)
    path.with_suffix(".prj").write_text(given.crs.to_wkt("WKT1_ESRI"))
    return path


def as_excel(path: Path, given: gpd.GeoDataFrame) -> Path:
    given.assign(WKT=given.geometry.to_wkt()).drop(columns="geometry").to_excel(path, index=False)
    return path


FORMATS: dict[str, Callable[[Path, gpd.GeoDataFrame], Path]] = {
    "gpkg": by_gdal,
    "geojson": by_gdal,
    "fgb": by_gdal,
    "shp": by_gdal,
    "gml": by_gdal,
    "kml": by_gdal,
    "parquet": as_parquet,
    "csv": as_csv,
    "xlsx": as_excel,
}
DAY, NOON = datetime.date(2030, 5, 1), datetime.datetime(2030, 5, 1, 12, 30)
LARGE = 2**62 + 1
# For each type: a value, and its documented text. The value of the second row is missing.
TYPES: dict[str, tuple[Any, Any, set[str]]] = {
    # The formats that have it are those without the ones that are named.
    "text": ("Fußgängerzone 公園", "Fußgängerzone 公園", set()),
    "day": (DAY, "2030-05-01", {"csv", "xlsx", "kml", "fgb"}),
    "moment": (NOON, "2030-05-01T12:30:00", {"shp", "csv", "kml"}),
    "large": (LARGE, LARGE, {"shp", "csv", "xlsx", "kml"}),
    "number": (0.1, 0.1, {"csv"}),
    "truth": (True, True, {"shp", "csv", "gml", "kml"}),
}


def typed(value: Any) -> Any:
    """A column with the value, nothing, and the value again."""
    if isinstance(value, datetime.datetime):
        return pd.Series([value, None, value], dtype="datetime64[ms]")
    dtypes = {bool: "boolean", int: "Int64", float: "Float64"}
    if isinstance(value, datetime.date):
        return pd.Series([value, None, value], dtype=pd.ArrowDtype(pa.date32()))
    return pd.Series([value, None, value], dtype=dtypes.get(type(value), "object"))


@pytest.mark.parametrize("ending", FORMATS)
def test_attributes_of_any_type_have_their_documented_text(ending: str, tmp_path: Path) -> None:
    here = {name: value for name, (value, _, without) in TYPES.items() if ending not in without}
    path = tmp_path / f"parks.{ending}"
    given = frame(**{name: typed(value) for name, value in here.items()})
    FORMATS[ending](path, given)
    table = read(path)
    for name in here:
        text = TYPES[name][1]
        found = column(table, name)
        assert [str(found[0]).removesuffix("Z").replace(".000", ""), found[1] or None, found[2]] == [
            str(text),
            None,
            found[0],
        ], (ending, name)
    assert [
        shapely.equals_exact(
            shapely.from_wkb(row.geometry) if isinstance(row.geometry, bytes) else shapely.from_geojson(row.geometry),
            box,
            1e-12,
            normalize=True,
        )
        for row, box in zip(table.rows, BOXES, strict=True)
    ] == [True] * 3


def test_types_that_only_parquet_has_are_read_too(tmp_path: Path) -> None:
    values = {
        "lists": pa.array([["a", "b"], None, []]),
        "structs": pa.array([{"a": 1, "b": [DAY]}, None, {"a": None, "b": None}]),
        "maps": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
        "bytes": pa.array([b"\x00\xff", None, b""]),
        "times": pa.array([datetime.time(10, 30), None, None]),
        "durations": pa.array([datetime.timedelta(days=1, seconds=1), None, None]),
        "zoned": pa.array([NOON, None, None], pa.timestamp("us", "Europe/Lisbon")),
        "decimals": pa.array([Decimal("1.50"), None, Decimal("7.00")]),
        "infinite": pa.array([math.inf, -math.inf, math.nan]),
    }
    expected = {
        "lists": [["a", "b"], None, []],
        "structs": [{"a": 1, "b": ["2030-05-01"]}, None, {"a": None, "b": None}],
        "maps": [{"a": 1}, None, []],
        "bytes": ["AP8=", None, ""],
        "times": ["10:30:00", None, None],
        "durations": [86401.0, None, None],
        "zoned": ["2030-05-01T13:30:00+01:00", None, None],
        "decimals": [1.5, None, 7],
        "infinite": ["Infinity", "-Infinity", None],
    }
    geo = {
        "version": "1.0.0",
        "primary_column": "geometry",
        "columns": {"geometry": {"encoding": "WKB", "geometry_types": []}},
    }
    table = pa.table({**values, "geometry": shapely.to_wkb(BOXES)}).replace_schema_metadata({"geo": json.dumps(geo)})
    pyarrow.parquet.write_table(table, tmp_path / "parks.parquet")
    found = read(tmp_path / "parks.parquet")
    assert {name: column(found, name) for name in expected} == expected


def test_a_dated_file_becomes_dated_diagrams(tmp_path: Path, workshop: Workshop) -> None:
    days = pd.Series([DAY, None, DAY.replace(year=2031)], dtype=pd.ArrowDtype(pa.date32()))
    pyogrio.write_dataframe(frame(start=days), tmp_path / "parks.gpkg", use_arrow=True)
    assert dates(workshop.project, tmp_path / "parks.gpkg", start_date="start") == {
        "Park 0": ("2030-05-01", "2030-05-01"),
        "Park 1": (None, None),
        "Park 2": ("2031-05-01", "2031-05-01"),
    }


def dates(project: Project, source: Any, **columns: Any) -> dict[str, tuple[str | None, str | None]]:
    report = project.add_diagrams(WATER, source, **{"title": "name", **columns})
    rows = {row["title"]: dict(project.diagram(row["diagram_id"] or 0)) for row in report}

    def text(value: Any) -> str | None:
        return None if value is None else str(value)[:10]

    return {title: (text(row["start_date"]), text(row["end_date"])) for title, row in rows.items()}


def test_years_months_and_intervals_have_first_and_last_days(tmp_path: Path, workshop: Workshop) -> None:
    def placemark(number: int, time: str) -> str:
        ring = " ".join(f"{x},{y}" for x, y in BOXES[number].exterior.coords)
        ring = f"<LinearRing><coordinates>{ring}</coordinates></LinearRing>"
        shape = f"<Polygon><outerBoundaryIs>{ring}</outerBoundaryIs></Polygon>"
        return f'<Placemark id="own{number}"><name>Park {number}</name>{time}{shape}</Placemark>'

    spans = [
        "<TimeSpan><begin>2030</begin><end>2035-02</end></TimeSpan>",
        "<TimeStamp><when>2031-05</when></TimeStamp>",
        "<TimeSpan><begin>2030-05-01T00:00:00+02:00</begin><end>2031-05-01</end></TimeSpan>",
    ]
    marks = "".join(placemark(number, time) for number, time in enumerate(spans))
    (tmp_path / "plan.kml").write_text(
        f'<kml xmlns="http://www.opengis.net/kml/2.2"><Document>{marks}</Document></kml>'
    )
    assert column(read(tmp_path / "plan.kml"), "id") == ["own0", "own1", "own2"]
    found = dates(workshop.project, tmp_path / "plan.kml", title="Name", start_date="begin", end_date="end")
    assert found == {
        "Park 0": ("2030-01-01", "2035-02-28"),
        "Park 1": (None, None),
        "Park 2": ("2030-05-01", "2031-05-01"),
    }
    elsewhere = [shapely.affinity.translate(box, 0, 0.02) for box in BOXES]
    intervals = frame(elsewhere, when=["2030/2031", "2031-05", "2030-05-01/P1Y"])
    intervals["name"] += " later"
    assert dates(workshop.project, intervals, start_date="when", end_date="when") == {
        "Park 0 later": ("2030-01-01", "2031-12-31"),
        "Park 1 later": ("2031-05-01", "2031-05-31"),
        "Park 2 later": ("2030-05-01", "2031-04-30"),
    }
    with pytest.raises(InputError, match=r'row 1: start_date: "soon" is neither a date'):
        workshop.project.add_diagrams(WATER, frame(when=["2030", "soon", "2031"]), title="name", start_date="when")


# One bad row is one bad row


def with_wkb(path: Path, shapes: list[bytes | None]) -> Path:
    """A GeoPackage with these geometries, as they are."""
    any_kind: Any = {"geometry_type": "Unknown", "layer_options": {"SPATIAL_INDEX": "NO"}}
    pyogrio.write_dataframe(frame(), path, layer="parks", **any_kind)
    header = b"GP\x00\x01" + struct.pack("<i", 4326)
    with closing(sqlite3.connect(path)) as database, database:
        for number, wkb in enumerate(shapes, 1):
            blob = None if wkb is None else header + wkb
            database.execute("UPDATE parks SET geom = ? WHERE fid = ?", (blob, number))
    return path


def ring_wkb(positions: list[tuple[float, float]]) -> bytes:
    numbers = b"".join(struct.pack("<dd", *position) for position in positions)
    return struct.pack("<BIII", 1, 3, 1, len(positions)) + numbers


OPEN = ring_wkb([(-9.19, 38.7), (-9.18, 38.7), (-9.18, 38.71)])
TRIANGLE = struct.pack("<BI", 1, 17) + ring_wkb([(0, 0), (1, 0), (1, 1), (0, 0)])[5:]
TIN = struct.pack("<BII", 1, 16, 1) + TRIANGLE


def broken_geojson(path: Path) -> Path:
    features = json.loads(frame().to_json())
    features["features"][1]["geometry"]["coordinates"][0].pop()
    path.write_text(json.dumps(features))
    return path


def broken_csv(path: Path) -> Path:
    as_csv(path, frame())
    lines = path.read_text().splitlines()
    lines[2] = 'Park 1,"POLYGON ((0 0, 1 1, 2 0))"'
    path.write_text("\n".join(lines))
    return path


def broken_parquet(path: Path) -> Path:
    frame().to_parquet(path)
    table = pyarrow.parquet.read_table(path)
    shapes = table["geometry"].to_pylist()
    shapes[1] = OPEN
    place = table.schema.get_field_index("geometry")
    pyarrow.parquet.write_table(table.set_column(place, table.schema.field(place), pa.array(shapes)), path)
    return path


BROKEN: dict[str, tuple[Callable[[Path], Path], str]] = {
    "open.gpkg": (
        lambda path: with_wkb(path, [shapely.to_wkb(BOXES[0]), OPEN, shapely.to_wkb(BOXES[2])]),
        "not closed",
    ),
    "none.gpkg": (
        lambda path: with_wkb(path, [shapely.to_wkb(BOXES[0]), None, shapely.to_wkb(BOXES[2])]),
        "has no geometry",
    ),
    "tin.gpkg": (lambda path: with_wkb(path, [shapely.to_wkb(BOXES[0]), TIN, shapely.to_wkb(BOXES[2])]), "TIN"),
    "none.fgb": (lambda path: by_gdal_without_index(path, [BOXES[0], None, BOXES[2]]), "has no geometry"),
    "open.geojson": (broken_geojson, "not closed"),
    "open.csv": (broken_csv, "not WKT"),
    "open.parquet": (broken_parquet, "not closed"),
    "collection.gpkg": (
        lambda path: by_gdal(
            path, frame([BOXES[0], shapely.GeometryCollection([BOXES[1], shapely.Point(-9.1, 38.7)]), BOXES[2]])
        ),
        "GeometryCollection",
    ),
}


def by_gdal_without_index(path: Path, shapes: list[Any]) -> Path:
    pyogrio.write_dataframe(frame(shapes), path, layer_options={"SPATIAL_INDEX": "NO"})
    return path


@pytest.mark.parametrize("name", BROKEN)
def test_a_bad_row_is_named_and_the_others_can_be_added(name: str, tmp_path: Path, workshop: Workshop) -> None:
    make, reason = BROKEN[name]
    path = make(tmp_path / name)
    with pytest.raises(InputError, match=rf"^row 1.*{reason}"):
        workshop.project.add_diagrams(WATER, path, title="name")
    report = workshop.project.add_diagrams(WATER, path, title="name", on_error="skip")
    assert [bool(row["diagram_id"]) for row in report] == [True, False, True]


def test_arcs_become_lines_of_one_degree(tmp_path: Path) -> None:
    # A circle of 100 m on the central meridian of UTM: pi r² / 0.9996², less 0.005 %.
    codes = {"CURVEPOLYGON": 10, "CIRCULARSTRING": 8}
    positions = [(500100, 4284000), (500000, 4284100), (499900, 4284000), (500000, 4283900), (500100, 4284000)]
    ring = struct.pack("<BII", 1, codes["CIRCULARSTRING"], 5) + b"".join(struct.pack("<dd", *p) for p in positions)
    path = tmp_path / "roundabout.gpkg"
    any_kind: Any = {"geometry_type": "Unknown", "layer_options": {"SPATIAL_INDEX": "NO"}}
    pyogrio.write_dataframe(frame().to_crs(32629), path, layer="parks", **any_kind)
    with closing(sqlite3.connect(path)) as database, database:
        blob = b"GP\x00\x01" + struct.pack("<i", 32629) + struct.pack("<BII", 1, codes["CURVEPOLYGON"], 1) + ring
        database.execute("DELETE FROM parks WHERE fid > 1")
        database.execute("UPDATE parks SET geom = ?", [blob])
    area = pygeodesign.measure(path)["area_ha"].iloc[0]
    assert area == pytest.approx(math.pi / 0.9996**2, rel=1e-4)


@pytest.mark.parametrize(
    "shape", ["LINESTRING M (-9.2 38.7 0, -9.2 38.71 1110)", "LINESTRING ZM (-9.2 38.7 5 0, -9.2 38.71 6 1110)"]
)
def test_measures_are_no_heights(shape: str, tmp_path: Path, workshop: Workshop) -> None:
    line = shapely.from_wkt(shape)
    raised = shapely.LineString([(-9.2, 38.7, 5), (-9.2, 38.71, 6)])
    stored = raised if "ZM" in shape else shapely.force_2d(raised)
    with pytest.warns(UserWarning, match=r"positions have measures \(M\), which are not heights"):
        added = workshop.project.add_diagram(WATER, frame([line]), title="Road")
    (found,) = workshop.project.diagram(added.id).features().to_geopandas().geometry
    assert found.has_z == ("ZM" in shape)
    assert shapely.equals(found, stored)
    wkb = shapely.to_wkb(line, output_dimension=4, flavor="iso")
    with pytest.warns(UserWarning, match=r"road\.gpkg: positions have measures \(M\)"):
        table = read_file(with_wkb(tmp_path / "road.gpkg", [wkb, wkb, wkb]), None)
    assert {shapely.from_wkb(row.geometry).has_z for row in table.rows} == {"ZM" in shape}


def test_heights_that_stand_for_none_are_none(tmp_path: Path) -> None:
    raised = shapely.force_3d(BOXES[0], 12.0)
    pyogrio.write_dataframe(frame([raised, shapely.force_3d(BOXES[1], -1e39), raised]), tmp_path / "parks.shp")
    assert [shapely.from_wkb(row.geometry).has_z for row in read(tmp_path / "parks.shp").rows] == [True, False, True]


# Places


def crs_of(path: Path, wkt: str) -> Path:
    by_gdal(path, frame())
    path.with_suffix(".prj").write_text(wkt)
    return path


def srs_of(path: Path, number: int) -> Path:
    pyogrio.write_dataframe(frame(), path, layer="parks")
    with closing(sqlite3.connect(path)) as database, database:
        for table in ("gpkg_contents", "gpkg_geometry_columns"):
            database.execute(f"UPDATE {table} SET srs_id = ?", [number])
    return path


NOWHERE: dict[str, Callable[[Path], Path]] = {
    "site.shp": lambda path: crs_of(
        path, 'LOCAL_CS["Building site",LOCAL_DATUM["here",0],UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]'
    ),
    "geocentric.shp": lambda path: crs_of(path, pyproj.CRS(4978).to_wkt("WKT1_GDAL")),
    "cartesian.gpkg": lambda path: srs_of(path, -1),
    "geographic.gpkg": lambda path: srs_of(path, 0),
}


@pytest.mark.parametrize("name", NOWHERE)
def test_a_crs_without_a_place_is_refused_with_what_to_do(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"{name}.*(no place on the Earth|has no CRS).*set_crs"):
        pygeodesign.measure(NOWHERE[name](tmp_path / name))
    site = frame().set_crs(pyproj.CRS.from_wkt('LOCAL_CS["Site",UNIT["metre",1]]'), allow_override=True)
    with pytest.raises(InputError, match=r"'Site'.*no place on the Earth.*set_crs"):
        pygeodesign.measure(site)


def test_geojson_says_its_crs_at_the_top_or_in_each_geometry(tmp_path: Path) -> None:
    shifted = frame().to_crs(4277)
    top = json.loads(shifted.to_json())
    assert top["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::4277"
    inside = {**top, "features": [{**f, "geometry": {"crs": top["crs"], **f["geometry"]}} for f in top["features"]]}
    del inside["crs"]
    for content in (top, inside):
        (tmp_path / "parks.geojson").write_text(json.dumps(content))
        for source in (tmp_path / "parks.geojson", json.dumps(content), content):
            found = pygeodesign.measure(source)["area_ha"]
            assert found.tolist() == pytest.approx(pygeodesign.measure(shifted)["area_ha"].tolist(), rel=1e-12)


@pytest.mark.parametrize("crs", [4326, 3460])
def test_a_ring_over_the_antimeridian_is_cut_and_keeps_its_area(crs: int, tmp_path: Path, workshop: Workshop) -> None:
    ring = [(179.5, -17.0), (-179.4, -17.1), (-179.5, -16.5), (179.6, -16.4), (179.5, -17.0)]
    beyond = [(x % 360, y) for x, y in ring]
    island = shapely.Polygon(ring if crs == 4326 else beyond)
    given = frame([island]) if crs == 4326 else frame([island]).to_crs(crs)
    project = workshop.project
    for name, source in {"frame": given, "file": by_gdal(tmp_path / "fiji.gpkg", given)}.items():
        added = project.add_diagram(WATER, source, title=name, outside="allow")
        (stored,) = project.diagram(added.id).features().to_geopandas().geometry
        assert stored.geom_type == "MultiPolygon" and len(stored.geoms) == 2
        assert np.abs(shapely.get_coordinates(stored)[:, 0]).max() == 180
        assert sum(hectares(part) for part in stored.geoms) == pytest.approx(hectares(island), rel=1e-9)
    over_180 = project.add_diagram(WATER, shapely.Polygon(beyond), title="over 180", outside="allow")
    assert project.costs(diagrams=[over_180.id]).diagrams[0]["area_ha"] == pytest.approx(hectares(island), rel=1e-9)


def test_a_hole_of_feature_json_is_the_ring_inside_whatever_its_direction() -> None:
    outer, hole = shapely.box(0, 0, 0.1, 0.1), shapely.box(0.02, 0.02, 0.07, 0.07)
    for exterior in (outer.exterior, outer.exterior.reverse()):
        for interior in (hole.exterior, hole.exterior.reverse()):
            rings = [list(ring.coords) for ring in (interior, exterior)]
            feature: Any = {"attributes": {}, "geometry": {"rings": rings, "spatialReference": {"wkid": 4326}}}
            if exterior.is_ccw == interior.is_ccw:
                with pytest.warns(
                    UserWarning, match="feature 0: ring 0 lies inside another that runs in the same direction"
                ):
                    collection = FeatureCollection.from_esri([feature])
                assert "ring 0" in collection.problems()[0]["reason"]
            else:
                collection = FeatureCollection.from_esri([feature])
            assert pygeodesign.measure(collection)["area_ha"].tolist() == [
                pytest.approx(hectares(outer) - hectares(hole), rel=1e-9)
            ]


# Texts


TITLE = "Fußgängerzone Süd"


def dbf(path: Path, content: bytes, language: int = 0, page: str | None = None) -> Path:
    """A Shapefile with a title of these bytes."""
    pyogrio.write_dataframe(frame(BOXES[:1]).assign(name="x" * len(content)), path, encoding="ASCII")
    table = path.with_suffix(".dbf").read_bytes()
    table = table.replace(b"x" * len(content), content)
    path.with_suffix(".dbf").write_bytes(table[:29] + bytes([language]) + table[30:])
    path.with_suffix(".cpg").unlink(missing_ok=True)
    if page is not None:
        path.with_suffix(".cpg").write_text(page)
    return path


# The bytes, the language of the header, the code page file next to it, and the title or the error's text.
ENCODINGS: dict[str, tuple[bytes, int, str | None, str]] = {
    "UTF-8 by its page": (TITLE.encode(), 0, "UTF-8", TITLE),
    "UTF-8 by its bytes": (TITLE.encode(), 0, None, TITLE),
    "Windows by its page": (TITLE.encode("cp1252"), 0, "1252", TITLE),
    "ANSI": (TITLE.encode("cp1252"), 0x57, "ANSI 1252", TITLE),
    "ANSI by its language": (TITLE.encode("cp1252"), 0x57, None, TITLE),
    "ISO 8859-1 as ArcGIS names it": ("“Süd”".encode("cp1252"), 0, "88591", "“Süd”"),
    "DOS by its language": (TITLE.encode("cp850"), 0x02, None, TITLE),
    "Cyrillic by its page": ("Парк".encode("cp1251"), 0, "Windows-1251", "Парк"),
    "Japanese by its language": ("公園".encode("cp932"), 0x13, None, "公園"),
    "another than its page says": (TITLE.encode("cp1252"), 0, "UTF-8", "!not in UTF-8"),
    "Cyrillic that nothing names": ("Парк культуры".encode("cp1251"), 0, None, "!names no encoding"),
    "a page that is none": (TITLE.encode("cp1252"), 0, "Klingon", "!the unknown encoding 'Klingon'"),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_texts_of_a_shapefile_are_read_right_or_refused(name: str, tmp_path: Path) -> None:
    content, language, page, expected = ENCODINGS[name]
    path = dbf(tmp_path / "parks.shp", content, language, page)
    if expected.startswith("!"):
        with pytest.raises(InputError, match=expected[1:]):
            added = read(path)
            raise InputError(str(added.rows[0].problem))
    else:
        assert column(read(path), "name") == [expected]


def test_an_encoding_that_is_taken_for_likely_is_said(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"parks\.shp: it names no encoding.*Windows-1252.*\.cpg"):
        table = read_file(dbf(tmp_path / "parks.shp", TITLE.encode("cp1252")), None)
    assert column(table, "name") == [TITLE]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ending", ["geojson", "csv", "kml"])
def test_texts_of_notepad_are_read(ending: str, encoding: str, tmp_path: Path) -> None:
    path = FORMATS[ending](tmp_path / f"parks.{ending}", frame(name=[TITLE] * 3))
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding))
    assert column(read(path), "Name" if ending == "kml" else "name") == [TITLE] * 3


def test_geojson_in_windows_1252_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "parks.geojson").write_bytes(frame(name=[TITLE] * 3).to_json(ensure_ascii=False).encode("cp1252"))
    with pytest.raises(InputError, match=r"parks\.geojson is not GeoJSON: it is not in UTF-8; save it as UTF-8"):
        read(tmp_path / "parks.geojson")


def test_texts_that_were_damaged_before_are_said(tmp_path: Path) -> None:
    (tmp_path / "parks.geojson").write_text(frame(name=["S\ufffdd", "Line\x0btwo", "Park"]).to_json())
    with pytest.warns(UserWarning, match=r"damaged or control characters, which are kept: row 0 in 'name', row 1 in"):
        read_file(tmp_path / "parks.geojson", None)


# Wrappings


def zipped(path: Path, *endings: str, folder: str = "", extra: dict[str, bytes] | None = None) -> Path:
    """The parts of files in a ZIP file."""
    with zipfile.ZipFile(path, "w") as archive:
        for ending in endings:
            source = path.parent / f"parks.{ending}"
            FORMATS[ending](source, frame())
            for part in path.parent.glob("parks.*"):
                if part != path:
                    archive.write(part, folder + part.name)
                    part.unlink()
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    return path


def capitals(path: Path) -> Path:
    by_gdal(path.parent / "parks.shp", frame().to_crs(LISBON))
    for part in list(path.parent.iterdir()):
        part.rename(part.with_name(part.name.upper()))
    return path


MAC = {
    "__MACOSX/parks/._parks.shp": b"\x00\x05\x16\x07",
    ".DS_Store": b"Bud1",
    "parks/._parks.dbf": b"\x00\x05\x16\x07",
}
WRAPPED: dict[str, Callable[[Path], Path]] = {
    "PARKS.SHP": capitals,
    "mac.zip": lambda path: zipped(path, "shp", folder="parks/", extra=MAC),
    "geopackage.zip": lambda path: zipped(path, "gpkg", extra={"read me.txt": b"Parks"}),
    "geojson.zip": lambda path: zipped(path, "geojson", folder="a/b/"),
    "plan.kmz": lambda path: zipped(path, "kml", extra={"images/logo.png": b"\x89PNG"}),
    "semicolons.csv": lambda path: (
        as_csv(path, frame()),
        path.write_text("Name;Fläche;WKT\n" + "".join(f'Park {n};1,5;"{box.wkt}"\n' for n, box in enumerate(BOXES))),
        path,
    )[2],
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_file_is_read_in_any_wrapping(name: str, tmp_path: Path) -> None:
    assert len(read(WRAPPED[name](tmp_path / name)).rows) == 3


def geoarrow(path: Path) -> Path:
    frame().to_parquet(path, geometry_encoding="geoarrow")
    return path


def without_index(path: Path) -> Path:
    by_gdal(path, frame())
    path.with_suffix(".shx").unlink()
    return path


WRAPPED |= {"arrays.parquet": geoarrow, "without_index.shp": without_index}


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "empty.zip": (
        lambda path: zipped(path, extra={"read me.txt": b"Parks"}),
        "ZIP file without geometries: it has 'read me.txt'",
    ),
    "two.zip": (lambda path: zipped_twice(path), r"several layers: 'lakes', 'parks'; name one with layer="),
    "empty.gpx": (lambda path: gpx(path, ""), "GPX without waypoints, tracks and routes"),
    "sheet.xlsx": (
        lambda path: (frame().drop(columns="geometry").to_excel(path), path)[1],
        "an Excel workbook, has no column WKT",
    ),
    "parks.geojson.gz": (lambda path: (path.write_bytes(gzip.compress(b"{}")), path)[1], "packed with gzip; unpack it"),
    "topology.json": (lambda path: (path.write_text('{"type":"Topology","objects":{}}'), path)[1], "is TopoJSON"),
    "esri.json": (
        lambda path: (path.write_text('{"geometryType":"esriGeometryPolygon","features":[]}'), path)[1],
        r"feature-JSON of Esri.*from_esri",
    ),
}


def zipped_twice(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("lakes", "parks"):
            by_gdal(path.parent / f"{name}.geojson", frame())
            archive.write(path.parent / f"{name}.geojson", f"{name}.geojson")
    return path


def gpx(path: Path, content: str) -> Path:
    path.write_text(f'<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">{content}</gpx>')
    return path


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_with_the_true_reason(name: str, tmp_path: Path) -> None:
    make, reason = REFUSED[name]
    with pytest.raises(InputError, match=reason):
        pygeodesign.measure(make(tmp_path / name))


def test_packed_geojson_is_read_as_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "parks.geojson"
    linked = json.dumps(
        {**json.loads(frame().to_json()), "crs": {"type": "link", "properties": {"href": "/etc/hostname"}}}
    )
    for name, content in (("parks", frame().to_json()), ("linked", linked)):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr("parks.geojson", content)
        path.write_text(content)
        if name == "parks":
            assert read(tmp_path / "parks.zip").rows == read(path).rows
        else:
            for source in (path, tmp_path / "linked.zip"):
                with pytest.raises(InputError, match="has its CRS at an address"):
                    read(source)


def test_no_row_or_column_of_a_sheet_hides_another(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "parks.csv", frame())
    path.write_text(f'WKT,name,name\n\n"{BOXES[0].wkt}",a,b\n')
    assert [row.properties for row in read(path).rows] == [{"name": "a", "name.1": "b"}]


def test_one_of_several_files_in_a_zip_file_is_a_layer(tmp_path: Path) -> None:
    assert len(read(zipped_twice(tmp_path / "two.zip"), "lakes").rows) == 3


def test_tracks_of_gpx_are_lines(tmp_path: Path) -> None:
    points = "".join(f'<trkpt lat="{38.7 + step / 100}" lon="-9.2"><ele>5</ele></trkpt>' for step in range(3))
    (row,) = read(gpx(tmp_path / "walk.gpx", f"<trk><name>Walk</name><trkseg>{points}</trkseg></trk>")).rows
    assert isinstance(row.geometry, bytes) and row.properties["name"] == "Walk"
    assert shapely.get_num_coordinates(shapely.from_wkb(row.geometry)) == 3


def test_numbers_that_json_has_not_are_read_as_python_and_r_write_them(tmp_path: Path) -> None:
    text = frame(number=[math.nan, math.inf, -math.inf], note=["NaN", ': "NaN', "x"]).to_json(na="keep")
    text = text.replace('"number": null', '"number": NaN', 1)
    (tmp_path / "parks.geojson").write_text(text)
    for found in (
        column(read(tmp_path / "parks.geojson"), "number"),
        column(Table(_inputs.rows(text), [], []), "number"),
    ):
        assert found[0] is None and found[1:] in ([None, None], ["Infinity", "-Infinity"])
    assert column(read(tmp_path / "parks.geojson"), "note") == ["NaN", ': "NaN', "x"]


def test_features_may_be_one_per_line(tmp_path: Path) -> None:
    lines = [json.dumps(feature) for feature in json.loads(frame().to_json())["features"]]
    (tmp_path / "parks.geojson").write_text("\n".join(lines))
    assert column(read(tmp_path / "parks.geojson"), "name") == ["Park 0", "Park 1", "Park 2"]


# The same by every way


def test_geojson_is_the_same_as_a_dict_as_text_and_as_a_file(tmp_path: Path, workshop: Workshop) -> None:
    ring = [list(position) for position in BOXES[0].exterior.coords]
    heights = [[*ring[0], 5], *ring[1:4], [*ring[0], 5]]
    texts = [[str(x), y] for x, y in ring]
    for coordinates, reason in (([heights], "give every position a height or none"), ([texts], "is not a number")):
        feature = {
            "type": "Feature",
            "properties": {"name": LARGE * 4},
            "geometry": {"type": "Polygon", "coordinates": coordinates},
        }
        good = {**feature, "geometry": {"type": "Polygon", "coordinates": [ring]}}
        content = {"type": "FeatureCollection", "features": [good, feature]}
        (tmp_path / "parks.geojson").write_text(json.dumps(content))
        reports = []
        for source in (content, json.dumps(content), tmp_path / "parks.geojson"):
            with pytest.raises(InputError, match=rf"^row 1: .*{reason}"):
                workshop.project.add_diagrams(WATER, source, title="name", dry_run=True)
            reports.append(workshop.project.add_diagrams(WATER, source, title="name", dry_run=True, on_error="skip"))
        assert reports[0] == reports[1] == reports[2]
        assert reports[0][0]["title"] == str(LARGE * 4)


# The separate process


def test_an_application_with_python_inside_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workshop: Workshop
) -> None:
    by_gdal(tmp_path / "parks.gpkg", frame())
    application = tmp_path / "qgis"
    application.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexec sleep 60\n")
    application.chmod(0o755)
    for name in (str(application), "", None):
        monkeypatch.setattr(sys, "executable", name)
        assert len(workshop.project.add_diagrams(WATER, tmp_path / "parks.gpkg", title="name", dry_run=True)) == 3
    assert not (tmp_path / "started").exists()
    monkeypatch.setattr(interpreter, "_candidates", lambda: iter(()))
    with pytest.raises(InputError, match=r"parks\.gpkg is read in a separate Python.*geopandas\.read_file"):
        read(tmp_path / "parks.gpkg")


def test_what_python_prints_at_its_start_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_gdal(tmp_path / "parks.gpkg", frame())
    greeting = "import sys\nprint('Welcome')\nsys.stderr.write('x' * 1_000_000)\n"
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(greeting)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert len(read(tmp_path / "parks.gpkg").rows) == 3


def test_a_python_that_does_not_begin_to_read_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_gdal(tmp_path / "parks.gpkg", frame())
    sleeper = tmp_path / "python3"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n")
    sleeper.chmod(0o755)
    monkeypatch.setattr("pygeodesign._reading.table.START_SECONDS", 0.2)
    monkeypatch.setattr(interpreter, "executable", lambda: str(sleeper))
    with pytest.raises(InputError, match=r"did not start to read within 0.2 s; read the file with geopandas"):
        read(tmp_path / "parks.gpkg")


def test_an_error_of_a_library_is_reported_as_itself(tmp_path: Path) -> None:
    path = by_gdal(tmp_path / "parks.fgb", frame())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match=r"parks\.fgb cannot be read: \w+: .*GeoPackage.*geopandas\.read_file"):
        read(path)


# Exports come back


@pytest.mark.parametrize("ending", ["geojson", "gpkg", "parquet", "fgb", "kml", "shp", "csv", "xlsx"])
def test_an_export_comes_back_with_titles_dates_and_areas(ending: str, tmp_path: Path, workshop: Workshop) -> None:
    titles = ["=1+1", 'Süd "公園"; ok', "0012"]
    shapes = [BOXES[0].difference(BOXES[0].buffer(-0.001)), shapely.force_3d(BOXES[1], 5), BOXES[2]]
    given = frame(shapes, name=titles, start=["2030-05-01", "", "2031-01-01"], end=["2030-06-01", "", "2032-01-01"])
    workshop.project.add_diagrams(WATER, given, title="name", start_date="start", end_date="end")
    with warnings.catch_warnings():
        # Names of columns that are cut or renamed.
        warnings.simplefilter("ignore")
        (path, *_) = [
            path
            for path in workshop.project.diagrams().to_file(tmp_path / f"all.{ending}")
            if path.suffix == f".{ending}"
        ]
    names = {"kml": "Name", "shp": "descriptio"}
    columns = {"title": names.get(ending, "description"), "start_date": "start_date", "end_date": "end_date"}
    for diagram in workshop.project.diagrams(fields="summary"):
        workshop.project.diagram(diagram["id"]).delete()
    report = workshop.project.add_diagrams(WATER, path, **columns)  # type: ignore[arg-type]
    back = {row["title"]: workshop.project.diagram(row["diagram_id"] or 0) for row in report}
    assert set(back) == set(titles)
    for title, shape, start, end in zip(titles, shapes, given.start, given.end, strict=True):
        fields = dict(back[title])
        assert [str(fields[name] or "")[:10] for name in ("start_date", "end_date")] == [start, end]
        (stored,) = back[title].features().to_geopandas().geometry
        assert hectares(stored) == pytest.approx(hectares(shape), rel=1e-9)
        assert stored.has_z == shape.has_z


def test_what_a_format_cannot_hold_is_said_row_by_row(tmp_path: Path, workshop: Workshop) -> None:
    workshop.project.add_diagrams(WATER, frame(name=["Line one\x0bline two", "Plain", "A\r\nB"]), title="name")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        workshop.project.diagrams().to_file(tmp_path / "all.kml")
    assert any(
        "description: the format cannot hold U+000B, U+000D; replaced in 2 rows (" in str(note.message) for note in said
    )
    assert set(column(read(tmp_path / "all.kml"), "Name")) == {"Line one line two", "Plain", "A\nB"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows asks for rights to make links")
@pytest.mark.parametrize("ending", ["geojson", "gpkg"])
def test_an_export_writes_through_a_link_with_the_mode_that_was_there(
    ending: str, tmp_path: Path, workshop: Workshop
) -> None:
    workshop.project.add_diagrams(WATER, frame(), title="name")
    (tmp_path / "shared").mkdir()
    shared, link = tmp_path / "shared" / f"all.{ending}", tmp_path / f"latest.{ending}"
    shared.write_text("old")
    shared.chmod(0o664)
    link.symlink_to(Path("shared") / f"all.{ending}")
    assert workshop.project.diagrams().to_file(link) == [link]
    assert link.is_symlink() and len(read(shared).rows) == 3
    assert shared.stat().st_mode & 0o777 == 0o664
    archive = tmp_path / "shared" / "project.zip"
    archive.write_bytes(b"old")
    (tmp_path / "latest.zip").symlink_to(archive)
    workshop.project.archive(tmp_path / "latest.zip", progress=False)
    assert (tmp_path / "latest.zip").is_symlink() and zipfile.is_zipfile(archive)
