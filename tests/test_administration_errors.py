"""The errors of `Sandbox` methods name what does not exist, and list what does."""

from collections.abc import Callable

import pytest

from builders import square
from pygeodesign import InputError, Sandbox
from small_project import ADMINISTRATOR, MEMBER, STRANGER, WATER, Workshop

AREA = square(-9.15, 38.71, 0.01)
UNKNOWN_PROJECT = "Nowhere000000000"


@pytest.fixture
def with_diagram(workshop: Workshop) -> Workshop:
    """The workshop with one diagram, whose id is 1."""
    workshop.project.add_diagram(WATER, AREA, title="Pond")
    return workshop


CALLS_WITH_A_PROJECT: dict[str, Callable[[Sandbox, str], object]] = {
    "add_member": lambda sandbox, project: sandbox.add_member(project, MEMBER),
    "remove_member": lambda sandbox, project: sandbox.remove_member(project, MEMBER),
    "add_team": lambda sandbox, project: sandbox.add_team(project, "Planners"),
    "set_team_members": lambda sandbox, project: sandbox.set_team_members(project, 1, []),
    "add_design": lambda sandbox, project: sandbox.add_design(project, 1, "First", []),
    "set_selection": lambda sandbox, project: sandbox.set_selection(project, MEMBER, []),
    "set_boundaries": lambda sandbox, project: sandbox.set_boundaries(project, AREA),
    "set_constraints": lambda sandbox, project: sandbox.set_constraints(project, AREA),
    "set_system": lambda sandbox, project: sandbox.set_system(project, WATER, cost=1),
    "set_diagram": lambda sandbox, project: sandbox.set_diagram(project, 1, cost_override=1),
    "add_negotiation": lambda sandbox, project: sandbox.add_negotiation(
        project, {"session_id": "x", "cteams": [], "moves": []}
    ),
    "diagram_groups": lambda sandbox, project: sandbox.diagram_groups(project),
    "impact": lambda sandbox, project: sandbox.impact(project, WATER),
}


@pytest.mark.parametrize("method", CALLS_WITH_A_PROJECT)
def test_the_error_for_an_unknown_project_lists_the_known_ones(method: str, workshop: Workshop) -> None:
    with pytest.raises(InputError, match=f"{UNKNOWN_PROJECT}.*{workshop.id}"):
        CALLS_WITH_A_PROJECT[method](workshop.sandbox, UNKNOWN_PROJECT)


@pytest.mark.parametrize("method", CALLS_WITH_A_PROJECT)
def test_a_text_that_is_not_a_project_id_is_an_input_error(method: str, workshop: Workshop) -> None:
    with pytest.raises(InputError, match="Lisbon"):
        CALLS_WITH_A_PROJECT[method](workshop.sandbox, "Lisbon")


CALLS_WITH_UNKNOWN_NAMES: dict[str, Callable[[Workshop], object]] = {
    "dora": lambda workshop: workshop.sandbox.revoke_tokens("dora"),
    "dora again": lambda workshop: workshop.sandbox.token("dora"),
    "carla": lambda workshop: workshop.sandbox.remove_member(workshop.id, STRANGER),
    "carla's selection": lambda workshop: workshop.sandbox.set_selection(workshop.id, STRANGER, [1]),
    "team 99": lambda workshop: workshop.sandbox.set_team_members(workshop.id, 99, []),
    "a design of team 99": lambda workshop: workshop.sandbox.add_design(workshop.id, 99, "First", [1]),
    "diagram 99": lambda workshop: workshop.sandbox.set_diagram(workshop.id, 99, cost_override=1),
    "a selection of diagram 99": lambda workshop: workshop.sandbox.set_selection(workshop.id, MEMBER, [1, 99]),
    "system 99": lambda workshop: workshop.sandbox.set_system(workshop.id, 99, cost=1),
    "an impact of system 99": lambda workshop: workshop.sandbox.impact(workshop.id, 99),
}


@pytest.mark.parametrize("call", CALLS_WITH_UNKNOWN_NAMES)
def test_an_unknown_user_team_diagram_or_system_is_named_in_the_error(call: str, with_diagram: Workshop) -> None:
    name = next(word for word in ("dora", "carla", "99") if word in call)
    with pytest.raises(InputError, match=name):
        CALLS_WITH_UNKNOWN_NAMES[call](with_diagram)


def test_the_error_for_an_unknown_user_lists_the_known_ones(workshop: Workshop) -> None:
    for method in (workshop.sandbox.token, workshop.sandbox.client, workshop.sandbox.revoke_tokens):
        with pytest.raises(InputError, match=f"dora.*{ADMINISTRATOR}.*{MEMBER}.*{STRANGER}"):
            method("dora")
