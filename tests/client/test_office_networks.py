"""Clients behind the proxy of an office, and behind a firewall that opens TLS."""

import asyncio
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import certifi
import pytest

from commands import output_of
from forward_proxy import HOST, Firewall, ForwardProxy, SocksProxy, firewall
from local_server import LocalServer, QuietHandler
from pygeodesign import AsyncClient, Client, ConfigurationError, ExternalFileError, Sandbox, TransportError
from serving import RunningService, running_service
from small_project import ADMINISTRATOR, WATER, Workshop

TITLE = "Staten Island 2050"
URL = f"https://{HOST}/"
PASSWORD = "p@ss/word"
SET_BY_OTHERS = [
    *("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GEODESIGN_URL", "GEODESIGN_TOKEN"),
]


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SET_BY_OTHERS:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with its own authority, which is reached by its name through a proxy only."""
    database = tmp_path_factory.mktemp("room") / "room.sqlite"
    with running_service("--db", database, "--tls-self-signed", "--tls-name", HOST) as service:
        yield service


@pytest.fixture
def proxy(room: RunningService) -> Iterator[ForwardProxy]:
    port = room.urls[-1].split(":")[2].split("/")[0]
    with ForwardProxy(f"https://127.0.0.1:{port}") as proxy:
        yield proxy


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Firewall:
    return firewall(tmp_path_factory.mktemp("firewall"))


@pytest.fixture
def opening(sandbox: Sandbox, office: Firewall) -> Iterator[ForwardProxy]:
    """A proxy that opens TLS."""
    with ForwardProxy(sandbox.url, firewall=office) as proxy:
        yield proxy


def titles(client: Client) -> list[str | None]:
    return [project["projecttitle"] for project in client.projects()]


def in_room(room: RunningService, **settings: Any) -> Client:
    return Client(room.tokens["admin"], URL, ca_bundle=room.ca_file, retries=0, **settings)


def failure(client: Client) -> str:
    with pytest.raises(TransportError) as failed:
        client.projects()
    return str(failed.value)


# Variables


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_requests_go_through_the_proxy_of_the_environment(
    name: str, room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, proxy.origin)
    assert titles(in_room(room)) == [TITLE]
    assert set(proxy.asked) == {f"{HOST}:443"}


def test_the_proxy_for_http_gets_no_request(
    room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.origin)
    assert "through the proxy" not in failure(in_room(room))
    assert proxy.asked == []


def test_a_proxy_needs_no_scheme(room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.address)
    assert titles(in_room(room)) == [TITLE]


def test_a_proxy_may_speak_socks(room: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    with SocksProxy(f"https://{room.urls[-1].split('/')[2]}") as proxy:
        monkeypatch.setenv("ALL_PROXY", f"socks5h://{proxy.address}")
        assert titles(in_room(room)) == [TITLE]
        assert titles(in_room(room, proxy=f"socks5h://{proxy.address}")) == [TITLE]
    assert set(proxy.asked) == {HOST}


@pytest.mark.parametrize("exempt", ["*", HOST, "example", ".example", f"{HOST}:443", f"a.org, {HOST}"])
@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
def test_an_exempt_host_is_asked_directly(
    name: str, exempt: str, room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
    monkeypatch.setenv(name, exempt)
    assert "through the proxy" not in failure(in_room(room))
    assert proxy.asked == []


@pytest.mark.parametrize("exempt", ["a.org", f"{HOST}:8443", "sign.example", "192.0.2.0/24"])
def test_other_hosts_are_asked_through_the_proxy(
    exempt: str, room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
    monkeypatch.setenv("NO_PROXY", exempt)
    assert titles(in_room(room)) == [TITLE]


@pytest.mark.parametrize(
    ("exempt", "is_asked"),
    [("192.0.2.0/24", False), ("192.0.2.9", False), ("192.0.2.9:443", False), ("192.0.3.0/24", True)],
)
def test_networks_and_addresses_may_be_exempt(
    exempt: str, is_asked: bool, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
    monkeypatch.setenv("NO_PROXY", exempt)
    with pytest.raises((TransportError, TimeoutError)):
        Client("token", "https://192.0.2.9", retries=0, connect_timeout=0.2).projects()
    assert bool(proxy.asked) is is_asked


def test_a_service_on_this_machine_is_asked_directly(
    room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy.origin)
    assert room.client().projects() and proxy.asked == []


@pytest.mark.parametrize("address", ["ftp://proxy.example:3128", "http://ana:p@ss@proxy.example", "http://"])
def test_a_variable_without_a_proxy_is_named_and_not_shown(
    address: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", address)
    with pytest.raises(ConfigurationError, match="the variable HTTPS_PROXY is not the address of a proxy") as refused:
        Client("token", URL)
    assert "ana" not in str(refused.value)
    # Requests to this machine need no proxy.
    assert titles(Client(sandbox.token(), sandbox.url)) == [TITLE]


# The password of a proxy


def test_the_proxy_gets_its_password_and_not_the_token(
    room: RunningService, monkeypatch: pytest.MonkeyPatch, proxy: ForwardProxy
) -> None:
    with ForwardProxy(f"https://{room.urls[-1].split('/')[2]}", password=f"ana:{PASSWORD}") as guarded:
        monkeypatch.setenv("HTTPS_PROXY", f"http://ana:p%40ss%2Fword@{guarded.address}")
        assert titles(in_room(room)) == [TITLE]
        assert titles(in_room(room, proxy=f"http://ana:p%40ss%2Fword@{guarded.address}")) == [TITLE]


@pytest.mark.parametrize("user", ["", "ana:wr0ng@"])
def test_a_proxy_without_its_password_is_named_and_asked_once(user: str, room: RunningService) -> None:
    with ForwardProxy("https://127.0.0.1:9", password=f"ana:{PASSWORD}") as guarded:
        client = Client("token", URL, ca_bundle=room.ca_file, proxy=f"http://{user}{guarded.address}")
        message = failure(client)
    assert f"through the proxy http://{guarded.address}: " in message and "USER:PASSWORD" in message
    assert "wr0ng" not in message and len(guarded.asked) == 1


def test_an_error_names_the_proxy_that_does_not_answer(room: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://ana:s3cr3t@127.0.0.1:9")
    message = failure(in_room(room))
    assert "through the proxy http://127.0.0.1:9 of this machine's settings" in message and "NO_PROXY" in message
    assert "s3cr3t" not in message


# The settings `proxy` and `headers`


def test_a_client_may_have_a_proxy_of_its_own(
    room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "*")
    client = in_room(room, proxy=proxy.address)
    assert titles(client) == titles(pickle.loads(pickle.dumps(client))) == [TITLE]

    async def awaited() -> int:
        async with AsyncClient(room.tokens["admin"], URL, ca_bundle=room.ca_file, proxy=proxy.origin) as client:
            return len(await client.projects())

    assert asyncio.run(awaited()) == 1


def test_an_empty_proxy_is_none(room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
    assert "through the proxy" not in failure(in_room(room, proxy=""))
    assert proxy.asked == []


@pytest.mark.parametrize("address", ["ftp://ana:s3cr3t@a.org", "http://a.org/s3cr3t", "http://ana:s3cr3t@"])
def test_a_setting_that_is_no_proxy_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(ConfigurationError, match="proxy is not the address of a proxy") as refused:
        Client("token", URL, proxy=address)
    assert "s3cr3t" not in str(refused.value)


def test_a_proxy_reads_no_token_in_plain_http(sandbox: Sandbox) -> None:
    with pytest.raises(ConfigurationError, match="the proxy would read the token"):
        Client(sandbox.token(), sandbox.url, proxy="http://127.0.0.1:9")


def test_no_output_shows_a_password_or_a_header(room: RunningService) -> None:
    client = in_room(room, proxy="http://ana:s3cr3t@127.0.0.1:9", headers={"X-Gateway": "s3cr3t"})
    assert "s3cr3t" not in repr(client) + client._repr_html_() + failure(client)


def test_each_request_has_the_headers_of_the_client(sandbox: Sandbox, opening: ForwardProxy, office: Firewall) -> None:
    headers = {"X-Gateway": "open", "user-agent": "office"}
    client = Client(sandbox.token(), URL, proxy=opening.origin, headers=headers, ca_bundle=office.authority)
    client.projects()
    pickle.loads(pickle.dumps(client)).projects()
    assert {(sent["x-gateway"], sent["user-agent"]) for _, sent in opening.requests} == {("open", "office")}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Authorization", "pass token="),
        ("authorization", "pass token="),
        ("Proxy-Authorization", "proxy="),
        ("Host", "is set by the client"),
        ("two words", "is not the name of a header"),
    ],
)
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_header_of_the_client_itself_is_refused(kind: type[Client], name: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told) as refused:
        kind("token", URL, headers={name: "s3cr3t"})
    assert "s3cr3t" not in str(refused.value)


# A firewall that opens TLS


@pytest.fixture
def behind_firewall(opening: ForwardProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", opening.origin)


@pytest.mark.usefixtures("behind_firewall")
@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_the_authority_of_a_firewall_comes_from_the_variables_of_other_programs(
    name: str, sandbox: Sandbox, office: Firewall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "authorities"
    folder.mkdir()
    (folder / "firewall.pem").write_bytes(office.authority.read_bytes())
    monkeypatch.setenv(name, str(folder if name == "SSL_CERT_DIR" else office.authority))
    assert titles(Client(sandbox.token(), URL)) == [TITLE]


@pytest.mark.usefixtures("behind_firewall")
def test_a_folder_of_authorities_is_as_good_as_a_file(
    sandbox: Sandbox, office: Firewall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "firewall.pem").write_bytes(office.authority.read_bytes())
    assert titles(Client(sandbox.token(), URL, ca_bundle=tmp_path)) == [TITLE]
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path))
    assert titles(Client(sandbox.token(), URL)) == [TITLE]


@pytest.mark.usefixtures("behind_firewall")
def test_the_authorities_of_the_settings_and_of_the_environment_count_together(
    sandbox: Sandbox, office: Firewall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(office.authority))
    assert titles(Client(sandbox.token(), URL, ca_bundle=certifi.where())) == [TITLE]


@pytest.mark.usefixtures("behind_firewall")
def test_an_unknown_firewall_gets_no_token_and_the_error_says_what_to_set(
    sandbox: Sandbox, opening: ForwardProxy
) -> None:
    message = failure(Client(sandbox.token(), URL))
    assert "If a firewall of your network opens encrypted connections" in message
    for told in ("ca_bundle=", "SSL_CERT_FILE", f"through the proxy {opening.origin}"):
        assert told in message
    assert "do not send" not in message and opening.requests == []


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_a_variable_that_leads_nowhere_is_named(name: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "/nonexistent.pem")
    with pytest.raises(ConfigurationError, match=rf"{name} /nonexistent\.pem: .*PEM file"):
        Client("token", URL)
    # Plain http needs no authorities.
    assert titles(Client(sandbox.token(), sandbox.url)) == [TITLE]


# All that is not a request to the service


def test_a_room_is_joined_through_the_proxy(
    room: RunningService, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = f"{URL}join/#{room.links['admin'].partition('#')[2]}"
    assert titles(Client.join(link, proxy=proxy.origin)) == [TITLE]
    monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
    assert titles(Client.join(link)) == [TITLE]


def test_a_firewall_is_not_the_room_of_a_link(
    room: RunningService, office: Firewall, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Answers(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802
            self.send_response(200)
            self.send_body(Path(str(room.ca_file)).read_bytes())

    # It passes on the certificate of the room, and opens the connection.
    with LocalServer(Answers) as service, ForwardProxy(service.origin, firewall=office) as opening:
        monkeypatch.setenv("HTTPS_PROXY", opening.origin)
        with pytest.raises(TransportError, match="such as a firewall that opens encrypted connections"):
            Client.join(f"{URL}join/#{room.links['admin'].partition('#')[2]}")
        assert {path for path, _ in opening.requests} == {"/ca.pem"}


def test_archives_are_downloaded_through_the_proxy(
    room: RunningService, proxy: ForwardProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
    in_room(room).project(TITLE).archive(tmp_path / "project.zip")
    in_room(room).backup(tmp_path / "copy.sqlite")
    assert {file.name for file in tmp_path.iterdir()} >= {"project.zip", "copy.sqlite"}
    assert len(proxy.asked) >= 2


def test_files_of_external_diagrams_come_through_the_proxy(
    workshop: Workshop, office: Firewall, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Files(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802
            self.send_response(200)
            self.send_body(b"fgb\x03fgb\x00\x94\x07\0\0 damaged")

    token = workshop.sandbox.token(ADMINISTRATOR)
    project = Client(token, workshop.sandbox.url, headers={"X-Gateway": "s3cr3t"}).project(workshop.id)
    diagram = project.system(WATER).add_external(f"{URL}parks.fgb", title="Parks", layer_type="fgb-layer")
    with LocalServer(Files) as server, ForwardProxy(server.origin, firewall=office) as opening:
        monkeypatch.setenv("HTTPS_PROXY", opening.origin)
        with pytest.raises(ExternalFileError, match=r"through the proxy .*SSL_CERT_FILE"):
            diagram.external()
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(office.authority))
        with pytest.raises(ExternalFileError, match="its header is damaged"):
            diagram.external()
        ((path, sent),) = opening.requests
    assert path == "/parks.fgb" and "authorization" not in sent and "x-gateway" not in sent


@pytest.mark.parametrize("host", ["10.0.0.1", "[fd00::1]", "127.0.0.1"])
def test_a_proxy_opens_no_private_address(
    host: str, workshop: Workshop, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.origin)
    project = workshop.sandbox.client(ADMINISTRATOR).project(workshop.id)
    diagram = project.system(WATER).add_external(f"https://{host}/parks.fgb", title="Parks", layer_type="fgb-layer")
    with pytest.raises(ExternalFileError, match="private or reserved"):
        diagram.external()
    assert proxy.asked == []


def test_the_command_line_uses_the_same_proxy(room: RunningService, proxy: ForwardProxy, tmp_path: Path) -> None:
    printed = output_of(
        tmp_path,
        "projects",
        "--url",
        URL,
        "--ca-bundle",
        str(room.ca_file),
        GEODESIGN_TOKEN=room.tokens["admin"],
        HTTPS_PROXY=proxy.origin,
    )
    assert TITLE in printed and proxy.asked
