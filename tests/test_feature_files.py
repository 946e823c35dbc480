"""Files that `FeatureCollection.to_file` writes hold the whole collection."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import geopandas as gpd
import pytest
import shapely
from geopandas.testing import assert_geodataframe_equal

from builders import collection, feature, read_collection, square
from pygeodesign import FeatureCollection, Project

FORMATS = ["diagrams.geojson", "diagrams.parquet", "diagrams.gpkg"]
# Writes a pickled collection to a file, with a limit of 8 KiB for the size of files.
WRITE_ON_A_FULL_DISK = """
import pickle, resource, sys
collection = pickle.load(open(sys.argv[1], "rb"))
try:
    import pandas, pyarrow, pyogrio, geopandas
finally:
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))
try:
    collection.to_file(sys.argv[2])
except Exception as error:
    print("failed:", error)
"""


@pytest.fixture(scope="module")
def diagrams(project: Project) -> FeatureCollection:
    return project.diagrams()


def test_a_geojson_file_holds_the_dict(diagrams: FeatureCollection, tmp_path: Path) -> None:
    diagrams.to_file(tmp_path / "diagrams.geojson")
    assert json.loads((tmp_path / "diagrams.geojson").read_text(encoding="utf-8")) == diagrams.to_dict()


def test_a_geoparquet_file_holds_the_data_frame(diagrams: FeatureCollection, tmp_path: Path) -> None:
    diagrams.to_file(tmp_path / "diagrams.parquet")
    assert_geodataframe_equal(gpd.read_parquet(tmp_path / "diagrams.parquet"), diagrams.to_geopandas())


def test_a_geopackage_holds_the_data_frame(diagrams: FeatureCollection, tmp_path: Path) -> None:
    diagrams.to_file(tmp_path / "diagrams.gpkg")
    read, written = gpd.read_file(tmp_path / "diagrams.gpkg"), diagrams.to_geopandas()
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
    read_collection(collection(feature(square(5, 5, 1), depth=2))).to_file(path)
    read = gpd.read_parquet(path) if path.suffix == ".parquet" else gpd.read_file(path)
    assert read.depth.tolist() == [2]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_path_may_be_text(tmp_path: Path) -> None:
    read_collection(collection()).to_file(f"{tmp_path}/nothing.geojson")
    assert (tmp_path / "nothing.geojson").exists()


@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_folder_is_an_os_error(name: str, diagrams: FeatureCollection, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        diagrams.to_file(tmp_path / "missing" / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "exists"),
    [(name, exists) for name in FORMATS for exists in (False, True)],
)
def test_a_write_that_fails_keeps_the_existing_file(
    name: str, exists: bool, diagrams: FeatureCollection, tmp_path: Path
) -> None:
    pickled, folder = tmp_path / "pickled", tmp_path / "folder"
    pickled.write_bytes(pickle.dumps(diagrams))
    folder.mkdir()
    if exists:
        (folder / name).write_bytes(b"older")
    command = [sys.executable, "-c", WRITE_ON_A_FULL_DISK, str(pickled), str(folder / name)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("failed:")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == ({name: b"older"} if exists else {})
