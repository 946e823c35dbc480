"""The service's costs equal those of the client's report for any project."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from any_costs import assert_same, fill
from archives import members_of, with_member, write_zip
from builders import line, square
from pygeodesign import InputError, Project, Sandbox
from small_project import ADMINISTRATOR, MEMBER, STRANGER, WATER, Workshop


def assert_all_the_same(project: Project, team: int, design: str) -> None:
    assert_same(project.service_costs(), project.costs())
    assert_same(project.member(MEMBER).service_costs(), project.costs(member=MEMBER))
    assert_same(project.design(design, team).service_costs(), project.costs(team=team, design=design))


@pytest.mark.parametrize("seed", range(3))
def test_the_figures_are_those_of_the_report_of_any_project(workshop: Workshop, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    ids = fill(workshop, chance)
    project = workshop.project
    project.diagram(ids.pop()).delete()
    project.member(MEMBER).set_selection(chance.sample(ids, 9))
    team = project.add_team("Coast")["id"]
    design = project.team(team).save("First", chance.sample(ids, 12))["id"]
    assert_all_the_same(project, team, design)
    assert project.service_costs()["unpriced"] > 0
    # A service that loads it has things that no drawing has: points, metres, bands around the Earth, other figures.
    project.archive(tmp_path / "as_drawn.zip")
    changed = with_unusual_diagrams(tmp_path / "as_drawn.zip", chance)
    with Sandbox(project=changed) as loaded:
        unusual = loaded.client().project(workshop.id)
        assert_all_the_same(unusual, team, design)
        assert len({row["area_problem"] for row in unusual.service_costs()["diagrams"]}) > 3


UNUSUAL: list[Any] = [
    {"type": "Point", "coordinates": [-9.1, 38.7]},
    square(500_000, 4_300_000, 100),
    {"type": "Polygon", "coordinates": [[[-180, 10], [0, 10], [180, 10], [180, 20], [0, 20], [-180, 20], [-180, 10]]]},
    line([-9.1, 38.7], [-9.1, 38.7]),
    {"type": "GeometryCollection", "geometries": [square(-9.1, 38.7, 0.01), line([-9.1, 38.7], [-9.2, 38.7])]},
    {"type": "Polygon", "coordinates": []},
]


def with_unusual_diagrams(archive: Path, chance: random.Random) -> Path:
    members = members_of(archive)
    name = next(name for name in members if name.endswith("diagrams/all.json"))
    diagrams = json.loads(members[name])
    unusual = iter(UNUSUAL)
    for row in diagrams:
        row |= chance.choice([{}, {"cost_override": None}, {"type": None}, {"area": 777.5, "length": 0}])
        if features := row["geojson"]["features"]:
            features[0]["geometry"] = next(unusual, features[0]["geometry"])
    path = archive.with_name("unusual.zip")
    return write_zip(path, with_member(members, name, json.dumps(diagrams).encode()))


def test_figures_follow_every_change(workshop: Workshop) -> None:
    project = workshop.project
    added = project.add_diagram(WATER, square(-9.15, 38.72, 0.002), title="Pond")
    before = project.service_costs()
    project.system(WATER).edit(cost=1)
    assert project.service_costs()["total"] == pytest.approx(before["total"] / 125_000)
    project.diagram(added.id).delete()
    assert project.service_costs()["total"] == 0


def test_only_members_are_told_the_costs_and_of_members_only(workshop: Workshop) -> None:
    assert workshop.send("GET", "costs/", user=STRANGER).status_code == 404
    assert workshop.send("GET", f"members/{STRANGER}/costs/", user=MEMBER).status_code == 403
    assert workshop.send("GET", "cteams/1/aaaaaaaaaaaaaaaa/costs/", user=ADMINISTRATOR).status_code == 404
    with pytest.raises(InputError):
        workshop.project.member("").service_costs()
