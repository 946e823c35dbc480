"""httpr, a client in Rust with the interface of httpx."""

from typing import Any

from peers.clients.http_client import HttpClient


class Httpr(HttpClient):
    name = "httpr"
    needs = ("httpr",)

    def __init__(self, root: str, token: str) -> None:
        import httpr

        super().__init__(root, token)
        self.client = httpr.Client(headers=self.headers)

    def json(self, path: str) -> Any:
        return self.client.get(self.root + path).json()

    def content(self, path: str) -> bytes:
        content: bytes = self.client.get(self.root + path).content
        return content
