"""Bringing an archive up to date: downloads, and a result that equals a new archive."""

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import requests

import pygeodesign
from archives import EMPTY, members_of
from builders import diagram, square
from demo import ADMINISTRATOR, demo_sandbox
from fake_service import PROJECT, FakeService, Response
from pygeodesign import ArchiveError, Client, InputError, Project, ServerError
from recording_proxy import RecordingProxy


@pytest.fixture
def demo_project() -> Iterator[Project]:
    """A demo project of its own, to write to."""
    with demo_sandbox() as sandbox:
        yield sandbox.client().project(sandbox.project_ids[0])


def answers_in(archive: Path) -> dict[str, bytes]:
    return {name: content for name, content in members_of(archive).items() if name != "manifest.json"}


def edit(project: Project, count: int, seed: int = 7) -> tuple[set[int], set[int], set[int]]:
    """Makes random edits; returns the ids of the diagrams that were added, changed and removed."""
    choose = random.Random(seed)
    tags = [tag["id"] for tag in project.tags()]
    ids = choose.sample([diagram["id"] for diagram in project.diagrams(fields="summary")], count)
    added, changed, removed = set(), set(), set()
    for turn, diagram_id in enumerate(ids):
        match turn % 5:
            case 0:
                project.diagram(diagram_id).set_notes(f"Note {turn}")
            case 1:
                project.diagram(diagram_id).update(
                    title=f"Title {turn}", additional_metadata={"a": 1.50, "geojson": "é"}
                )
            case 2:
                project.diagram(diagram_id).set_tags(choose.sample(tags, 2))
            case 3:
                project.diagram(diagram_id).delete()
                removed.add(diagram_id)
            case 4:
                geometry = square(-74.2, 40.55, 0.01)
                added.add(int(project.add_diagram("Water", geometry, title=f"New {turn}").id))
        if turn % 5 < 3:
            changed.add(diagram_id)
    return added, changed, removed


def test_a_synchronized_archive_equals_a_new_one(demo_project: Project, tmp_path: Path) -> None:
    demo_project.archive(tmp_path / "old.zip", progress=False)
    added, changed, removed = edit(demo_project, 20)
    report = demo_project.sync(tmp_path / "old.zip", progress=False)
    demo_project.archive(tmp_path / "new.zip", progress=False)
    assert answers_in(tmp_path / "old.zip") == answers_in(tmp_path / "new.zip")
    assert (set(report["added"]), set(report["changed"]), set(report["removed"])) == (added, changed, removed)
    old, new = (pygeodesign.open(tmp_path / name) for name in ("old.zip", "new.zip"))
    assert old.costs().diagrams == new.costs().diagrams


def test_undone_changes_and_new_tags_are_found(demo_project: Project, tmp_path: Path) -> None:
    path = tmp_path / "old.zip"
    demo_project.archive(path, progress=False)
    demo_project.diagram(1013).delete()
    demo_project.create_tags([{"tag": "Quiet", "code": "QT"}])
    demo_project.sync(path, progress=False)
    demo_project.undo(next(row["id"] for row in demo_project.history() if row["subject"] == "diagram 1013"))
    tag = next(tag["id"] for tag in demo_project.tags() if tag["code"] == "QT")
    demo_project.diagram(1014).set_tags([tag])
    report = demo_project.sync(path, progress=False)
    assert (report["added"], report["changed"], report["removed"]) == ([1013], [1014], [])
    demo_project.archive(tmp_path / "new.zip", progress=False)
    assert answers_in(path) == answers_in(tmp_path / "new.zip")


@pytest.mark.slow
def test_only_diagrams_that_changed_are_downloaded(tmp_path: Path) -> None:
    path = tmp_path / "staten.zip"
    with demo_sandbox() as sandbox, RecordingProxy(sandbox.url) as proxy:
        project = Client(sandbox.token(ADMINISTRATOR), proxy.url).project(sandbox.project_ids[0])
        project.archive(path, progress=False)
        added, changed, _ = edit(project, 10)
        proxy.requests.clear()
        project.sync(path, progress=False)
    paths = [request.path.partition("StatenIsland2050/")[2] for request in proxy.requests]
    downloaded = {int(match[1]) for path in paths if (match := re.fullmatch(r"diagrams/(\d+)/", path))}
    assert downloaded == added | changed
    assert paths.count("diagrams/all/") == paths.count("diagrams/all/details/") == 1


def test_events_tell_which_change_ids_are_to_be_read(tmp_path: Path) -> None:
    route = "/api/v1/projects/{projectid}/diagrams/{diagramid}/changeid/"

    def asked() -> int:
        lines = requests.get(urljoin(sandbox.url, "/metrics"), timeout=20).text.splitlines()
        return sum(int(line.rsplit(" ", 1)[1]) for line in lines if f'route="{route}"' in line)

    with demo_sandbox() as sandbox:
        project = sandbox.client().project(sandbox.project_ids[0])
        project.archive(tmp_path / "staten.zip", progress=False)
        added, changed, removed = edit(project, 10)
        before = asked()
        report = project.sync(tmp_path / "staten.zip", progress=False)
        assert asked() - before == len(added | changed)
    assert (set(report["added"]), set(report["changed"]), set(report["removed"])) == (added, changed, removed)


def test_what_has_the_same_tag_is_not_sent_again(tmp_path: Path) -> None:
    path = tmp_path / "fake.zip"
    conditional: list[str | None] = []
    known = {"etag": '"v1"', "x-total-count": "1"}

    def tags(_body: Any, headers: Mapping[str, str]) -> Response:
        conditional.append(headers.get("if-none-match"))
        is_known = headers.get("if-none-match") == '"v1"'
        return Response(b"", 304) if is_known else Response([{"id": "a", "tag": "Coast"}], headers=known)

    with FakeService(EMPTY | {"tags/": tags}) as service:
        service.project().sync(path, progress=False)
        service.project().sync(path, progress=False)
    assert conditional == [None, '"v1"']
    assert json.loads(members_of(path)["manifest.json"])["etags"] == {"tags.json": '"v1"'}
    assert pygeodesign.open(path).tags()[0]["tag"] == "Coast"
    with FakeService(EMPTY | {"tags/": tags}) as service:
        service.project().sync(path, progress=False)
    assert conditional[2:] == [None], "the tag of another service means nothing"


def test_a_list_stays_as_the_service_writes_it(tmp_path: Path) -> None:
    """The list of all diagrams has an order of its own."""
    path = tmp_path / "fake.zip"
    answers: dict[str, Any] = EMPTY | {"diagrams/": [{"id": 1, "sysid": 1}, {"id": 2, "sysid": 1}]}
    for one in (1, 2):
        answers |= {f"diagrams/{one}/": diagram(one), f"diagrams/{one}/changeid/": {"changehash": "a"}}
    answers["diagrams/all/"] = [diagram(2), diagram(1)]
    with FakeService(answers) as service:
        service.project().sync(path, progress=False)
    changed = {"diagrams/1/": diagram(1, notes="new"), "diagrams/1/changeid/": {"changehash": "b"}}
    with FakeService(answers | changed | {"diagrams/all/": [diagram(2), diagram(1, notes="new")]}) as service:
        assert service.project().sync(path, progress=False)["changed"] == [1]
        assert service.requests[f"projects/{PROJECT}/diagrams/all/"] == 1
        assert service.requests[f"projects/{PROJECT}/diagrams/2/"] == 0
    assert json.loads(members_of(path)["diagrams/all.json"]) == [diagram(2), diagram(1, notes="new")]


def test_without_a_file_the_project_is_archived(project: Project, tmp_path: Path) -> None:
    report = project.sync(tmp_path / "staten.zip", progress=False)
    assert report["added"] == [diagram["id"] for diagram in project.diagrams(fields="summary")]
    assert report["kept"] == 0
    assert pygeodesign.open(tmp_path / "staten.zip").info() == project.info()


def test_an_archive_of_another_project_is_refused(project: Project, tmp_path: Path) -> None:
    project.archive(tmp_path / "staten.zip", progress=False)
    before = (tmp_path / "staten.zip").read_bytes()
    with FakeService({}) as service, pytest.raises(InputError, match="archive of the project StatenIsland2050, not of"):
        service.project().sync(tmp_path / "staten.zip")
    assert (tmp_path / "staten.zip").read_bytes() == before


def test_a_damaged_archive_is_refused_and_kept(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "staten.zip"
    path.write_bytes(b"no archive")
    with pytest.raises(ArchiveError, match="not an archive"):
        project.sync(path)
    assert path.read_bytes() == b"no archive"


def test_a_failure_in_the_middle_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "fake.zip"
    with FakeService(EMPTY) as service:
        service.project().sync(path, progress=False)
    before = path.read_bytes()
    with (
        FakeService(EMPTY | {"tags/": Response({}, 500)}) as service,
        pytest.raises(ServerError),
    ):
        service.project(retries=0).sync(path, progress=False)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["fake.zip"]


def test_a_tag_is_read_again_for_all_diagrams_that_have_it(tmp_path: Path) -> None:
    path = tmp_path / "fake.zip"
    coast = {"id": "a", "tag": "Coast", "diagrams": [1, 2]}
    green = {"id": "b", "tag": "Green", "diagrams": [3]}
    answers: dict[str, Any] = EMPTY | {"diagrams/": [{"id": one, "sysid": 1} for one in (1, 2, 3)]}
    for one, tag in ((1, coast), (2, coast), (3, green)):
        answers |= {f"diagrams/{one}/": diagram(one), f"diagrams/{one}/changeid/": {"changehash": "a"}}
        answers |= {f"diagrams/{one}/tags/": [tag]}
    with FakeService(answers | {"tags/": [coast, green]}) as service:
        service.project().sync(path, progress=False)
    fewer = {**coast, "diagrams": [2]}
    answers |= {"tags/": [fewer, green], "diagrams/1/tags/": [], "diagrams/2/tags/": [fewer]}
    with FakeService(answers | {"diagrams/1/changeid/": {"changehash": "b"}}) as service:
        assert service.project().sync(path, progress=False)["changed"] == [1]
        asked = [one for one in (1, 2, 3) if service.requests[f"projects/{PROJECT}/diagrams/{one}/tags/"]]
        assert asked == [1, 2]
    members = members_of(path)
    assert [json.loads(members[f"diagrams/{one}/tags.json"]) for one in (1, 2, 3)] == [[], [fewer], [green]]


def test_nothing_but_the_change_id_is_read_of_an_unchanged_project(tmp_path: Path) -> None:
    path = tmp_path / "fake.zip"
    with FakeService(EMPTY | {"changeid/": {"changeid": "c7"}}) as service:
        project = service.project()
        project.sync(path, progress=False)
        before, asked = path.read_bytes(), service.requests.copy()
        assert project.sync(path, progress=False)["downloaded"] == 0
        assert (service.requests - asked) == {f"projects/{PROJECT}/changeid/": 1}
    assert path.read_bytes() == before
