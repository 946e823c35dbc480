"""Designing and negotiating in the room: what a choice costs and meets, where designs collide, what comes first."""

import json
import warnings
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from chromium import chromium
from pygeodesign import Project, Sandbox
from room_pages import Room, eventually, joined, link_of
from test_room_for_everybody import barriers

MARSH, DUNE = "Oakwood Beach tidal marsh restoration", "South Beach dune and seawall"
TRIANGLE = [[-74.15, 40.55], [-74.14, 40.55], [-74.14, 40.56], [-74.15, 40.55]]


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


def bar_of(room: Room, system: str) -> float:
    """The pixels of the bar of costs."""
    return float(row_of(room, system).locator(".meter i").first.evaluate("bar => bar.getBoundingClientRect().width"))


def sent_by(sandbox: Sandbox, name: str, title: str, start: date | None = None, end: date | None = None) -> int:
    """A diagram that a member drew, with days or without."""
    with sandbox.client(name) as client:
        project = client.project(sandbox.project().id)
        drawn = {"type": "Polygon", "coordinates": [TRIANGLE]}
        return project.add_diagram("Transport", drawn, title=title, start_date=start, end_date=end).id


def days_of(project: Project, diagram: int) -> tuple[str, str]:
    found = project.diagram(diagram)
    return str(found.start_date), str(found.end_date)


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
    read = "rows => rows.map(({ dataset }) => [...dataset.pair.split(' '), dataset.hectares])"
    return {
        (min(int(one), int(other)), max(int(one), int(other))): float(area)
        for one, other, area in holder.locator("[data-pair]").evaluate_all(read)
    }


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
        before = bar_of(room, "Water")
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
        assert eventually(lambda: bar_of(room, "Water") > before, page)
        # The classes of the evaluation map make up the land.
        assert eventually(lambda: row_of(room, "Water").locator("[data-classes]").count() == 1, page)
        assert sum(figure(row_of(room, "Water"), "classes").values()) == pytest.approx(water["area_ha"], rel=0.001)
        assert [error for error in room.faults() if "ERR_FAILED" not in error] == []


def test_a_design_that_is_shown_has_the_collisions_that_python_finds(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    design = project.design("Design 3 – with the Residents' parks")
    with joined(browser, link_of(workshop, "ben")) as room:
        page = room.page
        expected = in_land(project, f"Conservation – {design.title}")
        assert expected
        page.get_by_label("Show", exact=True).select_option(label=design.title)
        assert eventually(lambda: shown_pairs(page.locator(".balance")) != {}, page)
        assert shown_pairs(page.locator(".balance")) == pytest.approx(expected, rel=0.002)
        assert is_said_by_service(room)
        assert figure(page.locator(".balance tfoot"), "cost") == pytest.approx(design.costs().total, abs=0.005)
        page.locator(".balance .collisions summary").click()
        page.locator(".balance [data-pair] button").first.click()
        assert page.locator("#views path").count() >= 2
        assert room.faults() == []


def test_own_days_are_dragged_and_moved_by_keys_and_those_of_others_are_read(
    browser: Browser, workshop: Sandbox
) -> None:
    project = workshop.project()
    mine = sent_by(workshop, "ana", "Ferry stop", start=date(2030, 1, 31), end=date(2034, 6, 1))
    bare = sent_by(workshop, "ana", "<b>Quay</b>")
    project.member("ana").set_selection([MARSH, mine, bare])
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        page.locator("#tab-designs").click()
        page.get_by_role("button", name="Timeline of my choice").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("slider")).to_have_count(2)
        expect(dialog.get_by_text("hannah.lindqvist sets these days.")).to_be_visible()
        expect(dialog.get_by_role("heading", name="1 diagram without days")).to_be_visible()
        assert barriers(page) == []

        start = dialog.get_by_role("slider", name="Start of Ferry stop")
        start.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowLeft")
        page.keyboard.press("PageDown")
        expect(start).to_have_attribute("aria-valuetext", "Feb 27, 2029")
        assert eventually(lambda: days_of(project, mine) == ("2029-02-27", "2034-06-01"), page)
        expect(start).to_be_focused()

        # A year is the same length wherever the bar is.
        end = dialog.get_by_role("slider", name="End of Ferry stop").bounding_box()
        track = dialog.locator(f"li[data-id='{mine}'] .track").bounding_box()
        assert end is not None and track is not None
        page.mouse.move(end["x"] + 12, end["y"] + 12)
        page.mouse.down()
        page.mouse.move(end["x"] + 12 - track["width"] / 20, end["y"] + 12, steps=5)
        page.mouse.up()
        assert eventually(lambda: days_of(project, mine)[1] < "2034-01-01", page)
        assert days_of(project, mine)[0] == "2029-02-27"

        dialog.get_by_label("Start of <b>Quay</b>").fill("2031-05-01")
        dialog.get_by_label("End of <b>Quay</b>").fill("2031-04-01")
        dialog.get_by_role("button", name="Set these days").click()
        expect(dialog.get_by_role("alert")).to_contain_text("The end is before the start.")
        dialog.get_by_label("End of <b>Quay</b>").fill("2032-04-01")
        dialog.get_by_role("button", name="Set these days").click()
        assert eventually(lambda: days_of(project, bare) == ("2031-05-01", "2032-04-01"), page)
        expect(dialog.get_by_role("slider")).to_have_count(4)
        assert room.faults() == []


def test_days_that_somebody_changed_meanwhile_are_not_overwritten(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    mine = sent_by(workshop, "ana", "Ferry stop", start=date(2030, 1, 31), end=date(2034, 6, 1))
    project.member("ana").set_selection([mine])
    with joined(browser, link_of(workshop, "ana")) as room:
        page = room.page
        page.locator("#tab-designs").click()
        page.get_by_role("button", name="Timeline of my choice").click()
        page.get_by_role("slider", name="End of Ferry stop").focus()
        page.keyboard.press("ArrowRight")
        project.diagram(mine).update(start_date=date(2031, 1, 1), end_date=date(2032, 1, 1))
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("were changed meanwhile")
        expect(page.get_by_role("slider", name="End of Ferry stop")).to_have_attribute("aria-valuetext", "Jan 1, 2032")
        assert days_of(project, mine) == ("2031-01-01", "2032-01-01")
        assert room.faults() == []
