"""Every command as a process of its own: a title with spaces, no terminal, closed pipes, a busy database, Ctrl-C."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from commands import arguments_of, environment, listed_commands, output_of, signed_in
from fault_server import FaultServer, http
from osm_town import write_town
from park_files import TITLE, write_parks
from pygeodesign import Sandbox

pytestmark = [pytest.mark.unix, pytest.mark.early]

EVENING = ["--title", TITLE, "--area", "my parks.geojson", "--systems", "igc", "--administrator", "ben"]

# Each command with all that it needs. Most name the project by its title, which has spaces, as have their files.
COMMANDS = [
    ["projects"],
    ["systems", TITLE],
    ["costs", TITLE],
    ["designs", TITLE],
    ["diagrams", TITLE],
    ["history", TITLE],
    ["diagrams", TITLE, "-o", "all diagrams.geojson"],
    ["upload", TITLE, "my parks.geojson", "--system", "Green infrastructure", "--allow-outside", "--skip-duplicates"],
    ["archive", TITLE, "my archive.zip"],
    ["archive-all", "my archives"],
    ["report", TITLE, "-o", "my report.html"],
    ["record", "my evening", TITLE],
    ["basemap", "my town.osm", "-o", "my basemap.pmtiles"],
    ["compare", TITLE],
    ["ask", "targets", "--project", TITLE],
    ["map", TITLE, "-o", "my map.html"],
    ["gallery", TITLE, "-o", "my gallery.html"],
    ["sync", TITLE, "staten island.zip"],
    ["merge", TITLE, "staten island.zip"],
    ["open", "staten island.zip"],
    ["costs", "--archive", "staten island.zip"],
    ["thumbnails", TITLE, "-o", "my pictures", "--diagram", "1001"],
    ["backup", "my copy.sqlite"],
    ["backup", "my copy.sqlite", "--db", "my workshop.sqlite"],
    ["users", TITLE],
    ["users", TITLE, "--db", "my workshop.sqlite"],
    ["members", TITLE],
    ["members", TITLE, "--db", "my workshop.sqlite"],
    ["tokens", TITLE, "--user", "amara.okafor"],
    ["tokens", TITLE, "--db", "my workshop.sqlite"],
    ["tokens", TITLE, "--db", "my workshop.sqlite", "--url", "https://plan.example.org", "--cards", "my cards.html"],
    ["call"],
    ["call", "set_vote", "diagramid=1002", "vote=2", "comment=Shade for all"],
    ["teams", TITLE],
    ["teams", TITLE, "--db", "my workshop.sqlite"],
    ["import-project", "my setup.json", "--db", "my workshop.sqlite"],
    ["new", "my evening.json", *EVENING],
    ["workshops", "my workshops"],
    ["completions", "zsh"],
    ["login"],
    ["logout"],
]
# These go on until somebody ends them.
LASTING = [["watch", TITLE], ["serve", "--port", "0", "--load", "staten island.zip"]]
# They write files, or report on the standard error.
SILENT = {"archive", "record", "thumbnails", "login", "logout", "merge"}
WRITING = [
    ["users", "--db", "my workshop.sqlite", "--add", "ana"],
    ["members", "--db", "my workshop.sqlite", "--add", "amara.okafor"],
    ["tokens", "--db", "my workshop.sqlite"],
    ["teams", "--db", "my workshop.sqlite", "--team", "Old town="],
    ["import-project", "my setup.json", "--db", "my workshop.sqlite"],
    ["serve", "--db", "my workshop.sqlite", "--port", "0"],
]


class Room(NamedTuple):
    """A running service, and a folder with all the files that commands need."""

    sandbox: Sandbox
    folder: Path

    def variables(self) -> dict[str, str]:
        return signed_in(self.sandbox)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = tmp_path_factory.mktemp("my room")
    with Sandbox(folder / "my workshop.sqlite") as sandbox:
        sandbox.client().project(sandbox.project_ids[0]).archive(folder / "staten island.zip", progress=False)
        (folder / "my workshops").mkdir()
        (folder / "my setup.json").write_text('{"new_projects": []}')
        yield Room(sandbox, folder)


@pytest.fixture
def room(prepared: Room, tmp_path: Path) -> Room:
    """The files are copies, so that no test sees what another one has changed; the service is shared."""
    folder = tmp_path / "my room"
    shutil.copytree(prepared.folder, folder, ignore=shutil.ignore_patterns("*-shm", "config"))
    write_parks(folder / "my parks.geojson")
    write_town(folder / "my town.osm")
    (folder / "my token.txt").write_text(prepared.sandbox.token())
    return Room(prepared.sandbox, folder)


def name_of(command: list[str]) -> str:
    return " ".join(command)


def start(
    room: Room, command: list[str], stdout: int = subprocess.PIPE, stderr: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    # No terminal; `login` reads the token.
    with (room.folder / "my token.txt").open() as token:
        return subprocess.Popen(
            arguments_of(tuple(command)),
            cwd=room.folder,
            env=environment(room.folder, **room.variables()),
            stdin=token,
            stdout=stdout,
            stderr=stderr,
        )


def is_silent(command: list[str]) -> bool:
    return command[0] in SILENT or "-o" in command or "--cards" in command


def test_the_list_has_every_command(tmp_path: Path) -> None:
    names = listed_commands(output_of(tmp_path, "--help"))
    assert set(names) == {command[0] for command in COMMANDS + LASTING}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_no_terminal_is_needed_and_nobody_has_to_read_what_a_command_prints(command: list[str], room: Room) -> None:
    process = start(room, command)
    output, messages = process.communicate(timeout=240)
    assert process.returncode == 0, messages
    assert (output == b"") == is_silent(command)
    assert b"\x1b" not in output + messages
    # A command that writes nothing to a stream does not notice that it is closed.
    if output:
        assert end_unread(room, command, "stdout")[:2] == (141, b"")
    if messages:
        code, _, output = end_unread(room, command, "stderr")
        assert code == 0 and (output == b"") == is_silent(command)


def end_unread(room: Room, command: list[str], stream: str) -> tuple[int, bytes, bytes]:
    """The exit code, messages and output of a command with one of the two streams closed."""
    # They are not replaced.
    shutil.rmtree(room.folder / "my evening", ignore_errors=True)
    (room.folder / "my evening.json").unlink(missing_ok=True)
    reader, writer = os.pipe()
    os.close(reader)
    process = start(room, command, stdout=writer) if stream == "stdout" else start(room, command, stderr=writer)
    os.close(writer)
    output, messages = process.communicate(timeout=240)
    return process.returncode, messages or b"", output or b""


@pytest.mark.parametrize("command", LASTING, ids=name_of)
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_lasting_command_ends_when_it_is_told_to(command: list[str], sent: signal.Signals, room: Room) -> None:
    process = start(room, command)
    begun = process.stderr if command[0] == "watch" else process.stdout
    assert begun is not None
    while b"Ctrl-C" not in begun.readline():
        pass
    process.send_signal(sent)
    _, messages = process.communicate(timeout=20)
    assert (process.returncode, messages) == (130 if command[0] == "watch" else 0, b"")


def test_a_watch_whose_output_nobody_reads_ends_with_the_next_change(room: Room) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = start(room, ["watch", TITLE], stdout=writer)
    os.close(writer)
    assert process.stderr is not None and b"Watching" in process.stderr.readline()
    room.sandbox.client().project(room.sandbox.project_ids[0]).workshop.add_stakeholders(["School"])
    assert process.wait(timeout=20) == 141
    process.communicate()


@pytest.mark.slow
def test_ctrl_c_ends_commands_that_wait_for_a_busy_database(room: Room) -> None:
    with sqlite3.connect(room.folder / "my workshop.sqlite", isolation_level=None) as busy:
        before = list(busy.iterdump())
        busy.execute("BEGIN IMMEDIATE")
        processes = [start(room, command) for command in WRITING]
        time.sleep(1.5)
        for process in processes:
            process.send_signal(signal.SIGINT)
        ended = [(process.communicate(timeout=20), process.returncode) for process in processes]
        assert ended == [((b"", b""), 130)] * len(WRITING)
        busy.execute("ROLLBACK")
        assert list(busy.iterdump()) == before
    busy.close()


@pytest.mark.parametrize("path", ["", "members/", "systems/", "diagrams/", "diagrams/all/", "changeid/"])
def test_ctrl_c_in_the_middle_of_sync_leaves_the_archive_whole(path: str, room: Room) -> None:
    archive = room.folder / "staten island.zip"
    before = archive.read_bytes()
    project = room.sandbox.project_ids[0]
    titled = http(
        "200 OK", json.dumps([{"id": project, "projecttitle": TITLE}]).encode(), content_type="application/json"
    )
    names = ("", "members/", "cteams/", "systems/", "diagrams/", "diagrams/all/")
    silent = {f"projects/{project}/{name}": None for name in names}
    with FaultServer({"projects/": titled, **silent, f"projects/{project}/{path}": None}) as server:
        process = subprocess.Popen(
            arguments_of(("sync", TITLE, archive.name)),
            cwd=room.folder,
            env=environment(room.folder, GEODESIGN_URL=server.url, GEODESIGN_TOKEN="s3cr3t"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        deadline = time.monotonic() + 20
        while len(server.received) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == (b"", b"") and process.returncode == 130
    assert archive.read_bytes() == before
    assert output_of(room.folder, "open", archive.name)
