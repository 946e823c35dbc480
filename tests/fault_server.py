"""A server that says exactly what it is told to, byte for byte, and remembers what it heard."""

import socket
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Self


def http(status: str, body: bytes = b"", **headers: str) -> bytes:
    """The bytes of an answer. Underscores in the names of headers stand for hyphens."""
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class FaultServer:
    """Answers every path below the API root with hand-written bytes; `None` answers nothing until the server closes."""

    def __init__(self, answers: Mapping[str, bytes | None]) -> None:
        self.received: list[bytes] = []
        self._answers = answers
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
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
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        try:
            request = b""
            while b"\r\n\r\n" not in request and (part := connection.recv(65536)):
                request += part
            if not request:
                return
            self.received.append(request)
            path = request.split(b" ")[1].decode().partition("?")[0].removeprefix("/api/v1/")
            answer = self._answers[path]
            if answer is not None:
                connection.sendall(answer)
                connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


def unused_url() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1/"
