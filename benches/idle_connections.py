"""How much memory the service needs for each client that is connected and waits."""

import resource
import socket
import tempfile
from contextlib import ExitStack
from pathlib import Path

from harness import Row
from services import load, serve_ours, status

# How many clients wait, and how many bytes each may take.
CLIENTS = 1_000
MAX_BYTES = 20_000
# What each client asks for, relative to the project.
REQUESTS = {"an idle connection": "diagrams/1010/", "a watcher of a project": "events/"}


def idle_rows() -> list[Row]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # The services inherit the limit.
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return [idle_row(what, path) for what, path in REQUESTS.items()]


def idle_row(what: str, path: str) -> Row:
    """How much the memory of a new service grows with each client that has had a response, or the first part of one."""
    # More than a service keeps open by default.
    limit = f"connections={2 * CLIENTS}"
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_ours(Path(folder, "demo.sqlite"), "--limit", limit) as service,
        ExitStack() as connections,
    ):
        # Its threads and its database have the memory that they keep.
        load(service, [REQUESTS["an idle connection"]], 16, 0.5)
        full_path = f"/api/v1/projects/{service.project}/{path}"
        request = f"GET {full_path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {service.token}\r\n\r\n".encode()
        host, port = service.address.split(":")
        before = status(service, "VmRSS")
        for _ in range(CLIENTS):
            connection = connections.enter_context(socket.create_connection((host, int(port))))
            connection.sendall(request)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
        each = (status(service, "VmRSS") - before) / CLIENTS
    allowed = f"{MAX_BYTES / 1e3:.1f} kB"
    label = f"memory of {what}, one of {CLIENTS}"
    return Row(label, allowed, f"{each / 1e3:.1f} kB", allowed, each / MAX_BYTES, 1, at_most=True)
