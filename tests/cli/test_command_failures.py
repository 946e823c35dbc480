"""Failures of commands: a closed pipe, no terminal, no network, a wrong token, Ctrl-C. And sources of a token."""

import json
import os
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path

import pytest

from commands import ASKING, PRINTING, arguments_of, environment, output_of, run, signed_in
from fault_server import FaultServer, http
from park_files import write_parks
from pygeodesign import Sandbox
from terminal import type_at_prompt

pytestmark = pytest.mark.unix

PROJECT = "FakeProject00001"
TITLED = http(
    "200 OK", json.dumps([{"id": PROJECT, "projecttitle": "A plan"}]).encode(), content_type="application/json"
)


def name_of(command: list[str]) -> str:
    return " ".join(command)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def test_a_closed_pipe_ends_the_help_quietly(tmp_path: Path) -> None:
    """For the commands, see test_every_command.py."""
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        arguments_of(("--help",)),
        env=environment(tmp_path),
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, b"")


@pytest.mark.parametrize("command", ASKING, ids=name_of)
def test_a_wrong_token_is_refused_and_never_printed(command: list[str], sandbox: Sandbox, tmp_path: Path) -> None:
    write_parks(tmp_path / "parks.geojson")
    ended = run(tmp_path, *command, GEODESIGN_URL=sandbox.url, GEODESIGN_TOKEN="s3cr3t")
    assert (ended.code, ended.output) == (3, "")
    assert ended.messages.startswith("error: ") and ended.messages.count("\n") == 1
    assert "Check the token" in ended.messages and "s3cr3t" not in ended.messages
    assert [path.name for path in tmp_path.iterdir()] == ["parks.geojson"]


@pytest.mark.parametrize("command", ASKING, ids=name_of)
def test_without_a_token_and_a_terminal_a_command_says_where_it_may_come_from(
    command: list[str], sandbox: Sandbox, tmp_path: Path
) -> None:
    ended = run(tmp_path, *command, "--url", sandbox.url)
    assert (ended.code, ended.output) == (3, "")
    assert "GEODESIGN_TOKEN" in ended.messages and "pygeodesign login" in ended.messages


# They ask for the project in the same way as the others do, and wait between their tries.
@pytest.mark.parametrize("command", [["projects"], *ASKING[-4:]], ids=name_of)
def test_without_a_network_a_command_names_the_service(command: list[str], tmp_path: Path) -> None:
    write_parks(tmp_path / "parks.geojson")
    url = f"http://127.0.0.1:{closed_port()}/api/v1/"
    ended = run(tmp_path, *command, GEODESIGN_URL=url, GEODESIGN_TOKEN="s3cr3t")
    assert (ended.code, ended.output) == (5, "")
    assert ended.messages.startswith("error: ") and ended.messages.count("\n") == 1
    assert url in ended.messages and "Check that the service runs" in ended.messages
    assert [path.name for path in tmp_path.iterdir()] == ["parks.geojson"]


@pytest.mark.parametrize(
    ("url", "advice"), [("", "--url"), ("http://plan.example.org", "https://"), ("plan.example.org", "--url")]
)
def test_an_address_that_cannot_be_used_is_wrong_input(url: str, advice: str, tmp_path: Path) -> None:
    ended = run(tmp_path, "costs", GEODESIGN_URL=url, GEODESIGN_TOKEN="s3cr3t")
    assert ended.code == 2 and advice in ended.messages and "s3cr3t" not in ended.messages


def interrupted(command: list[str], server: FaultServer, requests: int, folder: Path) -> tuple[int, str, str]:
    """Exit code, output and messages of a command that is interrupted after this number of requests."""
    process = subprocess.Popen(
        arguments_of(tuple(command)),
        cwd=folder,
        env=environment(folder, GEODESIGN_URL=server.url, GEODESIGN_TOKEN="s3cr3t"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 20
    while len(server.received) < requests and time.monotonic() < deadline:
        time.sleep(0.01)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, messages = process.communicate(timeout=20)
    assert time.monotonic() - sent < 5
    return process.returncode, output, messages


@pytest.mark.parametrize("command", ASKING, ids=name_of)
def test_ctrl_c_ends_a_command_that_waits(command: list[str], tmp_path: Path) -> None:
    write_parks(tmp_path / "parks.geojson")
    with FaultServer({"projects/": None}) as server:
        assert interrupted(command, server, 1, tmp_path) == (130, "", "")


def test_ctrl_c_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "project.zip").write_bytes(b"before")
    (tmp_path / "diagrams.geojson").write_bytes(b"before")
    paths = ("", "members/", "cteams/", "systems/", "diagrams/", "diagrams/all/")
    silent = {f"projects/{PROJECT}/{path}": None for path in paths}
    for command in (["archive", "project.zip"], ["diagrams", "-o", "diagrams.geojson"]):
        with FaultServer({"projects/": TITLED, **silent}) as server:
            assert interrupted(command, server, 3, tmp_path) == (130, "", "")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "project.zip": b"before",
        "diagrams.geojson": b"before",
    }


def test_ctrl_c_ends_a_command_whose_output_nobody_reads(sandbox: Sandbox, tmp_path: Path) -> None:
    process = subprocess.Popen(
        arguments_of(("costs", "--json")),
        env=environment(tmp_path, **signed_in(sandbox)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    # It has begun to write more than a pipe holds.
    assert process.stdout.read(1) == b"{"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130
    process.communicate()


def test_a_token_that_is_typed_is_not_shown(sandbox: Sandbox, tmp_path: Path) -> None:
    code, seen = type_at_prompt(tmp_path, f"{sandbox.token()}\n".encode(), "projects", GEODESIGN_URL=sandbox.url)
    assert code == 0 and "Staten Island 2050" in seen and sandbox.token() not in seen


def test_ctrl_c_ends_a_prompt(sandbox: Sandbox, tmp_path: Path) -> None:
    assert type_at_prompt(tmp_path, b"", "login", "--url", sandbox.url)[0] == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("variables", "styled"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_headings_are_bold_on_terminals_only(
    variables: dict[str, str], styled: bool, sandbox: Sandbox, tmp_path: Path
) -> None:
    settings = {"TERM": "xterm", "NO_COLOR": ""} | variables
    typed = f"{sandbox.token()}\n".encode()
    _, seen = type_at_prompt(tmp_path, typed, "projects", GEODESIGN_URL=sandbox.url, **settings)
    assert ("\x1b[1m" in seen) == styled
    assert "\x1b" not in output_of(tmp_path, "projects", **signed_in(sandbox), **settings)


def test_a_login_is_kept_in_a_file_that_only_its_owner_can_read(sandbox: Sandbox, tmp_path: Path) -> None:
    ended = run(tmp_path, "login", "--url", sandbox.url.removesuffix("/api/v1/"), stdin=f"{sandbox.token()}\n")
    assert (ended.code, ended.output) == (0, "") and sandbox.token() not in ended.messages
    (file,) = (tmp_path / "config" / "pygeodesign").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Staten Island 2050" in output_of(tmp_path, "projects")
    file.chmod(0o644)
    refused = run(tmp_path, "projects")
    assert refused.code == 3 and "chmod 600" in refused.messages


def test_a_token_that_the_service_refuses_is_not_kept(sandbox: Sandbox, tmp_path: Path) -> None:
    assert run(tmp_path, "login", "--url", sandbox.url, stdin="s3cr3t\n").code == 3
    assert list(tmp_path.iterdir()) == []


def test_the_token_of_a_login_is_sent_to_its_service_only(sandbox: Sandbox, tmp_path: Path) -> None:
    assert run(tmp_path, "login", "--url", sandbox.url, stdin=sandbox.token()).code == 0
    with FaultServer({"projects/": TITLED}) as other:
        assert run(tmp_path, "projects", "--url", other.url).code == 3
        assert other.received == []


def test_no_option_takes_a_token(tmp_path: Path) -> None:
    for command in [*PRINTING, ["login"]]:
        assert "--token" not in output_of(tmp_path, *command, "--help")
        assert run(tmp_path, *command, "--token", "s3cr3t").code == 2
