"""A user with a code creates a project, and finds in it what was asked for."""

from datetime import UTC, datetime
from typing import Any

import pytest

from fake_service import FakeService
from pygeodesign import Client, GeodesignError, InputError, NotFoundError, PermissionDeniedError, Project
from small_project import ADMINISTRATOR, MEMBER, STRANGER, Lisbon

PLUGIN = "0b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a10"
PORTO: dict[str, Any] = {
    "title": "Porto",
    "bounds": (-8.7, 41.1, -8.5, 41.2),
    "systems": [
        {"name": "Water", "tag": "WAT", "color": "#2B7BBA", "cost": 125_000, "description": "Rain and river"},
        {"name": "Green", "color": "#3b8f4e"},
    ],
}


def created(client: Client, **changes: Any) -> Project:
    """The project that comes of creating one."""
    client.create_project("FADO", **(PORTO | changes))
    latest = client.latest_project()
    assert latest is not None
    return client.project(latest["id"])


# What is created


def test_a_new_project_is_the_latest(lisbon: Lisbon) -> None:
    before = datetime.now(UTC).date().isoformat()
    info = created(lisbon.client(MEMBER), description="By the Douro").info()
    assert (info["projecttitle"], info["projectdesc"]) == ("Porto", "By the Douro")
    assert info["startdate"] in {before, datetime.now(UTC).date().isoformat()}
    assert (info["projecttype"], info["external_connection"]) == ("free", "none")
    assert [project["id"] for project in lisbon.client(MEMBER).projects()] == [lisbon.id, info["id"]]


def test_the_answer_names_the_project(lisbon: Lisbon) -> None:
    message = lisbon.client().create_project("FADO", **PORTO)
    assert lisbon.sandbox.project_ids[-1] in message
    assert len(lisbon.sandbox.project_ids[-1]) == 16


def test_its_creator_administers_it(lisbon: Lisbon) -> None:
    project = created(lisbon.client(MEMBER))
    assert project.members() == [{"username": MEMBER}]
    project.add_layer("https://tiles.example.org", server_type="other", layer_type="XYZ", layer_name="Relief")
    project.delete_layer(project.layers()[0]["id"])
    assert project.layers() == []


def test_nobody_else_sees_it(lisbon: Lisbon) -> None:
    project = created(lisbon.client(MEMBER))
    with pytest.raises(NotFoundError):
        lisbon.client(ADMINISTRATOR).project(project.id).info()


def test_it_has_its_systems(lisbon: Lisbon) -> None:
    project = created(lisbon.client())
    water, green = (project.system(system["id"]) for system in project.systems())
    assert (water["name"], water["tag"], water["color"]) == ("Water", "WAT", "#2B7BBA")
    assert (water["cost"], water["verbose_description"]) == (125_000, "Rain and river")
    assert (green["name"], green["tag"], green["color"]) == ("Green", "", "#3b8f4e")
    assert (green["cost"], green["budget"], green["current_ha"], green["target_ha"]) == (0, 0, 0, 0)


def test_its_systems_are_its_own(lisbon: Lisbon) -> None:
    ids = {system["id"] for system in created(lisbon.client()).systems()}
    assert ids.isdisjoint(system["id"] for system in lisbon.project.systems())


def test_it_begins_empty(lisbon: Lisbon) -> None:
    project = created(lisbon.client())
    assert (project.diagram_summaries(), project.tags(), project.plugins(), project.layers()) == ([], [], [], [])
    assert (len(project.boundaries()), len(project.constraints()), len(project.diagrams())) == (0, 0, 0)
    assert [len(project.evaluation(system["id"])) for system in project.systems()] == [0, 0]
    assert project.costs().total == 0


def test_it_has_its_tags(lisbon: Lisbon) -> None:
    tags = created(lisbon.client(), tags=[{"tag": "Água & Sombra", "code": "AS"}, {"tag": "Coast"}, "Quick win"]).tags()
    assert sorted((tag["tag"], tag["slug"], tag["code"], tag["diagrams"]) for tag in tags) == [
        ("Coast", "coast", "", []),
        ("Quick win", "quick-win", "", []),
        ("Água & Sombra", "água-sombra", "AS", []),
    ]


def test_the_codes_of_its_tags_are_each_of_one_tag(lisbon: Lisbon) -> None:
    with pytest.raises(GeodesignError, match="CO"):
        created(lisbon.client(), tags=[{"tag": "Coast", "code": "CO"}, {"tag": "Company", "code": "CO"}])
    assert lisbon.sandbox.project_ids == [lisbon.id]


def test_it_has_its_plugins(lisbon: Lisbon) -> None:
    lisbon.sandbox.add_plugin(PLUGIN, "Shadow study")
    project = created(lisbon.client(), plugins=[PLUGIN.upper()])
    assert project.plugins() == [{"id": PLUGIN, "description": "Shadow study"}]


def test_nine_systems_are_not_too_many(lisbon: Lisbon) -> None:
    systems = [{"name": f"System {number}", "color": "#000000"} for number in range(9)]
    assert [system["name"] for system in created(lisbon.client(), systems=systems).systems()] == [
        system["name"] for system in systems
    ]


# Where it lies


def test_its_bounds_come_back(lisbon: Lisbon) -> None:
    bounds = (-8.700000000000001, 41.1, -8.5, 41.199999999999996)
    assert created(lisbon.client(), bounds=bounds).bounds() == bounds


def test_its_bounds_may_be_text(lisbon: Lisbon) -> None:
    assert created(lisbon.client(), bounds="-8.7, 41.1,-8.5,41.2").bounds() == (-8.7, 41.1, -8.5, 41.2)


def test_its_centre_is_the_middle_of_its_bounds(lisbon: Lisbon) -> None:
    assert created(lisbon.client()).center() == pytest.approx((-8.6, 41.15))


def test_the_middle_of_bounds_across_the_antimeridian_lies_within_them(lisbon: Lisbon) -> None:
    project = created(lisbon.client(), bounds=(177.0, -19.0, -178.0, -16.0))
    assert project.bounds() == (177.0, -19.0, -178.0, -16.0)
    assert project.center() == (179.5, -17.5)


@pytest.mark.parametrize("center", [(-8.61, 41.15), "-8.61,41.15", (41.15, -8.61), "41.15, -8.61"])
def test_its_centre_is_understood_in_either_order(center: Any, lisbon: Lisbon) -> None:
    assert created(lisbon.client(), center=center).center() == (-8.61, 41.15)


def test_a_centre_outside_the_bounds_is_longitude_first(lisbon: Lisbon) -> None:
    assert created(lisbon.client(), center=(10, 20)).center() == (10, 20)


# What is sent


def test_a_description_travels_under_both_of_its_names() -> None:
    with FakeService(root={"projects/create/": {"message": "Made."}}) as service:
        assert service.client().create_project("FADO", **PORTO) == "Made."
        (body,) = service.sent
    assert body["systems"][0]["display"] == body["systems"][0]["verbose_description"] == "Rain and river"
    assert (body["map_bounds"], body["creation_code"], body["plugins"]) == ("-8.7,41.1,-8.5,41.2", "FADO", [])
    assert body["zoom_level"] == 10


@pytest.mark.parametrize("name", ["display", "verbose_description"])
def test_a_description_is_read_under_either_name(name: str, lisbon: Lisbon) -> None:
    body = {
        "creation_code": "FADO",
        "project_title": "Porto",
        "map_bounds": "-8.7,41.1,-8.5,41.2",
        "map_center": "-8.6,41.15",
        "zoom_level": 10,
        "systems": [{"name": "Water", "color": "#2B7BBA", name: "Rain and river"}],
    }
    assert lisbon.send_to("POST", "projects/create/", body).status_code == 201
    project = lisbon.client().project(lisbon.sandbox.project_ids[-1])
    assert project.systems()[0]["verbose_description"] == "Rain and river"


# Who may


def test_a_code_is_good_for_any_user_and_any_number_of_projects(lisbon: Lisbon) -> None:
    for user in (ADMINISTRATOR, MEMBER, STRANGER, STRANGER):
        lisbon.client(user).create_project("FADO", **PORTO)
    assert len(lisbon.sandbox.project_ids) == 5


@pytest.mark.parametrize("code", ["fado", "FADO ", "", "' OR 1=1 --"])
def test_an_unknown_code_is_denied(code: str, lisbon: Lisbon) -> None:
    with pytest.raises(PermissionDeniedError, match="creation code is not valid"):
        lisbon.client().create_project(code, **PORTO)
    assert lisbon.sandbox.project_ids == [lisbon.id]


def test_a_linked_project_says_that_it_is_linked(lisbon: Lisbon) -> None:
    lisbon.sandbox.add_linked_project("GPL-7")
    message = lisbon.client(MEMBER).create_linked_project("GPL-7", **PORTO)
    info = lisbon.client(MEMBER).latest_project()
    assert info is not None
    assert info["id"] in message
    assert info["external_connection"] == "igc"


@pytest.mark.parametrize("id", ["GPL-8", "", "FADO"])
def test_an_unknown_linked_project_is_denied(id: str, lisbon: Lisbon) -> None:
    lisbon.sandbox.add_linked_project("GPL-7")
    with pytest.raises(PermissionDeniedError, match="gpl_project_id is not valid"):
        lisbon.client().create_linked_project(id, **PORTO)


# What cannot be


SYSTEM = {"name": "Water", "color": "#2B7BBA"}
UNFIT: list[tuple[dict[str, Any], str]] = [
    ({"systems": [SYSTEM] * 10}, "10 systems are too many; a project has at most 9"),
    ({"systems": [SYSTEM, SYSTEM | {"color": "blue"}]}, r"systems\[1\].*#RRGGBB"),
    ({"systems": [SYSTEM | {"color": "#2B7BB"}]}, "#RRGGBB"),
    ({"systems": [SYSTEM | {"color": "2B7BBAF"}]}, "#RRGGBB"),
    ({"systems": [{"name": "Water"}]}, "color"),
    ({"systems": [SYSTEM | {"name": " "}]}, "name"),
    ({"systems": [SYSTEM | {"cost": 0.5}]}, "whole number"),
    ({"systems": [SYSTEM | {"cost": -1}]}, "less than 0"),
    ({"systems": [SYSTEM | {"cost": float("nan")}]}, r"systems\[0\]"),
    ({"systems": ["Water"]}, r"systems\[0\]"),
    ({"bounds": (1, 2, 3)}, "west, south, east, north"),
    ({"bounds": "1,2,3"}, "west,south,east,north"),
    ({"bounds": "here"}, "bounds"),
    ({"bounds": (0, 10, 10, 0)}, "no land"),
    ({"bounds": (0, 0, 0, 10)}, "no land"),
    ({"bounds": (-181, 0, 10, 10)}, "not on Earth"),
    ({"bounds": (485_000, 4_285_000, 486_000, 4_286_000)}, "not on Earth"),
    ({"bounds": (float("nan"), 0, 1, 1)}, "not on Earth"),
    ({"center": (0, 91)}, "not on Earth"),
    ({"center": "middle"}, "center"),
    ({"title": " "}, "title"),
    ({"zoom_level": 31}, "zoom"),
    ({"zoom_level": -1}, "zoom"),
    ({"tags": [{"tag": "A", "code": "A|B"}]}, r"\|"),
    ({"tags": ["A", ""]}, "empty"),
    ({"tags": [{"code": "A"}]}, r"tags\[0\]"),
    ({"tags": "Coast"}, "list"),
    ({"plugins": ["shadows"]}, "shadows"),
]


@pytest.mark.parametrize(("unfit", "says"), UNFIT, ids=str)
@pytest.mark.parametrize("create", [Client.create_project, Client.create_linked_project])
def test_what_cannot_be_is_an_input_error_and_nothing_is_sent(create: Any, unfit: Any, says: str) -> None:
    with FakeService() as service:
        with pytest.raises(InputError, match=says):
            create(service.client(), "FADO", **(PORTO | unfit))
        assert service.requests.total() == 0
