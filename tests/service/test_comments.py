"""Comments: threads on diagrams, designs and places. Members write, guests read."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import requests

from event_reader import watching
from pygeodesign import (
    ApiError,
    BadRequestError,
    Client,
    InputError,
    NotFoundError,
    PermissionDeniedError,
    Project,
    Sandbox,
)
from small_project import MEMBER, STRANGER, WATER, Workshop, running_workshop

AREA = {"type": "Polygon", "coordinates": [[[-9.2, 38.7], [-9.1, 38.7], [-9.1, 38.75], [-9.2, 38.75], [-9.2, 38.7]]]}
PLACE = (-9.15, 38.72)
NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def talk() -> Iterator[Workshop]:
    """A project with a diagram, a design and three members, of whom the first administers it."""
    with running_workshop() as workshop:
        workshop.project.add_member(MEMBER)
        workshop.project.add_member(STRANGER)
        diagram = workshop.project.add_diagram(WATER, AREA, title="Pond")
        workshop.project.add_team("Residents").save("First", [diagram.id])
        yield workshop


def guest_of(talk: Workshop, *, names: bool = True) -> Project:
    link = talk.project.workshop.add_link("Newspaper", "2999-06-01", names=names)
    return Client(link["token"], talk.sandbox.url).project(talk.id)


def texts(project: Project) -> list[str]:
    return [comment["text"] for comment in project.comments()]


def test_members_answer_each_other_and_a_guest_reads_it(talk: Workshop) -> None:
    question = talk.project_of(MEMBER).diagram("Pond").comment("Why here?")
    talk.project_of(STRANGER).reply(question, "It is low <b>here</b>.")
    thread = guest_of(talk).diagram("Pond").comments()
    assert [(row["author"], row["text"], row["reply_to"], row["diagram"]) for row in thread] == [
        (MEMBER, "Why here?", None, 1),
        (STRANGER, "It is low <b>here</b>.", question["id"], 1),
    ]
    with pytest.raises(PermissionDeniedError, match="Guests can read"):
        guest_of(talk).reply(question, "And I?")


def test_a_comment_is_about_a_diagram_a_design_or_a_place(talk: Workshop) -> None:
    project = talk.project_of(MEMBER)
    design = project.design("First")
    made = [project.diagram(1).comment("One"), design.comment("Two"), project.comment("Three", place=PLACE)]
    assert [(row["diagram"], row["design"], row["place"]) for row in project.comments()] == [
        (1, None, None),
        (None, design.id, None),
        (None, None, list(PLACE)),
    ]
    assert project.comments() == made
    assert project.diagram(1).comments() == made[:1] and design.comments() == made[1:2]
    assert project.reply(made[2], "Four")["place"] == list(PLACE)


def test_a_comment_without_text_or_subject_is_refused(talk: Workshop) -> None:
    with pytest.raises(InputError, match="text is empty"):
        talk.project.diagram(1).comment("  ")
    with pytest.raises(InputError, match="not on Earth"):
        talk.project.comment("Where?", place=(38.7, -109.1))
    refused: list[tuple[dict[str, Any], str]] = [
        ({}, "exactly one"),
        ({"diagram": 1, "place": [1, 2]}, "exactly one"),
        ({"diagram": 9}, "no diagram 9"),
        ({"design": "abcdefghijklmnop"}, "no design"),
        ({"reply_to": NOBODY}, "reply_to"),
        ({"place": [1, 2], "colour": "red"}, "colour"),
    ]
    for about, problem in refused:
        response = talk.send("POST", "comments/", {"text": "Why?", **about})
        assert response.status_code == 400 and problem in response.json()["detail"]
    assert talk.project.comments() == []


def test_a_reply_has_no_replies_and_is_not_resolved(talk: Workshop) -> None:
    first = talk.project.comment("Why?", place=PLACE)
    reply = talk.project.reply(first, "Because.")
    with pytest.raises(BadRequestError, match="first comment of its thread"):
        talk.project.reply(reply, "Really?")
    with pytest.raises(BadRequestError, match="cannot be resolved"):
        talk.project.edit_comment(reply, resolved=True)


def test_every_member_resolves_and_reopens_a_thread(talk: Workshop) -> None:
    first = talk.project.comment("Why?", place=PLACE)
    resolved = talk.project_of(MEMBER).edit_comment(first, resolved=True)
    assert (resolved["resolved"], resolved["resolved_by"], resolved["edited_at"]) == (True, MEMBER, None)
    reopened = talk.project_of(STRANGER).edit_comment(first["id"], resolved=False)
    assert reopened == first
    with pytest.raises(PermissionDeniedError):
        guest_of(talk).edit_comment(first, resolved=True)


def test_authors_and_administrators_change_and_remove_a_comment(talk: Workshop) -> None:
    member, other = talk.project_of(MEMBER), talk.project_of(STRANGER)
    comment = member.diagram(1).comment("Wy here?")
    with pytest.raises(PermissionDeniedError, match="author of the comment"):
        other.edit_comment(comment, text="Mine")
    with pytest.raises(PermissionDeniedError, match="author of the comment"):
        other.delete_comment(comment)
    edited = member.edit_comment(comment, text="Why here?")
    assert edited["text"] == "Why here?" and (edited["edited_at"] or "") >= edited["created_at"]
    assert talk.project.edit_comment(comment, text="Why here at all?")["author"] == MEMBER
    talk.project.delete_comment(comment)
    assert member.comments() == []
    with pytest.raises(NotFoundError):
        member.edit_comment(comment, text="Why?")


def test_a_comment_with_replies_stays_until_they_are_removed(talk: Workshop) -> None:
    first = talk.project_of(MEMBER).diagram(1).comment("Why?")
    reply = talk.project_of(STRANGER).reply(first, "Because.")
    with pytest.raises(ApiError, match="has replies") as refused:
        talk.project_of(MEMBER).delete_comment(first)
    assert refused.value.status_code == 409
    talk.project_of(STRANGER).delete_comment(reply)
    talk.project_of(MEMBER).delete_comment(first)
    assert talk.project.comments() == []


def test_a_request_that_comes_again_adds_one_comment(talk: Workshop) -> None:
    url, body = f"{talk.sandbox.url}projects/{talk.id}/comments/", json.dumps({"text": "Once", "diagram": 1})
    headers = {
        "Authorization": f"Token {talk.sandbox.token(MEMBER)}",
        "Content-Type": "application/json",
        "Idempotency-Key": "one",
    }
    sent = [requests.post(url, data=body, headers=headers, timeout=20).json() for _ in range(2)]
    assert sent[0] == sent[1] and texts(talk.project) == ["Once"]


def test_a_guest_without_names_reads_texts_alone(talk: Workshop) -> None:
    first = talk.project_of(MEMBER).diagram(1).comment("Why?")
    talk.project_of(MEMBER).edit_comment(first, resolved=True)
    (shown,) = guest_of(talk, names=False).comments()
    assert (shown["author"], shown["text"], shown["resolved"], shown["resolved_by"]) == ("", "Why?", True, None)


def test_comments_of_a_removed_diagram_come_back_with_it(talk: Workshop) -> None:
    first = talk.project_of(MEMBER).diagram(1).comment("Why?")
    talk.project.reply(first, "Because.")
    talk.project.diagram(1).delete()
    assert talk.project.comments() == []
    with pytest.raises(BadRequestError, match="reply_to"):
        talk.project.reply(first, "Still?")
    talk.project.undo(talk.project.history()[0]["id"])
    assert texts(talk.project) == ["Why?", "Because."]


def test_a_design_takes_its_comments_with_it(talk: Workshop) -> None:
    design = talk.project.design("First")
    talk.project.reply(design.comment("Why?"), "Because.")
    design.delete()
    assert talk.project.comments() == []


def test_the_history_says_who_wrote_what_about_what(talk: Workshop) -> None:
    member = talk.project_of(MEMBER)
    first = member.diagram(1).comment("Why?")
    talk.project_of(STRANGER).edit_comment(first, resolved=True)
    member.comment("The bus turns here.", place=PLACE)
    entries = [(row["username"], row["operation"], row["subject"], row["after"]) for row in member.history()[:3]]
    assert entries == [
        (MEMBER, "add_comment", "place -9.15, 38.72", "The bus turns here."),
        (STRANGER, "edit_comment", "diagram 1", "resolved: Why?"),
        (MEMBER, "add_comment", "diagram 1", "Why?"),
    ]
    assert [row["operation"] for row in member.history(diagram=1)][:2] == ["edit_comment", "add_comment"]


def test_watchers_hear_of_each_comment(talk: Workshop) -> None:
    with watching(talk, user=MEMBER) as events:
        heard = (event for event in events if event.name == "comment")
        first = talk.project.diagram(1).comment("Why?")
        talk.project.edit_comment(first, resolved=True)
        talk.project.delete_comment(first)
        actions = [(event.data["action"], event.data["id"]) for event in islice(heard, 3)]
    assert actions == [(action, first["id"]) for action in ("added", "changed", "removed")]


def test_commenting_is_closed_by_itself(talk: Workshop) -> None:
    talk.project.workshop.set_activities(drawing=False, selecting=False, designing=False)
    talk.project_of(MEMBER).diagram(1).comment("What now?")
    talk.project.workshop.set_activities(commenting=False, message="We listen now.")
    with pytest.raises(PermissionDeniedError, match=r"Commenting is closed\. We listen now"):
        talk.project_of(MEMBER).diagram(1).comment("And then?")
    assert texts(talk.project) == ["What now?"]


def test_a_project_has_at_most_so_many_comments() -> None:
    with running_workshop(limits={"project_comments": 1, "comment_characters": 5}) as workshop:
        workshop.project.comment("Why?", place=PLACE)
        with pytest.raises(BadRequestError, match="project_comments"):
            workshop.project.comment("What?", place=PLACE)
        with pytest.raises(BadRequestError, match="comment_characters"):
            workshop.project.comment("Why so long?", place=PLACE)


def test_an_archive_has_the_comments_and_gives_them_back(talk: Workshop, tmp_path: Path) -> None:
    first = talk.project_of(MEMBER).diagram(1).comment("Why?")
    talk.project.reply(first, "Because.")
    talk.project.edit_comment(first, resolved=True)
    talk.project_of(STRANGER).edit_comment(talk.project_of(STRANGER).comment("Hre", place=(-9, 38)), text="Here")
    talk.project.design("First").comment("These?")
    talk.project.archive(tmp_path / "lisbon.zip", progress=False)
    with Sandbox(project=tmp_path / "lisbon.zip") as sandbox:
        loaded = Workshop(sandbox, talk.id).send("GET", "comments/", user="admin")
    assert loaded.content == talk.send("GET", "comments/").content
    assert len(loaded.json()["comments"]) == 4


def test_a_removed_name_is_in_no_comment(talk: Workshop) -> None:
    first = talk.project_of(MEMBER).diagram(1).comment("Why?")
    talk.project_of(MEMBER).edit_comment(first, resolved=True)
    talk.project.workshop.remove_name(MEMBER)
    (comment,) = talk.project.comments()
    assert comment["author"] == comment["resolved_by"] == "former member 1"
