"""A soak: a service and a client at work for half an hour, and their memory each minute. `make soak` runs it.

The project keeps its size, because the client removes what it adds; the database grows by its history all the same, so
that its size is beside the memory. Memory is private and anonymous (`Anonymous` of `smaps_rollup`), which is what a
leak makes grow; pages of files, which the system may take back at any time, are a column of their own. The client has
the setting of glibc that `docs/reliability.md` names for programs that run for days: without it, gaps between blocks in
the arenas of many threads grow for half an hour, while what is in use stays the same.

    python tests/support/soak.py [MINUTES] [REQUESTS A SECOND]
"""

import asyncio
import os
import random
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pygeodesign import AsyncClient, Client
from pygeodesign import open as open_archive
from serving import PROJECT, running_service

SQUARE = {"type": "Polygon", "coordinates": [[[-74.16, 40.57], [-74.15, 40.57], [-74.15, 40.58], [-74.16, 40.57]]]}
# Number of its own diagrams that the client keeps.
KEPT = 40
# An archive takes some thousand requests at once.
SECONDS_BETWEEN_ARCHIVES = 120
# Minutes after which all caches are full and all code has run.
WARM_UP = 5
# Allocators keep free memory in pieces, so that constant use still varies by some MB.
ALLOWED_GROWTH = 8.0
MB = 1024 * 1024


def use(url: str, token: str, rate: float, folder: Path) -> None:
    """Reads and writes at random until the process is ended."""
    chance = random.Random(0)
    project = Client(token, url).project(PROJECT)
    caching = Client(token, url, cache=True).project(PROJECT)
    team = project.teams()[0]["id"]
    own: deque[int] = deque()

    def add() -> None:
        own.append(int(project.add_diagram(chance.randint(1, 9), SQUARE, title=f"at {time.time_ns()}").id))
        if len(own) > KEPT:
            project.diagram(own.popleft()).delete()

    async def read_at_once() -> None:
        awaited = AsyncClient(token, url).project(PROJECT)
        await asyncio.gather(awaited.systems(), awaited.diagram(1002).features(), awaited.study_area.boundaries())

    def archive() -> None:
        project.archive(folder / "soak.zip", progress=False)
        open_archive(folder / "soak.zip").costs()

    def watch() -> None:
        for _ in project.watch():
            pass

    threading.Thread(target=watch, daemon=True).start()
    frequent: list[Callable[[], object]] = [
        add,
        lambda: project.diagram(chance.choice(own or [1002])).set_notes(f"at {time.time_ns()}"),
        lambda: project.diagram(chance.choice(own or [1002])).features().to_geopandas(),
        lambda: project.diagrams(fields="summary"),
        project.systems,
        lambda: project.designs(team),
        project.change_id,
        lambda: project.diagram(1002).thumbnail(),
    ]
    rare: list[Callable[[], object]] = [
        project.costs,
        lambda: caching.diagrams().to_arrow(),
        lambda: caching.costs().to_html(),
        lambda: project.diagrams().to_dict(),
        lambda: asyncio.run(read_at_once()),
        lambda: project.map().to_html(),
    ]
    started, sent, archived_at = time.monotonic(), 0, 0.0
    while True:
        # A rare action sends about ten requests.
        is_rare = chance.random() < 0.03
        act = chance.choice(rare if is_rare else frequent)
        act()
        sent += 10 if is_rare else 1
        if time.monotonic() > archived_at + SECONDS_BETWEEN_ARCHIVES:
            archive()
            archived_at = time.monotonic()
        time.sleep(max(0.0, started + sent / rate - time.monotonic()))


def memory_of(pid: int) -> tuple[float, float]:
    """The anonymous memory of a process, and its pages of files, in MB."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    sizes = {line.split()[0]: int(line.split()[1]) / 1024 for line in rollup[1:]}
    return sizes["Anonymous:"], sizes["Rss:"] - sizes["Anonymous:"]


def growth(series: list[float]) -> float:
    """Growth of a series after the warm-up in MB: from the median of its first third to the median of its last."""
    level = series[WARM_UP + 1 :]
    third = len(level) // 3
    return median(level[-third:]) - median(level[:third])


def main(minutes: int, rate: float) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        database = folder / "soak.sqlite"
        with running_service("--db", database) as service:
            arguments = [service.urls[-1], service.tokens["admin"], str(rate), str(folder)]
            environment = os.environ | {"MALLOC_ARENA_MAX": "2"}
            client = subprocess.Popen([sys.executable, __file__, "--client", *arguments], env=environment)
            try:
                series = watch_memory(minutes, service.process.pid, client, database)
            finally:
                client.kill()
                client.wait()
    if minutes < WARM_UP + 3:
        return
    grown = {who: growth(values) for who, values in series.items()}
    print("growth after the warm-up:", ", ".join(f"{who} {amount:+.1f} MB" for who, amount in grown.items()))
    if max(grown.values()) > ALLOWED_GROWTH:
        sys.exit(f"memory grows by more than {ALLOWED_GROWTH:.0f} MB")


def watch_memory(minutes: int, pid: int, client: "subprocess.Popen[bytes]", database: Path) -> dict[str, list[float]]:
    series: dict[str, list[float]] = {"service": [], "client": []}
    print("minute  service: anonymous, of files  client: anonymous, of files  database  (MB)")
    started = time.monotonic()
    for minute in range(minutes + 1):
        time.sleep(max(0.0, started + 60 * minute - time.monotonic()))
        if client.poll() is not None:
            sys.exit("the client ended")
        memory = {"service": memory_of(pid), "client": memory_of(client.pid)}
        size = sum(file.stat().st_size for file in database.parent.glob(f"{database.name}*")) / MB
        columns = "  ".join(f"{anonymous:7.1f} {of_files:7.1f}" for anonymous, of_files in memory.values())
        print(f"{minute:6}  {columns}  {size:7.1f}", flush=True)
        for who, (anonymous, _) in memory.items():
            series[who].append(anonymous)
    return series


if __name__ == "__main__":
    if sys.argv[1:2] == ["--client"]:
        use(sys.argv[2], sys.argv[3], float(sys.argv[4]), Path(sys.argv[5]))
    else:
        given = sys.argv[1:]
        main(int(given[0]) if given else 30, float(given[1]) if len(given) > 1 else 20)
