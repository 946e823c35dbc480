"""A virus scanner or a proxy that passes on complete responses only, so that a stream of events never arrives."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class HoldingProxy:
    """Stands before the service at `url` during a `with` block. With `heads`, it passes on the head of a stream."""

    def __init__(self, url: str, *, heads: bool) -> None:
        self._service, self._heads = urlsplit(url), heads
        self._door = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.origin = f"http://127.0.0.1:{self._door.getsockname()[1]}/"
        self.url = self.origin + self._service.path.lstrip("/")
        self._open: set[socket.socket] = set()
        # False while everything passes at once.
        self.holds = True
        threading.Thread(target=self._run, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._door.close()

    def begin(self) -> None:
        """Holds everything back from now on, and cuts open connections, as when a laptop changes networks."""
        self.holds = True
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        while True:
            try:
                asking, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(asking,), daemon=True).start()

    def _pass_on(self, asking: socket.socket) -> None:
        """Passes on one request of a connection; the service closes its side after the response."""
        assert self._service.hostname
        self._open.add(asking)
        try:
            with asking, socket.create_connection((self._service.hostname, self._service.port or 80)) as service:
                service.sendall(request_of(asking))
                response, sent = b"", 0
                while part := service.recv(65_536):
                    response += part
                    head, end, _ = response.partition(b"\r\n\r\n")
                    is_stream = b"text/event-stream" in head
                    if not self.holds or (self._heads and is_stream and end and not sent):
                        passed = response[sent:] if not self.holds else head + end
                        asking.sendall(passed)
                        sent += len(passed)
                if not (self.holds and sent):
                    asking.sendall(response[sent:])
        except OSError:
            return
        finally:
            self._open.discard(asking)


def request_of(asking: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        part = asking.recv(65_536)
        if not part:
            raise ConnectionResetError
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    lengths = [int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")]
    while len(body) < sum(lengths):
        body += asking.recv(65_536)
    kept = [line for line in lines if not line.lower().startswith(b"connection:")]
    return b"\r\n".join([*kept, b"Connection: close"]) + b"\r\n\r\n" + body
