"""Comparisons that count only land inside the study area: every question has the figures of the cost report."""

from typing import Any

import geopandas
import pandas as pd
import pytest
import shapely

from builders import collection, diagram, feature, line, square
from comparisons import with_maps
from overlays import along_geodesics, hectares
from pygeodesign import InputError
from pygeodesign.planning import Comparison

AREA = square(10, 45, 0.02)
# Half of the first two is outside, all of the third.
HALF, LATER, FAR = square(10.015, 45.005, 0.01), square(10.015, 45.002, 0.01), square(11, 45, 0.01)
DESIGNS = {"A": [1, 2, 3], "B": [2, 4]}
DAYS = {"start_date": "2030-01-01", "end_date": "2031-01-01"}


def compared(land: Any = "inside", **below: Any) -> Comparison:
    """A park and its neighbour, which overlap, a park far away, and a road that leaves the study area."""
    diagrams = [
        diagram(1, feature(HALF), type="project", **DAYS),
        diagram(2, feature(LATER), type="project", sysid=2, **DAYS),
        diagram(3, feature(FAR), type="project", **DAYS),
        diagram(4, feature(line([10.01, 45.01], [10.03, 45.01])), type="project", sysid=2, **DAYS),
    ]
    figures: dict[str, Any] = {"systems/1/": {"target_ha": 60, "budget": 5000}}
    made: Comparison = with_maps(
        diagrams, DESIGNS, land=land, **{"boundaries/": collection(feature(AREA, bname="Bay"))}, **figures, **below
    )
    return made


@pytest.fixture(scope="module")
def inside() -> Comparison:
    return compared()


@pytest.fixture(scope="module")
def everything() -> Comparison:
    return compared("all")


def curved(shape: Any) -> Any:
    return along_geodesics(shapely.geometry.shape(shape), 400)


def land(*shapes: Any) -> float:
    """The hectares that these and the study area share."""
    return hectares(shapely.intersection_all([curved(shape) for shape in (AREA, *shapes)]))


def approximately(number: Any) -> Any:
    return pytest.approx(number, rel=1e-9, abs=1e-8)


def test_it_is_named_in_the_title_and_by_land(inside: Comparison, everything: Comparison) -> None:
    assert (inside.title, inside.land) == ("P – inside the study area", "inside")
    assert (everything.title, everything.land) == ("P", "all")
    assert inside.what_if(rates={"Water": 20}).title == "P – inside the study area – what if"
    assert "Only land inside the study area counts." in inside._repr_html_()


def test_diagrams_are_cut_and_have_the_figures_of_the_report(inside: Comparison) -> None:
    areas = inside.diagrams["area_ha"]
    assert areas.loc[[1, 2, 3, 4]].tolist() == approximately([land(HALF), land(LATER), 0, 0])
    cut = inside.diagrams.geometry
    assert [hectares(cut[number]) for number in (1, 2)] == approximately([land(HALF), land(LATER)])
    assert cut[3].is_empty and cut[4].bounds == pytest.approx((10.01, 45.01, 10.02, 45.01), abs=1e-6)


def test_targets_and_costs_leave_out_what_is_outside(inside: Comparison, everything: Comparison) -> None:
    water, whole = (
        next(row for row in frame.to_dict("records") if (row["design"], row["sysid"]) == ("A", 1))
        for frame in (inside.targets(), everything.targets())
    )
    assert water["area_ha"] == approximately(land(HALF)) and water["cost"] == approximately(10 * land(HALF))
    assert water["missing_ha"] == approximately(60 - land(HALF)) and water["area_status"] == "missed"
    assert water["outside_ha"] == approximately(whole["outside_ha"])
    assert whole["area_ha"] - whole["outside_ha"] == approximately(water["area_ha"])
    assert whole["area_status"] == "met"


def test_overlaps_are_those_inside(inside: Comparison, everything: Comparison) -> None:
    shared = land(HALF, LATER)
    (pair,) = inside.conflicts(scope="A").to_dict("records")
    assert pair["area_ha"] == approximately(shared) and pair["cost"] == approximately(110 * shared)
    assert everything.conflicts(scope="A")["area_ha"].sum() > 1.9 * shared
    rows = inside.explain("A")
    assert rows["overlap_ha"][1] == approximately(shared)
    assert rows["outside_ha"][3] == approximately(hectares(curved(FAR))) and rows["area_ha"][3] == 0


def test_where_designs_agree_is_inside(inside: Comparison) -> None:
    layer = inside.consensus()
    assert layer.total_bounds[2] == pytest.approx(10.02)
    agreed = layer[layer["designs"] > 1]
    assert agreed["area_ha"].sum() == approximately(land(LATER))


def test_the_best_choice_and_the_years_sum_the_same_figures(inside: Comparison) -> None:
    best = inside.optimum(10 * land(HALF) + 1)
    assert set(best.chosen) >= {1} and best.cost <= 10 * land(HALF) + 1
    years = inside.schedule(scope="A")
    assert years["cost"].sum() == approximately(inside.diagrams["cost"].loc[[1, 2, 3]].sum())
    assert years["area_ha"].sum() == approximately(land(HALF) + land(LATER))


def test_a_stock_changes_only_inside(inside: Comparison) -> None:
    uses = geopandas.GeoDataFrame({"use": ["field"]}, geometry=[shapely.box(9.9, 44.9, 11.1, 45.1)], crs=4326)
    (row,) = inside.stock_change(
        {"field": 2},
        {"Water": 0, "Housing": 0},
        given_in="t",
        land_use=uses,
        column="use",
        undated=2030,
        by="design",
        scope="A",
    ).to_dict("records")
    assert row["before"] == approximately(2 * (land(HALF) + land(LATER) - land(HALF, LATER)))


def test_the_report_says_everywhere_that_only_the_inside_counts(inside: Comparison) -> None:
    page = inside.to_html()
    assert page is not None
    assert "<h1>P – inside the study area</h1>" in page
    assert "Area, summed (ha), inside the study area</th>" in page and "Area, summed (ha)</th>" not in page
    assert "do not count" in page and "count and cost like any other" not in page


def test_without_boundaries_the_error_says_what_to_do() -> None:
    with pytest.raises(InputError, match="the project has no boundaries"):
        with_maps([], land="inside")


def test_figures_of_a_what_if_are_of_land_inside(inside: Comparison) -> None:
    dear = inside.what_if(rates={"Water": 20}).targets("A").set_index("sysid")
    assert dear["cost"][1] == approximately(20 * land(HALF))
    assert pd.isna(dear["outside_ha"]).sum() == 0
