"""The command that starts a service. In its environment, DATABASE is the path of its database."""

from collections.abc import Callable
from typing import NamedTuple


class ServicePeer(NamedTuple):
    name: str
    # The command that serves at a port of 127.0.0.1.
    command: Callable[[int], list[str]]
