"""`serve --http-for NETWORK`: plain http for the devices of a private network, and joining from them."""

import ipaddress
import json
import os
import pickle
import signal
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import Browser

from commands import output_of, run
from pygeodesign import AsyncClient, Client, HttpsRequiredError
from serving import RunningService, error_output, running_service
from workshops_folder import served

ELSEWHERE = "10.255.255.0/24"


def own_address() -> str | None:
    """An address of this machine in a private network. Nothing is sent to find it."""
    for family, other in [(socket.AF_INET, "10.255.255.255"), (socket.AF_INET6, "fd00::ffff:1")]:
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            try:
                asking.connect((other, 9))
            except OSError:
                continue
            address = ipaddress.ip_address(asking.getsockname()[0])
        if address.is_private and not address.is_loopback and address not in ipaddress.ip_network("192.0.2.0/24"):
            return str(address)
    return None


OWN = own_address()
needs_network = pytest.mark.skipif(OWN is None, reason="this machine is in no private network")


def own_network() -> str:
    address = ipaddress.ip_address(str(OWN))
    return f"{address}/{address.max_prefixlen}"


def everywhere() -> str:
    return "::" if ":" in str(OWN) else "0.0.0.0"


def origin_of(service: RunningService, host: str) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{urlsplit(service.urls[0]).port}"


# Clients that are served


@needs_network
def test_a_device_of_the_network_is_served_without_encryption(tmp_path: Path) -> None:
    with running_service("--host", everywhere(), "--http-for", own_network(), "--http-for", ELSEWHERE) as service:
        origin = origin_of(service, str(OWN))
        assert requests.get(f"{origin}/", timeout=20).ok
        assert f"{origin}/api/v1/" in service.urls
        (risk,) = [heading for heading in service.headings if heading.startswith("Not encrypted")]
        assert f"everyone in {own_network()} or {ELSEWHERE} can read all tokens" in risk
        assert f"Open {service.urls[0].removesuffix('api/v1/')} in a browser" in service.headings
        link = service.links["admin"]
        assert link.startswith("http://") and link.endswith(f"/join/#admin:{service.tokens['admin']}")


@needs_network
def test_devices_of_other_networks_are_not_served_and_this_machine_is() -> None:
    with running_service("--host", everywhere(), "--http-for", ELSEWHERE) as service:
        for _ in range(20):
            with pytest.raises(requests.ConnectionError):
                requests.get(f"{origin_of(service, str(OWN))}/health/", timeout=20)
        here = "127.0.0.1" if everywhere() == "0.0.0.0" else "::1"
        assert requests.get(f"{origin_of(service, here)}/health/", timeout=20).ok
        # Nor is an address named that leads nowhere.
        assert not any(str(OWN) in url for url in service.urls)
        service.process.send_signal(signal.SIGTERM)
        messages = service.process.communicate(timeout=20)[1]
        assert messages.count("is not in a network of --http-for") == 1


@needs_network
def test_workshops_of_a_folder_are_served_alike(tmp_path: Path) -> None:
    options = ("--host", everywhere(), "--http-for", own_network())
    with served(tmp_path, "spring", options=options) as folder:
        port = urlsplit(folder.address).port
        host = f"[{OWN}]" if ":" in str(OWN) else OWN
        assert requests.get(f"http://{host}:{port}/w/spring/", timeout=20).ok


@pytest.mark.parametrize(
    ("network", "told"),
    [
        ("10.0.0.0", "is not a network, such as 10.0.0.0/24"),
        ("10.0.0.7/24", "the network itself is 10.0.0.0/24"),
        ("0.0.0.0/0", "is not a private network"),
        ("198.51.100.0/24", "is not a private network"),
    ],
)
def test_what_is_no_private_network_is_refused(network: str, told: str) -> None:
    assert told in error_output("--host", "0.0.0.0", "--http-for", network)


def test_plain_http_goes_with_nothing_that_contradicts_it(tmp_path: Path) -> None:
    options = ("--http-for", "10.0.0.0/24")
    assert "cannot be used with" in error_output("--host", "0.0.0.0", *options, "--tls-self-signed")
    assert "also give --host, such as 0.0.0.0" in error_output(*options)
    assert "name a private network (--http-for)" in error_output("--host", "0.0.0.0")


# Joining


@needs_network
def test_a_link_in_plain_http_joins_for_who_allows_it(tmp_path: Path) -> None:
    with running_service("--host", everywhere(), "--http-for", own_network()) as service:
        link = f"{origin_of(service, str(OWN))}/join/#admin:{service.tokens['admin']}"
        for join in (Client.join, AsyncClient.join):
            with pytest.raises(HttpsRequiredError, match="allow_http=True"):
                join(link)
        client = Client.join(link, allow_http=True)
        assert client.projects() and pickle.loads(pickle.dumps(client)).projects()
        with pytest.raises(HttpsRequiredError):
            Client(service.tokens["admin"], origin_of(service, str(OWN)))
        assert Client(service.tokens["admin"], origin_of(service, str(OWN)), allow_http=True).projects()


@pytest.mark.parametrize("host", ["example.org", "198.51.100.7", "[2001:db8::1]", "10.0.0.1.example.org"])
def test_plain_http_to_a_public_address_is_never_allowed(host: str) -> None:
    with pytest.raises(HttpsRequiredError):
        Client("token", f"http://{host}", allow_http=True)
    with pytest.raises(HttpsRequiredError):
        Client.join(f"http://{host}/join/#ana:0a1b", allow_http=True)


@needs_network
def test_login_keeps_that_plain_http_is_allowed(tmp_path: Path) -> None:
    with running_service("--host", everywhere(), "--http-for", own_network()) as service:
        link = f"{origin_of(service, str(OWN))}/join/#admin:{service.tokens['admin']}"
        refused = run(tmp_path, "login", stdin=link)
        assert refused.code == 2 and "use https://" in refused.messages and list(tmp_path.iterdir()) == []
        assert run(tmp_path, "login", "--allow-http", stdin=link).code == 0
        assert "Staten Island 2050" in output_of(tmp_path, "projects")
        issued: Any = json.loads(
            output_of(tmp_path, "tokens", "--json", "--user", "amara.okafor", "--cards", "cards.html", "--for-programs")
        )
        assert issued[0]["link"].startswith(origin_of(service, str(OWN)))
        cards = (tmp_path / "cards.html").read_text(encoding="utf-8")
        assert "pygeodesign login --allow-http" in cards
        # A variable does not make another service one that may be reached so.
        other = run(tmp_path, "projects", GEODESIGN_URL="http://10.255.255.7:9", GEODESIGN_TOKEN="0a1b")
        assert other.code == 2 and "use https://" in other.messages


@needs_network
@pytest.mark.skipif(os.name == "nt", reason="slow there")
def test_a_browser_of_the_network_shows_the_room(browser: Browser) -> None:
    with running_service("--host", everywhere(), "--http-for", own_network()) as service:
        page = browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        answer = page.goto(f"{origin_of(service, str(OWN))}/")
        assert answer is not None and answer.ok and problems == []
