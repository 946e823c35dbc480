"""Comparisons of odd projects, and planners' mistakes: each gets a result, or is refused by its name."""

from typing import Any

import pandas as pd
import pytest

from builders import diagram, feature, square
from comparisons import comparison
from fake_service import PROJECT, FakeService
from overlays import hectares
from pygeodesign import InputError

HALF_A_SQUARE_HA = 246.181439
BOW_TIE = {"type": "Polygon", "coordinates": [[[0, 0], [0.02, 0.02], [0.02, 0], [0, 0.02], [0, 0]]]}
ACROSS = {"type": "Polygon", "coordinates": [[[179.99, 0], [180.01, 0], [180.01, 0.01], [179.99, 0.01], [179.99, 0]]]}
CUT = {
    "type": "MultiPolygon",
    "coordinates": [square(179.99, 0, 0.01)["coordinates"], square(-180, 0, 0.01)["coordinates"]],
}


def project(number: int, geometry: Any, **fields: Any) -> Any:
    return diagram(number, feature(geometry), **({"sysid": 1, "type": "project"} | fields))


def two_squares() -> Any:
    """A square of Water and a square of Housing, which share half of each."""
    diagrams = [project(1, square(0, 0, 0.02)), project(2, square(0.01, 0, 0.02), sysid=2)]
    return comparison(diagrams, {"a": [1, 2]})


@pytest.mark.parametrize("label", ["project", "designs", "between", "chosen"])
def test_a_label_that_means_something_else_is_refused(label: str) -> None:
    with pytest.raises(InputError, match=f"a design cannot be called '{label}'"):
        comparison([project(1, square(0, 0, 0.02))], {label: [1]})


def test_teams_of_the_same_title_keep_their_designs_apart() -> None:
    below: dict[str, Any] = {"systems/": [], "diagrams/all/": [], "": {"id": PROJECT, "projecttitle": "P"}}
    below["cteams/"] = [{"id": team, "title": "North"} for team in (1, 2)]
    for team in (1, 2):
        design = {"id": f"{team}" * 16, "cteamid": team, "creationdate": "2026-01-01", "description": "First"}
        below[f"cteams/{team}/"] = {"synthesis": [design]}
        below[f"cteams/{team}/{design['id']}/diagrams/"] = {"diagrams": []}
    with FakeService(below) as service:
        compared = service.project().compare()
    assert list(compared.designs) == ["North – First", "North – First (team 2)"]


def test_a_project_without_systems_has_no_suitability() -> None:
    paths: dict[str, Any] = {"systems/": [], "diagrams/all/": [], "cteams/": [], "": {"id": PROJECT}}
    with FakeService(paths) as service:
        compared = service.project().compare()
    assert compared.suitability(scope="project").empty
    assert compared.suitability("systems", "project").empty


def test_a_self_crossing_polygon_has_its_cost_at_stake_on_the_land_it_covers() -> None:
    bow_tie = project(1, BOW_TIE, cost_override=1000, cost_override_type="total")
    compared = comparison([bow_tie, project(2, square(0, 0, 0.02), sysid=2)], [[1, 2]])
    (pair,) = compared.conflicts("diagrams").to_dict("records")
    assert pair["area_ha"] == pytest.approx(HALF_A_SQUARE_HA, rel=1e-6)
    assert pair["cost"] == pytest.approx(1000 + 100 * HALF_A_SQUARE_HA, rel=1e-6)
    assert pair["unpriced"] == 0


@pytest.mark.parametrize("by", ["systems", "diagrams"])
def test_land_drawn_across_the_antimeridian_is_the_land_on_both_sides_of_it(by: Any) -> None:
    compared = comparison([project(1, ACROSS), project(2, CUT, sysid=2)], {"a": [1], "b": [2]})
    assert compared.diagrams["area_ha"].tolist() == pytest.approx([compared.diagrams["area_ha"].iloc[0]] * 2)
    pairs = compared.conflicts(by, "project")
    assert pairs["area_ha"].tolist() == pytest.approx([hectares(compared.diagrams.geometry[2])], rel=1e-6)
    layer = compared.consensus()
    assert layer[["designs", "tied"]].to_numpy().tolist() == [[2, True]]


def test_an_empty_cell_of_a_matrix_of_systems_lets_them_share_no_land() -> None:
    names = ["Water", "Housing"]
    matrix = pd.DataFrame([[None, None], [None, None]], names, names, dtype=float)
    assert len(two_squares().conflicts(compatible=matrix)) == 1
    matrix.loc["Water", "Housing"] = 1
    assert len(two_squares().conflicts(compatible=matrix)) == 0


def test_without_a_diagram_to_choose_the_optimum_is_proven() -> None:
    best = two_squares().optimum(budget=100, targets={"Water": 5}, drop=[1, 2])
    assert (best.chosen, best.shortfall, best.gap, best.cost_gap) == ([], 1, 0, 0)


def test_a_present_value_that_is_beyond_all_numbers_is_refused() -> None:
    late = project(1, square(0, 0, 0.02), start_date="2025-01-01", end_date="2090-01-01")
    with pytest.raises(InputError, match="from 2025 to 2090 gives no finite present value"):
        comparison([late], [[1]]).schedule(rate=-0.9999999)


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda compared: compared.conflicts(scope=["a"]), r"scope must be .* not \['a'\]; designs: 'a'"),
        (lambda compared: compared.targets(scope=["a"]), r"scope must be .* not \['a'\]; designs: 'a'"),
        (lambda compared: compared.conflicts(compatible=5), "5 is not a pair of systems"),
        (lambda compared: compared.conflicts(compatible={"Water": ["Housing"]}), "is not a pair of systems"),
        (lambda compared: compared.conflicts(compatible=[(["Water"], 2)]), r"no system \['Water'\]"),
        (lambda compared: compared.sensitivity("20"), "percent must be more than 0 .* not '20'"),
        (lambda compared: compared.schedule(rate="3 %"), "rate is '3 %'"),
        (lambda compared: compared.schedule(rate=0.03, base_year="2030"), "base_year is '2030'"),
        (
            lambda compared: compared.impact({"Water": {"Housing": float("inf")}}),
            "weight of 'Water' on 'Housing' is inf",
        ),
        (lambda compared: compared.optimum("1e6", {"Water": 1}), "budget is '1e6'"),
        (lambda compared: compared.optimum(1e6, {"Water": "all"}), "the target of 'Water' is 'all'"),
        (lambda compared: compared.optimum(1e6, [5]), r"targets is \[5\]: give hectares by system"),
        (lambda compared: compared.optimum(1e6, {"Water": 1}, keep=[[1]]), r"keep has diagrams .* \[1\]"),
        (lambda compared: compared.optimum(1e6, {"Water": 1}, alternatives=1.5), "alternatives is 1.5"),
        (lambda compared: compared.optimum(1e6, {"Water": 1}, time_limit=None), "time_limit is None"),
    ],
)
def test_what_is_of_the_wrong_type_is_refused_by_its_name(ask: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        ask(two_squares())
