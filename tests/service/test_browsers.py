"""Programs on pages of other origins in a browser may use the service within the limits of its options."""

from pathlib import Path

import pytest
import requests

from operations import OPERATIONS
from pygeodesign import Client, Sandbox
from serving import error_output, running_service
from small_project import Workshop
from wire import Wire
from workshops_folder import served

PAGE = "https://dashboard.example.org"


def preflight(url: str, origin: str = PAGE) -> requests.Response:
    """A browser's request before one with a token. It has no token itself."""
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


def write(url: str, token: str, **headers: str) -> requests.Response:
    """Adds a stakeholder to the project with this address."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    authorization = {"Authorization": f"Bearer {token}"}
    return requests.post(f"{url}stakeholders/", json=["Oyster growers"], headers=authorization | named, timeout=20)


OTHER_PAGES = [
    {"Origin": PAGE},
    {"Origin": PAGE, "Sec_Fetch_Site": "cross-site"},
    {"Origin": "null"},
    # Another port of this machine is another program.
    {"Origin": "http://127.0.0.1:3000", "Sec_Fetch_Site": "same-site"},
    {"Sec_Fetch_Site": "cross-site"},
]


@pytest.mark.parametrize("headers", OTHER_PAGES, ids=str)
def test_a_write_from_a_page_of_another_origin_is_refused(headers: dict[str, str], workshop: Workshop) -> None:
    """Also with a valid token: a browser may have remembered it."""
    url, token = f"{workshop.sandbox.url}projects/{workshop.id}/", workshop.sandbox.token("ana.sousa")
    refused = write(url, token, **headers)
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (403, "*")
    assert "--cors-origin" in refused.json()["detail"]
    assert workshop.project.workshop.stakeholders() == []
    # It may still read.
    read = {"Authorization": f"Bearer {token}"} | {name.replace("_", "-"): value for name, value in headers.items()}
    assert requests.get(url, headers=read, timeout=20).status_code == 200


@pytest.mark.parametrize("site", ["same-origin", "none", None])
def test_a_write_from_a_page_of_the_service_or_from_a_program_is_carried_out(
    site: str | None, workshop: Workshop
) -> None:
    url, token = f"{workshop.sandbox.url}projects/{workshop.id}/", workshop.sandbox.token("ana.sousa")
    fetched = {"Sec_Fetch_Site": site} if site else {}
    assert write(url, token, **fetched).status_code == 200
    own = workshop.sandbox.url.removesuffix("/api/v1/")
    assert write(url, token, Origin=own, **fetched).status_code == 200


def test_a_page_of_a_named_origin_writes_too() -> None:
    with running_service("--cors-origin", PAGE, "--user", "admin") as service:
        token = service.tokens["admin"]
        url = f"{service.urls[0]}projects/{Client(token, service.urls[0]).projects()[0]['id']}/"
        assert write(url, token, Origin=PAGE, Sec_Fetch_Site="cross-site").status_code == 200
        assert write(url, token, Origin="https://elsewhere.example.org").status_code == 403


# Names


def asked_as(url: str, host: str) -> int:
    return requests.get(url + "openapi.json", headers={"Host": host}, timeout=20).status_code


def test_a_service_for_this_machine_answers_by_its_own_names_only(sandbox: Sandbox) -> None:
    """A page whose name leads to this machine for a moment (DNS rebinding) could read all answers."""
    port = sandbox.url.split(":")[2].split("/")[0]
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]", "127.0.0.2"):
        assert asked_as(sandbox.url, host) == asked_as(sandbox.url, f"{host}:{port}") == 200, host
    for host in ("rebound.example.org", f"rebound.example.org:{port}", "localhost.example.org", "10.0.0.7", "", "a b"):
        assert asked_as(sandbox.url, host) in (400, 421), host
    refused = requests.get(sandbox.url, headers={"Host": "rebound.example.org"}, timeout=20)
    assert refused.status_code == 421
    assert "--public-host" in refused.json()["detail"] and "rebound.example.org" in refused.json()["detail"]


def test_a_proxy_on_this_machine_is_answered_by_the_name_that_the_service_was_given() -> None:
    with running_service("--public-host", "geo.example.org", "--user", "admin") as service:
        token = service.tokens["admin"]
        root = service.urls[0]
        for host in ("geo.example.org", "Geo.example.org:443", "127.0.0.1"):
            assert asked_as(root, host) == 200
        assert asked_as(root, "other.example.org") == 421
        url = f"{root}projects/{Client(token, root).projects()[0]['id']}/"
        # Whether the proxy passes on the name or not.
        assert write(url, token, Host="geo.example.org", Origin="https://geo.example.org").status_code == 200
        assert write(url, token, Origin="https://geo.example.org").status_code == 200


# Passwords


def test_a_browser_is_asked_for_a_password_below_ogc_and_nowhere_else(tmp_path: Path, sandbox: Sandbox) -> None:
    """It would send the password to all paths below the parent of the one that asked."""
    places = [
        "",
        "ogc",
        "ogc/",
        "ogc/collections",
        "ogc/api",
        "join/",
        "metrics",
        "health/",
        "no/such/",
        "api/v1/users/",
    ]
    places += [f"api/v1/{operation.template}" for operation in OPERATIONS]
    with served(tmp_path, "spring", "autumn") as folder:
        assert folder.status("autumn") == 200
        service = sandbox.url.removesuffix("api/v1/")
        roots = [service, f"{folder.address}/", f"{folder.address}/w/spring/", f"{folder.address}/w/autumn/"]
        asked = set()
        for url in [root + place for root in roots for place in places]:
            answer = requests.get(url, timeout=20, allow_redirects=False)
            if "Basic" in answer.headers.get("www-authenticate", ""):
                asked.add(url)
        assert asked == {f"{root}ogc/{page}" for root in roots[:1] + roots[3:] for page in ("collections", "api")} | {
            f"{roots[2]}ogc/{page}" for page in ("", "collections", "api")
        }


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
    assert "is not an origin" in error_output("--cors-origin", origin)
