"""A server that sends given bytes, valid HTTP or not, and records the requests."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeAlias


def http(status: str, body: bytes = b"", **headers: str) -> bytes:
    """The bytes of an HTTP response. Underscores in the names of headers become hyphens."""
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


# The bytes to send, or a function that uses the connection, or None to send nothing.
Response: TypeAlias = bytes | Callable[[socket.socket], None] | None


def trickle(body: bytes, pause: float) -> Response:
    """A response whose body is sent byte by byte, with a pause in seconds before each."""

    def send(connection: socket.socket) -> None:
        head, _, rest = http("200 OK", body, content_type="application/json").partition(b"\r\n\r\n")
        connection.sendall(head + b"\r\n\r\n")
        for byte in rest:
            time.sleep(pause)
            connection.sendall(bytes([byte]))

    return send


class FaultServer:
    """Sends the response that is given for a path below the API root, or 404, and closes the connection.

    From a list it sends one response for each request, the last one for all further requests. For None it sends nothing
    and waits until the client closes the connection, which sets `closed_by_client`. `received` are the request heads.
    """

    def __init__(self, responses: Mapping[str, Response | list[Response]]) -> None:
        self.received: list[bytes] = []
        self.closed_by_client = threading.Event()
        self._responses = {
            path: response if isinstance(response, list) else [response] for path, response in responses.items()
        }
        self._requests: Counter[str] = Counter()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def url(self) -> str:
        host, port = self._listener.getsockname()
        return f"http://{host}:{port}/api/v1/"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._respond, args=(connection,), daemon=True).start()

    def _respond(self, connection: socket.socket) -> None:
        try:
            request = b""
            while b"\r\n\r\n" not in request and (chunk := connection.recv(65536)):
                request += chunk
            if not request:
                return
            self.received.append(request)
            path = request.split(b" ")[1].decode().partition("?")[0].removeprefix("/api/v1/")
            responses = self._responses.get(path, [http("404 Not Found", b"{}", content_type="application/json")])
            response = responses[min(self._requests[path], len(responses) - 1)]
            self._requests[path] += 1
            match response:
                case None:
                    while connection.recv(65536):
                        pass
                    self.closed_by_client.set()
                case bytes():
                    connection.sendall(response)
                    connection.shutdown(socket.SHUT_RDWR)
                case _:
                    response(connection)
                    connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            self.closed_by_client.set()


def unused_url() -> str:
    """A URL on this machine at which no server listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1/"
