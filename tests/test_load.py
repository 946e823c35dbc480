"""A room full of members reads and writes at once: no error, nothing lost, and memory that stays where it is."""

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pytest

from pygeodesign import AsyncClient, AsyncProject, Sandbox
from stress import times
from test_command_line import PROJECT, serving
from test_durability import SQUARE, check_sound

MEMBERS = 200
SECONDS = times(short=4.0, long=60.0)


@dataclass
class Room:
    """What the members did, and how long each of it took."""

    until: float
    latencies: list[float] = field(default_factory=list)
    added: Counter[int] = field(default_factory=Counter)
    places: list[tuple[int, Any]] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)


async def member(project: AsyncProject, room: Room, number: int) -> None:
    """Draws, takes notes on what it drew, and looks around, like any other."""
    chance = random.Random(number)
    own: list[int] = []
    while time.monotonic() < room.until:
        await asyncio.sleep(chance.expovariate(20))
        what = chance.choices(["add", "note", "look", "systems", "design"], [2, 3, 6, 3, 1])[0]
        begun = time.monotonic()
        match what:
            case "add":
                sysid = chance.randint(1, 9)
                added = await project.add_diagram(sysid, SQUARE, title=f"of member {number}")
                own.append(int(added["diagram_id"]))
                room.added[own[-1]] += 1
                room.places.append((sysid, added["grid_location"]))
            case "note" if own:
                diagram = chance.choice(own)
                room.notes[diagram] = await project.set_diagram_notes(diagram, f"{number} at {time.time_ns()}")
            case "systems":
                assert len(await project.systems()) == 9
            case "design":
                await project.design(1, "a023631f09bc2e31")
            case _:
                await project.diagram(chance.choice(own or [1002]))
        room.latencies.append(time.monotonic() - begun)
        room.done[what] += 1


def memory_of(pid: int) -> int:
    """Bytes that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) * 1024


@pytest.mark.slow
def test_a_room_full_of_members(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    names = [f"member.{number:03}" for number in range(MEMBERS)]
    with Sandbox(path) as sandbox:
        for name in names:
            sandbox.add_user(name)
            sandbox.add_member(PROJECT, name)
    with serving("--db", path) as room:
        measurable = Path(f"/proc/{room.process.pid}/status").exists()

        async def everybody(seconds: float) -> Room:
            # No second tries: every failure counts.
            clients = [AsyncClient(room.tokens[name], room.urls[0], retries=0, timeout=60) for name in names]
            projects = [client.project(PROJECT) for client in clients]
            outcome = Room(time.monotonic() + seconds)
            await asyncio.gather(*(member(project, outcome, number) for number, project in enumerate(projects)))
            return outcome

        outcomes, memory = [], []
        for _ in range(3):
            outcomes.append(asyncio.run(everybody(SECONDS / 3)))
            memory.append(memory_of(room.process.pid) if measurable else 0)
        details = {diagram["id"]: diagram for diagram in room.client().project(PROJECT).diagram_details()}
    for outcome in outcomes:
        # No id was given twice, none is missing, and each has the last note that it got.
        assert set(outcome.added.values()) <= {1}
        assert outcome.added.keys() <= details.keys()
        assert {number: details[number]["notes"] for number in outcome.notes} == outcome.notes
    places = Counter(place for outcome in outcomes for place in outcome.places)
    assert set(places.values()) == {1}
    check_sound(path)
    # What is stored grows, what is held does not.
    assert all(later - earlier < 64 * 2**20 for earlier, later in pairwise(memory))
    latencies = sorted(latency for outcome in outcomes for latency in outcome.latencies)
    p99 = quantiles(latencies, n=100)[-1]
    print(
        f"\n{MEMBERS} members, {SECONDS:.0f} s: {len(latencies) / SECONDS:.0f} operations a second, "
        f"p50 {median(latencies) * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, memory {[m >> 20 for m in memory]} MiB, "
        f"{dict(sum((outcome.done for outcome in outcomes), Counter()))}"
    )


def test_writes_to_one_thing_come_one_after_another(tmp_path: Path) -> None:
    """Tags, groups and notes of one diagram, set by many: the last one that was set is there, whole."""
    with Sandbox(tmp_path / "service.sqlite") as sandbox:

        async def everybody() -> tuple[set[str], str]:
            project = sandbox.async_client().project(PROJECT)
            texts = [f"{number}" * 1000 for number in range(50)]
            answers = await asyncio.gather(*(project.set_diagram_notes(1002, text) for text in texts))
            return set(answers), await project.diagram_notes(1002)

        answers, last = asyncio.run(everybody())
    assert last in answers
    assert len(answers) == 50


@pytest.mark.parametrize("count", [times(short=200, long=2_000)])
def test_lists_that_grow_from_many_sides_lose_nobody(count: int) -> None:
    with Sandbox() as sandbox:

        async def everybody() -> list[str | None]:
            project = sandbox.async_client().project(PROJECT)
            await asyncio.gather(*(project.add_stakeholders([f"{number}"]) for number in range(count)))
            return [stakeholder["name"] for stakeholder in await project.stakeholders()]

        names = asyncio.run(everybody())
    assert set(names) >= {f"{number}" for number in range(count)}
    assert len(names) == count + 8
