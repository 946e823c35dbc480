"""Watching a project whose service reports changes as server-sent events, which the tests write by hand."""

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from builders import diagram
from fake_service import FakeService, Response
from pygeodesign import NotFoundError, Project
from watching import in_short

STREAM = {"content-type": "text/event-stream"}


def event(name: str, event_id: int | None = None, /, **data: Any) -> str:
    head = f"id: {event_id}\n" if event_id is not None else ""
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n"


def hello(id: int) -> str:
    return event("hello", id, changeid="v")


def change(id: int, action: str, diagram: int) -> str:
    return event("diagram", id, action=action, kind="diagram", id=str(diagram))


def details(*diagrams: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{name: value for name, value in diagram.items() if name != "geojson"} for diagram in diagrams]


class Events:
    """Sends one text on each connection, and closes it; after the last one there is silence."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.last_event_ids: list[str | None] = []

    def __call__(self, _body: Any, headers: Mapping[str, str]) -> Response:
        self.last_event_ids.append(headers.get("last-event-id"))
        text = self.texts.pop(0) if self.texts else ": nothing happens\n\n"
        return Response(text.encode(), headers=STREAM)


def watched(events: Events, diagrams: Iterable[dict[str, Any]] = (), all_details: Any = None) -> FakeService:
    below: dict[str, Any] = {f"diagrams/{diagram['id']}/": diagram for diagram in diagrams}
    below |= {"events/": events, "changeid/": {"changeid": "v"}, "diagrams/all/details/": details(*diagrams)}
    return FakeService(below | ({"diagrams/all/details/": all_details} if all_details else {}))


def changes_of(project: Project, count: int) -> list[tuple[str, str, Any]]:
    return in_short(itertools.islice(project.watch(timeout=5), count))


def test_events_become_changes_with_their_diagrams() -> None:
    tag = event("tag", 9, action="added", kind="tag", id="0b0e")
    events = Events(hello(5) + ": 15 s\n\n" + change(6, "changed", 1) + change(7, "removed", 2) + tag)
    with watched(events, [diagram(1, notes="new")]) as service:
        found = list(itertools.islice(service.project().watch(timeout=5), 3))
    assert in_short(found) == [("changed", "diagram", 1), ("removed", "diagram", 2), ("added", "tag", "0b0e")]
    changed, removed, _ = (change["diagram"] for change in found)
    assert changed is not None
    assert changed.metadata["notes"] == "new"
    assert removed is None


def test_a_broken_connection_goes_on_after_the_last_event() -> None:
    events = Events(
        hello(5) + change(6, "added", 1),
        hello(8) + change(7, "changed", 1) + event("dropped", reason="too slow"),
        hello(8) + change(8, "removed", 1) + event("end", reason="the service stops"),
        hello(9) + change(9, "added", 2),
    )
    with watched(events, [diagram(1), diagram(2)]) as service:
        found = changes_of(service.project(), 4)
    assert found == [
        ("added", "diagram", 1),
        ("changed", "diagram", 1),
        ("removed", "diagram", 1),
        ("added", "diagram", 2),
    ]
    assert events.last_event_ids == [None, "6", "7", "8"]


def test_a_connection_that_breaks_before_the_first_change_loses_nothing() -> None:
    events = Events(hello(5), hello(6), hello(6) + change(6, "added", 1))
    with watched(events, [diagram(1)]) as service:
        assert changes_of(service.project(), 1) == [("added", "diagram", 1)]
    assert events.last_event_ids == [None, "5", "5"]


def test_after_a_gap_in_the_history_the_differences_are_told_once() -> None:
    before = [diagram(1), diagram(2), diagram(3), diagram(4)]
    # The change of diagram 4 was reported before the gap.
    now = [diagram(1), diagram(2, notes="new"), diagram(4, notes="told"), diagram(5)]
    events = Events(hello(5) + change(6, "changed", 4), hello(2) + event("reset") + change(3, "changed", 1))
    lists = [Response(details(*before)), Response(details(*now))]
    with watched(events, now, lists) as service:
        found = changes_of(service.project(), 6)
    assert found == [
        ("changed", "diagram", 4),
        ("changed", "project", "FakeProject00001"),
        ("changed", "diagram", 2),
        ("removed", "diagram", 3),
        ("added", "diagram", 5),
        ("changed", "diagram", 1),
    ]


def test_a_service_that_restarts_is_waited_for() -> None:
    events = Events(hello(5) + change(6, "added", 1), hello(7) + change(7, "changed", 1))
    refused = [Response({}, 503), Response({}, 502)]

    def stream(body: Any, headers: Mapping[str, str]) -> Response:
        return refused.pop(0) if events.last_event_ids and refused else events(body, headers)

    below = {"changeid/": {"changeid": "v"}, "diagrams/all/details/": details(diagram(1)), "diagrams/1/": diagram(1)}
    with FakeService(below | {"events/": stream}) as service:
        assert changes_of(service.project(), 2) == [("added", "diagram", 1), ("changed", "diagram", 1)]


def test_a_user_who_is_no_longer_a_member_gets_an_error() -> None:
    events = Events(hello(5) + event("end", reason="no member"))

    def stream(body: Any, headers: Mapping[str, str]) -> Response:
        return events(body, headers) if events.texts else Response({"detail": "Not found."}, 404)

    with FakeService({"events/": stream, "changeid/": {"changeid": "v"}, "diagrams/all/details/": []}) as service:
        changes = service.project().watch(timeout=5)
        with pytest.raises(NotFoundError):
            next(changes)


def test_the_start_is_repeated_if_the_project_changes_just_then() -> None:
    events = Events(hello(5), hello(6) + change(7, "added", 1))
    with FakeService(
        {
            "events/": events,
            "changeid/": [Response({"changeid": "w"}), Response({"changeid": "v"})],
            "diagrams/all/details/": [],
            "diagrams/1/": diagram(1),
        }
    ) as service:
        assert changes_of(service.project(), 1) == [("added", "diagram", 1)]
    assert events.last_event_ids == [None, None]
