"""The tasks with many small responses: one after the other, many at a time, and from asyncio."""

import asyncio
from typing import Any

import synthetic
from comparison import Contender, Task
from harness import sized
from peers.clients import Aiohttp, HttpClient, ManyAtATime, Primp, Requests, Wreq
from peers.clients.http_client import at_most
from pygeodesign import AsyncClient, Project

# Diagrams with a change id.
IDS = range(1001, 1001 + sized(2_000, 200))
PATH = f"projects/{synthetic.PROJECT}/diagrams"
CHANGE_IDS = [f"{PATH}/{number}/changeid/" for number in IDS]


def small_responses(project: Project, root: str, token: str) -> list[Task]:
    requests, primp = Requests(root, token), Primp(root, token)
    aiohttp, wreq = Aiohttp(root, token), Wreq(root, token)

    def in_sequence(client: HttpClient) -> list[str]:
        return [client.json(path)["changehash"] for path in CHANGE_IDS[:200]]

    def many(client: ManyAtATime) -> dict[int, str]:
        responses = client.many_json(CHANGE_IDS)
        return {number: response["changehash"] for number, response in zip(IDS, responses, strict=True)}

    return [
        Task(
            "200 small requests, one after the other",
            lambda: [project.diagram(number).change_id() for number in IDS[:200]],
            [
                Contender("requests", lambda: in_sequence(requests), 10),
                Contender("primp", lambda: in_sequence(primp), 1),
            ],
            same,
        ),
        Task(
            "2 000 change ids, 32 at a time",
            lambda: project.diagram_change_ids(IDS),
            [
                Contender(f"requests, {ManyAtATime.AT_A_TIME} threads", lambda: many(requests), 15),
                Contender("wreq", lambda: many(wreq), 1),
            ],
            same,
        ),
        Task(
            "AsyncClient, 2 000 awaits, 32 at a time",
            lambda: asyncio.run(change_ids_awaited(root, token)),
            [Contender("aiohttp", lambda: many(aiohttp), 2.5), Contender("wreq", lambda: many(wreq), 1)],
            same,
        ),
    ]


async def change_ids_awaited(root: str, token: str) -> dict[int, str]:
    async with AsyncClient(token, root) as client:
        project = client.project(synthetic.PROJECT)
        hashes = await at_most(ManyAtATime.AT_A_TIME, IDS, lambda one: project.diagram(one).change_id())
    return dict(zip(IDS, hashes, strict=True))


def same(ours: Any, theirs: Any) -> bool:
    return bool(ours == theirs)
