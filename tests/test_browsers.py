"""Programs in a browser, on pages of other origins, may use the service as far as its options let them."""

import pytest
import requests

from pygeodesign import Sandbox
from small_project import Workshop
from test_command_line import error_output, running_service
from wire import Wire

PAGE = "https://dashboard.example.org"


def preflight(url: str, origin: str = PAGE) -> requests.Response:
    """What a browser asks before it sends a token along. It sends no token with this."""
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key,x-request-id",
    }
    return requests.options(url, headers=headers, timeout=20)


def names(header: str) -> set[str]:
    return {name.strip().lower() for name in header.split(",")}


def test_a_preflight_request_needs_no_token(sandbox: Sandbox, wire: Wire) -> None:
    answer = preflight(f"{sandbox.url}{wire.project}tags/create/")
    assert answer.ok
    assert answer.headers["access-control-allow-origin"] == "*"
    assert {"authorization", "content-type", "idempotency-key", "x-request-id"} <= names(
        answer.headers["access-control-allow-headers"]
    )
    assert {"get", "post", "delete"} <= names(answer.headers["access-control-allow-methods"])
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(("token", "status"), [(True, 200), (False, 401)])
def test_a_page_may_read_answers_and_refusals(token: bool, status: int, sandbox: Sandbox, wire: Wire) -> None:
    headers = {"Origin": PAGE} | (wire.headers if token else {})
    answer = requests.get(f"{sandbox.url}{wire.project}tags/", headers=headers, timeout=20)
    assert answer.status_code == status
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    exposed = {"link", "x-total-count", "etag", "retry-after", "x-request-id"}
    assert names(answer.headers["access-control-expose-headers"]) == exposed


def test_a_write_from_a_page_is_carried_out(workshop: Workshop) -> None:
    headers = {"Origin": PAGE, "Authorization": f"Bearer {workshop.sandbox.token('ana.sousa')}"}
    url = f"{workshop.sandbox.url}projects/{workshop.id}/stakeholders/"
    answer = requests.post(url, json=["Oyster growers"], headers=headers, timeout=20)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")
    assert [stakeholder["name"] for stakeholder in workshop.project.workshop.stakeholders()] == ["Oyster growers"]


def test_only_the_pages_of_named_origins_may_use_the_service() -> None:
    other = "http://localhost:3000"
    with running_service("--cors-origin", PAGE, "--cors-origin", other) as service:
        for origin in (PAGE, other):
            assert preflight(service.urls[0], origin).headers["access-control-allow-origin"] == origin
        answer = preflight(service.urls[0], "https://elsewhere.example.org")
        assert "access-control-allow-origin" not in answer.headers
        answer = requests.get(service.urls[0] + "openapi.json", headers={"Origin": PAGE}, timeout=20)
        assert "origin" in names(answer.headers["vary"])
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_no_page_may_use_a_service_without_cors() -> None:
    with running_service("--no-cors") as service:
        assert preflight(service.urls[0]).status_code == 404
        answer = requests.get(service.urls[0] + "openapi.json", headers={"Origin": PAGE}, timeout=20)
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("origin", ["dashboard.example.org", PAGE + "/path", "*", "null", "ftp://example.org"])
def test_a_text_that_is_no_origin_is_refused(origin: str) -> None:
    assert "is no origin" in error_output("--cors-origin", origin)
