"""Projects from elsewhere that would exhaust a comparison's time or memory."""

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

import pygeodesign
from archives import members_of, with_member, write_zip
from builders import square
from pygeodesign import InputError, Project
from small_project import WATER, running_workshop

Members = dict[str, bytes]


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Members:
    path = tmp_path_factory.mktemp("small") / "small.zip"
    with running_workshop() as workshop:
        workshop.project.add_diagram(WATER, square(-9.2, 38.7, 0.01), title="Rain garden")
        workshop.project.archive(path, progress=False)
    return members_of(path)


def with_geometry(members: Members, geometry: dict[str, Any], folder: Path) -> Project:
    """The project with another geometry for its only diagram."""
    rows = json.loads(members["diagrams/all.json"])
    rows[0]["geojson"]["features"][0]["geometry"] = geometry
    hostile = with_member(members, "diagrams/all.json", json.dumps(rows).encode())
    return pygeodesign.open(write_zip(folder / "hostile.zip", hostile))


def with_systems(members: Members, count: int, folder: Path, **fields: Any) -> Project:
    first, *_ = json.loads(members["systems.json"])
    systems = [{**first, "id": first["id"] + number, "name": f"System {number}", **fields} for number in range(count)]
    hostile = with_member(members, "systems.json", json.dumps(systems).encode())
    return pygeodesign.open(write_zip(folder / "hostile.zip", hostile))


def scribble(corners: int) -> dict[str, Any]:
    """A polygon whose edges cross each other everywhere."""
    choose = random.Random(0)
    ring = [[round(choose.uniform(-9.3, -9.1), 6), round(choose.uniform(38.6, 38.8), 6)] for _ in range(corners)]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def strips(count: int) -> dict[str, Any]:
    """Polygons from pole to pole."""
    rings = [
        [[west, -90], [west + 5, -90], [west + 5, 90], [west, 90], [west, -90]] for west in range(0, 10 * count, 10)
    ]
    return {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]}


@pytest.mark.parametrize(
    ("geometry", "message"),
    [(scribble(3_000), "cross or meet in about .* too many"), (strips(3), "their geodesics have .* allows 5,000,000")],
    ids=["scribble", "strips"],
)
def test_land_that_no_overlay_of_would_end_is_refused_at_once(
    geometry: dict[str, Any], message: str, members: Members, tmp_path: Path
) -> None:
    project = with_geometry(members, geometry, tmp_path)
    comparison = project.compare({"one": [row["id"] for row in project.diagrams(fields="summary")]})
    started = time.monotonic()
    with pytest.raises(InputError, match=message):
        comparison.consensus(progress=False)
    assert time.monotonic() - started < 5


def test_land_that_is_not_on_the_earth_is_nowhere(members: Members, tmp_path: Path) -> None:
    ring = [[1e308, 0], [-1e308, 1e308], [1e300, -1e308], [1e308, 0]]
    project = with_geometry(members, {"type": "Polygon", "coordinates": [ring]}, tmp_path)
    comparison = project.compare({"one": [row["id"] for row in project.diagrams(fields="summary")]})
    assert comparison.consensus(progress=False).empty


def test_a_project_of_very_many_systems_is_not_compared(members: Members, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1,001 systems; at most 1,000"):
        with_systems(members, 1_001, tmp_path).compare()


def test_a_report_has_at_most_a_hundred_designs(members: Members, tmp_path: Path) -> None:
    project = pygeodesign.open(write_zip(tmp_path / "small.zip", members))
    comparison = project.compare({f"{number}": [] for number in range(101)})
    with pytest.raises(InputError, match="101 designs; a report, with each pair of them, takes at most 100"):
        comparison.to_html()


def test_a_cost_beyond_all_numbers_is_not_known_in_a_report(members: Members, tmp_path: Path) -> None:
    page = with_systems(members, 2, tmp_path, cost=1e308).compare().to_html()
    assert page is not None and "not known" in page


def test_diagrams_of_a_system_that_is_not_listed_are_compared_with_the_others(members: Members, tmp_path: Path) -> None:
    systems = [system for system in json.loads(members["systems.json"]) if system["id"] != WATER]
    hostile = with_member(members, "systems.json", json.dumps(systems).encode())
    project = pygeodesign.open(write_zip(tmp_path / "hostile.zip", hostile))
    with pytest.warns(UserWarning, match="bad row"):
        comparison = project.compare({"one": [row["id"] for row in project.diagrams(fields="summary")]})
    assert comparison.suitability()["land_ha"].gt(0).all()
    assert comparison.to_html()
