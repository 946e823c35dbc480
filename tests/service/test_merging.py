"""Offline work comes home: an archive of a copy is merged into the project from which the copy was made."""

import itertools
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pygeodesign
from archives import members_of, write_zip
from demo import demo_sandbox
from pygeodesign import (
    ApiError,
    ArchiveError,
    BadRequestError,
    InputError,
    PermissionDeniedError,
    Project,
    Sandbox,
    types,
)
from pygeodesign.types import MergeReport
from small_project import ADMINISTRATOR, GREEN, MEMBER, STRANGER, WATER, Workshop, running_workshop

DRAWN = {"type": "Polygon", "coordinates": [[[-9.15, 38.72], [-9.14, 38.72], [-9.14, 38.73], [-9.15, 38.72]]]}
MOVED = {"type": "Polygon", "coordinates": [[[-9.16, 38.72], [-9.14, 38.72], [-9.14, 38.73], [-9.16, 38.72]]]}


def add(project: Project, title: str, system: int = WATER) -> int:
    return int(project.add_diagram(system, DRAWN, title=title).id)


def titles(project: Project) -> Counter[str]:
    return Counter(str(diagram["description"]) for diagram in project.diagrams(fields="details"))


def details(project: Project, one: int) -> dict[str, Any]:
    return next(dict(diagram) for diagram in project.diagrams(fields="details") if diagram["id"] == one)


def in_short(things: Any) -> list[tuple[str, Any]]:
    return [(thing["kind"], thing["id"]) for thing in things]


def is_empty(report: MergeReport) -> bool:
    return not any(report[name] for name in ("added", "changed", "removed", "conflicts", "left"))


class Home:
    """A project with copies of it, each made of an archive and changed on its own."""

    def __init__(self, workshop: Workshop, folder: Path) -> None:
        self.workshop, self.folder = workshop, folder
        self.project = workshop.project
        self._open = ExitStack()
        self._numbers = itertools.count()

    def copy_of(self, project: Project) -> Project:
        path = self.archive_of(project)
        sandbox = self._open.enter_context(Sandbox(project=path))
        return sandbox.client().project(project.id)

    def archive_of(self, project: Project) -> Path:
        path = self.folder / f"{next(self._numbers)}.zip"
        project.archive(path, progress=False)
        return path

    def merge(self, copy: Project, **options: Any) -> MergeReport:
        return self.project.merge(self.archive_of(copy), **options)

    def close(self) -> None:
        self._open.close()


@pytest.fixture
def demo_project() -> Iterator[Project]:
    """A separate demo project."""
    with demo_sandbox() as sandbox:
        yield sandbox.client().project(sandbox.project_ids[0])


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with running_workshop() as workshop:
        home = Home(workshop, tmp_path)
        yield home
        home.close()


def test_an_archive_of_a_copy_that_nobody_changed_brings_nothing(demo_project: Project, tmp_path: Path) -> None:
    demo_project.archive(tmp_path / "base.zip", progress=False)
    with Sandbox(project=tmp_path / "base.zip") as copy:
        copy.client().project(demo_project.id).archive(tmp_path / "same.zip", progress=False)
    before = demo_project.change_id()
    report = demo_project.merge(tmp_path / "same.zip", dry_run=True)
    assert is_empty(report)
    assert report["complete"]
    assert demo_project.change_id() == before


def test_what_only_the_copy_changed_is_brought(home: Home) -> None:
    first, second, third = (add(home.project, title) for title in ("One", "Two", "Three"))
    home.project.diagram(second).update(start_date="2031-01-01", end_date="2032-01-01")
    copy = home.copy_of(home.project)
    copy.diagram(first).edit(title="Uno", geometry=MOVED, cost=5e6, cost_type="total", system=GREEN, kind="policy")
    copy.diagram(second).set_notes("Ask the school.")
    copy.diagram(second).edit(undated=True)
    copy.diagram(third).delete()
    fourth = add(copy, "Four")
    copy.diagram(fourth).update(start_date="2030-05-01", end_date="2030-06-01", tag_codes=["QW"])

    report = home.merge(copy)

    assert sorted(in_short(report["changed"])) == [("diagram", first), ("diagram", second)]
    assert in_short(report["added"]) == [("diagram", fourth)]
    assert in_short(report["removed"]) == [("diagram", third)]
    assert report["complete"]
    for one in (first, second, fourth):
        theirs, ours = details(copy, one), details(home.project, one)
        for computed in ("rank", "created_at") if one != fourth else ():
            theirs.pop(computed), ours.pop(computed)
        assert ours == theirs
    assert [summary["id"] for summary in home.project.diagrams(fields="summary")] == [first, second, fourth]
    assert home.project.costs().total == pytest.approx(copy.costs().total)


def test_the_author_of_a_diagram_stays_its_author(home: Home) -> None:
    path = home.archive_of(home.project)
    with Sandbox(project=path) as sandbox:
        sandbox.client(MEMBER).project(home.project.id).add_diagram(WATER, DRAWN, title="By a member")
        operators = sandbox.client().project(home.project.id)
        add(operators, "By whoever ran the copy")
        operators.archive(path, progress=False)
    home.project.merge(path)
    authors = {summary["worlddescription"]: summary["author"] for summary in home.project.diagrams(fields="summary")}
    assert authors == {"By a member": MEMBER, "By whoever ran the copy": ADMINISTRATOR}


def test_ids_that_both_sides_gave_get_a_new_one_and_designs_follow(home: Home) -> None:
    home.project.add_team("Youth")
    copy = home.copy_of(home.project)
    here, there = add(home.project, "Here"), add(copy, "There")
    assert here == there
    team = copy.teams()[0]["id"]
    design = copy.team(team).save("First draft", diagrams=[there])
    new_team = copy.add_team("Conservation", color="#123456")
    home.project.add_team("Harbour")
    second = copy.team(new_team["id"]).save("Wild", diagrams=[there])
    copy.member(MEMBER).set_selection([there])

    report = home.merge(copy)

    moved = next(thing["here"] for thing in report["added"] if thing["kind"] == "diagram")
    assert moved not in (here, None)
    assert titles(home.project) == Counter(Here=1, There=1)
    team_here = next(int(str(thing["here"])) for thing in report["added"] if thing["kind"] == "team")
    assert {team["title"] for team in home.project.teams()} == {"Youth", "Harbour", "Conservation"}
    assert home.project.design(design["id"], team).diagram_ids() == [moved]
    assert home.project.design(second["id"], team_here).diagram_ids() == [moved]
    assert {feature["properties"]["diagramid"] for feature in home.project.member(MEMBER).selection()} == {moved}
    assert is_empty(home.merge(copy))


def test_an_id_that_the_copy_gives_after_a_merge_is_a_new_diagram(home: Home) -> None:
    copy = home.copy_of(home.project)
    add(home.project, "Here")
    add(copy, "There")
    (moved,) = home.merge(copy)["added"]
    assert add(copy, "Later") == moved["here"], "the id that the other diagram has here"

    report = home.merge(copy, prefer="archive")

    assert [thing["title"] for thing in report["added"]] == ["Later"]
    assert titles(home.project) == Counter(Here=1, There=1, Later=1)
    assert is_empty(home.merge(copy))


def test_what_both_sides_changed_is_listed_and_left_alone(home: Home) -> None:
    one = add(home.project, "Dune")
    copy = home.copy_of(home.project)
    home.project.diagram(one).edit(title="Our dune")
    copy.diagram(one).edit(title="Their dune")
    copy.diagram(one).set_notes("Sand from the harbour")

    report = home.merge(copy)

    values = {"before": "Dune", "here": "Our dune", "archive": "Their dune"}
    assert [conflict["fields"] for conflict in report["conflicts"]] == [{"title": values}]
    assert [thing["fields"] for thing in report["changed"]] == [["notes"]], "one side's change is brought all the same"
    assert not report["complete"]
    assert titles(home.project) == Counter({"Our dune": 1})
    assert home.merge(copy)["conflicts"] == report["conflicts"], "it stays open"


@pytest.mark.parametrize(("prefer", "title"), [("here", "Our dune"), ("archive", "Their dune")])
def test_a_preference_decides_for_good(home: Home, prefer: Any, title: str) -> None:
    one, removed = add(home.project, "Dune"), add(home.project, "Pier")
    copy = home.copy_of(home.project)
    home.project.diagram(one).edit(title="Our dune")
    copy.diagram(one).edit(title="Their dune")
    home.project.diagram(removed).edit(title="Longer pier")
    copy.diagram(removed).delete()
    report = home.merge(copy, prefer=prefer)
    assert {conflict["preferred"] for conflict in report["conflicts"]} == {prefer}
    assert report["complete"]
    assert titles(home.project) == Counter([title, *(["Longer pier"] if prefer == "here" else [])])
    assert is_empty(home.merge(copy))


def test_what_was_removed_here_and_changed_there_comes_back_where_the_archive_counts(home: Home) -> None:
    one = add(home.project, "Dune")
    copy = home.copy_of(home.project)
    home.project.diagram(one).delete()
    copy.diagram(one).edit(title="Higher dune")
    assert list(home.merge(copy)["conflicts"][0]["fields"]) == ["removed"]
    assert titles(home.project) == Counter()
    assert home.merge(copy, prefer="archive")["complete"]
    assert titles(home.project) == Counter({"Higher dune": 1})


def test_a_dry_run_tells_the_same_and_writes_nothing(home: Home) -> None:
    one = add(home.project, "Dune")
    copy = home.copy_of(home.project)
    copy.diagram(one).edit(title="Their dune")
    add(copy, "Pier")
    path, before = home.archive_of(copy), home.project.change_id()
    planned = home.project.merge(path, dry_run=True)
    assert home.project.change_id() == before
    done = home.project.merge(path)
    for name in ("changed", "removed", "conflicts", "left", "complete"):
        assert planned[name] == done[name], name
    assert in_short(planned["added"]) == in_short(done["added"])


def test_after_merging_the_archive_is_brought_up_to_date(home: Home) -> None:
    copy = home.copy_of(home.project)
    add(copy, "Pier")
    path = home.archive_of(copy)
    with pytest.raises(InputError, match="merge"):
        home.project.sync(path)
    home.project.merge(path)
    home.project.sync(path)
    assert titles(pygeodesign.open(path)) == titles(home.project) == Counter(Pier=1)


def test_a_report_has_the_documented_types(home: Home) -> None:
    one = add(home.project, "Dune")
    copy = home.copy_of(home.project)
    home.project.diagram(one).edit(title="Our dune")
    copy.diagram(one).edit(title="Their dune")
    add(copy, "Pier")
    copy.study_area.set_boundaries(DRAWN)
    report = home.merge(copy)
    found: list[tuple[Any, Any]] = [
        (report, types.MergeReport),
        (report["added"][0], types.MergedThing),
        (report["conflicts"][0], types.MergeConflict),
        (report["conflicts"][0]["fields"]["title"], types.ConflictingValues),
        (report["left"][0], types.LeftThing),
        (copy.workshop.origins()[0], types.WorkState),
    ]
    for value, documented in found:
        assert set(value) == set(documented.__annotations__)


def test_an_open_conflict_keeps_the_archive_from_being_overwritten(home: Home) -> None:
    one = add(home.project, "Dune")
    copy = home.copy_of(home.project)
    home.project.diagram(one).edit(title="Our dune")
    copy.diagram(one).edit(title="Their dune")
    path = home.archive_of(copy)
    home.project.merge(path)
    with pytest.raises(InputError, match="merge"):
        home.project.sync(path)
    home.project.merge(path, prefer="here")
    home.project.sync(path)


def test_an_older_archive_of_a_copy_brings_nothing_back(home: Home) -> None:
    one = add(home.project, "Dune")
    copy = home.copy_of(home.project)
    copy.diagram(one).edit(title="First")
    older = home.archive_of(copy)
    copy.diagram(one).edit(title="Second")
    home.merge(copy)
    report = home.project.merge(older)
    assert report["superseded_by"]
    assert titles(home.project) == Counter(Second=1)
    home.project.sync(older)


def test_a_copy_of_a_copy_comes_home(home: Home) -> None:
    one = add(home.project, "Dune")
    first_evening = home.copy_of(home.project)
    first_evening.diagram(one).edit(title="First evening")
    early = add(first_evening, "Early")
    second_evening = home.copy_of(first_evening)
    second_evening.diagram(one).edit(title="Second evening")
    add(second_evening, "Late")
    add(first_evening, "Late elsewhere")  # The same one.
    home.merge(first_evening)
    second_evening.diagram(early).set_notes("Go on")
    report = home.merge(second_evening)
    assert titles(home.project) == Counter(["Second evening", "Early", "Late", "Late elsewhere"])
    assert report["complete"]
    assert is_empty(home.merge(second_evening))
    assert is_empty(home.merge(first_evening))


def test_an_archive_of_another_project_is_refused(home: Home, demo_project: Project, tmp_path: Path) -> None:
    demo_project.archive(tmp_path / "other.zip", progress=False)
    with pytest.raises(InputError, match="is an archive of the project StatenIsland2050"):
        home.project.merge(tmp_path / "other.zip")


def test_an_archive_of_a_project_that_only_has_the_same_id_is_refused(tmp_path: Path) -> None:
    with Sandbox() as one, Sandbox() as other:
        other.client().project("StatenIsland2050").archive(tmp_path / "other.zip", progress=False)
        with pytest.raises(ApiError, match="no common origin") as caught:
            one.client().project("StatenIsland2050").merge(tmp_path / "other.zip")
    assert caught.value.status_code == 409


def test_an_archive_that_lacks_what_its_reader_was_refused_removes_nothing(home: Home) -> None:
    team = home.project.add_team("Youth")["id"]
    design = home.project.team(team).save("Draft", diagrams=[add(home.project, "Dune")])
    path = home.archive_of(home.copy_of(home.project))
    members = members_of(path)
    missing = f"cteams/{team}.json"
    del members[missing]
    manifest = json.loads(members["manifest.json"])
    del manifest["members"][missing]
    members["manifest.json"] = json.dumps(manifest | {"refused": {missing: 403}}).encode()
    with pytest.raises(BadRequestError, match=missing):
        home.project.merge(write_zip(path, members))
    assert home.project.designs(team)[0]["id"] == design["id"]


def test_what_is_no_archive_is_refused_before_anything_is_sent(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "no.zip"
    path.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ArchiveError):
        home.project.merge(path)
    url = f"{home.workshop.sandbox.url}projects/{home.project.id}/merge/"
    headers = {"Authorization": f"Token {home.workshop.sandbox.token(ADMINISTRATOR)}"}
    answer = requests.post(url, data=path.read_bytes(), headers=headers, timeout=20)
    assert answer.status_code == 400
    assert "zip" in answer.json()["detail"]
    answer = requests.post(f"{url}?prefer=mine", data=b"", headers=headers, timeout=20)
    assert answer.status_code == 400
    assert "prefer" in answer.json()["detail"]


def test_a_member_brings_what_is_his(home: Home) -> None:
    theirs = add(home.project, "The administrator's")
    own = int(home.workshop.project_of(MEMBER).add_diagram(WATER, DRAWN, title="His").id)
    path = home.archive_of(home.workshop.project_of(MEMBER))
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(home.project.id)
        copy.diagram(theirs).edit(title="Changed by him")
        copy.diagram(own).edit(title="His own")
        copy.system(WATER).edit(cost=1)
        add(copy, "New")
        copy.archive(path, progress=False)
    member = home.workshop.project_of(MEMBER)
    report = member.merge(path)
    assert titles(home.project) == Counter(["The administrator's", "His own", "New"])
    assert sorted(in_short(report["left"])) == [("diagram", theirs), ("system", WATER)]
    assert all("administrator" in thing["reason"] for thing in report["left"])
    assert not report["complete"]
    assert in_short(home.project.merge(path)["changed"]) == [("system", WATER), ("diagram", theirs)]


def test_votes_and_groups_come_home_with_the_diagrams_that_they_are_of(home: Home) -> None:
    first, second, third = (add(home.project, title) for title in ("One", "Two", "Three"))
    home.workshop.project_of(MEMBER).diagram(first).vote(1)
    home.workshop.project_of(MEMBER).diagram(third).vote(2, "Shade")
    home.project.group_diagrams({"Harbour": [first, second]})
    path = home.archive_of(home.project)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(home.project.id)
        assert copy.votes() == home.project.votes() and copy.diagram_groups() == home.project.diagram_groups()
        member = sandbox.client(MEMBER).project(copy.id)
        added = add(copy, "Four")
        member.diagram(first).vote(-2, "It floods.")
        member.diagram(third).withdraw_vote()
        member.diagram(added).vote(2)
        copy.diagram(second).vote(1)
        copy.group_diagrams({"Harbour": [second, added], "Hills": [third]})
        copy.archive(path, progress=False)
    home.project.group_diagrams({"Harbour": [first, second, third]})
    other = add(home.project, "The other four")
    assert other == added

    report = home.project.merge(path)

    (new,) = [thing["here"] for thing in report["added"] if thing["kind"] == "diagram"]
    assert report["complete"] and not report["conflicts"] and not report["left"]
    voted = {(vote["diagram"], vote["username"]): (vote["vote"], vote["comment"]) for vote in home.project.votes()}
    assert voted == {
        (first, MEMBER): (-2, "It floods."),
        (second, ADMINISTRATOR): (1, ""),
        (new, MEMBER): (2, ""),
    }
    groups = {group["group_name"]: group["diagrams"] for group in home.project.diagram_groups()}
    assert groups == {"Harbour": sorted([second, third, int(new or 0)]), "Hills": [third]}
    assert is_empty(home.project.merge(path))


def test_two_votes_of_one_member_are_a_conflict_and_nobody_votes_for_another(home: Home) -> None:
    one = add(home.project, "One")
    member = home.workshop.project_of(MEMBER)
    path = home.archive_of(home.project)
    with Sandbox(project=path) as sandbox:
        sandbox.client(MEMBER).project(home.project.id).diagram(one).vote(2)
        sandbox.client().project(home.project.id).archive(path, progress=False)
    home.project.add_member(STRANGER)
    report = home.workshop.project_of(STRANGER).merge(path)
    assert [thing["reason"] for thing in report["left"]] == ["only the voter or an administrator may merge this"]
    member.diagram(one).vote(-1)
    home.project.workshop.set_activities(selecting=False, message="The votes are counted.")
    with pytest.raises(PermissionDeniedError, match="counted"):
        member.merge(path, prefer="archive")
    home.project.workshop.set_activities(selecting=True)
    (conflict,) = member.merge(path)["conflicts"]
    assert conflict["fields"] == {
        f"vote of {MEMBER}": {"before": None, "here": [-1, ""], "archive": [2, ""]},
    }
    assert member.merge(path, prefer="archive")["complete"]
    assert [vote["vote"] for vote in home.project.votes()] == [2]


def test_a_system_that_a_copy_added_comes_home_with_its_diagrams(home: Home) -> None:
    copy = home.copy_of(home.project)
    home.project.add_system("Culture", "#C77CB0")
    theirs = copy.add_system("Tourism", "#4FB3A9", cost=800_000)
    add(copy, "A kiosk", theirs.id)
    report = home.merge(copy)
    assert [(thing["kind"], thing["title"]) for thing in report["added"]] == [
        ("system", "Tourism"),
        ("diagram", "A kiosk"),
    ]
    assert home.project.diagram("A kiosk").system.name == "Tourism"
    assert home.project.costs().total == pytest.approx(copy.costs().total)
    assert is_empty(home.merge(copy))


def test_a_diagram_waits_for_the_system_that_only_an_administrator_may_bring(home: Home) -> None:
    path = home.archive_of(home.project)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(home.project.id)
        add(copy, "A kiosk", copy.add_system("Tourism", "#4FB3A9").id)
        copy.archive(path, progress=False)
    report = home.workshop.project_of(MEMBER).merge(path)
    assert [(thing["kind"], thing["title"]) for thing in report["left"]] == [
        ("system", "Tourism"),
        ("diagram", "A kiosk"),
    ]
    assert not report["complete"] and titles(home.project) == Counter()
    assert home.project.merge(path)["complete"]
    assert titles(home.project) == Counter({"A kiosk": 1})


def test_comments_come_home_with_what_they_are_about(home: Home) -> None:
    one, two = add(home.project, "One"), add(home.project, "Two")
    member = home.workshop.project_of(MEMBER)
    asked, wrong = member.diagram(one).comment("Why here?"), member.diagram(one).comment("A mistake")
    member.diagram(two).comment("Why there?")
    path = home.archive_of(home.project)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(home.project.id)
        assert copy.comments() == home.project.comments()
        copied = sandbox.client(MEMBER).project(copy.id)
        added = add(copy, "Three")
        copy.reply(asked, "It is low.")
        copied.reply(copy.diagram(added).comment("And here?"), "Yes.")
        copy.reply(copied.comment("The bus turns here.", place=(-9.15, 38.72)), "I see.")
        copy.edit_comment(asked, resolved=True)
        copied.delete_comment(wrong)
        # A removed diagram hides its comments, which are not removed.
        copy.diagram(two).delete()
        copy.archive(path, progress=False)
    home.workshop.project_of(MEMBER).reply(asked, "Who knows?")
    assert add(home.project, "The other three") == added

    report = home.project.merge(path)

    assert report["complete"] and not report["conflicts"] and not report["left"]
    kinds = Counter(thing["kind"] for thing in report["added"])
    assert kinds == {"diagram": 1, "comment": 2, "reply": 3}
    (new,) = [thing["here"] for thing in report["added"] if thing["kind"] == "diagram"]
    comments = {comment["text"]: comment for comment in home.project.comments()}
    assert {text: (comment["author"], comment["diagram"]) for text, comment in comments.items()} == {
        "Why here?": (MEMBER, one),
        "It is low.": (ADMINISTRATOR, one),
        "Who knows?": (MEMBER, one),
        "And here?": (ADMINISTRATOR, new),
        "Yes.": (MEMBER, new),
        "The bus turns here.": (MEMBER, None),
        "I see.": (ADMINISTRATOR, None),
    }
    assert comments["Yes."]["reply_to"] == comments["And here?"]["id"]
    assert comments["Why here?"]["resolved_by"] == ADMINISTRATOR
    assert is_empty(home.project.merge(path))
    removal = next(entry for entry in home.project.history(diagram=two) if entry["can_be_undone"])
    home.project.undo(removal["id"])
    assert "Why there?" in {comment["text"] for comment in home.project.comments()}


def test_a_comment_that_both_sides_changed_is_a_conflict_and_replies_keep_it(home: Home) -> None:
    asked, doubted = (home.project.comment(text, place=(-9.15, 38.72)) for text in ("Why?", "Really?"))
    copy = home.copy_of(home.project)
    copy.edit_comment(asked, text="Why here?")
    copy.delete_comment(doubted)
    home.project.edit_comment(asked, text="Why now?")
    home.project.reply(doubted, "Yes.")
    report = home.merge(copy)
    (conflict,) = report["conflicts"]
    assert (conflict["kind"], conflict["id"], conflict["title"]) == ("comment", asked["id"], "Why here?")
    assert [thing["reason"] for thing in report["left"]] == ["it has replies here"]
    assert home.merge(copy, prefer="archive")["complete"]
    assert [comment["text"] for comment in home.project.comments()] == ["Why here?", "Really?", "Yes."]


def test_a_member_brings_own_comments_and_resolved_threads(home: Home) -> None:
    asked = home.project.comment("Why?", place=(-9.15, 38.72))
    path = home.archive_of(home.project)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client(MEMBER).project(home.project.id)
        copy.reply(asked, "Because.")
        copy.edit_comment(asked, resolved=True)
        sandbox.client().project(copy.id).archive(path, progress=False)
    home.project.add_member(STRANGER)
    report = home.workshop.project_of(STRANGER).merge(path)
    assert [thing["reason"] for thing in report["left"]] == [f"only {MEMBER} or an administrator may merge this"]
    assert home.project.comments()[0]["resolved"]
    assert home.workshop.project_of(MEMBER).merge(path)["complete"]
    assert [comment["text"] for comment in home.project.comments()] == ["Why?", "Because."]


def test_closed_drawing_refuses_what_would_be_drawn(home: Home) -> None:
    path = home.archive_of(home.project)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(home.project.id)
        add(copy, "New")
        copy.archive(path, progress=False)
    home.project.workshop.set_activities(drawing=False, message="We vote now.")
    with pytest.raises(PermissionDeniedError, match="We vote now"):
        home.workshop.project_of(MEMBER).merge(path)
    assert titles(home.project) == Counter()
    assert home.project.merge(path)["complete"], "an administrator may"


def test_figures_of_systems_and_the_title_come_home_and_maps_are_told(home: Home) -> None:
    copy = home.copy_of(home.project)
    copy.system(WATER).edit(cost=99_000, target_ha=12)
    copy.edit(title="Lisboa")
    copy.study_area.set_boundaries(DRAWN)
    copy.study_area.set_context(DRAWN)
    report = home.merge(copy)
    assert home.project.info()["projecttitle"] == "Lisboa"
    system = next(system for system in home.project.systems() if system["id"] == WATER)
    assert (system["cost"], system["target_ha"]) == (99_000, 12)
    assert in_short(report["left"]) == [("map", "boundaries"), ("map", "context")]
    assert not report["complete"]


# Random edits on both sides

EDITS = st.lists(
    st.tuples(
        st.sampled_from(["here", "first copy", "second copy"]),
        st.sampled_from(
            [
                "add",
                "title",
                "notes",
                "delete",
                "select",
                "vote",
                "group",
                "save",
                "merge",
                "merge",
                "merge again",
                "sync",
            ]
        ),
        st.integers(0, 5),
    ),
    min_size=4,
    max_size=14,
)


class Work:
    """Members' work, and its expected result."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.sides = {"here": home.project}
        self.ids = {"here": [add(home.project, f"Base {number}") for number in range(3)]}
        home.project.add_team("Youth")
        for name in ("first copy", "second copy"):
            self.sides[name] = home.copy_of(home.project)
            self.ids[name] = list(self.ids["here"])
        self.words = itertools.count()
        self.added: set[str] = set()
        self.deleted: set[str] = set()
        self.designs: set[str] = set()
        self.groups: set[str] = set()
        self.archives: dict[str, list[Path]] = {"first copy": [], "second copy": []}

    def step(self, side: str, edit: str, number: int) -> None:
        project, ids = self.sides[side], self.ids[side]
        word = f"{edit} {next(self.words)}"
        one = ids[number % len(ids)] if ids else None
        if edit == "add":
            ids.append(add(project, word))
            self.added.add(word)
        elif edit in ("merge", "merge again", "sync"):
            self._bring(side, edit, number)
        elif one is None:
            return
        elif edit == "title":
            before = details(project, one)["description"]
            # Added diagrams are identified by their titles; titles of the base may change.
            if before not in self.added:
                project.diagram(one).edit(title=word)
        elif edit == "notes":
            project.diagram(one).set_notes(word)
        elif edit == "delete":
            self.deleted.add(details(project, one)["description"])
            project.diagram(one).delete()
            ids.remove(one)
        elif edit == "select":
            project.member(MEMBER).change_selection(add=[one])
        elif edit == "vote":
            project.diagram(one).vote(number % 5 - 2, word)
        elif edit == "group":
            project.group_diagrams({word: [one]})
            self.groups.add(word)
        elif edit == "save":
            project.team(project.teams()[0]["id"]).save(word, diagrams=[one])
            self.designs.add(word)

    def _bring(self, side: str, edit: str, number: int) -> None:
        if side == "here":
            return
        home, archives = self.home.project, self.archives[side]
        if edit == "merge" or not archives:
            archives.append(self.home.archive_of(self.sides[side]))
        path = archives[number % len(archives)]
        if edit == "sync":
            try:
                home.sync(path, progress=False)
                archives.remove(path)
            except InputError:
                return
            return
        planned = home.merge(path, dry_run=True)
        report = home.merge(path)
        assert [planned[name] for name in ("changed", "removed", "conflicts")] == [
            report[name] for name in ("changed", "removed", "conflicts")
        ]
        again = home.merge(path)
        assert not any(again[name] for name in ("added", "changed", "removed")), again
        assert again["complete"] == report["complete"]
        self.ids["here"] = [summary["id"] for summary in home.diagrams(fields="summary")]

    def finish(self, order: list[str]) -> None:
        for side in order:
            path = self.home.archive_of(self.sides[side])
            assert self.home.project.merge(path, prefer="archive")["complete"]
            self.home.project.sync(path, progress=False)
        found = titles(self.home.project)
        assert max(found.values(), default=0) <= 1, "nothing is there twice"
        assert self.added - self.deleted <= set(found), "nothing is lost"
        designs = self.home.project.designs(self.home.project.teams()[0]["id"])
        assert Counter(design["description"] for design in designs) == Counter(self.designs)
        # A group ends with its last diagram.
        assert {group["group_name"] for group in self.home.project.diagram_groups()} <= self.groups
        votes = [(vote["diagram"], vote["username"]) for vote in self.home.project.votes()]
        assert len(votes) == len({*votes})


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=EDITS, order=st.permutations(["first copy", "second copy"]))
def test_nothing_is_lost_and_nothing_is_doubled(edits: Any, order: list[str], tmp_path_factory: Any) -> None:
    with running_workshop() as workshop:
        home = Home(workshop, tmp_path_factory.mktemp("merging"))
        try:
            work = Work(home)
            for edit in edits:
                work.step(*edit)
            work.finish(order)
        finally:
            home.close()


@pytest.mark.slow
def test_a_service_that_is_killed_while_it_merges_has_merged_all_or_nothing(tmp_path: Path) -> None:
    database = tmp_path / "service.sqlite"
    with running_workshop(database) as workshop:
        token, one = workshop.sandbox.token(ADMINISTRATOR), workshop.id
        home = Home(workshop, tmp_path)
        copy = home.copy_of(home.project)
        for number in range(40):
            add(copy, f"Diagram {number}")
        path = home.archive_of(copy)
        home.close()
    for wait in (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 5):
        with serving(database) as (url, served):
            sender = subprocess.Popen([sys.executable, "-c", SEND, token, url, one, str(path)])
            with suppress(subprocess.TimeoutExpired):
                sender.wait(0.3 + wait)
            served.kill()
            sender.wait()
    with Sandbox(database, project=None) as sandbox:
        project = sandbox.client(ADMINISTRATOR).project(one)
        assert project.merge(path)["complete"]
        assert titles(project) == Counter(f"Diagram {number}" for number in range(40))


@contextmanager
def serving(database: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A service in its own process, and its address."""
    command = [sys.executable, "-m", "pygeodesign", "serve", "--port", "0", "--db", str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as served:
        assert served.stdout is not None
        url = next(word for line in served.stdout for word in line.split() if word.startswith("http"))
        yield url, served


SEND = """
import sys, pygeodesign
token, url, one, path = sys.argv[1:]
try:
    pygeodesign.Client(token, url, retries=0).project(one).merge(path)
except pygeodesign.GeodesignError:
    pass
"""
