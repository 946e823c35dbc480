"""`impact()` with the project's matrix: its sums equal those of every pair and diagram, one by one."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
import shapely

from builders import collection, diagram, feature, square
from comparisons import comparison, with_maps
from overlays import hectares
from pygeodesign import InputError
from small_project import GREEN, WATER, Workshop

WATER_ON_HOUSING: dict[str, Any] = {"impacts": {"2": -2}}
BOTH = {"A": [1, 2], "B": [2]}


def squares(**fields: Any) -> list[Any]:
    return [
        diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project"),
        diagram(2, feature(square(0.01, 0, 0.02)), sysid=2, type="project"),
    ]


def test_the_case_for_paper_eight_hectares_of_water_make_housing_worse_by_sixteen() -> None:
    compared = comparison(squares(), BOTH, Water=WATER_ON_HOUSING)
    size = hectares(shapely.box(0, 0, 0.02, 0.02)) / 8
    (row,) = compared.impact(scope="A").itertuples()
    assert (row.system_a, row.system_b) == ("Water", "Housing")
    assert row.area_ha == pytest.approx(8 * size) and row.impact == pytest.approx(-16 * size)
    assert len(compared.impact(scope="B")) == 0


def test_given_weights_take_the_place_of_the_projects_matrix() -> None:
    compared = comparison(squares(), BOTH, Water=WATER_ON_HOUSING)
    (row,) = compared.impact({"Housing": {"Water": 1}}, scope="A").itertuples()
    assert (row.system_a, row.impact) == ("Housing", pytest.approx(row.area_ha))


@pytest.mark.parametrize("ask", ["impact", "plot_impact"])
def test_without_any_matrix_the_error_names_both_ways(ask: str) -> None:
    with pytest.raises(InputError, match=r"project\.set_impacts\(\).* or give weights, such as impact\(\{"):
        getattr(comparison(squares(), BOTH), ask)()


def test_a_report_has_the_impacts_of_each_design_that_has_any() -> None:
    with_matrix = comparison(squares(), BOTH, Water=WATER_ON_HOUSING)
    page, caption = with_matrix.to_html(), "{}: impact of projects on other systems"
    (row,) = with_matrix.impact(scope="A").itertuples()
    assert caption.format("A") in page and caption.format("B") not in page
    assert f"{row.impact:.1f}" in page
    assert caption.format("A") not in comparison(squares(), BOTH).to_html()


def test_policies_change_no_land_so_they_have_no_impact() -> None:
    diagrams = [*squares(), diagram(3, feature(square(1, 0, 0.02)), sysid=1, type="policy")]
    (row,) = comparison(diagrams, {"A": [1, 3]}, Water=WATER_ON_HOUSING).impact().itertuples()
    assert row.area_ha == pytest.approx(hectares(shapely.box(0, 0, 0.02, 0.02)))


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_random_matrices_and_designs_are_those_of_a_loop_over_pairs_and_diagrams(seed: int) -> None:
    chance = random.Random(seed)
    ids = range(1, 6)
    systems = [{"id": sysid, "name": f"S{sysid}", "cost": 1} for sysid in ids]
    matrix = {pair: chance.randint(-2, 2) for pair in itertools.permutations(ids, 2)}
    for system in systems:
        acting: Any = system["id"]
        system["impacts"] = {str(other): matrix[acting, other] for other in ids if other != acting}
    boxes = {number: random_box(chance) for number in range(1, 13)}
    owners = {number: chance.choice(ids) for number in boxes}
    diagrams = [
        diagram(number, feature(box.__geo_interface__), sysid=owners[number], type="project")
        for number, box in boxes.items()
    ]
    design = [number for number in boxes if chance.random() < 0.6]
    paths = {f"systems/{system['id']}/": system for system in systems}
    compared = with_maps(diagrams, {"A": design}, **{"systems/": systems} | paths)
    found = {(row.sysid_a, row.sysid_b): row.impact for row in compared.impact().itertuples()}
    expected = {
        pair: weight * sum(hectares(boxes[number]) for number in design if owners[number] == pair[0])
        for pair, weight in matrix.items()
    }
    assert found.keys() <= expected.keys()
    for pair, amount in expected.items():
        assert found.get(pair, 0) == pytest.approx(amount)
    by_diagram = compared.impact(by="diagrams")
    assert by_diagram["impact"].sum() == pytest.approx(sum(expected.values()))


def random_box(chance: random.Random) -> Any:
    west, south = chance.uniform(0, 0.1), chance.uniform(-0.05, 0.05)
    return shapely.box(west, south, west + chance.uniform(0.001, 0.02), south + chance.uniform(0.001, 0.02))


def test_a_comparison_has_the_matrix_of_the_service(workshop: Workshop) -> None:
    workshop.project.set_impacts({"Water": {"Green": -2}})
    workshop.project.add_diagram(WATER, square(-9.15, 38.71, 0.01), title="Pond")
    compared = workshop.project.compare()
    assert compared.impacts.loc[WATER, GREEN] == -2 and np.count_nonzero(compared.impacts) == 1
    row: Any = compared.impact(scope="project").iloc[0]
    assert row.impact == pytest.approx(-2 * row.area_ha) and row.area_ha > 0


def test_a_preview_names_other_systems_on_whose_good_land_a_drawing_lies(workshop: Workshop) -> None:
    """Half of the drawing is on green land of the other system, a fourth on yellow land."""
    good = [
        feature(square(-9.15, 38.71, 0.01), areatype="green"),
        feature(square(-9.15, 38.71, 0.01), areatype="green3"),
    ]
    workshop.project.system(GREEN).set_evaluation(
        collection(*good, feature(square(-9.16, 38.71, 0.005), areatype="yellow"))
    )
    drawing = shapely.box(-9.16, 38.71, -9.14, 38.72)
    assert workshop.project.preview(WATER, drawing)["good_land"] == []
    for impact in (-2, 2):
        workshop.project.set_impacts({"Water": {"Green": impact}})
        found = workshop.project.preview(WATER, drawing)["good_land"]
        half = hectares(shapely.box(-9.15, 38.71, -9.14, 38.72))
        assert found == [{"sysid": GREEN, "area_ha": pytest.approx(half), "impact": impact}]
        assert workshop.project.preview(WATER, shapely.box(-9.2, 38.72, -9.19, 38.73))["good_land"] == []
        assert workshop.project.preview(WATER, drawing, kind="policy")["good_land"] == []


def test_good_land_of_random_maps_is_that_of_shapely(workshop: Workshop) -> None:
    chance = random.Random(5)
    names = [workshop.project.system(GREEN).name] + [
        workshop.project.add_system(f"S{n}", "#4FB3A9").name for n in range(3)
    ]
    good: dict[int, list[Any]] = {}
    for name in names:
        system = workshop.project.system(name)
        areas = [(random_area(chance), chance.choice(["red", "yellow", "green", "green2", "green3"])) for _ in range(6)]
        system.set_evaluation(collection(*(feature(box.__geo_interface__, areatype=kind) for box, kind in areas)))
        good[int(system.id)] = [box for box, kind in areas if kind.startswith("green")]
    impacts = {name: chance.choice([-2, -1, 1, 2]) for name in names}
    workshop.project.set_impacts({"Water": impacts})
    for _ in range(10):
        drawing = random_area(chance)
        found = {land["sysid"]: land["area_ha"] for land in workshop.project.preview(WATER, drawing)["good_land"] or []}
        for sysid, areas in good.items():
            covered = hectares(shapely.intersection(drawing, shapely.union_all(areas)))
            assert found.get(sysid, 0) == pytest.approx(covered, rel=1e-4, abs=1e-3)


def random_area(chance: random.Random) -> Any:
    west, south = chance.uniform(-9.2, -9.15), chance.uniform(38.70, 38.74)
    return shapely.box(west, south, west + chance.uniform(0.004, 0.02), south + chance.uniform(0.004, 0.02))
