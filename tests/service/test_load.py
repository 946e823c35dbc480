"""200 members read and write at the same time: no request fails, nothing is lost, memory does not grow."""

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

from durability import SQUARE, check_integrity
from pygeodesign import AsyncClient, AsyncProject, Sandbox
from serving import PROJECT, running_service
from stress import duration

pytestmark = [pytest.mark.unix, pytest.mark.alone("200 members at once"), pytest.mark.stress]

MEMBERS = 200
SECONDS = duration(short=4.0, long=60.0)


@dataclass
class Outcome:
    """The members' actions, and the seconds of each request."""

    until: float
    latencies: list[float] = field(default_factory=list)
    added: Counter[int] = field(default_factory=Counter)
    places: list[tuple[int, Any]] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)


async def member(project: AsyncProject, outcome: Outcome, number: int) -> None:
    """One member, who adds diagrams, writes notes on them, and reads, at random."""
    chance = random.Random(number)
    own: list[int] = []
    while time.monotonic() < outcome.until:
        await asyncio.sleep(chance.expovariate(20))
        action = chance.choices(["add", "note", "look", "systems", "design"], [2, 3, 6, 3, 1])[0]
        started = time.monotonic()
        match action:
            case "add":
                sysid = chance.randint(1, 9)
                added = await project.add_diagram(sysid, SQUARE, title=f"of member {number}")
                own.append(int(added.id))
                outcome.added[own[-1]] += 1
                outcome.places.append((sysid, (await added)["rank"]))
            case "note" if own:
                diagram = chance.choice(own)
                note = f"{number} at {time.time_ns()}"
                await project.diagram(diagram).set_notes(note)
                outcome.notes[diagram] = note
            case "systems":
                assert len(await project.systems()) == 9
            case "design":
                await project.design("a023631f09bc2e31", 1).features()
            case _:
                await project.diagram(chance.choice(own or [1002])).features()
        outcome.latencies.append(time.monotonic() - started)
        outcome.done[action] += 1


def memory_of(pid: int) -> int:
    """The resident memory of a process, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) * 1024


@pytest.mark.slow
def test_200_members_read_and_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"
    names = [f"member.{number:03}" for number in range(MEMBERS)]
    with Sandbox(path) as sandbox:
        project = sandbox.project()
        for name in names:
            sandbox.add_user(name)
            project.add_member(name)
    with running_service("--db", path) as service:
        measurable = Path(f"/proc/{service.process.pid}/status").exists()

        async def run_all(seconds: float) -> Outcome:
            # Without retries, so that every failure counts.
            clients = [AsyncClient(service.tokens[name], service.urls[0], retries=0, timeout=60) for name in names]
            projects = [client.project(PROJECT) for client in clients]
            outcome = Outcome(time.monotonic() + seconds)
            await asyncio.gather(*(member(project, outcome, number) for number, project in enumerate(projects)))
            return outcome

        outcomes, memory = [], []
        for _ in range(3):
            outcomes.append(asyncio.run(run_all(SECONDS / 3)))
            memory.append(memory_of(service.process.pid) if measurable else 0)
        details = {diagram["id"]: diagram for diagram in service.client().project(PROJECT).diagrams(fields="details")}
    for outcome in outcomes:
        # No id was assigned twice, none is missing, and each diagram has its last notes.
        assert set(outcome.added.values()) <= {1}
        assert outcome.added.keys() <= details.keys()
        assert {number: details[number]["notes"] for number in outcome.notes} == outcome.notes
    places = Counter(place for outcome in outcomes for place in outcome.places)
    assert set(places.values()) == {1}
    check_integrity(path)
    # The database grows, the memory does not.
    assert all(later - earlier < 64 * 2**20 for earlier, later in pairwise(memory))
    latencies = sorted(latency for outcome in outcomes for latency in outcome.latencies)
    p99 = quantiles(latencies, n=100)[-1]
    print(
        f"\n{MEMBERS} members, {SECONDS:.0f} s: {len(latencies) / SECONDS:.0f} operations a second, "
        f"p50 {median(latencies) * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, memory {[m >> 20 for m in memory]} MiB, "
        f"{dict(sum((outcome.done for outcome in outcomes), Counter()))}"
    )


def test_concurrent_writes_of_the_same_notes_are_stored_completely(tmp_path: Path) -> None:
    """50 concurrent writes of the notes of one diagram: one of them is stored completely."""
    with Sandbox(tmp_path / "service.sqlite") as sandbox:
        texts = [f"{number}" * 1000 for number in range(50)]

        async def run_all() -> str:
            project = sandbox.async_client().project(PROJECT)
            await asyncio.gather(*(project.diagram(1002).set_notes(text) for text in texts))
            return await project.diagram(1002).notes()

        assert asyncio.run(run_all()) in texts


@pytest.mark.parametrize("count", [duration(short=200, long=2_000)])
def test_concurrent_additions_to_a_list_are_all_kept(count: int) -> None:
    with Sandbox() as sandbox:

        async def run_all() -> list[str | None]:
            project = sandbox.async_client().project(PROJECT)
            await asyncio.gather(*(project.workshop.add_stakeholders([f"{number}"]) for number in range(count)))
            return [stakeholder["name"] for stakeholder in await project.workshop.stakeholders()]

        names = asyncio.run(run_all())
    assert set(names) >= {f"{number}" for number in range(count)}
    assert len(names) == count + 8
