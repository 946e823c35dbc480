"""Requests over sockets, for clients that are slower or ruder than any HTTP library allows."""

import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


class Connections:
    """Connections to one service that stay open until the end."""

    def __init__(self, url: str, receive_buffer: int | None = None) -> None:
        self.address = (urlsplit(url).hostname, urlsplit(url).port)
        self.receive_buffer = receive_buffer
        self.opened: list[socket.socket] = []

    def open(self, sent: bytes = b"") -> socket.socket:
        connection = socket.socket()
        if self.receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        self.opened.append(connection)
        connection.settimeout(20)
        connection.connect(self.address)
        connection.sendall(sent)
        return connection


@contextmanager
def connections(url: str, receive_buffer: int | None = None) -> Iterator[Connections]:
    """`receive_buffer` limits the bytes of a response that the system receives before the client reads."""
    opened = Connections(url, receive_buffer)
    try:
        yield opened
    finally:
        for connection in opened.opened:
            connection.close()


def head(method: str, path: str, token: str | None = None, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    if token is not None:
        lines.append(f"Authorization: Token {token}")
    return "\r\n".join([*lines, "", ""]).encode()


def read_response(connection: socket.socket) -> bytes:
    """One response with a `Content-Length`; if the connection is closed, the part that arrived."""
    received = bytearray()
    while not is_complete(received):
        try:
            part = connection.recv(2**20)
        except ConnectionResetError:
            break
        if not part:
            break
        received += part
    return bytes(received)


def is_complete(response: bytes | bytearray) -> bool:
    end = response.find(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: *(\d+)", response[:end], re.IGNORECASE)
    return end >= 0 and len(response) - end - 4 >= int(length[1] if length else 0)


def is_open(connection: socket.socket) -> bool:
    """True unless the service has closed a connection that sends nothing."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
    finally:
        connection.settimeout(20)


def wait_until_closed(connection: socket.socket, within: float) -> bool:
    deadline = time.monotonic() + within
    while is_open(connection):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
