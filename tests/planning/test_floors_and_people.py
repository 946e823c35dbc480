"""Floors, homes, people and other quantities of designs, against sums on paper and by enumeration."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shapely
from geopandas import GeoDataFrame, GeoSeries

from pygeodesign import Project, Sandbox
from pygeodesign.errors import InputError
from small_project import Workshop

# Metres from a corner in the study area; a metre in degrees there, nearly.
WEST, SOUTH = -9.15, 38.72
METRE = np.array([1 / 86_960, 1 / 111_000])
BLOCKS = {"storeys_above_ground": 5, "storeys_below_ground": -1}


def box(west: float, south: float, east: float, north: float) -> shapely.Polygon:
    (left, bottom), (right, top) = np.array([[west, south], [east, north]]) * METRE + (WEST, SOUTH)
    return shapely.box(left, bottom, right, top)


def homes(amount: float, per: str = "floor_m2", target: float | None = None) -> Any:
    return {"amount": amount, "per": per} | ({} if target is None else {"target": target})


def hectares(project: Project, diagram: int) -> float:
    (row,) = project.costs(diagrams=[diagram]).diagrams
    assert row["area_ha"] is not None
    return row["area_ha"]


@pytest.fixture
def project(workshop: Workshop) -> Project:
    return workshop.project


@pytest.fixture
def plan(project: Project) -> Project:
    """Homes by the floor and people by the hectare in the first system, trees by the piece in the second."""
    first, second = (system["name"] for system in project.systems()[:2])
    project.set_quantities(
        {
            first: {"homes": homes(0.0125, target=300), "people": homes(120, "hectare")},
            second: {"trees": homes(1, "piece", target=40), "homes": homes(10, "hectare")},
        }
    )
    return project


def by(frame: Any, *columns: str) -> Any:
    """A frame by these columns, whose cells mypy does not look into."""
    return frame.set_index(list(columns) if len(columns) > 1 else columns[0])


def systems(project: Project) -> tuple[str, str]:
    first, second = (system["name"] for system in project.systems()[:2])
    return first, second


def test_300_homes_in_blocks_of_5_storeys(plan: Project) -> None:
    # 300 homes / 0.0125 = 24,000 m² of floor; with 6 storeys 4,000 m² of land: 80 m x 50 m.
    first, _ = systems(plan)
    block = plan.add_diagram(first, box(0, 0, 80, 50), title="Blocks", building_data=BLOCKS)
    land = hectares(plan, block.id) * 10_000
    comparison = plan.compare({"A": [block.id]})
    (floor,) = comparison.floor_area().to_dict("records")
    assert floor["floor_above_m2"] == pytest.approx(5 * land, rel=1e-12)
    assert floor["floor_below_m2"] == pytest.approx(land, rel=1e-12)
    assert floor["plot_ratio"] == pytest.approx(5, rel=1e-12)
    rows = by(comparison.people(), "quantity")
    assert rows.loc["homes", "amount"] == pytest.approx(0.0125 * 6 * land, rel=1e-12)
    assert rows.loc["homes", "amount"] == pytest.approx(300, rel=0.01)
    assert rows.loc["people", "amount"] == pytest.approx(120 * land / 10_000, rel=1e-12)
    assert (rows.loc["homes", "missing"] == 0) == bool(rows.loc["homes", "met"])


def test_40_trees_meet_a_target_of_40(plan: Project) -> None:
    _, second = systems(plan)
    trees = shapely.MultiPoint(
        [box(x, y, x, y).centroid for x, y in itertools.product(range(0, 80, 10), range(0, 50, 10))]
    )
    planted = plan.add_diagram(second, trees, title="Trees")
    rows = by(plan.compare({"A": [planted.id]}).people("system"), "system", "quantity")
    assert rows.loc[(second, "trees"), ["amount", "target", "missing", "met"]].tolist() == [40, 40, 0, True]
    assert plan.compare({"A": [planted.id]}).floor_area()["without_storeys"].tolist() == [0]


def test_a_building_without_storeys_is_not_counted_and_named(plan: Project) -> None:
    first, _ = systems(plan)
    bare = plan.add_diagram(first, box(0, 0, 80, 50), title="Bare")
    comparison = plan.compare({"A": [bare.id]})
    rows = by(comparison.people("system"), "quantity")
    assert np.isnan(rows.loc["homes", "amount"].iloc[0]) and rows.loc["homes", "unknown"].iloc[0] == 1
    assert pd.isna(rows.loc["homes", "met"].iloc[0])
    assert comparison.floor_area()[["without_storeys"]].to_numpy().tolist() == [[1]]
    assert comparison.floor_area()["floor_m2"].isna().all()


def test_policies_bring_nothing(plan: Project) -> None:
    first, _ = systems(plan)
    policy = plan.add_diagram(first, box(0, 0, 80, 50), title="Policy", kind="policy", building_data=BLOCKS)
    comparison = plan.compare({"A": [policy.id]})
    assert set(comparison.people()["amount"]) == {0.0}
    assert comparison.floor_area()["floor_m2"].tolist() == [0.0]


def test_years_and_parts_add_up_to_the_whole(plan: Project) -> None:
    first, second = systems(plan)
    area = plan.study_area
    area.set_boundaries(
        GeoDataFrame(
            {"bname": ["West", "East"]}, geometry=[box(-500, -500, 40, 900), box(40, -500, 120, 900)], crs=4326
        ),
        second=True,
    )
    blocks = plan.add_diagram(
        first, box(0, 0, 80, 50), title="Blocks", building_data=BLOCKS, start_date="2030-01-01", end_date="2031-12-31"
    )
    far = plan.add_diagram(second, box(100, 0, 140, 50), title="Far", end_date="2035-06-30")
    undated = plan.add_diagram(
        second, GeoSeries([box(0, 60, 0, 60).centroid, box(110, 60, 110, 60).centroid], crs=4326), title="Two"
    )
    comparison = plan.compare({"A": [blocks.id, far.id, undated.id]})
    whole = by(comparison.people(), "quantity")["amount"]
    for group in ("system", "year", "part"):
        parts = comparison.people(group)
        np.testing.assert_allclose(parts.groupby("quantity")["amount"].sum(), whole.sort_index(), rtol=1e-9)
    by_year = by(comparison.people("year"), "quantity")
    assert by_year.loc["trees", "year"].tolist() == [2031, 2035, pd.NA]
    by_part: Any = comparison.people("part").pivot(index="part", columns="quantity", values="amount")
    west, east = by_part.loc["West"], by_part.loc["East"]
    assert (west["trees"], east["trees"]) == (1, 1)
    assert west["people"] == pytest.approx(east["people"], rel=1e-6)
    assert by_part.loc["outside", "homes"] == pytest.approx(east["homes"] - west["homes"], rel=1e-6)
    floors = by(comparison.floor_area("part"), "part")
    part_ha = {"West": 54 * 140, "East": 8 * 140}
    ratio = floors.loc["East", "floor_above_m2"] / (part_ha["East"] * 100)
    assert floors.loc["East", "plot_ratio"] == pytest.approx(ratio, rel=0.01)


def test_random_designs_by_enumeration(plan: Project) -> None:
    first, second = systems(plan)
    random = np.random.default_rng(62)
    known: dict[int, tuple[str, float, int | None]] = {}
    for number in range(12):
        x, y = random.uniform(0, 3_000, 2)
        wide, high = random.uniform(20, 200, 2)
        storeys = int(random.integers(0, 9)) if number % 3 else None
        system = [first, second][number % 2]
        data = None if storeys is None else {"storeys_above_ground": storeys}
        diagram = plan.add_diagram(
            system, box(x, y, x + wide, y + high), title=f"B{number}", building_data=data, outside="allow"
        )
        known[diagram.id] = (system, hectares(plan, diagram.id), storeys)
    for _ in range(5):
        chosen = [int(number) for number in random.choice(list(known), 6, replace=False)]
        rows = by(plan.compare({"A": chosen}).people(), "quantity")
        own = [known[number] for number in chosen]
        floors = sum(ha * 10_000 * storeys for name, ha, storeys in own if name == first and storeys is not None)
        expected = 0.0125 * floors + sum(10 * ha for name, ha, _ in own if name == second)
        counted = rows.loc["homes", "amount"]
        assert np.nan_to_num(counted) == pytest.approx(expected, rel=1e-9)
        assert rows.loc["homes", "unknown"] == sum(name == first and storeys is None for name, _, storeys in own)


def test_only_land_inside_counts(plan: Project) -> None:
    first, _ = systems(plan)
    plan.study_area.set_boundaries(GeoSeries([box(-100, -100, 40, 900)], crs=4326))
    with pytest.warns(UserWarning, match="outside"):
        block = plan.add_diagram(first, box(0, 0, 80, 50), title="Blocks", building_data=BLOCKS)
    whole, inside = (
        plan.compare({"A": [block.id]}, land=land).floor_area()["floor_m2"].iloc[0] for land in ("all", "inside")
    )
    assert inside == pytest.approx(whole / 2, rel=1e-5)


@pytest.mark.parametrize(
    ("quantities", "problem"),
    [
        ({"homes": {"amount": "many", "per": "hectare"}}, "homes of"),
        ({"homes": {"amount": 1, "per": "acre"}}, "floor_m2"),
        ({"homes": {"amount": float("nan"), "per": "hectare"}}, "NaN"),
        ({"homes": homes(1, target=-1)}, "target"),
        ({"": homes(1)}, "name"),
        ({f"q{n}": homes(1) for n in range(21)}, "at most 20"),
        ({"homes": 3}, "homes of"),
    ],
)
def test_bad_quantities_are_refused_before_anything_is_sent(plan: Project, quantities: Any, problem: str) -> None:
    first, second = systems(plan)
    before = plan.quantities()
    with pytest.raises(InputError, match=problem):
        plan.set_quantities({second: {"sheep": homes(2, "hectare")}, first: quantities})
    assert plan.quantities() == before


def test_none_removes_a_quantity_and_others_stay(plan: Project) -> None:
    first, _ = systems(plan)
    plan.set_quantities({first: {"homes": None}})
    assert list(plan.quantities()[first]) == ["people"]


def test_a_project_without_quantities_says_how_to_set_them(project: Project) -> None:
    with pytest.raises(InputError, match="set_quantities"):
        project.compare({"A": []}).people()


@pytest.mark.parametrize("storeys", [-1, 2.5, "five", 501, True])
def test_storeys_that_no_building_has_are_refused(project: Project, storeys: Any) -> None:
    first, _ = systems(project)
    with pytest.raises(InputError, match="storeys_above_ground"):
        project.add_diagram(first, box(0, 0, 80, 50), title="Blocks", building_data={"storeys_above_ground": storeys})


def test_a_file_s_columns_are_its_storeys(project: Project, tmp_path: Any) -> None:
    first, _ = systems(project)
    frame = GeoDataFrame(
        {"name": ["A", "B", "C"], "storeys_above_ground": [5, None, 3], "storeys_below_ground": [1, None, None]},
        geometry=[box(x, 0, x + 50, 50) for x in (0, 100, 200)],
        crs=4326,
    )
    frame.to_file(tmp_path / "blocks.gpkg")
    rows = project.add_diagrams(first, tmp_path / "blocks.gpkg", title="name")
    data = [dict(project.diagram(row["diagram_id"] or 0))["building_data"] for row in rows]
    assert data == [{"storeys_above_ground": 5, "storeys_below_ground": 1}, {}, {"storeys_above_ground": 3}]


def test_previews_and_archives_have_the_same_amounts(plan: Project, tmp_path: Any) -> None:
    first, _ = systems(plan)
    block = plan.add_diagram(first, box(0, 0, 80, 50), title="Blocks", building_data=BLOCKS)
    preview = plan.preview(first, box(0, 0, 80, 50), building_data=BLOCKS)
    (row,) = plan.costs(diagrams=[block.id]).diagrams
    assert preview["quantities"] == row["quantities"]
    assert plan.preview(first, box(0, 0, 80, 50))["quantities"]["homes"] is None
    plan.archive(tmp_path / "plan.zip", progress=False)
    with Sandbox(project=tmp_path / "plan.zip") as other:
        copy = other.client().project(plan.id)
        assert copy.compare({"A": [block.id]}).people().equals(plan.compare({"A": [block.id]}).people())


def test_the_report_has_targets_of_quantities(plan: Project) -> None:
    first, _ = systems(plan)
    block = plan.add_diagram(first, box(0, 0, 80, 40), title="Blocks", building_data=BLOCKS)
    comparison = plan.compare({"A": [block.id]})
    page = comparison.to_html()
    assert page is not None
    missing = by(comparison.people("system"), "quantity").loc["homes", "missing"].max()
    assert f"{missing:,.0f} missing" in page and "Homes, people, jobs" in page
    axes = comparison.plot_people()
    assert "homes" in axes.get_title("left").lower()


def test_the_report_says_how_many_buildings_have_no_storeys(plan: Project) -> None:
    first, _ = systems(plan)
    built = plan.add_diagram(first, box(0, 0, 80, 40), title="Blocks", building_data=BLOCKS)
    bare = plan.add_diagram(first, box(0, 100, 80, 140), title="Bare")
    page = str(plan.compare({"A": [built.id, bare.id]}).to_html())
    assert "(1 not counted)" in page and "not known" in page
