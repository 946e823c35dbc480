"""`add_diagrams` takes the path of a file that GeoPandas reads, in any CRS."""

import json
import os
import re
import sqlite3
import struct
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pyarrow.parquet
import pytest
import shapely

import pygeodesign
from geometries import wkb
from local_server import LocalServer, QuietHandler
from pygeodesign import InputError
from pygeodesign._reading.table import read_file
from small_project import WATER, Workshop

BOXES = [shapely.box(-9.2 + step / 100, 38.7, -9.195 + step / 100, 38.71) for step in range(3)]
PARKS = gpd.GeoDataFrame({"name": ["Alfama", "Belém", "Chiado"]}, geometry=BOXES, crs=4326).to_crs(3763)


def written(frame: gpd.GeoDataFrame, path: Path, **options: Any) -> Path:
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_file(path, **options)
    return path


@pytest.mark.parametrize("ending", ["gpkg", "geojson", "fgb", "shp", "parquet", "gml"])
@pytest.mark.parametrize("kind", [str, Path])
def test_the_rows_of_a_file_are_added_reprojected(ending: str, kind: Any, workshop: Workshop, tmp_path: Path) -> None:
    path = written(PARKS.to_crs(4326) if ending == "geojson" else PARKS, tmp_path / f"parks.{ending}")
    report = workshop.project.add_diagrams("Green", kind(path), title="name")
    assert sorted(str(row["title"]) for row in report) == sorted(PARKS.name)
    stored = {
        row["title"]: workshop.project.diagram(row["diagram_id"] or 0).features().to_geopandas() for row in report
    }
    tolerance = 1e-6 if ending == "geojson" else 1e-9
    for name, shape in zip(PARKS.name, PARKS.to_crs(4326).geometry, strict=True):
        (same,) = stored[name].geometry
        assert shapely.hausdorff_distance(same, shape) < tolerance


def test_a_file_can_be_a_diagram_and_can_be_measured(workshop: Workshop, tmp_path: Path) -> None:
    path = written(PARKS, tmp_path / "parks.gpkg")
    added = workshop.project.add_diagram("Green", str(path), title="Parks")
    stored = workshop.project.diagram(added.id).features().to_geopandas()
    assert wkb(stored.geometry) == wkb(PARKS.to_crs(4326).geometry)
    pd.testing.assert_frame_equal(pygeodesign.measure(path), pygeodesign.measure(PARKS))


@pytest.fixture
def two_layers(tmp_path: Path) -> Path:
    """A GeoPackage with two layers, and a table without geometries."""
    path = written(PARKS, tmp_path / "city.gpkg", layer="parks")
    written(PARKS.iloc[:1], path, layer="squares")
    import pyogrio

    pyogrio.write_dataframe(pd.DataFrame({"style": ["green"]}), path, layer="styles", append=True)
    return path


def test_of_several_layers_one_must_be_named(two_layers: Path, workshop: Workshop) -> None:
    with pytest.raises(InputError, match="several layers: 'parks', 'squares'; name one with layer="):
        workshop.project.add_diagrams(WATER, two_layers, title="name")
    with pytest.raises(InputError, match="no layer 'trees'; its layers are 'parks', 'squares'"):
        workshop.project.add_diagrams(WATER, two_layers, title="name", layer="trees")
    assert len(workshop.project.add_diagrams(WATER, two_layers, title="name", layer="squares")) == 1


def test_tables_without_geometries_need_no_layer(tmp_path: Path, workshop: Workshop) -> None:
    import pyogrio

    path = written(PARKS, tmp_path / "parks.gpkg")
    pyogrio.write_dataframe(pd.DataFrame({"style": ["green"]}), path, layer="styles", append=True)
    assert len(workshop.project.add_diagrams(WATER, path, title="name")) == 3


def test_what_cannot_be_read_is_an_input_error_that_names_the_file(workshop: Workshop, tmp_path: Path) -> None:
    add = workshop.project.add_diagrams
    with pytest.raises(InputError, match=r"no file has that path; the working folder is "):
        add(WATER, "praks.gpkg", title="name")
    (tmp_path / "notes.txt").write_text("Ask the harbour.")
    with pytest.raises(InputError, match=r"notes.txt cannot be read as a file with geometries; give a GeoPackage"):
        add(WATER, tmp_path / "notes.txt", title="name")
    (tmp_path / "table.csv").write_text("name,cost\nAlfama,7\n")
    with pytest.raises(InputError, match=r"table\.csv has no column WKT with geometries"):
        add(WATER, tmp_path / "table.csv", title="name")
    written(PARKS, tmp_path / "nowhere.shp").with_suffix(".prj").unlink()
    with pytest.raises(InputError, match=r"nowhere.shp has no CRS.*set_crs"):
        add(WATER, tmp_path / "nowhere.shp", title="name")
    with pytest.raises(InputError, match="layer= names a layer of a file; a GeoDataFrame has none"):
        add(WATER, PARKS, title="name", layer="parks")
    assert workshop.project.diagrams(fields="summary") == []


# Files that lead elsewhere


@pytest.fixture
def asked() -> Iterator[LocalServer]:
    """A server that must get no requests; `paths` are the requested ones."""
    paths: list[str] = []

    class Handler(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802
            paths.append(self.path)
            self.send_response(200)
            self.send_body(b"EPSG:3857")

        do_HEAD = do_GET  # noqa: N815

    with LocalServer(Handler) as server:
        yield server
    assert paths == []


def vrt(source: str) -> str:
    """The recipe of a layer whose features are in another file."""
    return (
        f'<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource>{source}</SrcDataSource></OGRVRTLayer>'
        "</OGRVRTDataSource>"
    )


POINTS = {
    "type": "FeatureCollection",
    "features": [{"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [-9.14, 38.7]}}],
}


@pytest.mark.parametrize("suffix", [".gpkg", ".geojson", ".json", ".kml", ".shp", ".fgb", ".parquet", ".zip", ".vrt"])
def test_a_recipe_is_read_under_no_name(suffix: str, asked: LocalServer, tmp_path: Path) -> None:
    (tmp_path / "secret.geojson").write_text(json.dumps(POINTS))
    recipe = tmp_path / f"parks{suffix}"
    for source in (str(tmp_path / "secret.geojson"), f"/vsicurl/{asked.origin}/parks.geojson"):
        for text in (vrt(source), f"<!-- <kml> -->\n{vrt(source)}"):
            recipe.write_text(text)
            with pytest.raises(InputError, match="cannot be read as a file with geometries"):
                pygeodesign.measure(recipe)


@pytest.mark.parametrize("crs", [{"type": "link", "properties": {"href": "URL"}}, {"type": "url"}])
@pytest.mark.parametrize("key", ['"crs"', r'"\u0063rs"'])
def test_a_crs_at_an_address_is_not_asked_for(
    crs: dict[str, Any], key: str, asked: LocalServer, tmp_path: Path
) -> None:
    path = tmp_path / "parks.geojson"
    text = json.dumps({**POINTS, "crs": crs}).replace('"crs"', key).replace("URL", f"{asked.origin}/crs")
    path.write_text(text)
    with pytest.raises(InputError, match="has its CRS at an address"):
        pygeodesign.measure(path)


def test_a_layer_that_is_a_query_is_refused(tmp_path: Path) -> None:
    path = written(PARKS, tmp_path / "parks.gpkg", layer="parks")
    with closing(sqlite3.connect(path)) as database:
        numbers = "WITH RECURSIVE numbers(fid) AS (SELECT 1 UNION ALL SELECT fid + 1 FROM numbers)"
        database.execute(f"CREATE VIEW endless AS {numbers} SELECT numbers.fid, geom FROM numbers, parks")
        database.execute(
            "INSERT INTO gpkg_contents(table_name, data_type, identifier, srs_id) "
            "VALUES ('endless', 'features', 'endless', 4326)"
        )
        database.execute("INSERT INTO gpkg_geometry_columns VALUES ('endless', 'geom', 'POLYGON', 4326, 0, 0)")
        database.commit()
    with pytest.raises(InputError, match=r"'endless' of .* is a view, a query that may read anything"):
        pygeodesign.measure(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "parks.gpkg")
    for path in (tmp_path / "parks.gpkg", Path("/dev/zero"), tmp_path):
        with pytest.raises(InputError, match="is a folder, a pipe or a device"):
            pygeodesign.measure(path)


def test_a_zipped_shapefile_is_read_alone(tmp_path: Path) -> None:
    path = tmp_path / "parks.zip"
    written(PARKS, tmp_path / "parks.shp")
    with zipfile.ZipFile(path, "w") as archive:
        for suffix in (".shp", ".shx", ".dbf", ".prj"):
            archive.write(tmp_path / f"parks{suffix}", f"../../city/parks{suffix}")
        archive.writestr("other.gpkg", vrt(str(tmp_path / "parks.shp")))
    found = pygeodesign.measure(path)["area_ha"].sum()
    assert found == pytest.approx(pygeodesign.measure(tmp_path / "parks.shp")["area_ha"].sum())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("parks.shp", bytes(50_000_000))
    with pytest.raises(InputError, match="compressed more than 100:1"):
        pygeodesign.measure(path)


def test_a_file_has_a_largest_size(tmp_path: Path) -> None:
    path = tmp_path / "parks.geojson"
    with path.open("wb") as file:
        file.truncate(300 * 1024 * 1024)
    with pytest.raises(InputError, match="314,572,800 bytes; at most 268,435,456 are read"):
        pygeodesign.measure(path)


# Files that are made to take everything


def endless_geopackage(path: Path) -> Path:
    """A GeoPackage whose table has a page with itself below it in many places, so that its rows hardly end."""
    rows = 20_000
    frame = gpd.GeoDataFrame({"name": ["Alfama" * 20] * rows}, geometry=[BOXES[0]] * rows, crs=4326)
    written(frame, path, layer="parks", SPATIAL_INDEX="NO")
    with closing(sqlite3.connect(path)) as database:
        (size,) = database.execute("PRAGMA page_size").fetchone()
        (root,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'parks'").fetchone()
    content = bytearray(path.read_bytes())
    start = (root - 1) * size
    (count,) = struct.unpack_from(">H", content, start + 3)
    cells = struct.unpack_from(f">{count}H", content, start + 12)
    (below,) = struct.unpack_from(">I", content, start + cells[0])
    pages = len(content) // size
    for number in range(6):
        page = content[start : start + size]
        for place in (8, *cells):
            struct.pack_into(">I", page, place, below)
        below = pages + 1 + number
        content += page
    content[start : start + size] = page
    struct.pack_into(">I", content, 28, len(content) // size)
    path.write_bytes(content)
    return path


def repeating_shapefile(path: Path) -> Path:
    """A Shapefile whose index has the same large record 200,000 times."""
    circle = shapely.Point(0, 0).buffer(1, quad_segs=10_000)
    written(gpd.GeoDataFrame({"name": ["Alfama"]}, geometry=[circle], crs=4326), path)
    index, table = path.with_suffix(".shx").read_bytes(), path.with_suffix(".dbf").read_bytes()
    rows = 200_000
    head = index[:24] + struct.pack(">i", (100 + 8 * rows) // 2) + index[28:100]
    path.with_suffix(".shx").write_bytes(head + index[100:108] * rows)
    start, width = struct.unpack_from("<HH", table, 8)
    row = table[start : start + width]
    path.with_suffix(".dbf").write_bytes(table[:4] + struct.pack("<I", rows) + table[8:start] + row * rows)
    return path


def packed_parquet(path: Path) -> Path:
    """A Parquet file of some kilobytes that unpacks to 100 MB, all of them in one text."""
    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
    table = pyarrow.table({"name": ["x" * 100_000_000], "geometry": [shapely.to_wkb(BOXES[0])]})
    pyarrow.parquet.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path, compression="zstd")
    return path


def repeating_parquet(path: Path) -> Path:
    """A Parquet file that has one text of a megabyte, and says for each of its rows that it is that."""
    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
    rows = pyarrow.array([0] * 500_000, pyarrow.int32())
    columns = {"name": pyarrow.array(["x" * 1_000_000]), "geometry": pyarrow.array([shapely.to_wkb(BOXES[0])])}
    repeated = {name: pyarrow.DictionaryArray.from_arrays(rows, values) for name, values in columns.items()}
    pyarrow.parquet.write_table(pyarrow.table(repeated).replace_schema_metadata({"geo": json.dumps(geo)}), path)
    return path


KML = '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>'
COLLECTION = '{"type":"FeatureCollection",'


def written_text(*parts: str) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        path.write_text("".join(parts))
        return path

    return write


def described_geopackage(path: Path) -> Path:
    """A GeoPackage with a description of each of 20,001 layers that are not there."""
    written(PARKS, path, layer="parks")
    with closing(sqlite3.connect(path)) as database:
        rows = [(f"layer{number}", f"layer{number}") for number in range(20_001)]
        added = "INSERT INTO gpkg_contents(table_name, identifier, data_type, srs_id) VALUES (?, ?, 'features', 4326)"
        database.executemany(added, rows)
        database.commit()
    return path


def crowded_zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(20_000):
            archive.writestr(zipfile.ZipInfo(f"{number}.txt"), b"")
    return path


def long_crs(path: Path) -> Path:
    written(PARKS, path)
    path.with_suffix(".prj").write_text("PROJCS[" * 20_000)
    return path


def deep_parquet(path: Path) -> Path:
    """A Parquet file with a collection in a collection, and so on, which readers of WKB take one inside the other."""
    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
    table = pyarrow.table({"geometry": [struct.pack("<BII", 1, 7, 1) * 1_000_000]})
    pyarrow.parquet.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path, compression="NONE")
    return path


def long_crs_parquet(path: Path) -> Path:
    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"crs": {"id": [[]] * 100_000}}}}
    table = pyarrow.table({"geometry": [shapely.to_wkb(BOXES[0])]})
    pyarrow.parquet.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path)
    return path


def wide_csv(path: Path) -> Path:
    path.write_text("WKT," + ",".join(f"c{number}" for number in range(200_000)) + "\n")
    return path


def long_csv(path: Path) -> Path:
    path.write_text("WKT\n" + "POINT(1 2)\n" * 1_000_001)
    return path


HOSTILE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "endless.gpkg": (endless_geopackage, r"endless\.gpkg (was not read within \d s|has [\d,]+ features; at most)"),
    "repeating.shp": (repeating_shapefile, r"repeating\.shp unpacks to more than [\d,]+ bytes, the most for a file"),
    "packed.parquet": (packed_parquet, r"packed\.parquet unpacks to more than 67,108,864 bytes"),
    "repeating.parquet": (repeating_parquet, r"repeating\.parquet unpacks to more than 67,108,864 bytes"),
    "wide.csv": (wide_csv, r"wide\.csv has 200,001 columns; at most 4,096 are read"),
    "long.csv": (long_csv, r"long\.csv has 1,000,001 features; at most 1,000,000 are read"),
    "tiny.csv": (
        written_text('WKT\n"LINESTRING(', "1 2," * 6_000_000, '3 4)"\n'),
        r"tiny\.csv has about 6,000,003 values and positions; at most 5,000,000 are read",
    ),
    "layers.kml": (
        written_text(KML, "<Folder><Placemark/></Folder>" * 1_001, "</Document></kml>"),
        r"layers\.kml has more than 1,000 folders, each of which is a layer",
    ),
    "tags.kml": (
        written_text(KML, "<Placemark/>" * 5_000_001, "</Document></kml>"),
        r"tags\.kml has 5,000,005 tags; at most 5,000,000 are read",
    ),
    "coordinates.kml": (
        written_text(KML, "<Placemark><LineString><coordinates>", "1,2 " * 5_000_001, "</coordinates></LineString>"),
        r"coordinates\.kml has about 10,000,002 numbers in its coordinates; at most 10,000,000 are read",
    ),
    "digits.kml": (written_text(KML, "1" * 20_002), r"digits\.kml has a number of more than 10,000 digits"),
    "names.kml": (
        written_text(KML, *(f'<Data name="n{number}"/>' for number in range(5_000)), "</Document></kml>"),
        r"names\.kml has more than 4,096 different names",
    ),
    "tiny.geojson": (
        written_text(COLLECTION, '"features":[],"x":[', "[]," * 10_000_001, "0]}"),
        r"tiny\.geojson has about 20000007 values and positions; at most 20000000 are read per file",
    ),
    "arrays.geojson": (
        written_text(COLLECTION, '"features":[', "[]," * 100_000, "[]]}"),
        r"arrays\.geojson is not GeoJSON: features\[0\] is not a feature at byte 40",
    ),
    "twice.geojson": (
        written_text(COLLECTION, '"features":[],' * 100_000, '"features":[]}'),
        r"twice\.geojson is not GeoJSON: it has features twice at byte",
    ),
    "values.geojson": (written_text('{"a":[', "[]," * 100, "0]}"), r"it has neither a type nor features"),
    "many.geojson": (
        written_text(COLLECTION, '"features":[', "{}," * 1_000_000, "{}]}"),
        r"many\.geojson has more than 1000000 features",
    ),
    "columns.geojson": (
        written_text(
            COLLECTION, '"features":[', *(f'{{"properties":{{"p{number}":1}}}},' for number in range(4_097)), "{}]}"
        ),
        r"columns\.geojson has more than 4096 properties",
    ),
    "described.gpkg": (described_geopackage, r"described\.gpkg has more than 20,000 rows in gpkg_contents"),
    "crowded.zip": (crowded_zip, r"crowded\.zip has a list of members of 1,[\d,]+ bytes; at most 1,048,576 are read"),
    "long.shp": (long_crs, r"long\.prj has 140,000 bytes; at most 65,536 of a CRS or an encoding are read"),
    "deep.parquet": (deep_parquet, "it has more than 100 nested collections"),
    "crs.parquet": (long_crs_parquet, r"crs\.parquet has a CRS of [\d,]+ characters; at most 262,144 are read"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_would_take_all_time_or_memory_ends_in_an_error_that_names_the_limit(name: str, tmp_path: Path) -> None:
    make, problem = HOSTILE[name]
    path = make(tmp_path / name)
    files = sorted(tmp_path.iterdir())
    started = time.monotonic()
    with pytest.raises(InputError, match=problem):
        pygeodesign.measure(path)
    # A busy machine may need more.
    assert time.monotonic() - started < 10
    assert sorted(tmp_path.iterdir()) == files


def test_xml_in_two_bytes_for_each_character_is_not_read(tmp_path: Path) -> None:
    """Its marks would not be found."""
    path = tmp_path / "parks.kml"
    path.write_bytes(f"{KML}<Placemark/></Document></kml>".encode("utf-16-le"))
    with pytest.raises(InputError, match="cannot be read as a file with geometries"):
        pygeodesign.measure(path)


def test_a_file_is_read_for_some_seconds_and_the_error_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pygeodesign._reading.limits.MIN_SECONDS", 0)
    # However fast the machine is.
    monkeypatch.setattr("pygeodesign._reading.table.PATIENCE", 0)
    with pytest.raises(InputError, match=r"parks\.gpkg was not read within 0 s, the limit for its size; split it"):
        pygeodesign.measure(written(PARKS, tmp_path / "parks.gpkg"))


# Schemas and CRS of others


@pytest.fixture
def gml(tmp_path: Path) -> Path:
    """GML without its schema."""
    path = written(PARKS, tmp_path / "parks.gml")
    (tmp_path / "parks.xsd").unlink()
    return path


def test_gml_is_read_by_its_content_alone(gml: Path, asked: LocalServer, tmp_path: Path) -> None:
    text, own = gml.read_text(), written(PARKS, tmp_path / "own.gml").with_suffix(".xsd").read_text()
    other = own.replace('name="name"', 'name="stolen"')
    # Next to it, and at the address that it names for its schema.
    for place in (gml.with_suffix(".xsd"), tmp_path / "other.xsd"):
        place.write_text(other)
    gml.with_suffix(".gfs").write_text("<GMLFeatureClassList/>")
    wfs = f"{asked.origin}/wfs?SERVICE=WFS&amp;VERSION=1.1.0&amp;REQUEST=DescribeFeatureType&amp;TYPENAME=parks"
    files = sorted(tmp_path.iterdir())
    for schema in ("parks.xsd", tmp_path / "other.xsd", f"file://{tmp_path}/other.xsd", f"{asked.origin}/x.xsd", wfs):
        gml.write_text(re.sub('schemaLocation="[^"]*"', f'schemaLocation="http://ogr.maptools.org/ {schema}"', text))
        frame = read_file(gml, None).frame()
        assert sorted(frame.columns) == ["geometry", "gml_id", "name"] and sorted(frame.name) == sorted(PARKS.name)
    assert sorted(tmp_path.iterdir()) == files


def test_a_crs_of_gml_at_an_address_is_not_asked_for(gml: Path, asked: LocalServer) -> None:
    gml.write_text(re.sub('srsName="[^"]*"', f'srsName="{asked.origin}/crs"', gml.read_text()))
    with pytest.raises(InputError, match="has no CRS"):
        pygeodesign.measure(gml)


def test_kml_leads_nowhere(asked: LocalServer, tmp_path: Path) -> None:
    place = "<Placemark><name>Alfama</name><Point><coordinates>-9.1,38.7</coordinates></Point></Placemark>"
    link = f"<NetworkLink><Link><href>{asked.origin}/more.kml</href></Link></NetworkLink>"
    path = tmp_path / "parks.kml"
    path.write_text(f'<kml xmlns="http://www.opengis.net/kml/2.2"><Document>{link}{place}</Document></kml>')
    assert list(read_file(path, None).frame().Name) == ["Alfama"]


@pytest.mark.parametrize(
    "crs",
    [
        "+init=/tmp/crs:1",
        "+proj=longlat +nadgrids=/tmp/grid",
        "https://example.org/crs",
        {"type": "BoundCRS", "parameters": [{"name": "Latitude and longitude difference file", "value": "/tmp/grid"}]},
    ],
)
def test_a_crs_that_leads_to_another_file_is_refused(crs: Any, tmp_path: Path) -> None:
    path = written(PARKS, tmp_path / "parks.parquet")
    table = pyarrow.parquet.read_table(path)
    geo = json.loads(table.schema.metadata[b"geo"])
    geo["columns"]["geometry"]["crs"] = crs
    pyarrow.parquet.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path)
    with pytest.raises(InputError, match="has a CRS that leads to other files"):
        pygeodesign.measure(path)


def test_what_another_program_has_not_yet_written_into_a_geopackage_is_read(tmp_path: Path) -> None:
    path = written(PARKS, tmp_path / "parks.gpkg", SPATIAL_INDEX="NO")
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("UPDATE parks SET name = 'Graça'")
        database.commit()
        assert set(read_file(path, None).frame().name) == {"Graça"}


def test_times_keep_their_zone(tmp_path: Path) -> None:
    times = pd.to_datetime(["2030-05-01T10:00:00+01:00", "2030-05-02T10:00:00+01:00", "2030-05-03T10:00:00+01:00"])
    frame = read_file(written(PARKS.assign(opened=times), tmp_path / "parks.gpkg"), None).frame()
    assert frame.opened.tolist() == times.tolist()
