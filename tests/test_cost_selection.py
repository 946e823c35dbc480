"""`costs()` prices what it is asked for."""

from collections.abc import Callable
from typing import Any

import pytest

from pygeodesign import CostReport, InputError, NotFoundError, PermissionDeniedError, Project

MEMBER = "jose.villanueva"


def ids(report: CostReport) -> set[int]:
    return {row["diagramid"] for row in report.diagrams}


def test_without_arguments_every_diagram_is_priced(project: Project) -> None:
    assert ids(project.costs()) == {summary["id"] for summary in project.diagram_summaries()}


def test_a_members_selection_is_priced(project: Project) -> None:
    selected = {feature["properties"]["diagramid"] for feature in project.selection(MEMBER)}
    assert selected
    assert ids(project.costs(member=MEMBER)) == selected


def test_a_design_is_priced(project: Project) -> None:
    design = project.designs(2)[0]["id"]
    assert ids(project.costs(team=2, design=design)) == set(project.design_diagram_ids(2, design))


@pytest.mark.parametrize("collect", [list, tuple, set, iter])
def test_diagrams_are_priced_by_their_ids(collect: Callable[[list[int]], Any], project: Project) -> None:
    assert ids(project.costs(diagrams=collect([1003, 1001]))) == {1001, 1003}


def test_diagrams_come_out_of_a_data_frame_as_they_are(project: Project) -> None:
    water = project.diagrams().to_geopandas().query("sysid == 1")
    assert ids(project.costs(diagrams=water.diagramid)) == set(project.system_diagram_ids(1))


def test_a_diagram_costs_the_same_in_any_selection(project: Project) -> None:
    everything = {row["diagramid"]: row for row in project.costs().diagrams}
    assert all(row == everything[row["diagramid"]] for row in project.costs(member=MEMBER).diagrams)


def test_no_diagrams_are_a_report_of_zeros(project: Project) -> None:
    report = project.costs(diagrams=[])
    assert (report.total, report.diagrams, len(report.systems)) == (0, [], 9)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"team": 1}, "team= needs design="),
        ({"design": "a023631f09bc2e31"}, "design= needs team="),
        ({"member": MEMBER, "diagrams": [1001]}, "give one of"),
        ({"member": MEMBER, "team": 1, "design": "a023631f09bc2e31"}, "give one of"),
        ({"team": 1, "diagrams": [1001]}, "give one of"),
        ({"diagrams": [1001, 999_999]}, "999999"),
        ({"team": 1, "design": "short"}, "short"),
        ({"member": ""}, "user name"),
    ],
)
def test_what_cannot_be_asked_is_an_input_error(arguments: dict[str, Any], says: str, project: Project) -> None:
    with pytest.raises(InputError, match=says):
        project.costs(**arguments)


def test_a_design_that_does_not_exist_is_not_found(project: Project) -> None:
    with pytest.raises(NotFoundError):
        project.costs(team=1, design="0000000000000000")


def test_somebody_who_is_no_member_selected_nothing(project: Project) -> None:
    with pytest.raises(PermissionDeniedError):
        project.costs(member="nobody.known")
