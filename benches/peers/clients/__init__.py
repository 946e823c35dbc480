"""The HTTP clients that a script would use instead."""

from peers.clients.aiohttp_client import Aiohttp
from peers.clients.http_client import HttpClient, ManyAtATime
from peers.clients.primp_client import Primp
from peers.clients.pyreqwest_client import Pyreqwest
from peers.clients.requests_client import Requests
from peers.clients.wreq_client import Wreq

__all__ = ["Aiohttp", "HttpClient", "ManyAtATime", "Primp", "Pyreqwest", "Requests", "Wreq"]
