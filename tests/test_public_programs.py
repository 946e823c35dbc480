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
