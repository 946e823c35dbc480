"""Archives made to exhaust a reader's memory or time: refused before they are parsed."""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pygeodesign
from archives import members_of, with_manifest, with_member, write_zip
from builders import square
from pygeodesign import ArchiveError, Sandbox
from small_project import WATER, Workshop, running_workshop

MEBIBYTE = 1024 * 1024
# Limit for reading every hostile archive: an address space of 1.5 GB, as `ulimit -v` sets it.
READ_ALL = """
import resource, sys
import pygeodesign
resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
path, how, project = sys.argv[1:]
try:
    if how == "open":
        opened = pygeodesign.open(path)
        opened.info(), opened.systems(), opened.diagrams()
    elif how == "compare":
        pygeodesign.compare_archives(path, path)
    elif how == "serve":
        pygeodesign.Sandbox(project=path).close()
    else:
        pygeodesign.Client("token", "http://127.0.0.1:9/", retries=0).project(project).sync(path)
except pygeodesign.ArchiveError as error:
    print("refused:", error)
"""


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("small") / "small.zip"
    with running_workshop() as workshop:
        workshop.project.add_diagram(WATER, square(-9.2, 38.7, 0.01), title="Rain garden")
        workshop.project.archive(path, progress=False)
    return members_of(path)


def noise(count: int) -> bytes:
    """Digits that hardly become smaller."""
    digests = (hashlib.sha256(bytes(divmod(turn, 256))).hexdigest() for turn in range(count // 64))
    return "".join(digests).encode()


def tiny_values(value: bytes, megabytes: int) -> bytes:
    """A list of tiny values, with so much noise between them that it is packed as answers of a service are."""
    part = noise(4096).join([b'"', b'",']) + value * (60_000 // len(value))
    return b"[" + part * (megabytes * MEBIBYTE // len(part)) + b"0]"


def in_unknown_field(members: dict[str, bytes], name: str, value: bytes) -> dict[str, bytes]:
    document = json.loads(members[name])
    first: dict[str, Any] = document[0] if isinstance(document, list) else document
    first["unknown"] = "HERE"
    return with_member(members, name, json.dumps(document).encode().replace(b'"HERE"', value))


def with_hostile_manifest(members: dict[str, bytes], value: bytes) -> dict[str, bytes]:
    manifest = json.dumps(json.loads(members["manifest.json"]) | {"unknown": "HERE"}).encode()
    return members | {"manifest.json": manifest.replace(b'"HERE"', value)}


Members = dict[str, bytes]
CASES: dict[str, Callable[[Members], Members]] = {
    "blanks in the manifest": lambda members: members | {"manifest.json": b" " * 200 * MEBIBYTE},
    "tiny values in the manifest": lambda members: with_hostile_manifest(members, tiny_values(b"[],", 60)),
    "a manifest of 100,000 levels": lambda members: with_hostile_manifest(members, b"[" * 100_000 + b"]" * 100_000),
    "blanks in project.json": lambda members: with_member(members, "project.json", b" " * 200 * MEBIBYTE),
    "empty objects in project.json": lambda members: in_unknown_field(members, "project.json", tiny_values(b"{},", 60)),
    "objects in systems.json": lambda members: in_unknown_field(members, "systems.json", tiny_values(b'{"":0},', 60)),
    "positions in a diagram": lambda members: in_unknown_field(
        members, "diagrams/all.json", tiny_values(b'{"geometry":{"coordinates":[[1,2]]}},', 60)
    ),
    "levels in systems.json": lambda members: in_unknown_field(members, "systems.json", b"[" * 90_000 + b"]" * 90_000),
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_hostile_archive_is_refused_in_seconds_and_little_memory(
    case: str, members: dict[str, bytes], tmp_path: Path
) -> None:
    hostile = write_zip(tmp_path / "hostile.zip", CASES[case](members))
    before, project = hostile.read_bytes(), json.loads(members["project.json"])["id"]
    for how in ("open", "compare", "serve", "sync"):
        started = time.monotonic()
        command = [sys.executable, "-c", READ_ALL, str(hostile), how, project]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.stdout.startswith("refused:"), (how, done)
        assert "hostile.zip" in done.stdout
        assert time.monotonic() - started < 5
    assert hostile.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["hostile.zip"]


def test_a_member_that_is_packed_too_well_is_named(members: dict[str, bytes], tmp_path: Path) -> None:
    hostile = with_member(members, "project.json", b" " * 4 * MEBIBYTE)
    with pytest.raises(ArchiveError, match=r"project\.json unpacks from \d+ to 4194304 bytes; at most 100 times"):
        pygeodesign.open(write_zip(tmp_path / "hostile.zip", hostile))


def test_a_member_whose_length_in_the_directory_is_a_lie_is_refused(members: dict[str, bytes], tmp_path: Path) -> None:
    path = write_zip(tmp_path / "hostile.zip", with_member(members, "project.json", b" " * 4 * MEBIBYTE))
    content = path.read_bytes()
    path.write_bytes(content.replace((4 * MEBIBYTE).to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    with pytest.raises(ArchiveError, match=r"hostile\.zip"):
        pygeodesign.open(path)


def test_a_project_of_much_repetition_is_archived_so_that_it_can_be_opened(workshop: Workshop, tmp_path: Path) -> None:
    """One list with more than a mebibyte of the same notes."""
    project = workshop.project
    for number in range(15):
        diagram = project.add_diagram(WATER, square(-9.2, 38.7, 0.01), title=f"{number}").id
        project.diagram(int(diagram)).set_notes("x" * 100_000)
    project.archive(tmp_path / "notes.zip", progress=False)
    opened = pygeodesign.open(tmp_path / "notes.zip")
    assert opened.diagrams(fields="details") == project.diagrams(fields="details")


@pytest.mark.parametrize("digest", ["", "g" * 64, "../" * 21 + "x", "ab"])
def test_a_digest_that_is_none_is_refused(members: dict[str, bytes], tmp_path: Path, digest: str) -> None:
    path = write_zip(tmp_path / "small.zip", members)
    told = json.loads(members["manifest.json"])["members"]
    told["systems.json"]["sha256"] = digest
    with pytest.raises(ArchiveError, match=r"digest of the member \"systems\.json\""):
        pygeodesign.open(with_manifest(path, tmp_path / "other.zip", members=told))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_in_place_of_an_archive_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    for read in (pygeodesign.open, lambda path: Sandbox(project=path)):
        with pytest.raises(ArchiveError, match="no regular file"):
            read(tmp_path / "pipe.zip")


def repeated(members: Members, name: str, key: str) -> Members:
    """The members with a list that has its first row twice."""
    document = json.loads(members[name])
    rows = document[key] if key else document
    return with_member(members, name, json.dumps({key: [*rows, rows[0]]} if key else [*rows, rows[0]]).encode())


@pytest.mark.parametrize(
    ("name", "key", "told"),
    [
        ("systems.json", "", "two of its systems have the id"),
        ("diagrams.json", "", "two of its diagrams have the id"),
        ("members.json", "members", "two of its members have the id ana.sousa"),
    ],
)
def test_what_is_listed_twice_is_not_read_as_often(
    name: str, key: str, told: str, members: Members, tmp_path: Path
) -> None:
    hostile = write_zip(tmp_path / "hostile.zip", repeated(members, name, key))
    with pytest.raises(ArchiveError, match=rf"hostile\.zip cannot be loaded: {told}"):
        Sandbox(project=hostile)


def test_what_is_far_too_much_is_refused_before_it_is_written(members: Members, tmp_path: Path) -> None:
    teams = [{"id": number, "title": f"Team {number}", "color": "#000000"} for number in range(1001)]
    people = [{"username": f"member.{number}"} for number in range(50_001)]
    tags = [{"id": f"{number}", "tag": "a", "slug": "a", "code": "a", "diagrams": [1] * 201} for number in range(1000)]
    for name, document, told in [
        ("cteams.json", teams, "the project has 1,001 teams; the limit project_teams is 1,000"),
        ("members.json", {"members": people}, "it has 50001 members and 2 systems; .* at most 50000 members"),
        (
            "tags.json",
            tags,
            "its tags, selections, designs and reviews list 201000 diagrams and members, more than the 200000",
        ),
    ]:
        content = json.dumps(document).encode()
        with pytest.raises(ArchiveError, match=told):
            Sandbox(project=write_zip(tmp_path / "hostile.zip", with_member(members, name, content)))


def test_of_a_long_history_the_newest_changes_are_loaded(members: Members, tmp_path: Path) -> None:
    """In seconds: each knows how many bytes were before it."""
    entry = json.loads(members["history.json"])[0]
    history = json.dumps([{**entry, "id": number} for number in range(1, 30_001)]).encode()
    path, started = write_zip(tmp_path / "long.zip", with_member(members, "history.json", history)), time.process_time()
    with Sandbox(project=path) as sandbox:
        loaded = sandbox.client().project(sandbox.project_ids[0]).history()
        assert [change["id"] for change in loaded][:2] == [30_000, 29_999] and len(loaded) == 10_000
    assert time.process_time() - started < 20


def test_an_answer_that_is_no_json_is_told_of_the_archive_and_not_of_a_service(
    members: Members, tmp_path: Path
) -> None:
    hostile = with_member(members, "project.json", b"\xef\xbb\xbf" + members["project.json"])
    opened = pygeodesign.open(write_zip(tmp_path / "marked.zip", hostile))
    with pytest.raises(pygeodesign.DecodeError, match=r"the archive .*marked\.zip has something else than JSON$"):
        opened.info()
