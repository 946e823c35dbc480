"""`add_diagrams` takes the path of a file that GeoPandas reads, in any CRS."""

import json
import os
import sqlite3
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely

import pygeodesign
from geometries import wkb
from local_server import LocalServer, QuietHandler
from pygeodesign import InputError
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
    stored = {row["title"]: workshop.project.diagram(row["diagram_id"] or 0).to_geopandas() for row in report}
    tolerance = 1e-6 if ending == "geojson" else 1e-9
    for name, shape in zip(PARKS.name, PARKS.to_crs(4326).geometry, strict=True):
        (same,) = stored[name].geometry
        assert shapely.hausdorff_distance(same, shape) < tolerance


def test_a_file_can_be_a_diagram_and_can_be_measured(workshop: Workshop, tmp_path: Path) -> None:
    path = written(PARKS, tmp_path / "parks.gpkg")
    added = workshop.project.add_diagram("Green", str(path), title="Parks")
    stored = workshop.project.diagram(added["diagram_id"]).to_geopandas()
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
    with pytest.raises(InputError, match=r"nowhere.shp does not say its CRS.*set_crs"):
        add(WATER, tmp_path / "nowhere.shp", title="name")
    with pytest.raises(InputError, match="layer= names a layer of a file; a GeoDataFrame has none"):
        add(WATER, PARKS, title="name", layer="parks")
    assert workshop.project.diagram_summaries() == []


# Files that lead elsewhere


@pytest.fixture
def asked() -> Iterator[LocalServer]:
    """A server that nobody may ask; `paths` are those that somebody asked for."""
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
    with pytest.raises(InputError, match="314,572,800 bytes; of a file 268,435,456 are read"):
        pygeodesign.measure(path)
