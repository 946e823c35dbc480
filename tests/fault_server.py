"""A server that says exactly what it is told to, byte for byte, and remembers what it heard."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeAlias


def http(status: str, body: bytes = b"", **headers: str) -> bytes:
    """The bytes of an answer. Underscores in the names of headers stand for hyphens."""
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


# What a server says: these bytes; whatever it does with the connection; nothing at all.
Answer: TypeAlias = bytes | Callable[[socket.socket], None] | None


def trickle(body: bytes, pause: float) -> Answer:
    """An answer whose body comes byte by byte, with a pause before each."""

    def send(connection: socket.socket) -> None:
        head, _, rest = http("200 OK", body, content_type="application/json").partition(b"\r\n\r\n")
        connection.sendall(head + b"\r\n\r\n")
        for byte in rest:
            time.sleep(pause)
            connection.sendall(bytes([byte]))

    return send


class FaultServer:
    """Answers every path below the API root as it is told, 404 for any other, and hangs up.

    A list of answers is given one after another, the last of them from then on. Where it answers nothing, it waits
    until the other side hangs up, and `hung_up` is set.
    """

    def __init__(self, answers: Mapping[str, Answer | list[Answer]]) -> None:
        self.received: list[bytes] = []
        self.hung_up = threading.Event()
        self._answers = {path: answer if isinstance(answer, list) else [answer] for path, answer in answers.items()}
        self._turns: Counter[str] = Counter()
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
            answers = self._answers.get(path, [http("404 Not Found", b"{}", content_type="application/json")])
            answer = answers[min(self._turns[path], len(answers) - 1)]
            self._turns[path] += 1
            match answer:
                case None:
                    while connection.recv(65536):
                        pass
                    self.hung_up.set()
                case bytes():
                    connection.sendall(answer)
                    connection.shutdown(socket.SHUT_RDWR)
                case _:
                    answer(connection)
                    connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            self.hung_up.set()


def unused_url() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1/"
