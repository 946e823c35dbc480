"""A request with an `Idempotency-Key` adds something once, however often it is sent."""

import json
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from builders import square
from demo import Demo, running_demo, sender
from fake_service import PROJECT, FakeService, Response
from fault_server import FaultServer, http
from operations import OPERATIONS, Operation, fill_placeholders
from pygeodesign import Client, Sandbox, TransportError
from serving import PROJECT as STATEN_ISLAND
from serving import command, read_start_output
from small_project import ADMINISTRATOR, MEMBER, SYSTEMS, Workshop, running_workshop
from stress import duration

pytestmark = pytest.mark.stress

ADDED = f"projects/{PROJECT}/systems/1/add/project/"
SQUARE = square(-9.2, 38.7, 0.01)
DIAGRAM = {"diagram_id": 7, "status": "added"}
OUR_LIMITS = [{"name": "idempotency_keys", "value": 10_000, "unit": "answers", "description": "Kept."}]


def adding() -> list[Operation]:
    """The operations that add something: all that write lists or resources, and replace nothing."""
    diagrams = ("add/project/", "add/policy/", "add/external/project/", "add/external/policy/", "group/", "groups/")
    others = ("stakeholders/", "/tags/", "tags/create/", "data_layers/", "/create/", "create-igc-project/")
    room = ("/cteams/", "/{cteamid}/", "negotiation_logs/", "{session_id}/", "/systems/", "/members/", "comments/")
    return [
        row
        for row in OPERATIONS
        if row.method == "POST" and f"/{row.path}".endswith(diagrams + others + room) and "{diagramid}" not in row.path
    ]


def keyed(document: Any) -> set[str]:
    """The paths of the operations that take a key, as the service describes them."""
    return {
        path.removeprefix("/api/v1/")
        for path, operations in document["paths"].items()
        for operation in operations.values()
        if any(parameter["name"] == "idempotency-key" for parameter in operation.get("parameters", []))
    }


def send(demo: Demo, operation: Operation, key: str, **fields: Any) -> requests.Response:
    body = fill_placeholders(operation.body, demo.values)
    return requests.post(
        demo.sandbox.url + operation.template.format_map(demo.values),
        data=json.dumps(body, **fields),
        headers={
            "Authorization": demo.authorization(sender(operation)),
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        },
        timeout=20,
    )


def add(workshop: Workshop, key: str | None, title: str = "Rain garden", user: str = MEMBER) -> requests.Response:
    feature = {"type": "Feature", "properties": {}, "geometry": SQUARE}
    body: Any = {
        "description": title,
        "featuretype": "polygon",
        "fundingtype": "pu",
        "geometry": {"type": "FeatureCollection", "features": [feature]},
    }
    headers = {"Authorization": f"Token {workshop.sandbox.token(user)}"} | ({"Idempotency-Key": key} if key else {})
    system = workshop.project.systems()[0]["id"]
    url = f"{workshop.sandbox.url}projects/{workshop.id}/systems/{system}/add/project/"
    return requests.post(url, json=body, headers=headers, timeout=20)


def titles(workshop: Workshop) -> list[str | None]:
    return [row["worlddescription"] for row in workshop.project.diagrams(fields="summary")]


def test_every_operation_that_adds_something_takes_a_key(sandbox: Sandbox) -> None:
    document = requests.get(sandbox.url + "openapi.json", timeout=20).json()
    assert {operation.template for operation in adding()} == keyed(document)


def test_a_request_that_comes_again_gets_the_first_answer_and_adds_nothing() -> None:
    with running_demo() as demo:
        for number, operation in enumerate(adding()):
            first = send(demo, operation, f"key {number}")
            assert first.status_code == operation.status, (operation, first.text)
            content = demo.content()
            again = send(demo, operation, f"key {number}")
            assert (again.status_code, again.content) == (first.status_code, first.content), operation
            other = send(demo, operation, f"key {number}", indent=1)
            assert other.status_code == 422 and f"key {number}" in other.json()["detail"], operation
            assert demo.content() == content, operation


def test_without_a_key_every_request_adds(workshop: Workshop) -> None:
    assert add(workshop, None).json() != add(workshop, None).json()
    assert len(titles(workshop)) == 2


def test_of_many_requests_at_once_with_one_key_one_adds(workshop: Workshop) -> None:
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: add(workshop, "once"), range(16)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert titles(workshop) == ["Rain garden"]


def test_a_key_is_that_of_one_user_in_one_project(workshop: Workshop) -> None:
    assert add(workshop, "1", "Mine", MEMBER).ok
    assert add(workshop, "1", "Yours", ADMINISTRATOR).ok
    code = workshop.sandbox.creation_code("SAMBA")
    workshop.client().create_project(code, title="Porto", bounds=(-9, 38, -8, 39), systems=SYSTEMS)
    other = next(project for project in workshop.sandbox.project_ids if project != workshop.id)
    assert add(Workshop(workshop.sandbox, other), "1", "Mine", ADMINISTRATOR).ok
    assert set(titles(workshop)) == {"Mine", "Yours"}


def test_who_is_no_longer_a_member_is_refused_an_answer_of_earlier(workshop: Workshop) -> None:
    assert add(workshop, "1").ok
    workshop.project.member(MEMBER).remove()
    assert add(workshop, "1").status_code == 404


def test_a_refused_request_leaves_its_key_free(workshop: Workshop) -> None:
    assert add(workshop, "1", "x" * 501).status_code == 400
    assert add(workshop, "1").ok


@pytest.mark.parametrize("key", ["", "x" * 256, "é"])
def test_a_text_that_is_no_key_is_refused(key: str, workshop: Workshop) -> None:
    headers = {b"Authorization": f"Token {workshop.sandbox.token(MEMBER)}".encode(), b"Idempotency-Key": key.encode()}
    url = f"{workshop.sandbox.url}projects/{workshop.id}/stakeholders/"
    answer = requests.post(url, json=["Fishers"], headers=headers, timeout=20)  # type: ignore[arg-type]
    assert answer.status_code == 400 and "Idempotency-Key" in answer.json()["message"]
    assert workshop.project.workshop.stakeholders() == []


def test_the_oldest_answers_are_forgotten_beyond_the_limit() -> None:
    with running_workshop(limits={"idempotency_keys": 2}) as workshop:
        for key in ("1", "2", "3"):
            assert add(workshop, key, f"Diagram {key}").ok
        assert [add(workshop, key, f"Diagram {key}").ok for key in ("2", "3")] == [True] * 2
        assert len(titles(workshop)) == 3
        assert add(workshop, "1", "Diagram 1").ok
        assert len(titles(workshop)) == 4


def key_of(head: bytes) -> bytes:
    return next(line for line in head.lower().split(b"\r\n") if line.startswith(b"idempotency-key:"))


def answered(body: Any) -> bytes:
    return http("200 OK", json.dumps(body).encode(), content_type="application/json")


@pytest.mark.parametrize(
    "lost",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{",
        http("502 Bad Gateway"),
        http("503 Down"),
        http("504 Late"),
        None,
    ],
    ids=["no answer", "half an answer", "502", "503", "504", "silence"],
)
def test_a_diagram_whose_answer_was_lost_is_sent_again_with_the_same_key(lost: bytes | None) -> None:
    with FaultServer({ADDED: [lost, lost, answered(DIAGRAM)], "limits/": answered(OUR_LIMITS)}) as server:
        project = Client("token", server.url, read_timeout=0.2).project(PROJECT)
        assert project.add_diagram(1, SQUARE, title="Park", outside="allow").id == 7
        sent = [head for head in server.received if head.startswith(b"POST")]
    assert len(sent) == 3 and len(server.received) == 5
    assert len({key_of(head) for head in sent}) == 1


@pytest.mark.parametrize(
    "limits", [http("404 Not Found"), http("401 No"), answered([]), http("200 OK", b"<html>"), b""]
)
def test_no_other_service_is_sent_a_diagram_again_whose_answer_was_lost(limits: bytes) -> None:
    with FaultServer({ADDED: b"", "limits/": limits}) as server:
        with pytest.raises(TransportError, match=r"POST /projects/.*/add/project/ got no answer"):
            Client("token", server.url).project(PROJECT).add_diagram(1, SQUARE, title="Park", outside="allow")
        assert len([head for head in server.received if head.startswith(b"POST")]) == 1


def test_each_diagram_has_a_key_of_its_own() -> None:
    keys = []

    def added(_body: Any, headers: Any) -> Response:
        keys.append(headers["idempotency-key"])
        return Response(DIAGRAM)

    with FakeService({"systems/1/add/project/": added}) as service:
        for _ in range(3):
            service.project().add_diagram(1, SQUARE, title="Park", outside="allow")
    assert len(set(keys)) == 3 and all(len(key) == 32 for key in keys)


@pytest.mark.slow
def test_thirty_connections_add_each_drawing_once_while_the_service_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "service.sqlite"

    def start(port: int) -> tuple[subprocess.Popen[str], Any]:
        arguments = command("--port", port, "--db", path)
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return process, read_start_output(process)

    process, service = start(0)
    url, port = service.urls[0], int(service.urls[0].split(":")[2].split("/")[0])
    acknowledged: Counter[str] = Counter()
    turns = duration(short=30, long=400)

    def draw(person: int) -> None:
        # A client of its own, and so a connection of its own.
        client = Client(service.tokens["admin"], url, retries=200, timeout=60, max_concurrency=1)
        project = client.project(STATEN_ISLAND)
        for turn in range(turns):
            title = f"drawing {turn} of person {person}"
            project.add_diagram(1, square(-74.15, 40.57, 0.002), title=title, outside="allow")
            acknowledged[title] += 1

    people = [threading.Thread(target=draw, args=(person,)) for person in range(30)]
    for person in people:
        person.start()
    for _ in range(duration(short=5, long=50)):
        time.sleep(random.uniform(0.05, 0.2))
        assert any(person.is_alive() for person in people)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
        process, _ = start(port)
    for person in people:
        person.join()
    try:
        project = Client(service.tokens["admin"], url).project(STATEN_ISLAND)
        stored = Counter(str(row["worlddescription"]) for row in project.diagrams(fields="summary"))
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    drawn = {title: count for title, count in stored.items() if title.startswith("drawing ")}
    assert drawn == dict(acknowledged) and len(drawn) == 30 * turns and set(drawn.values()) == {1}
