"""Every change is recorded. Members read what they can read anyway; administrators read all, and undo changes."""

import pickle
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import requests

import pygeodesign
from builders import collection, feature, square
from database import snapshot
from demo import demo_sandbox
from fake_service import FakeService
from pygeodesign import (
    ApiError,
    BadRequestError,
    Client,
    History,
    InputError,
    NotFoundError,
    PermissionDeniedError,
    Project,
    Sandbox,
)
from small_project import ADMINISTRATOR, GREEN, MEMBER, SHADOWS, STRANGER, WATER, Workshop, running_workshop

AREA = square(-9.15, 38.71, 0.01)
EVALUATION = feature(AREA, areatype="green")


@pytest.fixture
def with_diagrams(workshop: Workshop) -> Workshop:
    """The workshop with diagrams 1 and 2 of the member, in a design, a group and a selection, and with a tag."""
    project = workshop.project_of(MEMBER)
    for title in ("Pond", "Canal"):
        project.add_diagram(WATER, AREA, title=title)
    for diagram in (1, 2):
        project.diagram(diagram).set_tag_codes(["QW"])
    project.group_diagrams({"Harbour": [1, 2]})
    team = workshop.project.add_team("Planners", [MEMBER])["id"]
    workshop.project.team(team).save("First", [1, 2])
    workshop.project.member(MEMBER).set_selection([1, 2])
    return workshop


def last_entry(workshop: Workshop) -> Any:
    return workshop.project.history()[0]


def undo_last(workshop: Workshop) -> None:
    workshop.project.undo(last_entry(workshop)["id"])


def shown(workshop: Workshop) -> dict[str, Any]:
    """The ids of the diagrams in each answer that has some."""
    project = workshop.project
    design = project.designs(1)[0]["id"]
    return {
        "summaries": [row["id"] for row in project.diagrams(fields="summary")],
        "details": [row["id"] for row in project.diagrams(fields="details")],
        "diagrams": [row["properties"]["diagramid"] for row in project.diagrams()],
        "system": project.system(WATER).diagram_ids(),
        "selection": [row["properties"]["diagramid"] for row in project.member(MEMBER).selection()],
        "design": [row["properties"]["diagramid"] for row in project.design(design, 1).features()],
        "design ids": project.design(design, 1).diagram_ids(),
        "timeline": sorted(project.design(design, 1).timeline()),
        "esri": [row["attributes"]["diagramid"] for row in project.design(design, 1).esri()],
        "tags": next(tag["diagrams"] for tag in project.tags() if tag["code"] == "QW"),
        "groups": project.diagram_groups()[0]["diagrams"],
        "costs": [row["diagramid"] for row in project.costs().diagrams],
        "thumbnails": sorted(project.thumbnails()),
        "change ids": sorted(project.diagram_change_ids()),
    }


# Recorded changes


def test_an_entry_says_who_changed_what_and_when(workshop: Workshop) -> None:
    workshop.project_of(MEMBER).add_diagram(WATER, AREA, title="Pond")
    entry = last_entry(workshop)
    assert entry["time"] >= workshop.project.diagrams(fields="summary")[0]["created_at"]
    assert entry | {"id": 0, "time": ""} == {
        "id": 0,
        "time": "",
        "username": MEMBER,
        "operation": "add_project",
        "subject": "diagram 1",
        "diagram": 1,
        "before": None,
        "after": "Pond at A1",
        "can_be_undone": True,
    }


def test_each_write_of_a_project_is_recorded_once(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    layer: Any = {"server_type": "other", "layer_type": "XYZ", "layer_name": "Relief"}
    writes: dict[str, Any] = {
        "add_stakeholders": lambda: project.workshop.add_stakeholders(["Anglers"]),
        "set_plugins": lambda: project.workshop.set_plugins([SHADOWS]),
        "create_tags": lambda: project.create_tags(["New"]),
        "set_diagram_tags": lambda: project.diagram(1).set_tag_codes([]),
        "update_diagram": lambda: project.diagram(1).update(additional_metadata={"phase": 1}),
        "set_notes": lambda: project.diagram(1).set_notes("Deep"),
        "group_diagrams": lambda: project.group_diagrams({"New": [1]}),
        "set_evaluation": lambda: project.system(WATER).set_evaluation(EVALUATION),
        "set_impact": lambda: project.system(WATER).set_impact(AREA),
        "add_policy": lambda: project.add_diagram(WATER, AREA, title="Rule", kind="policy"),
        "add_external_project": lambda: project.system(WATER).add_external(
            "https://a.org/a.fgb", layer_type="fgb-layer", title="F"
        ),
        "add_layer": lambda: project.study_area.add_layer("https://tiles.example.org", **layer),
        "delete_layer": lambda: project.study_area.delete_layer(1),
        "add_member": lambda: project.add_member(STRANGER),
        "remove_member": lambda: project.member(STRANGER).remove(),
        "add_team": lambda: project.add_team("Youth"),
        "set_team_members": lambda: project.team(1).edit(members=[ADMINISTRATOR]),
        "add_design": lambda: project.team(1).save("Second", [1]),
        "add_negotiation": lambda: project.workshop.begin_negotiation([1, 2]),
        "remove_team": lambda: project.team(2).delete(),
        "set_selection": lambda: project.member(MEMBER).set_selection([1]),
        "set_boundaries": lambda: project.study_area.set_boundaries(AREA),
        "set_constraints": lambda: project.study_area.set_constraints(AREA),
        "set_context": lambda: project.study_area.set_context(AREA),
        "edit_system": lambda: project.system(WATER).edit(budget=5),
        "edit_diagram": lambda: project.diagram(1).edit(cost=5, cost_type="unit"),
        "set_vote": lambda: project.diagram(1).vote(2),
        "withdraw_vote": lambda: project.diagram(1).withdraw_vote(),
        "add_comment": lambda: project.diagram(1).comment("Why here?"),
        "edit_comment": lambda: project.edit_comment(project.comments()[0], resolved=True),
        "delete_comment": lambda: project.delete_comment(project.comments()[0]),
        "ask_for_review": lambda: project.diagram(1).comment("Ready?", review=True),
        "edit_design": lambda: project.design("First").rename("Third"),
        "remove_design": lambda: project.design("Third").delete(),
        "edit_team": lambda: project.team(1).edit(title="Elders"),
        "edit_project": lambda: project.edit(title="Lisboa"),
        "set_activities": lambda: project.workshop.set_activities(designing=False),
        "delete_diagram": lambda: project.diagram(2).delete(),
        "undo": lambda: undo_last(with_diagrams),
    }
    for operation, write in writes.items():
        before = project.history()
        write()
        entry, *rest = project.history()
        assert (entry["operation"], entry["username"], rest) == (operation, ADMINISTRATOR, before)
    read_by_members = {entry["operation"] for entry in with_diagrams.project_of(MEMBER).history()}
    assert writes.keys() - read_by_members == {"add_member", "remove_member"}


def test_what_a_setup_changes_has_no_username(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with running_workshop(path) as workshop:
        before = workshop.project.history()
    with Sandbox(path, setup={"projects": {workshop.id: {"systems": {WATER: {"budget": 5}}}}}) as sandbox:
        entry, *rest = sandbox.project(username=ADMINISTRATOR).history()
    assert (entry["operation"], entry["username"], rest) == ("set_system", None, before)


def test_the_service_has_a_history_of_its_own(workshop: Workshop) -> None:
    operator = workshop.operator()
    operator.add_user("dora.vaz")
    operator.withdraw_token(operator.add_token("dora.vaz")["id"])
    workshop.sandbox.remove_user("dora.vaz")
    changes = [(entry["operation"], entry["username"]) for entry in operator.service_history()]
    assert changes[:4] == [
        ("remove_user", None),
        ("withdraw_token", "admin"),
        ("add_token", "admin"),
        ("add_user", "admin"),
    ]
    assert ("add_plugin", None) in changes


def test_a_creation_code_is_not_in_the_history(workshop: Workshop) -> None:
    operator = workshop.operator()
    workshop.sandbox.creation_code("SECRET-CODE")
    assert operator.service_history()[0]["operation"] == "creation_code"
    assert "SECRET-CODE" not in str(operator.service_history())


def test_what_is_there_already_is_not_recorded(with_diagrams: Workshop) -> None:
    before = with_diagrams.project.history()
    with_diagrams.project.diagram(1).set_notes("")
    with_diagrams.project.diagram(1).set_tag_codes(["QW"])
    with_diagrams.project.group_diagrams({"Harbour": [2, 1]})
    with_diagrams.project.add_member(MEMBER)
    with_diagrams.project.team(1).edit(members=[MEMBER])
    with_diagrams.project.member(MEMBER).set_selection([2, 1])
    assert with_diagrams.project.history() == before


def test_a_refused_write_is_not_recorded(with_diagrams: Workshop) -> None:
    before = with_diagrams.project.history()
    assert with_diagrams.send("POST", "diagrams/1/tags/codes/", ["XX"]).status_code == 400
    assert with_diagrams.send("POST", "diagrams/9/notes/", {"notes": "Nowhere"}).status_code == 404
    assert with_diagrams.project.history() == before


def test_long_texts_are_cut_and_control_characters_left_out(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).set_notes("line\nline " + "é" * 1000)
    after = last_entry(with_diagrams)["after"]
    assert after.startswith("notes: line line éé") and len(after) == 201


# Visibility


def test_members_read_the_changes_of_what_they_can_read(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    project.add_member(STRANGER)
    project.workshop.add_link("Press", "2999-01-01")
    code = project.workshop.open_walk_ins("2999-01-01")["code"]
    with_diagrams.sandbox.client(MEMBER).walk_in(code, "Zoe")
    project.member("Zoe").add_token()
    project.workshop.close_walk_ins()
    hidden = {"add_member", "add_member_token", "add_link", "open_walk_ins", "close_walk_ins"}
    everything = project.history()
    assert hidden <= {entry["operation"] for entry in everything}
    expected = [entry for entry in everything if entry["operation"] not in hidden]
    assert with_diagrams.project_of(MEMBER).history() == expected != []


def test_only_administrators_undo(with_diagrams: Workshop) -> None:
    with pytest.raises(PermissionDeniedError):
        with_diagrams.project_of(MEMBER).undo(1)


def test_a_guest_whose_link_tells_no_names_reads_no_history(with_diagrams: Workshop) -> None:
    def guest(*, names: bool) -> Project:
        link = with_diagrams.project.workshop.add_link("Council", "2999-01-01", names=names)
        return Client(link["token"], with_diagrams.sandbox.url).project(with_diagrams.id)

    assert guest(names=True).history() == with_diagrams.project_of(MEMBER).history()
    with pytest.raises(PermissionDeniedError, match="shows no names"):
        guest(names=False).history()


# Filters


def test_since_user_and_diagram_choose_changes(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    project.diagram(2).set_notes("Deep")
    everything = project.history()
    canal = project.diagram("Canal")
    assert {entry["username"] for entry in project.history(user=MEMBER)} == {MEMBER}
    for diagram in (2, "Canal", canal):
        chosen = project.history(diagram=diagram)
        assert chosen == [entry for entry in everything if entry["subject"] == "diagram 2"]
    assert [entry["operation"] for entry in project.history(user=ADMINISTRATOR, diagram=2)] == ["set_notes"]
    assert project.history(user="nobody.known") == project.history(diagram=99) == []
    canal.delete()
    assert project.history(diagram=2)[0]["operation"] == "delete_diagram"


def test_since_is_a_moment_in_any_zone_and_in_utc_without_one(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    everything = project.history()
    third = everything[2]["time"]
    naive = datetime.fromisoformat(third)
    aware = naive.replace(tzinfo=UTC)
    east = aware.astimezone(timezone(timedelta(hours=9)))
    for since in (third, naive, aware, east, east.isoformat(), f"{third}Z"):
        assert project.history(since) == everything[:3]
    today = naive.date()
    assert project.history(today) == project.history(today.isoformat()) == everything
    assert project.history(naive + timedelta(days=1)) == []


@pytest.mark.parametrize("since", ["monday", "2026", 20261123, time(9, 30)])
def test_what_is_no_time_is_refused_before_anything_is_sent(since: Any, with_diagrams: Workshop) -> None:
    with pytest.raises(InputError, match=r"neither a date nor|not a datetime"):
        with_diagrams.project.history(since)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("since=monday", "since"),
        ("since=", "since"),
        ("since=2026-11-23T09:00:00+01:00", "%2B"),
        ("user=", "user"),
        ("diagram=Pond", "diagram"),
        ("diagram=1&diagram=2", "diagram"),
    ],
)
def test_the_service_names_a_wrong_parameter(query: str, named: str, with_diagrams: Workshop) -> None:
    response = with_diagrams.send("GET", f"history/?{query}")
    assert response.status_code == 400
    assert named in response.json()["detail"]
    assert with_diagrams.send("GET", f"history/?{query}", user=STRANGER).status_code == 404


def test_the_pages_of_a_part_of_the_history_are_of_that_part() -> None:
    with demo_sandbox(paging="enveloped") as sandbox:
        project = sandbox.project()
        for number in range(3):
            project.diagram(1002).set_notes(f"Note {number}")
            project.diagram(1003).set_notes(f"Note {number}")
        url = f"{sandbox.url}projects/{project.id}/history/?diagram=1002&page_size=2"
        page = requests.get(url, headers={"Authorization": f"Token {sandbox.token()}"}, timeout=20).json()
        assert (page["count"], len(page["results"])) == (3, 2)
        assert "diagram=1002" in page["next"]
        assert [entry["diagram"] for entry in project.history(diagram=1002)] == [1002] * 3


def test_a_service_that_knows_no_parameters_gives_the_same_answer() -> None:
    def entry(number: int, username: str, subject: str) -> dict[str, Any]:
        told = {"id": number, "time": f"2026-11-2{number}T09:00:00", "username": username, "subject": subject}
        return told | {"operation": "set_notes", "before": None, "after": "Deep", "can_be_undone": True}

    entries = [entry(3, "ana", "diagram 1"), entry(2, "ben", "diagram 1"), entry(1, "ana", "team 1")]
    with FakeService({"history/": entries}) as service:
        project = service.project()
        assert [(row["id"], row["diagram"]) for row in project.history()] == [(3, 1), (2, 1), (1, None)]
        assert [row["id"] for row in project.history("2026-11-22", user="ana")] == [3]
        assert [row["id"] for row in project.history(diagram=1)] == [3, 2]


def test_an_archive_has_what_its_writer_could_read(with_diagrams: Workshop, tmp_path: Path) -> None:
    for user in (ADMINISTRATOR, MEMBER):
        project = with_diagrams.project_of(user)
        project.archive(tmp_path / "lisbon.zip", progress=False)
        opened = pygeodesign.open(tmp_path / "lisbon.zip")
        assert opened.history() == project.history()
        assert opened.history(user=MEMBER, diagram="Canal") == project.history(user=MEMBER, diagram="Canal") != []
    with Sandbox(project=tmp_path / "lisbon.zip") as sandbox:
        assert len(sandbox.project().history(diagram=2)) == len(project.history(diagram=2))


# In Python


def test_the_frame_has_a_row_for_each_change_and_times_with_their_zone(with_diagrams: Workshop) -> None:
    history = with_diagrams.project.history()
    frame = history.to_pandas()
    assert list(frame.columns) == [
        *("time", "username", "operation", "subject", "diagram", "before", "after", "can_be_undone", "id")
    ]
    assert str(frame["time"].dt.tz) == "UTC"
    assert [time.isoformat() for time in frame["time"]] == [f"{entry['time']}+00:00" for entry in history]
    missing = [entry["diagram"] is None for entry in history]
    assert frame["diagram"].isna().tolist() == missing and True in missing and False in missing
    none = with_diagrams.project.history(diagram=99).to_pandas()
    assert len(none) == 0 and none.dtypes.equals(frame.dtypes)


def test_the_history_is_a_list_that_survives_slices_and_pickles(with_diagrams: Workshop) -> None:
    history = with_diagrams.project.history()
    assert isinstance(history, list) and isinstance(history[:2], History)
    assert pickle.loads(pickle.dumps(history)) == history
    assert len(history[:2].to_pandas()) == 2


def test_a_notebook_shows_the_newest_changes_as_text(workshop: Workshop) -> None:
    diagram = workshop.project.add_diagram(WATER, AREA, title="Pond")
    for number in range(25):
        diagram.set_notes(f"<b>Note {number}</b>")
    card = workshop.project.history(diagram=diagram)._repr_html_()
    assert "26 changes" in card and "and 6 earlier" in card
    assert "&lt;b&gt;Note 24&lt;/b&gt;" in card and "<b>Note" not in card


# Removing and restoring diagrams


def test_a_removed_diagram_is_in_no_answer_and_comes_back_as_it_was(with_diagrams: Workshop) -> None:
    before, details = shown(with_diagrams), with_diagrams.details_of(1)
    assert all(ids == [1, 2] for ids in before.values()), before
    with_diagrams.project.diagram(1).delete()
    assert all(ids == [2] for ids in shown(with_diagrams).values()), shown(with_diagrams)
    undo_last(with_diagrams)
    assert shown(with_diagrams) == before
    assert with_diagrams.details_of(1) == details


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("GET", "notes/", None),
        ("GET", "changeid/", None),
        ("GET", "tags/", None),
        ("GET", "generate_thumbnail/", None),
        ("POST", "", {"additional_metadata": {}}),
        ("POST", "notes/", {"notes": "Back"}),
        ("POST", "tags/codes/", []),
        ("DELETE", "", None),
    ],
)
def test_a_removed_diagram_is_not_found(method: str, path: str, body: Any, with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(2).delete()
    assert with_diagrams.send(method, f"diagrams/2/{path}", body).status_code == 404


def test_a_removed_diagram_cannot_be_put_into_groups_selections_and_designs(with_diagrams: Workshop) -> None:
    project = with_diagrams.project
    project.diagram(2).delete()
    for put in (
        lambda: project.group_diagrams({"New": [2]}),
        lambda: project.diagram(2).edit(cost=1, cost_type="unit"),
        lambda: project.diagram(2).delete(),
    ):
        with pytest.raises(NotFoundError):
            put()
    with pytest.raises(BadRequestError, match="diagram 2"):
        project.member(MEMBER).set_selection([2])
    with pytest.raises(BadRequestError, match="diagram 2"):
        project.team(1).save("New", [2])


def test_a_group_or_selection_that_was_replaced_meanwhile_stays_so(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(2).delete()
    removal = last_entry(with_diagrams)["id"]
    with_diagrams.project.group_diagrams({"Harbour": [1]})
    with_diagrams.project.member(MEMBER).set_selection([1])
    with_diagrams.project.undo(removal)
    assert with_diagrams.project.diagram_groups() == [{"group_name": "Harbour", "diagrams": [1]}]
    assert shown(with_diagrams)["selection"] == [1]


def test_ids_and_grid_locations_of_removed_diagrams_are_not_given_again(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(2).delete()
    added = with_diagrams.project.add_diagram(WATER, AREA, title="Third")
    assert (added.id, added["rank"]) == (3, 3)


def test_the_change_id_of_a_restored_diagram_is_new(with_diagrams: Workshop) -> None:
    before = with_diagrams.project.diagram(1).change_id()
    with_diagrams.project.diagram(1).delete()
    undo_last(with_diagrams)
    assert with_diagrams.project.diagram(1).change_id() != before


def test_undoing_an_addition_removes_the_diagram_and_undoing_that_brings_it_back(workshop: Workshop) -> None:
    workshop.project.add_diagram(WATER, AREA, title="Pond")
    undo_last(workshop)
    assert workshop.project.diagrams(fields="summary") == []
    undo_last(workshop)
    assert [row["worlddescription"] for row in workshop.project.diagrams(fields="summary")] == ["Pond"]


# Undoing other changes


def test_undoing_a_note_restores_the_one_before(with_diagrams: Workshop) -> None:
    for note in ("First", "Second", "Third"):
        with_diagrams.project.diagram(1).set_notes(note)
    undo_last(with_diagrams)
    assert with_diagrams.project.diagram(1).notes() == "Second"
    first = next(entry for entry in with_diagrams.project.history() if entry["after"] == "notes: First")
    with_diagrams.project.undo(first["id"])
    assert with_diagrams.project.diagram(1).notes() == ""


def test_undoing_an_update_restores_what_it_changed_and_nothing_else(with_diagrams: Workshop) -> None:
    project, before = with_diagrams.project, with_diagrams.details_of(1)
    project.diagram(1).update(
        additional_metadata={"phase": 1},
        title="Lake",
        tag_codes=["CO"],
        start_date="2030-01-01",
        end_date="2031-01-01",
    )
    update = last_entry(with_diagrams)["id"]
    project.diagram(1).set_notes("Written later")
    project.undo(update)
    assert with_diagrams.details_of(1) == before | {"notes": "Written later"}


@pytest.mark.parametrize("kind", ["evaluation", "impact"])
def test_undoing_a_map_restores_the_one_before(kind: str, workshop: Workshop) -> None:
    project = workshop.project
    set_map = {"evaluation": project.system(GREEN).set_evaluation, "impact": project.system(GREEN).set_impact}[kind]
    read_map: Any = {
        "evaluation": lambda: project.system(GREEN).evaluation(),
        "impact": lambda: project.system(GREEN).impact(),
    }[kind]
    set_map(EVALUATION)
    first = read_map().to_dict()
    set_map(collection())
    assert len(read_map()) == 0
    undo_last(workshop)
    assert read_map().to_dict() == first


def test_a_change_that_cannot_be_undone_says_so(workshop: Workshop) -> None:
    workshop.project.create_tags(["New"])
    entry = last_entry(workshop)
    assert not entry["can_be_undone"]
    with pytest.raises(ApiError, match="cannot be undone") as caught:
        workshop.project.undo(entry["id"])
    assert caught.value.status_code == 409


def test_undoing_twice_changes_nothing_more(with_diagrams: Workshop) -> None:
    with_diagrams.project.diagram(1).set_notes("A mistake")
    entry = last_entry(with_diagrams)["id"]
    with_diagrams.project.undo(entry)
    after = with_diagrams.project.history()
    with_diagrams.project.undo(entry)
    assert with_diagrams.project.history() == after


# Limits


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Workshop]:
    """A workshop whose history keeps five changes, or 20 kB."""
    with running_workshop(tmp_path / "w.sqlite", limits={"history_entries": 5, "history_bytes": 20_000}) as workshop:
        yield workshop


def test_the_history_keeps_the_newest_changes(small: Workshop) -> None:
    for number in range(8):
        small.project.workshop.add_stakeholders([f"Group {number}"])
    kept = [entry["after"] for entry in small.project.history()]
    assert kept == [f"Group {number}" for number in (7, 6, 5, 4, 3)]


def test_the_history_of_large_changes_is_shorter(small: Workshop) -> None:
    small.project.add_diagram(WATER, AREA, title="Pond")
    for number in range(5):
        small.project.diagram(1).set_notes(str(number) * 9000)
    # Each entry has the note of 9000 bytes that it replaced.
    assert len(small.project.history()) == 2


def test_a_removed_diagram_without_an_entry_is_gone_for_good(small: Workshop, tmp_path: Path) -> None:
    for title in ("Pond", "Canal"):
        small.project.add_diagram(WATER, AREA, title=title)
    small.project.diagram(2).delete()
    removal = last_entry(small)["id"]
    small.project.workshop.add_stakeholders(["A"])
    assert len(snapshot(tmp_path / "w.sqlite")["features"]) == 2
    for name in "BCDE":
        small.project.workshop.add_stakeholders([name])
    with pytest.raises(NotFoundError):
        small.project.undo(removal)
    assert len(snapshot(tmp_path / "w.sqlite")["features"]) == 1
    assert small.project.add_diagram(WATER, AREA, title="Third").id in ("3", 3)


def test_a_restored_diagram_stays_when_its_removal_is_forgotten(small: Workshop) -> None:
    small.project.add_diagram(WATER, AREA, title="Pond")
    small.project.diagram(1).delete()
    undo_last(small)
    for name in "ABCDE":
        small.project.workshop.add_stakeholders([name])
    assert len(small.project.diagram(1).features()) == 1


def set_times(path: Path, days: str, condition: str = "TRUE") -> None:
    """Sets the age of the history's entries in days, by an expression of their number."""
    time = f"strftime('%Y-%m-%dT%H:%M:%f000', 'now', (-({days})) || ' days')"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE history SET changed_at = {time} WHERE project = 1 AND {condition}")


def with_entries(path: Path, count: int) -> None:
    """Makes a workshop with `count` entries in its history."""
    with running_workshop(path) as workshop:
        while len(workshop.project.history()) < count:
            workshop.project.workshop.add_stakeholders([f"Group {len(workshop.project.history())}"])


def test_the_history_forgets_changes_after_days(tmp_path: Path) -> None:
    path = tmp_path / "workshop.sqlite"
    with_entries(path, 20)
    # The newest one is of today, and each is 25 days older than the next one.
    set_times(path, "25 * (20 - number)")
    with Sandbox(path) as sandbox:
        project = sandbox.project(username=ADMINISTRATOR)
        assert [entry["id"] for entry in project.history()] == list(range(20, 5, -1))
        with pytest.raises(NotFoundError):
            project.undo(5)
        project.add_team("Planners")
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT min(number) FROM history WHERE project = 1").fetchone() == (6,)


JUMPS = {
    "a clock that began in the year 2000, and was set": ("9000", "number < 7"),
    "a clock that was in the future for a while": ("-9000", "number BETWEEN 5 AND 7"),
    "a clock that is in the past by now": ("-900", "TRUE"),
    "a clock that went ahead": ("900", "TRUE"),
}


@pytest.mark.parametrize("jump", JUMPS)
def test_a_clock_that_jumped_takes_nothing_from_the_history(jump: str, tmp_path: Path) -> None:
    path = tmp_path / "workshop.sqlite"
    with_entries(path, 10)
    set_times(path, *JUMPS[jump])
    with Sandbox(path) as sandbox:
        project = sandbox.project(username=ADMINISTRATOR)
        assert len(project.history()) == 10
        project.add_team("Planners")
        project.add_team("Builders")
        assert [entry["id"] for entry in project.history()] == list(range(12, 0, -1))
