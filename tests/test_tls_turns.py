"""Members behind one address take turns with the handshakes of TLS, whatever a neighbour does."""

import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from test_command_line import RunningService, running_service


@contextmanager
def over_tls(folder: Path, handshakes: int) -> Iterator[RunningService]:
    """A service with TLS, where an address begins so many handshakes a second, and five times as many after a pause."""
    options = ("--db", folder / "service.sqlite", "--tls-self-signed", "--limit", f"handshakes_per_second={handshakes}")
    with running_service(*options) as service:
        yield service


class Tls:
    """Connections in TLS 1.3 to a service, with a time limit."""

    def __init__(self, service: RunningService) -> None:
        self.address = ("127.0.0.1", urlsplit(service.urls[0]).port or 0)
        self.context = ssl.create_default_context(cafile=service.ca_file)

    def open(self, within: float = 8, session: ssl.SSLSession | None = None) -> ssl.SSLSocket:
        plain = socket.create_connection(self.address, timeout=within)
        return self.context.wrap_socket(plain, server_hostname="localhost", session=session)

    def session_of(self, token: str) -> ssl.SSLSession:
        """The ticket of a connection on which a token was sent."""
        with self.open() as connection:
            head = f"GET /api/v1/projects/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token {token}\r\n\r\n"
            connection.sendall(head.encode())
            connection.recv(65_536)
            session = connection.session
        assert session is not None and session.has_ticket
        return session

    def hello(self) -> bytes:
        """The first message of a client."""
        sent = ssl.MemoryBIO()
        client = self.context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname="localhost")
        with suppress(ssl.SSLWantReadError):
            client.do_handshake()
        return sent.read()


def test_handshakes_from_one_address_wait_for_their_turn(tmp_path: Path) -> None:
    with over_tls(tmp_path, handshakes=2) as service:
        client = Tls(service)
        begin = time.monotonic()
        for _ in range(13):
            client.open().close()
        # Ten at once, then two a second.
        assert 1 < time.monotonic() - begin < 5


def test_a_client_that_was_known_before_does_not_wait(tmp_path: Path) -> None:
    with over_tls(tmp_path, handshakes=1) as service:
        client = Tls(service)
        known, unknown = client.session_of(service.tokens["admin"]), client.session_of("wrong")
        with ThreadPoolExecutor(16) as pool:
            others = [pool.submit(client.open, 3) for _ in range(12)]
            time.sleep(0.5)
            with client.open(2, known) as connection:
                assert connection.session_reused
            # Anybody has a ticket; only one that was given with a valid token counts.
            with pytest.raises(TimeoutError):
                client.open(1, unknown)
            for other in others:
                with suppress(OSError):
                    other.result().close()


def opened_and_dropped(address: tuple[str, int], hello: bytes, end: Event, *, wait: bool) -> None:
    """Opens connections, sends the first message, and drops them, as fast as it goes."""
    while not end.is_set():
        with suppress(OSError), socket.create_connection(address, timeout=5) as connection:
            connection.sendall(hello)
            if wait:
                connection.recv(1)


@pytest.mark.slow
@pytest.mark.parametrize("wait", [False, True], ids=["dropped at once", "dropped after the answer"])
def test_a_quiet_member_connects_while_a_neighbour_opens_and_drops_connections(wait: bool, tmp_path: Path) -> None:
    with over_tls(tmp_path, handshakes=100) as service:
        client, processes = Tls(service), get_context("spawn")
        end = processes.Event()
        arguments = (client.address, client.hello(), end)
        flood = [processes.Process(target=opened_and_dropped, args=arguments, kwargs={"wait": wait}) for _ in range(2)]
        for process in flood:
            process.start()
        try:
            time.sleep(3)
            times = []
            for _ in range(20):
                begin = time.monotonic()
                assert service.client().projects()
                times.append(time.monotonic() - begin)
            assert max(times) < 5, times
        finally:
            end.set()
            for process in flood:
                process.join(20)
