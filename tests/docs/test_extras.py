"""The package alone needs no other library. A missing library is an error that names the extra to install."""

import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pygeodesign
from pygeodesign import Project
from pygeodesign.many import ProjectsArchive


class ArrowStream:
    """An object with an Arrow stream, which GeoPandas would read."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise AssertionError("nothing is read without GeoPandas")


def import_plots() -> None:
    importlib.import_module("pygeodesign.plots")


def web_map(project: Project) -> None:
    from pygeodesign.maps import web_map

    web_map(project.diagrams(), project.study_area.boundaries()).to_html("unwritten.html")


def archived(project: Project) -> ProjectsArchive:
    """An archive of no project."""
    folder = Path(tempfile.mkdtemp())
    (folder / "manifest.json").write_text(
        '{"format": "pygeodesign-projects", "version": 1, "projects": {}, "unused": {}}'
    )
    return pygeodesign.read_archive(folder)


@pytest.fixture
def modules_as_before() -> Iterator[None]:
    """Restores the modules after a test: if it imports them again, they have other classes than before."""
    before = {name: module for name, module in sys.modules.items() if name.startswith("pygeodesign.")}
    yield
    for name in [name for name in sys.modules if name.startswith("pygeodesign.") and name not in before]:
        package, _, child = name.rpartition(".")
        del sys.modules[name]
        if package in before or package == "pygeodesign":
            vars(sys.modules[package]).pop(child, None)
    for name, module in before.items():
        package, _, child = name.rpartition(".")
        sys.modules[name] = module
        vars(sys.modules[package])[child] = module


@pytest.mark.parametrize(
    ("library", "extra", "use"),
    [
        ("geopandas", "geo", lambda project: project.study_area.boundaries().to_geopandas()),
        ("pyarrow", "geo", lambda project: project.study_area.boundaries().to_geopandas()),
        ("pyarrow", "geo", lambda project: project.study_area.boundaries().to_arrow()),
        ("geopandas", "geo", lambda project: project.study_area.boundaries().to_file("unwritten.parquet")),
        ("geopandas", "geo", lambda project: project.study_area.boundaries().to_file("unwritten.xlsx")),
        ("matplotlib", "notebook", lambda project: project.study_area.boundaries().plot()),
        ("pandas", "geo", lambda project: project.costs().to_pandas()),
        ("pandas", "geo", lambda project: project.history().to_pandas()),
        ("geopandas", "geo", lambda project: project.add_diagrams(1, ArrowStream(), title="title")),
        ("matplotlib", "notebook", lambda project: project.costs().plot()),
        ("geopandas", "geo", lambda _: import_plots()),
        ("matplotlib", "notebook", lambda _: import_plots()),
        ("geopandas", "geo", lambda project: project.compare()),
        ("matplotlib", "notebook", lambda project: project.compare().plot_consensus()),
        ("scipy", "notebook", lambda project: project.compare().negotiate()),
        ("matplotlib", "notebook", web_map),
        ("matplotlib", "notebook", lambda project: project.map()),
        ("anywidget", "notebook", lambda project: project.map(draw=True)),
        ("anywidget", "notebook", lambda project: project.compare().board()),
        ("geopandas", "geo", lambda project: project.gallery()),
        ("matplotlib", "notebook", lambda project: project.study_area.boundaries().map()),
        ("xlsxwriter", "notebook", lambda project: project.costs().to_excel("unwritten.xlsx")),
        ("tqdm", "notebook", lambda project: project.thumbnails([1001], progress=True)),
        ("fsspec", "many", lambda _: pygeodesign.read_archive("s3://bucket/archive")),
        ("duckdb", "many", lambda project: archived(project).duckdb()),
        ("pyarrow", "geo", lambda project: archived(project).costs()),
        ("pptx", "slides", lambda project: project.compare().to_igc("unwritten.pptx")),
        ("matplotlib", "slides", lambda project: project.compare().to_igc("unwritten.pptx")),
        ("distributed", "dask", lambda project: pygeodesign.map_projects(str, [project], client=object())),
    ],
)
def test_a_missing_library_is_an_import_error_that_names_its_extra(
    library: str,
    extra: str,
    use: Callable[[Project], Any],
    project: Project,
    modules_as_before: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in [name for name in sys.modules if name == library or name.startswith(f"{library}.")]:
        monkeypatch.delitem(sys.modules, module)
    # These modules import the libraries, and an earlier test may have loaded them.
    loaded = (
        "pygeodesign._cost_workbook",
        "pygeodesign._pictures",
        "pygeodesign._report.igc_slides",
        "pygeodesign._web",
        "pygeodesign._widget.",
        "pygeodesign._many.",
        "pygeodesign.maps",
        "pygeodesign.plots",
    )
    for module in [name for name in sys.modules if name.startswith(loaded)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError) as raised:
        use(project)
    assert str(raised.value).startswith(f"{library} is needed")
    assert str(raised.value).endswith(f"pip install 'pygeodesign[{extra}]'")
    assert isinstance(raised.value.__cause__, ImportError)


def test_an_import_error_is_not_a_geodesign_error(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError) as raised:
        project.study_area.boundaries().to_arrow()
    assert not isinstance(raised.value, pygeodesign.GeodesignError)
