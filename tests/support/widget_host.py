"""A page that shows a widget like a notebook, without one: messages go to the widget in this process."""

import base64
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page

URL = "http://localhost/cell"
PAGE = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Cell</title><body><main></main></body></html>"
# A widget's model: `save_changes` sends set values, and the kernel's messages are delivered as they come.
MODEL = """async ([program, state]) => {
  const heard = new Map();
  const tell = (event, ...told) => [...(heard.get(event) ?? [])].forEach((listener) => listener(...told));
  const viewOf = (text) => new DataView(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer);
  const changed = new Set();
  const model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; changed.add(name); },
    save_changes: () => {
      const update = Object.fromEntries([...changed].map((name) => [name, state[name]]));
      changed.clear();
      void toKernel({ update });
    },
    send: (message) => void toKernel({ message }),
    on: (event, listener) => heard.set(event, [...(heard.get(event) ?? []), listener]),
    off: (event, listener) => heard.set(event, (heard.get(event) ?? []).filter((one) => one !== listener)),
  };
  const listen = async () => {
    for (const { name, value, message, buffers } of await fromKernel()) {
      if (message) tell("msg:custom", message, buffers.map(viewOf));
      else {
        state[name] = value;
        tell(`change:${name}`);
      }
    }
    setTimeout(listen, 5);
  };
  void listen();
  const { default: widget } = await import(URL.createObjectURL(new Blob([program], { type: "text/javascript" })));
  const el = document.querySelector("main");
  window.leave = await widget.render({ model, el });
}"""


class Cell:
    """A widget that is shown in a page."""

    def __init__(self, page: Page, widget: Any) -> None:
        self.page, self.widget, self.errors, self.requests = page, widget, list[str](), list[str]()
        self._told: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._taking: dict[str, Any] = {}
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("request", lambda asked: self.requests.append(asked.url) if not is_own(asked.url) else None)
        page.route(URL, lambda route: route.fulfill(body=PAGE, content_type="text/html"))
        page.goto(URL)
        page.expose_function("toKernel", self._take)
        page.expose_function("fromKernel", self._give)
        # A widget sends its messages to a kernel's comm, and there is no kernel.
        widget.send = lambda message, buffers=(): self._told.put(
            {"message": message, "buffers": [base64.b64encode(part).decode() for part in buffers]}
        )
        state = {name: getattr(widget, name) for name in widget.keys if not name.startswith("_")}
        state = {name: value for name, value in state.items() if isinstance(value, (dict, list, type(None)))}
        widget.observe(self._changed, list(state))
        page.evaluate(MODEL, [widget._esm, state])

    @property
    def frame(self) -> Locator:
        return self.page.locator(".frame")

    def _take(self, told: dict[str, Any]) -> None:
        if "update" in told:
            self._taking = told["update"]
            self.widget.set_state(told["update"])
            self._taking = {}
        else:
            self.widget._handle_custom_msg(told["message"], [])

    def _changed(self, change: Any) -> None:
        # The page already knows its own changes.
        if self._taking.get(change["name"]) != change["new"]:
            self._told.put({"name": change["name"], "value": change["new"]})

    def _give(self) -> list[dict[str, Any]]:
        told = []
        while not self._told.empty():
            told.append(self._told.get())
        return told


def is_own(url: str) -> bool:
    """True for the address of the page, or of something in it."""
    return url == URL or url.startswith(("blob:", "data:"))


@contextmanager
def cell(browser: Browser, shown: Any, width: int = 1200, height: int = 800) -> Iterator[Cell]:
    """A page with the widget of a map or a board, until it is closed."""
    page = browser.new_page(viewport={"width": width, "height": height})
    try:
        yield Cell(page, shown.widget)
        page.evaluate("() => window.leave?.()")
    finally:
        page.close()
        shown.close()
