"""No user blocks another: one user's concurrent requests, and the waiting times of others."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest
import requests

from answers import detail, status
from demo import ADMINISTRATOR, GUEST, MEMBER, OWN_ADMINISTRATOR, Demo, demo_sandbox, running_demo
from operations import OPERATIONS, fill_placeholders
from pygeodesign import Sandbox
from raw_requests import connections, head, is_open, read_response
from serving import PROJECT

# Requests of one user at the same time.
FLOOD = 24
# A request's time during a flood, as a multiple of its time alone: they share two processors.
RATIO = 150
EVENTS = f"/api/v1/projects/{PROJECT}/events/"
WRITE = f"/api/v1/projects/{PROJECT}/diagrams/1003/notes/"


class Route(NamedTuple):
    method: str
    # As the service documents it.
    template: str
    # The path of the request.
    path: str
    body: bytes = b""

    def request(self, token: str) -> bytes:
        kind = "application/geo+json" if self.template.startswith("/collections") else "application/json"
        return (
            head(self.method, self.path, token, f"Content-Length: {len(self.body)}", f"Content-Type: {kind}")
            + self.body
        )


def documented(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Methods and paths of an OpenAPI document."""
    for path, methods in document["paths"].items():
        for method in methods:
            if method in ("get", "post", "put", "patch", "delete"):
                yield method.upper(), path


def body_of(demo: Demo, body: Any) -> bytes:
    filled = fill_placeholders(body, demo.values)
    if isinstance(filled, Path):
        return filled.read_bytes()
    return b"" if filled is None else json.dumps(filled).encode()


def routes(demo: Demo, root: str, ask: requests.Session) -> Iterator[Route]:
    """Everything that the service documents: operations, GIS, programs, and the stream of changes."""
    known = {(row.method, f"/api/v1/{row.template}"): row for row in OPERATIONS}
    for method, template in documented(ask.get(f"{root}/api/v1/openapi.json").json()):
        row = known[method, template]
        yield Route(method, template, template.format_map(demo.values), body_of(demo, row.body))
    feature = {"type": "Feature", "geometry": demo.values["square"], "properties": {"sysid": 1, "description": "Flood"}}
    in_gis = {"collectionId": f"{PROJECT}.diagrams", "featureId": demo.values["diagramid"]}
    for method, template in documented(ask.get(f"{root}/ogc/api?f=json").json()):
        if template.startswith("/collections/") and not template.startswith(f"/collections/{PROJECT}."):
            # The same of another project.
            continue
        path = re.sub(r"{(\w+)}", lambda name: str(in_gis[name[1]]), template)
        body = json.dumps(feature).encode() if method != "GET" else b""
        queries = ["", "?f=html&limit=10000", "?limit=10000&filter=description%20LIKE%20'%25a%25e%25'"]
        for query in queries if method == "GET" and path.endswith("/items") else [""]:
            yield Route(method, template, f"/ogc{path}{query}", body)
    for program in ask.get(f"{root}/processes/").json()["processes"]:
        method = "POST" if program.endswith(("_map", "_maps")) else "GET"
        yield Route(method, program, f"/processes/{PROJECT}/{program}/?name=map.geojson", b"{}" * (method == "POST"))
    yield Route("GET", EVENTS, f"{EVENTS}?last_event_id=0")


class Neighbour:
    """Another member, who reads and writes a little."""

    def __init__(self, demo: Demo, root: str) -> None:
        self.root = root
        self.session = requests.Session()
        self.session.headers["Authorization"] = demo.authorization(OWN_ADMINISTRATOR)

    def waits(self) -> float:
        """The longer of the times of a read and a write."""
        times = []
        for method, path, body in (
            ("GET", f"/api/v1/projects/{PROJECT}/", None),
            ("POST", WRITE, {"notes": str(time.time())}),
        ):
            began = time.perf_counter()
            response = self.session.request(method, self.root + path, json=body, timeout=30)
            times.append(time.perf_counter() - began)
            assert response.status_code == 200, response.text
        return max(times)


def beside_flood(request: bytes, demo: Demo, neighbour: Neighbour) -> float:
    """The neighbour's waiting time while one user has sent many of a request."""
    with connections(demo.sandbox.url) as flood:
        for _ in range(FLOOD):
            flood.open(request)
        return max(neighbour.waits() for _ in range(3))


@pytest.mark.slow
def test_a_flood_of_one_user_over_any_route_delays_nobody_else() -> None:
    with running_demo() as demo:
        root = demo.sandbox.url.removesuffix("/api/v1/")
        neighbour = Neighbour(demo, root)
        idle = median(neighbour.waits() for _ in range(20))
        ask = requests.Session()
        ask.headers["Authorization"] = demo.authorization(ADMINISTRATOR)
        slow: list[str] = []
        for route in routes(demo, root, ask):
            # A guest where a guest may.
            token = demo.authorization(GUEST if route.method == "GET" else ADMINISTRATOR).removeprefix("Token ")
            # Once more where something else on the machine may have been in the way.
            attempts = (beside_flood(route.request(token), demo, neighbour) for _ in range(2))
            if all(waited > RATIO * idle for waited in attempts):
                slow.append(f"{route.method} {route.template}")
        assert not slow, f"alone {idle:.4f} s"


def staircase(steps: int, lift: float) -> list[list[float]]:
    """A line that a filter compares for long with another one."""
    corners = [(step / steps, (step + lift) / steps) for step in range(steps)]
    places = [(x + part / steps, y) for x, y in corners for part in (0, 1)]
    return [[round(-74.2 + x * 0.1, 7), round(40.6 + y * 0.1, 7)] for x, y in places]


@pytest.fixture(name="busy")
def sandbox_with_little_room() -> Iterator[Sandbox]:
    """A service that handles one request of a user at a time, and lets two wait."""
    limits = {"heavy_requests_per_user": 1, "requests_per_user": 2, "statement_seconds": 2}
    with demo_sandbox(limits=limits) as sandbox:
        drawn = {"type": "LineString", "coordinates": staircase(15_000, 0)}
        sandbox.project().add_diagram(1, drawn, title="Stairs", outside="allow")
        yield sandbox


def heavy(sandbox: Sandbox, user: str, number: int) -> bytes:
    """A request that takes all of its time, and differs from all others."""
    corners = ",".join(f"{x}%20{y}" for x, y in staircase(800 + number, 1.5))
    path = f"/ogc/collections/{PROJECT}.parts/items?filter=S_INTERSECTS(geometry,LINESTRING({corners}))"
    return head("GET", path, sandbox.token(user))


def test_requests_of_a_user_wait_for_each_other_and_others_do_not(busy: Sandbox) -> None:
    with connections(busy.url) as opened:
        own = [opened.open(heavy(busy, MEMBER, number)) for number in range(8)]
        time.sleep(0.2)
        began = time.monotonic()
        other = opened.open(head("GET", f"/api/v1/projects/{PROJECT}/diagrams/all/", busy.token("admin")))
        assert status(read_response(other)) == 200
        assert time.monotonic() - began < 1
        refused = [response for response in map(read_response, own) if status(response) == 429]
        assert len(refused) >= 3
        assert all(b"\r\nretry-after: 1\r\n" in response.lower() for response in refused)
        assert any("requests_per_user is 2" in detail(response) for response in refused)


def test_work_for_a_client_that_has_gone_makes_room_for_others(busy: Sandbox) -> None:
    with connections(busy.url) as opened:
        for number in range(20):
            opened.open(heavy(busy, MEMBER, number)).close()
        began = time.monotonic()
        small = opened.open(head("GET", f"/api/v1/projects/{PROJECT}/diagrams/all/", busy.token(MEMBER)))
        assert status(read_response(small)) == 200
        assert time.monotonic() - began < 2


def comb(teeth: int, *, lies: bool) -> dict[str, Any]:
    """A polygon with one tooth next to the other, upright or lying."""
    ends = [(0, 0.05), (0, 1), (0.5, 1), (0.5, 0.05)]
    outline = [((tooth + x) / teeth, y) for tooth in range(teeth) for x, y in ends]
    outline += [(1, 0.05), (1, 0), (0, 0)]
    corners = [(y, x) for x, y in reversed(outline)] if lies else outline
    ring = [[round(-74.2 + 0.1 * x, 9), round(40.55 + 0.05 * y, 9)] for x, y in corners]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def test_a_preview_whose_edges_cross_too_often_is_refused_at_once(busy: Sandbox) -> None:
    added = busy.project().add_diagram(1, comb(600, lies=False), title="Comb", outside="allow")
    project, headers = f"{busy.url}projects/{PROJECT}", {"Authorization": f"Token {busy.token('admin')}"}
    selected = {"diagrams": [int(added.id)]}
    requests.put(f"{project}/members/admin/diagrams/", json=selected, headers=headers, timeout=20).raise_for_status()
    feature = {"type": "Feature", "properties": {}, "geometry": comb(600, lies=True)}
    drawing: Any = {"geometry": {"type": "FeatureCollection", "features": [feature]}}
    began = time.monotonic()
    response = requests.post(f"{project}/systems/1/preview/", json=drawing, headers=headers, timeout=60)
    assert response.status_code == 200 and time.monotonic() - began < 2
    (fault,) = response.json()["faults"]
    assert "too many for a question about land" in fault["reason"]


def test_streams_of_a_user_are_limited_and_those_of_others_are_not(busy: Sandbox) -> None:
    with connections(busy.url) as opened:
        own = [opened.open(head("GET", EVENTS, busy.token(MEMBER))) for _ in range(2)]
        assert [status(stream.recv(1000)) for stream in own] == [200, 200]
        refused = read_response(opened.open(head("GET", EVENTS, busy.token(MEMBER))))
        assert (status(refused), detail(refused)) == (
            429,
            "The user has too many open streams of changes; the limit requests_per_user is 2.",
        )
        assert status(opened.open(head("GET", EVENTS, busy.token("admin"))).recv(1000)) == 200
        own[0].close()
        time.sleep(0.2)
        assert status(opened.open(head("GET", EVENTS, busy.token(MEMBER))).recv(1000)) == 200
        assert is_open(own[1])


def test_a_stream_from_the_first_change_on_has_all_of_them() -> None:
    with demo_sandbox() as sandbox, connections(sandbox.url) as opened:
        project = sandbox.project()
        for number in range(600):
            project.diagram(1002).set_notes(str(number))
        stream = opened.open(head("GET", f"{EVENTS}?last_event_id=0&ends=true", sandbox.token(MEMBER)))
        received = b""
        while part := stream.recv(2**20):
            received += part
            if received.endswith(b"0\r\n\r\n"):
                break
        numbers = [int(number) for number in re.findall(rb"^id: (\d+)", received, re.MULTILINE)]
        assert numbers == list(range(numbers[-1] + 1))


def test_heavy_writes_of_one_user_take_turns_with_the_writes_of_others() -> None:
    ring = [[-74.2 + 1e-6 * k, 40.6 + 1e-7 * (k * k % 1000)] for k in range(20_000)]
    line = {"type": "LineString", "coordinates": ring}
    features = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": line}]}
    body = json.dumps(
        {"geometry": features, "description": "long", "featuretype": "polyline", "fundingtype": "o", "sysid": 1}
    ).encode()
    with demo_sandbox() as sandbox, connections(sandbox.url) as opened:
        path = f"/api/v1/projects/{PROJECT}/systems/1/add/project/"
        for _ in range(20):
            length = f"Content-Length: {len(body)}"
            opened.open(head("POST", path, sandbox.token(MEMBER), length, "Content-Type: application/json") + body)
        project, waits = sandbox.project(), []
        for number in range(20):
            began = time.monotonic()
            project.diagram(1003).set_notes(str(number))
            waits.append(time.monotonic() - began)
        assert max(waits) < 1, waits
