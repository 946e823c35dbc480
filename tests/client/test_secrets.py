"""The token is shown nowhere: in no repr, log, error or traceback."""

import asyncio
import logging
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fake_service import PROJECT, FakeService, Response
from fault_server import FaultServer, http, unused_url
from pygeodesign import AsyncClient, Client, Sandbox

# Joined from parts, because tracebacks show the lines of this file.
TOKEN = "-".join(["5ec2e7", "d0", "n07", "5h0w"])


def text_of(item: object) -> str:
    text = [repr(item), str(item), format(item), repr(dir(item))]
    return "".join([*text, repr(getattr(item, "__dict__", "")), getattr(item, "_repr_html_", str)()])


def test_clients_projects_and_requests_do_not_show_the_token() -> None:
    for kind in (Client, AsyncClient):
        client = kind(TOKEN, unused_url(), retries=0)
        assert TOKEN not in text_of(client) + text_of(client.project(PROJECT))
    request = AsyncClient(TOKEN, unused_url(), retries=0).latest_project()
    assert TOKEN not in text_of(request)
    request.close()


def failing() -> dict[str, Callable[[], Any]]:
    """Calls that fail, each in another way."""

    def send_request(server: Any) -> None:
        with server:
            Client(TOKEN, server.url, retries=1, timeout=2).latest_project()

    latest = "projects/latest/"
    return {
        "no service": lambda: Client(TOKEN, unused_url(), retries=1).latest_project(),
        "refused": lambda: send_request(FakeService(root={latest: Response({"detail": f"what is {TOKEN}?"}, 400)})),
        "failed": lambda: send_request(
            FakeService(root={latest: Response({"detail": TOKEN}, 503, {"retry-after": "0"})})
        ),
        "no HTTP": lambda: send_request(FaultServer({latest: f"HTTP/1.1 {TOKEN}\r\n\r\n".encode()})),
        "redirected": lambda: send_request(
            FaultServer({latest: http("302 Found", location=f"http://{TOKEN}.example.org/")})
        ),
        "silent": lambda: send_request(FaultServer({latest: None})),
        "no project": lambda: send_request(FakeService(root={latest: Response([{"id": TOKEN}], 200)})),
        "no array": lambda: send_request(FakeService(root={latest: Response(TOKEN, 200)})),
        "no JSON": lambda: send_request(FaultServer({latest: http("200 OK", b"<html>")})),
        "bad input": lambda: Client(TOKEN, unused_url()).project(" "),
        "no URL": lambda: Client(TOKEN, "https://user:" + TOKEN + "@example.org"),
        "swapped": lambda: Client("https://example.org", TOKEN),
        "no token": lambda: Client(TOKEN + "\n\x00", "https://example.org"),
        "a wrong setting": lambda: Client(TOKEN, "https://example.org", timeout=0),
        "awaited": lambda: asyncio.run(AsyncClient(TOKEN, unused_url(), retries=0).latest_project()),
        "closed": lambda: closed().projects(),
    }


def closed() -> Client:
    client = Client(TOKEN, unused_url())
    client.close()
    return client


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and the chain of its causes."""
    while error is not None:
        yield error
        error = error.__cause__


@pytest.mark.parametrize("failure", failing())
def test_no_error_and_no_log_record_shows_the_token(failure: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.NOTSET)
    with pytest.raises(Exception) as raised:
        failing()[failure]()
    error = raised.value
    formatted = traceback.TracebackException.from_exception(error, capture_locals=False)
    assert TOKEN not in "".join(formatted.format())
    for shown_error in chain(error):
        assert TOKEN not in repr(shown_error) + repr(shown_error.args) + repr(vars(shown_error))
    assert TOKEN not in "".join(record.getMessage() + repr(vars(record)) for record in caplog.records)


def test_stack_frames_of_the_package_do_not_contain_the_token(sandbox: Sandbox) -> None:
    """Crash reporters send the local variables of each frame."""
    no_geometry: Any = object()
    with pytest.raises(Exception) as raised:
        Client(sandbox.token(), sandbox.url).project("StatenIsland2050").add_diagrams(1, no_geometry, title="t")
    own = [frame for frame in traceback.walk_tb(raised.tb) if "pygeodesign" in frame[0].f_code.co_filename]
    assert own, "the call has to pass through Python code of ours"
    assert sandbox.token() not in "".join(repr(frame.f_locals) for frame, _ in own)


def test_a_dump_of_all_stacks_does_not_show_the_token() -> None:
    script = (
        "import faulthandler, sys, threading, time; from pygeodesign import Client, Sandbox;"
        "sandbox = Sandbox(); token = sandbox.token(); client = sandbox.client();"
        "threading.Thread(target=client.projects).start(); faulthandler.dump_traceback(all_threads=True);"
        "print(token)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert len(ended.stdout.strip()) == 40
    assert ended.stdout.strip() not in ended.stderr


def test_the_database_contains_digests_of_tokens_only(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox:
        token = sandbox.token()
        assert sandbox.client().projects()
    for file in tmp_path.iterdir():
        assert token.encode() not in file.read_bytes()
        assert bytes.fromhex(token) not in file.read_bytes()
