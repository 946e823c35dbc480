"""primp, a client in Rust with the interface of requests."""

from functools import cached_property
from typing import Any

from peers.clients.http_client import HttpClient


class Primp(HttpClient):
    @cached_property
    def client(self) -> Any:
        import primp

        return primp.Client(headers=self.headers)

    def json(self, path: str) -> Any:
        return self.client.get(self.root + path).json()
