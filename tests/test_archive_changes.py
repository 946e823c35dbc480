"""What changed in a project between two archives."""

import json
from pathlib import Path

import pytest

from archives import members_of, with_member, write_zip
from builders import square
from pygeodesign import InputError, Project, Sandbox, compare_archives
from small_project import WATER, Workshop


@pytest.fixture
def project(workshop: Workshop) -> Project:
    return workshop.project


@pytest.fixture
def monday(project: Project, tmp_path: Path) -> Path:
    """An archive of a project with two diagrams."""
    for title in ("Pond", "Canal"):
        project.add_diagram(WATER, square(-9.2, 38.7, 0.01), title=title)
    project.archive(tmp_path / "monday.zip", progress=False)
    return tmp_path / "monday.zip"


def test_an_archive_is_like_itself(monday: Path) -> None:
    changes = compare_archives(monday, monday)
    assert (changes.added, changes.removed, changes.moved, changes.retitled, changes.repriced) == ([], [], [], [], [])
    assert changes.total_before == changes.total_after


def test_new_and_retitled_diagrams_are_named(monday: Path, project: Project) -> None:
    pond = min(row["id"] for row in project.diagrams(fields="details"))
    project.diagram(pond).update(additional_metadata={}, title="Lake")
    added = project.add_diagram(WATER, square(-9.15, 38.72, 0.01), title="Reservoir")
    changes = compare_archives(monday, project)
    assert changes.retitled == [pond]
    assert changes.added == [int(added.id)]
    assert compare_archives(project, monday).removed == changes.added


def test_a_diagram_with_another_geometry_is_moved_and_repriced(monday: Path, tmp_path: Path) -> None:
    members = members_of(monday)
    diagrams = json.loads(members["diagrams/all.json"])
    diagrams[0]["geojson"]["features"][0]["geometry"] = square(-9.1, 38.7, 0.02)
    moved = with_member(members, "diagrams/all.json", json.dumps(diagrams).encode())
    changes = compare_archives(monday, write_zip(tmp_path / "tuesday.zip", moved))
    assert changes.moved == changes.repriced == [diagrams[0]["id"]]


def test_another_rate_reprices_the_diagrams_of_the_system(monday: Path, project: Project, workshop: Workshop) -> None:
    rate = project.system(WATER)["cost"]
    assert rate
    project.system(WATER).edit(cost=2 * rate)
    changes = compare_archives(monday, project)
    assert len(changes.repriced) == 2
    water = next(system for system in changes.systems if system["sysid"] == WATER)
    assert water["cost_before"] and water["cost_after"] == pytest.approx(2 * water["cost_before"], rel=1e-12)
    assert (changes.total_before, changes.total_after) == (water["cost_before"], water["cost_after"])


def test_two_projects_are_not_compared(monday: Path) -> None:
    with Sandbox() as sandbox, pytest.raises(InputError, match="two projects"):
        compare_archives(monday, sandbox.client().project(sandbox.project_ids[0]))
