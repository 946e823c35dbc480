"""aiohttp, the usual client for asyncio, with its optional parts written in C."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from peers.clients.http_client import ManyAtATime


class Aiohttp(ManyAtATime):
    name = "aiohttp"
    # Its parser and its writer in C are there unless it was built without them.
    needs = ("aiohttp", "aiohttp._http_parser", "aiohttp._http_writer")

    def many_json(self, paths: Sequence[str]) -> list[Any]:
        return asyncio.run(self._many(paths, lambda response: response.json()))

    def many_content(self, paths: Sequence[str]) -> list[bytes]:
        return asyncio.run(self._many(paths, lambda response: response.read()))

    async def _many(self, paths: Sequence[str], read: Callable[[Any], Awaitable[Any]]) -> list[Any]:
        import aiohttp

        connector = aiohttp.TCPConnector(limit=self.AT_A_TIME)
        async with aiohttp.ClientSession(headers=self.headers, connector=connector) as session:

            async def one(path: str) -> Any:
                async with session.get(self.root + path) as response:
                    response.raise_for_status()
                    return await read(response)

            return await asyncio.gather(*(one(path) for path in paths))
