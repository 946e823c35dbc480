"""`pygeodesign serve --workshops`: many workshops in one service, each with its own database."""

import csv
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

import pygeodesign
from pygeodesign import AuthenticationError, Client, NotFoundError, ServerError
from workshops_folder import PROJECT, SQUARE, Folder, add, eventually, served, workshops

NEW_PROJECT = {
    "title": "Harbour",
    "members": ["ana"],
    "bounds": "-74.2,40.5,-74.1,40.6",
    "systems": [{"name": "Water", "tag": "WAT", "color": "#2B7BBA", "cost": 125000}],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    with served(tmp_path_factory.mktemp("folder"), "spring", "autumn") as folder:
        yield folder


def hold_write_lock(path: Path) -> sqlite3.Connection:
    """Another program that writes into the database, until the connection is closed."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection


def test_each_workshop_has_its_own_users_and_projects(folder: Folder) -> None:
    before = len(folder.project("autumn").diagrams(fields="summary"))
    folder.project("spring").add_diagram(1, SQUARE, title="Only here")
    assert len(folder.project("spring").diagrams(fields="summary")) == before + 1
    assert len(folder.project("autumn").diagrams(fields="summary")) == before
    with pytest.raises(AuthenticationError):
        Client(folder.tokens["spring"]["admin"], folder.root("autumn")).projects()


def test_links_stay_in_their_workshop(folder: Folder) -> None:
    token = folder.tokens["spring"]["admin"]
    tags = folder.get(f"/w/spring/api/v1/projects/{PROJECT}/tags/?page_size=2", token)
    assert tags.links["next"]["url"].startswith(f"/w/spring/api/v1/projects/{PROJECT}/tags/?page=2")
    moved = folder.get(f"/w/spring/api/v1/projects/{PROJECT}/tags", token)
    assert moved.status_code == 301 and moved.headers["Location"] == f"/w/spring/api/v1/projects/{PROJECT}/tags/"
    document = folder.get("/w/spring/api/v1/openapi.json").json()
    assert document["servers"] == [{"url": "/w/spring"}] and "/api/v1/projects/" in document["paths"]
    assert folder.project("spring").diagram(1001).thumbnail().startswith(b"\x89PNG")


def test_costs_and_archives_are_those_of_a_single_service(folder: Folder, tmp_path: Path) -> None:
    """The client does not know workshops: their address is a base URL like any other."""
    project = folder.project("autumn")
    archive = tmp_path / "autumn.zip"
    project.archive(archive)
    assert pygeodesign.open(archive).costs().total == project.costs().total


def test_workshops_come_and_go_while_the_service_runs(folder: Folder) -> None:
    folder.tokens["summer"] = add(folder.path, "summer", "--member", "eve")
    assert folder.client("summer", "eve").projects()[0]["id"] == PROJECT
    project = folder.project("summer")
    project.diagram(1001).set_notes("kept")
    printed = workshops(folder.path, "--archive", "summer")
    archived = Path(printed.rpartition(" ")[2].strip())
    assert archived.is_file() and not list(folder.path.glob("summer*"))
    assert folder.status("summer") == 404
    shutil.copy(archived, folder.path / "summer.sqlite")
    assert project.diagram(1001).notes() == "kept"
    workshops(folder.path, "--remove", "summer")
    assert folder.status("summer") == 404 and not list(folder.path.glob("summer*"))


def test_the_operator_does_the_same_from_afar(folder: Folder) -> None:
    made = folder.operate("POST", "winter/", {"demo": True, "members": ["eve"]})
    assert made.status_code == 201 and made.json()["root"] == "/w/winter/api/v1/"
    folder.tokens["winter"] = made.json()["tokens"]
    assert folder.client("winter", "eve").projects()[0]["id"] == PROJECT
    assert folder.listed()["winter"]["is_open"]
    assert folder.operate("POST", "winter/").status_code == 409
    archived = folder.operate("POST", "winter/archive/").json()["file"]
    assert (folder.path / archived).is_file() and folder.status("winter") == 404
    assert folder.operate("POST", "empty/").json()["tokens"] == {}
    assert folder.operate("DELETE", "empty/").status_code == 204
    assert folder.operate("DELETE", "empty/").status_code == 404


def test_only_the_operator_sees_and_changes_workshops(folder: Folder) -> None:
    for token in (folder.tokens["spring"]["admin"], "0a1b"):
        assert folder.operate("GET", token=token).status_code == 401
        assert folder.operate("DELETE", "spring/", token=token).status_code == 401
        assert folder.operate("POST", "other/", token=token).status_code == 401
    assert folder.get("/api/v1/workshops/").status_code == 401
    assert (folder.path / "operator-token").stat().st_mode & 0o077 == 0
    assert folder.status("spring") == 200


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"setup": {"limits": {"connections": 5}}}, "limits apply to all workshops"),
        ({"members": ["a", 5]}, "members"),
        ({"demos": True}, "demos"),
        (
            {"setup": {"new_projects": [{"title": "T", **NEW_PROJECT, "boundaries": {"file": "/etc/hosts"}}]}},
            "/etc/hosts",
        ),
    ],
)
def test_a_workshop_with_a_mistake_is_not_made(folder: Folder, body: object, problem: str) -> None:
    refused = folder.operate("POST", "mistake/", body)
    assert refused.status_code == 400 and problem in refused.json()["detail"]
    assert "mistake" not in folder.listed() and not list(folder.path.glob("*mistake*"))


@pytest.mark.parametrize(
    "name", ["..", "%2e%2e", "spring%2f..%2fautumn", "Spring", "spring.sqlite", ".draft", "a%20b", ""]
)
def test_other_names_lead_nowhere(folder: Folder, name: str) -> None:
    assert folder.get(f"/w/{name}/api/v1/projects/", folder.tokens["spring"]["admin"]).status_code == 404
    assert folder.operate("DELETE", f"{name}/").status_code in (400, 404, 405)


def test_a_broken_workshop_is_named_to_the_operator_and_disturbs_no_other(folder: Folder) -> None:
    (folder.path / "broken.sqlite").write_bytes(b"SQLite format 3\x00" + bytes(5000))
    (folder.path / "empty.sqlite").touch()
    (folder.path / "foreign.sqlite").write_text("no database", encoding="utf-8")
    for name in ("broken", "empty", "foreign"):
        answer = folder.get(f"/w/{name}/api/v1/projects/", folder.tokens["spring"]["admin"])
        assert answer.status_code == 500 and "operator" in answer.json()["detail"]
        assert folder.listed()[name]["problem"]
    assert folder.status("spring") == 200
    assert (folder.path / "foreign.sqlite").read_text(encoding="utf-8") == "no database"
    for name in ("broken", "empty", "foreign"):
        workshops(folder.path, "--remove", name)


def test_a_repaired_workshop_is_served_again(folder: Folder) -> None:
    path, copy = folder.path / "repaired.sqlite", folder.path / "copy"
    folder.tokens["repaired"] = add(folder.path, "repaired")
    shutil.copy(path, copy)
    path.write_bytes(b"damaged")
    assert folder.status("repaired") == 500
    shutil.move(copy, path)
    eventually(lambda: folder.status("repaired") == 200)


def test_workshops_that_another_program_has_locked_delay_no_other(tmp_path: Path) -> None:
    """There are more of them than threads of the service."""
    with served(tmp_path, "locked0", "free") as folder, ThreadPoolExecutor(60) as threads:
        names = [f"locked{number}" for number in range(50)]
        for name in names[1:]:
            shutil.copy(tmp_path / "locked0.sqlite", tmp_path / f"{name}.sqlite")
            folder.tokens[name] = folder.tokens["locked0"]
        for name in names:
            assert folder.status(name) == 200
        locks = [hold_write_lock(tmp_path / f"{name}.sqlite") for name in names]
        waiting = [threads.submit(folder.project(name).diagram(1001).set_notes, "after the lock") for name in names]
        time.sleep(0.5)
        for number in range(5):
            start = time.monotonic()
            folder.project("free").diagram(1001).set_notes(f"note {number}")
            folder.project("free").diagrams()
            assert time.monotonic() - start < 2
        assert not any(write.done() for write in waiting)
        for lock in locks:
            lock.close()
        for write in waiting:
            write.result()
        assert folder.project("locked7").diagram(1001).notes() == "after the lock"


def test_a_workshop_that_another_program_has_for_itself_is_unavailable(folder: Folder) -> None:
    folder.tokens["taken"] = add(folder.path, "taken")
    program = sqlite3.connect(folder.path / "taken.sqlite", isolation_level=None)
    program.execute("PRAGMA locking_mode = EXCLUSIVE")
    program.execute("BEGIN EXCLUSIVE")
    assert folder.status("taken") == 503 and folder.status("spring") == 200
    program.close()
    eventually(lambda: folder.status("taken") == 200)


def test_a_workshop_that_nobody_uses_is_closed_and_opened_again(tmp_path: Path) -> None:
    with served(tmp_path, "spring", options=("--limit", "workshop_idle_seconds=1")) as folder:
        folder.project("spring").diagram(1001).set_notes("kept")
        assert folder.listed()["spring"]["is_open"]
        eventually(lambda: not folder.listed()["spring"]["is_open"])
        assert not list(tmp_path.glob("*-wal"))
        assert folder.project("spring").diagram(1001).notes() == "kept"


def test_a_workshop_stays_open_while_somebody_watches(tmp_path: Path) -> None:
    with served(tmp_path, "spring", options=("--limit", "workshop_idle_seconds=1")) as folder:
        changes = iter(folder.project("spring").watch())
        seen: list[object] = []
        watcher = threading.Thread(target=lambda: seen.append(next(changes)))
        watcher.start()
        time.sleep(3)
        assert folder.listed()["spring"]["is_open"]
        folder.project("spring").diagram(1001).set_notes("changed")
        watcher.join(timeout=20)
        assert seen
        # It can be archived all the same: the watcher is sent away.
        assert workshops(tmp_path, "--archive", "spring").startswith("Archived")


def test_as_many_workshops_are_open_as_the_limit_allows(tmp_path: Path) -> None:
    with served(tmp_path, "a", "b", "c", options=("--limit", "open_workshops=2")) as folder:
        for name in "abcabc":
            assert folder.status(name) == 200
        assert sum(workshop["is_open"] for workshop in folder.listed().values()) == 2
        watching = [iter(folder.project(name).watch()) for name in "ab"]
        threads = [threading.Thread(target=next, args=(changes,)) for changes in watching]
        for thread in threads:
            thread.start()
        eventually(lambda: folder.status("c") == 503)
        refused = folder.get("/w/c/api/v1/projects/", folder.tokens["c"]["admin"])
        assert "open_workshops is 2" in refused.json()["detail"] and refused.headers["Retry-After"]
        for name, thread in zip("ab", threads, strict=True):
            folder.project(name).diagram(1001).set_notes("the end")
            thread.join(timeout=20)
        del watching
        eventually(lambda: folder.status("c") == 200)


def test_many_first_requests_open_a_workshop_once(tmp_path: Path) -> None:
    with served(tmp_path, "spring") as folder, ThreadPoolExecutor(32) as threads:
        assert set(threads.map(folder.status, ["spring"] * 64)) == {200}
        metrics = folder.get("/metrics").text
        assert "geodesign_open_workshops 1\n" in metrics


def test_a_folder_has_one_service(folder: Folder) -> None:
    command = [sys.executable, "-m", "pygeodesign", "serve", "--workshops", str(folder.path), "--port", "0"]
    second = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert second.returncode == 1 and "another service serves" in second.stderr


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    with served(tmp_path, "a", "b") as folder:
        for name in "ab":
            folder.project(name).diagram(1001).set_notes(f"written to {name}")
        folder.process.send_signal(signal.SIGKILL)
        folder.process.wait()
        tokens = folder.tokens
    with served(tmp_path) as folder:
        folder.tokens.update(tokens)
        assert [folder.project(name).diagram(1001).notes() for name in "ab"] == ["written to a", "written to b"]


def test_commands_work_on_a_folder_that_nobody_serves(tmp_path: Path) -> None:
    add(tmp_path, "spring")
    assert "spring" in workshops(tmp_path)
    workshops(tmp_path, "--archive", "spring")
    assert [path.name[:7] for path in (tmp_path / "archived").iterdir()] == ["spring-"]
    missing = subprocess.run(
        [sys.executable, "-m", "pygeodesign", "workshops", str(tmp_path), "--remove", "spring"],
        capture_output=True,
        text=True,
    )
    assert missing.returncode == 4 and "no workshop spring" in missing.stderr


def test_a_workshop_with_a_setup_file_and_its_maps(tmp_path: Path) -> None:
    area = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": SQUARE}]}
    (tmp_path / "area.geojson").write_text(json.dumps(area), encoding="utf-8")
    setup = {"new_projects": [{**NEW_PROJECT, "boundaries": {"file": "area.geojson"}}]}
    (tmp_path / "setup.json").write_text(json.dumps(setup), encoding="utf-8")
    workshops(tmp_path / "many", "--add", "harbour", "--setup", tmp_path / "setup.json", "--user", "ana")
    with served(tmp_path / "many") as folder:
        command = [
            sys.executable,
            "-m",
            "pygeodesign",
            "tokens",
            "--db",
            str(folder.path / "harbour.sqlite"),
            "--user",
            "ana",
            "--csv",
        ]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        token = next(csv.DictReader(printed.splitlines()))["token"]
        client = Client(token, folder.root("harbour"))
        (listed,) = client.projects()
        assert len(client.project(listed["id"]).study_area.boundaries()) == 1


def test_errors_are_those_of_the_client(folder: Folder) -> None:
    with pytest.raises(NotFoundError, match="No such workshop"):
        Client("0a1b", folder.root("nowhere"), retries=0).projects()
    (folder.path / "bad.sqlite").write_text("no database", encoding="utf-8")
    with pytest.raises(ServerError, match="operator"):
        Client("0a1b", folder.root("bad"), retries=0).projects()
    workshops(folder.path, "--remove", "bad")


def test_an_operator_who_does_not_wait_for_the_answer_leaves_no_workshop_half_closed(tmp_path: Path) -> None:
    with served(tmp_path, "a", "b", "c") as folder:
        token, port = folder.operator_token, int(folder.address.split(":")[-1])
        for name, patience in zip("abc", (0, 0.001, 0.003), strict=True):
            assert folder.status(name) == 200
            with socket.create_connection(("127.0.0.1", port)) as connection:
                head = f"DELETE /api/v1/workshops/{name}/ HTTP/1.1\r\nHost: localhost\r\n"
                head += f"Authorization: Token {token}\r\n\r\n"
                connection.sendall(head.encode())
                time.sleep(patience)
            # The request may have gone with its connection.
            assert folder.status(name) in (200, 404)
            assert folder.operate("DELETE", f"{name}/").status_code in (204, 404)
            assert folder.status(name) == 404
        assert not list(tmp_path.glob("*.sqlite*"))


def test_a_workshop_whose_file_somebody_deletes_takes_no_more_writes(tmp_path: Path) -> None:
    with served(tmp_path, "gone") as folder:
        assert folder.status("gone") == 200
        for file in tmp_path.glob("gone.sqlite*"):
            file.unlink()
        eventually(lambda: folder.status("gone") == 404)


# Files, and things that only look like files


@pytest.mark.skipif(sys.platform == "win32", reason="a process there has no limit of open files that could be set")
def test_workshops_are_closed_when_files_run_out(tmp_path: Path) -> None:
    tokens = add(tmp_path, "w0")
    names = [f"w{number}" for number in range(40)]
    for name in names[1:]:
        shutil.copy(tmp_path / "w0.sqlite", tmp_path / f"{name}.sqlite")
    # Connections have a third of the files, and databases the rest: of these, four are open at the same time.
    with served(tmp_path, files=200) as folder:
        folder.tokens.update(dict.fromkeys(names, tokens))
        with ThreadPoolExecutor(16) as pool:
            assert set(pool.map(folder.status, names * 9)) == {200}
        assert 1 <= sum(workshop["is_open"] for workshop in folder.listed().values()) <= 5


def test_a_request_without_a_token_opens_no_database(tmp_path: Path) -> None:
    with served(tmp_path, "spring") as folder:
        for path, status in [
            (f"projects/{PROJECT}/", 401),
            ("projects/", 401),
            ("projects", 301),
            ("openapi.json", 200),
        ]:
            assert folder.get(f"/w/spring/api/v1/{path}").status_code == status
        for path, status in [("/w/spring/join/", 200), ("/w/spring/health/", 200), ("/w/none/api/v1/projects/", 404)]:
            assert folder.get(path).status_code == status
        url = folder.root("spring") + "projects/"
        assert requests.get(url, headers={"Authorization": "Token "}, timeout=20).status_code == 401
        asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "GET"}
        assert requests.options(url, headers=asked, timeout=20).ok
        assert not folder.listed()["spring"]["is_open"]
        assert folder.status("spring") == 200 and folder.listed()["spring"]["is_open"]


def test_people_walk_in_to_an_unopened_workshop_and_guest_links_lead_to_theirs(tmp_path: Path) -> None:
    with served(tmp_path, "spring") as folder:
        project = folder.project("spring")
        code = project.workshop.open_walk_ins("2999-06-01")["code"]
        assert project.workshop.add_link("Press", "2999-06-01")["path"].startswith("/w/spring/join/#Press:")
    with served(tmp_path) as folder:
        assert not folder.listed()["spring"]["is_open"]
        body = {"code": code, "username": "Zoe"}
        came = requests.post(folder.root("spring") + "walk_ins/", json=body, timeout=20)
        assert came.status_code == 201
        client = Client(came.json()["token"], folder.root("spring"))
        assert [each["id"] for each in client.projects()] == [PROJECT]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_a_pipe_or_a_device_in_the_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.sqlite")
    (tmp_path / "device.sqlite").symlink_to("/dev/zero")
    with served(tmp_path, "spring", "autumn") as folder:
        for ending in "-wal", "-journal":
            os.mkfifo(tmp_path / f"autumn.sqlite{ending}")
        token = folder.tokens["spring"]["admin"]
        begin = time.monotonic()
        for name, status in [("pipe", 404), ("device", 404), ("autumn", 500), ("spring", 200)]:
            assert folder.get(f"/w/{name}/api/v1/projects/", token).status_code == status
        assert folder.operate("POST", "pipe/archive/").status_code == 404
        assert set(folder.listed()) == {"spring", "autumn"}
        assert time.monotonic() - begin < 5
