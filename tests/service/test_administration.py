"""Members read settings by an administrator of the project, and decisions by the operator of the service."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import geopandas as gpd
import pytest
import requests

from builders import collection, feature, line, square
from diagram_lists import diagram_ids
from pygeodesign import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    Client,
    InputError,
    NotFoundError,
    PermissionDeniedError,
    Sandbox,
)
from pygeodesign.types import NewMember
from small_project import (
    ADMINISTRATOR,
    GREEN,
    MEMBER,
    SHADOWS,
    STRANGER,
    SYSTEMS,
    WATER,
    Workshop,
    running_workshop,
)

AREA = square(-9.15, 38.71, 0.01)


@pytest.fixture
def with_diagrams(workshop: Workshop) -> Workshop:
    """The workshop with three diagrams: project 1 and policy 2 in the system "Water", project 3 in "Green"."""
    workshop.project.add_diagram(WATER, AREA, title="Pond")
    workshop.project.add_diagram(WATER, AREA, title="Rule", kind="policy")
    workshop.project.add_diagram(GREEN, AREA, title="Park")
    return workshop


# Users and tokens


def test_adding_a_user_again_changes_nothing(workshop: Workshop) -> None:
    token = workshop.sandbox.token(MEMBER)
    workshop.sandbox.add_user("dora.vaz")
    workshop.sandbox.add_user(MEMBER)
    assert workshop.sandbox.usernames == [ADMINISTRATOR, MEMBER, STRANGER, "dora.vaz"]
    assert Client(token, workshop.sandbox.url).projects()
    assert workshop.client("dora.vaz").projects() == []


@pytest.mark.parametrize("name", ["Zoë Müller", "o'brien", "a/b?c", "名前", "x" * 150])
def test_a_user_name_may_have_any_characters_and_150_of_them(name: str, with_diagrams: Workshop) -> None:
    with_diagrams.sandbox.add_user(name)
    with_diagrams.project.add_member(name)
    with_diagrams.project.member(name).set_selection([1])
    assert name in [member["username"] for member in with_diagrams.project.members()]
    assert diagram_ids(with_diagrams.project_of(name).member(name).selection()) == [1]


@pytest.mark.parametrize("name", ["", "x" * 151])
def test_an_empty_or_longer_user_name_is_rejected(name: str, workshop: Workshop) -> None:
    with pytest.raises(InputError):
        workshop.sandbox.add_user(name)


def test_a_token_with_a_lifetime_is_a_new_token_each_time(workshop: Workshop) -> None:
    tokens = {workshop.sandbox.token(MEMBER), *(workshop.sandbox.token(MEMBER, lifetime=60) for _ in range(2))}
    assert len(tokens) == 3
    for token in tokens:
        assert Client(token, workshop.sandbox.url).latest_project()


@pytest.mark.parametrize("lifetime", [timedelta(minutes=5), 300, 0.5e9, timedelta(days=3650)], ids=str)
def test_a_token_is_valid_during_its_lifetime(lifetime: Any, workshop: Workshop) -> None:
    assert Client(workshop.sandbox.token(MEMBER, lifetime=lifetime), workshop.sandbox.url).projects()


@pytest.mark.parametrize("lifetime", [0, -1, timedelta(seconds=-1), timedelta(0), -0.5], ids=str)
def test_an_expired_token_is_rejected(lifetime: Any, workshop: Workshop) -> None:
    token = workshop.sandbox.token(MEMBER, lifetime=lifetime)
    with pytest.raises(AuthenticationError):
        Client(token, workshop.sandbox.url).projects()
    response = requests.get(workshop.sandbox.url + "projects/", headers={"Authorization": f"Token {token}"}, timeout=20)
    assert (response.status_code, response.headers["www-authenticate"]) == (401, "Token")


@pytest.mark.parametrize("lifetime", [float("inf"), float("nan"), timedelta.max, "a week"], ids=str)
def test_an_invalid_lifetime_is_an_error(lifetime: Any, workshop: Workshop) -> None:
    with pytest.raises((InputError, TypeError)):
        workshop.sandbox.token(MEMBER, lifetime=lifetime)


def test_withdrawing_tokens_of_a_user_ends_those_of_no_other(workshop: Workshop) -> None:
    tokens = [workshop.sandbox.token(MEMBER), workshop.sandbox.token(MEMBER, lifetime=60)]
    workshop.withdraw_tokens(MEMBER)
    for token in tokens:
        with pytest.raises(AuthenticationError):
            Client(token, workshop.sandbox.url).projects()
    assert workshop.client(MEMBER).projects()
    assert workshop.client(ADMINISTRATOR).projects()


def remove_user(workshop: Workshop, username: str) -> None:
    workshop.sandbox.remove_user(username)


@pytest.mark.parametrize("remove", [Workshop.withdraw_tokens, remove_user])
def test_a_token_ends_at_once_on_a_connection_that_is_open(
    remove: Callable[[Workshop, str], None], workshop: Workshop
) -> None:
    with requests.Session() as connection:
        connection.headers["Authorization"] = f"Token {workshop.sandbox.token(MEMBER)}"
        url = f"{workshop.sandbox.url}projects/{workshop.id}/"
        assert connection.get(url, timeout=20).status_code == 200
        remove(workshop, MEMBER)
        assert connection.get(url, timeout=20).status_code == 401


@pytest.mark.parametrize("remove", [Workshop.withdraw_tokens, remove_user])
def test_a_write_whose_token_ends_before_its_body_has_arrived_changes_nothing(
    remove: Callable[[Workshop, str], None], workshop: Workshop
) -> None:
    authorization = f"Token {workshop.sandbox.token(MEMBER)}"

    def body() -> Iterator[bytes]:
        yield b'["Anglers", '
        # The service has accepted the token and reads the body.
        time.sleep(0.2)
        remove(workshop, MEMBER)
        yield b'"Cyclists"]'

    url = f"{workshop.sandbox.url}projects/{workshop.id}/stakeholders/"
    response = requests.post(url, data=body(), headers={"Authorization": authorization}, timeout=20)
    assert response.status_code == 401
    assert workshop.project.workshop.stakeholders() == []


def test_the_diagrams_of_a_removed_user_keep_their_author(with_diagrams: Workshop) -> None:
    with_diagrams.project_of(MEMBER).add_diagram(WATER, AREA, title="By the member")
    with_diagrams.project.member(MEMBER).set_selection([1])
    with_diagrams.sandbox.remove_user(MEMBER)
    assert MEMBER not in with_diagrams.sandbox.usernames
    assert with_diagrams.project.members() == [{"username": ADMINISTRATOR}]
    assert with_diagrams.project.diagrams(fields="summary")[-1]["author"] == MEMBER
    assert with_diagrams.project.history()[0]["subject"] == f"member {MEMBER}"
    with pytest.raises(InputError, match="no user"):
        with_diagrams.sandbox.token(MEMBER)


def test_a_removed_user_who_is_added_again_has_no_memberships(workshop: Workshop) -> None:
    workshop.sandbox.remove_user(MEMBER)
    workshop.sandbox.add_user(MEMBER)
    assert workshop.client(MEMBER).projects() == []


# Members


def test_a_member_can_become_administrator_and_lose_the_role(workshop: Workshop) -> None:
    for is_administrator in (True, False):
        url = "https://tiles.example.org"
        workshop.project.study_area.add_layer(url, server_type="other", layer_type="XYZ", layer_name="Relief")
        workshop.project.add_member(MEMBER, administrator=is_administrator)
        if is_administrator:
            workshop.project_of(MEMBER).study_area.delete_layer(workshop.project.study_area.layers()[0]["id"])
    with pytest.raises(PermissionDeniedError):
        workshop.project_of(MEMBER).study_area.delete_layer(workshop.project.study_area.layers()[0]["id"])
    assert len(workshop.project.members()) == 2


def test_a_removed_member_loses_teams_and_selection_but_stays_the_author_of_diagrams(with_diagrams: Workshop) -> None:
    with_diagrams.project_of(MEMBER).add_diagram(WATER, AREA, title="By the member")
    team = with_diagrams.project.add_team("Planners", [ADMINISTRATOR, MEMBER])["id"]
    with_diagrams.project.member(MEMBER).set_selection([1])
    with_diagrams.project.member(MEMBER).remove()
    with pytest.raises(NotFoundError):
        with_diagrams.project_of(MEMBER).info()
    assert with_diagrams.project.members() == [{"username": ADMINISTRATOR}]
    assert with_diagrams.project.team(team).members() == [ADMINISTRATOR]
    assert with_diagrams.project.diagrams(fields="summary")[-1]["author"] == MEMBER
    with_diagrams.project.add_member(MEMBER)
    assert diagram_ids(with_diagrams.project.member(MEMBER).selection()) == []


def test_a_removed_member_stays_a_member_of_other_projects(with_diagrams: Workshop) -> None:
    with_diagrams.client(MEMBER).create_project("FADO", title="Porto", bounds=(0, 0, 1, 1), systems=SYSTEMS)
    with_diagrams.project.member(MEMBER).remove()
    assert [project["projecttitle"] for project in with_diagrams.client(MEMBER).projects()] == ["Porto"]


# Creation codes and plugins


def test_a_creation_code_is_generated_or_given() -> None:
    with Sandbox(project=None) as sandbox:
        made = [sandbox.creation_code() for _ in range(3)]
        assert len(set(made)) == 3
        assert (sandbox.creation_code("FADO"), sandbox.creation_code("FADO")) == ("FADO", "FADO")
        sandbox.add_user(MEMBER)
        for code in [*made, "FADO"]:
            sandbox.client(MEMBER).create_project(code, title=code, bounds=(0, 0, 1, 1), systems=[])
        assert len(sandbox.project_ids) == 4


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_creation_code_or_linked_project_id_is_rejected(empty: str, workshop: Workshop) -> None:
    with pytest.raises(InputError, match="empty"):
        workshop.sandbox.creation_code(empty)
    with pytest.raises(InputError, match="empty"):
        Sandbox(project=None, setup={"linked_projects": [empty]})


def test_a_setup_changes_the_description_of_a_plugin(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with running_workshop(path) as workshop:
        workshop.project.workshop.set_plugins([SHADOWS])
    with Sandbox(path, setup={"plugins": {SHADOWS.upper(): "Shadows in winter"}}) as sandbox:
        project = sandbox.project(username=ADMINISTRATOR)
        assert project.workshop.plugins() == [{"id": SHADOWS, "description": "Shadows in winter"}]


# Teams, designs, selections


def test_a_removed_team_is_gone_with_its_designs_and_its_id_is_not_given_again(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    team = project.add_team("A mistake", [MEMBER])["id"]
    design = project.team(team).save("First", [1])["id"]
    project.team(team).delete()
    assert project.teams() == []
    for read in (
        project.designs,
        lambda team: project.team(team).members(),
        lambda team: project.design(design, team).features(),
    ):
        with pytest.raises(NotFoundError):
            read(team)
    assert project.add_team("Planners")["id"] == team + 1


def test_a_removed_design_leaves_the_others_and_its_diagrams(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    team = project.add_team("Planners")["id"]
    first, second = (project.team(team).save(title, [1])["id"] for title in ("First", "Second"))
    project.design(first, team).delete()
    assert [design["id"] for design in project.designs(team)] == [second]
    assert len(project.diagram(1).features()) == 1
    with pytest.raises(NotFoundError):
        project.design(first, team).delete()


def test_the_members_of_a_team_can_be_replaced(workshop: Workshop) -> None:
    team = workshop.project.add_team("Planners", [MEMBER, MEMBER])["id"]
    assert workshop.project.teams() == [{"id": team, "title": "Planners"}]
    assert workshop.project.team(team).members() == [MEMBER]
    workshop.project.team(team).edit(members=[ADMINISTRATOR])
    assert workshop.project.team(team).members() == [ADMINISTRATOR]


def test_a_team_member_must_be_a_member_of_the_project(workshop: Workshop) -> None:
    with pytest.raises(BadRequestError, match=STRANGER):
        workshop.project.add_team("Planners", [MEMBER, STRANGER])
    assert workshop.project.teams() == []


def test_a_system_is_added_with_its_figures_and_removed_while_nothing_was_drawn_in_it(workshop: Workshop) -> None:
    project = workshop.project
    system = project.add_system("Tourism", "#4FB3A9", tag="TOU", cost=800_000, budget=5e6, target_ha=12)
    row = dict(project.systems()[-1])
    assert (row["name"], row["color"], row["tag"], row["cost"]) == ("Tourism", "#4FB3A9", "TOU", 800_000)
    assert (row["budget"], row["target_ha"]) == (5e6, 12)
    assert project.history()[0]["operation"] == "add_system"
    drawn = project.add_diagram("Tourism", AREA, title="A kiosk")
    drawn.delete()
    with pytest.raises(ApiError, match="had some that the history can bring back") as caught:
        system.delete()
    assert caught.value.status_code == 409
    empty = project.add_system("A mistake", "#000000")
    empty.delete()
    assert [row["name"] for row in project.systems()].count("A mistake") == 0
    with pytest.raises(NotFoundError):
        empty.delete()


def test_a_new_system_has_a_name_and_a_colour_and_there_are_at_most_twelve(workshop: Workshop) -> None:
    with pytest.raises(InputError, match="color"):
        workshop.project.add_system("Tourism", "blue")
    with pytest.raises(BadRequestError, match="12 systems, the most"):
        for number in range(13):
            workshop.project.add_system(f"System {number}", "#4FB3A9")
    assert len(workshop.project.systems()) == 12
    with pytest.raises(PermissionDeniedError):
        workshop.project_of(MEMBER).add_system("Mine", "#4FB3A9")


def test_people_are_added_with_accounts_and_teams_in_one_step(workshop: Workshop) -> None:
    project = workshop.project
    rows: list[NewMember | str] = [
        {"username": "ana", "team": "Shore"},
        {"username": MEMBER, "team": "Shore"},
        {"username": "ben", "administrator": True},
    ]
    assert project.add_members([*rows, "carl"]) == {"added": ["ana", "ben", "carl"], "accounts": ["ana", "ben", "carl"]}
    assert project.team("Shore").members() == sorted(["ana", MEMBER])
    assert {member["username"] for member in project.members()} == {ADMINISTRATOR, MEMBER, "ana", "ben", "carl"}
    assert project.add_members(rows) == {"added": [], "accounts": []}, "the same table again changes nothing"
    assert len(project.teams()) == 1
    workshop.sandbox.client("ben").project(project.id).workshop.set_activities(drawing=False)
    assert project.member("ana").add_token()["token"], "its administrators give new people cards"


@pytest.mark.parametrize("name", ["Ana ", "ａna", "gone", "x" * 151])
def test_nobody_is_added_if_one_of_them_cannot_be(workshop: Workshop, name: str) -> None:
    workshop.sandbox.add_user("ana")
    workshop.sandbox.add_user("gone")
    workshop.sandbox.remove_user("gone")
    facilitator = workshop.project.add_members([{"username": "ben", "administrator": True}]) and workshop.project_of(
        "ben"
    )
    before = facilitator.members()
    with pytest.raises((BadRequestError, InputError)):
        facilitator.add_members([{"username": "zoe", "team": "New"}, name])
    assert facilitator.members() == before and facilitator.teams() == []


def test_the_operations_of_designs_show_their_diagrams(with_diagrams: Workshop) -> None:
    team = with_diagrams.project.add_team("Planners")["id"]
    first = with_diagrams.project.team(team).save("Before lunch", [1])["id"]
    second = with_diagrams.project.team(team).save("After lunch", ["3", 2, 3])["id"]
    designs = with_diagrams.project.designs(team)
    assert [(design["id"], design["description"]) for design in designs] == [
        (first, "Before lunch"),
        (second, "After lunch"),
    ]
    assert {len(first), len(second)} == {16}
    assert with_diagrams.project.design(second, team).diagram_ids() == [2, 3]
    assert diagram_ids(with_diagrams.project.design(second, team).features()) == [2, 3]
    assert with_diagrams.project.design(team=team).details()["id"] == second
    assert sorted(with_diagrams.project.design(second, team).timeline()) == [2, 3]
    assert with_diagrams.project.costs(team=team, design=first).total > 0


def test_a_selection_can_be_read_by_system_and_kind(with_diagrams: Workshop) -> None:
    with_diagrams.project.member(MEMBER).set_selection([2])
    with_diagrams.project.member(MEMBER).set_selection([3, 1, "2", 1])
    project = with_diagrams.project
    assert diagram_ids(project.member(MEMBER).selection()) == [1, 2, 3]
    assert diagram_ids(project.member(MEMBER).selection(WATER)) == [1, 2]
    assert diagram_ids(project.member(MEMBER).selection(WATER, "project")) == [1]
    assert diagram_ids(project.member(MEMBER).selection(WATER, "policy")) == [2]
    assert diagram_ids(project.member(ADMINISTRATOR).selection()) == []
    with_diagrams.project.member(MEMBER).set_selection([])
    assert diagram_ids(project.member(MEMBER).selection()) == []


# Boundaries and constraints


def test_boundaries_have_names_and_a_description(workshop: Workshop) -> None:
    parishes = gpd.GeoDataFrame({"name": ["Alfama"]}, geometry=gpd.GeoSeries.from_wkt(["POLYGON((0 0,1 0,1 1,0 0))"]))
    workshop.project.study_area.set_boundaries(parishes.set_crs(4326).to_crs(3763), "Parishes")
    boundaries = workshop.project.study_area.boundaries()
    assert boundaries.metadata == {"description": "Parishes"}
    (parish,) = boundaries
    assert (parish["properties"]["areatype"], parish["properties"]["bname"]) == ("boundaries", "Alfama")
    assert len(workshop.project.study_area.second_boundaries()) == 0


def test_second_boundaries_are_separate_from_boundaries(workshop: Workshop) -> None:
    workshop.project.study_area.set_boundaries(collection(feature(AREA, bname="Around")), second=True)
    assert workshop.project.study_area.second_boundaries()["features"][0]["properties"]["bname"] == "Around"
    assert len(workshop.project.study_area.boundaries()) == 0
    workshop.project.study_area.set_boundaries(collection(), second=True)
    assert len(workshop.project.study_area.second_boundaries()) == 0


def test_constraints_have_their_area(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, AREA, title="Of the same size")
    workshop.project.study_area.set_constraints(AREA, "Reserves")
    constraints = workshop.project.study_area.constraints()
    assert constraints.metadata["description"] == "Reserves"
    assert constraints.metadata["area"] == pytest.approx(workshop.details_of(1)["area"])
    assert constraints["features"][0]["properties"]["areatype"] == "constraints"


def test_boundaries_must_be_polygons(workshop: Workshop) -> None:
    with pytest.raises(InputError, match="feature 0"):
        workshop.project.study_area.set_boundaries(line([0, 0], [1, 1]))


# Figures of systems and diagrams, negotiations


def test_each_figure_of_a_system_can_be_set_alone(workshop: Workshop) -> None:
    workshop.project.system(WATER).edit(budget=4e9, target_ha=900)
    workshop.project.system(WATER).edit(cost=0.5, current_ha=0)
    system = workshop.project.system(WATER)
    assert (system["cost"], system["budget"], system["current_ha"], system["target_ha"]) == (0.5, 4e9, 0, 900)
    assert workshop.project.system(GREEN)["budget"] == 0


@pytest.mark.parametrize("figure", ["cost", "budget", "current_ha", "target_ha"])
@pytest.mark.parametrize("amount", [-1, float("nan"), float("inf")])
def test_the_error_for_an_invalid_figure_of_a_system_names_it(figure: str, amount: float, workshop: Workshop) -> None:
    figures: Any = {"cost": 1.0} | {figure: amount}
    with pytest.raises(InputError, match=figure):
        workshop.project.system(WATER).edit(**figures)
    assert workshop.project.system(WATER)["cost"] == 125_000


def test_the_evaluation_map_and_the_impact_map_of_a_system_are_set(workshop: Workshop) -> None:
    workshop.project.system(WATER).set_evaluation(feature(AREA, areatype="green3"))
    workshop.project.system(WATER).set_impact(collection(feature(AREA), feature(AREA)))
    (area,) = workshop.project.system(WATER).evaluation()
    assert area["properties"]["areatype"] == "green3"
    assert area["properties"]["color"].startswith("#")
    assert len(workshop.project.system(WATER).impact()) == 2


def test_each_figure_of_a_diagram_can_be_set_alone(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).edit(cost=1e6, cost_type="total")
    with_diagrams.project.diagram("1").edit(building_data={"storeys_above_ground": 3})
    detail = with_diagrams.details_of(1)
    assert (detail["cost_override"], detail["cost_override_type"]) == (1e6, "total")
    assert detail["building_data"] == {"storeys_above_ground": 3}
    assert with_diagrams.project.costs(diagrams=[1]).total == 1e6


@pytest.mark.parametrize(
    "invalid",
    [
        {"cost": float("nan"), "cost_type": "unit"},
        {"cost": -1.0, "cost_type": "total"},
        {"building_data": {"height": float("inf")}},
    ],
    ids=str,
)
def test_the_error_for_an_invalid_figure_of_a_diagram_names_it(invalid: Any, with_diagrams: Workshop) -> None:
    with pytest.raises(InputError, match=next(iter(invalid))):
        with_diagrams.project.diagram(1).edit(**invalid)


def test_a_negotiation_of_a_setup_replaces_that_of_the_same_session_id(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    move = {"diagram": 1, "move": "accept", "timestamp": "2026-03-02T09:30:00.5"}
    monday, tuesday = ({"session_id": day, "cteams": [1, 2], "moves": [], "room": "A"} for day in ("monday", "tuesday"))
    with running_workshop(path) as workshop:
        project_id = workshop.id
    for sessions in ([monday, tuesday], [monday | {"moves": [move]}]):
        with Sandbox(path, setup={"projects": {project_id: {"negotiations": sessions}}}) as sandbox:
            logs = sandbox.project(username=ADMINISTRATOR).workshop.negotiation_logs()
    assert logs == [monday | {"moves": [move]}, tuesday]
