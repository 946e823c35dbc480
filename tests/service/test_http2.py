"""Over TLS, client and service speak HTTP/2, and the limits of a connection in HTTP/1.1 apply, too."""

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from http2 import connect
from pygeodesign import Client
from serving import RunningService, running_service

pytestmark = pytest.mark.alone("how long others wait for a service")

PROJECT = "StatenIsland2050"
LIMITS = ("response_stall_seconds=2", "request_head_seconds=2")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    limits = [option for limit in LIMITS for option in ("--limit", limit)]
    database = tmp_path_factory.mktemp("http2") / "workshop.sqlite"
    with running_service("--db", database, "--tls-self-signed", *limits) as service:
        yield service


def open_connections(service: RunningService) -> int:
    url = service.urls[0].replace("/api/v1/", "/metrics")
    text = requests.get(url, verify=str(service.ca_file), timeout=10).text
    found = re.search(r"^geodesign_connections (\d+)$", text, re.MULTILINE)
    assert found, text
    return int(found[1])


def test_the_service_offers_http_2_and_http_1_1(service: RunningService) -> None:
    with connect(service) as connection:
        assert connection.protocol == "h2"
        answer = connection.answer(connection.get("projects/"))
        assert answer.status == 200
        assert [project["projecttitle"] for project in json.loads(answer.body)] == ["Staten Island 2050"]
    headers = {"Authorization": f"Token {service.tokens['admin']}"}
    response = requests.get(f"{service.urls[0]}projects/", headers=headers, verify=str(service.ca_file), timeout=10)
    assert (response.status_code, response.raw.version) == (200, 11)
    assert response.content == answer.body


def test_a_response_is_the_same_in_both_versions(service: RunningService) -> None:
    headers = {"Authorization": f"Token {service.tokens['admin']}", "Accept-Encoding": "identity"}
    paths = ["diagrams/all/", "systems/", "diagrams/1001/", "diagrams/999999/"]
    with connect(service) as connection:
        for path in paths:
            url = f"{service.urls[0]}projects/{PROJECT}/{path}"
            http1 = requests.get(url, headers=headers, verify=str(service.ca_file), timeout=10)
            http2 = connection.answer(connection.get(f"projects/{PROJECT}/{path}"))
            assert (http2.status, http2.body) == (http1.status_code, http1.content)
            names = set(http1.headers) - {"date", "Date", "connection"}
            assert {name.lower() for name in names} <= set(http2.headers) | {"transfer-encoding"}


def test_requests_of_one_connection_are_answered_at_the_same_time(service: RunningService) -> None:
    with connect(service) as connection:
        streams = [connection.get(f"projects/{PROJECT}/diagrams/{1001 + number}/changeid/") for number in range(40)]
        assert all(connection.answer(stream).status == 200 for stream in streams)


def test_a_client_that_asks_for_all_pictures_at_once_is_never_told_to_wait(tmp_path: Path) -> None:
    with running_service("--db", tmp_path / "workshop.sqlite", "--tls-self-signed") as service:
        client = Client(service.tokens["admin"], service.urls[0], ca_bundle=service.ca_file, retries=0)
        project = client.project(PROJECT)
        # After the first response, the client may send all others at once.
        project.systems()
        pictures = project.thumbnails(range(1001, 1181))
    assert len(pictures) == 180


def test_the_client_sends_all_its_requests_on_one_connection(service: RunningService) -> None:
    before = open_connections(service)
    client = Client(service.tokens["admin"], service.urls[0], ca_bundle=service.ca_file)
    project = client.project(PROJECT)
    assert set(project.diagram_change_ids()) == {item["id"] for item in project.diagrams(fields="summary")}
    assert open_connections(service) == before + 1


def test_many_threads_share_the_connection(service: RunningService) -> None:
    client = Client(service.tokens["admin"], service.urls[0], ca_bundle=service.ca_file)
    with ThreadPoolExecutor(16) as pool:
        titles = pool.map(lambda _: client.projects()[0]["projecttitle"], range(200))
        assert set(titles) == {"Staten Island 2050"}


def test_a_client_that_reads_no_response_is_dropped(service: RunningService) -> None:
    with connect(service, window=1000) as connection:
        connection.get(f"projects/{PROJECT}/diagrams/all/")
        assert connection.closes_within(5)


def test_a_client_that_does_not_read_a_small_response_is_dropped(service: RunningService) -> None:
    with connect(service, window=10) as connection:
        connection.get("projects/")
        assert connection.closes_within(5)


def test_a_client_that_reads_other_responses_but_not_one_is_dropped(service: RunningService) -> None:
    with connect(service, window=0) as connection:
        unread = connection.get(f"projects/{PROJECT}/diagrams/all/")
        end = time.monotonic() + 8
        while not connection.is_closed and time.monotonic() < end:
            stream = connection.get("projects/")
            connection.machine.increment_flow_control_window(100_000, stream)
            connection.flush()
            while not connection.is_closed and not connection.answers[stream].is_complete:
                connection.receive()
            time.sleep(0.1)
        assert connection.is_closed
        assert connection.answers[unread].body == b""


def test_a_client_that_reads_slowly_but_steadily_gets_the_whole_response(service: RunningService) -> None:
    with connect(service, window=60_000) as connection:
        stream = connection.get(f"projects/{PROJECT}/diagrams/all/")
        while not connection.answers[stream].is_complete:
            time.sleep(0.05)
            connection.receive()
            assert not connection.is_closed
        assert json.loads(connection.answers[stream].body)


def test_a_client_that_cancels_requests_as_fast_as_it_can_is_dropped(service: RunningService) -> None:
    """Rapid reset (CVE-2023-44487)."""
    with connect(service) as connection:
        for _ in range(100):
            for _ in range(40):
                connection.reset(connection.get("projects/", flush=False))
            connection.flush()
        assert connection.closes_within(5)
    with connect(service) as another:
        assert another.answer(another.get("projects/")).status == 200


def test_a_request_that_is_cancelled_now_and_then_ends_nothing_else(service: RunningService) -> None:
    with connect(service) as connection:
        for _ in range(30):
            connection.reset(connection.get("projects/"))
            assert connection.answer(connection.get("projects/")).status == 200


def test_headers_that_are_too_large_are_refused(service: RunningService) -> None:
    with connect(service) as connection:
        stream = connection.get("projects/", *((f"x-{number}", "x" * 4000) for number in range(40)))
        while not connection.is_closed and not connection.answers[stream].status:
            connection.receive()
        assert connection.is_closed or connection.answers[stream].status == 431


def test_a_connection_without_requests_is_closed(service: RunningService) -> None:
    with connect(service) as connection:
        assert connection.answer(connection.get("projects/")).status == 200
        assert connection.closes_within(8)


def test_a_watcher_keeps_its_connection(service: RunningService) -> None:
    with connect(service) as connection:
        stream = connection.get(f"projects/{PROJECT}/events/")
        assert not connection.closes_within(4)
        assert connection.answers[stream].status == 200


def test_a_service_that_stops_finishes_its_responses(tmp_path: Path) -> None:
    with running_service("--db", tmp_path / "workshop.sqlite", "--tls-self-signed") as service:
        connection = connect(service)
        connection.answer(connection.get("projects/"))
        started = time.monotonic()
        service.process.terminate()
        assert connection.closes_within(5)
        assert service.process.wait(10) is not None
        assert time.monotonic() - started < 2
        connection.socket.close()
