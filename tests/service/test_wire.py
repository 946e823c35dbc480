"""Pages of lists, redirects, compression and connections, over plain HTTP without the client."""

import socket
import time
from http.client import HTTPResponse
from urllib.parse import urlsplit

import pytest

from documented_shapes import DETAIL, check
from pygeodesign import Sandbox
from small_project import Workshop
from wire import Wire

# Lists


def test_a_page_has_ten_items_by_default(wire: Wire) -> None:
    assert len(wire.json("diagrams/")) == 10
    assert len(wire.json("tags/")) == 10


def test_page_size_and_page_choose_a_page_of_a_list(wire: Wire) -> None:
    whole = wire.json("diagrams/?page_size=1000")
    assert len(whole) == 180
    assert wire.json("diagrams/?page_size=7&page=3") == whole[14:21]
    assert wire.json("diagrams/?page=18") == whole[170:]


@pytest.mark.parametrize("query", ["page_size=0", "page=0", "page_size=many", "page=-1"])
def test_an_invalid_page_or_page_size_is_a_bad_request(query: str, wire: Wire) -> None:
    response = wire.request("GET", f"{wire.project}diagrams/?{query}")
    assert response.status_code == 400
    check(response.json(), {"detail": str})


def test_a_page_after_the_last_is_not_found(wire: Wire) -> None:
    assert wire.request("GET", f"{wire.project}diagrams/?page=19").status_code == 404


@pytest.mark.parametrize("path", ["diagrams/all/", "diagrams/all/details/"])
def test_all_diagrams_are_never_paged(path: str, wire: Wire) -> None:
    assert len(wire.json(f"{path}?page_size=5")) == 180


# Transport


def test_a_get_without_the_trailing_slash_is_redirected(wire: Wire) -> None:
    response = wire.request("GET", f"{wire.project}diagrams?page_size=3")
    assert response.status_code == 301
    followed = wire.request("GET", f"{wire.project}diagrams?page_size=3", allow_redirects=True)
    assert followed.url == f"{wire.root}{wire.project}diagrams/?page_size=3"
    assert len(followed.json()) == 3


def test_a_write_without_the_trailing_slash_is_redirected_with_its_body(workshop: Workshop) -> None:
    added = workshop.send("POST", "stakeholders", ["Oyster growers"])
    assert [response.status_code for response in (*added.history, added)] == [308, 200]
    assert [stakeholder["name"] for stakeholder in workshop.project.workshop.stakeholders()] == ["Oyster growers"]
    removed = workshop.send("DELETE", "data_layers/1")
    assert [response.status_code for response in (*removed.history, removed)] == [308, 404]


@pytest.mark.parametrize(("method", "path", "allowed"), [("DELETE", "tags/", "GET"), ("GET", "tags/create/", "POST")])
def test_a_405_response_lists_the_allowed_methods(method: str, path: str, allowed: str, wire: Wire) -> None:
    response = wire.request(method, wire.project + path)
    assert response.status_code == 405
    assert allowed in response.headers["allow"].split(",")
    check(response.json(), DETAIL)


@pytest.mark.parametrize("path", ["", "nowhere/", "projects/nowhere/at/all/"])
def test_an_unknown_path_is_not_found(path: str, wire: Wire) -> None:
    response = wire.request("GET", path)
    assert response.status_code == 404
    check(response.json(), DETAIL)


@pytest.mark.parametrize("path", ["tags/create/", "tags/create", "tags/"])
def test_a_connection_can_be_used_after_an_error_response(path: str, sandbox: Sandbox, wire: Wire) -> None:
    """This holds even if the body arrives after the service has sent the error response."""
    url = urlsplit(f"{sandbox.url}{wire.project}{path}")
    head = f"POST {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n"
    with socket.create_connection((url.hostname, url.port), timeout=10) as connection:
        connection.sendall(f"{head}Content-Length: 11\r\n\r\n".encode())
        time.sleep(0.05)
        connection.sendall(b'{"tags":[]}')
        refused = HTTPResponse(connection)
        refused.begin()
        refused.read()
        assert refused.status in (308, 401, 405)
        connection.sendall(f"{head}Content-Length: 0\r\n\r\n".encode())
        again = HTTPResponse(connection)
        again.begin()
        assert again.status == refused.status


def test_a_response_is_compressed_if_the_request_accepts_it(wire: Wire) -> None:
    path = f"{wire.project}diagrams/all/"
    compressed = wire.request("GET", path, headers=wire.headers | {"Accept-Encoding": "gzip"})
    plain = wire.request("GET", path, headers=wire.headers | {"Accept-Encoding": "identity"})
    assert compressed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert compressed.json() == plain.json()


# Change ids and designs


def test_diagrams_have_different_change_ids(wire: Wire) -> None:
    hashes = {wire.json(f"diagrams/{diagram}/changeid/")["changehash"] for diagram in (1001, 1002, 1003)}
    assert len(hashes) == 3


def test_the_details_of_a_team_are_those_of_its_latest_design(wire: Wire) -> None:
    designs = wire.json("cteams/1/")["synthesis"]
    latest = max(designs, key=lambda design: design["creationdate"])
    assert wire.json("cteams/1/details/")["id"] == latest["id"]
