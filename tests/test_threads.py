"""One client serves many threads."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pygeodesign import Client

THREADS = 16


def test_threads_share_a_client_and_get_the_same_answers(client: Client) -> None:
    together = threading.Barrier(THREADS)

    def answers(_: int) -> list[Any]:
        together.wait(timeout=30)
        project = client.project("StatenIsland2050")
        return [client.projects(), project.diagrams().to_dict(), project.costs().diagrams, project.diagram_notes(1002)]

    with ThreadPoolExecutor(THREADS) as pool:
        first, *others = pool.map(answers, range(THREADS))
    assert all(answer == first for answer in others)


def test_threads_share_a_collection(client: Client) -> None:
    diagrams = client.project("StatenIsland2050").diagrams()
    together = threading.Barrier(THREADS)

    def read(_: int) -> tuple[Any, Any, str]:
        together.wait(timeout=30)
        return diagrams.to_dict(), diagrams.to_arrow(), diagrams._repr_html_()

    with ThreadPoolExecutor(THREADS) as pool:
        first, *others = pool.map(read, range(THREADS))
    assert all(answer == first for answer in others)
