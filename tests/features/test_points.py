"""Diagrams of points: from the drawing to costs, maps, GIS and archives."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import pytest
import shapely

import pygeodesign
from ogc import Ogc
from pygeodesign import InputError, Sandbox
from small_project import MEMBER, WATER, Workshop

pytestmark = pytest.mark.filterwarnings("ignore:.*priced by the piece")

TREES = shapely.MultiPoint([(-9.2 + step / 1_000, 38.7 + step / 2_000) for step in range(40)])
WELL = shapely.Point(-9.15, 38.75)


def test_points_come_back_bit_for_bit_and_cost_their_rate_each(workshop: Workshop) -> None:
    trees = workshop.project.add_diagram(WATER, TREES, title="Trees")
    trees.edit(cost=1_200, cost_type="unit")
    (row,) = workshop.project.costs(diagrams=[trees]).diagrams
    assert (row["pieces"], row["rate"], row["cost"]) == (40, 1_200, 48_000)
    (priced,) = (row for row in workshop.project.service_costs()["diagrams"] if row["diagramid"] == trees.id)
    assert priced == row
    (drawn,) = workshop.project.diagrams().to_geopandas().geometry
    assert shapely.to_wkb(drawn) == shapely.to_wkb(TREES)


def test_a_change_of_the_points_changes_the_cost(workshop: Workshop) -> None:
    trees = workshop.project.add_diagram(WATER, TREES, title="Trees")
    before = workshop.project.costs(diagrams=[trees]).total
    trees.edit(geometry=WELL)
    assert workshop.project.costs(diagrams=[trees]).total == pytest.approx(before / 40)


def test_the_preview_of_points_says_their_number_their_price_and_where_they_stand(workshop: Workshop) -> None:
    preview = workshop.project.preview(WATER, TREES)
    rate = workshop.project.system(WATER)["cost"]
    assert (preview["pieces"], preview["area_ha"], preview["length_km"]) == (40, 0, 0)
    assert preview["cost"] == 40 * rate and preview["conflicts"] == []


@pytest.mark.parametrize("outside", [0, 10, 39])
def test_the_share_outside_the_study_area_is_that_of_the_points(workshop: Workshop, outside: int) -> None:
    beyond = [(-8.5 - step / 1_000, 38.7) for step in range(outside)]
    points = shapely.MultiPoint([*shapely.get_coordinates(TREES).tolist()[outside:], *beyond])
    assert workshop.project.preview(WATER, points)["share_outside"] == outside / 40


def test_only_points_inside_the_study_area_count_if_asked(workshop: Workshop) -> None:
    area = shapely.box(-9.2001, 38.69, -9.1805, 38.72)
    workshop.project.study_area.set_boundaries(area, "Half")
    trees = workshop.project.add_diagram(WATER, TREES, title="Trees", outside="allow")
    (row,) = workshop.project.costs(diagrams=[trees], land="inside").diagrams
    inside = sum(area.covers(tree) for tree in TREES.geoms)
    assert (row["pieces"], row["outside_pieces"]) == (inside, 40 - inside) and 0 < inside < 40
    assert row["outside_note"] == f"outside the study area: {40 - inside} of 40 pieces not counted"


@pytest.mark.parametrize("swapped", [shapely.Point(38.75, -9.15), shapely.MultiPoint([(38.75, -9.15), (38.7, -9.2)])])
def test_points_whose_axes_are_swapped_are_refused_with_the_reason(
    workshop: Workshop, swapped: shapely.Geometry
) -> None:
    with pytest.raises(InputError, match="its longitude and latitude are swapped"):
        workshop.project.add_diagram(WATER, swapped, title="Swapped")


@pytest.mark.parametrize("source", [shapely.MultiPoint([WELL, WELL]), [WELL, WELL]], ids=["one feature", "two"])
def test_two_points_at_one_place_are_refused(workshop: Workshop, source: Any) -> None:
    with pytest.raises(InputError, match="priced twice"):
        workshop.project.add_diagram(WATER, source, title="Twice")
    (fault,) = workshop.project.preview(WATER, source)["faults"]
    assert "priced twice" in fault["reason"] and fault["position"] == [-9.15, 38.75]


def test_an_archive_gives_points_back(workshop: Workshop, tmp_path: Path) -> None:
    trees = workshop.project.add_diagram(WATER, TREES, title="Trees")
    cost = workshop.project.costs(diagrams=[trees]).total
    workshop.project.archive(tmp_path / "trees.zip", progress=False)
    with Sandbox(project=tmp_path / "trees.zip") as again:
        loaded = again.client().project(workshop.id)
        assert loaded.costs(diagrams=[trees.id]).total == loaded.service_costs()["total"] == cost
        assert loaded.diagrams().to_geopandas().geometry.iloc[0].equals(TREES)


def test_gis_read_points_with_their_number(workshop: Workshop) -> None:
    trees = workshop.project.add_diagram(WATER, TREES, title="Trees")
    answer = Ogc(workshop.sandbox, MEMBER).json(f"/collections/{workshop.id}.diagrams/items/{trees.id}")
    assert answer["geometry"]["type"] == "MultiPoint" and answer["properties"]["pieces"] == 40


def places(shapes: Any) -> list[tuple[float, float]]:
    # Formats of texts have 15 digits.
    return sorted((round(x, 12), round(y, 12)) for x, y in shapely.get_coordinates(shapes).tolist())


def by_gdal(path: Path) -> Any:
    """The points of a file, by GDAL, or by the library of its format."""
    if path.suffix == ".xlsx":
        shapes = shapely.from_wkt(pd.read_excel(path)["WKT"])
    elif path.suffix == ".parquet":
        shapes = gpd.read_parquet(path).geometry
    else:
        shapes = pyogrio.read_dataframe(path).geometry
    parts = shapely.get_parts(np.asarray(shapes))
    return parts[shapely.get_type_id(parts) == shapely.GeometryType.POINT]


@pytest.mark.filterwarnings(
    "ignore:a shapefile has", "ignore:the format does not allow some names", "ignore:More than one layer"
)
@pytest.mark.parametrize("ending", ["geojson", "gpkg", "parquet", "fgb", "kml", "shp", "csv", "xlsx"])
def test_exports_have_points_whole_and_come_back(ending: str, workshop: Workshop, tmp_path: Path) -> None:
    park = shapely.box(-9.2, 38.76, -9.19, 38.77)
    for name, shape in {"Trees": TREES, "Well": WELL, "Park": park}.items():
        workshop.project.add_diagram(WATER, shape, title=name)
    written = workshop.project.diagrams().to_file(tmp_path / f"all.{ending}")
    paths = [path for path in written if path.suffix == f".{ending}"]
    assert places(np.concatenate([by_gdal(path) for path in paths])) == places([TREES, WELL])
    title = {"kml": "Name", "shp": "descriptio"}.get(ending, "description")
    added = [
        row["diagram_id"] or 0 for path in paths for row in workshop.project.add_diagrams("Green", path, title=title)
    ]
    rows = workshop.project.costs(diagrams=added).diagrams
    assert {row["description"]: row["pieces"] for row in rows} == {"Trees": 40, "Well": 1, "Park": 0}


def test_qgis_draws_the_points_of_a_geopackage_in_the_colour_of_their_system(
    workshop: Workshop, tmp_path: Path
) -> None:
    workshop.project.add_diagram(WATER, TREES, title="Trees")
    workshop.project.diagrams().to_file(tmp_path / "trees.gpkg")
    with closing(sqlite3.connect(tmp_path / "trees.gpkg")) as package:
        ((style,),) = package.execute("SELECT styleQML FROM layer_styles")
    (rule,) = re.findall(r"<rule [^>]*>", style)
    assert 'label="Water, points"' in rule and "geometry_type($geometry) = 'Point'" in rule
    assert re.search(r'class="SimpleMarker".*name="color" value="43,123,186,255"', style, re.DOTALL)


def test_measure_counts_points() -> None:
    measured = pygeodesign.measure([TREES, WELL, shapely.box(0, 0, 1, 1)])
    assert measured["pieces"].tolist() == [40, 1, 0]
