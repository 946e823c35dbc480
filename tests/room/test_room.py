"""The room's changes over the wire: members change their own work, teams their designs, administrators the project."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import shapely

from pygeodesign import (
    ApiError,
    BadRequestError,
    InputError,
    NotFoundError,
    PermissionDeniedError,
)
from room import AUTHOR, OTHER, OUTSIDER, Room, room

# A fixture of these tests.
__all__ = ["room"]

SQUARE = shapely.box(-74.15, 40.57, -74.14, 40.58)


@pytest.fixture
def own(room: Room) -> int:
    """A diagram of AUTHOR."""
    return int(room.of(AUTHOR).add_diagram("Water", SQUARE, title="Pond").id)


# Diagrams


def test_a_member_changes_and_removes_the_own_diagram_and_no_other(room: Room, own: int) -> None:
    author, other = room.of(AUTHOR), room.of(OTHER)
    author.diagram(own).edit(title="Reed bed", kind="policy", start_date="2030-01-01", cost=1e6, cost_type="total")
    edited = room.administrator.diagram(own).features().metadata
    assert (edited["description"], edited["type"], edited["cost_override"]) == ("Reed bed", "policy", 1e6)
    assert (edited["start_date"], edited["end_date"]) == ("2030-01-01", "2030-01-01")
    refuseds: list[Callable[[], object]] = [
        lambda: other.diagram(own).edit(title="Mine"),
        lambda: other.diagram(own).delete(),
    ]
    for refused in refuseds:
        with pytest.raises(PermissionDeniedError, match="Only the author of the diagram or an administrator"):
            refused()
    author.diagram(own).delete()
    with pytest.raises(NotFoundError):
        author.diagram(own).features()


def test_replaced_features_are_measured_and_priced_and_undo_restores_every_position(room: Room, own: int) -> None:
    before, cost = room.administrator.diagram(own).features().to_dict(), room.administrator.costs(diagrams=[own]).total
    half = shapely.box(-74.15, 40.57, -74.145, 40.58)
    room.of(AUTHOR).diagram(own).edit(geometry=half)
    assert room.administrator.costs(diagrams=[own]).total == pytest.approx(cost / 2)
    hectares = room.administrator.costs(diagrams=[own]).diagrams[0]["area_ha"]
    assert hectares is not None
    assert room.administrator.diagrams(fields="details")[-1]["area"] == pytest.approx(hectares * 1e4)
    room.administrator.undo(room.administrator.history()[0]["id"])
    assert room.administrator.diagram(own).features().to_dict() == before
    assert room.administrator.costs(diagrams=[own]).total == cost


def test_a_diagram_moved_to_another_system_gets_the_next_place_and_undo_the_old_one(room: Room, own: int) -> None:
    project = room.administrator
    place = project.diagram(own).features().metadata["rank"]
    room.of(AUTHOR).diagram(own).edit(system="Energy")
    moved = project.diagram(own).features()
    assert moved.metadata["sysid"] == project.system("Energy")["id"]
    assert own in project.system("Energy").diagram_ids()
    assert own not in project.system("Water").diagram_ids()
    project.undo(project.history()[0]["id"])
    assert (project.diagram(own).features().metadata["sysid"], project.diagram(own).features().metadata["rank"]) == (
        1,
        place,
    )


def test_days_can_be_taken_away(room: Room, own: int) -> None:
    author = room.of(AUTHOR)
    author.diagram(own).edit(start_date="2030-01-01", end_date="2031-01-01")
    author.diagram(own).edit(undated=True)
    detail = next(diagram for diagram in author.diagrams(fields="details") if diagram["id"] == own)
    assert (detail["start_date"], detail["end_date"]) == (None, None)


def test_a_wrong_edit_is_an_error_before_anything_is_sent(room: Room, own: int) -> None:
    author = room.of(AUTHOR)
    bow_tie = shapely.Polygon([(-74.15, 40.57), (-74.14, 40.58), (-74.14, 40.57), (-74.15, 40.58)])
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"title": " "}, "the diagram's title"),
        ({"cost": 5}, "cost needs cost_type"),
        ({"cost": -5, "cost_type": "total"}, "cost -5 is not a number of 0 or more"),
        ({"cost_type": "total"}, "cost_type is given without cost"),
        ({"undated": True, "start_date": "2030-01-01"}, "undated is true, but a day is given"),
        ({"start_date": "2030-01-02", "end_date": "2030-01-01"}, "is after end_date"),
        ({"geometry": bow_tie}, "crosses or touches itself"),
        ({"geometry": shapely.box(0, 0, 1, 1)}, "outside"),
        ({"system": "Wine"}, "Wine"),
    ]
    before = room.administrator.history()
    for edit, problem in wrong:
        with pytest.raises(InputError, match=problem):
            author.diagram(own).edit(**edit)
    assert room.administrator.history() == before


def test_if_match_refuses_the_change_of_a_diagram_that_somebody_changed_meanwhile(room: Room, own: int) -> None:
    path = f"diagrams/{own}/"
    read = room.request("GET", path, AUTHOR)
    changeid = room.of(AUTHOR).diagram(own).change_id()
    for etag in (read.headers["etag"], f'"{changeid}"', "*"):
        # Nothing is different afterwards, so that all of them stay true.
        edit = room.request("PATCH", path, AUTHOR, json={"title": "Pond"}, headers={"If-Match": etag})
        assert edit.status_code == 200
    room.of(AUTHOR).diagram(own).edit(title="Lake")
    for method in ("PATCH", "DELETE"):
        for etag in (read.headers["etag"], f'"{changeid}"'):
            late = room.request(method, path, AUTHOR, json={"title": "Sea"}, headers={"If-Match": etag})
            assert (late.status_code, late.json()["detail"][:14]) == (412, "It has changed")
    with pytest.raises(ApiError, match="has changed since you read it") as refused:
        room.of(AUTHOR).diagram(own).edit(title="Sea", unless_changed_since=changeid)
    assert refused.value.status_code == 412
    room.of(AUTHOR).diagram(own).edit(kind="policy", unless_changed_since=room.of(AUTHOR).diagram(own).change_id())
    assert room.administrator.diagram(own).features().metadata["description"] == "Lake"


# Selections and votes


def test_a_member_sets_the_own_selection_and_an_administrator_every_one(room: Room) -> None:
    author = room.of(AUTHOR)
    assert author.member(AUTHOR).set_selection([1040, 1001]) == [1001, 1040]
    assert author.member(AUTHOR).change_selection(add=[1003], remove=[1001, 1002]) == [1003, 1040]
    assert {feature["properties"]["diagramid"] for feature in author.member(AUTHOR).selection()} == {1003, 1040}
    with pytest.raises(PermissionDeniedError, match="may select for another member"):
        author.member(OTHER).set_selection([1001])
    assert room.administrator.member(OTHER).set_selection([]) == []
    with pytest.raises(BadRequestError, match="the project has no diagram 99"):
        author.member(AUTHOR).change_selection(add=[1001, 99])
    assert {feature["properties"]["diagramid"] for feature in author.member(AUTHOR).selection()} == {1003, 1040}


def test_all_members_read_all_votes_and_each_has_one_per_diagram(room: Room) -> None:
    room.of(AUTHOR).diagram(1001).vote(2, "Dry cellars.")
    room.of(AUTHOR).diagram(1001).vote(-1)
    room.of(OTHER).diagram(1001).vote(1)
    votes = room.of(OUTSIDER).votes()
    assert [(vote["diagram"], vote["username"], vote["vote"], vote["comment"]) for vote in votes] == [
        (1001, AUTHOR, -1, ""),
        (1001, OTHER, 1, ""),
    ]
    room.of(AUTHOR).diagram(1001).withdraw_vote()
    with pytest.raises(NotFoundError, match="vote"):
        room.of(AUTHOR).diagram(1001).withdraw_vote()
    room.administrator.member(OTHER).remove()
    assert room.administrator.votes() == []
    with pytest.raises(InputError, match="from -2"):
        room.of(AUTHOR).diagram(1001).vote(3)


# Teams


def test_a_team_saves_a_design_from_selections_and_another_design_with_a_change(room: Room) -> None:
    author = room.of(AUTHOR)
    author.member(AUTHOR).set_selection([1001, 1002])
    room.of("meiling.chen").member("meiling.chen").set_selection([1002, 1003])
    first = author.team(1).save("Round 1", members=[AUTHOR, "meiling.chen"])
    second = author.team(1).save("Round 2", design=first["id"], add=[1010], remove=[1002])
    assert author.design(first["id"], 1).diagram_ids() == [1001, 1002, 1003]
    assert author.design(second["id"], 1).diagram_ids() == [1001, 1003, 1010]
    assert author.designs(1)[-1]["description"] == "Round 2"
    author.design(second["id"], 1).rename("Final")
    assert author.design(second["id"], 1).details()["description"] == "Final"
    with pytest.raises(BadRequestError, match="remove: diagram 1002 is not in the new design"):
        author.team(1).save("Round 3", design=second["id"], remove=[1002])
    with pytest.raises(BadRequestError, match="the project has no diagram 99"):
        author.team(1).save("Round 3", [1001, 99])
    with pytest.raises(InputError, match="needs diagrams, members, or another design"):
        author.team(1).save("Empty")
    author.design(second["id"], 1).delete()
    assert [design["description"] for design in author.designs(1)][-1] == "Round 1"


def test_who_is_not_in_a_team_changes_none_of_its_designs(room: Room) -> None:
    other = room.of(OUTSIDER)
    assert OUTSIDER not in other.team(1).members()
    design = other.designs(1)[0]["id"]
    attempts: list[Callable[[], object]] = [
        lambda: other.team(1).save("Mine", [1001]),
        lambda: other.design(design, 1).rename("Mine"),
        lambda: other.design(design, 1).delete(),
    ]
    for attempt in attempts:
        with pytest.raises(PermissionDeniedError, match="Only a member of the team"):
            attempt()
    room.administrator.team(1).save("The facilitator's", [1001])


def test_a_negotiation_is_told_as_the_wire_tells_it(room: Room) -> None:
    author = room.of(AUTHOR)
    session = author.workshop.begin_negotiation([1, 2])
    author.workshop.add_move(session["session_id"], 1001, "accept")
    author.workshop.add_move(session["session_id"], 1002, "reject", "Too wet.")
    told = room.administrator.workshop.negotiation_logs()[-1]
    assert told["cteams"] == [1, 2]
    assert [(move["diagram"], move["move"], move.get("comment")) for move in told["moves"]] == [
        (1001, "accept", None),
        (1002, "reject", "Too wet."),
    ]
    teams = {team["id"]: room.administrator.team(team["id"]).members() for team in room.administrator.teams()}
    stranger = next(name for name in teams[3] + teams[4] if name not in teams[1] + teams[2])
    with pytest.raises(PermissionDeniedError, match="a member of one of the teams"):
        room.of(stranger).workshop.add_move(session["session_id"], 1001, "reject")


# Administrators


def test_system_figures_set_by_an_administrator_are_in_the_next_cost_report(room: Room) -> None:
    project = room.administrator
    before = next(system for system in project.costs().systems if system["name"] == "Energy")
    rate = project.system("Energy")["cost"]
    assert rate is not None
    project.system("Energy").edit(name="Power", cost=2 * rate, budget=7)
    after = next(system for system in project.costs().systems if system["name"] == "Power")
    assert after["budget"] == 7
    assert after["cost"] > before["cost"]
    with pytest.raises(InputError, match="target_ha is -1; it must be a number of 0 or more"):
        project.system("Power").edit(target_ha=-1)


def test_a_project_keeps_an_administrator(room: Room) -> None:
    project = room.administrator
    attempts: list[Callable[[], object]] = [
        lambda: project.member("admin").remove(),
        lambda: project.add_member("admin"),
    ]
    for attempt in attempts:
        with pytest.raises(BadRequestError, match="would have no administrator"):
            attempt()
    project.add_member(AUTHOR, administrator=True)
    project.member("admin").remove()
    with pytest.raises(PermissionDeniedError, match=r"The service has no user of that name\. Its operator adds users"):
        room.of(AUTHOR).add_member("nobody")


def test_teams_have_titles_colours_and_members(room: Room) -> None:
    project = room.administrator
    team = project.add_team("Youth council", [AUTHOR], color="#7B3294")["id"]
    project.team(team).edit(title="Youth", members=[AUTHOR, OTHER])
    assert project.teams()[-1] == {"id": team, "title": "Youth", "color": "#7B3294"}
    assert project.team(team).members() == [AUTHOR, OTHER]
    with pytest.raises(BadRequestError, match='"nobody" is not a member of the project'):
        project.team(team).edit(members=["nobody"])
    with pytest.raises(InputError, match="#RRGGBB"):
        project.team(team).edit(color="red")
    project.team(team).delete()
    assert team not in [each["id"] for each in project.teams()]


# Closed activities


def test_closed_drawing_refuses_members_only(room: Room, own: int) -> None:
    room.administrator.workshop.set_activities(drawing=False, message="We compare until three.")
    with pytest.raises(PermissionDeniedError, match=r"Drawing is closed\. We compare until three\."):
        room.of(AUTHOR).diagram(own).edit(title="Late")
    room.administrator.diagram(own).edit(title="An administrator may")
    room.of(AUTHOR).member(AUTHOR).set_selection([own])
    room.administrator.workshop.set_activities(drawing=True)
    room.of(AUTHOR).diagram(own).edit(title="Open again")


def test_selections_and_designs_have_switches_of_their_own(room: Room) -> None:
    author = room.of(AUTHOR)
    room.administrator.workshop.set_activities(selecting=False)
    attempts: list[Callable[[], object]] = [
        lambda: author.diagram(1001).vote(1),
        lambda: author.member(AUTHOR).set_selection([]),
    ]
    for attempt in attempts:
        with pytest.raises(PermissionDeniedError, match="Selecting is closed"):
            attempt()
    author.team(1).save("Still open", [1001])
    room.administrator.workshop.set_activities(selecting=True, designing=False)
    attempts = [lambda: author.team(1).save("Late", [1001]), lambda: author.workshop.begin_negotiation([1, 2])]
    for attempt in attempts:
        with pytest.raises(PermissionDeniedError, match="Designing is closed"):
            attempt()


def test_drawing_closes_at_its_time(room: Room, own: int) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    assert room.administrator.workshop.set_activities(drawing=True, closes_at=soon)["drawing"]["open"]
    room.of(AUTHOR).diagram(own).edit(title="In time")
    room.administrator.workshop.set_activities(drawing=True, closes_at=datetime.now(UTC) - timedelta(seconds=1))
    assert not room.administrator.workshop.activities()["drawing"]["open"]
    with pytest.raises(PermissionDeniedError, match="Drawing is closed"):
        room.of(AUTHOR).diagram(own).edit(title="Late")
    with pytest.raises(InputError, match=r"drawing\.closes_at is given, but drawing\.open is false"):
        room.administrator.workshop.set_activities(drawing=False, closes_at=soon)
