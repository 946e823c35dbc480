"""Paths that begin with ~ are in the home folder, in every call that reads or writes a file."""

from pathlib import Path

import geopandas
import pytest
import shapely

import pygeodesign
from pygeodesign import Project, Sandbox


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder. The working folder is another one, which stays empty."""
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(here)
    return home


def test_what_is_written_is_in_the_home_folder(project: Project, home: Path) -> None:
    report, comparison = project.costs(), project.compare()
    report.to_html("~/costs.html")
    report.to_excel("~/costs.xlsx")
    comparison.to_html("~/report.html")
    comparison.to_igc("~/poster.html", missing="omit")
    project.diagrams().to_file("~/diagrams.geojson")
    project.to_qgis("~/project.qgz")
    project.archive("~/project.zip", progress=False)
    written = {
        "costs.html",
        "costs.xlsx",
        "report.html",
        "poster.html",
        "diagrams.geojson",
        "project.qgz",
        "project.zip",
    }
    assert written <= {path.name for path in home.iterdir()}
    assert not any(Path.cwd().iterdir())


def test_what_is_read_is_in_the_home_folder(project: Project, home: Path) -> None:
    project.archive(home / "project.zip", progress=False)
    assert pygeodesign.open("~/project.zip").id == project.id
    frame = geopandas.GeoDataFrame({"name": ["A"]}, geometry=[shapely.box(-74.15, 40.57, -74.14, 40.58)], crs=4326)
    frame.to_file(home / "land.gpkg")
    (row,) = project.add_diagrams("Water", "~/land.gpkg", title="name", dry_run=True)
    assert row["title"] == "A"
    with Sandbox("~/service.sqlite", project="~/project.zip") as sandbox:
        assert sandbox.client().project(project.id).id == project.id
        sandbox.backup("~/copy.sqlite")
    assert (home / "service.sqlite").exists() and (home / "copy.sqlite").exists()
    assert not any(Path.cwd().iterdir())
