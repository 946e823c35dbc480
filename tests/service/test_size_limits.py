"""Requests that are too large or too slow: their error names the limit, and others do not wait for them."""

import json
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import pytest
import requests

from operations import OPERATIONS, PLACEHOLDERS, fill_placeholders
from pygeodesign import Sandbox
from serving import PROJECT, running_service
from small_project import ADMINISTRATOR, GREEN, MEMBER, WATER, Workshop, running_workshop

pytestmark = pytest.mark.alone("memory, and how long others wait for a service")

MEGABYTE = 1024 * 1024
SQUARE = {
    "type": "Polygon",
    "coordinates": [[[-9.16, 38.72], [-9.15, 38.72], [-9.15, 38.73], [-9.16, 38.73], [-9.16, 38.72]]],
}


def drawn(*geometries: Any) -> dict[str, Any]:
    features = [{"type": "Feature", "properties": None, "geometry": geometry} for geometry in geometries]
    collection = {"type": "FeatureCollection", "features": features}
    return {"geometry": collection, "featuretype": "polygon", "description": "Drawn", "fundingtype": "pu"}


def problem(response: requests.Response, status: int) -> str:
    assert response.status_code == status, response.text[:500]
    body = response.json()
    return str(body.get("detail") or body.get("status") or body["message"])


@contextmanager
def limited_workshop(**limits: int) -> Iterator[Workshop]:
    """The small project in a service with these limits, in which the administrator has drawn diagram 1."""
    with Sandbox(project=None, limits=limits) as sandbox:
        for user in (ADMINISTRATOR, MEMBER):
            sandbox.add_user(user)
        client = sandbox.client(ADMINISTRATOR)
        systems = [{"name": "Water", "tag": "WAT", "color": "#2B7BBA", "cost": 125_000}]
        bounds = (-9.23, 38.69, -9.09, 38.80)
        client.create_project(sandbox.creation_code("FADO"), title="Lisbon", bounds=bounds, systems=systems)  # type: ignore[arg-type]
        project = sandbox.project(username=ADMINISTRATOR)
        project.add_member(MEMBER)
        project.add_diagram(WATER, SQUARE, title="First")
        yield Workshop(sandbox, project.id)


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with running_workshop() as workshop:
        workshop.project.add_diagram(WATER, SQUARE, title="First")
        yield workshop


class OtherMember:
    """Writes notes again and again during the `with` block, and measures how long each takes."""

    def __init__(self, workshop: Workshop) -> None:
        self.project = workshop.project_of(MEMBER)
        self.diagram = workshop.project.diagrams(fields="details")[0]["id"]
        self.seconds: list[float] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._write)

    def _write(self) -> None:
        while not self._done.is_set():
            started = time.monotonic()
            self.project.diagram(self.diagram).set_notes(f"{started}")
            self.seconds.append(time.monotonic() - started)

    def __enter__(self) -> "OtherMember":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


# Lists


@pytest.mark.parametrize("path", ["tags/create/", "stakeholders/"])
def test_10_000_at_once_are_added_while_others_write(workshop: Workshop, path: str) -> None:
    count = 9_990
    names = [f"Name {number}" for number in range(count)]
    body = {"tags": [{"tag": name, "code": f"C{at}"} for at, name in enumerate(names)]} if "tags" in path else names
    with OtherMember(workshop) as other:
        answer = workshop.send("POST", path, body).json()
    assert f"{count}" in str(answer)
    assert max(other.seconds) < 2


@pytest.mark.parametrize(("path", "limit"), [("tags/create/", "project_tags"), ("stakeholders/", "list_items")])
def test_100_000_at_once_are_refused_at_once(workshop: Workshop, path: str, limit: str) -> None:
    names = [f"Other {number}" for number in range(100_000)]
    body = {"tags": [{"tag": name} for name in names]} if "tags" in path else names
    with OtherMember(workshop) as other:
        said = problem(workshop.send("POST", path, body), 400)
    assert said == f"the body has 100,000 {'tags' if 'tags' in path else 'items'}; the limit {limit} is 10,000"
    assert max(other.seconds) < 2


def test_a_project_has_no_more_tags_stakeholders_and_layers_than_the_limits_allow() -> None:
    with limited_workshop(project_tags=3, project_stakeholders=2, project_layers=1) as workshop:
        two = [{"tag": "One"}, {"tag": "Two"}]
        assert workshop.send("POST", "tags/create/", {"tags": two}).status_code == 200
        said = problem(workshop.send("POST", "tags/create/", {"tags": [{"tag": "Three"}, {"tag": "Four"}]}), 400)
        assert said == "the project has 2 tags and this adds 2; the limit project_tags is 3, which leaves 1"
        # Existing tags are not added.
        assert workshop.send("POST", "tags/create/", {"tags": [*two, {"tag": "Three"}]}).status_code == 200
        assert "project_stakeholders" in problem(workshop.send("POST", "stakeholders/", ["A", "B", "C"]), 400)
        assert workshop.project.workshop.stakeholders() == []
        layer = {"server_type": "other", "layer_type": "XYZ", "url": "https://tiles.example/{z}/{x}/{y}"}
        assert workshop.send("POST", "data_layers/", layer).status_code == 200
        assert "project_layers" in problem(workshop.send("POST", "data_layers/", layer), 400)


def test_diagrams_and_groups_of_a_project_are_limited() -> None:
    with limited_workshop(project_diagrams=2, project_grouped_diagrams=2) as workshop:
        second = int(workshop.project.add_diagram(WATER, SQUARE, title="Second").id)
        said = problem(workshop.send("POST", f"systems/{WATER}/add/project/", drawn(SQUARE)), 400)
        assert "the limit project_diagrams is 2, which leaves 0" in said
        groups = [{"group_name": name, "diagrams": [second]} for name in "ABC"]
        assert "project_grouped_diagrams" in problem(
            workshop.send("POST", "diagrams/groups/", {"diagram_groups": groups}), 400
        )


def test_a_user_creates_no_more_projects_than_the_limit_allows() -> None:
    with limited_workshop(user_projects=1) as workshop:
        body = {
            "creation_code": "FADO",
            "project_title": "Porto",
            "map_bounds": "-9.23,38.69,-9.09,38.8",
            "map_center": "-9.15,38.72",
            "zoom_level": 11,
            "systems": [],
        }
        assert "the limit user_projects is 1" in problem(workshop.send_to("POST", "projects/create/", body), 400)


# Texts and metadata


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"notes": "é" * 200_000}, "notes has 200,000 characters; the limit note_characters is 100,000"),
        ({"notes": "é" * 100_001}, "notes has 100,001 characters; the limit note_characters is 100,000"),
    ],
)
def test_notes_beyond_the_limit_are_refused(workshop: Workshop, body: Any, said: str) -> None:
    assert problem(workshop.send("POST", "diagrams/1/notes/", body), 400) == said


def test_a_note_of_60_megabytes_is_refused_before_it_is_read(workshop: Workshop) -> None:
    said = problem(workshop.send("POST", "diagrams/1/notes/", {"notes": "x" * 60_000_000}), 413)
    assert re.fullmatch(r"the body has 60,000,0\d\d bytes; the limit text_body_bytes is 8,388,608", said)


def test_titles_and_names_beyond_the_limit_are_refused(workshop: Workshop) -> None:
    said = problem(
        workshop.send("POST", f"systems/{WATER}/add/project/", drawn(SQUARE) | {"description": "x" * 501}), 400
    )
    assert said == "description has 501 characters; the limit title_characters is 500"
    said = problem(workshop.send("POST", "tags/create/", {"tags": [{"tag": "A"}, {"tag": "x" * 501}]}), 400)
    assert said == "tags[1].tag has 501 characters; the limit name_characters is 500"


def nested(levels: int) -> Any:
    return {"a": nested(levels - 1)} if levels else 1


@pytest.mark.parametrize(
    ("metadata", "limit"),
    [
        ({"a": "x" * 300_000}, "metadata_bytes"),
        ({"a": [0] * 20_000}, "metadata_values"),
        (nested(33), "metadata_levels"),
    ],
)
def test_metadata_beyond_a_limit_are_refused(workshop: Workshop, metadata: Any, limit: str) -> None:
    update = workshop.send("POST", "diagrams/1/", {"additional_metadata": metadata})
    assert f"the limit {limit} is" in problem(update, 400)
    map_of_metadata = {
        "type": "FeatureCollection",
        "features": [{"type": "Feature", "properties": metadata, "geometry": SQUARE}],
    }
    impact = workshop.send("POST", f"systems/{GREEN}/i/map/json/", map_of_metadata)
    assert "features[0].properties has" in problem(impact, 400) and limit in impact.text


def test_metadata_are_answered_value_for_value(workshop: Workshop) -> None:
    text = (
        '{"additional_metadata": {"a b" : [1.50, 1E2, 12345678901234567890123, "\\u00e9 \\" {"],\n "c": {}, "d": null}}'
    )
    headers = {"Authorization": f"Token {workshop.sandbox.token(ADMINISTRATOR)}"}
    url = f"{workshop.sandbox.url}projects/{workshop.id}/diagrams/1/"
    assert requests.post(url, data=text.encode(), headers=headers, timeout=20).status_code == 200
    answer = requests.get(url, headers=headers, timeout=20)
    assert answer.json()["additional_metadata"] == json.loads(text)["additional_metadata"]
    # Numbers keep their digits.
    assert "[1.50,1E2,12345678901234567890123," in answer.text


@pytest.mark.parametrize("value", ["1e400", '"\\ud800"', "[" * 10_000 + "]" * 10_000])
def test_metadata_that_clients_could_not_read_are_refused(workshop: Workshop, value: str) -> None:
    headers = {"Authorization": f"Token {workshop.sandbox.token(ADMINISTRATOR)}"}
    url = f"{workshop.sandbox.url}projects/{workshop.id}/diagrams/1/"
    body = f'{{"additional_metadata": {{"a": {value}}}}}'
    problem(requests.post(url, data=body, headers=headers, timeout=20), 400)


# Geometries


def test_vertices_and_features_of_a_diagram_are_limited() -> None:
    with limited_workshop(diagram_vertices=9, diagram_features=2) as workshop:
        path = f"systems/{WATER}/add/project/"
        said = problem(workshop.send("POST", path, drawn(SQUARE, SQUARE)), 400)
        assert said == "the body has 10 vertices; the limit diagram_vertices is 9"
    with limited_workshop(diagram_features=2) as workshop:
        said = problem(workshop.send("POST", path, drawn(SQUARE, SQUARE, SQUARE)), 400)
        assert said == "geometry has 3 features; the limit diagram_features is 2"
        evaluation = {"type": "FeatureCollection", "features": drawn(SQUARE, SQUARE, SQUARE)["geometry"]["features"]}
        for feature in evaluation["features"]:
            feature["properties"] = {"areatype": "green"}
        assert "diagram_features" in problem(workshop.send("POST", f"systems/{WATER}/e/map/json/", evaluation), 400)


@pytest.mark.slow
def test_a_scribble_with_more_vertices_than_the_limit_is_refused_at_once(workshop: Workshop) -> None:
    line = {"type": "LineString", "coordinates": [[-9.15 + at * 1e-9, 38.7] for at in range(1_100_000)]}
    # Written before: Python's other threads would wait for that.
    body = json.dumps(drawn(line) | {"featuretype": "line"}).encode()
    url = f"{workshop.sandbox.url}projects/{workshop.id}/systems/{WATER}/add/project/"
    headers = {"Authorization": f"Token {workshop.sandbox.token(ADMINISTRATOR)}", "Content-Type": "application/json"}
    with OtherMember(workshop) as other:
        said = problem(requests.post(url, data=body, headers=headers, timeout=20), 400)
    assert said == "the body has 1,100,000 vertices; the limit diagram_vertices is 1,000,000"
    assert max(other.seconds) < 2


# Quotas


@pytest.mark.parametrize("limit", ["project_bytes", "user_bytes"])
def test_a_quota_says_how_much_is_left_and_nothing_is_written(limit: str) -> None:
    with limited_workshop(**{limit: 4_000}) as workshop:
        added = 0
        while (answer := workshop.send("POST", f"systems/{WATER}/add/project/", drawn(SQUARE))).status_code == 200:
            added += 1
        owner = limit.partition("_")[0]
        said = problem(answer, 507)
        found = re.fullmatch(
            rf"the {owner} has ([\d,]+) bytes and this adds (\d+); the limit {limit} is 4,000, which leaves (\d+)",
            said,
        )
        assert found, said
        used, adds, left = (int(number.replace(",", "")) for number in found.groups())
        assert used + left == 4_000 and adds > left
        assert len(workshop.project.diagrams()) == 1 + added
        # Notes count as well, and shorter ones are always accepted.
        diagram = workshop.project.diagrams(fields="details")[0]["id"]
        assert workshop.send("POST", f"diagrams/{diagram}/notes/", {"notes": "x" * (left + 1)}).status_code == 507
        assert workshop.send("POST", f"diagrams/{diagram}/notes/", {"notes": "x" * left}).status_code == 200
        assert workshop.send("POST", f"systems/{WATER}/add/project/", drawn(SQUARE)).status_code == 507
        assert workshop.send("POST", f"diagrams/{diagram}/notes/", {"notes": ""}).status_code == 200


@pytest.mark.parametrize("limit", ["project_bytes", "user_bytes"])
def test_a_large_geometry_counts_toward_the_quotas_until_nobody_can_restore_it(limit: str) -> None:
    ring = [[-9.15 + 0.01 * cos(at * pi / 500), 38.72 + 0.01 * sin(at * pi / 500)] for at in range(1_000)]
    large = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    with limited_workshop(**{limit: 60_000}, history_entries=2) as workshop:
        add = f"systems/{WATER}/add/project/"
        second = workshop.send("POST", add, drawn(large)).json()["diagram_id"]
        said = problem(workshop.send("POST", add, drawn(large)), 507)
        found = re.fullmatch(
            r"the \w+ has ([\d,]+) bytes and this adds ([\d,]+); the limit \w+ is 60,000, which leaves ([\d,]+)",
            said,
        )
        assert found and limit in said, said
        used, adds, left = (int(number.replace(",", "")) for number in found.groups())
        assert adds > len(json.dumps(large, separators=(",", ":"))) * 0.9 and used + left == 60_000
        workshop.project.diagram(int(second)).delete()
        # It can be restored, so it still counts.
        assert workshop.send("POST", add, drawn(large)).status_code == 507
        workshop.project.workshop.add_stakeholders(["A"])
        workshop.project.workshop.add_stakeholders(["B"])
        assert workshop.send("POST", add, drawn(large)).status_code == 200


# Memory and time


def peak_memory(process_id: int) -> int:
    status = Path(f"/proc/{process_id}/status").read_text(encoding="ascii")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) * 1024


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the system does not tell the peak memory of a process"
)
def test_free_json_takes_a_small_multiple_of_its_bytes_in_memory() -> None:
    many = "[" + ",".join(["[]"] * 2_600_000) + "]"
    square = json.dumps(SQUARE)
    properties = f'{{"areatype": "green", "a": {many}}}'
    feature = f'{{"type": "Feature", "properties": {properties}, "geometry": {square}}}'
    bodies = {
        "diagrams/1002/": f'{{"additional_metadata": {{"a": {many}}}}}',
        f"systems/{WATER}/i/map/json/": f'{{"type": "FeatureCollection", "features": [{",".join([feature] * 5)}]}}',
        f"systems/{WATER}/e/map/json/": f'{{"type": "FeatureCollection", "features": [{",".join([feature] * 5)}]}}',
        "/projects/create/": f'{{"creation_code": "FADO", "project_title": "A", "systems": [], "x": {many}}}',
    }
    with running_service() as service:
        before = peak_memory(service.process.pid)
        for path, body in bodies.items():
            url = service.urls[-1] + (path[1:] if path.startswith("/") else f"projects/{PROJECT}/{path}")
            headers = {"Authorization": f"Token {service.tokens['admin']}"}
            assert requests.post(url, data=body.encode(), headers=headers, timeout=60).status_code == 400, path
        assert peak_memory(service.process.pid) - before < 6 * max(len(body) for body in bodies.values())


def test_sigterm_ends_a_service_that_is_busy_with_large_requests() -> None:
    with running_service() as service:
        headers = {"Authorization": f"Token {service.tokens['admin']}"}
        ring = [[-74.15 + (at % 2) * 1e-3, 40.57 + at * 1e-8] for at in range(200_000)]
        line = {"type": "LineString", "coordinates": ring}
        body = json.dumps(drawn(line) | {"featuretype": "line"}).encode()
        url = f"{service.urls[-1]}projects/{PROJECT}/systems/{WATER}/add/project/"

        def upload() -> None:
            with pytest.raises(requests.RequestException):
                while True:
                    requests.post(url, data=body, headers=headers, timeout=60)

        uploads = [threading.Thread(target=upload) for _ in range(4)]
        for thread in uploads:
            thread.start()
        time.sleep(0.5)
        started = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(timeout=20)
        assert time.monotonic() - started < 5
        for thread in uploads:
            thread.join()


# Objects


def with_an_array_for_an_object(body: Any) -> Iterator[Any]:
    """The body with each of its objects in turn replaced by the list of its values."""
    if isinstance(body, dict):
        yield list(body.values())
        for key, value in body.items():
            for changed in with_an_array_for_an_object(value):
                yield body | {key: changed}
    if isinstance(body, list):
        for at, value in enumerate(body):
            for changed in with_an_array_for_an_object(value):
                yield [*body[:at], changed, *body[at + 1 :]]


@pytest.mark.parametrize("operation", [row for row in OPERATIONS if row.body is not None], ids=str)
def test_an_array_where_an_object_is_documented_is_refused(operation: Any) -> None:
    with Sandbox() as sandbox:
        values = PLACEHOLDERS | {"creation_code": sandbox.creation_code("FADO")}
        url = sandbox.url + operation.template.format(**values)
        headers = {"Authorization": f"Token {sandbox.token()}"}
        for body in with_an_array_for_an_object(fill_placeholders(operation.body, values)):
            answer = requests.request(operation.method, url, json=body, headers=headers, timeout=20)
            assert answer.status_code in (400, 403), (body, answer.text)


# Documentation


def test_the_documented_table_of_limits_is_that_of_the_service() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reliability.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) ([^|]+) \|", text, flags=re.MULTILINE)
    documented = {name: (int(value.replace(",", "")), unit) for name, value, unit in rows}
    with Sandbox(project=None) as sandbox:
        sandbox.add_user("admin")
        limits = sandbox.client().limits()
    assert {name: value for name, (value, _) in documented.items()} == {row["name"]: row["value"] for row in limits}
    assert len(rows) == len(limits)
    for limit in limits:
        assert documented[limit["name"]][1].startswith(limit["unit"]), limit
