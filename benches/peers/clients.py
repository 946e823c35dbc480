"""The HTTP clients that a script would use instead."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import httpx
import orjson
import requests
from geopandas import GeoDataFrame, read_file
from pyreqwest.client import ClientBuilder, SyncClientBuilder


def features_of(diagrams: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [feature for diagram in diagrams for feature in diagram["geojson"]["features"]]


def frame(diagrams: list[dict[str, Any]]) -> GeoDataFrame:
    return GeoDataFrame.from_features(features_of(diagrams), crs="EPSG:4326")


class Peers:
    """HTTP clients that keep their connections from one task to the next."""

    def __init__(self, root: str, token: str) -> None:
        self.root = root
        self.headers = {"Authorization": f"Token {token}"}
        self.requests = requests.Session()
        self.requests.headers.update(self.headers)
        self.httpx = httpx.Client(headers=self.headers)
        self.pyreqwest = SyncClientBuilder().default_headers(self.headers).build()
        self.address = urlsplit(root)
        self.socket = socket.create_connection((self.address.hostname, self.address.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def by_requests(self, path: str) -> Any:
        response = self.requests.get(self.root + path)
        response.raise_for_status()
        return response.json()

    def by_httpx(self, path: str) -> Any:
        response = self.httpx.get(self.root + path)
        response.raise_for_status()
        return orjson.loads(response.content)

    def by_pyreqwest(self, path: str) -> Any:
        return self.pyreqwest.get(self.root + path).build().send().json()

    def by_socket(self, path: str) -> Any:
        """The exchange of bytes without an HTTP client, which is a lower bound for the time of any client."""
        request = f"GET {self.address.path}{path} HTTP/1.1\r\nHost: {self.address.netloc}\r\n\r\n"
        self.socket.sendall(request.encode())
        return orjson.loads(self.socket.recv(65_536).partition(b"\r\n\r\n")[2])

    def read_json(self, body: bytes) -> Any:
        return orjson.loads(body)

    def many_by_requests(self, paths: list[str]) -> list[Any]:
        return self._many_by_requests(paths, requests.Response.json)

    def many_bytes_by_requests(self, paths: list[str]) -> list[bytes]:
        return self._many_by_requests(paths, lambda response: response.content)

    def _many_by_requests(self, paths: list[str], read: Callable[[requests.Response], Any]) -> list[Any]:
        def one(path: str) -> Any:
            response = self.requests.get(self.root + path)
            response.raise_for_status()
            return read(response)

        with ThreadPoolExecutor(32) as pool:
            return list(pool.map(one, paths))

    def many_by_aiohttp(self, paths: list[str]) -> list[Any]:
        return self._many_by_aiohttp(paths, aiohttp.ClientResponse.json)

    def many_bytes_by_aiohttp(self, paths: list[str]) -> list[bytes]:
        return self._many_by_aiohttp(paths, aiohttp.ClientResponse.read)

    def _many_by_aiohttp(self, paths: list[str], read: Callable[[aiohttp.ClientResponse], Awaitable[Any]]) -> list[Any]:
        async def everything() -> list[Any]:
            connector = aiohttp.TCPConnector(limit=32)
            async with aiohttp.ClientSession(headers=self.headers, connector=connector) as session:

                async def one(path: str) -> Any:
                    async with session.get(self.root + path) as response:
                        response.raise_for_status()
                        return await read(response)

                return await asyncio.gather(*(one(path) for path in paths))

        return asyncio.run(everything())

    def many_by_pyreqwest(self, paths: list[str]) -> list[Any]:
        async def everything() -> list[Any]:
            builder = ClientBuilder().default_headers(self.headers).max_connections(32)
            async with builder.build() as client:

                async def one(path: str) -> Any:
                    return await (await client.get(self.root + path).build().send()).json()

                return await asyncio.gather(*(one(path) for path in paths))

        return asyncio.run(everything())


def frame_by_pyogrio(geojson: bytes) -> GeoDataFrame:
    return read_file(geojson, engine="pyogrio", use_arrow=True)
