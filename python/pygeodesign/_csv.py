"""CSV without cells that a spreadsheet would run as formulas."""

from __future__ import annotations

from typing import Any

from pygeodesign._core import _csv_cell


def without_formulas(frame: Any) -> Any:
    """The frame with names and strings escaped that a spreadsheet would take for formulas."""
    texts = frame.select_dtypes(["object", "str"])
    escaped = {name: column.map(_escaped) for name, column in texts.items()}
    return frame.assign(**escaped).rename(columns=_escaped)


def _escaped(value: Any) -> Any:
    return _csv_cell(value) if isinstance(value, str) else value
