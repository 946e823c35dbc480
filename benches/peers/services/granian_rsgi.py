"""Granian's own interface, RSGI, with sqlite3 and no framework: `granian_app.py`."""

import sys

from peers.services.service_peer import ServicePeer


def command(port: int) -> list[str]:
    granian = [sys.executable, "-m", "granian", "peers.services.granian_app:app", "--port", str(port)]
    return [*granian, "--interface", "rsgi", "--http", "1", "--no-ws", "--loop", "uvloop", "--workers", "2", "--no-log"]


GRANIAN = ServicePeer("Granian RSGI + sqlite3", ("granian", "uvloop"), command)
