"""Members who are here, and outlines of drawings in progress. None of it is stored."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from event_reader import Event, watching
from pygeodesign import Client, InputError, PermissionDeniedError, Project
from small_project import ADMINISTRATOR, MEMBER, STRANGER, Workshop, running_workshop
from workshops_folder import eventually

LINE = [(-9.2, 38.7), (-9.1, 38.75)]


@pytest.fixture
def workshop() -> Iterator[Workshop]:
    with running_workshop() as workshop:
        workshop.project.add_member(MEMBER)
        yield workshop


def here(workshop: Workshop) -> list[str]:
    return [one["username"] for one in workshop.project.presence()]


def heard(events: Any, name: str) -> Event:
    event: Event = next(event for event in events if event.name == name)
    return event


def test_a_member_is_here_while_a_stream_is_open(workshop: Workshop) -> None:
    team = workshop.project.add_team("Shore", members=[MEMBER])
    assert here(workshop) == []
    with watching(workshop, user=MEMBER) as events, watching(workshop, user=MEMBER) as second:
        assert (events.next().name, second.next().name) == ("hello", "hello")
        (one,) = workshop.project.presence()
        assert (one["username"], one["cteams"]) == (MEMBER, [team["id"]])
    eventually(lambda: here(workshop) == [])


def test_others_hear_who_comes_and_goes_but_not_of_a_short_absence(workshop: Workshop) -> None:
    with watching(workshop) as events:
        with watching(workshop, user=MEMBER) as stream:
            stream.next()
        with watching(workshop, user=MEMBER) as stream:
            stream.next()
        left_at = time.monotonic()
        told = [heard(events, "presence") for _ in range(2)]
    assert [event.data for event in told] == [{"username": MEMBER, "here": True}, {"username": MEMBER, "here": False}]
    assert time.monotonic() - left_at > 4
    assert told[0].id is None


def test_presence_leaves_no_trace(workshop: Workshop) -> None:
    def state() -> Any:
        return workshop.send("GET", "changeid/").json(), workshop.project.history()

    workshop.project.workshop.set_activities(drawings_shown=True)
    before = state()
    with watching(workshop, user=MEMBER) as events:
        events.next()
        assert workshop.project_of(MEMBER).show_outline(LINE)
    assert state() == before


def test_a_guest_reads_who_is_here_if_the_link_shows_names(workshop: Workshop) -> None:
    def guest(names: bool) -> Project:
        link = workshop.project.workshop.add_link("Press", "2999-06-01", names=names)
        return Client(link["token"], workshop.sandbox.url).project(workshop.id)

    assert guest(names=True).presence() == []
    with pytest.raises(PermissionDeniedError, match="shows no names"):
        guest(names=False).presence()


def test_an_outline_reaches_the_others_if_the_facilitator_allows(workshop: Workshop) -> None:
    member = workshop.project_of(MEMBER)
    with watching(workshop) as events, watching(workshop, user=MEMBER) as own:
        own.next()
        assert not member.show_outline(LINE)
        workshop.project.workshop.set_activities(drawings_shown=True)
        assert member.show_outline(LINE)
        assert heard(events, "drawing").data == {"username": MEMBER, "outline": [list(place) for place in LINE]}
        # A second one within half a second is left out; the end never is.
        assert member.show_outline([*LINE, (-9.0, 38.7)]) and member.show_outline(None)
        assert heard(events, "drawing").data == {"username": MEMBER, "outline": None}


def test_who_is_not_here_shows_no_outline(workshop: Workshop) -> None:
    workshop.project.workshop.set_activities(drawings_shown=True)
    assert not workshop.project_of(MEMBER).show_outline(LINE)


def test_an_outline_is_small_and_on_earth(workshop: Workshop) -> None:
    for outline in ([(0.0, 0.0)] * 201, [(38.7, -190.0)]):
        with pytest.raises(InputError):
            workshop.project.show_outline(outline)
        assert workshop.send("POST", "presence/", {"outline": outline}).status_code == 400


def test_a_stranger_sees_nobody(workshop: Workshop) -> None:
    assert workshop.send("GET", "presence/", user=STRANGER).status_code == 404
    assert workshop.send("POST", "presence/", {"outline": LINE}, user=STRANGER).status_code == 404


def test_the_switch_is_in_the_history(workshop: Workshop) -> None:
    workshop.project.workshop.set_activities(drawings_shown=True)
    entry = workshop.project.history()[0]
    assert (entry["username"], entry["subject"], entry["after"]) == (ADMINISTRATOR, "drawings", "shown")
