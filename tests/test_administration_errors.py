"""Whoever runs the service is told what is not there, and what is."""

from collections.abc import Callable

import pytest

from builders import square
from pygeodesign import InputError, Sandbox
from small_project import ADMINISTRATOR, MEMBER, STRANGER, WATER, Lisbon

AREA = square(-9.15, 38.71, 0.01)
NOWHERE = "Nowhere000000000"


@pytest.fixture
def drawn(lisbon: Lisbon) -> Lisbon:
    """With the diagram 1."""
    lisbon.project.add_diagram(WATER, AREA, title="Pond")
    return lisbon


OF_A_PROJECT: dict[str, Callable[[Sandbox, str], object]] = {
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


@pytest.mark.parametrize("operation", OF_A_PROJECT)
def test_an_unknown_project_is_told_which_are_known(operation: str, lisbon: Lisbon) -> None:
    with pytest.raises(InputError, match=f"{NOWHERE}.*{lisbon.id}"):
        OF_A_PROJECT[operation](lisbon.sandbox, NOWHERE)


@pytest.mark.parametrize("operation", OF_A_PROJECT)
def test_what_is_no_project_id_is_an_input_error(operation: str, lisbon: Lisbon) -> None:
    with pytest.raises(InputError, match="Lisbon"):
        OF_A_PROJECT[operation](lisbon.sandbox, "Lisbon")


OF_NOTHING: dict[str, Callable[[Lisbon], object]] = {
    "dora": lambda lisbon: lisbon.sandbox.revoke_tokens("dora"),
    "dora again": lambda lisbon: lisbon.sandbox.token("dora"),
    "carla": lambda lisbon: lisbon.sandbox.remove_member(lisbon.id, STRANGER),
    "carla's selection": lambda lisbon: lisbon.sandbox.set_selection(lisbon.id, STRANGER, [1]),
    "team 99": lambda lisbon: lisbon.sandbox.set_team_members(lisbon.id, 99, []),
    "a design of team 99": lambda lisbon: lisbon.sandbox.add_design(lisbon.id, 99, "First", [1]),
    "diagram 99": lambda lisbon: lisbon.sandbox.set_diagram(lisbon.id, 99, cost_override=1),
    "a selection of diagram 99": lambda lisbon: lisbon.sandbox.set_selection(lisbon.id, MEMBER, [1, 99]),
    "system 99": lambda lisbon: lisbon.sandbox.set_system(lisbon.id, 99, cost=1),
    "an impact of system 99": lambda lisbon: lisbon.sandbox.impact(lisbon.id, 99),
}


@pytest.mark.parametrize("nothing", OF_NOTHING)
def test_what_is_not_there_is_named(nothing: str, drawn: Lisbon) -> None:
    name = next(word for word in ("dora", "carla", "99") if word in nothing)
    with pytest.raises(InputError, match=name):
        OF_NOTHING[nothing](drawn)


def test_an_unknown_user_is_told_who_is_known(lisbon: Lisbon) -> None:
    for ask in (lisbon.sandbox.token, lisbon.sandbox.client, lisbon.sandbox.revoke_tokens):
        with pytest.raises(InputError, match=f"dora.*{ADMINISTRATOR}.*{MEMBER}.*{STRANGER}"):
            ask("dora")
