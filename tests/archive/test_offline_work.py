"""`sync` recognises a service, and never loses offline work in a sandbox of an archive."""

import json
from pathlib import Path

import pytest

import pygeodesign
from archives import EMPTY, members_of, with_manifest
from builders import square
from commands import run
from fake_service import PROJECT, FakeService
from pygeodesign import InputError, Project, Sandbox
from recording_proxy import RecordingProxy
from small_project import ADMINISTRATOR, SYSTEMS, WATER, Workshop, running_workshop

HOUSE = square(-9.2, 38.7, 0.01)


@pytest.fixture
def taken(workshop: Workshop, tmp_path: Path) -> Path:
    """An archive for work offline."""
    workshop.project.add_diagram(WATER, HOUSE, title="Rain garden")
    workshop.project.archive(tmp_path / "taken.zip", progress=False)
    return tmp_path / "taken.zip"


def served(archive: Path, database: Path | None = None) -> Sandbox:
    return Sandbox(database, project=archive)


def only_project(sandbox: Sandbox) -> Project:
    return sandbox.client().project(sandbox.project_ids[0])


def manifest_of(archive: Path) -> dict[str, object]:
    return dict(json.loads(members_of(archive)["manifest.json"]))


def test_an_archive_that_was_edited_offline_is_refused_and_neither_side_changes(
    workshop: Workshop, taken: Path, tmp_path: Path
) -> None:
    edited = tmp_path / "off.zip"
    with served(taken) as offline:
        project = only_project(offline)
        (known,) = (diagram["id"] for diagram in project.diagrams(fields="summary"))
        project.diagram(known).update(title="Larger rain garden")
        new = project.add_diagram(WATER, HOUSE, title="Pond").id
        project.archive(edited, progress=False)
    before, change_id = edited.read_bytes(), workshop.project.change_id()
    message = rf"a copy .* does not have \({new}\) and other versions of diagrams \({known}\).*merge"
    with pytest.raises(InputError, match=message):
        workshop.project.sync(edited, progress=False)
    assert edited.read_bytes() == before
    assert workshop.project.change_id() == change_id
    assert {path.name for path in tmp_path.iterdir()} == {"taken.zip", "off.zip"}


def test_an_edit_that_no_list_shows_is_refused_too(workshop: Workshop, taken: Path, tmp_path: Path) -> None:
    with served(taken) as offline:
        only_project(offline).workshop.add_stakeholders(["Oyster growers"])
        only_project(offline).archive(tmp_path / "off.zip", progress=False)
    with pytest.raises(InputError, match="changes that the service may not have"):
        workshop.project.sync(tmp_path / "off.zip", progress=False)


def test_an_archive_of_a_copy_that_nobody_edited_is_brought_up_to_date(
    workshop: Workshop, taken: Path, tmp_path: Path
) -> None:
    with served(taken) as offline:
        only_project(offline).archive(tmp_path / "off.zip", progress=False)
    new = workshop.project.add_diagram(WATER, HOUSE, title="Pond").id
    assert workshop.project.sync(tmp_path / "off.zip", progress=False)["added"] == [int(new)]


def test_a_copy_may_be_written_over_the_archive_that_it_began_as(taken: Path) -> None:
    with served(taken) as offline:
        new = only_project(offline).add_diagram(WATER, HOUSE, title="Pond").id
        assert only_project(offline).sync(taken, progress=False)["added"] == [int(new)]


def test_an_archive_of_an_archive_of_a_copy_is_refused(workshop: Workshop, taken: Path, tmp_path: Path) -> None:
    with served(taken) as first:
        only_project(first).workshop.add_stakeholders(["Oyster growers"])
        only_project(first).archive(tmp_path / "first.zip", progress=False)
    with served(tmp_path / "first.zip") as second:
        only_project(second).archive(tmp_path / "second.zip", progress=False)
    with pytest.raises(InputError, match="merge"):
        workshop.project.sync(tmp_path / "second.zip", progress=False)


def test_a_copy_stays_a_copy_after_a_restart(workshop: Workshop, taken: Path, tmp_path: Path) -> None:
    database = tmp_path / "offline.sqlite"
    with served(taken, database) as offline:
        only_project(offline).workshop.add_stakeholders(["Oyster growers"])
    with Sandbox(database, project=None) as offline:
        only_project(offline).archive(tmp_path / "off.zip", progress=False)
    told = manifest_of(tmp_path / "off.zip")
    origin = manifest_of(taken)
    assert told["service"] != origin["service"]
    assert told["loaded_from"] == {
        **{name: origin[name] for name in ("service", "source", "created_at", "changeid")},
        "edited": True,
    }
    with pytest.raises(InputError, match="merge"):
        workshop.project.sync(tmp_path / "off.zip", progress=False)


def test_a_service_at_another_address_is_the_same(tmp_path: Path) -> None:
    database, archive = tmp_path / "service.sqlite", tmp_path / "lisbon.zip"
    with running_workshop(database) as workshop:
        workshop.project.add_diagram(WATER, HOUSE, title="Rain garden")
        workshop.project.archive(archive, progress=False)
        projectid = workshop.id
    with Sandbox(database, project=None) as moved, RecordingProxy(moved.url) as proxy:
        project = pygeodesign.Client(moved.token(ADMINISTRATOR), proxy.url).project(projectid)
        assert project.sync(archive, progress=False)["downloaded"] == 0
        assert [request.path.rsplit("/", 2)[1] for request in proxy.requests] == ["changeid"]


def test_another_service_at_the_same_address_is_another(workshop: Workshop, taken: Path, tmp_path: Path) -> None:
    other = with_manifest(taken, tmp_path / "other.zip", service="0" * 32)
    with pytest.raises(InputError, match="another service"):
        workshop.project.sync(other, progress=False)


def test_a_service_without_an_id_refuses_archives_of_copies_only(tmp_path: Path) -> None:
    archive = tmp_path / "fake.zip"
    with FakeService({**EMPTY, "": {"id": PROJECT, "projecttitle": "Harbour"}}) as service:
        service.project().archive(archive, progress=False)
        with served(archive) as offline:
            only_project(offline).archive(tmp_path / "off.zip", progress=False)
        assert service.project().sync(archive, progress=False)["added"] == []
        with pytest.raises(InputError, match="merge"):
            service.project().sync(tmp_path / "off.zip", progress=False)


def test_the_command_takes_the_project_of_the_archive(workshop: Workshop, taken: Path, tmp_path: Path) -> None:
    code = workshop.sandbox.creation_code("SECOND")
    workshop.client().create_project(code, title="Porto", bounds=(-8.7, 41.1, -8.5, 41.2), systems=SYSTEMS)
    access = {"GEODESIGN_URL": workshop.sandbox.url, "GEODESIGN_TOKEN": workshop.sandbox.token(ADMINISTRATOR)}
    done = run(tmp_path, "sync", taken, "--json", **access)
    assert (done.code, json.loads(done.output)["added"]) == (0, []), done.messages
