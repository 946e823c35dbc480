"""A curious participant gets nothing that is not theirs, and breaks nothing for the others."""

import re
import socket
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from database import snapshot
from demo import ADMINISTRATOR, MEMBER, STRANGER, Demo
from documented_shapes import DETAIL, check
from fake_service import Answer, FakeService
from operations import OPERATIONS, Operation
from pygeodesign import Client, FeatureCollection, GeodesignError, Project, Sandbox

PROJECT = "StatenIsland2050"
GUARDS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "cross-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
}


def raw(sandbox: Sandbox, request: bytes) -> bytes:
    """The answer to bytes as they are."""
    host, port = re.match(r"http://([^:]+):(\d+)/", sandbox.url).groups()  # type: ignore[union-attr]
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def get(sandbox: Sandbox, target: bytes, *headers: bytes, user: str = MEMBER) -> bytes:
    lines = [b"GET " + target + b" HTTP/1.1", b"Host: x", b"Connection: close", *headers]
    if user:
        lines.append(f"Authorization: Token {sandbox.token(user)}".encode())
    return raw(sandbox, b"\r\n".join([*lines, b"", b""]))


# Headers


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_every_answer_is_guarded(operation: Operation, demo: Demo) -> None:
    for user in (STRANGER, None):
        answer = demo.ask(operation, demo.authorization(user) if user else None)
        assert answer.headers.items() >= GUARDS.items()


def test_what_is_served_is_guarded_too(sandbox: Sandbox) -> None:
    for path in (f"projects/{PROJECT}/", "openapi.json", "no/such/", "projects"):
        answer = requests.get(
            sandbox.url + path,
            headers={"Authorization": f"Token {sandbox.token()}"},
            allow_redirects=False,
            timeout=20,
        )
        assert answer.headers.items() >= GUARDS.items(), path
        # A browser adds no credentials to requests of pages of other origins, and nothing tells what runs here.
        assert "access-control-allow-credentials" not in answer.headers
        assert "server" not in answer.headers


HEADER_TRICKS = {
    "another address": b"X-Forwarded-For: 127.0.0.1",
    "another user": b"X-Remote-User: admin",
    "another method": b"X-HTTP-Method-Override: DELETE",
    "another path": b"X-Original-URL: /api/v1/projects/",
    "a cookie": b"Cookie: sessionid=admin; token=admin",
    "a long value": b"X-Filler: " + b"y" * 8_000,
    "another host": b"X-Forwarded-Host: evil.example.org",
}


@pytest.mark.parametrize("trick", HEADER_TRICKS)
def test_a_header_that_claims_something_changes_nothing(trick: str, sandbox: Sandbox) -> None:
    path = f"/api/v1/projects/{PROJECT}/members/".encode()
    plain = get(sandbox, path)
    tricked = get(sandbox, path, HEADER_TRICKS[trick])
    assert tricked.partition(b"\r\n\r\n")[2] == plain.partition(b"\r\n\r\n")[2]
    assert status(get(sandbox, path, HEADER_TRICKS[trick], user="")) == 401


def test_two_authorizations_are_none(sandbox: Sandbox) -> None:
    """Whichever of them a proxy in between would have looked at."""
    other = f"Authorization: Token {sandbox.token(ADMINISTRATOR)}".encode()
    assert status(get(sandbox, b"/api/v1/projects/", other)) == 401


def test_the_host_that_a_request_names_leads_nowhere(sandbox: Sandbox) -> None:
    for target in (b"/api/v1/projects", b"//evil.example.org/api/v1/projects", b"/api/v1//evil.example.org"):
        answer = get(sandbox, target, b"Host: evil.example.org")
        location = re.search(rb"location: (.*)\r\n", answer)
        assert location is None or location[1].startswith(b"/api/v1/")


# Paths


PATH_TRICKS = [
    b"/api/v1/projects/../projects/StatenIsland2050/",
    b"/api/v1/projects/%2e%2e/projects/StatenIsland2050/",
    b"/api/v1/projects/StatenIsland2050%2fmembers/",
    b"/api/v1/projects/StatenIsland2050/members%2F/",
    b"/api/v1/projects/StatenIsland2050%00/",
    b"/api/v1/projects/StatenIsland2050/%00/",
    b"/api/v1/projects/StatenIsland2050/./members/",
    b"/api/v1/projects/StatenIsland2050//members/",
    b"/api/v1/projects/statenisland2050/",
    b"/api/v1/projects/StatenIsland2050 /",
    b"/api/v1/projects/StatenIsland205%30%20/",
    b"/api/v1/projects/StatenIsland2050;admin/",
    b"/api/v1/projects/%53tatenIsland2050'--/",
    b"/api/v1/projects/StatenIsland2050/diagrams/1002%20OR%201=1/",
    b"/api/v1/projects/StatenIsland2050/diagrams/-1/",
    b"/api/v1/projects/StatenIsland2050/diagrams/1e3/",
    b"/api/v1/projects/StatenIsland2050/diagrams/0x3ea/",
    b"/api/v1/projects/StatenIsland2050/diagrams/99999999999999999999999/",
    b"/api/v1/projects/StatenIsland2050/members/%FF/diagrams/",
    b"/api/v1/projects/StatenIsland2050/members/..%2f..%2fadmin/diagrams/",
    b"/api/v1/projects/StatenIsland2050/cteams/1/a023631f09bc2e31%0d%0aX-A:b/",
    b"/api/v1/projects/" + b"A" * 30_000 + b"/",
    b"/../../../../etc/passwd",
    b"/api/v1/projects/file:///etc/passwd/",
    b"/",
    b"*",
    b"/API/V1/projects/",
]


@pytest.mark.parametrize("path", PATH_TRICKS, ids=lambda path: path[:60].decode())
@pytest.mark.parametrize("user", [MEMBER, STRANGER, ""])
def test_a_path_that_plays_tricks_finds_nothing(path: bytes, user: str, demo: Demo) -> None:
    before = demo.content()
    answer = get(demo.sandbox, path, user=user)
    assert status(answer) in (400, 401, 403, 404, 414, 431)
    assert b"StatenIsland" not in answer.partition(b"\r\n\r\n")[2]
    assert demo.content() == before


def test_ids_tell_a_stranger_nothing(demo: Demo) -> None:
    """What exists, what does not, and what cannot exist are the same to somebody who is no member."""
    authorization = demo.authorization(STRANGER)
    for operation in OPERATIONS:
        if operation.path.startswith("/"):
            continue
        there = demo.ask(operation, authorization)
        elsewhere = demo.ask(operation, authorization, projectid="NoSuchProject001")
        nowhere = demo.ask(operation, authorization, projectid="x")
        assert (there.status_code, there.content) == (elsewhere.status_code, elsewhere.content)
        assert (there.status_code, there.content) == (nowhere.status_code, nowhere.content)


# Text


SQL = "Robert'); DROP TABLE diagrams;-- \" ` ' \\ %s {0} \u2028 $1 ?1 :a @b"
HTML = "<script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'`</td>"
TEXTS = [SQL, HTML, "\ufeff", "\u0000", "a\u0000b", "\u202egnp.exe", "👩‍👩‍👧‍👦" * 10, "é", "e\u0301", "x" * 10_000]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:20]))
def test_a_text_is_kept_as_it_is_or_refused(text: str, tmp_path: Path) -> None:
    """Whatever it would mean to somebody else. What is refused leaves nothing."""
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox:
        project = sandbox.client().project(PROJECT)
        line = {"type": "LineString", "coordinates": [[-74.16, 40.57], [-74.15, 40.58]]}
        kept: dict[str, Callable[[], Any]] = {
            "notes": lambda: (project.set_diagram_notes(1002, text), project.diagram_notes(1002))[1],
            "stakeholder": lambda: (project.add_stakeholders([text]), named(project.stakeholders(), "name", text))[1],
            "title": lambda: drawn(project, project.add_diagram(1, line, title=text)["diagram_id"]),
            "update": lambda: (
                project.update_diagram(1003, additional_metadata={text: text}, title=text),
                drawn(project, 1003),
            )[1],
            "tag": lambda: (project.create_tags([{"tag": text, "code": "T"}]), named(project.tags(), "tag", text))[1],
            "group": lambda: (project.group_diagrams({text: [1002]}), groups(sandbox))[1],
        }
        for write in kept.values():
            before = snapshot(path)
            try:
                assert write() == text
            except (ValueError, requests.RequestException) as error:
                assert "empty" in str(error) or "characters" in str(error) or "no text" in str(error), error
                assert snapshot(path) == before
        assert len(project.diagrams()) >= 214
        shown = [project.diagrams()._repr_html_(), project.costs()._repr_html_()]
    assert not [html for html in shown if "<script" in html or "onerror" in html.replace("&lt;img src=x onerror", "")]


def named(rows: list[Any], key: str, text: str) -> str | None:
    return next((row[key] for row in rows if row[key] == text), None)


def drawn(project: Project, number: int | str) -> Any:
    return project.diagram(int(number)).metadata["description"]


def groups(sandbox: Sandbox) -> str:
    return next(name for name, ids in sandbox.diagram_groups(PROJECT).items() if ids == [1002])


def test_markup_is_shown_as_text() -> None:
    """In the cards and tables of a notebook, whose page may run scripts."""
    system = {"name": HTML, "color": "#123456", "cost": 1}
    with Sandbox(project=None) as sandbox:
        sandbox.add_user("o'malley")
        code = sandbox.creation_code()
        client = sandbox.client(sandbox.usernames[0])
        client.create_project(code, title=HTML, bounds=(0, 0, 1, 1), systems=[system])  # type: ignore[list-item]
        project = client.project(sandbox.project_ids[0])
        square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
        project.add_diagram(project.systems()[0]["id"], square, title=HTML)
        diagrams: FeatureCollection = project.diagrams()
        shown = [diagrams._repr_html_(), project.costs()._repr_html_(), project.boundaries()._repr_html_()]
    for html in shown:
        assert "<script" not in html
        assert "<img" not in html
    assert any("&lt;script&gt;" in html for html in shown)


# Size and time


def test_a_body_that_is_too_large_is_refused_unread(sandbox: Sandbox) -> None:
    path = f"/api/v1/projects/{PROJECT}/stakeholders/".encode()
    head = [
        b"POST " + path + b" HTTP/1.1",
        b"Host: x",
        b"Content-Type: application/json",
        b"Content-Length: 10000000000",
        b"Connection: close",
        f"Authorization: Token {sandbox.token(MEMBER)}".encode(),
    ]
    begun = time.monotonic()
    assert status(raw(sandbox, b"\r\n".join([*head, b"", b"["]))) == 413
    assert time.monotonic() - begun < 15


def test_a_head_that_is_too_large_is_refused(sandbox: Sandbox) -> None:
    many = [f"X-{number}: y".encode() for number in range(5_000)]
    assert status(get(sandbox, b"/api/v1/projects/", *many)) in (400, 431)
    assert status(get(sandbox, b"/api/v1/projects/", b"X: " + b"y" * 1_000_000)) in (400, 431)


@pytest.mark.parametrize(
    "request_",
    [
        b"\r\n\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100,
        b"GET\r\n\r\n",
        b"GET /api/v1/projects/ HTTP/3.0\r\n\r\n",
        b"POST /api/v1/projects/create/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /api/v1/projects/create/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n[]",
        b"POST /api/v1/projects/create/ HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n[]",
        b"GET /api/v1/projects/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token \x00\xff\r\nConnection: close\r\n\r\n",
        b"CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\nConnection: close\r\n\r\n",
        b"TRACE /api/v1/projects/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_request_is_answered_with_a_refusal_or_nothing(request_: bytes, sandbox: Sandbox) -> None:
    host, port = re.match(r"http://([^:]+):(\d+)/", sandbox.url).groups()  # type: ignore[union-attr]
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request_)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    assert answer == b"" or 400 <= status(answer) < 500
    assert sandbox.client().projects()


def test_slow_clients_do_not_hold_up_others(sandbox: Sandbox) -> None:
    """More than a service of one thread each would bear: half a head, half a body, an answer that nobody takes."""
    host, port = re.match(r"http://([^:]+):(\d+)/", sandbox.url).groups()  # type: ignore[union-attr]
    token = f"Authorization: Token {sandbox.token(MEMBER)}\r\n".encode()
    half_a_head = b"GET /api/v1/projects/ HTTP/1.1\r\nHost:"
    half_a_body = (
        f"POST /api/v1/projects/{PROJECT}/stakeholders/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n".encode()
        + token
        + b"\r\n["
    )
    not_taken = f"GET /api/v1/projects/{PROJECT}/diagrams/all/ HTTP/1.1\r\nHost: x\r\n".encode() + token + b"\r\n"
    slow: list[socket.socket] = []
    try:
        for sent in (half_a_head, half_a_body, not_taken):
            for _ in range(100):
                connection = socket.create_connection((host, int(port)), timeout=20)
                slow.append(connection)
                connection.sendall(sent)
        client = sandbox.client()
        latencies = []
        for _ in range(20):
            begun = time.monotonic()
            assert client.projects()
            client.project(PROJECT).set_diagram_notes(1002, "still quick")
            latencies.append(time.monotonic() - begun)
        assert sorted(latencies)[10] < 1
    finally:
        for connection in slow:
            connection.close()


def test_a_stopping_service_does_not_wait_for_slow_clients() -> None:
    sandbox = Sandbox()
    host, port = re.match(r"http://([^:]+):(\d+)/", sandbox.url).groups()  # type: ignore[union-attr]
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(b"GET /api/v1/projects/ HTTP/1.1\r\nHost:")
        stopped = threading.Thread(target=sandbox.stop)
        stopped.start()
        stopped.join(timeout=30)
        assert not stopped.is_alive()


def test_refusals_are_json(sandbox: Sandbox) -> None:
    for path in ("projects/none/", "no/such/path/", "projects/"):
        answer = requests.get(sandbox.url + path, headers={"Authorization": "Token x"}, timeout=20)
        assert answer.status_code in (401, 404)
        check(answer.json(), DETAIL)


def test_a_client_never_shows_a_token_that_the_service_repeats() -> None:
    """A service that sends the header back, in an error."""
    token = "s3cr3t" + "-t0k3n"
    echo = Answer({"detail": f"bad header: Token {token}"}, 400)
    with FakeService(root={"projects/": echo}) as service, pytest.raises(GeodesignError) as raised:
        Client(token, service.url).projects()
    assert token not in "".join(traceback.format_exception(raised.value)) + repr(vars(raised.value))
