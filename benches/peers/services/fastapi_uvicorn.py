"""FastAPI, served by `uvicorn[standard]`, as FastAPI's documentation installs it: `fastapi_app.py`."""

import sys

from peers.services.service_peer import ServicePeer


def command(port: int) -> list[str]:
    uvicorn = [sys.executable, "-m", "uvicorn", "peers.services.fastapi_app:app", "--port", str(port)]
    # With the names of its recommended parts, uvicorn does not start without them.
    return [*uvicorn, "--loop", "uvloop", "--http", "httptools", "--workers", "2", "--log-level", "warning"]


FASTAPI = ServicePeer("FastAPI + uvicorn[standard] + SQLite", command)
