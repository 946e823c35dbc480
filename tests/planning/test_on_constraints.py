"""`comparison.on_constraints()`: the land of each design where nothing can change, each place once."""

from typing import Any

import pandas as pd
import pytest
import shapely

from builders import collection, diagram, feature, line, square
from comparisons import with_maps
from overlays import curved, hectares
from parsed_html import ParsedHtml
from pygeodesign.planning import Comparison

# Two areas of constraints, which overlap.
LAKE, MARSH = square(10, 45.0013, 0.01), square(10.004, 45.0057, 0.01)
HALF, LATER, FAR = square(10.003, 45, 0.01), square(10.002, 45.003, 0.01), square(11, 45, 0.01)
DESIGNS = {"A": [1, 2, 3], "B": [3], "C": [4, 5]}
# Two trees in the lake, one beside it.
TREES = {"type": "MultiPoint", "coordinates": [[10.001, 45.002], [10.009, 45.009], [9.99, 45.002]]}


def compared(*constraints: Any, points: Any = None) -> Comparison:
    diagrams = [
        diagram(1, feature(HALF), type="project"),
        diagram(2, feature(LATER), type="project", sysid=2),
        diagram(3, feature(FAR), type="project"),
        diagram(4, feature(line([10.0, 45.0062], [10.02, 45.0062])), type="project", sysid=2),
        diagram(5, feature(LAKE), type="policy"),
    ]
    designs = DESIGNS
    if points:
        diagrams.append(diagram(6, feature(points), type="project"))
        designs = DESIGNS | {"D": [3, 6], "E": [6]}
    made: Comparison = with_maps(diagrams, designs, **{"constraints/": collection(*map(feature, constraints))})
    return made


def land(*shapes: Any) -> Any:
    return shapely.union_all([curved(shapely.geometry.shape(shape)) for shape in shapes])


def test_each_place_counts_once_and_policies_do_not() -> None:
    rows = compared(LAKE, MARSH).on_constraints().set_index("design")
    shared = hectares(land(HALF, LATER) & land(LAKE, MARSH))
    assert rows["area_ha"].to_dict() == {"A": pytest.approx(shared, rel=1e-9), "B": 0, "C": 0}
    assert rows["share"]["A"] == pytest.approx(shared / hectares(land(HALF, LATER, FAR)), rel=1e-9)
    assert rows["length_km"]["C"] > 0.7 and rows["share"]["C"] == pytest.approx(0.7, rel=1e-3)


def test_points_are_counted_and_share_where_there_is_no_land() -> None:
    rows = compared(LAKE, MARSH, points=TREES).on_constraints().set_index("design")
    assert rows["pieces"].to_dict() == {"A": 0, "B": 0, "C": 0, "D": 2, "E": 2}
    assert rows["share"][["D", "E"]].to_list() == [0, 2 / 3]


def test_without_constraints_nothing_is_known() -> None:
    rows = compared().on_constraints()
    assert rows[["area_ha", "length_km", "pieces", "share"]].isna().all(axis=None)
    assert list(rows["design"]) == ["A", "B", "C"]


def test_the_whole_project_has_one_row_without_a_design() -> None:
    rows = compared(LAKE).on_constraints("project")
    assert list(rows.columns) == ["area_ha", "length_km", "pieces", "share"] and len(rows) == 1
    assert isinstance(rows, pd.DataFrame) and rows["area_ha"][0] > 0


def test_the_report_has_the_hectares_beside_each_design() -> None:
    comparison = compared(LAKE, MARSH)
    text = ParsedHtml(str(comparison.to_html(progress=False))).text
    assert "Of it on constraints (ha)" in text
    assert f"{comparison.on_constraints()['area_ha'][0]:.1f}" in text
    assert "Pieces on constraints" not in text
    assert "Pieces on constraints" in ParsedHtml(str(compared(LAKE, points=TREES).to_html(progress=False))).text
    assert "on constraints" not in ParsedHtml(str(compared().to_html(progress=False))).text
