"""An error names the request, the response and the remedy; it never shows the token."""

import errno
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pygeodesign
from fake_service import FakeService, Response
from fault_server import FaultServer, http, unused_url
from pygeodesign import (
    ApiError,
    AuthenticationError,
    BadRequestError,
    Client,
    ConfigurationError,
    DecodeError,
    GeodesignError,
    NotFoundError,
    PermissionDeniedError,
    Project,
    RateLimitedError,
    RequestTimeoutError,
    Sandbox,
    ServerError,
    TransportError,
)

TOKEN = "5ec2e7-d0-n07-5h0w"


def error_of(call: Callable[[], Any]) -> GeodesignError:
    """The error that a call raises, checked not to show the token."""
    with pytest.raises(GeodesignError) as raised:
        call()
    error = raised.value
    shown = [str(error), repr(error), repr(error.args), repr(vars(error)), *traceback.format_exception(error)]
    assert TOKEN not in "".join(shown)
    return error


def error_from(url: str, **settings: Any) -> GeodesignError:
    """The error that a request to this URL raises."""
    return error_of(lambda: Client(TOKEN, url, **settings).latest_project())


# Error statuses


@pytest.mark.parametrize(
    ("status", "kind", "advice"),
    [
        (400, BadRequestError, "send again"),
        (401, AuthenticationError, "Check the token"),
        (403, PermissionDeniedError, "administrator"),
        (404, NotFoundError, "Check the ids"),
        (429, RateLimitedError, "max_concurrency"),
        (500, ServerError, "later"),
        (502, ServerError, "later"),
        (503, ServerError, "later"),
        (418, ApiError, "base_url"),
    ],
)
def test_an_error_status_names_the_request_the_services_explanation_and_the_remedy(
    status: int, kind: type[ApiError], advice: str
) -> None:
    body = {"detail": "It is full moon."}
    with FakeService(root={"projects/latest/": Response(body, status)}) as service:
        error = error_from(service.url, retries=0)
    assert type(error) is kind
    assert isinstance(error, ApiError)
    assert (error.status_code, error.method, error.path) == (status, "GET", "/projects/latest/")
    assert error.body == '{"detail": "It is full moon."}'
    assert str(error).startswith(f"GET /projects/latest/ answered {status} ")
    assert "It is full moon" in str(error)
    assert advice in str(error)


def test_a_missing_project_is_distinguished_from_a_missing_part_of_a_project() -> None:
    listed = [{"id": "FakeProject00002", "projecttitle": "Lisbon"}]
    with FakeService({"systems/": []}, {"projects/": listed}) as service:
        # Whatever the words of the service are.
        with pytest.raises(NotFoundError, match='the projects are FakeProject00002 "Lisbon"'):
            service.project().info()
        project = service.project()
        assert project.systems() == []
        with pytest.raises(NotFoundError) as raised:
            project.tags()
        assert "Lisbon" not in str(raised.value)


def test_the_path_of_a_list_is_shown_without_its_query() -> None:
    with FakeService(root={"projects/": Response({}, 400)}) as service:
        error = error_of(Client(TOKEN, service.url).projects)
    assert isinstance(error, ApiError)
    assert error.path == "/projects/"


@pytest.mark.parametrize("key", ["detail", "status", "message"])
def test_the_explanation_of_the_service_is_found_under_any_of_its_keys(key: str) -> None:
    with FakeService(root={"projects/latest/": Response({key: "The tag is not in the project"}, 400)}) as service:
        assert "The tag is not in the project" in str(error_from(service.url))


def test_a_wrong_token_is_an_authentication_error(sandbox: Sandbox) -> None:
    error = error_from(sandbox.url)
    assert isinstance(error, AuthenticationError)


def test_a_project_of_which_the_user_is_no_member_is_not_found(sandbox: Sandbox) -> None:
    error = error_of(lambda: sandbox.client().project("0000000000000000").info())
    assert isinstance(error, NotFoundError)
    assert error.path == "/projects/0000000000000000/"


@pytest.mark.parametrize(
    "call",
    [
        lambda project: project.diagram(999_999).features(),
        lambda project: project.system(999_999).name,
        lambda project: project.designs(999_999),
        lambda project: project.design("0000000000000000", 1).features(),
        lambda project: project.diagram_change_ids([1001, 999_999]),
    ],
)
def test_an_unknown_id_is_not_found(call: Callable[[Project], Any], project: Project) -> None:
    assert isinstance(error_of(lambda: call(project)), NotFoundError)


# No response, or one that cannot be decoded


def test_a_refused_connection_is_a_transport_error() -> None:
    url = unused_url()
    error = error_from(url, retries=0)
    assert isinstance(error, TransportError)
    assert isinstance(error, ConnectionError)
    assert str(error).startswith(f"GET /projects/latest/ got no answer from {url}")
    assert "Check that the service runs there" in str(error)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (http("200 OK", b"<html>Sign in</html>", content_type="text/html"), "text/html instead of JSON"),
        (http("200 OK", b""), "an empty body"),
        (http("200 OK", b'[{"id": "StatenIsl'), "EOF"),
        (http("200 OK", b'[{"id": "short"}]'), "[0].id"),
        (http("204 No Content"), "an empty body"),
    ],
    ids=["a sign-in page", "nothing", "half a body", "another shape", "no content"],
)
def test_a_response_that_cannot_be_decoded_is_a_decode_error(response: bytes, expected: str) -> None:
    with FaultServer({"projects/latest/": response}) as server:
        error = error_from(server.url)
    assert isinstance(error, DecodeError)
    assert isinstance(error, ValueError)
    assert str(error).startswith("the response to GET /projects/latest/ cannot be read: ")
    assert expected in str(error)


# Causes


def causes(error: BaseException) -> list[BaseException]:
    """The chain of an error's causes, the direct cause first."""
    found = []
    while (cause := error.__cause__) is not None:
        found.append(cause)
        error = cause
    return found


def test_a_refused_connection_is_the_cause_of_a_transport_error() -> None:
    [cause] = causes(error_from(unused_url(), retries=0))
    assert isinstance(cause, ConnectionRefusedError)
    assert cause.errno == errno.ECONNREFUSED


def test_a_broken_response_is_the_cause_of_a_transport_error() -> None:
    broken = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[{"
    with FaultServer({"projects/latest/": broken}) as server:
        error = error_from(server.url, retries=0)
    assert isinstance(error, TransportError)
    [cause] = causes(error)
    assert type(cause) is ConnectionError
    assert str(cause) in str(error)


def test_a_server_that_sends_nothing_is_the_cause_of_a_time_out() -> None:
    with FaultServer({"projects/latest/": None}) as server:
        error = error_from(server.url, retries=0, read_timeout=0.1)
    assert isinstance(error, RequestTimeoutError)
    [cause] = causes(error)
    assert isinstance(cause, TimeoutError)
    assert not isinstance(cause, GeodesignError)


@pytest.mark.parametrize(
    ("content", "kind"),
    [(None, FileNotFoundError), (b"-----BEGIN CERTIFICATE-----\nb64!\n-----END CERTIFICATE-----\n", ValueError)],
    ids=["missing", "damaged"],
)
def test_an_unusable_certificate_file_is_the_cause_of_a_configuration_error(
    content: bytes | None, kind: type[Exception], tmp_path: Path
) -> None:
    bundle = tmp_path / "ca.pem"
    if content is not None:
        bundle.write_bytes(content)
    error = error_of(lambda: Client(TOKEN, "https://geodesign.example.org", ca_bundle=bundle))
    assert isinstance(error, ConfigurationError)
    assert isinstance(causes(error)[0], kind)


@pytest.mark.parametrize("body", [b'[{"id": "StatenIsl', b'[{"id": "short"}]'], ids=["half a body", "another shape"])
def test_a_position_in_json_is_the_cause_of_a_decode_error(body: bytes) -> None:
    with FaultServer({"projects/latest/": http("200 OK", body)}) as server:
        error = error_from(server.url)
    assert isinstance(error, DecodeError)
    [cause] = causes(error)
    assert type(cause) is ValueError
    assert "at line 1 column" in str(cause)


def test_a_position_in_a_collection_is_the_cause_of_a_decode_error() -> None:
    with FakeService({"boundaries/": {"type": "FeatureCollection", "features": [{"type": "Feature"}, 7]}}) as service:
        error = error_of(service.project(strict=True).study_area.boundaries)
    assert isinstance(error, DecodeError)
    cause = causes(error)[0]
    assert type(cause) is ValueError
    assert "features[1]" in str(cause)


def test_a_cause_that_repeats_the_token_is_left_out() -> None:
    with FakeService(root={"projects/latest/": Response(f"I know {TOKEN}")}) as service:
        error = error_from(service.url)
    assert isinstance(error, DecodeError)
    assert "I know …" in str(error)
    assert causes(error) == []


def test_an_error_status_has_no_cause() -> None:
    with FakeService(root={"projects/latest/": Response({}, 404)}) as service:
        assert causes(error_from(service.url)) == []


def test_an_invalid_geography_is_a_decode_error() -> None:
    with FakeService({"boundaries/": {"description": "no outline"}}) as service:
        error = error_of(service.project(strict=True).study_area.boundaries)
    assert isinstance(error, DecodeError)
    assert "boundaries" in str(error)


# The token is sent to no other host


def test_a_redirect_to_another_host_is_not_followed() -> None:
    with FaultServer({"projects/latest/": http("200 OK", b"[]")}) as elsewhere:
        away = http("302 Found", location=f"{elsewhere.url}projects/latest/")
        with FaultServer({"projects/latest/": away}) as server:
            error = error_from(server.url)
            assert TOKEN.encode() in server.received[0]
        assert elsewhere.received == []
    assert isinstance(error, TransportError)
    assert "redirects" in str(error)


def test_a_redirect_within_the_host_is_followed_with_the_token() -> None:
    here = {"projects/latest/": http("301 Moved", location="/api/v1/elsewhere/"), "elsewhere/": http("200 OK", b"[]")}
    with FaultServer(here) as server:
        assert Client(TOKEN, server.url).latest_project() is None
        assert [f"Token {TOKEN}".encode() in request for request in server.received] == [True, True]


def test_a_redirect_in_a_circle_is_an_error() -> None:
    with FaultServer({"projects/latest/": http("302 Found", location="/api/v1/projects/latest/")}) as server:
        assert isinstance(error_from(server.url), TransportError)
        assert len(server.received) < 20


def test_a_next_link_to_another_host_is_not_followed() -> None:
    with FaultServer({"projects/": http("200 OK", b"[]")}) as elsewhere:
        page = {"count": 1, "next": f"{elsewhere.url}projects/", "previous": None, "results": []}
        with FakeService(root={"projects/": page}) as service:
            error = error_of(Client(TOKEN, service.url).projects)
        assert elsewhere.received == []
    assert isinstance(error, DecodeError)


def test_a_next_link_whose_path_looks_like_another_host_stays_on_this_one() -> None:
    with FaultServer({"projects/": http("200 OK", b"[]")}) as elsewhere:
        host = elsewhere.url.removeprefix("http:")
        page = {"count": 1, "next": f"/api/v1/{host}projects/", "previous": None, "results": []}
        with FakeService(root={"projects/": page}) as service:
            error_of(Client(TOKEN, service.url).projects)
        assert elsewhere.received == []


# Exceptions as Python objects


def every_error() -> list[GeodesignError]:
    classes = [getattr(pygeodesign, name) for name in pygeodesign.__all__]
    errors = [kind for kind in classes if isinstance(kind, type) and issubclass(kind, GeodesignError)]
    facts: dict[str, Any] = {"status_code": 404, "method": "GET", "path": "/projects/", "body": "{}"}
    return [kind("Words", **facts) if issubclass(kind, ApiError) else kind("Words") for kind in errors]


@pytest.mark.parametrize("error", every_error(), ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling(error: GeodesignError) -> None:
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error)
    assert (str(twin), vars(twin)) == (str(error), vars(error))


@pytest.mark.parametrize("error", every_error(), ids=lambda error: type(error).__name__)
def test_every_error_is_a_geodesign_error(error: GeodesignError) -> None:
    assert isinstance(error, GeodesignError)
    assert error.__doc__
