"""Memory that the service needs per connected, waiting client."""

import resource
import socket
from contextlib import ExitStack

from harness import Row, sized
from served import served

# The number of waiting clients, and the bytes allowed for each.
CLIENTS = sized(1_000, 100)
MAX_BYTES = 20_000
# Each client's request, relative to the project.
REQUESTS = {"an idle connection": "diagrams/1010/", "a watcher of a project": "events/"}


def idle_rows() -> list[Row]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # The services inherit the limit.
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return [idle_row(what, path) for what, path in REQUESTS.items()]


def idle_row(what: str, path: str) -> Row:
    """Growth of a new service's memory per client that has had a response, or the first part of one."""
    # More than a service keeps open by default.
    limits = (f"--limit={name}={2 * CLIENTS}" for name in ("connections", "requests_per_user"))
    with served(*limits) as service, ExitStack() as connections:
        # Its threads and its database have allocated the memory that they keep.
        service.load([service.path(REQUESTS["an idle connection"])], 16, 0.5)
        request = f"GET {service.path(path)} HTTP/1.1\r\nHost: {service.address}\r\n"
        request += f"Authorization: Token {service.token}\r\n\r\n"
        host, port = service.address.split(":")
        before = service.status("VmRSS")
        for _ in range(CLIENTS):
            connection = connections.enter_context(socket.create_connection((host, int(port))))
            connection.sendall(request.encode())
            assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
        each = (service.status("VmRSS") - before) / CLIENTS
    allowed = f"{MAX_BYTES / 1e3:.1f} kB"
    label = f"memory of {what}, one of {CLIENTS}"
    return Row(label, allowed, f"{each / 1e3:.1f} kB", allowed, each / MAX_BYTES, 1, at_most=True)
