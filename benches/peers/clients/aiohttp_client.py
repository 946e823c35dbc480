"""aiohttp, the usual client for asyncio, with its optional parts written in C."""

import asyncio
from collections.abc import Sequence
from typing import Any

from peers.clients.http_client import ManyAtATime


class Aiohttp(ManyAtATime):
    def many_json(self, paths: Sequence[str]) -> list[Any]:
        return asyncio.run(self._many(paths))

    async def _many(self, paths: Sequence[str]) -> list[Any]:
        import aiohttp

        connector = aiohttp.TCPConnector(limit=self.AT_A_TIME)
        async with aiohttp.ClientSession(headers=self.headers, connector=connector) as session:

            async def one(path: str) -> Any:
                async with session.get(self.root + path) as response:
                    response.raise_for_status()
                    return await response.json()

            return await asyncio.gather(*(one(path) for path in paths))
