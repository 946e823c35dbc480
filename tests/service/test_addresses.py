"""`serve` responds at the addresses that it prints and puts into links and its certificate."""

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from cryptography import x509

from commands import run
from serving import running_service

# In a network of its own: starts the service, and asks each address that it prints.
ASK = r"""
import json, re, subprocess, sys, urllib.request
service = subprocess.Popen([sys.executable, "-m", "pygeodesign", "serve", "--port", "0", *sys.argv[1:]],
                           stdout=subprocess.PIPE, text=True)
printed = []
for line in service.stdout:
    printed.append(line.rstrip())
    if line.startswith("Ctrl-C"):
        break
urls = [line.strip() for line in printed if line.startswith("  http") and "/join/" not in line]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
def answers(url):
    try:
        return opener.open(url.replace("api/v1", "health"), timeout=5).status == 200
    except OSError:
        return False
links = [found[0] for found in map(re.compile(r"https?://\S+/join/").search, printed) if found]
print(json.dumps({"urls": urls, "answer": [*map(answers, urls)], "links": links, "printed": printed}))
service.terminate()
service.wait()
"""


def in_network(addresses: list[str], *options: object, route: str | None = None) -> dict[str, Any]:
    """A service's output on a machine with these addresses; one of them may have the default route."""
    if sys.platform != "linux" or shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("networks of their own are made with unshare and ip, on Linux")
    commands = ["ip link set lo up", *(f"ip addr add {address} dev lo" for address in addresses)]
    commands += [f"ip route add default dev lo src {route}"] if route else []
    network = ["unshare", "-n", "sh", "-c"]
    made = subprocess.run([*network, " && ".join(commands)], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no network of its own can be made here: {made.stderr.strip()}")
    script = " && ".join([*commands, 'exec "$0" "$@"'])
    asking = [sys.executable, "-c", ASK, *map(str, options)]
    ended = subprocess.run([*network, script, *asking], capture_output=True, text=True, timeout=120, check=True)
    said: dict[str, Any] = json.loads(ended.stdout)
    return said


def hosts(urls: list[str]) -> list[str | None]:
    return [urlsplit(url).hostname for url in urls]


def test_plain_http_for_a_network_is_announced_at_the_address_in_that_network() -> None:
    said = in_network(["10.42.0.1/24"], "--host", "0.0.0.0", "--http-for", "10.42.0.0/24", route="10.42.0.1")
    assert hosts(said["urls"])[0] == "10.42.0.1" and all(said["answer"])
    assert hosts(said["links"]) == ["10.42.0.1"]
    assert any(line.startswith("Open http://10.42.0.1:") for line in said["printed"])


@pytest.mark.parametrize("route", [None, "192.168.9.1"])
def test_a_network_without_the_default_route_is_served_too(route: str | None) -> None:
    """The laptop's own hot spot, in addition to the building's network."""
    said = in_network(
        ["192.168.9.1/24", "10.42.0.1/24"], "--host", "0.0.0.0", "--http-for", "10.42.0.0/24", route=route
    )
    assert hosts(said["urls"])[0] == "10.42.0.1" and all(said["answer"])
    assert hosts(said["links"]) == ["10.42.0.1"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_all_addresses_that_are_printed_answer(host: str) -> None:
    addresses = ["10.42.0.1/24", "192.168.9.1/24", "fd00:7::1/64"]
    networks = ("--http-for", "10.42.0.0/24", "--http-for", "192.168.9.0/24", "--http-for", "fd00:7::/64")
    said = in_network(addresses, "--host", host, *networks)
    assert all(said["answer"])
    expected = {"10.42.0.1", "192.168.9.1", "localhost", "127.0.0.1"} | (
        {"fd00:7::1", "::1"} if host == "::" else set()
    )
    assert set(hosts(said["urls"])) == expected


def test_a_network_that_the_machine_is_not_in_is_said() -> None:
    said = in_network(["192.168.9.1/24"], "--host", "0.0.0.0", "--http-for", "10.42.0.0/24")
    assert any(line.startswith("Connect this machine to 10.42.0.0/24") for line in said["printed"])
    assert not any("192.168.9.1" in url for url in said["urls"])


def certified(folder: Path) -> set[str]:
    """The names and addresses in the certificate of a service."""
    certificate = x509.load_pem_x509_certificate((folder / "server.pem").read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {str(name.value) for name in names}


def test_a_certificate_is_for_the_addresses_at_which_the_service_answers(tmp_path: Path) -> None:
    options = ("--db", tmp_path / "w.sqlite", "--tls-self-signed", "--tls-name", "workshop.local")
    in_network(["10.42.0.1/24", "192.168.9.1/24"], "--host", "0.0.0.0", *options)
    expected = {"localhost", "127.0.0.1", "10.42.0.1", "192.168.9.1", "workshop.local"}
    assert certified(tmp_path / "w.sqlite.tls") - {socket.gethostname()} == expected


def test_a_card_for_an_address_that_the_certificate_does_not_have_is_warned_of(tmp_path: Path) -> None:
    database = tmp_path / "w.sqlite"
    with running_service("--db", database, "--tls-self-signed", "--tls-name", "workshop.local") as service:
        assert requests.get(service.urls[-1], verify=service.ca_file, timeout=20).status_code == 404
    for host, is_warned in [("workshop.local", False), ("10.99.0.1", True), ("other.local", True)]:
        url = f"https://{host}:8443"
        printed = run(tmp_path, "tokens", "--db", database, "--url", url, "--cards", "cards.html", "--user", "admin")
        assert printed.code == 0, printed.messages
        assert (f"--tls-name {host}" in printed.messages) is is_warned, printed.messages
