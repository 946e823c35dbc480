"""Small responses are cached in the service. They are never older than a write that was answered, by any client."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from commands import output_of_process
from pygeodesign import Sandbox
from small_project import MEMBER, WATER, Workshop, running_workshop

LINE = {"type": "LineString", "coordinates": [[-9.2, 38.7], [-9.1, 38.75]]}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "lisbon.sqlite"


@pytest.fixture
def workshop(database: Path) -> Iterator[Workshop]:
    with running_workshop(database) as workshop:
        yield workshop


@pytest.fixture
def diagram(workshop: Workshop) -> int:
    return workshop.project.add_diagram(WATER, LINE, title="Dike").id


def read(workshop: Workshop, diagram: int, token: str) -> requests.Response:
    """The diagram's detail, for which the service has a cached response after the first read."""
    url = f"{workshop.sandbox.url}projects/{workshop.id}/diagrams/{diagram}/"
    return requests.get(url, headers={"Authorization": f"Token {token}"}, timeout=20)


def test_a_repeated_answer_is_the_same_in_its_body_and_its_headers(workshop: Workshop, diagram: int) -> None:
    token = workshop.sandbox.token(MEMBER)
    first, second, third = (read(workshop, diagram, token) for _ in range(3))
    assert first.content == second.content == third.content
    own = ("date", "x-request-id")
    headers = [
        {name.lower(): value for name, value in answer.headers.items() if name.lower() not in own}
        for answer in (first, second, third)
    ]
    assert headers[0] == headers[1] == headers[2]


def test_an_answer_shows_what_another_process_has_written(workshop: Workshop, diagram: int, database: Path) -> None:
    token = workshop.sandbox.token(MEMBER)
    assert [read(workshop, diagram, token).status_code for _ in range(3)] == [200] * 3
    output_of_process(database.parent, "users", "--db", database, "--remove", MEMBER)
    assert read(workshop, diagram, token).status_code == 401


def test_no_cached_answer_is_given_for_a_revoked_token(workshop: Workshop, diagram: int) -> None:
    token = workshop.sandbox.token(MEMBER)
    assert [read(workshop, diagram, token).status_code for _ in range(3)] == [200] * 3
    workshop.withdraw_tokens(MEMBER)
    assert read(workshop, diagram, token).status_code == 401


def test_each_user_gets_an_answer_for_their_own_token(workshop: Workshop, diagram: int) -> None:
    own, of_stranger = workshop.sandbox.token(MEMBER), workshop.sandbox.token("carla.dias")
    statuses = [read(workshop, diagram, token).status_code for token in (own, of_stranger, own, of_stranger, "0" * 40)]
    assert statuses == [200, 404, 200, 404, 401]


def test_an_answer_is_never_older_than_a_write_that_was_answered_before(workshop: Workshop, diagram: int) -> None:
    """Several clients read while one writes growing numbers: they see the last one that was answered or a later one."""
    token = workshop.sandbox.token(MEMBER)
    answered, problems, ends = [0], list[str](), threading.Event()
    workshop.send("POST", f"diagrams/{diagram}/notes/", {"notes": "0"}).raise_for_status()

    def read_on() -> None:
        with requests.Session() as session:
            session.headers["Authorization"] = f"Token {token}"
            url = f"{workshop.sandbox.url}projects/{workshop.id}/diagrams/{diagram}/"
            while not ends.is_set():
                least = answered[0]
                seen = int(session.get(url, timeout=20).json()["notes"])
                if seen < least:
                    problems.append(f"{seen} after {least}")

    readers = [threading.Thread(target=read_on) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(1, 101):
        workshop.send("POST", f"diagrams/{diagram}/notes/", {"notes": str(number)}).raise_for_status()
        answered[0] = number
    ends.set()
    for reader in readers:
        reader.join()
    assert not problems


def test_an_expired_token_ends_its_cached_answers(database: Path) -> None:
    with Sandbox(database) as sandbox:
        (project,) = sandbox.project_ids
        token = sandbox.token(lifetime=1)
        url = f"{sandbox.url}projects/{project}/changeid/"
        statuses = []
        while 401 not in statuses:
            statuses.append(requests.get(url, headers={"Authorization": f"Token {token}"}, timeout=20).status_code)
            assert len(statuses) < 100_000
        assert statuses.count(200) > 3
