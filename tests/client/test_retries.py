"""A temporary failure is retried, a write that may have been carried out is not, and every retry is logged."""

import logging
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from fake_service import PROJECT, FakeService, Response
from fault_server import FaultServer, http, unused_url
from pygeodesign import ApiError, Client, GeodesignError, RateLimitedError, ServerError, TransportError

NOW = {"retry-after": "0"}
NOTES = f"projects/{PROJECT}/diagrams/7/notes/"
TEMPORARY = [408, 425, 429, 500, 502, 503, 504]
PERMANENT = [400, 401, 403, 404, 405, 409, 410, 422, 501, 505]


def read(url: str, **settings: Any) -> Any:
    return Client("token", url, **settings).latest_project()


def write(url: str, **settings: Any) -> None:
    Client("token", url, **settings).project(PROJECT).diagram(7).set_notes("Ask first.")


@pytest.mark.parametrize("status", TEMPORARY)
def test_a_read_is_retried_after_a_temporary_error(status: int) -> None:
    with FakeService(root={"projects/latest/": Response({}, status, NOW)}) as service:
        with pytest.raises(ApiError, match=r"\(3 tries in \d+\.\d s\)") as raised:
            read(service.url, retries=2)
        assert service.requests["projects/latest/"] == 3
    assert raised.value.status_code == status


@pytest.mark.parametrize("status", PERMANENT)
def test_a_read_is_not_retried_after_a_permanent_error(status: int) -> None:
    with FakeService(root={"projects/latest/": Response({}, status, NOW)}) as service:
        with pytest.raises(ApiError):
            read(service.url, retries=2)
        assert service.requests["projects/latest/"] == 1


def test_a_read_that_succeeds_on_a_retry_is_no_error() -> None:
    responses = [Response({}, 503, NOW), Response({}, 500, NOW), Response([])]
    with FakeService(root={"projects/latest/": responses}) as service:
        assert read(service.url) is None


@pytest.mark.parametrize(
    "broken",
    [b"", b"HTTP/1.1 200 OK\r\ncontent-le", http("200 OK", b'[{"id": "StatenIsland2050"}]')[:-5]],
    ids=["no answer", "half a head", "half a body"],
)
def test_a_read_whose_connection_breaks_is_retried(broken: bytes) -> None:
    with FaultServer({"projects/latest/": [broken, http("200 OK", b"[]")]}) as server:
        assert read(server.url) is None
        assert len(server.received) == 2
    with FaultServer({"projects/latest/": broken}) as server:
        with pytest.raises(TransportError, match="2 tries"):
            read(server.url, retries=1)
        assert len(server.received) == 2


def test_a_refused_connection_is_retried() -> None:
    for call in (read, write):
        with pytest.raises(TransportError, match="3 tries"):
            call(unused_url(), retries=2)


@pytest.mark.parametrize("status", TEMPORARY)
def test_a_write_is_retried_only_if_the_service_rejected_it_unprocessed(status: int) -> None:
    for headers, is_unprocessed in ((NOW, status in (429, 503)), ({}, status == 429)):
        with FakeService(root={NOTES: [Response({}, status, headers), Response({"notes": "Ask first."})]}) as service:
            if is_unprocessed:
                write(service.url, retries=2)
            else:
                with pytest.raises(GeodesignError):
                    write(service.url, retries=2)
            assert service.requests[NOTES] == 1 + is_unprocessed


@pytest.mark.parametrize("broken", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"])
def test_a_write_whose_connection_breaks_is_not_sent_twice(broken: bytes) -> None:
    with FaultServer({NOTES: broken}) as server:
        with pytest.raises(TransportError):
            write(server.url, retries=3)
        assert len(server.received) == 1


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_sets_the_delay(form: str) -> None:
    at = datetime.now(UTC) + timedelta(seconds=2)
    wait = "1" if form == "seconds" else format_datetime(at.replace(microsecond=0), usegmt=True)
    with FakeService(root={"projects/latest/": [Response({}, 429, {"retry-after": wait}), Response([])]}) as service:
        started = time.monotonic()
        read(service.url)
        # A date has full seconds, so the wait may be up to one second shorter than two.
        assert time.monotonic() - started >= 0.9


def test_delays_without_retry_after_are_random() -> None:
    """Jitter: clients that failed at the same time do not retry at the same time."""
    waits = []
    for _ in range(6):
        with FakeService(root={"projects/latest/": [Response({}, 500), Response([])]}) as service:
            started = time.monotonic()
            read(service.url)
            waits.append(time.monotonic() - started)
    assert len({round(wait, 3) for wait in waits}) > 1


def test_with_no_retries_a_request_is_sent_once() -> None:
    with FakeService(root={"projects/latest/": Response({}, 500)}) as service:
        with pytest.raises(ServerError) as raised:
            read(service.url, retries=0)
        assert service.requests["projects/latest/"] == 1
    assert "tries" not in str(raised.value)


def test_each_retry_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="pygeodesign")
    responses = [Response({}, 503, NOW), Response({}, 429, NOW), Response([])]
    with FakeService(root={"projects/latest/": responses}) as service:
        read(service.url)
    records = [record for record in caplog.records if record.name == "pygeodesign.client"]
    assert [record.levelno for record in records] == [logging.INFO] * 2
    first, second = (record.getMessage() for record in records)
    assert first.startswith("GET /projects/latest/ failed (503 Service Unavailable) after 1 try in ")
    assert second.startswith("GET /projects/latest/ failed (429 Too Many Requests) after 2 tries in ")
    assert "trying again in 0.00 s" in first


def test_a_program_that_configures_no_logging_prints_no_retries() -> None:
    script = (
        "from pygeodesign import Client, TransportError\n"
        f"try:\n    Client('token', {unused_url()!r}, retries=1).projects()\n"
        "except TransportError as error:\n    print('2 tries' in str(error))\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_of_many_requests_each_has_its_own_retries() -> None:
    hashes = {number: f"hash {number}" for number in range(20)}
    responses = {
        f"diagrams/{number}/changeid/": [Response({}, 429, NOW), Response({"changehash": change})]
        for number, change in hashes.items()
    }
    with FakeService(responses) as service:
        assert service.project(max_concurrency=4).diagram_change_ids(range(20)) == hashes


def test_the_error_is_that_of_the_last_attempt() -> None:
    responses = [Response({}, 500, NOW), Response({"detail": "Slow down."}, 429, NOW)]
    with (
        FakeService(root={"projects/latest/": responses}) as service,
        pytest.raises(RateLimitedError, match="Slow down"),
    ):
        read(service.url, retries=1)
