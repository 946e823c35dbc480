"""Files that `FeatureCollection.to_file` writes contain the complete collection."""

import json
import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from geopandas.testing import assert_geodataframe_equal

from builders import collection, diagram, feature, line, read_collection, read_diagrams, square
from pygeodesign import FeatureCollection, InputError, Project

ENDINGS = ["geojson", "json", "gpkg", "parquet", "geoparquet", "fgb", "shp", "kml", "csv", "xlsx"]
FORMATS = [f"diagrams.{ending}" for ending in ENDINGS]
# Writes a pickled collection to files, with a limit of 8 KiB for the size of files.
WRITE_ON_A_FULL_DISK = """
import pickle, resource, sys
collection = pickle.load(open(sys.argv[1], "rb"))
import pandas, pyarrow, pyogrio, geopandas
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))
for path in sys.argv[2:]:
    try:
        collection.to_file(path)
    except Exception as error:
        print("failed:", path)
"""


@pytest.fixture(scope="module")
def diagrams(project: Project) -> FeatureCollection:
    return project.diagrams()


@pytest.fixture(scope="module")
def design(project: Project) -> FeatureCollection:
    return project.design(project.designs(1)[0]["id"], 1).features()


def written(collection: FeatureCollection, path: Path) -> gpd.GeoDataFrame:
    """The table that GeoPandas reads from a collection's files, one after the other."""
    paths = [path for path in collection.to_file(path) if path.suffix not in (".shx", ".dbf", ".cpg", ".csvt", ".prj")]
    return pd.concat([read(path) for path in paths])


def read(path: Path) -> gpd.GeoDataFrame:
    if path.suffix in (".parquet", ".geoparquet"):
        return gpd.read_parquet(path)
    # Without the name of the layer GeoPandas warns of the second one, `layer_styles`.
    frame = gpd.read_file(path, **({"layer": path.stem} if path.suffix == ".gpkg" else {}))
    if path.suffix == ".xlsx":
        # In a sheet with text only, GDAL needs an option to take the first row as names.
        frame = gpd.read_file(path, HEADERS="FORCE")
    if path.suffix == ".xlsx" and len(frame):
        return gpd.GeoDataFrame(frame, geometry=gpd.GeoSeries.from_wkt(frame["WKT"]), crs=4326)
    return frame


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_holds_every_row_with_the_same_values(
    ending: str, diagrams: FeatureCollection, tmp_path: Path
) -> None:
    before = diagrams.to_geopandas().sort_values(["diagramid", "area"], kind="stable", ignore_index=True)
    before["order"] = range(len(before))
    after = written(diagrams, tmp_path / f"diagrams.{ending}")
    assert len(after) == len(before)
    assert sorted(after["diagramid"].astype(int)) == before["diagramid"].tolist()
    for name in ("area", "length", "rank"):
        assert after[name].sum() == pytest.approx(before[name].sum(), rel=1e-9)
    for name in ("sysname", "notes", "color", "additional_metadata"):
        texts = after[name if ending != "shp" else name[:10]].dropna()
        if ending in ("geojson", "json"):
            # GDAL reads objects as dicts.
            texts = texts.map(lambda value: json.dumps(value) if isinstance(value, dict) else value)
        known = before[name].dropna().str.replace(" ", "")
        assert sorted(text.replace(" ", "") for text in texts if text) == sorted(text for text in known if text), name
    assert sorted(pd.to_datetime(after["start_date"]).dropna()) == sorted(before["start_date"].dropna())
    assert after.geometry.isna().sum() == before.geometry.isna().sum() == 2
    assert after.geometry.area.sum() == pytest.approx(before.geometry.area.sum(), rel=1e-9)
    assert after.geometry.length.sum() == pytest.approx(before.geometry.length.sum(), rel=1e-9)
    assert after.total_bounds == pytest.approx(before.total_bounds, abs=1e-12)


@pytest.mark.parametrize("name", ["diagrams.tif", "diagrams", "diagrams.shp.zip"])
def test_an_unknown_ending_is_an_error_that_lists_the_known_ones(
    name: str, diagrams: FeatureCollection, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as raised:
        diagrams.to_file(tmp_path / name)
    assert all(f".{ending}" in str(raised.value) for ending in ENDINGS)
    assert not list(tmp_path.iterdir())


def test_the_paths_of_all_files_are_returned(diagrams: FeatureCollection, tmp_path: Path) -> None:
    paths = diagrams.to_file(tmp_path / "diagrams.csv")
    assert paths == sorted(tmp_path.iterdir())
    assert [path.name for path in paths] == ["diagrams.csv", "diagrams.csvt", "diagrams.prj"]


MIXED = read_diagrams(
    diagram(1, feature(square(0, 0, 1)), feature(line([0, 0], [1, 1])), notes="ä" * 200),
    diagram(2, feature({"type": "GeometryCollection", "geometries": [square(2, 0, 1), line([2, 0], [3, 1])]})),
    diagram(3, feature({"type": "Point", "coordinates": [4, 4, 12.5]})),
    diagram(4),
)


def test_shapefiles_have_one_kind_of_geometry_each_and_it_is_said(tmp_path: Path) -> None:
    with pytest.warns(UserWarning) as warned:
        paths = MIXED.to_file(tmp_path / "mixed.shp")
    (said,) = [str(warning.message) for warning in warned if "one kind" in str(warning.message)]
    shapefiles = {path.name: gpd.read_file(path) for path in paths if path.suffix == ".shp"}
    assert {name: frame["diagramid"].tolist() for name, frame in shapefiles.items()} == {
        "mixed-lines.shp": [1, 2],
        "mixed-points.shp": [3],
        "mixed-polygons.shp": [1, 2, 4],
    }
    assert all(name in said for name in shapefiles)
    assert all(warning.filename == __file__ for warning in warned)
    assert shapefiles["mixed-points.shp"].geometry[0].z == 12.5


def test_a_shapefile_of_one_kind_of_geometry_has_the_name_that_was_given(tmp_path: Path) -> None:
    paths = read_collection(collection(feature(square(0, 0, 1)))).to_file(tmp_path / "one.shp")
    assert [path.suffix for path in paths] == [".cpg", ".dbf", ".prj", ".shp", ".shx"]
    assert {path.stem for path in paths} == {"one"}


def test_names_that_a_shapefile_cuts_stay_unique_and_are_said(tmp_path: Path) -> None:
    fields = {"additional_cost": 1, "additional_area": 2, "additional_time": 3, "Größenordnung": 4}
    path = tmp_path / "names.shp"
    with pytest.warns(UserWarning, match="additional_area → addition_2"):
        read_collection(collection(feature(square(0, 0, 1), **fields))).to_file(path)
    frame = gpd.read_file(path)
    assert [frame[name][0] for name in ("additional", "addition_2", "addition_3", "Größenor")] == [1, 2, 3, 4]


@pytest.mark.filterwarnings("ignore:the format does not allow:UserWarning")
def test_a_text_too_long_for_a_shapefile_is_cut_between_letters_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "long.shp"
    with pytest.warns(UserWarning, match=r"notes: the format holds at most 254 bytes, so the texts of row 1 are cut"):
        read_collection(
            collection(feature(square(0, 0, 1), notes="short"), feature(square(1, 0, 1), notes="x" + "ä" * 200))
        ).to_file(path)
    assert gpd.read_file(path)["notes"].tolist() == ["short", "x" + "ä" * 126]


def test_a_text_too_long_for_excel_is_cut_and_it_is_said(tmp_path: Path) -> None:
    ring = [[index / 1e6, (index % 7) / 1e6] for index in range(3_000)]
    path = tmp_path / "long.xlsx"
    with pytest.warns(UserWarning) as warned:
        read_collection(collection(feature(line(*ring), notes="x" * 40_000))).to_file(path)
    frame = read(path)
    assert frame["notes"].tolist() == ["x" * 32_767]
    assert frame.geometry.tolist() == [None]
    assert {str(warning.message).partition(" ")[0] for warning in warned} == {"notes:", "an"}


def test_a_text_that_looks_like_a_formula_is_a_text_in_excel(tmp_path: Path) -> None:
    path = tmp_path / "formula.xlsx"
    read_collection(collection(feature(square(0, 0, 1), notes='=HYPERLINK("http://localhost")'))).to_file(path)
    assert read(path)["notes"].tolist() == ['=HYPERLINK("http://localhost")']


@pytest.mark.parametrize("ending", ["gpkg", "kml", "csv", "xlsx"])
def test_properties_with_names_that_a_format_uses_itself_are_kept(ending: str, tmp_path: Path) -> None:
    fields: dict[str, Any] = {"fid": "a", "geom": "b", "WKT": "c", "wkt": "d", "Icon": "e"}
    path = tmp_path / f"names.{ending}"
    with pytest.warns(UserWarning, match="renamed"):
        read_collection(collection(feature(square(0, 0, 1), **fields))).to_file(path)
    (row,) = read(path).drop(columns="geometry").astype(str).to_numpy().tolist()
    assert set(row) >= set(fields.values())


@pytest.mark.parametrize("ending", ENDINGS)
def test_collections_without_rows_and_without_geometries_are_written(ending: str, tmp_path: Path) -> None:
    for count, rows in enumerate([[], [feature(None, notes="nowhere")]]):
        path = tmp_path / f"rows{count}.{ending}"
        read_collection(collection(*rows)).to_file(path)
        assert len(read(path)) == count


def styles(path: Path) -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as package:
        return package.execute("SELECT f_table_name, f_geometry_column, styleQML FROM layer_styles").fetchall()


def test_the_style_of_a_geopackage_has_each_system_in_its_colour(
    design: FeatureCollection, project: Project, tmp_path: Path
) -> None:
    design.to_file(tmp_path / "design.gpkg")
    ((layer, geometry, qml),) = styles(tmp_path / "design.gpkg")
    assert (layer, geometry) == ("design", "geom")
    root = ElementTree.fromstring(qml.partition("\n")[2])
    symbols = {symbol.get("name"): symbol for symbol in root.iter("symbol")}
    drawn = {}
    for rule in root.iter("rule"):
        (color,) = (
            option.get("value")
            for option in symbols[rule.get("symbol")].iter("Option")
            if option.get("name") in ("color", "line_color")
        )
        drawn[(rule.get("label") or "").partition(",")[0]] = color
    systems = {system["name"]: str(project.system(system["id"])["color"]) for system in project.systems()}
    shown = set(design.to_geopandas()["sysname"])
    assert drawn == {
        name: ",".join(str(part) for part in bytes.fromhex(color[1:])) + ",255"
        for name, color in systems.items()
        if name in shown
    }
    assert any("'policy'" in (rule.get("filter") or "") for rule in root.iter("rule"))


def test_a_geopackage_of_boundaries_has_no_style(project: Project, tmp_path: Path) -> None:
    project.study_area.boundaries().to_file(tmp_path / "boundaries.gpkg")
    assert gpd.list_layers(tmp_path / "boundaries.gpkg")["name"].tolist() == ["boundaries"]


def test_a_geojson_file_holds_the_dict_and_gives_each_feature_its_number(
    diagrams: FeatureCollection, tmp_path: Path
) -> None:
    diagrams.to_file(tmp_path / "diagrams.geojson")
    features = json.loads((tmp_path / "diagrams.geojson").read_text(encoding="utf-8"))["features"]
    assert [feature.pop("id") for feature in features] == list(range(1, len(diagrams) + 1))
    assert features == diagrams["features"]


def test_a_geojson_file_without_repeated_ids_holds_the_dict(project: Project, tmp_path: Path) -> None:
    project.study_area.boundaries().to_file(tmp_path / "boundaries.geojson")
    assert (
        json.loads((tmp_path / "boundaries.geojson").read_text(encoding="utf-8"))
        == project.study_area.boundaries().to_dict()
    )


def test_a_geoparquet_file_holds_the_data_frame(diagrams: FeatureCollection, tmp_path: Path) -> None:
    diagrams.to_file(tmp_path / "diagrams.parquet")
    assert_geodataframe_equal(gpd.read_parquet(tmp_path / "diagrams.parquet"), diagrams.to_geopandas())


def test_a_geopackage_holds_the_data_frame(diagrams: FeatureCollection, tmp_path: Path) -> None:
    diagrams.to_file(tmp_path / "diagrams.gpkg")
    read, written = gpd.read_file(tmp_path / "diagrams.gpkg", layer="diagrams"), diagrams.to_geopandas()
    assert read.crs == written.crs
    assert list(read.columns) == list(written.columns)
    for name in written.columns.drop("geometry"):
        # A GeoPackage has one kind of null, and date-times with milliseconds.
        before, after = (frame[name].astype(object).where(frame[name].notna(), None) for frame in (written, read))
        assert after.tolist() == before.tolist(), name
    for drawn, found in zip(written.geometry, read.geometry, strict=True):
        assert drawn is found is None or shapely.equals_exact(drawn, found, tolerance=0)


@pytest.mark.parametrize("name", ["diagrams.GeoJSON", "diagrams.json"])
def test_the_file_extension_chooses_the_format_in_any_case(name: str, tmp_path: Path) -> None:
    read_collection(collection(feature(square(0, 0, 1)))).to_file(tmp_path / name)
    assert json.loads((tmp_path / name).read_text(encoding="utf-8"))["type"] == "FeatureCollection"


@pytest.mark.parametrize("name", FORMATS)
def test_an_existing_file_is_replaced(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    read_collection(collection(*[feature(square(0, 0, 1), depth=1)] * 50)).to_file(path)
    paths = read_collection(collection(feature(square(5, 5, 1), depth=2))).to_file(path)
    assert read(path).depth.tolist() == [2]
    assert sorted(tmp_path.iterdir()) == paths


def test_the_path_may_be_text(tmp_path: Path) -> None:
    read_collection(collection()).to_file(f"{tmp_path}/nothing.geojson")
    assert (tmp_path / "nothing.geojson").exists()


@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_folder_is_an_os_error(name: str, diagrams: FeatureCollection, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        diagrams.to_file(tmp_path / "missing" / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("exists", [False, True])
def test_a_write_that_fails_keeps_the_existing_file(exists: bool, diagrams: FeatureCollection, tmp_path: Path) -> None:
    """One process for all formats, because importing the libraries takes a second."""
    pickled, folders = tmp_path / "pickled", {name: tmp_path / name for name in FORMATS}
    pickled.write_bytes(pickle.dumps(diagrams))
    for name, folder in folders.items():
        folder.mkdir()
        if exists:
            (folder / name).write_bytes(b"older")
    paths = [str(folder / name) for name, folder in folders.items()]
    command = [sys.executable, "-c", WRITE_ON_A_FULL_DISK, str(pickled), *paths]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [f"failed: {path}" for path in paths]
    for name, folder in folders.items():
        content = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert content == ({name: b"older"} if exists else {}), name


@pytest.mark.skipif(sys.platform == "win32", reason="files have no mode there")
@pytest.mark.parametrize("ending", ["geojson", "gpkg"])
def test_a_file_may_be_read_by_whoever_may_read_other_files(
    ending: str, diagrams: FeatureCollection, tmp_path: Path
) -> None:
    usual, path = tmp_path / "usual.txt", tmp_path / f"diagrams.{ending}"
    usual.write_text("", encoding="utf-8")
    diagrams.to_file(path)
    assert path.stat().st_mode == usual.stat().st_mode
