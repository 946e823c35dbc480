"""Shared parts of the widgets of a notebook: the program that anywidget shows, and the content of a saved notebook."""

from __future__ import annotations

from typing import Any

import anywidget

from pygeodesign import _core
from pygeodesign._text import NEEDS_OF_WIDGETS


def new_widget(name: str, program: str, traits: dict[str, Any], values: dict[str, Any]) -> Any:
    """A widget whose program is a file of `web/bundled/`, with the traits that browser and kernel share."""
    shared = {trait_name: trait.tag(sync=True) for trait_name, trait in traits.items()}
    members = {"_esm": _core._web_file(f"bundled/{program}")} | shared
    widget: Any = type(name, (anywidget.AnyWidget,), members)
    return widget(**values)


def shown_widget(widget: Any, options: dict[str, Any], text: str, kind: str, picture: Any) -> tuple[Any, Any]:
    """The output of a cell: the widget, a text, and a picture of this kind for programs without a kernel."""
    shown = widget._repr_mimebundle_(**options)
    data, about = shown if isinstance(shown, tuple) else (shown, {})
    data = dict(data or {}) | {"text/plain": f"{text}\n{NEEDS_OF_WIDGETS}"}
    if picture:
        data[kind] = picture
    return data, about
