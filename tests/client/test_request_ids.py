"""A request has an id that its response, the client's error, and the logs of both sides name."""

import logging
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from fake_service import FakeService, Response
from pygeodesign import ApiError, Client, NotFoundError, Sandbox, ServerError
from small_project import running_workshop


def answer_to(url: str, **headers: str) -> requests.Response:
    return requests.get(url, headers=headers, timeout=20)


@pytest.mark.parametrize("given", ["7", "a" * 64, "trace:3f2b-9c.A_z"])
def test_the_callers_own_id_is_in_the_answer(given: str, sandbox: Sandbox) -> None:
    for path in ("openapi.json", "projects/", "nothing/"):
        assert answer_to(sandbox.url + path, **{"X-Request-Id": given}).headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["", "a" * 65, "two words", "<b>", "a;b", None])
def test_another_text_or_none_is_replaced_by_a_new_id(given: str | None, sandbox: Sandbox) -> None:
    headers = {} if given is None else {"X-Request-Id": given}
    ids = [answer_to(sandbox.url + "projects/", **headers).headers["x-request-id"] for _ in range(2)]
    assert ids[0] != ids[1] and all(len(made) == 16 and made.isalnum() for made in ids)


def test_every_answer_has_an_id(sandbox: Sandbox) -> None:
    origin = sandbox.url.removesuffix("/api/v1/")
    for path in ("/health/", "/metrics", "/", "/join/", "/api/v1/projects"):
        assert requests.get(origin + path, allow_redirects=False, timeout=20).headers["x-request-id"], path


def test_an_exception_ends_with_the_id_where_the_service_tells_one(sandbox: Sandbox) -> None:
    with pytest.raises(NotFoundError) as raised:
        sandbox.client().project("0000000000000000").info()
    assert raised.value.request_id
    assert str(raised.value).endswith(f" (request {raised.value.request_id})")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.request_id, str(again)) == (raised.value.request_id, str(raised.value))


@pytest.mark.parametrize("told", [None, "<b>", "x" * 65, "two words", "token"])
def test_what_is_no_id_or_repeats_the_token_is_not_shown(told: str | None) -> None:
    headers = {} if told is None else {"x-request-id": told}
    with (
        FakeService(root={"projects/latest/": Response({}, 400, headers)}) as service,
        pytest.raises(ApiError) as raised,
    ):
        service.client().latest_project()
    assert raised.value.request_id is None and "(request" not in str(raised.value)


def test_what_the_service_logs_of_a_request_has_its_id(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "service.sqlite"
    with running_workshop(path) as workshop:
        # Not in this process, whose own SQLite would delete the log of the one that the service has.
        dropping = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('DROP TABLE stakeholders')"
        subprocess.run([sys.executable, "-c", dropping, path], check=True)
        with pytest.raises(ServerError) as raised:
            workshop.project.workshop.stakeholders()
    # The client has asked several times.
    record = [record for record in caplog.records if record.name == "pygeodesign.service"][-1]
    assert record.levelno == logging.ERROR
    assert record.getMessage().endswith(f" (request {raised.value.request_id})")


def test_each_request_is_logged_at_debug_without_the_token(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="pygeodesign")
    responses = [Response({}, 503, {"retry-after": "0"}), Response([], headers={"x-request-id": "r-2"})]
    with FakeService(
        root={"projects/latest/": responses, "limits/": Response({}, 404, {"x-request-id": "token"})}
    ) as service:
        client = Client("token", service.url)
        client.latest_project()
        with pytest.raises(NotFoundError):
            client.limits()
    lines = [(record.levelno, record.getMessage()) for record in caplog.records]
    assert [level for level, _ in lines] == [logging.DEBUG, logging.INFO, logging.DEBUG, logging.DEBUG]
    assert lines[0][1].startswith("GET /projects/latest/ answered 503 in ")
    assert lines[2][1].startswith("GET /projects/latest/ answered 200 in ")
    assert lines[2][1].endswith(" ms (request r-2)")
    assert lines[3][1].startswith("GET /limits/ answered 404 in ") and "token" not in lines[3][1]


def test_without_debug_a_request_that_succeeds_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="pygeodesign")
    with FakeService(root={"projects/latest/": []}) as service:
        service.client().latest_project()
    assert caplog.records == []
