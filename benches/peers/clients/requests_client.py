"""requests, the client that most scripts use."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

from peers.clients.http_client import HttpClient, ManyAtATime


class Requests(HttpClient, ManyAtATime):
    @cached_property
    def session(self) -> Any:
        import requests

        session = requests.Session()
        session.headers.update(self.headers)
        return session

    def json(self, path: str) -> Any:
        response = self.session.get(self.root + path)
        response.raise_for_status()
        return response.json()

    def many_json(self, paths: Sequence[str]) -> list[Any]:
        with ThreadPoolExecutor(self.AT_A_TIME) as pool:
            return list(pool.map(self.json, paths))
