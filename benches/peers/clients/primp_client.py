"""primp, a client in Rust with the interface of requests."""

from typing import Any

from peers.clients.http_client import HttpClient


class Primp(HttpClient):
    name = "primp"
    needs = ("primp",)

    def __init__(self, root: str, token: str) -> None:
        import primp

        super().__init__(root, token)
        self.client = primp.Client(headers=self.headers)

    def json(self, path: str) -> Any:
        return self.client.get(self.root + path).json()

    def content(self, path: str) -> bytes:
        content: bytes = self.client.get(self.root + path).content
        return content
