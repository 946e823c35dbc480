"""The arguments of `costs()` choose the diagrams of the report."""

from collections.abc import Callable
from typing import Any

import pytest

from pygeodesign import CostReport, InputError, NotFoundError, PermissionDeniedError, Project

MEMBER = "jose.villanueva"


def ids(report: CostReport) -> set[int]:
    return {row["diagramid"] for row in report.diagrams}


def test_without_arguments_the_report_has_every_diagram(project: Project) -> None:
    assert ids(project.costs()) == {summary["id"] for summary in project.diagrams(fields="summary")}


def test_member_chooses_the_selection_of_a_member(project: Project) -> None:
    selected = {feature["properties"]["diagramid"] for feature in project.member(MEMBER).selection()}
    assert selected
    assert ids(project.costs(member=MEMBER)) == selected


def test_team_and_design_choose_the_diagrams_of_a_design(project: Project) -> None:
    design = project.designs(2)[0]["id"]
    assert ids(project.costs(team=2, design=design)) == set(project.design(design, 2).diagram_ids())


@pytest.mark.parametrize("collect", [list, tuple, set, iter])
def test_diagrams_can_be_any_iterable_of_ids(collect: Callable[[list[int]], Any], project: Project) -> None:
    assert ids(project.costs(diagrams=collect([1003, 1001]))) == {1001, 1003}


def test_diagrams_can_be_a_column_of_a_data_frame(project: Project) -> None:
    water = project.diagrams().to_geopandas().query("sysid == 1")
    assert ids(project.costs(diagrams=water.diagramid)) == set(project.system(1).diagram_ids())


def test_a_diagram_costs_the_same_in_any_selection(project: Project) -> None:
    everything = {row["diagramid"]: row for row in project.costs().diagrams}
    assert all(row == everything[row["diagramid"]] for row in project.costs(member=MEMBER).diagrams)


def test_an_empty_list_of_diagrams_gives_a_report_of_zeros(project: Project) -> None:
    report = project.costs(diagrams=[])
    assert (report.total, report.diagrams, len(report.systems)) == (0, [], 9)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"team": "Youth"}, 'there is no team "Youth"; the teams are 1 "Conservation"'),
        ({"design": 7}, "give a design by its id, its title or as a Design, not by"),
        ({"member": MEMBER, "diagrams": [1001]}, "give one of"),
        ({"member": MEMBER, "team": 1, "design": "a023631f09bc2e31"}, "give one of"),
        ({"team": 1, "diagrams": [1001]}, "give one of"),
        ({"diagrams": [1001, 999_999]}, "999999"),
        ({"team": 1, "design": "short"}, "short"),
        ({"member": ""}, "user name"),
    ],
)
def test_a_contradictory_or_invalid_choice_is_an_input_error(
    arguments: dict[str, Any], expected: str, project: Project
) -> None:
    with pytest.raises(InputError, match=expected):
        project.costs(**arguments)


def test_a_design_that_does_not_exist_is_not_found(project: Project) -> None:
    with pytest.raises(NotFoundError):
        project.costs(team=1, design="0000000000000000")
    with pytest.raises(NotFoundError, match="No such change team"):
        project.costs(team=99)


def test_the_selection_of_a_user_who_is_not_a_member_is_denied(project: Project) -> None:
    with pytest.raises(PermissionDeniedError):
        project.costs(member="nobody.known")
