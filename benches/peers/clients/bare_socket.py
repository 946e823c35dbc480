"""The exchange of bytes without an HTTP client, which is a lower bound for the time of a blocking client in Python."""

import socket
from typing import Any
from urllib.parse import urlsplit

from peers.clients.http_client import HttpClient


class BareSocket(HttpClient):
    name = "a bare socket"
    needs = ("orjson",)

    def __init__(self, root: str, token: str) -> None:
        import orjson

        super().__init__(root, token)
        self.parse = orjson.loads
        self.address = urlsplit(root)
        self.socket = socket.create_connection((self.address.hostname, self.address.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def json(self, path: str) -> Any:
        return self.parse(self.content(path))

    def content(self, path: str) -> bytes:
        """The body, if the response has at most 64 KiB and arrives at once, as it does on this machine."""
        request = f"GET {self.address.path}{path} HTTP/1.1\r\nHost: {self.address.netloc}\r\n\r\n"
        self.socket.sendall(request.encode())
        return self.socket.recv(65_536).partition(b"\r\n\r\n")[2]
