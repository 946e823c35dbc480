"""A result's HTML in a notebook is small, fast and safe, and sends no request."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter

import pygeodesign
from builders import diagram, feature, read_diagrams, square
from demo import demo_sandbox
from fake_service import PROJECT, FakeService
from parsed_html import BREAKING_OUT, HARMFUL, ParsedHtml
from pygeodesign import FeatureCollection, Project
from pygeodesign._text import short_amount


def html(result: Any) -> str:
    page = result._repr_html_()
    assert isinstance(page, str)
    return page


def seconds(call: Callable[[], object], times: int = 5) -> float:
    """The shortest of several measurements."""

    def once() -> float:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    return min(once() for _ in range(times))


@pytest.fixture(scope="module")
def large() -> FeatureCollection:
    """2000 diagrams with 5000 features of 100 vertices each: about 20 MB of JSON."""
    chance = np.random.default_rng(1)
    corners = chance.uniform((-75, 40), (-73, 41), (5000, 1, 2))
    rings = iter((corners + chance.uniform(0, 0.01, (5000, 99, 2))).tolist())

    def blob() -> dict[str, Any]:
        ring = next(rings)
        return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}

    diagrams = [
        diagram(
            number,
            *(feature(blob(), areatype="project", sysname=f"System {number % 9}") for _ in range(2 + number % 2)),
            sysid=number % 9,
            color="#336699",
        )
        for number in range(2000)
    ]
    body = json.dumps(diagrams).encode()
    assert len(body) > 18_000_000
    with FakeService({"diagrams/all/": body}) as service:
        return service.project().diagrams()


@pytest.mark.slow
def test_the_card_of_a_large_project_has_at_most_100_kb(large: FeatureCollection) -> None:
    assert len(html(large).encode()) <= 100_000


@pytest.mark.slow
def test_the_card_of_a_large_project_is_rendered_within_50_ms(large: FeatureCollection) -> None:
    assert seconds(lambda: html(large)) <= 0.05


def test_the_card_has_a_map_and_counts(project: Project) -> None:
    parsed = ParsedHtml(html(project.diagrams()))
    assert {"svg", "path", "table"} <= parsed.tags
    assert "214 features, 180 diagrams" in parsed.text
    assert all(system["name"] in parsed.text for system in project.systems())


@pytest.mark.parametrize("features", [[], [feature(None)], [feature({"type": "Point", "coordinates": [0, 0]})]])
def test_a_collection_without_shapes_has_a_card(features: list[Any]) -> None:
    assert "1 diagram" in ParsedHtml(html(read_diagrams(diagram(1, *features)))).text


@pytest.mark.parametrize("field", ["sysname", "description", "color", "author", "notes"])
@pytest.mark.parametrize("text", [HARMFUL, BREAKING_OUT])
def test_text_of_the_service_is_escaped_in_the_card(field: str, text: str) -> None:
    page = html(read_diagrams(diagram(1, feature(square(0, 0, 1), areatype="project"), **{field: text})))
    parsed = ParsedHtml(page)
    assert "script" not in parsed.tags
    assert not {name for name in parsed.attributes if name.startswith("on")}


def test_a_name_with_markup_is_shown_as_text() -> None:
    page = html(read_diagrams(diagram(1, feature(square(0, 0, 1)), sysname='<b>Roads & "rails"</b>')))
    assert '<b>Roads & "rails"</b>' in ParsedHtml(page).text


@pytest.mark.parametrize("text", [HARMFUL, BREAKING_OUT])
def test_text_of_the_service_is_escaped_in_a_cost_report(text: str) -> None:
    system = {"id": 1, "name": text, "color": text, "tag": text, "cost": 1, "budget": 1}
    below = {"systems/": [system], "systems/1/": system, "diagrams/all/": [diagram(1, description=text, area=1e6)]}
    with FakeService(below) as service:
        parsed = ParsedHtml(html(service.project().costs()))
    assert "script" not in parsed.tags
    assert not {name for name in parsed.attributes if name.startswith("on")}
    assert text in parsed.text


def test_a_cost_report_marks_systems_over_budget(project: Project) -> None:
    report = project.costs()
    over = [row["name"] for row in report.systems if row["budget_left"] is not None and row["budget_left"] < 0]
    assert over
    # The row of the total may be over budget too.
    assert ParsedHtml(html(report)).text.count(" over") in (len(over), len(over) + 1)


@pytest.mark.parametrize("jedi", [True, False])
@pytest.mark.parametrize("name", ["client", "project"])
def test_completing_a_name_sends_no_request(name: str, jedi: bool) -> None:
    with FakeService() as service:
        client = service.client()
        names = {"client": client, "project": client.project(PROJECT)}
        completer: Any = IPCompleter(namespace=names, use_jedi=jedi)  # type: ignore[no-untyped-call]
        with provisionalcompleter():
            offered = {completion.text.lstrip(".") for completion in completer.completions(f"{name}.", len(name) + 1)}
        assert service.requests.total() == 0
    public = {attribute for attribute in dir(names[name]) if not attribute.startswith("_")}
    assert public <= offered


def test_cards_of_clients_projects_and_sandboxes_show_no_token_and_need_no_service() -> None:
    with demo_sandbox() as sandbox:
        token = sandbox.token()
        client = sandbox.client()
        project = client.project(sandbox.project_ids[0])
        cards = {name: ParsedHtml(html(item)).text for name, item in [("c", client), ("p", project), ("s", sandbox)]}
        assert all(sandbox.url in card and token not in card for card in cards.values())
        assert project.id in cards["p"] and project.id in cards["s"]
        assert "admin" in cards["s"] and "13 users" not in cards["s"] and "and 1 more" in cards["s"]
    # The service is gone, and its data on the project with it.
    assert ParsedHtml(html(client)).text == cards["c"]
    assert ParsedHtml(html(project)).text == f"ProjectidStatenIsland2050service{sandbox.url}"
    assert "stopped" in ParsedHtml(html(sandbox)).text


def test_the_card_of_an_archive_tells_what_is_in_it(project: Project, tmp_path: Path) -> None:
    project.archive(tmp_path / "<b>demo.zip")
    card = ParsedHtml(html(pygeodesign.open(tmp_path / "<b>demo.zip")))
    assert "180 diagrams" in card.text and "9 systems" in card.text and "<b>demo.zip" in card.text
    assert "b" in card.tags and card.text.count("Project") == 1


def test_the_card_of_an_evaluation_map_has_its_classes_in_their_colours(project: Project) -> None:
    page = html(project.system("Water").evaluation())
    areas = project.system("Water").evaluation().to_geopandas()
    words = {"red": "Existing", "yellow": "Not appropriate", "green": "Capable"}
    for name, frame in areas.groupby("areatype"):
        (color,) = frame["color"].unique()
        word = words[name]
        row = f'<td style="color:{color}">&#9632;</td><td style="text-align:left">{word}</td><td>{len(frame)}</td>'
        assert row in page
    assert re.findall(r"left\">([\w ]+)</td>", page) == list(words.values())


def test_the_card_of_a_comparison_has_its_designs(project: Project) -> None:
    comparison = project.compare({"<i>marsh": [1001, 1002], "nothing": []})
    card = ParsedHtml(html(comparison))
    assert "<i>marsh2" in card.text and "nothing0" in card.text and "i" not in card.tags
    costs = comparison.diagrams["cost"].loc[[1001, 1002]].sum()
    assert short_amount(costs) in card.text


def test_dir_repr_and_id_of_a_project_send_no_request() -> None:
    with FakeService() as service:
        project = service.project()
        assert dir(project)
        assert repr(project) == f"<Project {PROJECT} of {service.url}>"
        assert project.id == PROJECT
        assert service.requests.total() == 0
