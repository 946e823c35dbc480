"""A project in one file: its content, the results of a project opened from it, and refused files."""

import json
import pickle
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pygeodesign
from archives import members_of, with_manifest, write_zip
from demo import ADMINISTRATOR, MEMBER, demo_sandbox
from fake_service import FakeService, Response
from operations import OPERATIONS, PLACEHOLDERS, Operation, call, fill_placeholders
from pygeodesign import (
    ArchiveError,
    FeatureCollection,
    InputError,
    NotFoundError,
    Project,
    Sandbox,
    ServerError,
    _core,
)

pytestmark = pytest.mark.early

READS = [row for row in OPERATIONS if row.operation and row.archived and not row.writes and row.path[:1] != "/"]


@pytest.fixture(scope="session")
def archive(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo project with its pictures."""
    path = tmp_path_factory.mktemp("archive") / "staten.zip"
    project.archive(path, thumbnails=True, progress=False)
    return path


@pytest.fixture(scope="session")
def opened(archive: Path) -> Project:
    return pygeodesign.open(archive)


def comparable(answer: Any) -> Any:
    return (answer.to_dict(), answer.metadata) if isinstance(answer, FeatureCollection) else answer


@pytest.mark.parametrize("operation", READS, ids=str)
def test_an_opened_project_answers_every_read_as_the_service_did(
    operation: Operation, project: Project, opened: Project
) -> None:
    arguments = fill_placeholders(operation.arguments, PLACEHOLDERS)
    archived, served = (call(handle, operation.operation or "", arguments) for handle in (opened, project))
    assert comparable(archived) == comparable(served)


def test_a_pickled_project_of_an_archive_is_of_the_same_class(opened: Project) -> None:
    for project in (opened, _core._awaited(opened)):
        copy = pickle.loads(pickle.dumps(project))
        assert (type(copy), copy.id) == (type(project), project.id)


def test_an_opened_project_costs_the_same(project: Project, opened: Project) -> None:
    assert opened.costs().diagrams == project.costs().diagrams
    assert opened.costs().systems == project.costs().systems


@pytest.mark.slow
@pytest.mark.parametrize("paging", ["plain", "enveloped", "on-request"])
def test_the_archive_that_the_service_fills_is_that_of_the_client(paging: Any, tmp_path: Path) -> None:
    of_client, of_service = tmp_path / "client.zip", tmp_path / "service.zip"
    with demo_sandbox(paging=paging) as sandbox:
        project = sandbox.client().project("StatenIsland2050")
        project.diagram(1003).set_notes("Ask the harbour first.")
        project.archive(of_client, progress=False)
        project.download_archive(of_service)
        told, same = (json.loads(members_of(path)["manifest.json"]) for path in (of_client, of_service))
        assert same["members"] == told["members"]
        differing = {key for key in told if told[key] != same.get(key)}
        # That of a list is of its first page, which the service does not ask itself for.
        assert differing == {"created_at", "etags"}
        assert same["etags"].items() < told["etags"].items()
        project.diagram(1001).set_notes("Ask the school.")
        report = project.sync(of_service, progress=False)
        assert report["changed"] == [1001]
        assert list(tmp_path.glob(".*")) == []


def test_any_reader_of_zip_and_json_can_read_an_archive(archive: Path, project: Project) -> None:
    members = members_of(archive)
    assert json.loads(members["systems/1.json"])["name"] == project.system(1)["name"]
    assert len(json.loads(members["diagrams.json"])) == len(project.diagrams(fields="summary"))
    manifest = json.loads(members["manifest.json"])
    assert manifest["counts"]["diagrams"] == len(project.diagrams(fields="summary"))
    assert manifest["members"].keys() == members.keys() - {"manifest.json"}


def test_the_pictures_are_there_on_request_only(tmp_path: Path, opened: Project, project: Project) -> None:
    assert opened.thumbnails(progress=False) == project.thumbnails(progress=False)
    project.archive(tmp_path / "without.zip", progress=False)
    with pytest.raises(NotFoundError):
        pygeodesign.open(tmp_path / "without.zip").diagram(1001).thumbnail()


def test_the_token_is_not_in_the_file(archive: Path, sandbox: Sandbox) -> None:
    token = sandbox.token(ADMINISTRATOR).encode()
    assert not any(token in content for content in members_of(archive).values())


def test_an_archive_does_not_change(opened: Project) -> None:
    with pytest.raises(InputError, match="which does not change"):
        opened.workshop.add_stakeholders(["Harbour"])


def test_an_opened_project_is_the_same_in_another_process(opened: Project) -> None:
    assert pickle.loads(pickle.dumps(opened)).info() == opened.info()


def test_an_archive_of_an_opened_project_has_the_same_content(archive: Path, opened: Project, tmp_path: Path) -> None:
    opened.archive(tmp_path / "copy.zip", thumbnails=True, progress=False)
    copied, original = (json.loads(members_of(path)["manifest.json"]) for path in (tmp_path / "copy.zip", archive))
    assert copied["members"] == original["members"]


@pytest.mark.slow
def test_pages_of_a_service_become_whole_lists(tmp_path: Path) -> None:
    manifests = []
    for paging in ("plain", "enveloped", "on-request"):
        with Sandbox(paging=paging) as sandbox:
            sandbox.client().project(PLACEHOLDERS["projectid"]).archive(tmp_path / "staten.zip", progress=False)
        manifests.append(json.loads(members_of(tmp_path / "staten.zip")["manifest.json"])["members"])
    # Tags and change ids have random parts in each new demo.
    lists = ["systems.json", "diagrams.json", "cteams.json"]
    assert all(len({manifest[name]["sha256"] for manifest in manifests}) == 1 for name in lists)


def test_what_the_user_may_not_read_stays_refused(tmp_path: Path) -> None:
    empty: dict[str, Any] = {name: [] for name in ("systems/", "cteams/", "diagrams/", "tags/", "plugins/")}
    answers = empty | {"": {"id": "0000000000000001"}, "members/": {"members": []}}
    refused = Response({"detail": "No."}, 403)
    maps = ("boundaries/", "secondboundaries/", "constraints/", "context/", "data_layers/")
    others = ("stakeholders/", "bounds/", "center/", *maps)
    answers |= dict.fromkeys((*others, "diagrams/all/", "diagrams/all/details/", "negotiation_logs/"), refused)
    with FakeService(answers) as service:
        service.project().archive(tmp_path / "part.zip", progress=False)
    with pytest.raises(pygeodesign.PermissionDeniedError):
        pygeodesign.open(tmp_path / "part.zip").study_area.layers()


def test_a_failed_archive_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "staten.zip"
    path.write_bytes(b"before")
    answers = {"members/": {"members": []}, "cteams/": [], "diagrams/": []}
    broken = Response({"detail": "Broken."}, 500)
    with FakeService(answers | {"systems/": broken}) as service, pytest.raises(ServerError):
        service.project(retries=0).archive(path, progress=False)
    assert path.read_bytes() == b"before"
    assert [child.name for child in tmp_path.iterdir()] == ["staten.zip"]


ARCHIVE_AGAIN = """
import sys, pygeodesign
project = pygeodesign.open(sys.argv[1])
while True:
    project.archive(sys.argv[2], progress=False)
"""


@pytest.mark.slow
def test_an_archive_that_is_killed_at_any_moment_leaves_a_whole_file(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "staten.zip"
    path.write_bytes(archive.read_bytes())
    for attempt in range(8):
        process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", ARCHIVE_AGAIN, str(archive), str(path)])
        time.sleep(0.2 + 0.07 * attempt)
        process.kill()
        process.wait()
        assert pygeodesign.open(path).info()["id"] == PLACEHOLDERS["projectid"]


def flip(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :]


def test_a_byte_that_changed_never_changes_an_answer(archive: Path, opened: Project, tmp_path: Path) -> None:
    """Fields of zip that no reader needs, such as times, may change; anything else is noticed."""
    content = archive.read_bytes()
    damaged = tmp_path / "damaged.zip"
    original, refused = opened.systems(), 0
    for position in range(len(content) // 80, len(content), len(content) // 40):
        damaged.write_bytes(flip(content, position))
        try:
            assert pygeodesign.open(damaged).systems() == original
        except ArchiveError as error:
            assert "damaged.zip" in str(error)
            refused += 1
    assert refused > 30


def test_a_file_that_was_cut_is_refused(archive: Path, tmp_path: Path) -> None:
    content = archive.read_bytes()
    cut = tmp_path / "cut.zip"
    for length in (0, 100, len(content) // 2, len(content) - 1):
        cut.write_bytes(content[:length])
        with pytest.raises(ArchiveError, match=r"cut\.zip"):
            pygeodesign.open(cut)


def add(name: str, content: bytes = b"{}") -> Callable[[dict[str, bytes]], None]:
    return lambda members: members.update({name: content})


def change(name: str) -> Callable[[dict[str, bytes]], None]:
    return lambda members: members.update({name: members[name] + b" "})


REFUSED: dict[str, tuple[Callable[[dict[str, bytes]], Any], str]] = {
    "no manifest": (lambda members: members.pop("manifest.json"), "no manifest"),
    "a member that the manifest does not name": (add("more.json"), "does not name"),
    "a missing member": (lambda members: members.pop("systems.json"), "missing"),
    "a longer member": (change("systems.json"), "size"),
    "a path out of the folder": (add("../../evil.json"), "is not a valid member name"),
    "an absolute path": (add("/etc/evil.json"), "is not a valid member name"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_changed_archive_is_refused_with_the_reason(archive: Path, tmp_path: Path, case: str) -> None:
    edit, reason = REFUSED[case]
    members = members_of(archive)
    edit(members)
    with pytest.raises(ArchiveError, match=reason):
        pygeodesign.open(write_zip(tmp_path / "changed.zip", members))


def test_two_members_of_one_name_are_refused(archive: Path, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "twice.zip", members_of(archive))
    with zipfile.ZipFile(path, "a") as twice, pytest.warns(UserWarning, match="Duplicate name"):
        twice.writestr("systems.json", b"[]")
    with pytest.raises(ArchiveError, match="same name"):
        pygeodesign.open(path)


def test_a_newer_format_is_named(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"newer version.*update pygeodesign"):
        pygeodesign.open(with_manifest(archive, tmp_path / "newer.zip", version=2))


def test_a_bomb_is_refused_before_it_is_unpacked(archive: Path, tmp_path: Path) -> None:
    members = members_of(archive)
    content = b" " * 100_000_000
    manifest = json.loads(members["manifest.json"])
    manifest["members"] = {"systems.json": {"size": len(content), "sha256": "0" * 64}}
    bomb = write_zip(tmp_path / "bomb.zip", {"systems.json": content, "manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(ArchiveError, match="at most 100 times the packed size is read"):
        pygeodesign.open(bomb)


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"PK\x03\x04"])
def test_a_file_of_another_kind_is_no_archive(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.zip"
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match="is not an archive of a project"):
        pygeodesign.open(path)


def test_a_zip_of_another_program_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="is not an archive of a project: it has no manifest"):
        pygeodesign.open(write_zip(tmp_path / "other.zip", {"readme.txt": b"Hello"}))


def test_a_file_or_folder_that_is_missing_is_named(tmp_path: Path, project: Project) -> None:
    with pytest.raises(ArchiveError, match=r"missing\.zip cannot be opened"):
        pygeodesign.open(tmp_path / "missing.zip")
    with pytest.raises(ArchiveError, match=r"staten\.zip cannot be written"):
        project.archive(tmp_path / "no folder" / "staten.zip")


def test_a_member_archives_what_he_reads(sandbox: Sandbox, tmp_path: Path) -> None:
    project = sandbox.client(MEMBER).project(PLACEHOLDERS["projectid"])
    counts = project.archive(tmp_path / "staten.zip", progress=False)
    assert counts["diagrams"] == len(project.diagrams(fields="summary"))
