"""The interface of all HTTP clients in the benchmarks."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar


class ClientPeer:
    """Base of all clients. The paths of their requests are relative to the API root."""

    def __init__(self, root: str, token: str) -> None:
        self.root = root
        self.headers = {"Authorization": f"Token {token}"}


class HttpClient(ClientPeer, ABC):
    """Sends requests one after the other, and keeps its connections between them."""

    @abstractmethod
    def json(self, path: str) -> Any:
        """The response, parsed by the parser that the client's documentation recommends."""


class ManyAtATime(ClientPeer, ABC):
    """Sends many requests at the same time, at most `AT_A_TIME`. Results are in the order of the paths."""

    AT_A_TIME: ClassVar[int] = 32

    @abstractmethod
    def many_json(self, paths: Sequence[str]) -> list[Any]:
        """The responses, parsed."""


async def at_most(limit: int, items: Sequence[Any], fetch: Callable[[Any], Awaitable[Any]]) -> list[Any]:
    """Awaits `fetch` for each item, at most `limit` at a time."""
    results: list[Any] = [None] * len(items)
    numbered = iter(enumerate(items))

    async def fetch_until_none_is_left() -> None:
        for number, item in numbered:
            results[number] = await fetch(item)

    await asyncio.gather(*(fetch_until_none_is_left() for _ in range(limit)))
    return results
