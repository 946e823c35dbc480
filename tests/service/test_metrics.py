"""Monitoring of a service: its health, and figures for Prometheus."""

from urllib.parse import urljoin

import pytest
import requests

from event_reader import watching
from pygeodesign import Sandbox
from small_project import ADMINISTRATOR, Workshop


def test_the_health_is_told_without_a_token(workshop: Workshop) -> None:
    answer = requests.get(urljoin(workshop.sandbox.url, "/health/"), timeout=20)
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"


def test_requests_are_counted_by_route_and_status(workshop: Workshop) -> None:
    workshop.send("GET", "tags/")
    with watching(workshop) as events:
        events.next()
        text = requests.get(urljoin(workshop.sandbox.url, "/metrics"), timeout=20).text
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    route = "/api/v1/projects/{projectid}/tags/"
    assert int(figures[f'geodesign_requests_total{{method="GET",route="{route}",status="200"}}']) >= 1
    assert figures["geodesign_watchers"] == "1"
    assert int(figures["geodesign_connections"]) >= 1
    assert int(figures["geodesign_database_bytes"]) > 0
    assert figures['geodesign_request_seconds_bucket{le="+Inf"}'] == figures["geodesign_request_seconds_count"]


def test_metrics_are_not_for_callers_behind_a_proxy(workshop: Workshop) -> None:
    url = urljoin(workshop.sandbox.url, "/metrics")
    assert requests.get(url, headers={"X-Forwarded-For": "192.0.2.7"}, timeout=20).status_code == 403


def test_the_operator_reads_metrics_from_another_machine(sandbox: Sandbox) -> None:
    """A request that a proxy on this machine passes on comes from anywhere."""
    url = urljoin(sandbox.url, "/metrics")
    for scheme in ("Token", "Bearer"):
        headers = {"X-Forwarded-For": "192.0.2.7", "Authorization": f"{scheme} {sandbox.token('admin')}"}
        answer = requests.get(url, headers=headers, timeout=20)
        assert answer.status_code == 200 and "geodesign_requests_total" in answer.text


@pytest.mark.parametrize(("token", "status"), [("that of a member", 403), ("0a1b", 401)])
def test_no_other_token_reads_metrics_from_another_machine(workshop: Workshop, token: str, status: int) -> None:
    token = workshop.sandbox.token(ADMINISTRATOR) if token == "that of a member" else token
    headers = {"X-Forwarded-For": "192.0.2.7", "Authorization": f"Token {token}"}
    answer = requests.get(urljoin(workshop.sandbox.url, "/metrics"), headers=headers, timeout=20)
    assert answer.status_code == status and "geodesign_" not in answer.text
