"""Designing and negotiating in the room: what a choice costs and meets, where designs collide, what is talked about first."""

import json
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from chromium import chromium
from pygeodesign import Project, Sandbox
from room_pages import Room, eventually, joined, link_of
from test_room_for_everybody import barriers

MARSH, DUNE, HOSPITAL = (
    "Oakwood Beach tidal marsh restoration",
    "South Beach dune and seawall",
    "Sea View hospital farm colony",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project with ana, who has chosen a marsh, and ben."""
    with Sandbox() as sandbox:
        project = sandbox.project()
        for name in ("ana", "ben"):
            sandbox.add_user(name)
            project.add_member(name)
        project.member("ana").set_selection([MARSH])
        yield sandbox


def row_of(room: Room, system: str) -> Locator:
    """The row of a system in what the choice costs and meets."""
    return room.page.locator(".balance tbody tr", has_text=system)


def figure(cell: Locator, name: str) -> Any:
    return json.loads(cell.locator(f"[data-{name}]").first.get_attribute(f"data-{name}") or "null")


def is_said_by_service(room: Room) -> bool:
    return eventually(lambda: room.page.locator(".balance [data-is=exact]").count() == 1, room.page)


def colliding(frame: Any) -> dict[tuple[int, int], float]:
    """Hectares by pair of diagrams, as Python has them."""
    rows = zip(frame["diagramid_a"], frame["diagramid_b"], frame["area_ha"], strict=True)
    return {(min(one, other), max(one, other)): area for one, other, area in rows}


def shown_pairs(holder: Locator) -> dict[tuple[int, int], float]:
    """Hectares by pair of diagrams, as the page lists them."""
    rows = holder.locator("[data-pair]").evaluate_all(
        "rows => rows.map(({ dataset }) => [dataset.pair, dataset.hectares])"
    )
    return {tuple(sorted(map(int, pair.split()))): float(area) for pair, area in rows}


def in_land(project: Project, scope: str, **settings: Any) -> dict[tuple[int, int], float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        comparison = project.compare(**settings)
        return colliding(comparison.conflicts(by="diagrams", scope=scope, geometry=False))


def test_bars_move_with_each_switch_at_once_and_end_at_what_the_service_says(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        assert is_said_by_service(room)
        before = row_of(room, "Water").locator(".meter i").first.bounding_box()
        # Without the service, the page reckons with the figures that it has.
        page.route("**/members/ana/costs/", lambda route: route.abort())
        room.cell(DUNE).locator(".pick").click()
        expect(page.locator(".balance [data-is=expected]")).to_be_attached()
        reckoned = figure(page.locator(".balance tfoot"), "cost")
        page.unroute("**/members/ana/costs/")
        room.cell(DUNE).locator(".pick").click()
        expect(room.cell(DUNE).locator(".pick")).to_have_attribute("aria-pressed", "false")
        room.cell(DUNE).locator(".pick").click()
        assert is_said_by_service(room)
        costs = project.costs(member="ana")
        water = next(system for system in costs.systems if system["name"] == "Water")
        assert reckoned == pytest.approx(costs.total, abs=0.005)
        assert figure(page.locator(".balance tfoot"), "cost") == pytest.approx(costs.total, abs=0.005)
        assert figure(row_of(room, "Water"), "hectares") == pytest.approx(water["area_ha"])
        assert before is not None
        assert eventually(
            lambda: row_of(room, "Water").locator(".meter i").first.bounding_box()["width"] > before["width"], page
        )
        # The classes of the evaluation map make up the land.
        assert eventually(lambda: row_of(room, "Water").locator("[data-classes]").count() == 1, page)
        assert sum(figure(row_of(room, "Water"), "classes").values()) == pytest.approx(water["area_ha"], rel=0.001)
        assert [error for error in room.faults() if "ERR_FAILED" not in error] == []


def test_a_design_that_is_shown_has_the_collisions_that_python_finds(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    design = max(project.designs(), key=lambda design: len(design.costs().diagrams))
    with joined(browser, link_of(workshop, "ben")) as room:
        page = room.page
        expected = in_land(project, "project")
        ids = set(design.diagram_ids())
        expected = {pair: area for pair, area in expected.items() if ids.issuperset(pair)}
        assert expected
        page.get_by_label("Show", exact=True).select_option(label=design.title)
        assert eventually(lambda: shown_pairs(page.locator(".balance")) != {}, page)
        assert shown_pairs(page.locator(".balance")) == pytest.approx(expected, rel=0.002)
        assert is_said_by_service(room)
        assert figure(page.locator(".balance tfoot"), "cost") == pytest.approx(design.costs().total, abs=0.005)
        page.locator(".balance .collisions summary").click()
        page.locator(".balance [data-pair] button").first.click()
        assert page.locator("#views path").count() >= 2
        assert barriers(page) == []
        assert room.faults() == []
