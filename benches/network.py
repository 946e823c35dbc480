"""Compares the client with others over a network: 20 ms each way, 100 Mbit/s, TLS."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from harness import Row, Timing, program, sized, timed_row, timings
from peers.clients.http_client import at_most
from peers.needs import installed
from pygeodesign import Client
from served import PROJECT, served
from services import fill

DELAY_MS = 20
MEGABITS = 100
ROUND_TRIP = 2 * DELAY_MS / 1e3
IDS = range(1001, 1001 + sized(180, 50))
# In seconds, in addition to round trips and bytes.
COLD_WORK = 0.030
MANY_WORK = 0.040


class Far(NamedTuple):
    """A service behind the network."""

    url: str
    token: str
    ca_file: str
    project: str
    # The service's bytes that have arrived so far.
    received: Callable[[], int]

    def client(self, **settings: Any) -> Client:
        # The address is on this machine, where clients do not ask for compressed responses.
        return Client(self.token, self.url, ca_bundle=self.ca_file, compression=True, **settings)

    def bytes_of(self, task: Callable[[], Any]) -> int:
        before = self.received()
        task()
        return self.received() - before


def network_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "far.sqlite")
        fill(database)
        with serve_far(database) as far:
            yield from own_rows(far)
            yield from peer_rows(far)


def own_rows(far: Far) -> list[Row]:
    """Our times compared with the network's share alone."""
    warm, cached = far.client().project(far.project), far.client(cache=True).project(far.project)
    tasks: dict[str, tuple[Callable[[], Any], float, float, float]] = {
        # The task, its round trips, the factor of its bytes, and seconds for work.
        "costs(), the first call of a client": (lambda: far.client().project(far.project).costs(), 4, 1, COLD_WORK),
        "180 change ids": (lambda: warm.diagram_change_ids(IDS), 2, 0, MANY_WORK),
        "diagrams(), compressed": (lambda: warm.diagrams(), 1, 1.15, 0),
        "costs(), unchanged, with a cache": (lambda: cached.costs(), 1.2, 0, 0),
    }
    sizes = {}
    for what, (task, *_) in tasks.items():
        # The first time fills the cache.
        task()
        sizes[what] = far.bytes_of(task)
    taken = timings({what: task for what, (task, *_) in tasks.items()})
    rows = []
    for what, (_, round_trips, factor, work) in tasks.items():
        limit = round_trips * ROUND_TRIP + factor * sizes[what] * 8 / (MEGABITS * 1e6) + work
        by = f"the network: {round_trips:g} round trips" + (f" and {sizes[what] / 1e6:.2f} MB" if factor else "")
        by += f" + {work * 1e3:.0f} ms" if work else ""
        rows.append(timed_row(f"{what}, over a network", by, taken[what], Timing(limit, limit), 1))
    return rows


def peer_rows(far: Far) -> list[Row]:
    """The same requests by other clients, which all ask for compressed responses."""
    warm = far.client().project(far.project)
    peers: dict[str, type[FarPeer]] = {
        "requests, 32 threads": RequestsFar,
        "pyreqwest": PyreqwestFar,
    }
    clients = {name: peer(far) for name, peer in peers.items() if installed(name, partial(peer, far))}
    rows = []
    expected = warm.diagram_change_ids(IDS)
    for name, client in clients.items():
        if client.change_ids() != expected:
            sys.exit(f"{name} gives other change ids, so the times are not comparable")
    change_ids = {name: client.change_ids for name, client in clients.items()}
    diagrams = {name: client.diagrams for name, client in clients.items()}
    for what, ours, theirs in (
        ("180 change ids", lambda: warm.diagram_change_ids(IDS), change_ids),
        ("diagrams/all/ to Python objects", lambda: warm.diagrams().to_dict(), diagrams),
    ):
        taken = timings({"ours": ours, **theirs})
        rows += [timed_row(f"{what}, over a network", name, taken["ours"], taken[name]) for name in clients]
    return rows


class FarPeer(Protocol):
    def __init__(self, far: Far) -> None: ...

    def change_ids(self) -> dict[int, str]: ...

    def diagrams(self) -> Any: ...


class RequestsFar:
    """requests, with a pool of threads."""

    def __init__(self, far: Far) -> None:
        import requests
        from requests.adapters import HTTPAdapter

        self.root = f"{far.url}projects/{far.project}/"
        self.session = requests.Session()
        self.session.mount("https://", HTTPAdapter(pool_maxsize=32))
        self.session.headers["Authorization"] = f"Token {far.token}"
        self.session.verify = far.ca_file
        # The environment may name other certificates.
        self.session.trust_env = False

    def get(self, path: str) -> Any:
        response = self.session.get(self.root + path)
        response.raise_for_status()
        return response.json()

    def change_ids(self) -> dict[int, str]:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(32) as pool:
            answers = pool.map(lambda number: self.get(f"diagrams/{number}/changeid/"), IDS)
            return {number: answer["changehash"] for number, answer in zip(IDS, answers, strict=True)}

    def diagrams(self) -> Any:
        return self.get("diagrams/all/")


class PyreqwestFar:
    """pyreqwest, which speaks HTTP/2 where the service does."""

    def __init__(self, far: Far) -> None:
        import asyncio

        from pyreqwest.client import ClientBuilder

        self.root = f"{far.url}projects/{far.project}/"
        self.runner = asyncio.Runner()
        builder = ClientBuilder().default_headers({"Authorization": f"Token {far.token}"})
        self.client = builder.add_root_certificate_pem(Path(far.ca_file).read_bytes()).build()

    async def get(self, path: str) -> Any:
        return await (await self.client.get(self.root + path).build().send()).json()

    def change_ids(self) -> dict[int, str]:
        paths = [f"diagrams/{number}/changeid/" for number in IDS]
        answers = self.runner.run(at_most(90, paths, self.get))
        return {number: answer["changehash"] for number, answer in zip(IDS, answers, strict=True)}

    def diagrams(self) -> Any:
        return self.runner.run(self.get("diagrams/all/"))


@contextmanager
def serve_far(database: Path) -> Iterator[Far]:
    with (
        served("--tls-self-signed", "--db", database) as service,
        slow_network(service.address) as (port, received),
    ):
        assert service.ca_file is not None
        url = f"https://127.0.0.1:{port}/api/v1/"
        yield Far(url, service.token, service.ca_file, PROJECT, received)


@contextmanager
def slow_network(service: str) -> Iterator[tuple[str, Callable[[], int]]]:
    """The proxy's port, and a function for the bytes of the service that it has delivered."""
    command = [program("slow_network"), service, str(DELAY_MS), str(MEGABITS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None

        def received() -> int:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        try:
            yield process.stdout.readline().strip(), received
        finally:
            process.kill()
