"""What monitoring asks of a service: its health, and figures for Prometheus."""

from urllib.parse import urljoin

import requests

from event_reader import watching
from small_project import Workshop


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
