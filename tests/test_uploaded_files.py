"""`add_diagrams` takes the path of a file that GeoPandas reads, in any CRS."""

from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely

import pygeodesign
from geometries import wkb
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
    with pytest.raises(InputError, match=r"table\.csv has no layer with geometries"):
        add(WATER, tmp_path / "table.csv", title="name")
    written(PARKS, tmp_path / "nowhere.shp").with_suffix(".prj").unlink()
    with pytest.raises(InputError, match=r"nowhere.shp does not say its CRS.*set_crs"):
        add(WATER, tmp_path / "nowhere.shp", title="name")
    with pytest.raises(InputError, match="layer= names a layer of a file; a GeoDataFrame has none"):
        add(WATER, PARKS, title="name", layer="parks")
    assert workshop.project.diagram_summaries() == []
