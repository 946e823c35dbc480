"""Watchers of a project get every committed change, once and in order."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from event_reader import Event, EventReader, watching
from small_project import ADMINISTRATOR, MEMBER, STRANGER, WATER, Workshop, running_workshop
from stress import LONG

pytestmark = [pytest.mark.alone("how soon watchers are told"), pytest.mark.stress]

SQUARE = {"type": "Polygon", "coordinates": [[[-9.15, 38.70], [-9.14, 38.70], [-9.14, 38.71], [-9.15, 38.70]]]}


def add_stakeholder(workshop: Workshop, name: str) -> None:
    assert workshop.send("POST", "stakeholders/", [name]).ok


def changeid(workshop: Workshop) -> Any:
    return workshop.send("GET", "changeid/").json()["changeid"]


def test_a_stream_begins_with_the_change_id_of_the_project(workshop: Workshop) -> None:
    with watching(workshop) as events:
        assert events.headers["content-type"] == "text/event-stream"
        assert events.headers["cache-control"] == "no-store"
        hello = events.next()
    assert hello.name == "hello"
    assert hello.id is not None
    assert hello.data == {"changeid": changeid(workshop), "administrator": True}


def test_each_change_is_an_event_with_the_next_id(workshop: Workshop) -> None:
    with watching(workshop) as events:
        hello = events.next()
        assert hello.id is not None
        before = changeid(workshop)
        diagram = workshop.project.add_diagram(WATER, SQUARE, title="Rain garden").id
        workshop.project.diagram(diagram).set_notes("Ask the harbour first.")
        workshop.project.diagram(diagram).delete()
        for number, action in enumerate(["added", "changed", "removed"], hello.id + 1):
            assert events.next() == Event(number, "diagram", {"action": action, "kind": "diagram", "id": str(diagram)})
    assert changeid(workshop) != before


def test_a_refused_write_is_no_change(workshop: Workshop) -> None:
    before = changeid(workshop)
    assert workshop.send("POST", "stakeholders/", ["Harbour", ""]).status_code == 400
    assert changeid(workshop) == before


def test_who_comes_back_is_told_what_was_missed(workshop: Workshop) -> None:
    with watching(workshop) as events:
        last = events.next().id
        assert last is not None
    for name in ("Harbour", "School"):
        add_stakeholder(workshop, name)
    with watching(workshop, last) as events:
        assert events.next().name == "hello"
        assert [events.next().id for _ in range(2)] == [last + 1, last + 2]
        add_stakeholder(workshop, "Fire brigade")
        assert events.next().id == last + 3


@pytest.mark.parametrize("id", [10**9, -1, "unknown"])
def test_an_id_that_the_service_does_not_know_is_answered_with_a_reset(workshop: Workshop, id: object) -> None:
    with watching(workshop, id) as events:
        assert events.next().name == "hello"
        assert events.next()[1:] == ("reset", {"changeid": changeid(workshop)})
        add_stakeholder(workshop, "Harbour")
        assert events.next().name == "stakeholder"


def test_what_the_bounded_history_no_longer_has_is_answered_with_a_reset() -> None:
    with running_workshop(limits={"project_changes": 3}) as workshop:
        with watching(workshop) as events:
            last = events.next().id
        for number in range(4):
            add_stakeholder(workshop, f"School {number}")
        with watching(workshop, last) as events:
            assert [events.next().name for _ in range(2)] == ["hello", "reset"]
        assert last is not None
        with watching(workshop, last + 1) as events:
            assert [events.next().id for _ in range(4)] == [last + 1, last + 2, last + 3, last + 4]


def test_a_stream_ends_with_the_membership_and_with_the_token() -> None:
    with running_workshop(limits={"heartbeat_seconds": 1}) as workshop:
        with watching(workshop, user=MEMBER) as events:
            events.next()
            workshop.project.member(MEMBER).remove()
            assert [event.name for event in events] == ["end"]
        with watching(workshop) as events:
            events.next()
            workshop.withdraw_tokens(ADMINISTRATOR)
            (end,) = events
            assert end.name == "end"
            assert "token" in end.data["reason"]


def test_only_a_member_may_watch(workshop: Workshop) -> None:
    with watching(workshop, user=STRANGER) as events:
        assert events.status == 404
    with watching(workshop, token="wrong") as events:
        assert events.status == 401


def test_an_idle_stream_has_heartbeats() -> None:
    with running_workshop(limits={"heartbeat_seconds": 1}) as workshop, watching(workshop) as events:
        events.next()
        threading.Timer(2.5, add_stakeholder, [workshop, "Harbour"]).start()
        assert events.next().name == "stakeholder"
        assert events.comments >= 1


def test_streams_end_with_the_service() -> None:
    with running_workshop() as workshop, watching(workshop) as events:
        events.next()
        started = time.monotonic()
        workshop.sandbox.stop()
        assert list(events) == []
        assert time.monotonic() - started < 1


def test_a_watcher_that_does_not_read_is_dropped_and_told_so() -> None:
    limits = {"watcher_changes": 5}
    with running_workshop(limits=limits) as workshop, watching(workshop) as slow, watching(workshop) as other:
        slow.next()
        # In one transaction, which is published at once: more than may wait.
        assert workshop.send("POST", "stakeholders/", [f"School {number}" for number in range(500)]).ok
        *told, last = [event.name for event in slow]
        assert set(told) <= {"stakeholder"}
        assert last == "dropped"
        assert other.next().name == "hello"


@pytest.mark.slow
def test_every_watcher_sees_every_change_in_time(tmp_path: Path) -> None:
    watchers, changes = (200, 1000) if LONG else (20, 40)
    with running_workshop(tmp_path / "w.sqlite") as workshop:
        token = workshop.sandbox.token(ADMINISTRATOR)
        sent: dict[int, float] = {}
        seen: list[list[tuple[int, float]]] = [[] for _ in range(watchers)]
        ready = threading.Barrier(watchers + 1)

        def watch(number: int) -> None:
            last: int | None = None
            while len(seen[number]) < changes:
                with watching(workshop, last, token=token) as events:
                    last = read(events, number, last)

        def read(events: EventReader, number: int, last: int | None) -> int | None:
            for event in events:
                if event.name == "hello":
                    if last is None:
                        ready.wait()
                    last = event.id
                    continue
                assert event.id is not None
                seen[number].append((event.id, time.monotonic()))
                last = event.id
                # Some are cut off, and come back.
                if (number % 4 == 0 and len(seen[number]) % 20 == 0) or len(seen[number]) == changes:
                    return last
            return last

        threads = [threading.Thread(target=watch, args=[number], daemon=True) for number in range(watchers)]
        for thread in threads:
            thread.start()
        with watching(workshop, token=token) as unread:
            first = unread.next().id
            assert first is not None
            ready.wait()
            start = time.monotonic()
            for number in range(changes):
                time.sleep(max(0, start + number / 20 - time.monotonic()))
                add_stakeholder(workshop, f"School {number}")
                sent[first + 1 + number] = time.monotonic()
            for thread in threads:
                thread.join(timeout=20)
    expected = list(range(first + 1, first + 1 + changes))
    assert all([change for change, _ in one] == expected for one in seen)
    delays = sorted(at - sent[change] for one in seen for change, at in one)
    assert delays[int(len(delays) * 0.99)] < 0.25
