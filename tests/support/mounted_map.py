"""The map module, mounted in a map's page or in a widget, for tests that are about neither."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from chromium import FAULTS, opened
from pygeodesign import Project
from widget_host import cell

PLACES = ("page", "widget")
# The object that a map's page offers on the browser's console, for a map in a widget.
ALIAS = """(frame) => {
  const room = frame.geodesignMap;
  window.pygeodesign = {
    get views() { return room.map.views; },
    get shapes() { return room.scene.shapes; },
    get data() { return room.scene; },
  };
}"""
# Number of a view's opaque pixels with exactly this colour.
PIXELS = """([view, red, green, blue]) => {
  let found = 0;
  for (const tile of pygeodesign.views[view].map.getContainer().querySelectorAll("canvas.leaflet-tile")) {
    const { data } = tile.getContext("2d").getImageData(0, 0, tile.width, tile.height);
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255 && data[at] === red && data[at + 1] === green && data[at + 2] === blue) found += 1;
    }
  }
  return found;
}"""
# A place inside a diagram in pixels of the window, found in the drawn picture.
MIDDLE = """([title, view]) => {
  const { map } = pygeodesign.views[view];
  const shape = pygeodesign.shapes.find((shape) => shape.diagram.title === title);
  const [ring] = shape.lines;
  const x = shape.isLine ? ring[2] : (shape.west + shape.east) / 2;
  const y = shape.isLine ? ring[3] : (shape.north + shape.south) / 2;
  const point = map.latLngToContainerPoint(map.unproject([x * 256, y * 256], 0));
  const box = map.getContainer().getBoundingClientRect();
  return [box.left + point.x, box.top + point.y];
}"""


@dataclass
class Mounted:
    """A drawn map, in a page or a widget."""

    page: Page
    #: The element that has the map, the legend and the tooltips.
    root: Locator
    errors: list[str]
    requests: list[str]

    def faults(self) -> list[str]:
        """Errors, requests, and texts that are cut or overlap."""
        return self.errors + self.requests + list(self.root.evaluate(FAULTS))

    def pixels(self, color: str, view: int = 0) -> int:
        """Number of a view's pixels with a colour such as `#2b7bba`."""
        return int(self.page.evaluate(PIXELS, [view, *(int(color[at : at + 2], 16) for at in (1, 3, 5))]))

    def middle_of(self, title: str, view: int = 0) -> tuple[float, float]:
        """A place inside a diagram in pixels of the window, found in the drawn picture."""
        x, y = self.page.evaluate(MIDDLE, [title, view])
        return float(x), float(y)


@contextmanager
def mounted(
    place: str, browser: Browser, project: Project, folder: Path, width: int = 1200, height: int = 800, **options: Any
) -> Iterator[Mounted]:
    """The map of a project in a `"page"` or in a `"widget"`."""
    if place == "page":
        path = folder / "map.html"
        project.map(static=True, **options).to_html(path)
        with opened(browser, path, width, height) as shown:
            yield Mounted(shown.page, shown.page.locator("body"), shown.errors, shown.requests)
        return
    with cell(browser, project.map(live=True, **options), width, height) as one:
        expect(one.frame.locator("canvas.leaflet-tile-loaded").first).to_be_attached(timeout=15_000)
        one.frame.evaluate(ALIAS)
        one.page.wait_for_function("() => pygeodesign.views.every(({ layer }) => layer.queue.size === 0)")
        yield Mounted(one.page, one.frame, one.errors, one.requests)
