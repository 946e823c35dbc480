"""Diagrams of points: from the drawing to costs, maps, GIS and archives."""

from pathlib import Path
from typing import Any

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


def test_measure_counts_points() -> None:
    measured = pygeodesign.measure([TREES, WELL, shapely.box(0, 0, 1, 1)])
    assert measured["pieces"].tolist() == [40, 1, 0]
