"""pyreqwest, reqwest's interface in Python."""

from functools import cached_property
from typing import Any

from peers.clients.http_client import ClientPeer


class Pyreqwest(ClientPeer):
    @cached_property
    def client(self) -> Any:
        from pyreqwest.client import SyncClientBuilder

        return SyncClientBuilder().default_headers(self.headers).build()

    def buffer(self, path: str) -> Any:
        """The body of the response without a copy, as an object with the buffer protocol."""
        return self.client.get(self.root + path).build().send().bytes()
