"""The map in a cell under load: many maps, many diagrams, many changes. The notebook stays usable."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from large_project import collections
from machine import slowed_down
from notebooks import SETUP, Notebook, jupyterlab
from pygeodesign import Client, Sandbox

pytestmark = pytest.mark.slow

MAPS = 20
CHANGES_A_SECOND = 100
# The machine may be busy with something else: the best of these counts.
TRIES = 3
# Milliseconds from the end of a cell, of this place, until its map has this many shapes and all its tiles are painted.
PAINTED = """async ([place, count]) => {
  const wait = (test) => new Promise((resolve) => {
    const look = () => (test() ? resolve(performance.now()) : setTimeout(look, 10));
    look();
  });
  const cell = () => document.querySelectorAll(".jp-Notebook .jp-CodeCell")[place];
  const inRoot = (one) => one.shadowRoot?.querySelector(".frame");
  const frame = () => [...cell().querySelectorAll(".jp-OutputArea-output *")].map(inRoot).find(Boolean);
  const ended = await wait(() => /\\[\\d+\\]:/.test(cell().querySelector(".jp-InputPrompt").textContent));
  const painted = await wait(() => {
    const room = frame()?.geodesignMap;
    const isRead = room?.scene.shapes.length >= count;
    return isRead && room.map.views[0].layer.queue.size === 0 && frame().querySelector(".leaflet-tile-loaded");
  });
  return painted - ended;
}"""
# Clicks on the middle of a diagram in view; milliseconds until the map marks it.
CLICK = """(frame) => new Promise((resolve) => {
  const { map, scene } = frame.geodesignMap;
  const view = map.views[0];
  const box = view.map.getContainer().getBoundingClientRect();
  const marked = () => view.pins.getLayers().length;
  const before = marked();
  for (const { diagram, west, east, north, south } of scene.shapes) {
    const middle = view.map.unproject([(west + east) * 128, (north + south) * 128], 0);
    const { x, y } = view.map.latLngToContainerPoint(middle);
    if (x < 60 || y < 60 || x > box.width - 60 || y > box.height - 60 || diagram.policy) continue;
    const at = { bubbles: true, composed: true, clientX: box.left + x, clientY: box.top + y, view: window, button: 0 };
    const begun = performance.now();
    const target = view.map.getContainer();
    for (const kind of ["mousedown", "mouseup", "click"]) target.dispatchEvent(new MouseEvent(kind, at));
    const look = () => (marked() !== before ? resolve(performance.now() - begun) : setTimeout(look, 5));
    look();
    return;
  }
})"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("lab")
    with jupyterlab(folder) as url:
        yield url, folder


@contextmanager
def longest_task_of_ours(page: Page) -> Iterator[list[float]]:
    """Comes to hold how many milliseconds of the processor the longest task took that ran the program of a widget."""
    browser = page.context.browser
    assert browser is not None
    found: list[float] = []
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    try:
        yield found
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    main = [event for event in events if names.get((event["pid"], event["tid"])) == "CrRendererMain"]
    calls = [
        event
        for event in main
        # anywidget makes a blob of the program.
        if event["name"] == "FunctionCall" and event["args"].get("data", {}).get("url", "").startswith("blob:")
    ]
    assert calls, "no task of the widget was seen"
    tasks = [event for event in main if event["name"].endswith("RunTask") and "dur" in event]
    found.append(
        max(
            task.get("tdur", 0) / 1000
            for task in tasks
            if any(task["ts"] <= call["ts"] <= task["ts"] + task["dur"] for call in calls if call["pid"] == task["pid"])
        )
    )


def best_of(measure: Callable[[], float], most: float) -> list[float]:
    """The measurements until one is at most `most`, or until `TRIES` of them."""
    found: list[float] = []
    while len(found) < TRIES and not (found and found[-1] <= most):
        found.append(measure())
    return found


def test_twenty_maps_in_a_notebook_are_all_drawn_and_a_cell_runs_beside_them(
    browser: Browser, lab: tuple[str, Path]
) -> None:
    url, folder = lab
    notebook = Notebook(browser, url, folder / "many.ipynb", [SETUP, *["project.map()"] * MAPS, "print(6 * 7)"])
    page = notebook.page
    notebook.run(0)
    begun = time.monotonic()
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    page.get_by_text("Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    for number in range(1, MAPS + 1):
        cell = page.locator(f".jp-Notebook .jp-CodeCell[data-windowed-list-index='{number}']")
        if not cell.count():
            cell = cells.nth(number)
        cell.scroll_into_view_if_needed(timeout=30_000)
        expect(cell.locator(".frame canvas.leaflet-tile-loaded").first).to_be_attached(timeout=30_000)
    drawn = time.monotonic() - begun

    def run() -> float:
        begun = time.monotonic()
        assert notebook.run(MAPS + 1).strip() == "42"
        return time.monotonic() - begun

    # 0.7 s of it are waits of the test.
    taken = best_of(run, 2)
    print(f"\n{MAPS} maps drawn after {drawn:.1f} s; a cell beside them {min(taken):.2f} s")
    assert min(taken) <= 2 * slowed_down() and notebook.errors == []
    page.close()


@pytest.fixture(scope="module")
def large(lab: tuple[str, Path]) -> Path:
    """A database with 2,000 diagrams of 5,000 polygons."""
    path = lab[1] / "large.sqlite"
    with Sandbox(str(path)) as sandbox:
        project = sandbox.project()
        systems = project.systems()
        for system, collection in zip(systems, collections(len(systems)), strict=True):
            project.add_diagrams(system["id"], collection, title="title", outside="allow", progress=False)
    return path


def test_2000_diagrams_load_in_three_seconds_and_are_dragged_without_a_long_task(
    browser: Browser, lab: tuple[str, Path], large: Path
) -> None:
    url, folder = lab
    cells = [
        f"from pygeodesign import Sandbox\nsandbox = Sandbox({str(large)!r})\nproject = sandbox.project()",
        "view = project.map()\nview",
    ]
    notebook = Notebook(browser, url, folder / "large.ipynb", cells)
    page = notebook.page
    notebook.run(0)

    # Installed before the cell runs, so that nothing is missed.
    page.evaluate(f"() => {{ window.firstView = ({PAINTED})([1, 5000]); }}")
    notebook.run(1)
    seconds = float(page.evaluate("() => window.firstView")) / 1000
    frame = page.locator(".frame").first
    frame.scroll_into_view_if_needed()
    page.wait_for_timeout(3000)
    box = frame.locator(".map").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag() -> float:
        centre = "(frame) => frame.geodesignMap.leaflet.getCenter().lng"
        before = frame.evaluate(centre)
        with longest_task_of_ours(page) as longest:
            for step in (-160, 80):
                page.mouse.move(x, y)
                page.mouse.down()
                page.mouse.move(x + step, y + step / 2, steps=25)
                page.mouse.up()
                page.wait_for_timeout(400)
        assert frame.evaluate(centre) != before
        return longest[0]

    longest = best_of(drag, 50)
    print(f"\n2,000 diagrams: first view {seconds:.2f} s after the cell, longest task of a drag {longest} ms")
    # Where other programs wait for the processors too, so does the page.
    assert seconds <= 3 * slowed_down()
    assert min(longest) <= 50 and notebook.errors == []
    page.close()


class Writer:
    """Changes diagrams of a project at a steady pace."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._project = Client(sandbox.token(), sandbox.url).project(sandbox.project_ids[0])
        self._ids = [row["id"] for row in self._project.diagrams(fields="summary")]
        self._stop, self.changes, self.seconds = threading.Event(), 0, 0.0
        self._thread = threading.Thread(target=self._write)

    def _write(self) -> None:
        begun = time.monotonic()
        while not self._stop.is_set():
            self._project.diagram(self._ids[self.changes % len(self._ids)]).edit(title=f"Change {self.changes}")
            self.changes += 1
            time.sleep(max(0.0, begun + self.changes / CHANGES_A_SECOND - time.monotonic()))
        self.seconds = time.monotonic() - begun

    def __enter__(self) -> "Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._stop.set()
        self._thread.join()


def test_a_hundred_changes_a_second_leave_the_notebook_usable(browser: Browser, lab: tuple[str, Path]) -> None:
    url, folder = lab
    with Sandbox() as sandbox:
        connect = f"from pygeodesign import Client\nproject = Client({sandbox.token()!r}, {sandbox.url!r}).project("
        cells = [
            f"{connect}{sandbox.project_ids[0]!r})\nheard = []\nview = project.map(live=True)\n"
            "view.widget.observe(heard.append, 'selected')\nview",
            "print(len(heard), 6 * 7)",
        ]
        notebook = Notebook(browser, url, folder / "busy.ipynb", cells)
        page = notebook.page
        notebook.run(0)
        page.evaluate(PAINTED, [0, 100])
        frame = page.locator(".frame").first
        with Writer(sandbox) as writer:
            page.wait_for_timeout(3000)
            clicks = []
            for _ in range(6):
                clicks.append(float(frame.evaluate(CLICK)))
                page.wait_for_timeout(700)
            begun = time.monotonic()
            told = notebook.run(1).split()
            taken = time.monotonic() - begun
        rate = writer.changes / writer.seconds
        # The first and the last change arrive, whatever was read in between.
        last = f"Change {writer.changes - 1}"
        titles = "(frame) => [...frame.geodesignMap.scene.diagrams.values()].map((one) => one.title)"
        begun = time.monotonic()
        while last not in frame.evaluate(titles) and time.monotonic() < begun + 10:
            page.wait_for_timeout(100)
        print(f"\n{rate:.0f} changes a second: clicks {[round(one) for one in clicks]} ms, a cell {taken:.2f} s")
        assert last in frame.evaluate(titles)
        assert rate > 0.8 * CHANGES_A_SECOND / slowed_down()
        # Python got each click.
        assert told == [str(len(clicks)), "42"]
        assert (
            sorted(clicks)[len(clicks) // 2] <= 500 * slowed_down()
            and taken <= 3 * slowed_down()
            and notebook.errors == []
        )
        page.close()
