"""For any bytes that a server sends, the result is a correct value or an error with the position, within limits."""

import gzip
import json
import resource
import socket
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from fake_service import PROJECT, FakeService
from fault_server import FaultServer, Response, http
from pygeodesign import Client, DecodeError, FeatureCollection, GeodesignError, Project, TransportError

pytestmark = pytest.mark.unix

MEGABYTE = 1024 * 1024


def ok(body: bytes, **headers: str) -> bytes:
    return http("200 OK", body, **({"content_type": "application/json"} | headers))


def read_response(response: Response, path: str, method: Callable[[Project], Any], **settings: Any) -> Any:
    with FaultServer({f"projects/{PROJECT}/{path}": response}) as server:
        return method(Client("token", server.url, retries=0, timeout=20, **settings).project(PROJECT))


def tags(response: Response, **settings: Any) -> Any:
    """Reads the response as a list of objects."""
    return read_response(response, "tags/", Project.tags, **settings)


def info(response: Response, **settings: Any) -> Any:
    """Reads the response as one object."""
    return read_response(response, "", Project.info, **settings)


def boundaries(response: Response, **settings: Any) -> FeatureCollection:
    """Reads the response as a GeoJSON collection."""
    collection: FeatureCollection = read_response(
        response, "boundaries/", lambda project: project.study_area.boundaries(), **settings
    )
    return collection


def diagrams(response: Response) -> FeatureCollection:
    """Reads the response as a list of diagrams with GeoJSON."""
    collection: FeatureCollection = read_response(response, "diagrams/all/", Project.diagrams)
    return collection


READERS = [tags, info, boundaries, diagrams]


def feature(geometry: str = "null", properties: str = "{}") -> str:
    return f'{{"type": "Feature", "properties": {properties}, "geometry": {geometry}}}'


def collection(*features: str) -> bytes:
    return f'{{"type": "FeatureCollection", "features": [{", ".join(features)}]}}'.encode()


def point(coordinates: str) -> str:
    return f'{{"type": "Point", "coordinates": {coordinates}}}'


# Not JSON


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (ok(b"<html>Sign in to the hotel</html>", content_type="text/html"), "text/html instead of JSON.*sign-in page"),
        (ok(b"<html>Sign in to the hotel</html>"), "application/json that does not begin like JSON"),
        (ok(b""), "an empty body"),
        (ok(b"  \r\n "), "an empty body"),
        (http("204 No Content"), "an empty body"),
        (ok(b"\xef\xbb\xbf[]"), "application/json that does not begin like JSON"),
        (ok(b"\xff\xfe[\x00]\x00"), "application/json that does not begin like JSON"),
    ],
    ids=["a captive portal", "a portal that lies", "nothing", "blanks", "no content", "a mark", "UTF-16"],
)
def test_a_response_that_is_not_json_is_a_decode_error(
    response: bytes, expected: str, read: Callable[..., Any]
) -> None:
    with pytest.raises(
        DecodeError, match=f"the response to GET /projects/{PROJECT}/.* cannot be read: it sent {expected}"
    ):
        read(response)


def test_the_content_type_does_not_matter() -> None:
    assert tags(ok(b"[]", content_type="text/plain")) == []
    assert len(boundaries(ok(collection(), content_type="application/octet-stream"))) == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'[{"id": "a", "tag": "b"', "EOF while parsing an object at byte 22"),
        (b'[{"id": "a", "tag": "b"},\n {"id": "c", "tag": \xff}]', "expected value at byte 46"),
        (b'[{"id": "a", "tag": "\xff\xfe"}]', r"\[0\]\.tag: invalid unicode code point at byte 21"),
        (b'[{"id": "a", "tag": "\\ud800"}]', r"\[0\]\.tag: unexpected end of hex escape at byte 27"),
        (b'[{"id": "a", "tag": NaN}]', "expected value at byte 20"),
        (b'[{"id": "a", "tag": Infinity}]', "expected value at byte 20"),
        (b"[" * 10_000, "EOF while parsing a list at byte 9999"),
        (b"[" * 10_000 + b"]" * 10_000, "recursion limit exceeded at byte|invalid type"),
        (b'[{"id": "a", "tag": "b"}] and more', "trailing characters at byte 26"),
        (b'[{"id": "a", "tag": ' + b"9" * 400 + b"}]", r"\[0\]\.tag: .* at byte"),
        (b'[{"tag": "b"}]', r"\[0\]: missing field `id` at byte"),
        (b'[{"id": "a", "id": "b", "tag": "c"}]', r"\[0\]\.id: duplicate field `id` at byte|\[0\]: duplicate"),
        (b'{"detail": "no list"}', "results"),
        (b"null", "invalid type: null"),
        (b'[["a", "b"]]', r"\[0\]"),
    ],
    ids=[
        "cut",
        "garbage on the second line",
        "not UTF-8",
        "half a surrogate pair",
        "NaN",
        "Infinity",
        "10 000 deep and cut",
        "10 000 deep",
        "more after the end",
        "400 digits for a text",
        "a field is missing",
        "a field is there twice",
        "an object for a list",
        "null for a list",
        "a list for an object",
    ],
)
def test_an_error_names_the_field_and_the_byte(body: bytes, expected: str) -> None:
    with pytest.raises(
        DecodeError, match=f"the response to GET /projects/{PROJECT}/tags/ cannot be read: .*({expected})"
    ):
        tags(ok(body))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (collection(feature())[:-3], "EOF while parsing .* at byte"),
        (b'{"type": "FeatureCollection"}', '"features"'),
        (b'{"type": "FeatureCollection", "features": 7}', "features: .* at byte 42"),
        (b'{"type": "FeatureCollection", "features": [null]}', r"features\[0\]"),
        (b"[]", "FeatureCollection"),
        (collection(feature(), feature(point("[1]"))), r"features\[1\]\.geometry.* at byte"),
        (collection(feature(point("[NaN, 1]"))), r"features\[0\]\.geometry\.coordinates.* at byte"),
        (collection(feature(point("[1e400, 1]"))), "number out of range at byte"),
        (collection(feature(point("[" + "9" * 400 + ", 1]"))), "number out of range at byte"),
        (collection(feature(point('["1", 1]'))), r"features\[0\]\.geometry\.coordinates"),
        (collection(feature(point("[[1, 2]]"))), r"features\[0\]\.geometry\.coordinates"),
        (collection(feature('{"type": "Polygon", "coordinates": [[1, 2], [3, 4]]}')), r"features\[0\]\.geometry"),
        (collection(feature('{"type": "Circle", "coordinates": [1, 2]}')), "Circle"),
        (collection(feature('{"type": "Point"}')), "coordinates"),
        (collection(feature("[" * 10_000)), r"features\[0\]\.geometry"),
        (collection(feature(properties='{"name": "\xff"}')).replace(b"\xc3\xbf", b"\xff"), "not UTF-8 text: byte"),
    ],
    ids=[
        "cut",
        "no features",
        "features are a number",
        "a feature is null",
        "a list",
        "one coordinate",
        "NaN",
        "beyond any number",
        "400 digits",
        "text for a number",
        "a line for a point",
        "a line for a polygon",
        "an unknown type",
        "no coordinates",
        "10 000 deep",
        "not UTF-8",
    ],
)
def test_an_error_in_geojson_names_the_field_and_the_byte(body: bytes, expected: str) -> None:
    with pytest.raises(DecodeError, match=expected):
        boundaries(ok(body), strict=True)


def test_a_property_of_10_000_levels_is_text_in_tables_and_an_error_in_dicts() -> None:
    deep = "[" * 10_000 + "]" * 10_000
    read = boundaries(ok(collection(feature(properties=f'{{"deep": {deep}}}'))))
    assert read.to_geopandas()["deep"][0].count("[") == 10_000
    with pytest.raises(DecodeError, match="recursion limit"):
        read.to_dict()


def test_a_property_of_400_digits_is_text_in_tables_and_an_error_in_dicts() -> None:
    read = boundaries(ok(collection(feature(properties=f'{{"digits": {"9" * 400}}}'))))
    assert read.to_geopandas()["digits"][0] == "9" * 400
    with pytest.raises(DecodeError, match="number out of range"):
        read.to_dict()


# Unusual, but valid


def test_a_geometry_may_be_null() -> None:
    read = boundaries(ok(collection(feature(), feature(point("[1, 2, 3]")))))
    assert [geometry is None for geometry in read.to_geopandas().geometry] == [True, False]


def test_an_id_may_be_text() -> None:
    diagram = {"id": "7", "sysid": "3", "description": "d", "geojson": None}
    assert list(diagrams(ok(json.dumps([diagram]).encode())).to_geopandas()["diagramid"]) == [7]
    with pytest.raises(DecodeError, match=r"\[0\]: diagramid is \"seven\", not an integer at byte"):
        diagrams(ok(json.dumps([diagram | {"id": "seven"}]).encode()))


def test_unknown_fields_are_kept_and_missing_fields_are_none() -> None:
    assert tags(ok(b'[{"id": "a", "tag": "b", "mood": ["calm"]}]')) == [
        {"id": "a", "tag": "b", "slug": None, "code": None, "diagrams": [], "mood": ["calm"]}
    ]


def test_the_last_value_of_a_repeated_property_counts() -> None:
    """The same as in Python's `json` module."""
    read = boundaries(ok(collection(feature(properties='{"a": 1, "a": 2}'))))
    assert read.to_dict()["features"][0]["properties"] == {"a": 2}
    assert list(read.to_geopandas()["a"]) == [2]


# Size


def test_a_response_with_a_content_length_over_the_limit_is_not_read() -> None:
    def announce(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n[")
        connection.recv(1)

    for read in READERS:
        with pytest.raises(DecodeError, match=r"more than 268435456 bytes.*max_response_bytes="):
            read(announce)


def test_an_endless_response_is_read_up_to_the_limit() -> None:
    sent = 0

    def endless(connection: socket.socket) -> None:
        nonlocal sent
        connection.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n[")
        while True:
            connection.sendall(b" " * 65536)
            sent += 65536

    with pytest.raises(DecodeError, match=f"more than {4 * MEGABYTE} bytes"):
        tags(endless, max_response_bytes=4 * MEGABYTE)
    # Socket buffers of the operating system add to the limit.
    assert sent < 64 * MEGABYTE


@pytest.mark.slow
@pytest.mark.parametrize("layers", [1, 2])
def test_a_response_that_is_too_large_after_decompression_is_an_error(layers: int) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(b" " * MEGABYTE) for _ in range(400)) + packer.flush()
    if layers == 2:
        bomb = gzip.compress(bomb)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DecodeError):
        tags(ok(bomb, content_encoding=", ".join(["gzip"] * layers)), max_response_bytes=16 * MEGABYTE)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * 1024 < 150 * MEGABYTE


def test_a_response_of_exactly_the_limit_is_read() -> None:
    assert tags(ok(b"[]".ljust(1000)), max_response_bytes=1000) == []
    with pytest.raises(DecodeError):
        tags(ok(b"[]".ljust(1001)), max_response_bytes=1000)
    unannounced = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n[]"
    assert tags(unannounced.ljust(len(unannounced) + 998), max_response_bytes=1000) == []
    with pytest.raises(DecodeError):
        tags(unannounced.ljust(len(unannounced) + 999), max_response_bytes=1000)


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "GZip", "x-gzip", " X-GZIP"])
def test_a_coding_that_was_asked_for_may_be_spelled_in_any_way(coding: str) -> None:
    """RFC 9110, 8.4.1."""
    packed = ok(gzip.compress(b"[" + b" " * 2000 + b"]"), content_encoding=coding)
    assert tags(packed, compression=True) == []
    with pytest.raises(GeodesignError):
        tags(packed, compression=True, max_response_bytes=1000)
    # It was not requested.
    with pytest.raises(DecodeError, match="did not ask for"):
        tags(packed)


def test_a_truncated_compressed_response_is_an_error() -> None:
    packed = gzip.compress(json.dumps([{"id": str(i), "tag": "t"} for i in range(1000)]).encode())
    with pytest.raises(GeodesignError):
        tags(ok(packed[:-20], content_encoding="gzip"))


# Status lines and headers


@pytest.mark.parametrize(
    "response",
    [
        b"\x00\x01\x02\x03 nonsense\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n[] ",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n[]\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x-filler: y\r\n" * 100_000 + b"\r\n[]",
        b"HTTP/1.1 200 OK\r\nx-filler: " + b"y" * 2_000_000 + b"\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nx-\xff: \x00\r\n\r\n[]",
        b"HTTP/1.1 302 Found\r\nlocation: \xff\xfe\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nlocation: http://\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n",
    ],
    ids=[
        "noise",
        "another protocol",
        "another version",
        "a negative length",
        "two lengths",
        "bad chunks",
        "too many headers",
        "a header too long",
        "bytes no header has",
        "a redirect to no text",
        "a redirect to no address",
        "a redirect to a file",
    ],
)
def test_an_invalid_status_line_or_header_is_a_transport_error(response: bytes) -> None:
    with pytest.raises(TransportError, match=f"GET /projects/{PROJECT}/tags/ got no answer"):
        tags(response)


def test_the_body_of_an_error_status_may_be_anything() -> None:
    for body in (b"", b"<html>", b"\xff\xfe", b'{"detail": {"a": 1}}', b"[" * 10_000):
        with pytest.raises(GeodesignError, match="answered 418"):
            tags(http("418 I'm a teapot", body))


def test_an_image_that_is_not_a_png_is_a_decode_error() -> None:
    job = "3fbe6934-407a-443d-9478-e2c5702fa13f"
    generated = f"/api/v1/projects/{PROJECT}/diagrams/7/thumbnail/{job}/"
    responses = {
        "diagrams/7/generate_thumbnail/": {"results_url": generated, "status": "ok"},
        f"diagrams/7/thumbnail/{job}/": {"no": "picture"},
    }
    with FakeService(responses) as service, pytest.raises(DecodeError, match="application/json that is not a PNG"):
        service.project().diagram(7).thumbnail()
