"""Watching a project whose service reports no changes: the list of diagrams is read again and again."""

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import pygeodesign
from builders import Json, diagram, square
from fake_service import PROJECT, FakeService, Response
from pygeodesign import AuthenticationError, InputError, Project
from pygeodesign.types import ProjectChange
from small_project import Workshop
from watching import in_short

FAST: dict[str, Any] = {"interval": 0.02, "timeout": 0.6}


class Diagrams:
    """A service that has diagrams and change ids only; the test changes `notes` and `ids`."""

    def __init__(self, *ids: int) -> None:
        self.ids = list(ids)
        self.notes = dict.fromkeys(ids, "")
        self.failures = 0

    def responses(self) -> dict[str, Any]:
        below: dict[str, Any] = {"diagrams/": self._list}
        for one in range(1, 200):
            below[f"diagrams/{one}/"] = self._answer(one, lambda one: diagram(one, notes=self.notes[one]))
            below[f"diagrams/{one}/changeid/"] = self._answer(one, lambda one: {"changehash": self.notes[one]})
        return below

    def _list(self, _body: Any) -> Response:
        if self.failures:
            self.failures -= 1
            return Response({}, 503)
        return Response([{"id": one, "sysid": 1} for one in self.ids])

    def _answer(self, one: int, answer: Callable[[int], Json]) -> Callable[[Any], Response]:
        return lambda _body: Response(answer(one)) if one in self.ids else Response({}, 404)

    def add(self, id: int, notes: str = "") -> None:
        self.notes[id] = notes
        self.ids.append(id)


def test_diagrams_are_found_that_were_added_changed_and_removed() -> None:
    diagrams = Diagrams(1, 2, 3)
    with FakeService(diagrams.responses()) as service:
        changes = service.project().watch(**FAST)
        diagrams.notes[1] = "new"
        diagrams.add(4)
        diagrams.ids.remove(3)
        found = list(changes)
    assert sorted(in_short(found)) == [("added", "diagram", 4), ("changed", "diagram", 1), ("removed", "diagram", 3)]
    read = {change["id"]: change["diagram"].metadata["notes"] for change in found if change["diagram"] is not None}
    assert read == {1: "new", 4: ""}


def test_an_edit_among_many_diagrams_is_found_in_turn_and_once() -> None:
    diagrams = Diagrams(*range(1, 180))
    with FakeService(diagrams.responses()) as service:
        changes = service.project().watch(**FAST)
        before = service.requests.total()
        diagrams.notes[177] = "new"
        assert in_short(changes) == [("changed", "diagram", 177)]
        turns = service.requests[f"projects/{PROJECT}/diagrams/"] - 1
        assert service.requests.total() - before <= turns * 51 + 2, "a list and the change ids of 50 diagrams a turn"


def test_a_service_that_fails_for_a_while_is_asked_again() -> None:
    diagrams = Diagrams(1)
    with FakeService(diagrams.responses()) as service:
        changes = service.project(retries=0).watch(interval=0.02, timeout=3)
        diagrams.failures = 3
        diagrams.notes[1] = "new"
        assert next(changes)["id"] == 1


def test_a_token_that_is_revoked_ends_the_watch_with_an_error() -> None:
    diagrams = Diagrams(1)
    answers = diagrams.responses()
    answers["diagrams/"] = [Response([{"id": 1, "sysid": 1}]), Response({"detail": "expired"}, 401)]
    with FakeService(answers) as service, pytest.raises(AuthenticationError):
        next(service.project().watch(**FAST))


def test_the_watch_ends_when_nothing_changes_for_the_given_time() -> None:
    with FakeService(Diagrams(1).responses()) as service:
        assert list(service.project().watch(interval=0.05, timeout=0.2)) == []


def test_an_awaited_step_that_is_cancelled_loses_no_change() -> None:
    diagrams = Diagrams(1)

    async def watch(service: FakeService) -> list[ProjectChange]:
        changes = service.async_project().watch(interval=0.02)
        # Diagrams of the first step are no change: the second look has begun after it.
        while service.requests[f"projects/{PROJECT}/diagrams/"] < 2:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(changes), 0.1)
        diagrams.notes[1] = "new"
        diagrams.add(2)
        found: list[ProjectChange] = []
        while len(found) < 2:
            # Shorter than most steps take.
            with suppress(TimeoutError):
                found.append(await asyncio.wait_for(anext(changes), 0.01))
        return found

    with FakeService(diagrams.responses()) as service:
        assert sorted(in_short(asyncio.run(watch(service)))) == [("added", "diagram", 2), ("changed", "diagram", 1)]


@pytest.mark.parametrize("setting", ["interval", "timeout"])
@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_that_is_no_time_is_refused(project: Project, setting: str, seconds: float) -> None:
    with pytest.raises(InputError, match=f"{setting} is .* greater than 0"):
        project.watch(**{setting: seconds})


def test_an_archive_cannot_be_watched(project: Project, tmp_path: Any) -> None:
    project.archive(tmp_path / "staten.zip", progress=False)
    with pytest.raises(InputError, match="which does not change"):
        pygeodesign.open(tmp_path / "staten.zip").watch()


def test_without_an_id_of_the_service_the_change_id_is_that_of_the_diagrams() -> None:
    diagrams = Diagrams(1, 2)
    with FakeService(diagrams.responses()) as service:
        project = service.project()
        before = project.change_id()
        assert project.change_id() == before
        diagrams.notes[2] = "new"
        edited = project.change_id()
        diagrams.ids.remove(1)
        assert len({before, edited, project.change_id()}) == 3


def test_the_change_id_of_a_service_tells_every_change(workshop: Workshop) -> None:
    project = workshop.project
    ids = [project.change_id()]
    project.create_tags([{"tag": "Quiet", "code": "QT"}])
    ids.append(project.change_id())
    added = project.add_diagram("Water", square(-9.2, 38.7, 0.01), title="Pond")
    ids.append(project.change_id())
    project.diagram(added.id).set_notes("Deep")
    ids.append(project.change_id())
    assert all(before != after for before, after in itertools.pairwise(ids))
    assert project.change_id() == ids[-1]
