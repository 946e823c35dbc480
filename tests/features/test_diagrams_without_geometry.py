"""Diagrams without geometry have the system's fields that other diagrams get from their features."""

import pickle
from typing import Any

import pytest

from builders import Json, diagram, feature, square
from fake_service import FakeService, Response
from pygeodesign import FeatureCollection, Project, ServerError

LABELS = ["sysname", "systag", "color", "areatype"]
DRAWN = {"sysname": "Water", "systag": "WAT", "color": "#0000ff", "areatype": "project"}
WATER, ENERGY = {"id": 1, "name": "Water", "color": "#0000ff"}, {"id": 2, "sysname": "Energy", "syscolor": "#ff0000"}


def labels(diagrams: FeatureCollection) -> list[list[Any]]:
    rows = [[row[name] for name in LABELS] for row in diagrams.to_arrow().to_pylist()]
    assert rows == [[feature["properties"][name] for name in LABELS] for feature in diagrams]
    return rows


def read(*diagrams: Json, systems: Any = (WATER, ENERGY)) -> FeatureCollection:
    below = {"diagrams/all/": list(diagrams)}
    answer = systems if isinstance(systems, Response) else list(systems)
    with FakeService(below | {"systems/": answer}) as service:
        return service.project(retries=0).diagrams()


def test_grouping_by_system_counts_every_diagram(project: Project) -> None:
    frame = project.diagrams().to_geopandas()
    assert frame.geometry.isna().any()
    assert not frame[LABELS].isna().any().any()
    counts = frame.groupby("sysname")["diagramid"].nunique().to_dict()
    assert counts == {system["name"]: system["diagrams"] for system in project.costs().systems}


def test_the_values_are_those_of_the_list_of_systems_and_of_the_other_diagrams() -> None:
    with pytest.warns(UserWarning, match="diagram 4: sysid is 3, a system that the project does not list"):
        diagrams = read(
            diagram(1, type="policy", sysid=1),
            diagram(2, feature(square(0, 0, 1), **DRAWN)),
            diagram(3, type="Project", sysid=2),
            diagram(4, sysid=3),
        )
    assert labels(diagrams) == [
        ["Water", "WAT", "#0000ff", "policy"],
        ["Water", "WAT", "#0000ff", "project"],
        ["Energy", None, "#ff0000", "project"],
        [None, None, None, None],
    ]


def test_a_value_that_is_there_stays() -> None:
    own = {"sysname": "Lakes", "systag": "LAK", "color": "#123456", "areatype": "policy"}
    assert labels(read(diagram(1, type="project", **own))) == [list(own.values())]


def test_features_with_geometry_stay_as_they_are() -> None:
    assert labels(read(diagram(1, feature(square(0, 0, 1)), type="project"))) == [[None] * 4]


def test_a_copy_keeps_the_values() -> None:
    diagrams = read(diagram(1, type="policy"))
    twin = pickle.loads(pickle.dumps(diagrams))
    assert labels(twin) == labels(diagrams) == [["Water", None, "#0000ff", "policy"]]


def test_a_service_without_a_list_of_systems_leaves_the_values_open() -> None:
    diagrams = read(diagram(1, type="policy"), systems=Response({"detail": "none"}, 404))
    assert labels(diagrams) == [[None, None, None, "policy"]]


def test_a_list_of_systems_that_fails_is_an_error_only_if_it_is_needed() -> None:
    broken = Response({"detail": "broken"}, 500)
    assert len(read(diagram(1, feature(square(0, 0, 1), **DRAWN)), systems=broken)) == 1
    with pytest.raises(ServerError, match="systems"):
        read(diagram(1), systems=broken)
