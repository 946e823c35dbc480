"""The pages for browsers: the room at `/` and `/join/`, its files, and its icon."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests

from pygeodesign import InputError, Sandbox, __version__
from pygeodesign._core import _web_file
from room_pages import TOLD
from serving import error_output, running_service
from workshops_folder import served

OSM = "https://tile.openstreetmap.org"
WEB = Path(__file__).parents[2] / "web"
PATHS = ("/", "/join/", "/favicon.ico", "/web/favicon.svg", "/web/page.css", "/web/room/app.js")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Sandbox(project=None) as sandbox:
        yield sandbox.url.removesuffix("/api/v1/")


def get(url: str, **headers: str) -> requests.Response:
    return requests.get(url, headers=headers, timeout=20, allow_redirects=False)


# Files


def test_a_file_of_the_folder_is_answered_as_it_is_with_its_type(address: str) -> None:
    for path, kind in [
        ("room/app.js", "text/javascript; charset=utf-8"),
        ("room/room.css", "text/css; charset=utf-8"),
        ("favicon.svg", "image/svg+xml"),
    ]:
        answer = get(f"{address}/web/{path}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
        assert answer.content == (WEB / path).read_bytes()
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-cache"
    style = WEB / "page.css"
    assert get(f"{address}/web/page.css").content == style.read_bytes()
    assert get(f"{address}/favicon.ico").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    "path", ["", "room", "room/", "nothing.js", "..%2fCargo.toml", "../Cargo.toml", "room/index.html"]
)
def test_what_is_no_file_of_the_pages_is_not_found(path: str, address: str) -> None:
    with requests.Session() as session:
        asked = requests.Request("GET", address).prepare()
        asked.url = f"{address}/web/{path}"
        answer = session.send(asked, timeout=20)
    assert answer.status_code == 404 and answer.json() == {"detail": "No such path."}


@pytest.mark.parametrize("path", PATHS)
def test_a_page_that_a_browser_has_is_not_sent_again(path: str, address: str) -> None:
    etag = get(address + path).headers["etag"]
    for known in (etag, f'"other", {etag}', "*"):
        again = get(address + path, **{"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert (again.headers["etag"], again.headers["cache-control"]) == (etag, "no-cache")
    assert get(address + path, **{"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("path", PATHS)
def test_pages_are_read_and_nothing_else(path: str, address: str) -> None:
    whole, head = get(address + path), requests.head(address + path, timeout=20)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == whole.headers["etag"]
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert requests.request(method, address + path, timeout=20).status_code == 405


def test_a_file_is_compressed_for_those_who_take_it_so(address: str) -> None:
    url = f"{address}/web/page.css"
    with requests.get(url, headers={"Accept-Encoding": "br, gzip"}, stream=True, timeout=20) as compressed:
        assert compressed.headers["content-encoding"] == "gzip" and compressed.headers["vary"] == "accept-encoding"
        packed = compressed.raw.read(decode_content=False)
    plain = get(url, **{"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.headers["vary"] == "accept-encoding"
    assert gzip.decompress(packed) == plain.content and len(packed) < len(plain.content) / 2
    assert "content-encoding" not in get(url, **{"Accept-Encoding": "gzip;q=0, br"}).headers


# The room


@pytest.mark.parametrize(("path", "base"), [("/", "./"), ("/join/", "../")])
def test_the_room_knows_where_its_links_lead_and_what_it_is_served_by(path: str, base: str, address: str) -> None:
    answer = get(address + path)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert f'<base href="{base}">' in answer.text and "<!-- base -->" not in answer.text
    (told,) = TOLD.findall(answer.text)
    assert json.loads(told) == {"version": __version__, "basemap": None, "allowed_hosts": []}
    # Each link is below the base: the page works below /w/NAME/ and behind a proxy.
    links = re.findall(r'(?:href|src)="([^"]*)"', answer.text.replace(f'href="{base}"', ""))
    assert links
    for link in links:
        assert not link.startswith("/") and get(urljoin(f"{address}/", link)).status_code == 200


@pytest.mark.parametrize("path", PATHS)
def test_pages_load_nothing_of_others_and_are_in_no_frame(path: str, address: str) -> None:
    headers = get(address + path).headers
    assert headers["content-security-policy"] == (
        "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    assert headers["referrer-policy"] == "no-referrer" and headers["x-frame-options"] == "DENY"


def test_join_without_its_slash_leads_to_the_room(address: str) -> None:
    answer = get(f"{address}/join")
    assert answer.status_code == 301 and urljoin(answer.url, answer.headers["location"]) == f"{address}/join/"


@pytest.mark.parametrize(
    ("given", "origin", "credits"),
    [
        (["openstreetmap"], OSM, "© OpenStreetMap contributors"),
        ([f"{OSM}/{{z}}/{{x}}/{{y}}.png"], OSM, "© OpenStreetMap contributors"),
        (["topography"], "https://*.tile.opentopomap.org", "© OpenStreetMap contributors, SRTM, © OpenTopoMap"),
        (["http://10.0.0.2:8080/{z}/{x}/{y}?a=1", "--basemap-credits", "© A <b>"], "http://10.0.0.2:8080", "© A <b>"),
    ],
)
def test_online_tiles_come_from_one_host_with_their_credits(given: list[str], origin: str, credits: str) -> None:
    with running_service("--basemap", *given) as service:
        answer = get(urljoin(service.urls[0], "/"))
        assert f"img-src 'self' data: blob: {origin}; connect-src 'self';" in answer.headers["content-security-policy"]
        # Tile servers ask where a page comes from.
        assert answer.headers["referrer-policy"] == "strict-origin"
        (told,) = TOLD.findall(answer.text)
        basemap = json.loads(told)["basemap"]
        assert basemap["credits"] == credits and basemap["url"].startswith(("https://", "http://"))
        assert get(urljoin(service.urls[0], "/basemap/0/0/0")).status_code == 404


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["https://tiles.example.org/{z}/{x}/{y}.png"], "give the credits that the terms of these tiles ask for"),
        (["https://tiles.example.org/{z}/{x}/{y}.png", "--basemap-credits", " "], "give the credits"),
        (["https://tiles.example.org/tiles.png", "--basemap-credits", "© A"], "has {z}, {x} and {y}, unlike"),
        (["https://a.org/{z}/{x}/{y}?key={key}", "--basemap-credits", "© A"], "has no value for {key}"),
        (["https://a.org/{z}/{x}/{y}?key=<key>", "--basemap-credits", "© A"], "has no value for <key>"),
        (["ftp://a.org/{z}/{x}/{y}", "--basemap-credits", "© A"], "begins with https:// or http:// and a host"),
        (["https://a.org;x/{z}/{x}/{y}", "--basemap-credits", "© A"], "begins with https:// or http:// and a host"),
        (["openstreetmap", "--basemap-credits", "© A"], "openstreetmap has credits of its own"),
        (["staten"], "staten cannot be read: "),
    ],
)
def test_online_tiles_that_cannot_be_used_are_named_before_anything_is_served(given: list[str], message: str) -> None:
    assert message in error_output("--basemap", *given)


def test_hosts_that_are_allowed_are_in_the_policy_and_on_the_page() -> None:
    with running_service("--allow-host", "tile.example.org", "--allow-host", "Tiles.example.org:8443") as service:
        answer = get(urljoin(service.urls[0], "/"))
        (told,) = TOLD.findall(answer.text)
        assert json.loads(told)["allowed_hosts"] == ["tile.example.org", "tiles.example.org:8443"]
        policy = answer.headers["content-security-policy"]
        assert " img-src 'self' data: blob: https://tile.example.org https://tiles.example.org:8443;" in policy
        assert "connect-src 'self';" in policy


@pytest.mark.parametrize(
    "host", ["*", "*.example.org", "https://tile.example.org", "a.org/tiles", "a.org; script-src *"]
)
def test_what_is_no_host_is_refused(host: str) -> None:
    assert "is not a host: give one such as tile.openstreetmap.org" in error_output("--allow-host", host)


def test_a_service_without_pages_knows_none_of_their_paths() -> None:
    with running_service("--no-pages") as service:
        for path in (*PATHS, "/join"):
            assert get(urljoin(service.urls[0], path)).status_code == 404
        assert service.client().projects()


# Folders of workshops


def test_the_pages_of_a_workshop_open_no_database(tmp_path: Path) -> None:
    with served(tmp_path, "spring") as folder:
        token = folder.tokens["spring"]["admin"]
        for path in PATHS:
            # Nor does a token that somebody sends along.
            for each in (None, token):
                answer = folder.get(f"/w/spring{path}", each)
                assert answer.status_code == 200 and answer.headers["referrer-policy"] == "no-referrer"
            assert folder.get(f"/w/none{path}").status_code == 404
        assert '<base href="../">' in folder.get("/w/spring/join/").text
        assert not folder.listed()["spring"]["is_open"]
        assert folder.status("spring") == 200 and folder.listed()["spring"]["is_open"]
        assert folder.get("/w/spring/").content == folder.get("/w/spring/", token).content
        # Their files are also outside of workshops, the room is not.
        assert folder.get("/web/room/app.js").ok and folder.get("/favicon.ico").ok
        assert folder.get("/").status_code == folder.get("/join/").status_code == 404


def test_the_name_of_a_workshop_without_a_slash_leads_to_its_room(tmp_path: Path) -> None:
    with served(tmp_path, "spring") as folder:
        for path, place in [
            ("/w/spring", "/w/spring/"),
            ("/w/spring?a=b", "/w/spring/?a=b"),
            ("/w/spring/join", "/w/spring/join/"),
        ]:
            answer = folder.get(path)
            assert answer.status_code == 301
            assert urljoin(answer.url, answer.headers["location"]) == folder.address + place
        assert folder.get("/w/none").status_code == folder.get("/w/").status_code == 404
    with served(tmp_path, options=("--no-pages",)) as folder:
        for path in ("/w/spring", "/w/spring/web/page.css", "/web/page.css", "/favicon.ico"):
            assert folder.get(path).status_code == 404
        assert folder.get("/w/spring/api/v1/projects/").status_code == 401


# For pages that are made here


def test_the_package_reads_the_same_files() -> None:
    assert _web_file("room/app.js") == (WEB / "room" / "app.js").read_text(encoding="utf-8")
    assert _web_file("page.css")
    with pytest.raises(InputError, match=r'"nothing\.js" is not a text file'):
        _web_file("nothing.js")
