"""Lists and their pages, redirects, compression and connections, as plain HTTP sees them."""

import socket
import time
from http.client import HTTPResponse
from urllib.parse import urlsplit

import pytest

from documented_shapes import DETAIL, check
from pygeodesign import Sandbox
from small_project import Lisbon
from wire import Wire

# Lists


def test_a_list_is_cut_at_ten_by_default(wire: Wire) -> None:
    assert len(wire.json("diagrams/")) == 10
    assert len(wire.json("tags/")) == 10


def test_page_size_and_page_choose_a_part_of_a_list(wire: Wire) -> None:
    whole = wire.json("diagrams/?page_size=1000")
    assert len(whole) == 180
    assert wire.json("diagrams/?page_size=7&page=3") == whole[14:21]
    assert wire.json("diagrams/?page=18") == whole[170:]


@pytest.mark.parametrize("query", ["page_size=0", "page=0", "page_size=many", "page=-1"])
def test_a_page_that_cannot_be_is_a_bad_request(query: str, wire: Wire) -> None:
    answer = wire.request("GET", f"{wire.project}diagrams/?{query}")
    assert answer.status_code == 400
    check(answer.json(), {"detail": str})


def test_a_page_after_the_last_is_not_found(wire: Wire) -> None:
    assert wire.request("GET", f"{wire.project}diagrams/?page=19").status_code == 404


@pytest.mark.parametrize("path", ["diagrams/all/", "diagrams/all/details/"])
def test_all_diagrams_are_never_cut(path: str, wire: Wire) -> None:
    assert len(wire.json(f"{path}?page_size=5")) == 180


# Transport


def test_a_path_without_its_slash_leads_to_the_one_with_it(wire: Wire) -> None:
    answer = wire.request("GET", f"{wire.project}diagrams?page_size=3")
    assert answer.status_code == 301
    followed = wire.request("GET", f"{wire.project}diagrams?page_size=3", allow_redirects=True)
    assert followed.url == f"{wire.root}{wire.project}diagrams/?page_size=3"
    assert len(followed.json()) == 3


def test_what_is_sent_to_a_path_without_its_slash_goes_with_it(lisbon: Lisbon) -> None:
    added = lisbon.send("POST", "stakeholders", ["Oyster growers"])
    assert [answer.status_code for answer in (*added.history, added)] == [308, 200]
    assert [stakeholder["name"] for stakeholder in lisbon.project.stakeholders()] == ["Oyster growers"]
    removed = lisbon.send("DELETE", "data_layers/1")
    assert [answer.status_code for answer in (*removed.history, removed)] == [308, 404]


@pytest.mark.parametrize(("method", "path", "allowed"), [("DELETE", "tags/", "GET"), ("GET", "tags/create/", "POST")])
def test_a_method_that_a_path_does_not_take_is_told_which_it_takes(
    method: str, path: str, allowed: str, wire: Wire
) -> None:
    answer = wire.request(method, wire.project + path)
    assert answer.status_code == 405
    assert allowed in answer.headers["allow"].split(",")
    check(answer.json(), DETAIL)


@pytest.mark.parametrize("path", ["", "nowhere/", "projects/nowhere/at/all/"])
def test_a_path_of_no_operation_is_not_found(path: str, wire: Wire) -> None:
    answer = wire.request("GET", path)
    assert answer.status_code == 404
    check(answer.json(), DETAIL)


@pytest.mark.parametrize("path", ["tags/create/", "tags/create", "tags/"])
def test_a_refusal_leaves_the_connection_to_the_next_request(path: str, sandbox: Sandbox, wire: Wire) -> None:
    """Even where the body comes after the service has seen that it will refuse."""
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


def test_a_body_is_compressed_when_that_is_asked_for(wire: Wire) -> None:
    path = f"{wire.project}diagrams/all/"
    packed = wire.request("GET", path, headers=wire.headers | {"Accept-Encoding": "gzip"})
    plain = wire.request("GET", path, headers=wire.headers | {"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


# Sameness and difference


def test_a_change_id_differs_from_diagram_to_diagram(wire: Wire) -> None:
    hashes = {wire.json(f"diagrams/{diagram}/changeid/")["changehash"] for diagram in (1001, 1002, 1003)}
    assert len(hashes) == 3


def test_the_latest_design_is_the_one_with_details(wire: Wire) -> None:
    designs = wire.json("cteams/1/")["synthesis"]
    latest = max(designs, key=lambda design: design["creationdate"])
    assert wire.json("cteams/1/details/")["id"] == latest["id"]
