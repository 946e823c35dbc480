"""Votes that stay hidden until an administrator shows them: members see only their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from event_reader import watching
from pygeodesign import InputError, PermissionDeniedError, Sandbox
from small_project import ADMINISTRATOR, MEMBER, STRANGER, WATER, Workshop, running_workshop

AREA = {"type": "Polygon", "coordinates": [[[-9.2, 38.7], [-9.1, 38.7], [-9.1, 38.75], [-9.2, 38.75], [-9.2, 38.7]]]}


@pytest.fixture
def round_of_votes() -> Iterator[Workshop]:
    """Two members have voted, and votes are hidden."""
    with running_workshop() as workshop:
        for member in (MEMBER, STRANGER):
            workshop.project.add_member(member)
        workshop.project.add_diagram(WATER, AREA, title="Pond")
        workshop.project.workshop.set_activities(votes_hidden=True)
        workshop.project_of(MEMBER).diagram(1).vote(2, "Cool")
        workshop.project_of(STRANGER).diagram(1).vote(-1)
        yield workshop


def voters(workshop: Workshop, user: str) -> list[str]:
    return [vote["username"] for vote in workshop.project_of(user).votes()]


def test_members_see_only_their_own_votes_until_the_round_ends(round_of_votes: Workshop) -> None:
    assert round_of_votes.project_of(MEMBER).workshop.activities()["votes_hidden"]
    assert [voters(round_of_votes, user) for user in (MEMBER, STRANGER)] == [[MEMBER], [STRANGER]]
    assert voters(round_of_votes, ADMINISTRATOR) == [MEMBER, STRANGER]
    assert not round_of_votes.project.workshop.set_activities(votes_hidden=False)["votes_hidden"]
    assert [voters(round_of_votes, user) for user in (MEMBER, STRANGER)] == [[MEMBER, STRANGER]] * 2


def test_an_answer_says_that_votes_are_left_out(round_of_votes: Workshop) -> None:
    hidden = [round_of_votes.send("GET", "votes/", user=user).json().get("hidden") for user in (MEMBER, ADMINISTRATOR)]
    assert hidden == [True, None]


def test_no_reader_keeps_the_votes_that_another_reader_sees(round_of_votes: Workshop) -> None:
    """A browser that two members use in turn may have the votes of the first."""
    url = f"{round_of_votes.sandbox.url}projects/{round_of_votes.id}/votes/"

    def read(user: str, tag: str = "") -> requests.Response:
        token = round_of_votes.sandbox.token(user)
        return requests.get(url, headers={"Authorization": f"Token {token}", "If-None-Match": tag}, timeout=20)

    tag = read(ADMINISTRATOR).headers["etag"]
    assert [read(user, tag).status_code for user in (ADMINISTRATOR, MEMBER, STRANGER)] == [304, 200, 200]
    assert read(MEMBER).headers["cache-control"] == "private, no-cache"


def test_no_member_finds_hidden_votes_in_the_history(round_of_votes: Workshop) -> None:
    def entries(user: str) -> list[str | None]:
        history = round_of_votes.project_of(user).history()
        return [entry["username"] for entry in history if entry["operation"] == "set_vote"]

    assert [entries(user) for user in (MEMBER, ADMINISTRATOR)] == [[MEMBER], [STRANGER, MEMBER]]
    round_of_votes.project.workshop.set_activities(votes_hidden=False)
    assert entries(MEMBER) == [STRANGER, MEMBER]


def test_only_administrators_hide_and_show_votes(round_of_votes: Workshop) -> None:
    with pytest.raises(PermissionDeniedError, match="administrator"):
        round_of_votes.project_of(MEMBER).workshop.set_activities(votes_hidden=False)
    with pytest.raises(InputError, match="votes_hidden="):
        round_of_votes.project.workshop.set_activities()


def test_the_end_of_a_round_is_in_the_history_and_heard_by_watchers(round_of_votes: Workshop) -> None:
    with watching(round_of_votes, user=MEMBER) as events:
        round_of_votes.project.workshop.set_activities(votes_hidden=False)
        event = next(event for event in events if event.name == "activity")
    assert event.data["id"] == "votes_hidden"
    entry = round_of_votes.project_of(MEMBER).history()[0]
    assert (entry["operation"], entry["subject"], entry["after"]) == ("set_activities", "votes", "shown")


def test_an_archive_by_an_administrator_has_all_votes(round_of_votes: Workshop, tmp_path: Path) -> None:
    round_of_votes.project.archive(tmp_path / "all.zip", progress=False)
    with Sandbox(project=tmp_path / "all.zip") as sandbox:
        assert sandbox.client().project(round_of_votes.id).votes() == round_of_votes.project.votes()


def test_an_archive_without_hidden_votes_withdraws_none(round_of_votes: Workshop, tmp_path: Path) -> None:
    """A copy hides votes, too, and one of its members archives it."""
    path = tmp_path / "copy.zip"
    round_of_votes.project.archive(path, progress=False)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(round_of_votes.id)
        copy.workshop.set_activities(votes_hidden=True)
        sandbox.client(MEMBER).project(copy.id).archive(path, progress=False)
    with pytest.raises(Exception, match="the votes of others"):
        round_of_votes.project.merge(path)
    assert voters(round_of_votes, ADMINISTRATOR) == [MEMBER, STRANGER]
