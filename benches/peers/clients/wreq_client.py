"""wreq, a client in Rust for asyncio and for blocking calls."""

import asyncio
from collections.abc import Sequence
from typing import Any

from peers.clients.http_client import HttpClient, ManyAtATime, at_most


class Wreq(HttpClient, ManyAtATime):
    name = "wreq"
    needs = ("wreq",)

    def __init__(self, root: str, token: str) -> None:
        from wreq.blocking import Client

        super().__init__(root, token)
        self.client = Client(headers=self.headers)

    def json(self, path: str) -> Any:
        return self.client.get(self.root + path).json()

    def content(self, path: str) -> bytes:
        return bytes(self.client.get(self.root + path).bytes())

    def many_json(self, paths: Sequence[str]) -> list[Any]:
        from wreq import Client

        async def everything() -> list[Any]:
            client = Client(headers=self.headers)

            async def one(path: str) -> Any:
                response = await client.get(self.root + path)
                return await response.json()

            return await at_most(self.AT_A_TIME, paths, one)

        return asyncio.run(everything())
