"""httpx, with orjson to parse what it receives."""

from typing import Any

from peers.clients.http_client import HttpClient


class Httpx(HttpClient):
    name = "httpx"
    needs = ("httpx", "orjson")

    def __init__(self, root: str, token: str) -> None:
        import httpx
        import orjson

        super().__init__(root, token)
        self.client = httpx.Client(headers=self.headers)
        self.parse = orjson.loads

    def json(self, path: str) -> Any:
        return self.parse(self.content(path))

    def content(self, path: str) -> bytes:
        response = self.client.get(self.root + path)
        response.raise_for_status()
        body: bytes = response.content
        return body
