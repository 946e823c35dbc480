"""wreq, a client in Rust for asyncio."""

import asyncio
from collections.abc import Sequence
from typing import Any

from peers.clients.http_client import ManyAtATime, at_most


class Wreq(ManyAtATime):
    def many_json(self, paths: Sequence[str]) -> list[Any]:
        from wreq import Client

        async def everything() -> list[Any]:
            client = Client(headers=self.headers)

            async def one(path: str) -> Any:
                response = await client.get(self.root + path)
                return await response.json()

            return await at_most(self.AT_A_TIME, paths, one)

        return asyncio.run(everything())
