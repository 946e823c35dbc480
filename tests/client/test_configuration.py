"""Invalid settings of a client are errors when it is created, before anything is sent."""

import math
import pickle
import sys
import traceback
from pathlib import Path
from typing import Any

import certifi
import pytest

from fake_service import FakeService
from pygeodesign import AsyncClient, Client, ConfigurationError, HttpsRequiredError, InputError, Sandbox

CLASSES = pytest.mark.parametrize("kind", [Client, AsyncClient])
URL = "https://geodesign.example.org/api/v1/"


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GEODESIGN_TOKEN", "GEODESIGN_URL", "GEODESIGN_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@CLASSES
def test_a_token_is_required(kind: type[Client]) -> None:
    with pytest.raises(ConfigurationError, match="GEODESIGN_TOKEN"):
        kind(base_url=URL)


@CLASSES
def test_a_url_is_required(kind: type[Client]) -> None:
    with pytest.raises(ConfigurationError, match="GEODESIGN_URL"):
        kind("token")


@CLASSES
def test_environment_variables_replace_missing_arguments(kind: type[Client], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEODESIGN_TOKEN", "token")
    monkeypatch.setenv("GEODESIGN_URL", URL)
    assert kind().base_url == URL


def test_an_argument_replaces_the_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEODESIGN_URL", "https://another.example.org")
    assert Client("token", URL).base_url == URL


@pytest.mark.parametrize(
    "host", ["geodesign.example.org", "10.0.0.1", "localhost.example.org", "127.0.0.1.example.org"]
)
@CLASSES
def test_plain_http_to_another_host_is_rejected(kind: type[Client], host: str) -> None:
    with pytest.raises(HttpsRequiredError, match=host) as raised:
        kind("token", f"http://{host}/api/v1/")
    assert isinstance(raised.value, ConfigurationError)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_plain_http_to_this_machine_is_accepted(host: str) -> None:
    assert Client("token", f"http://{host}:8000").base_url == f"http://{host}:8000/api/v1/"


@pytest.mark.parametrize("given", ["https://a.org", "https://a.org/", "https://a.org/api/v1", "https://a.org/api/v1/"])
def test_the_path_of_the_url_may_be_left_out(given: str) -> None:
    assert Client("token", given).base_url == "https://a.org/api/v1/"


@pytest.mark.parametrize("address", ["a.org", "ftp://a.org", "https://", "https://u:p@a.org", "https://a.org?x=1", " "])
def test_an_invalid_url_is_rejected(address: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url") as raised:
        Client("token", address)
    assert "u:p" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"timeout": 0}, "timeout"),
        ({"timeout": -1}, "timeout"),
        ({"timeout": math.nan}, "timeout"),
        ({"timeout": math.inf}, "timeout"),
        ({"connect_timeout": 0}, "connect_timeout"),
        ({"connect_timeout": -0.5}, "connect_timeout"),
        ({"max_concurrency": 0}, "max_concurrency"),
    ],
)
@CLASSES
def test_an_invalid_setting_is_rejected(kind: type[Client], settings: dict[str, Any], expected: str) -> None:
    with pytest.raises(ConfigurationError, match=expected):
        kind("token", URL, **settings)


@pytest.mark.parametrize("token", ["", "   ", "two words", "line\nbreak", "umläut"])
def test_an_invalid_token_is_rejected_and_not_shown(token: str) -> None:
    with pytest.raises(ConfigurationError, match="token") as raised:
        Client(token, URL)
    assert not token.strip() or token not in str(raised.value)


SECRET = "-".join(["0123456789abcdef", "t0ken"])


@pytest.mark.parametrize("address", [URL, "http://127.0.0.1:8000", "HTTPS://a.org", "http://a.org"])
@CLASSES
def test_a_token_given_as_url_is_an_error_that_does_not_show_the_token(kind: type[Client], address: str) -> None:
    with pytest.raises(ConfigurationError, match="swapped") as raised:
        kind(address, SECRET)
    assert SECRET not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    "address", [SECRET, f"ftp://u:{SECRET}@a.org", f"https://u:{SECRET}@a.org:port", f"a.org/{SECRET}"]
)
@CLASSES
def test_an_invalid_url_that_may_contain_the_token_is_not_shown(kind: type[Client], address: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url") as raised:
        kind("token", address)
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_a_missing_ca_bundle_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"missing\.pem") as raised:
        Client("token", URL, ca_bundle=tmp_path / "missing.pem")
    assert isinstance(raised.value.__cause__, FileNotFoundError)


def test_a_ca_bundle_without_certificates_is_named_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing here", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"empty\.pem.*certificate"):
        Client("token", URL, ca_bundle=tmp_path / "empty.pem")


@pytest.mark.parametrize("title", ["short", "StatenIsland2050x", "StatenIsland/050", "../../../projects"])
def test_what_cannot_be_an_id_is_a_title_and_comes_into_no_path(title: str) -> None:
    with FakeService(root={"projects/": []}) as service:
        with pytest.raises(InputError, match="there are no projects"):
            service.client().project(title).info()
        assert service.requests == {"projects/": 1}


def test_an_unpickled_client_has_the_url_and_token_of_the_original(sandbox: Sandbox) -> None:
    twin = pickle.loads(pickle.dumps(sandbox.client()))
    assert twin.base_url == sandbox.url
    assert twin.projects() == sandbox.client().projects()


def test_a_request_of_a_closed_client_is_a_configuration_error(sandbox: Sandbox) -> None:
    with sandbox.client() as client:
        assert client.projects()
    with pytest.raises(ConfigurationError, match="closed"):
        client.projects()


def test_a_machine_without_certificates_says_what_to_install_or_to_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("only there, certificates come from a package")
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.setenv(name, "/nonexistent")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match=r"ca-certificates, or pass ca_bundle=certifi\.where\(\)"):
        Client("token", URL)
    assert Client("token", URL, ca_bundle=certifi.where()).base_url == URL


@pytest.mark.parametrize(
    ("page", "service"),
    [
        ("https://a.org/join/", "https://a.org/"),
        ("https://a.org:8443/w/spring/join", "https://a.org:8443/w/spring/"),
        ("https://a.org/projects/StatenIsland2050", "https://a.org/"),
        ("https://a.org/hub/api/v1/projects/", "https://a.org/hub/"),
        ("http://127.0.0.1:8000/api/v1/projects/StatenIsland2050/systems/1/", "http://127.0.0.1:8000/"),
    ],
)
def test_the_address_of_a_page_or_a_project_is_refused_with_that_of_the_service(page: str, service: str) -> None:
    with pytest.raises(ConfigurationError, match=f'give base_url="{service}"'):
        Client("token", page)
    assert Client("token", service).base_url.startswith(service)


@pytest.mark.parametrize("url", ["https://a.org/projects/api/v1/", "https://a.org/projectsfor/", "https://join.a.org/"])
def test_a_service_may_be_below_any_path(url: str) -> None:
    assert Client("token", url).base_url.startswith(url)
