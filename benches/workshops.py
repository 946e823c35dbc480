"""A thousand workshops in one service, a hundred of them with ten members each: memory and latencies."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import ROUNDS, Row, sized, timing
from served import Service, served

WORKSHOPS = sized(1_000, 10)
ACTIVE = sized(100, 5)
MEMBERS = 10
# For all members together: each member sends one per second.
REQUESTS_PER_SECOND = ACTIVE * MEMBERS
LOAD_SECONDS = sized(3, 1)
READS = ("", "systems/", "diagrams/1001/", "tags/", "changeid/")
MAX_BYTES = 1.5e9
# All members of the one workshop are the same user here, and connect at once.
LIMITED = (
    "connections",
    "connections_per_address",
    "connections_per_user",
    "requests_per_user",
    "heavy_requests_per_user",
)
LIMITS = [f"--limit={name}=4000" for name in LIMITED]


def workshop_rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        token = fill(folder / "many")
        alone = folder / "alone.sqlite"
        shutil.copy(folder / "many" / "w0.sqlite", alone)
        with (
            served("--workshops", folder / "many") as many,
            served("--db", alone, *LIMITS) as one,
        ):
            # The first response of each workshop opens it.
            many = many._replace(token=token)
            many.load([f"/w/w{number}{many.path('')}" for number in range(WORKSHOPS)], 1, 3 * LOAD_SECONDS)
            p99s = members_at_work(folder, token, many, one)
            resident = many.status("VmHWM")
    what = f"{WORKSHOPS:,} workshops in one service: ".replace(",", " ")
    ours, theirs = (timing(p99s[service]) for service in (many, one))
    read = f"{what}p99 of {ACTIVE} with {MEMBERS} members each, who read once a second"
    beside = f"one workshop with {ACTIVE * MEMBERS:,} members".replace(",", " ")
    ratio = resident / MAX_BYTES
    yield Row(what + "most memory", "1 500 MB", f"{resident / 1e6:.0f} MB", "1 500 MB", ratio, 1, at_most=True)
    yield Row(read, beside, str(ours), str(theirs), ours.median / theirs.median, 1.2, at_most=True)


def fill(folder: Path) -> str:
    """Writes the databases, which are copies of one. Returns the token that is valid in all of them."""
    add = [sys.executable, "-m", "pygeodesign", "workshops", str(folder), "--add", "w0", "--demo", "--json"]
    created = json.loads(subprocess.run(add, stdout=subprocess.PIPE, check=True).stdout)
    for number in range(1, WORKSHOPS):
        shutil.copy(folder / "w0.sqlite", folder / f"w{number}.sqlite")
    return str(created["tokens"]["admin"])


def members_at_work(folder: Path, token: str, many: Service, one: Service) -> dict[Service, list[float]]:
    """The 99th percentiles of the response times in seconds, for several rounds in turns."""
    lines = {many: folder / "many.txt", one: folder / "one.txt"}
    for service, path in lines.items():
        prefixes = [f"/w/w{workshop}" if service is many else "" for workshop in range(ACTIVE)]
        reads = [
            f"{prefixes[number % ACTIVE]}{service.path(READS[number % len(READS)])} {token}"
            for number in range(ACTIVE * MEMBERS)
        ]
        path.write_text("\n".join(reads), encoding="utf-8")
    p99s: dict[Service, list[float]] = {service: [] for service in lines}
    for turn in range(ROUNDS + 1):
        for service, path in lines.items():
            options = (f"each:{path}", ACTIVE * MEMBERS, LOAD_SECONDS, f"rate={REQUESTS_PER_SECOND}")
            _, _, p99 = service.load_from(*options)
            # The first turn opens the workshops.
            p99s[service].extend([p99 / 1e3][: min(turn, 1)])
    return p99s
