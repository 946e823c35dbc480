"""Proxies: plain http never goes through one, `NO_PROXY` is read as others read it, and errors name the proxy."""

import socket
import threading
from collections.abc import Iterator

import pytest

from pygeodesign import Client, GeodesignError, TransportError

TOKEN = "0123456789abcdef0123456789abcdef01234567"
PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


class Proxy:
    """Refuses everything, and keeps what it was sent."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.asked: list[str] = []
        threading.Thread(target=self._refuse, daemon=True).start()

    def _refuse(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self.asked.append(connection.recv(65536).decode("latin-1"))
                connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """The proxy of this machine's settings."""
    proxy = Proxy()
    for name in PROXIES:
        monkeypatch.setenv(name, f"http://clerk:pa55word@127.0.0.1:{proxy.port}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield proxy
    proxy.listener.close()


def asks(url: str) -> str:
    """The error of a client of a service that is not there."""
    with pytest.raises(GeodesignError) as raised:
        Client(TOKEN, url, allow_http=True, retries=0, connect_timeout=0.5).projects()
    return str(raised.value)


@pytest.mark.parametrize("url", ["http://room.local:9", "http://10.255.255.254:9", "http://[fd00::1]:9"])
def test_no_proxy_is_sent_a_token_in_plain_http(proxy: Proxy, url: str) -> None:
    assert "proxy" not in asks(url)
    with pytest.raises(GeodesignError):
        Client.join(f"{url}/join/#ana:{TOKEN}", allow_http=True, retries=0, connect_timeout=0.5).projects()
    assert proxy.asked == []


def test_a_proxy_tunnels_to_a_service_with_https_and_errors_name_it_without_its_password(proxy: Proxy) -> None:
    told = asks("https://room.example.invalid:8443")
    assert f"http://127.0.0.1:{proxy.port}" in told and "NO_PROXY" in told
    assert "pa55word" not in told and "clerk" not in told
    with pytest.raises(TransportError, match=rf"proxy http://127\.0\.0\.1:{proxy.port}"):
        Client.join(f"https://room.example.invalid:8443/join/#ana:{TOKEN}:{'A' * 43}")
    assert proxy.asked and all(asked.startswith("CONNECT room.example.invalid:8443 ") for asked in proxy.asked)
    assert not any(TOKEN in asked for asked in proxy.asked)


@pytest.mark.parametrize(
    ("exempt", "url"),
    [
        ("*", "https://10.255.255.254:9"),
        ("*", "https://room.example.invalid"),
        ("intranet, *", "https://10.255.255.254:9"),
        ("10.0.0.0/8", "https://10.255.255.254:9"),
        ("10.255.255.254:9", "https://10.255.255.254:9"),
        ("[fd00::1]:9", "https://[fd00::1]:9"),
        ("example.invalid:443", "https://room.example.invalid"),
        (".example.invalid", "https://room.example.invalid"),
    ],
)
def test_a_service_that_no_proxy_names_is_asked_itself(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, exempt: str, url: str
) -> None:
    monkeypatch.setenv("NO_PROXY", exempt)
    asks(url)
    assert proxy.asked == []


@pytest.mark.parametrize("exempt", ["10.255.255.254:10", "10.255.255.25", "room.example.invalid", ""])
def test_a_service_that_no_proxy_does_not_name_is_asked_through_the_proxy(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, exempt: str
) -> None:
    monkeypatch.setenv("NO_PROXY", exempt)
    asks("https://10.255.255.254:9")
    assert len(proxy.asked) == 1
