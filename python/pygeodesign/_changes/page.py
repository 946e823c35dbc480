"""Shows the changes between two archives, as a page and as a notebook card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from pygeodesign._changes.diagrams import amount_text, is_repriced, names_of
from pygeodesign._html import Column, card, html, page, paragraph, table
from pygeodesign._text import counted

if TYPE_CHECKING:
    from pygeodesign.types import DiagramChange, SystemChange

MAX_ROWS_IN_CARD = 20
NOT_KNOWN = "not known"
NAMES = [Column("Diagram", "text"), Column("System", "text"), Column("Author", "text"), Column("Changed by", "text")]


class Changes(Protocol):
    """The attributes of `ArchiveChanges` that are shown. `ArchiveChanges` imports this file."""

    title: str
    time_before: datetime | None
    time_after: datetime | None
    diagrams: list[DiagramChange]
    systems: list[SystemChange]
    total_before: float
    total_after: float
    _unpriced: tuple[int, int]
    _sysids: tuple[set[int], set[int]]

    def _counts(self) -> str: ...


def changes_card(changes: Changes) -> str:
    """The first diagrams that changed."""
    rows = [
        (
            _title(row),
            row["system"] or "",
            ", ".join(row["users"]) or row["author"] or "",
            row["change"] if row["change"] != "changed" else _words(names_of(row)) or "cost",
            _cost(row["cost_before"], row["change"] != "added"),
            _cost(row["cost_after"], row["change"] != "removed"),
            row["why"],
        )
        for row in changes.diagrams[:MAX_ROWS_IN_CARD]
    ]
    more = len(changes.diagrams) - len(rows)
    note = f"and {more:,} more. " if more else ""
    note += f"{changes._counts()}; cost {changes.total_before:,.0f} → {changes.total_after:,.0f}.{_unpriced(changes)}"
    headings = ("diagram", "system", "by", "what", "cost before", "cost after", "why")
    return card(f"{changes.title}: {_times(changes)}", headings, rows, note, align="left")


def changes_page(changes: Changes, title: str | None, currency: str) -> str:
    """The complete page."""
    money = f"Cost {currency}".rstrip()
    costs = [Column(f"{money}, before"), Column(f"{money}, after")]
    heading = changes.title if title is None else title
    body = [
        f"<h1>{html(heading)}</h1>",
        paragraph(f"What changed {_times(changes)}."),
        paragraph(
            f"{changes._counts()}. All diagrams cost {changes.total_before:,.0f} before and {changes.total_after:,.0f} "
            f"after ({changes.total_after - changes.total_before:+,.0f}).{_unpriced(changes)}"
        ),
        _systems(changes, costs),
        _section("Added diagrams", [*NAMES, Column(money)], _whole(changes, "added", "cost_after")),
        _section("Removed diagrams", [*NAMES, Column(money)], _whole(changes, "removed", "cost_before")),
        _section(
            "Changed fields",
            [*NAMES, Column("Field", "text"), Column("Before", "text"), Column("After", "text")],
            [
                [*_names(row), _words(change["field"]), _value(change["before"]), _value(change["after"])]
                for row in changes.diagrams
                for change in row["fields"]
            ],
        ),
        _section(
            "Diagrams with another cost",
            [*NAMES, *costs, Column("Why", "text")],
            [
                [*_names(row), _cost(row["cost_before"]), _cost(row["cost_after"]), row["why"]]
                for row in changes.diagrams
                if is_repriced(row)
            ],
        ),
    ]
    return page(heading, f'<main class="document">{"".join(body)}</main>')


def _systems(changes: Changes, costs: Sequence[Column]) -> str:
    columns = [Column("System", "text"), Column("Rate, before"), Column("Rate, after"), *costs, Column("Difference")]
    rows = [
        [
            system["name"],
            _value(system["rate_before"]),
            _value(system["rate_after"]),
            *_costs_of(system, [system["sysid"] in sysids for sysids in changes._sysids]),
        ]
        for system in changes.systems
    ]
    fields = [
        [system["name"], _words(change["field"]), _value(change["before"]), _value(change["after"])]
        for system in changes.systems
        for change in system["fields"]
    ]
    named = [Column("System", "text"), Column("Field", "text"), Column("Before", "text"), Column("After", "text")]
    return _section("Systems", columns, rows) + (table("Changed figures of systems", named, fields) if fields else "")


def _section(heading: str, columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    listed = list(rows)
    text = (
        table(f"{len(listed):,} rows" if len(listed) != 1 else "1 row", columns, listed)
        if listed
        else paragraph("None.")
    )
    return f"<section><h2>{html(heading)}</h2>{text}</section>"


def _whole(changes: Changes, change: str, cost: str) -> Iterable[Sequence[str]]:
    """The rows of diagrams that are in only one of the archives."""
    return ([*_names(row), _cost(dict(row)[cost])] for row in changes.diagrams if row["change"] == change)


def _names(row: DiagramChange) -> list[str]:
    return [f"{_title(row)} ({row['diagramid']})", row["system"] or "", row["author"] or "", ", ".join(row["users"])]


def _title(row: DiagramChange) -> str:
    return row["title"] or "without a title"


def _cost(cost: Any, is_there: bool = True) -> str:
    if not is_there:
        return ""
    return NOT_KNOWN if cost is None else f"{cost:,.0f}"


def _costs_of(system: SystemChange, are_there: Sequence[bool]) -> list[str]:
    """A system's costs and their difference. A missing system costs nothing; a cost may be unknown."""
    costs = (system["cost_before"], system["cost_after"])
    before, after = (cost if is_there else 0.0 for cost, is_there in zip(costs, are_there, strict=True))
    difference = 0.0 if before is None or after is None else after - before
    return [*map(_cost, costs, are_there), f"{difference:+,.0f}" if difference else ""]


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(value: Any) -> str:
    return "" if value is None else amount_text(value)


def _unpriced(changes: Changes) -> str:
    """A note about diagrams that the costs leave out."""
    if changes._unpriced == (0, 0):
        return ""
    before, after = (counted(number, "diagram") for number in changes._unpriced)
    return f" Left out, as their cost is not known: {before} before, {after} after."


def _times(changes: Changes) -> str:
    before, after = (_time(time) for time in (changes.time_before, changes.time_after))
    return f"from {before} to {after}"


def _time(time: datetime | None) -> str:
    return "a time that is not known" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"
