"""The service's lists of dicts, and of handles that read like dicts, which a notebook shows as tables.

`import pygeodesign` does not import this file; the first list does. It imports no library.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, SupportsIndex

from pygeodesign import _core

# The fields of a table's first and last columns, where the items have them.
FIRST = ["title", "name", "username", "projecttitle", "worlddescription", "description", "tag", "team", "author"]
LAST = ["verbose_description", "projectdesc", "id"]
# The attributes of a design that are called otherwise in its fields.
OF_DESIGN = {"description": "title", "cteamid": "team", "creationdate": "created"}
# Limits of a table: its rows and columns, and the characters of a cell.
MAX_ROWS, MAX_COLUMNS, MAX_TEXT = 20, 9, 60
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*")


class Rows(list[Any]):
    """A list that a notebook shows as a table."""

    def __getitem__(self, index: SupportsIndex | slice, /) -> Any:
        """An item, or the items of a slice as `Rows`."""
        found = super().__getitem__(index)
        return Rows(found) if isinstance(index, slice) else found

    def _repr_html_(self) -> str | None:
        """The first items; None, for the plain text, if they have no fields."""
        from pygeodesign._html import card
        from pygeodesign._text import counted

        shown = self[:MAX_ROWS]
        if not shown or not all(isinstance(item, Mapping) for item in shown):
            return None
        kind = type(shown[0]).__name__.removeprefix("Async")
        rows = [_fields(item, kind) for item in shown]
        _name_teams(shown[0], rows)
        columns = _columns(rows)
        more = f"and {len(self) - len(rows):,} more" if len(self) > len(rows) else ""
        heading = counted(len(self), "row" if kind == "dict" else kind.lower())
        return card(heading, columns, [[_cell(name, row.get(name)) for name in columns] for row in rows], more, "left")


def _fields(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    names = OF_DESIGN if kind == "Design" else {}
    return {names.get(name, name): value for name, value in item.items()}


def _name_teams(first: Any, rows: list[dict[str, Any]]) -> None:
    """Replaces the ids of designs' teams by their titles, if the service has them."""
    if isinstance(first, _core.Design):
        titles = {team.id: team.title for team in _core._for_card(first.project.teams) or []}
        for row in rows:
            row["team"] = titles.get(row["team"]) or row["team"]


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    """The fields that have a value in any row."""
    known = dict.fromkeys(name for row in rows for name, value in row.items() if not _is_empty(value))
    last = [name for name in LAST if name in known]
    first = [name for name in FIRST if name in known]
    others = [name for name in known if name not in {*first, *last}]
    return [*first, *others][: MAX_COLUMNS - len(last)] + last


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def _cell(name: str, value: Any) -> str:
    from pygeodesign._html import small_swatch
    from pygeodesign._looks import hex_color
    from pygeodesign._text import short_number

    if value is None:
        return ""
    if name == "color" and (color := hex_color(value)):
        return small_swatch(color, color)
    if isinstance(value, float):
        return short_number(value)
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    if MOMENT.fullmatch(text):
        return text[:16].replace("T", " ")
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
