"""The HTTP clients that a script would use instead."""

from peers.clients.aiohttp_client import Aiohttp
from peers.clients.bare_socket import BareSocket
from peers.clients.http_client import ClientPeer, HttpClient, ManyAtATime
from peers.clients.httpr_client import Httpr
from peers.clients.httpx_client import Httpx
from peers.clients.primp_client import Primp
from peers.clients.pyreqwest_client import Pyreqwest
from peers.clients.requests_client import Requests
from peers.clients.wreq_client import Wreq

CLIENTS: list[type[ClientPeer]] = [Aiohttp, BareSocket, Httpr, Httpx, Primp, Pyreqwest, Requests, Wreq]

__all__ = [
    "CLIENTS",
    "Aiohttp",
    "BareSocket",
    "ClientPeer",
    "HttpClient",
    "Httpr",
    "Httpx",
    "ManyAtATime",
    "Primp",
    "Pyreqwest",
    "Requests",
    "Wreq",
]
