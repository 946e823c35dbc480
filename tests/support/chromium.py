"""Pages in an installed Chromium, which may ask no server for anything."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

# A state is waited for, however slow the machine is; a failure may take longer.
expect.set_options(timeout=60_000)
INSTALLED = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# The reason why tests of pages are skipped; conftest.py repeats it at the end, where it is easily seen.
NO_BROWSER = "no browser: install Chromium (Debian: apt-get install chromium)"
# Visible texts of a page or a part of it that are cut, overlap, or make it wider than its window.
FAULTS = """(root) => {
  const faults = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`the page is ${wide} wide`);
  const boxes = [];
  const walker = document.createTreeWalker(root ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement;
    const isHidden = holder.closest("script, style, noscript, option, .unseen") || !holder.checkVisibility();
    if (!node.data.trim() || isHidden) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 1) continue;
      if (box.left < -1 || box.right > innerWidth + 1) faults.push(`${node.data} is cut`);
      for (let around = holder; around && around !== document.body; around = around.parentElement) {
        const edge = around.getBoundingClientRect(), look = getComputedStyle(around);
        const isOutside = box.left < edge.left - 1 || box.right > edge.right + 1;
        if (look.overflowX === "hidden" && isOutside) faults.push(`${node.data} is cut`);
      }
      boxes.push([node.data.trim(), box, holder]);
    }
  }
  boxes.forEach(([text, box, holder], number) => {
    if (holder.closest(".tip")) return;
    for (const [other, beside, around] of boxes.slice(number + 1)) {
      if (around.closest(".tip")) continue;
      const wide = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
      const high = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
      const areSeen = isSeen(holder, box) && isSeen(around, beside);
      if (wide > 2 && high > 4 && areSeen) faults.push(`${text} lies on ${other}`);
    }
  });
  function isSeen(holder, box) {
    const scrolled = holder.closest(".panel, .page");
    if (!scrolled) return true;
    const edge = scrolled.getBoundingClientRect();
    return box.top >= edge.top && box.bottom <= edge.bottom;
  }
  return faults;
}"""


@dataclass
class Opened:
    """A page, with its errors and the addresses that it requested."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def faults(self) -> list[str]:
        """Errors, requests, and texts that are cut or overlap."""
        return self.errors + self.requests + list(self.page.evaluate(FAULTS))


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser with software rendering, as on a machine without a screen."""
    with sync_playwright() as playwright:
        try:
            # On macOS and Windows, Chrome is not in the search path of programs.
            where: dict[str, Any] = {"executable_path": INSTALLED} if INSTALLED else {"channel": "chrome"}
            browser = playwright.chromium.launch(args=["--no-sandbox"], **where)
        except Error as error:
            pytest.skip(f"{NO_BROWSER}. {error}")
        yield browser
        browser.close()


@contextmanager
def without_event_loop(item: pytest.Item) -> Iterator[None]:
    """Playwright's event loop runs for as long as a browser is open, and Python starts no other in the same thread. A
    test without a browser does not see it, so that it may start one.
    """
    loop = asyncio._get_running_loop()
    if loop is None or "browser" in getattr(item, "fixturenames", ()):
        yield
        return
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)


@contextmanager
def opened(browser: Browser, path: Path, width: int = 1200, height: int = 800, **settings: Any) -> Iterator[Opened]:
    """A page from a file, drawn completely."""
    page = browser.new_page(viewport={"width": width, "height": height}, **settings)
    found = Opened(page)
    page.on(
        "console", lambda message: found.errors.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("request", lambda request: found.requests.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    page.wait_for_timeout(300)
    try:
        yield found
    finally:
        page.close()
