"""The room of a workshop in an installed Chromium, as members use it."""

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect

from pygeodesign import Sandbox

# What the Content-Security-Policy stopped, noted before any program of the page runs.
NOTE_VIOLATIONS = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""
# Corners of a shape in the middle of the map, as shares of its width and height.
SQUARE = [(0.42, 0.42), (0.55, 0.42), (0.55, 0.52), (0.42, 0.52)]
BOW_TIE = [(0.42, 0.42), (0.55, 0.55), (0.55, 0.42), (0.42, 0.55)]


@dataclass
class Room:
    """A page of the room, with what it complained of and the addresses that it asked for."""

    page: Page
    home: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def faults(self) -> list[str]:
        """Errors, requests to others, and what the policy of the page stopped."""
        others = [url for url in self.requests if not url.startswith((self.home, "data:", "blob:"))]
        return self.errors + others + list(self.page.evaluate("window.violations"))

    def open_drawing(self) -> None:
        self.page.get_by_role("button", name="Draw", exact=True).click()
        expect(self.page.locator("form.drawing")).to_be_visible()

    def place(self, corner: tuple[float, float]) -> tuple[float, float]:
        """Pixels of the page, of shares of the map."""
        box = self.page.locator("#views .map").bounding_box()
        assert box is not None
        return box["x"] + box["width"] * corner[0], box["y"] + box["height"] * corner[1]

    def share_of(self, lon: float, lat: float) -> tuple[float, float]:
        """Where a place is, as shares of the map."""
        return tuple(self.page.evaluate("([lon, lat]) => geodesignRoom.shareOf(lon, lat)", [lon, lat]))

    def click_corners(self, corners: Sequence[tuple[float, float]], closes: bool = True) -> None:
        """Sets the corners with a mouse and closes the shape by the first one."""
        for corner in [*corners, *corners[:closes]]:
            self.page.mouse.move(*self.place(corner))
            self.page.wait_for_timeout(40)
            self.page.mouse.click(*self.place(corner))
            self.page.wait_for_timeout(60)

    def tap_corners(self, corners: Sequence[tuple[float, float]]) -> None:
        """Sets the corners with a finger, and ends the shape by the button."""
        for corner in corners:
            self.page.touchscreen.tap(*self.place(corner))
            self.page.wait_for_timeout(350)
        self.page.get_by_role("button", name="Finish").tap()

    def draw(self, title: str, corners: Sequence[tuple[float, float]] = SQUARE) -> None:
        """Draws an area and sends it."""
        self.open_drawing()
        self.click_corners(corners)
        self.page.get_by_label("Title", exact=True).fill(title)
        self.send()

    def send(self) -> None:
        self.page.get_by_role("button", name="Send", exact=True).click()

    def total(self) -> float:
        """The total cost that the page shows."""
        text = self.page.locator(".costs .total").get_attribute("data-cost")
        return float(text or "nan")

    def shows_total(self, total: float, seconds: float = 5) -> bool:
        """Whether the page comes to show a total, to the cent."""
        return eventually(lambda: abs(self.total() - total) < 0.005, self.page, seconds)

    def shows_diagrams(self, ids: Collection[int]) -> bool:
        """Whether the map comes to have exactly these diagrams."""
        shown = "[...geodesignRoom.scene.diagrams.keys()]"
        return eventually(lambda: sorted(self.page.evaluate(shown)) == sorted(ids), self.page, 15)

    def cell(self, title: str) -> Any:
        """The cell of a diagram in the table."""
        return self.page.locator("li.cell", has_text=title)


@contextmanager
def joined(
    browser: Browser, link: str, width: int = 1400, height: int = 900, wait: bool = True, **settings: Any
) -> Iterator[Room]:
    """A browser of its own that opened a link."""
    context = browser.new_context(viewport={"width": width, "height": height}, **settings)
    try:
        yield opened_in(context, link, wait)
    finally:
        context.close()


def opened_in(context: BrowserContext, link: str, wait: bool = True) -> Room:
    page = context.new_page()
    page.add_init_script(NOTE_VIOLATIONS)
    room = Room(page, link.split("join/")[0])
    page.on(
        "console", lambda message: room.errors.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: room.errors.append(str(error)))
    page.on("request", lambda request: room.requests.append(request.url))
    page.goto(link)
    if wait:
        expect(page.locator("canvas.leaflet-tile").first).to_be_attached(timeout=10_000)
        # Followed from here on.
        expect(page.locator(".state[data-is=online]")).to_be_attached(timeout=10_000)
    return room


def link_of(sandbox: Sandbox, name: str) -> str:
    """The link on the card of a member."""
    return f"{sandbox.url.removesuffix('api/v1/')}join/#{name}:{sandbox.token(name)}"


def eventually(is_so: Callable[[], bool], page: Page, seconds: float = 60) -> bool:
    """Whether something becomes true, while the page goes on. A slow machine takes its time."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        page.wait_for_timeout(20)
    return True


TOLD = re.compile('<script id="service" type="application/json">(.*?)</script>')
