"""Joining a room with a card's link: the authority that it trusts, wrong links, and signing in."""

import asyncio
import base64
import hashlib
import json
import os
import pickle
import re
import shutil
import ssl
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urljoin

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser, expect

from chromium import INSTALLED, NO_BROWSER
from commands import output_of, run, signed_in
from fault_server import FaultServer
from local_server import LocalServer, QuietHandler
from pygeodesign import AsyncClient, Client, ConfigurationError, HttpsRequiredError, Sandbox, TransportError
from serving import PROJECT, RunningService, error_output, running_service
from terminal import type_at_prompt
from workshops_folder import served

MEMBER = "amara.okafor"
TITLE = "Staten Island 2050"
# Token and key of a link that leads nowhere.
TOKEN, KEY = "s3cr3t" * 6, "9MAtykWfp6QDJRBGMvifk56yrVUIzlJV7zTQJeMPK_4"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with its own certificate authority."""
    with running_service("--db", tmp_path_factory.mktemp("room") / "room.sqlite", "--tls-self-signed") as service:
        yield service


@pytest.fixture(scope="module")
def other_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder with the certificates of another one."""
    with running_service("--db", tmp_path_factory.mktemp("other") / "room.sqlite", "--tls-self-signed") as service:
        yield Path(str(service.ca_file)).parent


def address(room: RunningService) -> str:
    """The address of the service, without a slash at the end."""
    return room.urls[-1].removesuffix("/api/v1/")


def key_of(pem: bytes) -> str:
    """The key of an authority, as another library computes it."""
    public_key = x509.load_pem_x509_certificate(pem).public_key()
    digest = hashlib.sha256(public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def authority_of(room: RunningService) -> bytes:
    return Path(str(room.ca_file)).read_bytes()


def link_of(room: RunningService, name: str = MEMBER) -> str:
    return f"{address(room)}/join/#{quote(name, safe='')}:{room.tokens[name]}:{key_of(authority_of(room))}"


# The certificate of the authority


def test_everybody_may_ask_for_the_certificate_of_the_authority(room: RunningService) -> None:
    answer = requests.get(f"{address(room)}/ca.pem", verify=str(room.ca_file), timeout=20)
    assert answer.content == authority_of(room)
    assert answer.headers["content-type"] == "application/pem-certificate-chain"
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert requests.head(f"{address(room)}/ca.pem", verify=str(room.ca_file), timeout=20).status_code == 200
    assert requests.post(f"{address(room)}/ca.pem", verify=str(room.ca_file), timeout=20).status_code == 405


def test_a_service_without_an_authority_of_its_own_says_so(sandbox: Sandbox, other_room: Path) -> None:
    files = ("--tls-cert", other_room / "server.pem", "--tls-key", other_room / "server-key.pem")
    with running_service(*files) as service:
        ca = str(other_room / "ca.pem")
        answers = [
            requests.get(urljoin(sandbox.url, "/ca.pem"), timeout=20),
            requests.get(f"{address(service)}/ca.pem", verify=ca, timeout=20),
        ]
    for answer in answers:
        assert answer.status_code == 404
        assert answer.json()["detail"].startswith("This service has no certificate authority of its own")


def test_cards_hold_when_the_address_of_the_room_changes(tmp_path: Path) -> None:
    database = tmp_path / "room.sqlite"
    with running_service("--db", database, "--tls-self-signed") as service:
        link, before = link_of(service), authority_of(service)
        shutil.copy(str(service.ca_file), tmp_path / "copy.pem")
    with running_service("--db", database, "--tls-self-signed", "--tls-name", "new.local") as service:
        assert authority_of(service) != before and key_of(authority_of(service)) == key_of(before)
        moved = link.replace(link.partition("/join/")[0], address(service))
        assert [project["projecttitle"] for project in Client.join(moved).projects()] == [TITLE]
        # A copy of the earlier certificate is as good, also for other programs.
        copy = str(tmp_path / "copy.pem")
        assert Client(service.tokens[MEMBER], service.urls[-1], ca_bundle=copy).projects()
        assert requests.get(f"{address(service)}/health/", verify=copy, timeout=20).ok
    # Browsers reject two certificates of one authority with the same number.
    numbers = {
        x509.load_pem_x509_certificate(pem).serial_number for pem in (before, (tmp_path / "copy.pem").read_bytes())
    }
    numbers |= {x509.load_pem_x509_certificate((tmp_path / "room.sqlite.tls" / "ca.pem").read_bytes()).serial_number}
    assert len(numbers) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="the user's folders are closed to others")
def test_the_private_key_of_the_authority_is_for_its_owner_alone(other_room: Path) -> None:
    assert stat.S_IMODE((other_room / "ca-key.pem").stat().st_mode) == 0o600
    assert stat.S_IMODE((other_room / "ca.pem").stat().st_mode) == 0o644


def test_a_damaged_private_key_is_not_replaced_in_silence(tmp_path: Path) -> None:
    folder = tmp_path / "room.sqlite.tls"
    folder.mkdir()
    (folder / "ca-key.pem").write_text("damaged")
    message = error_output("--db", tmp_path / "room.sqlite", "--tls-self-signed")
    assert "ca-key.pem is not the key of a certificate authority" in message and "cards" in message
    assert (folder / "ca-key.pem").read_text() == "damaged"


def test_the_command_prints_links_of_those_who_run_the_evening(room: RunningService) -> None:
    assert room.links == {name: link_of(room, name) for name in room.links}
    assert MEMBER not in room.links and "admin" in room.links


# Joining


def test_a_link_is_all_that_a_member_needs(room: RunningService) -> None:
    client = Client.join(link_of(room))
    assert [project["projecttitle"] for project in client.projects()] == [TITLE]
    assert client.base_url == f"{address(room)}/api/v1/"

    async def titles() -> list[str | None]:
        async with await AsyncClient.join(f" {link_of(room)}\n", timeout=20) as joined:
            return [project["projecttitle"] for project in await joined.projects()]

    assert asyncio.run(titles()) == [TITLE]


def test_a_link_without_a_key_is_for_rooms_that_everybody_trusts_and_sends_nothing(sandbox: Sandbox) -> None:
    client = Client.join(f"{urljoin(sandbox.url, '/join/')}#amara%2Eokafor:{sandbox.token(MEMBER)}")
    assert [project["projecttitle"] for project in client.projects()] == [TITLE]
    with FaultServer({}) as server:
        Client.join(f"{urljoin(server.url, '/join/')}#ana:{TOKEN}")
        assert server.received == []


def test_a_client_that_has_joined_goes_to_other_processes_and_shows_no_token(room: RunningService) -> None:
    client = Client.join(link_of(room), cache=True)
    again = pickle.loads(pickle.dumps(client))
    assert again.projects() == client.projects()
    for shown in (repr(client), client._repr_html_()):
        assert room.tokens[MEMBER] not in shown and address(room) in shown


def test_it_trusts_the_authority_of_the_room_alone(room: RunningService, other_room: Path) -> None:
    pem = (other_room / "ca.pem").read_text()
    with pytest.raises(TransportError, match=r"certificate is not trusted.*ask the facilitator for a new card"):
        # The certificates in `ca_bundle` do not count in addition.
        Client(TOKEN, room.urls[-1], authority=pem, ca_bundle=room.ca_file).projects()
    for wrong in ("", "no certificate", pem * 2):
        with pytest.raises(ConfigurationError, match="one authority's certificate"):
            Client(TOKEN, room.urls[-1], authority=wrong)


@pytest.mark.parametrize("name", ["token", "base_url", "ca_bundle", "authority"])
def test_what_the_link_says_is_no_setting_beside_it(name: str, room: RunningService) -> None:
    with pytest.raises(ConfigurationError, match=f"{name}= cannot be given here"):
        Client.join(link_of(room), **{name: "x"})
    with pytest.raises(TypeError, match="retires"):
        Client.join(link_of(room), retires=1)
    with pytest.raises(ConfigurationError, match="timeout must be a number of seconds"):
        Client.join(link_of(room), timeout=-1)


# Somebody else answers


@dataclass
class Impostor:
    """A server with a certificate of another authority. It remembers the requests and their headers."""

    folder: Path
    status: int = 200
    body: bytes = b""
    location: str = ""
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        impostor = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:  # noqa: N802
                impostor.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                self.send_response(impostor.status)
                if impostor.location:
                    self.send_header("location", impostor.location)
                self.send_body(impostor.body)

        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.folder / "server.pem", self.folder / "server-key.pem")
        self.server = LocalServer(Handler, tls)

    def refuses(self, room: RunningService) -> str:
        """The error for a link that leads here."""
        link = link_of(room).replace(address(room), self.server.origin)
        with self.server, pytest.raises(TransportError) as refused:
            Client.join(link, timeout=10)
        assert self.requests and all(path == "/ca.pem" for path, _ in self.requests)
        assert not any("authorization" in headers or "cookie" in headers for _, headers in self.requests)
        assert room.tokens[MEMBER] not in str(refused.value)
        return str(refused.value)


def test_who_has_another_key_gets_no_token(room: RunningService, other_room: Path) -> None:
    message = Impostor(other_room, body=(other_room / "ca.pem").read_bytes()).refuses(room)
    assert "is not the room of this link: its authority's key is not the link's" in message
    assert "The token was not sent" in message


def test_who_passes_on_the_certificate_of_the_room_gets_no_token(room: RunningService, other_room: Path) -> None:
    message = Impostor(other_room, body=authority_of(room)).refuses(room)
    assert "is not the room of this link: its certificate is not trusted" in message


def test_who_adds_an_authority_to_that_of_the_room_is_not_trusted(room: RunningService, other_room: Path) -> None:
    both = authority_of(room) + (other_room / "ca.pem").read_bytes()
    assert "not PEM text with one authority's certificate" in Impostor(other_room, body=both).refuses(room)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"status": 404}, "it has no authority of its own (GET /ca.pem answered 404)"),
        ({"status": 302, "location": "https://a.example/ca.pem"}, "answered 302"),
        ({"body": b"<html>"}, "not PEM text"),
        ({"body": b"x" * 100_000}, "more than 65536 bytes"),
    ],
    ids=["none", "redirect", "page", "large"],
)
def test_answers_that_are_no_certificate_are_told(
    answer: dict[str, object], told: str, room: RunningService, other_room: Path
) -> None:
    impostor = Impostor(other_room, **answer)  # type: ignore[arg-type]
    link = link_of(room).replace(address(room), impostor.server.origin)
    with impostor.server, pytest.raises((TransportError, ValueError)) as refused:
        Client.join(link, timeout=10)
    assert told in str(refused.value) and len(impostor.requests) == 1


def test_nobody_answers(room: RunningService) -> None:
    link = link_of(room).replace(address(room), "https://127.0.0.1:9")
    with pytest.raises(TransportError, match=r"GET /ca\.pem got no answer from https://127\.0\.0\.1:9"):
        Client.join(link)


# Wrong links

WHOLE = f"https://room.example/join/#ana:{TOKEN}:{KEY}"


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("", "no link is given: copy the link of your card"),
        (TOKEN, "this is not a link"),
        (f"{WHOLE} x", "there are spaces in the link"),
        (WHOLE.replace("/join/", "/projects/"), "leads to another page"),
        (WHOLE.partition("#")[0], "the link ends before #"),
        ("https://room.example/join/#ana", "no token after the name"),
        ("https://room.example/join/#:" + TOKEN, "no name after #"),
        (WHOLE[:-10], "has 33 of 43 characters: the link is cut"),
        (WHOLE + "x", "not an authority's key"),
        (f"{WHOLE}:{TOKEN}", "more text after the end of the link"),
        (WHOLE.replace("https", "http"), "write https://"),
        (WHOLE.replace("https", "ftp").removesuffix(f":{KEY}"), "neither https nor http"),
        (WHOLE.replace("room", f"ana:{TOKEN}@room"), "holds a user or a password"),
    ],
)
def test_an_error_names_what_is_wrong_with_a_link_and_does_not_show_it(link: str, told: str) -> None:
    for join in (Client.join, AsyncClient.join):
        with pytest.raises(ConfigurationError) as refused:
            join(link)
        assert told in str(refused.value) and "s3cr3t" not in str(refused.value)


def test_plain_http_to_another_machine_is_refused() -> None:
    with pytest.raises(HttpsRequiredError, match="use https://"):
        Client.join(f"http://room.example/join/#ana:{TOKEN}")


# The page


@pytest.mark.skipif(INSTALLED is None, reason=NO_BROWSER)
def test_the_line_that_the_page_shows_works_as_it_is(browser: Browser, room: RunningService) -> None:
    # As after the warning of a browser.
    page = browser.new_page(viewport={"width": 390, "height": 844}, ignore_https_errors=True)
    page.goto(link_of(room))
    page.get_by_role("button", name="Menu of").click()
    page.get_by_text("For Python, QGIS and other programs").click()
    line, link = (page.locator("dialog code").nth(number).inner_text() for number in (0, 1))
    expect(page.get_by_role("link", name="ca.pem")).to_be_visible()
    page.goto("about:blank")
    page.goto(link_of(room)[:-4])
    page.get_by_role("alert").filter(has_text="The end of the link is missing").wait_for()
    assert "\n" not in line.strip() and link == link_of(room)
    names: dict[str, Client] = {}
    exec(line, names)
    assert [project["projecttitle"] for project in names["client"].projects()] == [TITLE]


def test_the_link_of_a_guest_has_the_key_too(room: RunningService) -> None:
    project = Client.join(link_of(room, "admin")).project(PROJECT)
    link = urljoin(address(room), project.workshop.add_link("City council", "2999-06-01")["path"])
    assert len(Client.join(link).projects()) == 1


def test_the_workshops_of_a_folder_have_one_authority(tmp_path: Path) -> None:
    with served(tmp_path, "spring", "autumn", options=("--tls-self-signed",)) as folder:
        keys = set()
        for name in ("spring", "autumn"):
            command = ["tokens", "--db", f"{name}.sqlite", "--url", folder.root(name), "--user", MEMBER, "--json"]
            (issued,) = json.loads(output_of(tmp_path, *command))
            assert issued["link"].startswith(f"{folder.address}/w/{name}/join/#")
            assert [project["projecttitle"] for project in Client.join(issued["link"]).projects()] == [TITLE]
            keys.add(issued["link"].rpartition(":")[2])
        assert keys == {key_of((tmp_path / ".tls" / "ca.pem").read_bytes())}


# Signing in


def test_login_takes_the_link_and_other_commands_need_nothing_more(room: RunningService, tmp_path: Path) -> None:
    ended = run(tmp_path, "login", stdin=f"{link_of(room)}\n")
    assert ended.code == 0 and room.tokens[MEMBER] not in ended.messages + ended.output
    (file,) = (tmp_path / "config" / "pygeodesign").iterdir()
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert TITLE in output_of(tmp_path, "projects")
    # Only the authority of the link is trusted, whatever answers there later.
    kept = json.loads(file.read_text())
    kept["authority"] = kept["authority"][:100]
    file.write_text(json.dumps(kept))
    damaged = run(tmp_path, "projects")
    assert damaged.code == 2 and "is damaged; run `pygeodesign login` again" in damaged.messages


def test_options_and_variables_come_before_the_login(room: RunningService, sandbox: Sandbox, tmp_path: Path) -> None:
    ended = run(tmp_path, "login", stdin=link_of(room), **signed_in(sandbox))
    assert "GEODESIGN_URL is set" in ended.messages and "GEODESIGN_TOKEN is set" in ended.messages
    called = ("call", "service_history")
    # The operator of the sandbox, and a member of the room.
    assert run(tmp_path, *called, **signed_in(sandbox)).code == 0 and run(tmp_path, *called).code == 3
    assert run(tmp_path, *called, "--url", sandbox.url, GEODESIGN_TOKEN=sandbox.token()).code == 0


@pytest.mark.parametrize(
    ("options", "given", "code", "told"),
    [
        ((), TOKEN, 2, "A token needs --url"),
        ((), WHOLE[:-1], 2, "the link is cut"),
        ((), "", 2, "no link"),
        (("--url", "https://other.example"), WHOLE, 2, "--url elsewhere: leave --url out"),
        (("--ca-bundle", "ca.pem"), WHOLE, 2, "leave --ca-bundle out"),
        ((), WHOLE.replace("room.example", "127.0.0.1:9"), 5, "got no answer"),
    ],
)
def test_a_link_that_does_not_join_is_not_kept(
    options: tuple[str, ...], given: str, code: int, told: str, tmp_path: Path
) -> None:
    ended = run(tmp_path, "login", *options, stdin=given)
    assert (ended.code, ended.output) == (code, "") and told in ended.messages
    assert "s3cr3t" not in ended.messages and list(tmp_path.iterdir()) == []


def test_another_room_at_the_address_of_the_link_gets_no_token(room: RunningService, tmp_path: Path) -> None:
    ended = run(tmp_path, "login", stdin=link_of(room).removesuffix(key_of(authority_of(room))) + KEY)
    assert ended.code == 5 and "is not the room of this link" in ended.messages
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_link_that_is_typed_is_not_shown(room: RunningService, tmp_path: Path) -> None:
    typed = f"{link_of(room)}\n".encode()
    code, seen = type_at_prompt(tmp_path, typed, "login")
    assert code == 0 and "Logged in" in seen and room.tokens[MEMBER] not in seen


def test_logout_forgets_the_login(sandbox: Sandbox, tmp_path: Path) -> None:
    run(tmp_path, "login", stdin=f"{urljoin(sandbox.url, '/join/')}#{MEMBER}:{sandbox.token(MEMBER)}")
    assert TITLE in output_of(tmp_path, "projects")
    ended = run(tmp_path, "logout")
    assert ended.code == 0 and "stays valid until it ends" in ended.messages
    assert run(tmp_path, "projects").code == 2
    assert run(tmp_path, "logout").messages.strip() == "There is no saved login"


# Cards


def cards_of(folder: Path, *options: str, **variables: str) -> tuple[str, dict[str, str]]:
    """The page with the cards, and the links on them."""
    issued = json.loads(output_of(folder, "tokens", "--cards", "cards.html", "--json", *options, **variables))
    return (folder / "cards.html").read_text(), {row["username"]: row["link"] for row in issued}


def test_cards_tell_what_a_member_needs_and_what_a_browser_warns_of(room: RunningService, tmp_path: Path) -> None:
    signed = {"GEODESIGN_TOKEN": room.tokens["admin"]}
    options = ("--url", room.urls[-1], "--ca-bundle", str(room.ca_file), "--wifi", "Town hall <guests>")
    page, links = cards_of(tmp_path, *options, **signed)
    (card,) = (card for card in re.findall("<article.*?</article>", page, re.DOTALL) if f"<h2>{MEMBER}<" in card)
    for told in (
        TITLE,
        "Team Conservation",
        "Valid until",
        "Town hall &lt;guests&gt;",
        "<svg",
        "Chrome",
        "Safari",
        "Firefox",
    ):
        assert told in card
    assert links[MEMBER].endswith(":" + key_of(authority_of(room)))
    assert Client.join(links[MEMBER]).projects()


def test_cards_of_a_room_that_everybody_trusts_tell_of_no_warning(sandbox: Sandbox, tmp_path: Path) -> None:
    page, links = cards_of(tmp_path, **signed_in(sandbox))
    assert TITLE in page and "Chrome" not in page and "Wi-Fi" not in page
    assert Client.join(links[MEMBER]).projects()


def test_cards_that_are_printed_before_the_evening_hold_in_the_evening(tmp_path: Path) -> None:
    options = ("--db", tmp_path / "room.sqlite", "--tls-self-signed")
    with running_service(*options):
        pass
    # The evening's address does not respond yet.
    _, links = cards_of(tmp_path, "--db", "room.sqlite", "--url", "https://127.0.0.1:9")
    with running_service(*options, "--tls-name", "evening.local") as service:
        link = links[MEMBER].replace("https://127.0.0.1:9", address(service))
        assert Client.join(link).projects()
        with pytest.raises(TransportError, match="got no answer"):
            Client.join(links[MEMBER])


def test_links_have_no_key_where_the_service_has_its_certificate_from_others(other_room: Path, tmp_path: Path) -> None:
    with running_service("--db", tmp_path / "room.sqlite", "--tls-self-signed"):
        pass
    files = ("--tls-cert", other_room / "server.pem", "--tls-key", other_room / "server-key.pem")
    with running_service("--db", tmp_path / "room.sqlite", *files) as service:
        command = ["tokens", "--db", "room.sqlite", "--url", service.urls[-1], "--user", MEMBER, "--json"]
        ended = run(tmp_path, *command)
        (issued,) = json.loads(ended.output)
    assert issued["link"].endswith(issued["token"]) and "the links have no key" in ended.messages


@pytest.mark.skipif(INSTALLED is None, reason=NO_BROWSER)
def test_no_card_is_divided_between_pages(browser: Browser, room: RunningService, tmp_path: Path) -> None:
    options = ("--url", room.urls[-1], "--ca-bundle", str(room.ca_file), "--wifi", "Town hall")
    cards_of(tmp_path, *options, GEODESIGN_TOKEN=room.tokens["admin"])
    # As wide as A4 between its margins.
    page = browser.new_page(viewport={"width": 718, "height": 1047})
    page.emulate_media(media="print")
    page.goto((tmp_path / "cards.html").as_uri())
    cards = page.evaluate(
        """() => [...document.querySelectorAll("article")].map(card => {
          const texts = card.scrollWidth <= card.clientWidth;
          const {left, height} = card.getBoundingClientRect();
          return [getComputedStyle(card).breakInside, texts, Math.round(left), height];
        })"""
    )
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(cards) == 13 and {(whole, fits) for whole, fits, _, _ in cards} == {("avoid", True)}
    assert len({left for _, _, left, _ in cards}) == 2 and max(height for *_, height in cards) < 1047 / 4
    # Eight on each page.
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
