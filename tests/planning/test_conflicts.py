"""Conflicts, suitability and impact: hectares that agree with overlays made one by one, and cases for paper."""

import time
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import shapely

from builders import collection, diagram, feature, line, square
from comparisons import with_maps as comparison
from interrupting import seconds_until_interrupt
from overlays import along_geodesics, hectares, land
from pictures import check_texts, figure_of
from pygeodesign import InputError, Project

# Two squares of 0.02 degrees that share half of each, at the equator; and one far away.
FIRST, SECOND, FAR = square(0, 0, 0.02), square(0.01, 0, 0.02), square(1, 0, 0.02)
SHARED = shapely.box(0.01, 0, 0.02, 0.02)
BOTH = {"A": [1, 2]}
# An edge that is cut stays one geodesic; of the parts of `SHARED`, each would be another one.
CUT = 1e-7


def two_squares(**fields: Any) -> list[Any]:
    return [
        diagram(1, feature(FIRST), sysid=1, type="project"),
        diagram(2, feature(SECOND), **({"sysid": 2, "type": "project"} | fields)),
    ]


@pytest.fixture(scope="module")
def demo_comparison(project: Project) -> Any:
    return project.compare()


def lands_of(compared: Any) -> dict[int, Any]:
    """The land of the demo's projects."""
    projects = compared.diagrams[compared.diagrams["kind"] == "project"]
    return {number: along_geodesics(shape, 20) for number, shape in projects.geometry.items()}


def test_two_systems_share_half_of_two_squares() -> None:
    """The case of docs/comparing-designs.md: half of the cost of each of the two is at stake."""
    (row,) = comparison(two_squares(), BOTH).conflicts().itertuples()
    half = hectares(SHARED)
    assert (row.sysid_a, row.sysid_b, row.system_a, row.system_b) == (1, 2, "Water", "Housing")
    assert row.area_ha == pytest.approx(half, rel=CUT)
    assert row.cost == pytest.approx(half * 10 + half * 100, rel=CUT)
    assert row.unpriced == 0
    assert row.geometry.hausdorff_distance(SHARED) < 1e-8


@pytest.mark.parametrize("kind", ["policy", "line", "far"])
def test_policies_lines_and_distant_diagrams_claim_no_land(kind: str) -> None:
    others = {
        "policy": two_squares(type="policy"),
        "line": [two_squares()[0], diagram(2, feature(line([0, 0], [0.02, 0.02])), sysid=2, type="project")],
        "far": [two_squares()[0], diagram(2, feature(FAR), sysid=2, type="project")],
    }
    compared = comparison(others[kind], BOTH)
    assert len(compared.conflicts()) == len(compared.conflicts(by="diagrams")) == 0


def test_a_diagram_of_unknown_kind_counts_as_a_project() -> None:
    assert len(comparison(two_squares(type=None), BOTH).conflicts()) == 1


def test_neighbours_with_a_common_border_are_no_conflict() -> None:
    neighbours = [
        diagram(1, feature(FIRST), sysid=1, type="project"),
        diagram(2, feature(square(0.02, 0, 0.02)), sysid=2, type="project"),
    ]
    compared = comparison(neighbours, BOTH)
    assert len(compared.conflicts()) == len(compared.conflicts(by="diagrams")) == 0


def test_systems_that_are_compatible_share_land() -> None:
    compared = comparison(two_squares(), BOTH)
    matrix = pd.DataFrame([[0, 1], [1, 0]], index=["Water", "Housing"], columns=["Water", "Housing"])
    for compatible in ([("Water", "Housing")], {(2, 1)}, {"WAT": {"HOU": True}}, matrix):
        assert len(compared.conflicts(compatible=compatible)) == 0
        assert len(compared.conflicts(by="diagrams", compatible=compatible)) == 0
    assert len(compared.conflicts(compatible={"WAT": {"HOU": False}})) == 1
    with pytest.raises(InputError, match="no system 'Watr': the project has 1 'Water', 2 'Housing'"):
        compared.conflicts(compatible=[("Watr", "Housing")])
    with pytest.raises(InputError, match="'Water' is not a pair of systems"):
        compared.conflicts(compatible=["Water"])


def test_two_diagrams_of_a_system_conflict_as_diagrams_only() -> None:
    compared = comparison(two_squares(sysid=1), BOTH)
    assert len(compared.conflicts()) == 0
    assert len(compared.conflicts(by="diagrams")) == 1
    assert len(compared.conflicts(by="diagrams", compatible=[("Water", "Water")])) == 0


@pytest.mark.parametrize(
    ("designs", "pairs"),
    [
        ({"A": [1, 2], "B": []}, {"project": 1, "A": 1, "B": 0, "between": 0}),
        ({"A": [1], "B": [2]}, {"project": 1, "A": 0, "B": 0, "between": 1}),
        ({"A": [1, 2], "B": [2]}, {"project": 1, "A": 1, "B": 0, "between": 1}),
        ({"A": [1], "B": []}, {"project": 1, "A": 0, "between": 0}),
    ],
)
def test_conflicts_are_of_the_project_of_a_design_or_between_designs(designs: Any, pairs: dict[str, int]) -> None:
    compared = comparison(two_squares(), designs)
    for scope, count in pairs.items():
        assert len(compared.conflicts(scope=scope)) == count
        assert len(compared.conflicts(by="diagrams", scope=scope)) == count


def test_an_unknown_scope_is_refused_with_the_labels_that_there_are() -> None:
    with pytest.raises(InputError, match="not 'C'; designs: 'A'"):
        comparison(two_squares(), {"A": [1]}).conflicts(scope="C")


def test_land_under_constraints_is_a_conflict_on_request() -> None:
    closed = {"geojson": collection(feature(SECOND)), "id": 0, "sysid": 0, "area": 1, "description": ""}
    compared = comparison(two_squares()[:1], [[1]], **{"constraints/": closed})
    assert len(compared.conflicts()) == 0
    for by in ("systems", "diagrams"):
        (row,) = compared.conflicts(by, constraints=True).itertuples()
        assert row.area_ha == pytest.approx(hectares(SHARED), rel=CUT)
        assert row.cost == pytest.approx(10 * hectares(SHARED), rel=CUT)
        assert row.system_b == "constraints" and row.sysid_b is pd.NA


def test_what_has_no_geometry_or_no_cost_is_said() -> None:
    external = diagram(3, sysid=2, type="project", area=0, length=0, flat_geobuf_url="https://example.org/a.fgb")
    compared = comparison([*two_squares(), external], {"A": [1, 2, 3]})
    pairs = compared.conflicts()
    assert pairs.attrs["without_geometry"] == compared.without_geometry == [3]
    assert "1 without a geometry" in repr(compared)
    systems = {"systems/2/": {"id": 2, "name": "Housing", "cost": None}}
    (row,) = comparison(two_squares(), BOTH, **systems).conflicts(by="diagrams").itertuples()
    assert row.unpriced == 1 and row.cost == pytest.approx(10 * hectares(SHARED), rel=CUT)


def test_land_that_parts_of_a_diagram_cover_twice_counts_once() -> None:
    doubled = diagram(1, feature(FIRST), feature(FIRST), feature(SHARED.__geo_interface__), sysid=1, type="project")
    compared = comparison([doubled, two_squares()[1]], BOTH)
    for by in ("systems", "diagrams"):
        assert compared.conflicts(by)["area_ha"].tolist() == pytest.approx([hectares(SHARED)], rel=CUT)


def test_the_conflicts_of_diagrams_are_those_of_overlays_one_by_one(demo_comparison: Any) -> None:
    lands = lands_of(demo_comparison)
    expected = {}
    for one, other in combinations(lands, 2):
        area = hectares(lands[one].intersection(lands[other]))
        if area >= 1e-6:
            expected[one, other] = area
    for geometry in (True, False):
        pairs = demo_comparison.conflicts("diagrams", "project", geometry=geometry, progress=False)
        found = {(row.diagramid_a, row.diagramid_b): row.area_ha for row in pairs.itertuples()}
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-7)
    rows = demo_comparison.diagrams
    for row in demo_comparison.conflicts("diagrams", "project").itertuples():
        assert hectares(row.geometry) == pytest.approx(row.area_ha, rel=1e-8, abs=1e-8)
        costs = [rows["cost"][number] / rows["area_ha"][number] for number in (row.diagramid_a, row.diagramid_b)]
        assert row.cost == pytest.approx(row.area_ha * sum(costs))


def test_the_conflicts_of_systems_are_those_of_overlays_one_by_one(demo_comparison: Any) -> None:
    lands, diagrams = lands_of(demo_comparison), demo_comparison.diagrams
    united = {
        sysid: shapely.unary_union([lands[number] for number in lands if diagrams["sysid"][number] == sysid])
        for sysid in demo_comparison.systems.index
    }
    areas = {pair: hectares(united[pair[0]].intersection(united[pair[1]])) for pair in combinations(united, 2)}
    expected = {pair: area for pair, area in areas.items() if area >= 1e-6}
    pairs = demo_comparison.conflicts(scope="project")
    found = {(row.sysid_a, row.sysid_b): row.area_ha for row in pairs.itertuples()}
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-7)
    costs = diagrams["cost"][[number for number in lands if not lands[number].is_empty]]
    sums = costs.groupby(diagrams["sysid"]).sum()
    per_ha = {sysid: sums[sysid] / hectares(shape) for sysid, shape in united.items() if not shape.is_empty}
    for row in pairs.itertuples():
        assert row.cost == pytest.approx(row.area_ha * (per_ha[row.sysid_a] + per_ha[row.sysid_b]), rel=1e-7)


@pytest.mark.slow
def test_the_conflicts_between_designs_are_those_of_overlays_one_by_one(demo_comparison: Any) -> None:
    lands, diagrams = lands_of(demo_comparison), demo_comparison.diagrams
    designs = [{number for number in ids if number in lands} for ids in demo_comparison.designs.values()]

    def of(sysid: int, design: set[int]) -> Any:
        return shapely.unary_union([lands[number] for number in design if diagrams["sysid"][number] == sysid])

    expected = {}
    for one, other in combinations(demo_comparison.systems.index, 2):
        overlaps = [of(one, a).intersection(of(other, b)) for a in designs for b in designs if a is not b]
        area = hectares(shapely.unary_union(overlaps))
        if area >= 1e-6:
            expected[one, other] = area
    found = demo_comparison.conflicts(scope="between")
    assert {(row.sysid_a, row.sysid_b): row.area_ha for row in found.itertuples()} == pytest.approx(
        expected, rel=1e-7, abs=1e-7
    )


def test_conflicts_of_many_diagrams_end_at_ctrl_c() -> None:
    # Some thousand pairs of shapes of a thousand corners take far longer than the interrupt.
    shapes = shapely.buffer(shapely.points(np.arange(200) * 1e-4, 0), 0.01, quad_segs=500)
    diagrams = [
        diagram(number, feature(shape.__geo_interface__), sysid=1, type="project")
        for number, shape in enumerate(shapes, 1)
    ]
    compared = comparison(diagrams, {"A": range(1, 201)})
    end = time.monotonic() + 0.2
    assert seconds_until_interrupt(lambda: time.monotonic() > end, lambda: compared.conflicts("diagrams")) < 2


def test_suitability_of_a_square_on_two_classes() -> None:
    """The case of docs/comparing-designs.md: a fourth is red, a half green, and a fourth outside."""
    zones = [
        feature(shapely.box(0, 0, 0.005, 0.02).__geo_interface__, areatype="red", color="#f00"),
        feature(shapely.box(0.005, 0, 0.015, 0.02).__geo_interface__, areatype="green", color="#0f0"),
    ]
    compared = comparison(
        two_squares(), {"A": [1]}, **{"systems/1/evaluation/": {"geojson": collection(*zones), "sysid": 1}}
    )
    table = compared.suitability(scope="project")
    whole = hectares(shapely.box(0, 0, 0.02, 0.02))
    assert table.loc[1, ["land_ha", "red", "green", "outside"]].tolist() == pytest.approx(
        [whole, whole / 4, whole / 2, whole / 4], rel=1e-6
    )
    # Housing has no evaluation map, so nothing is known.
    assert table.loc[2, ["red", "green", "outside"]].isna().all() and table.loc[2, "land_ha"] == pytest.approx(whole)
    assert compared.suitability("systems", "project").loc[1, "red"] == pytest.approx(table.loc[1, "red"])
    assert np.isnan(compared.suitability("systems", "project").loc[2, "red"])
    assert compared.suitability(scope="A").index.tolist() == [1]


def test_suitability_is_that_of_overlays_one_by_one(demo_comparison: Any) -> None:
    table = demo_comparison.suitability(scope="project")
    areal = [number for number, shape in demo_comparison.diagrams.geometry.items() if not land(shape).is_empty]
    assert table.index.tolist() == areal
    for row in table.itertuples():
        shape = along_geodesics(demo_comparison.diagrams.geometry[row.Index], 20)
        evaluation = demo_comparison.evaluations[row.sysid]
        zones = {
            name: shapely.unary_union(
                [
                    along_geodesics(zone, 20)
                    for zone in evaluation.geometry[evaluation["areatype"] == name]
                    if zone.intersects(shape)
                ]
            )
            for name in ("red", "yellow", "green")
        }
        for name, zone in zones.items():
            assert getattr(row, name) == pytest.approx(hectares(shape.intersection(zone)), abs=1e-6)
        assert row.outside == pytest.approx(
            hectares(shape.difference(shapely.unary_union([*zones.values()]))), abs=1e-6
        )


def test_impact_is_hectares_times_weight() -> None:
    zones = [feature(shapely.box(0, 0, 0.01, 0.02).__geo_interface__, areatype="red", color="#f00")]
    compared = comparison(two_squares(), BOTH, **{"systems/2/evaluation/": {"geojson": collection(*zones), "sysid": 2}})
    whole = hectares(shapely.box(0, 0, 0.02, 0.02))
    (plain,) = compared.impact({"Water": {"Housing": -2, "Water": 5}, "Housing": {"Water": 0}}).itertuples()
    assert (plain.system_a, plain.system_b) == ("Water", "Housing")
    assert plain.area_ha == pytest.approx(whole) and plain.impact == pytest.approx(-2 * whole)
    (classed,) = compared.impact({"WAT": {"HOU": {"red": -1, "outside": 3}}}, by="diagrams").itertuples()
    assert classed.Index == 1 and classed.impact == pytest.approx(-whole / 2 + 3 * whole / 2, rel=1e-6)


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ([1, 2], "matrix must be a DataFrame, or a dict of dicts"),
        ({"Water": {"Housing": "much"}}, "the weight of 'Water' on 'Housing' is 'much'"),
        ({"Housing": {"Water": {"red": 1}}}, "'Water' has no evaluation map"),
        ({"Fire": {"Water": 1}}, "no system 'Fire'"),
    ],
)
def test_a_matrix_that_cannot_be_used_is_refused(matrix: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        comparison(two_squares(), BOTH).impact(matrix)


@pytest.mark.slow
# A theme has other colours, and the same layout.
@pytest.mark.parametrize(("width", "theme"), [(4, "light"), (6, "dark"), (12, "light")])
@pytest.mark.parametrize("picture", ["consensus", "similarity", "conflicts", "suitability", "impact"])
def test_the_texts_of_every_picture_can_be_read(demo_comparison: Any, picture: str, width: int, theme: Any) -> None:
    names = demo_comparison.systems["name"]
    matrix = {one: {other: len(one) - len(other) for other in names} for one in names}
    options: dict[str, dict[str, Any]] = {"impact": {"matrix": matrix}, "conflicts": {"constraints": True}}
    arguments = options.get(picture, {})
    figure, ax = plt.subplots(figsize=(width, 0.75 * width), layout="constrained")
    if picture not in ("consensus", "similarity"):
        arguments = {"scope": "project"} | arguments
    axes = getattr(demo_comparison, f"plot_{picture}")(ax=ax, theme=theme, **arguments)
    assert "Staten Island 2050" in axes.get_title("left")
    check_texts(figure_of(axes))
    plt.close(figure)


def test_a_picture_of_conflicts_has_the_hectares_of_each_pair(demo_comparison: Any) -> None:
    axes = demo_comparison.plot_conflicts("project", constraints=True)
    texts = [text.get_text() for text in axes.texts]
    assert len(texts) == 9 * 8 / 2 + 9
    assert "245" in texts and "2 diagrams without a geometry" in axes.get_title("left").replace("\n", " ")
    plt.close("all")
