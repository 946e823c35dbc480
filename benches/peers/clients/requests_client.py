"""requests, the client that most scripts use."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from peers.clients.http_client import HttpClient, ManyAtATime


class Requests(HttpClient, ManyAtATime):
    name = "requests"
    needs = ("requests",)

    def __init__(self, root: str, token: str) -> None:
        import requests

        super().__init__(root, token)
        self.session = requests.Session()
        self.session.headers.update(self.headers)

    def json(self, path: str) -> Any:
        return self._get(path).json()

    def content(self, path: str) -> bytes:
        body: bytes = self._get(path).content
        return body

    def _get(self, path: str) -> Any:
        response = self.session.get(self.root + path)
        response.raise_for_status()
        return response

    def many_json(self, paths: Sequence[str]) -> list[Any]:
        return self._by_threads(self.json, paths)

    def many_content(self, paths: Sequence[str]) -> list[bytes]:
        return self._by_threads(self.content, paths)

    def _by_threads(self, get: Callable[[str], Any], paths: Sequence[str]) -> list[Any]:
        with ThreadPoolExecutor(self.AT_A_TIME) as pool:
            return list(pool.map(get, paths))
