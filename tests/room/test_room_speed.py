"""The room with 2,000 diagrams of 5,000 polygons: its loading time, and its smoothness."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from large_project import DIAGRAMS, POLYGONS, collections
from machine import slowed_down
from pygeodesign import Sandbox
from room_pages import Room, eventually, joined, link_of

# The machine may be busy with something else: the best of these counts.
TRIES = 3
# In milliseconds: members notice longer tasks while they touch the page.
LONGEST = 50

pytestmark = [pytest.mark.alone("time of frames in a browser"), pytest.mark.slow]

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


def test_a_browser_that_has_never_seen_the_page_shows_the_map_within_two_seconds(
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
        if seconds[-1] <= 2:
            break
    print(f"\nfirst view: {', '.join(f'{taken:.2f}' for taken in seconds)} s")
    # Where other programs wait for the processors too, so does the page.
    assert min(seconds) <= 2 * slowed_down()


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
        room.open_balance()
        computed = page.locator(".balance tbody [data-classes]")
        assert eventually(lambda: computed.count() > 0, page, 30)
        # Found beforehand: to look for them among 2,000 is a task of the test, and not of the page.
        boxes = page.locator("li.cell:visible .choose").element_handles()
        for number in range(TRIES):
            with longest_task(page) as longest:
                for box in boxes[3 * number : 3 * number + 3]:
                    box.evaluate("box => box.click()")
                    page.wait_for_timeout(700)
            taken += longest
            if taken[-1] <= LONGEST:
                break
        assert room.faults() == []
    print(f"\nlongest task of switching: {taken} ms")
    assert min(taken) <= LONGEST * slowed_down()
