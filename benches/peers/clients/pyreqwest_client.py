"""pyreqwest, reqwest's interface in Python."""

import asyncio
from collections.abc import Sequence
from typing import Any

from peers.clients.http_client import HttpClient, ManyAtATime, at_most


class Pyreqwest(HttpClient, ManyAtATime):
    name = "pyreqwest"
    needs = ("pyreqwest",)

    def __init__(self, root: str, token: str) -> None:
        from pyreqwest.client import SyncClientBuilder

        super().__init__(root, token)
        self.client = SyncClientBuilder().default_headers(self.headers).build()

    def json(self, path: str) -> Any:
        return self.client.get(self.root + path).build().send().json()

    def buffer(self, path: str) -> Any:
        """The body of the response without a copy, as an object with the buffer protocol."""
        return self.client.get(self.root + path).build().send().bytes()

    def content(self, path: str) -> bytes:
        return bytes(self.buffer(path))

    def many_json(self, paths: Sequence[str]) -> list[Any]:
        from pyreqwest.client import ClientBuilder

        async def everything() -> list[Any]:
            builder = ClientBuilder().default_headers(self.headers).max_connections(self.AT_A_TIME)
            async with builder.build() as client:

                async def one(path: str) -> Any:
                    return await (await client.get(self.root + path).build().send()).json()

                return await at_most(self.AT_A_TIME, paths, one)

        return asyncio.run(everything())
