"""What whoever runs the service decides, members then read on the wire."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import geopandas as gpd
import pytest
import requests

from builders import collection, feature, line, square
from pygeodesign import AuthenticationError, Client, InputError, NotFoundError, PermissionDeniedError, Sandbox
from small_project import ADMINISTRATOR, GREEN, MEMBER, STRANGER, SYSTEMS, WATER, Lisbon

AREA = square(-9.15, 38.71, 0.01)
PLUGIN = "0b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a10"


@pytest.fixture
def drawn(lisbon: Lisbon) -> Lisbon:
    """With the projects 1 and 3 and the policy 2; 3 is in another system."""
    lisbon.project.add_diagram(WATER, AREA, title="Pond")
    lisbon.project.add_diagram(WATER, AREA, title="Rule", kind="policy")
    lisbon.project.add_diagram(GREEN, AREA, title="Park")
    return lisbon


def selected(collection: Any) -> list[int]:
    return [row["properties"]["diagramid"] for row in collection["features"]]


# Users and tokens


def test_a_user_is_added_once(lisbon: Lisbon) -> None:
    token = lisbon.sandbox.token(MEMBER)
    lisbon.sandbox.add_user("dora.vaz")
    lisbon.sandbox.add_user(MEMBER)
    assert lisbon.sandbox.usernames == [ADMINISTRATOR, MEMBER, STRANGER, "dora.vaz"]
    assert Client(token, lisbon.sandbox.url).projects()
    assert lisbon.client("dora.vaz").projects() == []


@pytest.mark.parametrize("name", ["Zoë Müller", "o'brien", "a/b?c", "名前", "x" * 150])
def test_a_user_may_be_called(name: str, drawn: Lisbon) -> None:
    drawn.sandbox.add_member(drawn.id, name)
    drawn.sandbox.set_selection(drawn.id, name, [1])
    assert name in [member["username"] for member in drawn.project.members()]
    assert selected(drawn.of(name).selection(name)) == [1]


@pytest.mark.parametrize("name", ["", "x" * 151])
def test_a_user_is_not_called(name: str, lisbon: Lisbon) -> None:
    with pytest.raises(InputError):
        lisbon.sandbox.add_user(name)


def test_a_token_with_a_lifetime_is_a_new_one(lisbon: Lisbon) -> None:
    tokens = {lisbon.sandbox.token(MEMBER), *(lisbon.sandbox.token(MEMBER, lifetime=60) for _ in range(2))}
    assert len(tokens) == 3
    for token in tokens:
        assert Client(token, lisbon.sandbox.url).latest_project()


@pytest.mark.parametrize("lifetime", [timedelta(minutes=5), 300, 0.5e9, timedelta(days=3650)], ids=str)
def test_a_token_is_good_for_its_lifetime(lifetime: Any, lisbon: Lisbon) -> None:
    assert Client(lisbon.sandbox.token(MEMBER, lifetime=lifetime), lisbon.sandbox.url).projects()


@pytest.mark.parametrize("lifetime", [0, -1, timedelta(seconds=-1), timedelta(0), -0.5], ids=str)
def test_an_expired_token_opens_nothing(lifetime: Any, lisbon: Lisbon) -> None:
    token = lisbon.sandbox.token(MEMBER, lifetime=lifetime)
    with pytest.raises(AuthenticationError):
        Client(token, lisbon.sandbox.url).projects()
    answer = requests.get(lisbon.sandbox.url + "projects/", headers={"Authorization": f"Token {token}"}, timeout=20)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Token")


@pytest.mark.parametrize("lifetime", [float("inf"), float("nan"), timedelta.max, "a week"], ids=str)
def test_a_lifetime_that_cannot_be_is_refused(lifetime: Any, lisbon: Lisbon) -> None:
    with pytest.raises((InputError, TypeError)):
        lisbon.sandbox.token(MEMBER, lifetime=lifetime)


def test_all_tokens_of_a_user_end_at_once(lisbon: Lisbon) -> None:
    tokens = [lisbon.sandbox.token(MEMBER), lisbon.sandbox.token(MEMBER, lifetime=60)]
    lisbon.sandbox.revoke_tokens(MEMBER)
    for token in tokens:
        with pytest.raises(AuthenticationError):
            Client(token, lisbon.sandbox.url).projects()
    assert lisbon.client(MEMBER).projects()
    assert lisbon.client(ADMINISTRATOR).projects()


# Members


def test_a_member_is_a_user_too(lisbon: Lisbon) -> None:
    lisbon.sandbox.add_member(lisbon.id, "dora.vaz")
    assert "dora.vaz" in lisbon.sandbox.usernames
    assert lisbon.of("dora.vaz").info()["projecttitle"] == "Lisbon"


def test_a_member_is_made_administrator_and_back(lisbon: Lisbon) -> None:
    for is_administrator in (True, False):
        url = "https://tiles.example.org"
        lisbon.project.add_layer(url, server_type="other", layer_type="XYZ", layer_name="Relief")
        lisbon.sandbox.add_member(lisbon.id, MEMBER, administrator=is_administrator)
        if is_administrator:
            lisbon.of(MEMBER).delete_layer(lisbon.project.layers()[0]["id"])
    with pytest.raises(PermissionDeniedError):
        lisbon.of(MEMBER).delete_layer(lisbon.project.layers()[0]["id"])
    assert len(lisbon.project.members()) == 2


def test_who_is_removed_leaves_teams_and_selections_but_not_diagrams(drawn: Lisbon) -> None:
    drawn.of(MEMBER).add_diagram(WATER, AREA, title="By the member")
    team = drawn.sandbox.add_team(drawn.id, "Planners", [ADMINISTRATOR, MEMBER])
    drawn.sandbox.set_selection(drawn.id, MEMBER, [1])
    drawn.sandbox.remove_member(drawn.id, MEMBER)
    with pytest.raises(NotFoundError):
        drawn.of(MEMBER).info()
    assert drawn.project.members() == [{"username": ADMINISTRATOR}]
    assert drawn.project.team_members(team) == [ADMINISTRATOR]
    assert drawn.project.diagram_summaries()[-1]["author"] == MEMBER
    drawn.sandbox.add_member(drawn.id, MEMBER)
    assert selected(drawn.project.selection(MEMBER)) == []


def test_who_is_removed_stays_in_other_projects(drawn: Lisbon) -> None:
    drawn.client(MEMBER).create_project("FADO", title="Porto", bounds=(0, 0, 1, 1), systems=SYSTEMS)
    drawn.sandbox.remove_member(drawn.id, MEMBER)
    assert [project["projecttitle"] for project in drawn.client(MEMBER).projects()] == ["Porto"]


# Codes


def test_a_code_is_made_or_given() -> None:
    with Sandbox(project=None) as sandbox:
        made = [sandbox.creation_code() for _ in range(3)]
        assert len(set(made)) == 3
        assert (sandbox.creation_code("FADO"), sandbox.creation_code("FADO")) == ("FADO", "FADO")
        sandbox.add_user(MEMBER)
        for code in [*made, "FADO"]:
            sandbox.client(MEMBER).create_project(code, title=code, bounds=(0, 0, 1, 1), systems=[])
        assert len(sandbox.project_ids) == 4


@pytest.mark.parametrize("issue", [Sandbox.creation_code, Sandbox.add_linked_project])
@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_code_is_refused(issue: Callable[[Sandbox, str], object], empty: str, lisbon: Lisbon) -> None:
    with pytest.raises(InputError, match="empty"):
        issue(lisbon.sandbox, empty)


def test_a_plugin_is_described_anew(lisbon: Lisbon) -> None:
    lisbon.project.set_plugins([PLUGIN])
    lisbon.sandbox.add_plugin(PLUGIN.upper(), "Shadow study")
    assert lisbon.project.plugins() == [{"id": PLUGIN, "description": "Shadow study"}]


# Teams, designs, selections


def test_a_team_and_its_members(lisbon: Lisbon) -> None:
    team = lisbon.sandbox.add_team(lisbon.id, "Planners", [MEMBER, MEMBER])
    assert lisbon.project.teams() == [{"id": team, "title": "Planners"}]
    assert lisbon.project.team_members(team) == [MEMBER]
    lisbon.sandbox.set_team_members(lisbon.id, team, [ADMINISTRATOR])
    assert lisbon.project.team_members(team) == [ADMINISTRATOR]


def test_a_team_of_strangers_is_no_team(lisbon: Lisbon) -> None:
    with pytest.raises(InputError, match=STRANGER):
        lisbon.sandbox.add_team(lisbon.id, "Planners", [MEMBER, STRANGER])
    assert lisbon.project.teams() == []


def test_a_design_holds_its_diagrams(drawn: Lisbon) -> None:
    team = drawn.sandbox.add_team(drawn.id, "Planners")
    first = drawn.sandbox.add_design(drawn.id, team, "Before lunch", [1])
    second = drawn.sandbox.add_design(drawn.id, team, "After lunch", ["3", 2, 3])
    designs = drawn.project.designs(team)
    assert [(design["id"], design["description"]) for design in designs] == [
        (first, "Before lunch"),
        (second, "After lunch"),
    ]
    assert {len(first), len(second)} == {16}
    assert drawn.project.design_diagram_ids(team, second) == [2, 3]
    assert selected(drawn.project.design(team, second)) == [2, 3]
    assert drawn.project.design_details(team)["id"] == second
    assert sorted(drawn.project.design_timeline(team, second)) == [2, 3]
    assert drawn.project.costs(team=team, design=first).total > 0


def test_a_selection_is_read_by_system_and_kind(drawn: Lisbon) -> None:
    drawn.sandbox.set_selection(drawn.id, MEMBER, [2])
    drawn.sandbox.set_selection(drawn.id, MEMBER, [3, 1, "2", 1])
    project = drawn.project
    assert selected(project.selection(MEMBER)) == [1, 2, 3]
    assert selected(project.selection(MEMBER, WATER)) == [1, 2]
    assert selected(project.selection(MEMBER, WATER, "project")) == [1]
    assert selected(project.selection(MEMBER, WATER, "policy")) == [2]
    assert selected(project.selection(ADMINISTRATOR)) == []
    drawn.sandbox.set_selection(drawn.id, MEMBER, [])
    assert selected(project.selection(MEMBER)) == []


# Geographies


def test_boundaries_are_named_and_described(lisbon: Lisbon) -> None:
    parishes = gpd.GeoDataFrame({"name": ["Alfama"]}, geometry=gpd.GeoSeries.from_wkt(["POLYGON((0 0,1 0,1 1,0 0))"]))
    lisbon.sandbox.set_boundaries(lisbon.id, parishes.set_crs(4326).to_crs(3763), "Parishes")
    boundaries = lisbon.project.boundaries()
    assert boundaries.metadata == {"description": "Parishes"}
    (parish,) = boundaries
    assert (parish["properties"]["areatype"], parish["properties"]["bname"]) == ("boundaries", "Alfama")
    assert len(lisbon.project.second_boundaries()) == 0


def test_second_boundaries_are_another_set(lisbon: Lisbon) -> None:
    lisbon.sandbox.set_boundaries(lisbon.id, collection(feature(AREA, bname="Around")), second=True)
    assert lisbon.project.second_boundaries()["features"][0]["properties"]["bname"] == "Around"
    assert len(lisbon.project.boundaries()) == 0
    lisbon.sandbox.set_boundaries(lisbon.id, collection(), second=True)
    assert len(lisbon.project.second_boundaries()) == 0


def test_constraints_know_how_large_they_are(lisbon: Lisbon) -> None:
    lisbon.project.add_diagram(WATER, AREA, title="Of the same size")
    lisbon.sandbox.set_constraints(lisbon.id, AREA, "Reserves")
    constraints = lisbon.project.constraints()
    assert constraints.metadata["description"] == "Reserves"
    assert constraints.metadata["area"] == pytest.approx(lisbon.detail(1)["area"])
    assert constraints["features"][0]["properties"]["areatype"] == "constraints"


def test_boundaries_are_of_polygons(lisbon: Lisbon) -> None:
    with pytest.raises(InputError, match="feature 0"):
        lisbon.sandbox.set_boundaries(lisbon.id, line([0, 0], [1, 1]))


# Figures, negotiations, groups


def test_the_figures_of_a_system_are_set_one_by_one(lisbon: Lisbon) -> None:
    lisbon.sandbox.set_system(lisbon.id, WATER, budget=4e9, target_ha=900)
    lisbon.sandbox.set_system(lisbon.id, WATER, cost=0.5, current_ha=0)
    system = lisbon.project.system(WATER)
    assert (system["cost"], system["budget"], system["current_ha"], system["target_ha"]) == (0.5, 4e9, 0, 900)
    assert lisbon.project.system(GREEN)["budget"] == 0


@pytest.mark.parametrize("figure", ["cost", "budget", "current_ha", "target_ha"])
@pytest.mark.parametrize("amount", [-1, float("nan"), float("inf")])
def test_a_figure_that_cannot_be_is_named(figure: str, amount: float, lisbon: Lisbon) -> None:
    figures: Any = {"cost": 1.0} | {figure: amount}
    with pytest.raises(InputError, match=figure):
        lisbon.sandbox.set_system(lisbon.id, WATER, **figures)
    assert lisbon.project.system(WATER)["cost"] == 125_000


def test_the_maps_of_a_system(lisbon: Lisbon) -> None:
    lisbon.sandbox.set_system(
        lisbon.id, WATER, evaluation=feature(AREA, areatype="green3"), impact=collection(feature(AREA), feature(AREA))
    )
    (area,) = lisbon.project.evaluation(WATER)
    assert area["properties"]["areatype"] == "green3"
    assert area["properties"]["color"].startswith("#")
    assert len(lisbon.sandbox.impact(lisbon.id, WATER)) == 2


def test_the_figures_of_a_diagram_are_set_one_by_one(drawn: Lisbon) -> None:
    drawn.sandbox.set_diagram(drawn.id, 1, cost_override=1e6, cost_override_type="total")
    drawn.sandbox.set_diagram(drawn.id, "1", building_data={"storeys_above_ground": 3})
    detail = drawn.detail(1)
    assert (detail["cost_override"], detail["cost_override_type"]) == (1e6, "total")
    assert detail["building_data"] == {"storeys_above_ground": 3}
    assert drawn.project.costs(diagrams=[1]).total == 1e6


@pytest.mark.parametrize(
    "unfit",
    [{"cost_override": float("nan")}, {"cost_override": -1.0}, {"building_data": {"height": float("inf")}}],
    ids=str,
)
def test_a_figure_of_a_diagram_that_cannot_be_is_named(unfit: Any, drawn: Lisbon) -> None:
    with pytest.raises(InputError, match=next(iter(unfit))):
        drawn.sandbox.set_diagram(drawn.id, 1, **unfit)


def test_a_negative_figure_is_named_with_its_owner(drawn: Lisbon) -> None:
    with pytest.raises(InputError, match=rf"budget of system {WATER} .* not -5"):
        drawn.sandbox.set_system(drawn.id, WATER, budget=-5)
    with pytest.raises(InputError, match=r"cost_override of diagram 1 .* not -5"):
        drawn.sandbox.set_diagram(drawn.id, 1, cost_override=-5, cost_override_type="total")
    assert drawn.detail(1)["cost_override"] == 0


def test_a_negotiation_is_logged_and_replaced(drawn: Lisbon) -> None:
    move = {"diagram": 1, "move": "accept", "timestamp": "2026-03-02T09:30:00.5"}
    for session_id, moves in [("monday", []), ("tuesday", []), ("monday", [move])]:
        session = {"session_id": session_id, "cteams": [1, 2], "moves": moves, "room": "A"}
        drawn.sandbox.add_negotiation(drawn.id, session)
    assert drawn.project.negotiation_logs() == [
        {"session_id": "monday", "cteams": [1, 2], "moves": [move], "room": "A"},
        {"session_id": "tuesday", "cteams": [1, 2], "moves": [], "room": "A"},
    ]


@pytest.mark.parametrize("unfit", [{}, {"session_id": 7}, {"session_id": "x", "moves": [{"move": "accept"}]}], ids=str)
def test_a_negotiation_of_another_form_is_refused(unfit: Any, lisbon: Lisbon) -> None:
    with pytest.raises(InputError, match="session"):
        lisbon.sandbox.add_negotiation(lisbon.id, unfit)
    assert lisbon.project.negotiation_logs() == []
