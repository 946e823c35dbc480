"""Text from a server is shown safely: cut, and without characters that act on a terminal or change how it reads."""

import logging
import socket
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from fake_service import FakeService, Response
from fault_server import FaultServer, http
from pygeodesign import ApiError, Client, DecodeError, GeodesignError, NotFoundError, TransportError

# Clears the screen, sets the title of the window, turns the direction of writing, hides text.
EVIL = "\x1b[2J\x1b]0;owned\x07 \u202egnihtemos\u2066 \u200b\u2028\x9b\x7f\r\n\U000e0041"
LONG = "x" * 100_000


def shown(error: BaseException) -> str:
    """A traceback's complete text for an error and its causes."""
    return "".join(traceback.format_exception(error))


def assert_shown_safely(error: BaseException) -> None:
    text = shown(error)
    assert [hex(ord(character)) for character in text.replace("\n", "") if not character.isprintable()] == []
    assert "x" * 501 not in text
    # The words of the package, and the texts of the causes.
    assert len(str(error)) < 1_000


def error_from(response: Any) -> GeodesignError:
    with FakeService({"tags/": response}) as service, pytest.raises(GeodesignError) as raised:
        service.project(retries=0, strict=True).tags()
    return raised.value


@pytest.mark.parametrize("text", [EVIL, LONG, EVIL * 1_000], ids=["evil", "long", "both"])
@pytest.mark.parametrize(
    "response",
    [
        lambda text: Response({"detail": text}, 400),
        lambda text: Response({"message": text}, 503),
        lambda text: [{"id": 7, "tag": text, text: 1}, {"id": text, "tag": [text]}],
        lambda text: {"results": [], "next": f"https://{text}/"},
        lambda text: {"results": [], "next": f"https://example.org/{text}"},
        lambda text: {"results": text, "next": None},
        lambda text: [{text: {text: 1}}],
    ],
    ids=["status", "server error", "field", "next link", "other host", "type", "key"],
)
def test_text_of_a_server_is_cut_and_escaped_in_errors(text: str, response: Callable[[str], Any]) -> None:
    assert_shown_safely(error_from(response(text)))


@pytest.mark.parametrize("text", [EVIL, LONG], ids=["evil", "long"])
def test_text_of_a_collection_is_cut_and_escaped_in_errors(text: str) -> None:
    feature = {"type": "Feature", "geometry": None, "properties": {text: 1, "sysid": text}}
    body = {"type": "FeatureCollection", "features": [feature]}
    with FakeService({"boundaries/": body}) as service, pytest.raises(DecodeError) as raised:
        service.project(strict=True).study_area.boundaries()
    assert_shown_safely(raised.value)


@pytest.mark.parametrize("name", ["content-type", "location", "content-encoding"])
def test_a_header_is_cut_in_errors(name: str) -> None:
    status = 302 if name == "location" else 200
    value = "https://" + "x" * 10_000 if name == "location" else "x" * 10_000
    error = error_from(Response(b"<html>", status, {name: value}))
    assert_shown_safely(error)


def test_readable_text_of_a_server_is_shown_as_it_is() -> None:
    assert "Das Tag „Süd“ gehört nicht zum Projekt: מפה" in str(
        error_from(Response({"detail": "Das Tag „Süd“ gehört nicht zum Projekt: מפה"}, 400))
    )


def test_the_record_of_a_retry_shows_text_safely(caplog: pytest.LogCaptureFixture) -> None:
    answers = [Response({"detail": EVIL}, 503, {"retry-after": "0"}), Response([])]
    with FakeService({"tags/": answers}) as service, caplog.at_level(logging.INFO, "pygeodesign.client"):
        assert service.project().tags() == []
    assert all(record.getMessage().isprintable() for record in caplog.records)
    assert len(caplog.records) == 1


# The body of an error


def test_the_body_of_an_error_is_read_up_to_64_kb() -> None:
    error = error_from(Response(b"x" * 1_000_000, 404))
    assert isinstance(error, NotFoundError)
    assert error.body == "x" * 64 * 1024


def test_an_endless_body_of_an_error_is_not_read_on() -> None:
    sent = 0

    def endless(connection: socket.socket) -> None:
        nonlocal sent
        connection.sendall(b"HTTP/1.1 500 Broken\r\nconnection: close\r\n\r\n")
        while True:
            connection.sendall(b" " * 65_536)
            sent += 65_536

    with FaultServer({"projects/latest/": endless}) as server:
        with pytest.raises(ApiError):
            Client("token", server.url, retries=0).latest_project()
        assert server.closed_by_client.wait(10)
    # Socket buffers of the operating system add to the limit.
    assert sent < 16 * 1024 * 1024


# Parts and encodings that were not asked for


def test_a_part_of_the_answer_is_a_decode_error() -> None:
    part = http("206 Partial Content", b"[]", content_type="application/json", content_range="bytes 0-1/100")
    with FaultServer({"projects/latest/": part}) as server:
        with pytest.raises(
            DecodeError, match="206 Partial Content, although the client asked for the complete content"
        ):
            Client("token", server.url).latest_project()
        assert len(server.received) == 1


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "compress", "br", "x-unknown", "gzip, gzip"])
def test_an_encoding_that_was_not_offered_is_a_decode_error(encoding: str) -> None:
    encoded = http("200 OK", b"[]", content_type="application/json", content_encoding=encoding)
    with FaultServer({"projects/latest/": encoded}) as server:
        with pytest.raises(DecodeError, match=f'encoding "{encoding}", which the client did not ask for'):
            Client("token", server.url).latest_project()
        # To this machine the client offers no encoding.
        assert b"accept-encoding: identity" in server.received[0].lower()


def test_the_encoding_identity_is_none() -> None:
    plain = http("200 OK", b"[]", content_encoding="identity")
    with FaultServer({"projects/latest/": plain}) as server:
        assert Client("token", server.url).latest_project() is None


def test_an_error_in_an_unknown_encoding_keeps_its_status() -> None:
    encoded = http("404 Not Found", b"\x1f\x8b\x08", content_encoding="zip")
    with FaultServer({"projects/latest/": encoded}) as server, pytest.raises(NotFoundError) as raised:
        Client("token", server.url).latest_project()
    assert raised.value.body == ""


def test_a_response_head_that_is_no_http_is_shown_safely() -> None:
    with FaultServer({"projects/latest/": EVIL.encode() + b"\r\n\r\n"}) as server:
        with pytest.raises(TransportError) as raised:
            Client("token", server.url, retries=0).latest_project()
        assert_shown_safely(raised.value)
