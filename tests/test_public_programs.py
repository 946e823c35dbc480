"""The service answers what programs written for the public platform read, and takes what they send."""

from typing import Any

import pytest

from pygeodesign import Project
from wire import Wire

# Systems

PREFIXED = {"name": "sysname", "color": "syscolor"}
PREFIXED_FIGURES = PREFIXED | {"tag": "systag", "cost": "syscost", "budget": "sysbudget"}


def test_a_system_in_the_list_has_its_fields_with_and_without_prefix(wire: Wire) -> None:
    for system in wire.json("systems/"):
        assert all(system[plain] == system[prefixed] for plain, prefixed in PREFIXED.items()), system


def test_a_system_has_its_figures_with_and_without_prefix(wire: Wire) -> None:
    system = wire.json("systems/1/")
    assert all(system[plain] == system[prefixed] for plain, prefixed in PREFIXED_FIGURES.items()), system


def test_a_dict_of_a_system_has_each_field_once(project: Project) -> None:
    fields = {"id", "name", "color", "verbose_description", "tag", "cost", "budget", "current_ha", "target_ha"}
    assert {frozenset(system) for system in (*project.systems(), project.system(1))} == {frozenset(fields)}


# Numbers


def whole_floats(value: Any, at: str = "answer") -> list[str]:
    """Where numbers such as 1.0 stand. Coordinates and what members made up are left out."""
    if isinstance(value, dict):
        inner = [(f"{at}.{key}", item) for key, item in value.items() if key not in ("geometry", "additional_metadata")]
        return [place for name, item in inner for place in whole_floats(item, name)]
    if isinstance(value, list):
        return [place for item in value for place in whole_floats(item, at)]
    return [at] if isinstance(value, float) and value.is_integer() else []


@pytest.mark.parametrize(
    "path", ["systems/1/", "diagrams/all/", "diagrams/all/details/", "diagrams/1001/", "constraints/"]
)
def test_a_whole_cost_area_or_length_is_an_integer(path: str, wire: Wire) -> None:
    assert {place for place in whole_floats(wire.json(path)) if "volume_information" not in place} == set()


def test_the_figures_in_a_dict_stay_floats(project: Project) -> None:
    system = project.system(1)
    assert {type(system[figure]) for figure in ("cost", "budget", "current_ha", "target_ha")} == {float}
    assert {type(diagram["cost_override"]) for diagram in project.diagram_details()} == {float}
