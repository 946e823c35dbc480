"""A client with a cache downloads changes only, and its results are always the service's."""

import asyncio
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pickle import dumps, loads
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demo import demo_sandbox
from fault_server import FaultServer, Response, http
from pygeodesign import AsyncClient, Client, ConfigurationError, Project, Sandbox

PROJECT = "StatenIsland2050"
CORNERS = [[-74.1, 40.6], [-74.09, 40.6], [-74.09, 40.61], [-74.1, 40.61], [-74.1, 40.6]]
SQUARE = {"type": "Polygon", "coordinates": [CORNERS]}
MEMBER = "jose.villanueva"


@pytest.fixture
def own() -> Iterator[Sandbox]:
    with demo_sandbox() as sandbox:
        yield sandbox


def client_with(sandbox: Sandbox, cache: Any, **settings: Any) -> Client:
    return Client(sandbox.token(), sandbox.url, cache=cache, **settings)


def downloaded(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.response"))


def everything(project: Project) -> dict[str, Any]:
    """A notebook's typical reads of a project."""
    return {
        "diagrams": project.diagrams().to_dict(),
        "costs": [project.costs().diagrams, project.costs().systems],
        "systems": [project.system(system["id"]) for system in project.systems()],
        "summaries": project.diagrams(fields="summary"),
        "details": project.diagrams(fields="details"),
        "teams": project.teams(),
        "tags": project.tags(),
        "bounds": project.study_area.bounds(),
        "boundaries": project.study_area.boundaries().to_dict(),
        "thumbnail": project.diagram(project.diagrams(fields="summary")[0]["id"]).thumbnail(),
    }


def sent_bodies(sandbox: Sandbox) -> int:
    """Number of reads of projects that the service has answered with a body."""
    text = requests.get(sandbox.url.replace("/api/v1/", "/metrics"), timeout=10).text
    lines = [line for line in text.splitlines() if line.startswith("geodesign_requests_total") and "/projects/" in line]
    assert lines
    return sum(int(line.split()[-1]) for line in lines if 'status="200"' in line)


def edit(project: Project, kind: int, number: int) -> None:
    """Adds a diagram, or changes or removes an existing one."""
    ids = [diagram["id"] for diagram in project.diagrams(fields="summary")]
    match kind:
        case 0:
            project.add_diagram(1 + number % 9, SQUARE, title=f"new {number}")
        case 1:
            project.diagram(ids[number % len(ids)]).update(title=f"changed {number}")
        case 2:
            project.diagram(ids[number % len(ids)]).set_notes(f"notes {number}")
        case _:
            project.diagram(ids[number % len(ids)]).delete()


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["in memory", "in a folder"])
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1000)), max_size=4))
def test_answers_are_those_of_a_client_without_a_cache(kept: str, tmp_path: Path, edits: list[tuple[int, int]]) -> None:
    with demo_sandbox() as sandbox:
        cached = client_with(sandbox, True if kept == "in memory" else tmp_path).project(PROJECT)
        plain = sandbox.client().project(PROJECT)
        assert everything(cached) == everything(plain)
        for kind, number in edits:
            edit(plain, kind, number)
            assert everything(cached) == everything(plain)


def test_what_has_not_changed_is_not_sent_again(own: Sandbox) -> None:
    project = client_with(own, True).project(PROJECT)
    first = everything(project)
    before = sent_bodies(own)
    assert everything(project) == first
    assert sent_bodies(own) == before
    project.diagram(1001).update(title="changed")
    before = sent_bodies(own)
    assert project.diagrams().to_dict() != first["diagrams"]
    assert sent_bodies(own) > before


def test_without_a_cache_everything_is_sent(own: Sandbox) -> None:
    project = own.client().project(PROJECT)
    project.diagrams()
    before = sent_bodies(own)
    project.diagrams()
    assert sent_bodies(own) > before


def test_an_unchanged_project_gives_the_same_collection(own: Sandbox) -> None:
    project = client_with(own, True).project(PROJECT)
    assert project.diagrams().to_dict() == project.diagrams().to_dict()
    # Which was read without measures, so that they are computed from the kept body.
    before = sent_bodies(own)
    assert project.costs().diagrams == own.client().project(PROJECT).costs().diagrams
    assert sent_bodies(own) > before


def test_an_async_client_has_the_same_cache(own: Sandbox) -> None:
    async def twice() -> list[Any]:
        async with AsyncClient(own.token(), own.url, cache=True) as client:
            project = client.project(PROJECT)
            first = (await project.costs()).diagrams
            before = sent_bodies(own)
            second = (await project.costs()).diagrams
            return [first == second, sent_bodies(own) - before]

    assert asyncio.run(twice()) == [True, 0]


def test_a_new_or_removed_system_is_noticed_although_systems_come_with_their_list() -> None:
    def listed(ids: list[int], tag: str) -> bytes:
        body = ",".join(f'{{"id":{number},"sysname":"S{number}","syscolor":"#000000"}}' for number in ids)
        return http("200 OK", f"[{body}]".encode(), content_type="application/json", ETag=f'"{tag}"', X_Total_Count="2")

    def system(number: int) -> bytes:
        body = f'{{"id":{number},"sysname":"S{number}","syscost":{number},"sysbudget":1,"systarget":1}}'
        return http("200 OK", body.encode(), content_type="application/json", ETag='"1"')

    gone = http("404 Not Found", b"{}", content_type="application/json")
    empty = http("200 OK", b"[]", content_type="application/json")
    root = f"projects/{PROJECT}/systems/"
    responses: dict[str, Response | list[Response]] = {
        root: [listed([1, 2], "a"), listed([1, 3], "b")],
        f"{root}1/": system(1),
        f"{root}2/": [system(2), gone],
        f"{root}3/": system(3),
        f"projects/{PROJECT}/diagrams/all/": empty,
    }
    with FaultServer(responses) as server:
        project = Client("token", server.url, cache=True).project(PROJECT)
        assert [row["sysid"] for row in project.costs().systems] == [1, 2]
        assert [row["sysid"] for row in project.costs().systems] == [1, 3]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_files_are_for_their_owner_and_hold_no_token(own: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    everything(client_with(own, folder).project(PROJECT))
    files = downloaded(folder)
    assert len(files) > 10
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    token = own.token().encode()
    assert not any(token in file.read_bytes() or token in str(file).encode() for file in files)


def test_another_client_finds_the_files(own: Sandbox, tmp_path: Path) -> None:
    token = own.token()
    first = everything(Client(token, own.url, cache=tmp_path).project(PROJECT))
    before = sent_bodies(own)
    assert everything(Client(token, own.url, cache=tmp_path).project(PROJECT)) == first
    assert sent_bodies(own) == before


def test_another_user_does_not_get_the_answers_of_the_first(own: Sandbox, tmp_path: Path) -> None:
    Client(own.token(), own.url, cache=tmp_path).project(PROJECT).diagrams()
    before = sent_bodies(own)
    Client(own.token(MEMBER), own.url, cache=tmp_path).project(PROJECT).diagrams()
    assert sent_bodies(own) > before


@pytest.mark.parametrize("damage", [b"", b"{", b'{"format":99}\n', b"\x00" * 1000])
def test_a_damaged_file_is_as_good_as_none(own: Sandbox, tmp_path: Path, damage: bytes) -> None:
    token = own.token()
    first = everything(Client(token, own.url, cache=tmp_path).project(PROJECT))
    for file in downloaded(tmp_path):
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2] + damage)
    assert everything(Client(token, own.url, cache=tmp_path).project(PROJECT)) == first
    before = sent_bodies(own)
    assert everything(Client(token, own.url, cache=tmp_path).project(PROJECT)) == first
    assert sent_bodies(own) == before


def test_a_folder_stays_within_its_size(own: Sandbox, tmp_path: Path) -> None:
    project = client_with(own, tmp_path, max_cache_bytes=100_000).project(PROJECT)
    expected = everything(own.client().project(PROJECT))
    for _ in range(2):
        assert everything(project) == expected
        assert 0 < sum(file.stat().st_size for file in downloaded(tmp_path)) <= 100_000


def test_a_folder_that_cannot_be_written_costs_no_answer(
    own: Sandbox, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("a file")
    assert client_with(own, occupied).project(PROJECT).diagrams()
    assert any("was not cached in" in record.getMessage() for record in caplog.records)


def test_threads_share_a_cache(own: Sandbox, tmp_path: Path) -> None:
    token = own.token()
    expected = everything(own.client().project(PROJECT))
    clients = [Client(token, own.url, cache=tmp_path) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: everything(clients[number % 4].project(PROJECT)), range(8)))
    assert all(one == expected for one in found)


def test_the_settings_travel_to_other_processes(own: Sandbox, tmp_path: Path) -> None:
    for cache in (True, False, tmp_path):
        client = Client(own.token(), own.url, cache=cache, compression=True, max_cache_bytes=1_000_000)
        copy = loads(dumps(client))
        assert everything(copy.project(PROJECT)) == everything(client.project(PROJECT))


def test_a_service_without_tags_sends_everything() -> None:
    body = http("200 OK", b"[]", content_type="application/json")
    with FaultServer({"projects/": body}) as server:
        client = Client("token", server.url, cache=True)
        assert client.projects() == client.projects() == []
        assert not any(b"if-none-match" in head.lower() for head in server.received)


@pytest.mark.parametrize("compression", [True, False, None])
def test_answers_are_compressed_where_that_is_asked_for(compression: bool | None) -> None:
    with FaultServer({"projects/": http("200 OK", b"[]", content_type="application/json")}) as server:
        Client("token", server.url, compression=compression).projects()
        (head,) = server.received
        line = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"accept-encoding:"))
        assert (line == b"accept-encoding: identity") is (compression is not True)


def test_compressed_answers_are_the_same(own: Sandbox) -> None:
    compressed = Client(own.token(), own.url, compression=True).project(PROJECT)
    assert everything(compressed) == everything(own.client().project(PROJECT))


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
def test_a_folder_that_others_may_write_is_refused_with_the_command_that_mends_it(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "it's kept"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(ConfigurationError, match="chmod go-w") as refused:
        Client("token", "http://127.0.0.1:9/", cache=folder)
    subprocess.run(str(refused.value).partition("run: ")[2], shell=True, check=True)
    Client("token", "http://127.0.0.1:9/", cache=folder)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_folder_that_others_may_write_from_now_on_is_not_read(own: Sandbox, tmp_path: Path) -> None:
    token = own.token()
    folder = tmp_path / "kept"
    Client(token, own.url, cache=folder).project(PROJECT).diagrams()
    later = Client(token, own.url, cache=folder).project(PROJECT)
    folder.chmod(0o777)
    before = sent_bodies(own)
    later.diagrams()
    assert sent_bodies(own) > before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_in_the_folder_is_not_waited_for(own: Sandbox, tmp_path: Path) -> None:
    token = own.token()
    first = everything(Client(token, own.url, cache=tmp_path).project(PROJECT))
    for file in downloaded(tmp_path):
        file.unlink()
        os.mkfifo(file)
    assert everything(Client(token, own.url, cache=tmp_path).project(PROJECT)) == first


def test_a_file_is_read_no_further_than_its_head_says(own: Sandbox, tmp_path: Path) -> None:
    token = own.token()
    first = everything(Client(token, own.url, cache=tmp_path).project(PROJECT))
    for file in downloaded(tmp_path):
        with file.open("ab") as longer:
            longer.truncate(file.stat().st_size + 2**40)
    assert everything(Client(token, own.url, cache=tmp_path).project(PROJECT)) == first
