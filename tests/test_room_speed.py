"""The room with 2,000 diagrams of 5,000 polygons: how soon it is there, and how evenly it moves."""

import json
import math
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from machine import slowed_down
from pygeodesign import Sandbox
from room_pages import Room, eventually, joined, link_of

DIAGRAMS = 2_000
POLYGONS = 5_000
CORNERS = 30
# The machine may be busy with something else: the best of these counts.
TRIES = 3
# In milliseconds: whoever touches the page notices what takes longer.
LONGEST = 50

pytestmark = pytest.mark.slow

# Counts the tiles that are painted.
COUNT_TILES = """() => {
const { layer } = geodesignRoom.map.views[0];
const paint = Object.getPrototypeOf(layer).paint;
window.painted = 0;
layer.paint = function (...tile) {
  window.painted += 1;
  return paint.apply(this, tile);
};
}"""


def polygon(chance: random.Random, x: float, y: float, radius: float = 0.003) -> list[list[list[float]]]:
    ring = []
    for corner in range(CORNERS):
        angle, reach = 2 * math.pi * corner / CORNERS, radius * chance.uniform(0.75, 1)
        ring.append([round(x + reach * math.cos(angle), 6), round(y + 0.8 * reach * math.sin(angle), 6)])
    return [[*ring, ring[0]]]


def collections(systems: int) -> Iterator[dict[str, Any]]:
    """The diagrams of each system."""
    chance = random.Random(7)
    for system in range(systems):
        features = []
        for number in range(system, DIAGRAMS, systems):
            x, y = chance.uniform(-74.24, -74.07), chance.uniform(40.51, 40.64)
            count = POLYGONS // DIAGRAMS + number % 2
            parts = [polygon(chance, x + 0.008 * part, y + 0.004 * chance.random()) for part in range(count)]
            geometry = {"type": "MultiPolygon", "coordinates": parts}
            features.append({"type": "Feature", "properties": {"title": f"Diagram {number}"}, "geometry": geometry})
        yield {"type": "FeatureCollection", "features": features}


@pytest.fixture(scope="module")
def workshop() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        project = sandbox.project()
        sandbox.add_user("ana")
        project.add_member("ana")
        systems = project.systems()
        for system, collection in zip(systems, collections(len(systems)), strict=True):
            project.add_diagrams(system["id"], collection, title="title", outside="allow", progress=False)
        yield sandbox


def test_a_browser_that_has_never_seen_the_page_shows_the_map_within_three_seconds(
    browser: Browser, workshop: Sandbox
) -> None:
    seconds = []
    for _ in range(TRIES):
        begun = time.monotonic()
        with joined(browser, link_of(workshop, "ana"), wait=False) as room:
            room.page.wait_for_selector(".leaflet-tile-loaded")
            assert is_painted(room)
            seconds.append(time.monotonic() - begun)
            assert room.page.evaluate("geodesignRoom.scene.shapes.length") > POLYGONS
        if seconds[-1] <= 3:
            break
    print(f"\nfirst view: {', '.join(f'{taken:.2f}' for taken in seconds)} s")
    # Where other programs wait for the processors too, so does the page.
    assert min(seconds) <= 3 * slowed_down()


def is_painted(room: Room) -> bool:
    idle = "geodesignRoom.map.views[0].layer.queue.size === 0"
    return eventually(lambda: bool(room.page.evaluate(idle)), room.page)


def settle(room: Room) -> None:
    """Waits until everything is read and painted."""
    expect(room.page.locator(".state[data-is=online]")).to_be_attached(timeout=10_000)
    assert eventually(lambda: room.page.locator("li.cell").count() >= DIAGRAMS, room.page)
    room.page.wait_for_timeout(1500)


@contextmanager
def longest_task(page: Page) -> Iterator[list[float]]:
    """Comes to hold how many milliseconds of the processor the longest task of the page took."""
    browser = page.context.browser
    assert browser is not None
    found: list[float] = []
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    try:
        yield found
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    found.append(
        max(
            event.get("tdur", 0) / 1000
            for event in events
            if event["name"].endswith("RunTask") and names.get((event["pid"], event["tid"])) == "CrRendererMain"
        )
    )


def test_pan_and_zoom_have_no_task_longer_than_50_milliseconds(browser: Browser, workshop: Sandbox) -> None:
    taken = []
    with joined(browser, link_of(workshop, "ana")) as room:
        settle(room)
        page, middle = room.page, room.place((0.5, 0.5))
        ends = [room.place((share, share)) for share in (0.2, 0.8)]
        for _ in range(TRIES):
            with longest_task(page) as longest:
                page.mouse.move(*middle)
                for _ in range(2):
                    page.mouse.wheel(0, -240)
                    page.wait_for_timeout(500)
                for end in ends:
                    page.mouse.move(*middle)
                    page.mouse.down()
                    page.mouse.move(*end, steps=25)
                    page.mouse.up()
                    page.wait_for_timeout(400)
                for _ in range(2):
                    page.mouse.wheel(0, 240)
                    page.wait_for_timeout(500)
            taken += longest
            if taken[-1] <= LONGEST:
                break
    print(f"\nlongest task of pan and zoom: {taken} ms")
    # Programs that share a processor's caches also slow each other down.
    assert min(taken) <= LONGEST * slowed_down()


def test_a_new_diagram_repaints_the_tiles_that_it_touches_and_no_others(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    taken = []
    with joined(browser, link_of(workshop, "ana")) as room:
        settle(room)
        page = room.page
        tiles = page.locator("canvas.leaflet-tile").count()
        for number in range(TRIES):
            page.evaluate(COUNT_TILES)
            west = -74.15 + 0.001 * number
            corners = [[west, 40.58], [west + 0.0001, 40.58], [west + 0.0001, 40.5801], [west, 40.58]]
            with longest_task(page) as longest:
                project.add_diagram("Water", {"type": "Polygon", "coordinates": [corners]}, title=f"Small {number}")
                page.wait_for_timeout(2000)
            # A corner of four tiles may be as near as this.
            painted = page.evaluate("window.painted")
            assert 1 <= painted <= 4 < tiles
            assert room.shows_diagrams([row["id"] for row in project.diagrams(fields="summary")])
            taken += longest
            if taken[-1] <= LONGEST:
                break
    print(f"\na new diagram: {painted} of {tiles} tiles painted, longest task {taken} ms")
    assert min(taken) <= LONGEST * slowed_down()


def test_switching_diagrams_has_no_task_longer_than_50_milliseconds(browser: Browser, workshop: Sandbox) -> None:
    project = workshop.project()
    # Far more than a design has: each switch is compared with all of these.
    own = [row["id"] for row in project.diagrams(fields="summary")][:600]
    project.member("ana").set_selection(own)
    taken = []
    with joined(browser, link_of(workshop, "ana")) as room:
        settle(room)
        page = room.page
        computed = page.locator(".balance tbody [data-classes]")
        assert eventually(lambda: computed.count() > 0, page, 30)
        # Found beforehand: to look for them among 2,000 is a task of the test, and not of the page.
        picks = page.locator("li.cell:visible .pick").element_handles()
        for number in range(TRIES):
            with longest_task(page) as longest:
                for pick in picks[3 * number : 3 * number + 3]:
                    pick.evaluate("pick => pick.click()")
                    page.wait_for_timeout(700)
            taken += longest
            if taken[-1] <= LONGEST:
                break
        assert room.faults() == []
    print(f"\nlongest task of switching: {taken} ms")
    assert min(taken) <= LONGEST * slowed_down()
