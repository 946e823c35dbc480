"""Reviews: a member asks others to look at a diagram or a design; they answer, and one of them marks it as reviewed."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from event_reader import watching
from pygeodesign import BadRequestError, Client, InputError, PermissionDeniedError, Project, Sandbox
from small_project import ADMINISTRATOR, MEMBER, STRANGER, WATER, Workshop, running_workshop

AREA = {"type": "Polygon", "coordinates": [[[-9.2, 38.7], [-9.1, 38.7], [-9.1, 38.75], [-9.2, 38.75], [-9.2, 38.7]]]}
OTHER = "rui.dias"


@pytest.fixture
def ready() -> Iterator[Workshop]:
    """A project with a diagram, a design and four members, of whom the first administers it."""
    with running_workshop() as workshop:
        for name in (STRANGER, OTHER):
            workshop.add_member(name)
        diagram = workshop.project.add_diagram(WATER, AREA, title="Pond")
        workshop.project.add_team("Residents").save("First", [diagram.id])
        yield workshop


def guest_of(workshop: Workshop, *, names: bool) -> Project:
    link = workshop.project.workshop.add_link("Newspaper", "2999-06-01", names=names)
    return Client(link["token"], workshop.sandbox.url).project(workshop.id)


def test_a_member_asks_others_and_one_of_them_marks_it_as_reviewed(ready: Workshop) -> None:
    review = ready.project_of(MEMBER).diagram("Pond").comment("Is it deep enough?", review=True, asked=[STRANGER])
    assert (review["review"], review["asked"], review["resolved"]) == (True, [STRANGER], False)
    asked = ready.project_of(STRANGER)
    answer = asked.reply(review, "Yes.")
    assert (answer["review"], answer["asked"]) == (False, [])
    done = asked.edit_comment(review, resolved=True)
    assert (done["resolved_by"], done["asked"]) == (STRANGER, [STRANGER])
    assert ready.project.comments() == [done, answer]


def test_a_review_without_names_asks_all_members(ready: Workshop) -> None:
    review = ready.project_of(MEMBER).design("First").comment("Ready?", review=True)
    assert (review["review"], review["asked"]) == (True, [])
    assert ready.project_of(OTHER).edit_comment(review, resolved=True)["resolved_by"] == OTHER


def test_other_comments_ask_nobody(ready: Workshop) -> None:
    comment = ready.project.diagram("Pond").comment("Why here?")
    assert (comment["review"], comment["asked"]) == (False, [])


@pytest.mark.parametrize(("user", "may"), [(MEMBER, True), (STRANGER, True), (ADMINISTRATOR, True), (OTHER, False)])
def test_its_author_those_asked_and_administrators_close_and_reopen_it(ready: Workshop, user: str, may: bool) -> None:
    review = ready.project_of(MEMBER).diagram("Pond").comment("Ready?", review=True, asked=[STRANGER])
    for resolved in (True, False):
        if may:
            assert ready.project_of(user).edit_comment(review, resolved=resolved)["resolved"] is resolved
        else:
            with pytest.raises(PermissionDeniedError, match="those asked"):
                ready.project_of(user).edit_comment(review, resolved=resolved)
    assert ready.project_of(user).reply(review, "I looked.")["reply_to"] == review["id"]


def test_guests_read_reviews_and_ask_for_none(ready: Workshop) -> None:
    ready.project_of(MEMBER).diagram("Pond").comment("Ready?", review=True, asked=[STRANGER])
    guest = guest_of(ready, names=True)
    (read,) = guest.comments()
    assert (read["review"], read["asked"]) == (True, [STRANGER])
    with pytest.raises(PermissionDeniedError, match="Guests can read"):
        guest.diagram(1).comment("And I?", review=True)
    with pytest.raises(PermissionDeniedError, match="Guests can read"):
        guest.edit_comment(read, resolved=True)
    (nameless,) = guest_of(ready, names=False).comments()
    assert (nameless["review"], nameless["asked"]) == (True, [])


def test_commenting_that_is_closed_closes_reviews(ready: Workshop) -> None:
    ready.project.workshop.set_activities(commenting=False)
    with pytest.raises(PermissionDeniedError, match="Commenting is closed"):
        ready.project_of(MEMBER).diagram("Pond").comment("Ready?", review=True)


def test_a_review_of_anything_else_is_refused_by_name(ready: Workshop) -> None:
    pond = ready.project.diagram("Pond")
    with pytest.raises(BadRequestError, match='asked: "zoe" is not a member of the project'):
        pond.comment("Ready?", review=True, asked=[STRANGER, "zoe"])
    with pytest.raises(InputError, match="asked names members for a review"):
        pond.comment("Ready?", asked=[STRANGER])
    with pytest.raises(InputError, match="text is empty"):
        pond.comment(" ", review=True)
    question = pond.comment("Why here?")
    refused: list[dict[str, Any]] = [{"place": [-9.1, 38.7]}, {"reply_to": question["id"]}]
    for about in refused:
        response = ready.send("POST", "comments/", {"text": "Ready?", "review": True, **about})
        assert response.status_code == 400 and "of a diagram or a design" in response.json()["detail"]
    assert ready.project.comments() == [question]


def test_a_list_of_names_is_limited() -> None:
    with running_workshop(limits={"list_items": 1}) as workshop:
        diagram = workshop.project.add_diagram(WATER, AREA, title="Pond")
        with pytest.raises(BadRequestError, match="list_items"):
            diagram.comment("Ready?", review=True, asked=[MEMBER, ADMINISTRATOR])


def test_the_history_says_who_asked_and_who_reviewed(ready: Workshop) -> None:
    review = ready.project_of(MEMBER).diagram("Pond").comment("Ready?", review=True)
    ready.project_of(STRANGER).edit_comment(review, resolved=True)
    entries = ready.project_of(OTHER).history(diagram=1)[:2]
    assert [(row["username"], row["operation"], row["before"], row["after"]) for row in entries] == [
        (STRANGER, "edit_comment", "open: Ready?", "reviewed: Ready?"),
        (MEMBER, "ask_for_review", None, "Ready?"),
    ]


def test_watchers_hear_of_a_review_as_of_comments(ready: Workshop) -> None:
    with watching(ready, user=STRANGER) as events:
        heard = (event for event in events if event.name == "comment")
        review = ready.project.diagram(1).comment("Ready?", review=True, asked=[STRANGER])
        ready.project_of(STRANGER).edit_comment(review, resolved=True)
        told = [(event.data["action"], event.data["id"]) for event in islice(heard, 2)]
    assert told == [("added", review["id"]), ("changed", review["id"])]


def test_an_archive_has_the_reviews_and_gives_them_back(ready: Workshop, tmp_path: Path) -> None:
    ready.project_of(MEMBER).diagram("Pond").comment("Ready?", review=True, asked=[OTHER, STRANGER])
    ready.project.design("First").comment("And this?", review=True)
    ready.project.archive(tmp_path / "lisbon.zip", progress=False)
    with Sandbox(project=tmp_path / "lisbon.zip") as sandbox:
        loaded = Workshop(sandbox, ready.id).send("GET", "comments/", user="admin")
    assert loaded.content == ready.send("GET", "comments/").content
    assert [comment["asked"] for comment in loaded.json()["comments"]] == [[STRANGER, OTHER], []]


def test_a_merge_brings_a_review_home_with_those_asked(ready: Workshop, tmp_path: Path) -> None:
    path = tmp_path / "lisbon.zip"
    ready.project.archive(path, progress=False)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client(MEMBER).project(ready.id)
        copy.diagram("Pond").comment("Ready?", review=True, asked=[STRANGER, "admin"])
        sandbox.client().project(ready.id).archive(path, progress=False)
    assert ready.project.merge(path)["complete"]
    (review,) = ready.project.comments()
    # The copy's operator stands for the person who merges.
    assert (review["author"], review["review"], review["asked"]) == (MEMBER, True, [ADMINISTRATOR, STRANGER])


def test_a_merge_does_not_close_a_review_that_asks_others(ready: Workshop, tmp_path: Path) -> None:
    path = tmp_path / "lisbon.zip"
    review = ready.project.diagram("Pond").comment("Ready?", review=True, asked=[STRANGER])
    ready.project.archive(path, progress=False)
    with Sandbox(project=path) as sandbox:
        copy = sandbox.client().project(ready.id)
        copy.edit_comment(review, resolved=True)
        copy.archive(path, progress=False)
    (left,) = ready.project_of(OTHER).merge(path)["left"]
    assert (left["kind"], left["reason"]) == (
        "comment",
        "only its author, those asked or an administrator may merge this",
    )
    assert not ready.project.comments()[0]["resolved"]
    assert ready.project_of(STRANGER).merge(path)["complete"]
    assert ready.project.comments()[0]["resolved_by"] == STRANGER


def test_a_removed_name_is_among_those_asked_no_more(ready: Workshop) -> None:
    ready.project.diagram("Pond").comment("Ready?", review=True, asked=[OTHER])
    ready.project.workshop.remove_name(OTHER)
    assert ready.project.comments()[0]["asked"] == ["former member 1"]
