"""The tasks with many small responses: one after the other, many at a time, and from asyncio."""

import asyncio
from collections.abc import Callable
from typing import Any

import synthetic
from comparison import Contender, Task
from peers.clients import Aiohttp, BareSocket, HttpClient, Httpr, Httpx, ManyAtATime, Primp, Pyreqwest, Requests, Wreq
from peers.clients.http_client import at_most
from pygeodesign import AsyncClient, Project

# Diagrams with a change id and a thumbnail.
SMALL_RESPONSES = 2_000
IDS = range(1001, 1001 + SMALL_RESPONSES)
PATH = f"projects/{synthetic.PROJECT}/diagrams"
CHANGE_IDS = [f"{PATH}/{number}/changeid/" for number in IDS]


def image_path(diagram: int) -> str:
    return f"{PATH}/{diagram}/thumbnail/job/"


def small_responses(project: Project, root: str, token: str) -> list[Task]:
    requests, aiohttp = Requests(root, token), Aiohttp(root, token)
    pyreqwest, wreq = Pyreqwest(root, token), Wreq(root, token)
    threads = f"requests, {ManyAtATime.AT_A_TIME} threads"

    def many(client: ManyAtATime) -> dict[int, str]:
        responses = client.many_json(CHANGE_IDS)
        return {number: response["changehash"] for number, response in zip(IDS, responses, strict=True)}

    def images(download: Callable[[list[str]], list[bytes]]) -> dict[int, bytes]:
        """All thumbnails as the service offers them: a request for the URLs of all, then one for each image."""
        jobs = requests.json(f"{PATH}/all/generate_thumbnails/")["results_url"]
        return dict(zip(IDS, download([job.removeprefix("/api/v1/") for job in jobs]), strict=True))

    return [
        one_after_the_other(project, root, token),
        Task(
            "2 000 change ids, 32 at a time",
            lambda: project.diagram_change_ids(IDS),
            [
                Contender(threads, lambda: many(requests), 15),
                Contender("aiohttp", lambda: many(aiohttp), 2.5),
                Contender("pyreqwest", lambda: many(pyreqwest)),
                Contender("wreq", lambda: many(wreq)),
            ],
            same,
        ),
        Task(
            "AsyncClient, 2 000 awaits, 32 at a time",
            lambda: asyncio.run(change_ids_awaited(root, token)),
            [
                Contender("aiohttp", lambda: many(aiohttp)),
                Contender("pyreqwest", lambda: many(pyreqwest)),
                Contender("wreq", lambda: many(wreq), 1),
            ],
            same,
        ),
        Task(
            "2 000 thumbnails, 32 at a time",
            lambda: project.thumbnails(),
            [
                Contender(threads, lambda: images(requests.many_content), 15),
                Contender("aiohttp", lambda: images(aiohttp.many_content), 2.5),
            ],
            same,
        ),
    ]


def one_after_the_other(project: Project, root: str, token: str, suffix: str = "") -> Task:
    """The suffix of the task's name says what is special about this process."""

    def requests_with(client: HttpClient, goal: float | None = None) -> Contender:
        return Contender(client.name, lambda: [client.json(path)["changehash"] for path in CHANGE_IDS[:200]], goal)

    return Task(
        f"200 small requests, one after the other{suffix}",
        lambda: [project.diagram_change_id(number) for number in IDS[:200]],
        [
            requests_with(Requests(root, token), 10),
            requests_with(Httpx(root, token)),
            requests_with(Pyreqwest(root, token), 1),
            requests_with(Primp(root, token), 1),
            requests_with(Httpr(root, token), 1),
            requests_with(Wreq(root, token)),
            requests_with(BareSocket(root, token)),
        ],
        same,
    )


async def change_ids_awaited(root: str, token: str) -> dict[int, str]:
    async with AsyncClient(token, root) as client:
        project = client.project(synthetic.PROJECT)
        hashes = await at_most(ManyAtATime.AT_A_TIME, IDS, project.diagram_change_id)
    return dict(zip(IDS, hashes, strict=True))


def same(ours: Any, theirs: Any) -> bool:
    return bool(ours == theirs)
