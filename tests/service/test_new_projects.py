"""A user with a creation code creates a project, which has the given title, systems, tags, bounds and plugins."""

from datetime import UTC, datetime
from typing import Any

import pytest

from fake_service import FakeService, Response
from pygeodesign import Client, DecodeError, GeodesignError, InputError, NotFoundError, PermissionDeniedError, Project
from small_project import ADMINISTRATOR, LINKED_PROJECT, MEMBER, SHADOWS, STRANGER, Workshop

PORTO: dict[str, Any] = {
    "title": "Porto",
    "bounds": (-8.7, 41.1, -8.5, 41.2),
    "systems": [
        {"name": "Water", "tag": "WAT", "color": "#2B7BBA", "cost": 125_000, "description": "Rain and river"},
        {"name": "Green", "color": "#3b8f4e"},
    ],
}


def create_project_with(client: Client, **changes: Any) -> Project:
    """Creates a project like `PORTO`, with these changes."""
    return client.project(client.create_project("FADO", **(PORTO | changes)))


# The new project


def test_a_new_project_is_the_latest_project_of_its_creator(workshop: Workshop) -> None:
    before = datetime.now(UTC).date().isoformat()
    info = create_project_with(workshop.client(MEMBER), description="By the Douro").info()
    assert (info["projecttitle"], info["projectdesc"]) == ("Porto", "By the Douro")
    assert info["startdate"] in {before, datetime.now(UTC).date().isoformat()}
    assert (info["projecttype"], info["external_connection"]) == ("free", "none")
    assert [project["id"] for project in workshop.client(MEMBER).projects()] == [workshop.id, info["id"]]
    assert workshop.client(MEMBER).latest_project() == info


def test_only_the_operator_needs_no_code_and_a_wrong_one_is_refused_to_all(workshop: Workshop) -> None:
    operator = workshop.operator()
    assert operator.project(operator.create_project("", **PORTO)).info()["projecttitle"] == "Porto"
    for client, code in ((operator, "MORNA"), (workshop.client(MEMBER), ""), (workshop.client(), "")):
        with pytest.raises(PermissionDeniedError, match="creation code"):
            client.create_project(code, **PORTO)


def test_creating_a_project_returns_its_id(workshop: Workshop) -> None:
    assert workshop.client().create_project("FADO", **PORTO) == workshop.sandbox.project_ids[-1]
    assert len(workshop.sandbox.project_ids[-1]) == 16


OLD, NEW, OTHER = ({"id": f"{name}Project".ljust(16, "0")} for name in ("Old", "New", "Other"))


def listed(*projects: Any) -> Response:
    return Response(list(projects), headers={"x-total-count": str(len(projects))})


def test_of_a_service_whose_message_has_no_id_the_one_project_more_is_the_new_one() -> None:
    lists = [listed(OLD), listed(OLD, NEW)]
    with FakeService(root={"projects/": lists, "projects/create/": {"message": "Made."}}) as service:
        assert service.client().create_project("FADO", **PORTO) == NEW["id"]


@pytest.mark.parametrize("after", [[OLD], [OLD, NEW, OTHER]], ids=["no project more", "two projects more"])
def test_an_id_that_the_service_does_not_tell_is_not_guessed(after: Any) -> None:
    lists = [listed(OLD), listed(*after)]
    with (
        FakeService(root={"projects/": lists, "projects/create/": {"message": "Made."}}) as service,
        pytest.raises(DecodeError, match=r'the project was created, but "Made\." does not contain its id'),
    ):
        service.client().create_project("FADO", **PORTO)


def test_the_creator_is_the_administrator_of_the_new_project(workshop: Workshop) -> None:
    project = create_project_with(workshop.client(MEMBER))
    assert project.members() == [{"username": MEMBER}]
    project.study_area.add_layer(
        "https://tiles.example.org", server_type="other", layer_type="XYZ", layer_name="Relief"
    )
    project.study_area.delete_layer(project.study_area.layers()[0]["id"])
    assert project.study_area.layers() == []


def test_other_users_do_not_find_the_new_project(workshop: Workshop) -> None:
    project = create_project_with(workshop.client(MEMBER))
    with pytest.raises(NotFoundError):
        workshop.client(ADMINISTRATOR).project(project.id).info()


def test_a_new_project_has_the_given_systems(workshop: Workshop) -> None:
    project = create_project_with(workshop.client())
    water, green = (project.system(system["id"]) for system in project.systems())
    assert (water["name"], water["tag"], water["color"]) == ("Water", "WAT", "#2B7BBA")
    assert (water["cost"], water["verbose_description"]) == (125_000, "Rain and river")
    assert (green["name"], green["tag"], green["color"]) == ("Green", "", "#3b8f4e")
    assert (green["cost"], green["budget"], green["current_ha"], green["target_ha"]) == (0, 0, 0, 0)


def test_the_systems_of_a_new_project_have_new_ids(workshop: Workshop) -> None:
    ids = {system["id"] for system in create_project_with(workshop.client()).systems()}
    assert ids.isdisjoint(system["id"] for system in workshop.project.systems())


def test_a_new_project_has_no_diagrams_tags_plugins_layers_and_maps(workshop: Workshop) -> None:
    project = create_project_with(workshop.client())
    assert (
        project.diagrams(fields="summary"),
        project.tags(),
        project.workshop.plugins(),
        project.study_area.layers(),
    ) == ([], [], [], [])
    assert (len(project.study_area.boundaries()), len(project.study_area.constraints()), len(project.diagrams())) == (
        0,
        0,
        0,
    )
    assert [len(project.system(system["id"]).evaluation()) for system in project.systems()] == [0, 0]
    assert project.costs().total == 0


def test_a_new_project_has_the_given_tags(workshop: Workshop) -> None:
    tags = create_project_with(
        workshop.client(), tags=[{"tag": "Água & Sombra", "code": "AS"}, {"tag": "Coast"}, "Quick win"]
    ).tags()
    assert sorted((tag["tag"], tag["slug"], tag["code"], tag["diagrams"]) for tag in tags) == [
        ("Coast", "coast", "", []),
        ("Quick win", "quick-win", "", []),
        ("Água & Sombra", "água-sombra", "AS", []),
    ]


def test_two_new_tags_with_the_same_code_are_an_error(workshop: Workshop) -> None:
    with pytest.raises(GeodesignError, match="CO"):
        create_project_with(workshop.client(), tags=[{"tag": "Coast", "code": "CO"}, {"tag": "Company", "code": "CO"}])
    assert workshop.sandbox.project_ids == [workshop.id]


def test_a_new_project_has_the_given_plugins(workshop: Workshop) -> None:
    project = create_project_with(workshop.client(), plugins=[SHADOWS.upper()])
    assert project.workshop.plugins() == [{"id": SHADOWS, "description": "Shadow study"}]


def test_a_new_project_may_have_nine_systems(workshop: Workshop) -> None:
    systems = [{"name": f"System {number}", "color": "#000000"} for number in range(9)]
    assert [system["name"] for system in create_project_with(workshop.client(), systems=systems).systems()] == [
        system["name"] for system in systems
    ]


# Bounds and centre


def test_the_bounds_are_returned_unchanged(workshop: Workshop) -> None:
    bounds = (-8.700000000000001, 41.1, -8.5, 41.199999999999996)
    assert create_project_with(workshop.client(), bounds=bounds).study_area.bounds() == bounds


def test_the_bounds_may_be_text(workshop: Workshop) -> None:
    assert create_project_with(workshop.client(), bounds="-8.7, 41.1,-8.5,41.2").study_area.bounds() == (
        -8.7,
        41.1,
        -8.5,
        41.2,
    )


def test_the_default_centre_is_the_middle_of_the_bounds(workshop: Workshop) -> None:
    assert create_project_with(workshop.client()).study_area.center() == pytest.approx((-8.6, 41.15))


def test_the_middle_of_bounds_across_the_antimeridian_is_inside_of_them(workshop: Workshop) -> None:
    project = create_project_with(workshop.client(), bounds=(177.0, -19.0, -178.0, -16.0))
    assert project.study_area.bounds() == (177.0, -19.0, -178.0, -16.0)
    assert project.study_area.center() == (179.5, -17.5)


@pytest.mark.parametrize("center", [(-8.61, 41.15), "-8.61,41.15", (41.15, -8.61), "41.15, -8.61"])
def test_a_centre_may_be_longitude_first_or_latitude_first(center: Any, workshop: Workshop) -> None:
    assert create_project_with(workshop.client(), center=center).study_area.center() == (-8.61, 41.15)


def test_a_centre_outside_of_the_bounds_is_read_as_longitude_first(workshop: Workshop) -> None:
    assert create_project_with(workshop.client(), center=(10, 20)).study_area.center() == (10, 20)


# Request body


def test_the_description_of_a_system_is_sent_in_both_of_its_fields() -> None:
    message = {"message": f"Made; its id is {NEW['id']}."}
    with FakeService(root={"projects/": [], "projects/create/": message}) as service:
        assert service.client().create_project("FADO", **PORTO) == NEW["id"]
        (body,) = service.sent
    assert body["systems"][0]["display"] == body["systems"][0]["verbose_description"] == "Rain and river"
    assert (body["map_bounds"], body["creation_code"], body["plugins"]) == ("-8.7,41.1,-8.5,41.2", "FADO", [])
    assert body["zoom_level"] == 10


@pytest.mark.parametrize("name", ["display", "verbose_description"])
def test_the_service_reads_the_description_of_a_system_from_either_field(name: str, workshop: Workshop) -> None:
    body = {
        "creation_code": "FADO",
        "project_title": "Porto",
        "map_bounds": "-8.7,41.1,-8.5,41.2",
        "map_center": "-8.6,41.15",
        "zoom_level": 10,
        "systems": [{"name": "Water", "color": "#2B7BBA", name: "Rain and river"}],
    }
    assert workshop.send_to("POST", "projects/create/", body).status_code == 201
    project = workshop.client().project(workshop.sandbox.project_ids[-1])
    assert project.systems()[0]["verbose_description"] == "Rain and river"


# Creation codes


def test_any_user_can_use_a_creation_code_any_number_of_times(workshop: Workshop) -> None:
    for user in (ADMINISTRATOR, MEMBER, STRANGER, STRANGER):
        workshop.client(user).create_project("FADO", **PORTO)
    assert len(workshop.sandbox.project_ids) == 5


@pytest.mark.parametrize("code", ["fado", "FADO ", "", "' OR 1=1 --"])
def test_an_unknown_creation_code_is_denied(code: str, workshop: Workshop) -> None:
    with pytest.raises(PermissionDeniedError, match="creation code is not valid"):
        workshop.client().create_project(code, **PORTO)
    assert workshop.sandbox.project_ids == [workshop.id]


def test_a_linked_project_has_an_external_connection(workshop: Workshop) -> None:
    created = workshop.client(MEMBER).create_linked_project(LINKED_PROJECT, **PORTO)
    info = workshop.client(MEMBER).project(created).info()
    assert info["external_connection"] == "esri"


@pytest.mark.parametrize("id", ["GPL-8", "", "FADO"])
def test_an_unknown_linked_project_id_is_denied(id: str, workshop: Workshop) -> None:
    with pytest.raises(PermissionDeniedError, match="gpl_project_id is not valid"):
        workshop.client().create_linked_project(id, **PORTO)


# Invalid arguments


SYSTEM = {"name": "Water", "color": "#2B7BBA"}
INVALID: list[tuple[dict[str, Any], str]] = [
    ({"systems": [SYSTEM] * 10}, "10 systems are too many; a project can have at most 9"),
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


@pytest.mark.parametrize(("invalid", "expected"), INVALID, ids=str)
@pytest.mark.parametrize("create", [Client.create_project, Client.create_linked_project])
def test_an_invalid_argument_is_an_input_error_and_nothing_is_sent(create: Any, invalid: Any, expected: str) -> None:
    with FakeService() as service:
        with pytest.raises(InputError, match=expected):
            create(service.client(), "FADO", **(PORTO | invalid))
        assert service.requests.total() == 0
