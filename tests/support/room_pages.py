"""The room of a workshop in an installed Chromium, as members use it."""

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from demo import demo_sandbox
from pygeodesign import Sandbox

# Records violations of the Content-Security-Policy before any program of the page runs.
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
    """A page of the room, with its errors and the addresses that it requested."""

    page: Page
    home: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def faults(self) -> list[str]:
        """Errors, requests to others, and violations of the page's policy."""
        others = [url for url in self.requests if not url.startswith((self.home, "data:", "blob:"))]
        return self.errors + others + list(self.page.evaluate("window.violations"))

    def open_drawing(self) -> None:
        self.page.get_by_role("button", name="Draw", exact=True).click()
        expect(self.page.locator("form.drawing")).to_be_visible()

    def place(self, corner: tuple[float, float]) -> tuple[float, float]:
        """Converts shares of the map to pixels of the page."""
        box = self.page.locator("#views .map").bounding_box()
        assert box is not None
        return box["x"] + box["width"] * corner[0], box["y"] + box["height"] * corner[1]

    def share_of(self, lon: float, lat: float) -> tuple[float, float]:
        """A place as shares of the map."""
        return tuple(self.page.evaluate("([lon, lat]) => geodesignRoom.shareOf(lon, lat)", [lon, lat]))

    def click_corners(self, corners: Sequence[tuple[float, float]], closes: bool = True) -> None:
        """Sets the corners with a mouse and closes the shape by the first one."""
        for corner in [*corners, *corners[:closes]]:
            self.page.mouse.move(*self.place(corner))
            self.page.wait_for_timeout(40)
            self.page.mouse.click(*self.place(corner))
            self.page.wait_for_timeout(60)

    def tap_corners(self, corners: Sequence[tuple[float, float]], finish: Any = None) -> None:
        """Sets the corners with a finger, and ends the shape by the button, which is `finish` in other languages."""
        for corner in corners:
            self.page.touchscreen.tap(*self.place(corner))
            self.page.wait_for_timeout(350)
        (finish or self.page.get_by_role("button", name="Finish")).tap()

    def draw(self, title: str, corners: Sequence[tuple[float, float]] = SQUARE) -> None:
        """Draws an area and sends it."""
        self.open_drawing()
        self.click_corners(corners)
        self.page.get_by_label("Title", exact=True).fill(title)
        self.send()

    def send(self) -> None:
        self.page.get_by_role("button", name="Send", exact=True).click()

    def answer(self, action: str) -> None:
        """Answers the question of a dialog by its button."""
        self.page.locator("dialog.ask").get_by_role("button", name=action, exact=True).click()
        expect(self.page.locator("dialog.ask")).to_have_count(0)

    def total(self) -> float:
        """The total cost that the page shows."""
        text = self.page.locator(".costs .total").get_attribute("data-cost")
        return float(text or "nan")

    def shows_total(self, total: float, seconds: float = 5) -> bool:
        """Waits until the page shows a total, to the cent; false if it does not."""
        return eventually(lambda: abs(self.total() - total) < 0.005, self.page, seconds)

    def shows_diagrams(self, ids: Collection[int]) -> bool:
        """Waits until the map has exactly these diagrams; false if it does not."""
        shown = "[...geodesignRoom.scene.diagrams.keys()]"
        return eventually(lambda: sorted(self.page.evaluate(shown)) == sorted(ids), self.page, 15)

    def cell(self, title: str) -> Any:
        """The card of a diagram in the list."""
        return self.page.locator("li.cell", has_text=title)

    def box(self, title: str) -> Any:
        """The box that takes a diagram into your choice."""
        return self.cell(title).get_by_role("checkbox")

    def open_balance(self) -> None:
        """Opens the strip of what the choice, or the shown design, costs and meets."""
        if self.page.locator(".balance").get_attribute("open") is None:
            self.page.locator(".balance > summary").click()

    def open_filters(self) -> None:
        self.page.locator(".morefilters > summary").click()


@pytest.fixture
def workshop() -> Iterator[Sandbox]:
    """The demo project with two members, ana and ben."""
    with demo_sandbox() as sandbox:
        for name in ("ana", "ben"):
            sandbox.add_user(name)
            sandbox.project().add_member(name)
        yield sandbox


@contextmanager
def facilitated(**settings: Any) -> Iterator[Sandbox]:
    """The demo project with a member, ana, and a facilitator, fay."""
    with demo_sandbox(**settings) as sandbox:
        for name in ("ana", "fay"):
            sandbox.add_user(name)
            sandbox.project().add_member(name, administrator=name == "fay")
        yield sandbox


@contextmanager
def joined(
    browser: Browser, link: str, width: int = 1400, height: int = 900, wait: bool = True, **settings: Any
) -> Iterator[Room]:
    """A separate browser context that has opened a link."""
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
        # From here on, the page follows changes.
        expect(page.locator(".state[data-is=online]")).to_be_attached(timeout=10_000)
    return room


def link_of(sandbox: Sandbox, name: str) -> str:
    """The link on the card of a member."""
    return f"{sandbox.url.removesuffix('api/v1/')}join/#{name}:{sandbox.token(name)}"


def eventually(is_so: Callable[[], bool], page: Page, seconds: float = 60) -> bool:
    """Waits until something is true, while the page runs; false after `seconds`. A slow machine takes its time."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        page.wait_for_timeout(20)
    return True


TOLD = re.compile('<script id="service" type="application/json">(.*?)</script>')
