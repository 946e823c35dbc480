"""Manipulated requests read nothing that their sender must not see, and do not disturb other clients."""

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
from documented_shapes import DETAIL, SECURITY_HEADERS, check
from fake_service import FakeService, Response
from pygeodesign import BadRequestError, Client, FeatureCollection, GeodesignError, Project, Sandbox

PROJECT = "StatenIsland2050"


def send_bytes(sandbox: Sandbox, request: bytes) -> bytes:
    """Sends bytes unchanged and returns the bytes of the response."""
    host, port = re.match(r"http://([^:]+):(\d+)/", sandbox.url).groups()  # type: ignore[union-attr]
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request)
        response = b""
        while part := connection.recv(65536):
            response += part
    return response


def status(response: bytes) -> int:
    return int(response.split(b" ", 2)[1])


def get(sandbox: Sandbox, target: bytes, *headers: bytes, user: str = MEMBER, host: bytes = b"localhost") -> bytes:
    lines = [b"GET " + target + b" HTTP/1.1", b"Host: " + host, b"Connection: close", *headers]
    if user:
        lines.append(f"Authorization: Token {sandbox.token(user)}".encode())
    return send_bytes(sandbox, b"\r\n".join([*lines, b"", b""]))


# Headers


def test_every_response_has_the_security_headers(sandbox: Sandbox) -> None:
    """Those of refused operations are checked in test_authorisation.py."""
    for path in (f"projects/{PROJECT}/", "openapi.json", "no/such/", "projects"):
        response = requests.get(
            sandbox.url + path,
            headers={"Authorization": f"Token {sandbox.token()}"},
            allow_redirects=False,
            timeout=20,
        )
        # A project's content may be cached, to be revalidated with its ETag.
        revalidated = {"cache-control": "private, no-cache"} if path == f"projects/{PROJECT}/" else {}
        assert response.headers.items() >= (SECURITY_HEADERS | revalidated).items(), path
        # A browser adds no credentials to requests of other origins, and no header names the server software.
        assert "access-control-allow-credentials" not in response.headers
        assert "server" not in response.headers


SPOOFED_HEADERS = {
    "another address": b"X-Forwarded-For: 127.0.0.1",
    "another user": b"X-Remote-User: admin",
    "another method": b"X-HTTP-Method-Override: DELETE",
    "another path": b"X-Original-URL: /api/v1/projects/",
    "a cookie": b"Cookie: sessionid=admin; token=admin",
    "a long value": b"X-Filler: " + b"y" * 8_000,
    "another host": b"X-Forwarded-Host: evil.example.org",
}


@pytest.mark.parametrize("spoofed", SPOOFED_HEADERS)
def test_a_header_that_claims_another_user_host_method_or_path_has_no_effect(spoofed: str, sandbox: Sandbox) -> None:
    path = f"/api/v1/projects/{PROJECT}/members/".encode()
    plain = get(sandbox, path)
    with_spoofed = get(sandbox, path, SPOOFED_HEADERS[spoofed])
    assert with_spoofed.partition(b"\r\n\r\n")[2] == plain.partition(b"\r\n\r\n")[2]
    assert status(get(sandbox, path, SPOOFED_HEADERS[spoofed], user="")) == 401


def test_a_request_with_two_authorization_headers_is_unauthenticated(sandbox: Sandbox) -> None:
    """A proxy and the service could each take another one of the two."""
    other = f"Authorization: Token {sandbox.token(ADMINISTRATOR)}".encode()
    assert status(get(sandbox, b"/api/v1/projects/", other)) == 401


def test_a_redirect_leads_to_no_other_host(sandbox: Sandbox) -> None:
    for target in (b"/api/v1/projects", b"//evil.example.org/api/v1/projects", b"/api/v1//evil.example.org"):
        response = get(sandbox, target)
        location = re.search(rb"location: (.*)\r\n", response, re.IGNORECASE)
        assert location is None or location[1].startswith(b"/api/v1/")


@pytest.mark.parametrize("user", [MEMBER, ""])
def test_a_request_with_two_hosts_or_none_is_malformed(user: str, sandbox: Sandbox) -> None:
    """A proxy and the service could each take another one of the two."""
    assert status(get(sandbox, b"/api/v1/projects/", b"Host: localhost", user=user)) == 400
    without = b"GET /api/v1/openapi.json HTTP/%s\r\nConnection: close\r\n\r\n"
    assert status(send_bytes(sandbox, without % b"1.1")) == 400
    assert status(send_bytes(sandbox, without % b"1.0")) == 200


# Paths


MANIPULATED_PATHS = [
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
    b"/web/../api/v1/projects/StatenIsland2050/",
    b"/web/%2e%2e/Cargo.toml",
    b"/basemap/1/../../api/v1/projects/StatenIsland2050/",
    b"*",
    b"/API/V1/projects/",
]


@pytest.mark.parametrize("path", MANIPULATED_PATHS, ids=lambda path: path[:60].decode())
def test_a_manipulated_path_reads_and_changes_nothing(path: bytes, demo: Demo) -> None:
    before = demo.content()
    for user in (MEMBER, STRANGER, ""):
        response = get(demo.sandbox, path, user=user)
        assert status(response) in (400, 401, 403, 404, 414, 431), user
        assert b"StatenIsland" not in response.partition(b"\r\n\r\n")[2], user
    assert demo.content() == before


# Text


SQL = "Robert'); DROP TABLE diagrams;-- \" ` ' \\ %s {0} \u2028 $1 ?1 :a @b"
HTML = "<script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'`</td>"
TEXTS = [SQL, HTML, "\ufeff", "\u0000", "a\u0000b", "\u202egnp.exe", "👩‍👩‍👧‍👦" * 10, "é", "e\u0301", "x" * 10_000]


def last_title(project: Project) -> object:
    return project.diagrams(fields="summary")[-1]["worlddescription"]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:20]))
def test_a_text_is_stored_unchanged_or_rejected(text: str, tmp_path: Path) -> None:
    """SQL, HTML and control characters have no effect. A rejected text changes nothing in the database."""
    path = tmp_path / "service.sqlite"
    with Sandbox(path) as sandbox:
        project = sandbox.client().project(PROJECT)
        line = {"type": "LineString", "coordinates": [[-74.16, 40.57], [-74.15, 40.58]]}
        diagram, people = project.diagram(1002), project.workshop
        kept: list[tuple[Callable[[], object], Callable[[], object]]] = [
            (lambda: diagram.set_notes(text), diagram.notes),
            (lambda: people.add_stakeholders([text]), lambda: found(people.stakeholders(), "name", text)),
            (
                lambda: project.add_diagram(1, line, title=text),
                lambda: project.diagrams(fields="summary")[-1]["worlddescription"],
            ),
            (lambda: diagram.update(additional_metadata={text: text}, title=text), lambda: title_of(project, 1002)),
            (lambda: project.create_tags([{"tag": text, "code": "T"}]), lambda: found(project.tags(), "tag", text)),
            (lambda: project.group_diagrams({text: [1002]}), lambda: group_of_1002(sandbox)),
        ]
        for write, read in kept:
            before = snapshot(path)
            try:
                write()
                assert read() == text
            except (ValueError, requests.RequestException, BadRequestError) as error:
                assert "empty" in str(error) or "characters" in str(error) or "no text" in str(error), error
                assert snapshot(path) == before
        assert len(project.diagrams()) >= 214
        shown = [project.diagrams()._repr_html_(), project.costs()._repr_html_()]
    assert not [html for html in shown if "<script" in html or "onerror" in html.replace("&lt;img src=x onerror", "")]


def found(rows: list[Any], key: str, text: str) -> str | None:
    return next((row[key] for row in rows if row[key] == text), None)


def title_of(project: Project, number: int | str) -> Any:
    return project.diagram(int(number)).features().metadata["description"]


def group_of_1002(sandbox: Sandbox) -> str:
    return next(group["group_name"] for group in sandbox.project().diagram_groups() if group["diagrams"] == [1002])


def test_html_in_a_title_is_escaped_in_notebooks() -> None:
    """Markup could run scripts in the HTML that a notebook shows."""
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
        shown = [diagrams._repr_html_(), project.costs()._repr_html_(), project.study_area.boundaries()._repr_html_()]
    for html in shown:
        assert "<script" not in html
        assert "<img" not in html
    assert any("&lt;script&gt;" in html for html in shown)


# Size and time


def test_a_body_that_is_too_large_is_rejected_before_it_is_read(sandbox: Sandbox) -> None:
    path = f"/api/v1/projects/{PROJECT}/stakeholders/".encode()
    head = [
        b"POST " + path + b" HTTP/1.1",
        b"Host: localhost",
        b"Content-Type: application/json",
        b"Content-Length: 10000000000",
        b"Connection: close",
        f"Authorization: Token {sandbox.token(MEMBER)}".encode(),
    ]
    started = time.monotonic()
    assert status(send_bytes(sandbox, b"\r\n".join([*head, b"", b"["]))) == 413
    assert time.monotonic() - started < 15


def test_a_request_head_that_is_too_large_is_rejected(sandbox: Sandbox) -> None:
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
        b"POST /api/v1/projects/create/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /api/v1/projects/create/ HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n[]",
        b"POST /api/v1/projects/create/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n[]",
        b"GET /api/v1/projects/ HTTP/1.1\r\nHost: [::1]\r\nAuthorization: Token \x00\xff\r\nConnection: close\r\n\r\n",
        b"CONNECT x:443 HTTP/1.1\r\nHost: localhost:443\r\nConnection: close\r\n\r\n",
        b"TRACE /api/v1/projects/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_bytes_that_are_not_http_get_a_4xx_response_or_none(request_: bytes, sandbox: Sandbox) -> None:
    host, port = re.match(r"http://([^:]+):(\d+)/", sandbox.url).groups()  # type: ignore[union-attr]
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request_)
        connection.shutdown(socket.SHUT_WR)
        response = b""
        while part := connection.recv(65536):
            response += part
    assert response == b"" or 400 <= status(response) < 500
    assert sandbox.client().projects()


def test_slow_clients_do_not_delay_others(sandbox: Sandbox) -> None:
    """300 connections: with half a head, with half a body, and with a response that the client does not read."""
    host, port = re.match(r"http://([^:]+):(\d+)/", sandbox.url).groups()  # type: ignore[union-attr]
    token = f"Authorization: Token {sandbox.token(MEMBER)}\r\n".encode()
    half_a_head = b"GET /api/v1/projects/ HTTP/1.1\r\nHost:"
    half_a_body = (
        f"POST /api/v1/projects/{PROJECT}/stakeholders/ HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 1000\r\n".encode()
        + token
        + b"\r\n["
    )
    unread_response = (
        f"GET /api/v1/projects/{PROJECT}/diagrams/all/ HTTP/1.1\r\nHost: localhost\r\n".encode() + token + b"\r\n"
    )
    slow: list[socket.socket] = []
    try:
        for sent in (half_a_head, half_a_body, unread_response):
            for _ in range(100):
                connection = socket.create_connection((host, int(port)), timeout=20)
                slow.append(connection)
                connection.sendall(sent)
        client = sandbox.client()
        latencies = []
        for _ in range(20):
            started = time.monotonic()
            assert client.projects()
            client.project(PROJECT).diagram(1002).set_notes("still quick")
            latencies.append(time.monotonic() - started)
        assert sorted(latencies)[10] < 1
    finally:
        for connection in slow:
            connection.close()


def test_stopping_the_service_does_not_wait_for_slow_clients() -> None:
    sandbox = Sandbox()
    host, port = re.match(r"http://([^:]+):(\d+)/", sandbox.url).groups()  # type: ignore[union-attr]
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(b"GET /api/v1/projects/ HTTP/1.1\r\nHost:")
        stopped = threading.Thread(target=sandbox.stop)
        stopped.start()
        stopped.join(timeout=30)
        assert not stopped.is_alive()


def test_error_responses_are_json(sandbox: Sandbox) -> None:
    for path in ("projects/none/", "no/such/path/", "projects/"):
        response = requests.get(sandbox.url + path, headers={"Authorization": "Token x"}, timeout=20)
        assert response.status_code in (401, 404)
        check(response.json(), DETAIL)


def test_an_error_does_not_show_a_token_that_the_service_sent_back() -> None:
    """The body of an error response contains the Authorization header."""
    token = "s3cr3t" + "-t0k3n"
    echo = Response({"detail": f"bad header: Token {token}"}, 400)
    with FakeService(root={"projects/": echo}) as service, pytest.raises(GeodesignError) as raised:
        Client(token, service.url).projects()
    assert token not in "".join(traceback.format_exception(raised.value)) + repr(vars(raised.value))
