"""Quantities of systems, such as homes, and storeys of diagrams: kept by the project, refused, and brought along."""

import json
from pathlib import Path
from typing import Any

import pytest

from builders import collection, feature, square
from ogc import Ogc
from pygeodesign import PermissionDeniedError, Sandbox
from small_project import ADMINISTRATOR, MEMBER, WATER, Workshop

HOMES: Any = {"amount": 0.0125, "per": "floor_m2", "target": 300.0}
JOBS: Any = {"amount": 40.0, "per": "hectare"}


def test_a_new_project_has_none(workshop: Workshop) -> None:
    assert workshop.project.quantities() == {}
    assert all("quantities" not in row for row in workshop.send("GET", "systems/").json())


def test_an_edit_leaves_other_quantities_as_they_are_and_null_removes_one(workshop: Workshop) -> None:
    for change in ({"homes": HOMES}, {"jobs": JOBS}, {"homes": None}):
        assert workshop.send("PATCH", f"systems/{WATER}/", {"quantities": change}).status_code == 200
    assert workshop.project.quantities() == {"Water": {"jobs": JOBS}}
    assert workshop.send("PATCH", f"systems/{WATER}/", {"cost": 3}).json()["quantities"] == {"jobs": JOBS}


@pytest.mark.parametrize(
    ("quantity", "reason"),
    [
        (HOMES | {"amount": None}, "amount"),
        (HOMES | {"per": "acre"}, "per"),
        (HOMES | {"target": 0}, "target"),
        (HOMES | {"unit": "m"}, "unit"),
        ([], "quantities"),
    ],
)
def test_unfit_quantities_are_refused_with_the_name_of_the_field(
    quantity: Any, reason: str, workshop: Workshop
) -> None:
    response = workshop.send("PATCH", f"systems/{WATER}/", {"quantities": {"homes": quantity}})
    assert response.status_code == 400 and reason in response.text
    assert workshop.project.quantities() == {}


def test_only_administrators_set_them(workshop: Workshop) -> None:
    with pytest.raises(PermissionDeniedError):
        workshop.project_of(MEMBER).set_quantities({"Water": {"homes": HOMES}})


def test_the_history_says_what_changed(workshop: Workshop) -> None:
    before = workshop.send("GET", "changeid/").json()
    workshop.project.set_quantities({"Water": {"homes": HOMES}})
    entry = workshop.project.history()[0]
    assert "homes: 0.0125 per m² of floor, target 300" in str(entry["after"]) and "homes" not in str(entry["before"])
    assert workshop.send("GET", "changeid/").json() != before


def test_a_copy_brings_its_quantities_home(workshop: Workshop, tmp_path: Path) -> None:
    workshop.project.set_quantities({"Water": {"homes": HOMES, "jobs": JOBS}})
    path = tmp_path / "copy.zip"
    workshop.project.archive(path, progress=False)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(workshop.id)
        assert copy.quantities() == workshop.project.quantities()
        copy.set_quantities({"Water": {"homes": None, "jobs": JOBS | {"amount": 50.0}}})
        copy.add_system("Energy", "#F28E2B")
        copy.set_quantities({"Energy": {"jobs": JOBS}})
        copy.archive(path, progress=False)
        assert workshop.project.merge(path)["complete"]
        assert workshop.project.quantities() == copy.quantities()


def test_quantities_that_both_sides_changed_are_a_conflict(workshop: Workshop, tmp_path: Path) -> None:
    path = tmp_path / "copy.zip"
    workshop.project.archive(path, progress=False)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(workshop.id)
        copy.set_quantities({"Water": {"homes": HOMES}})
        copy.archive(path, progress=False)
    workshop.project.set_quantities({"Water": {"jobs": JOBS}})
    (conflict,) = workshop.project.merge(path)["conflicts"]
    assert conflict["kind"] == "system" and "quantities" in conflict["fields"]
    workshop.project.merge(path, prefer="archive")
    assert workshop.project.quantities() == {"Water": {"homes": HOMES}}


def test_a_setup_file_has_them(tmp_path: Path) -> None:
    project = {
        "title": "Lisbon",
        "administrators": ["ana"],
        "boundaries": {"geojson": collection(feature(square(-9.2, 38.7, 0.1)))},
        "systems": [{"name": "Water", "color": "#2B7BBA", "quantities": {"homes": HOMES}}],
    }
    path = tmp_path / "setup.json"
    path.write_text(json.dumps({"users": ["ana"], "new_projects": [project]}), encoding="utf-8")
    with Sandbox(project=None, setup=path) as sandbox:
        assert sandbox.client("ana").project(sandbox.project_ids[0]).quantities() == {"Water": {"homes": HOMES}}


def test_storeys_are_fields_of_gis(workshop: Workshop) -> None:
    land = {"type": "Polygon", "coordinates": square(-9.15, 38.72, 0.001)["coordinates"]}
    data = {"storeys_above_ground": 5, "storeys_below_ground": -1}
    workshop.project.add_diagram(WATER, land, title="Blocks", building_data=data)
    (item,) = Ogc(workshop.sandbox, ADMINISTRATOR).json(f"/collections/{workshop.id}.diagrams/items")["features"]
    assert (item["properties"]["storeys_above_ground"], item["properties"]["storeys_below_ground"]) == (5, -1)
