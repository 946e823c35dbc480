"""Compares the diagrams and systems of two states of a project."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pygeodesign._text import counted
from pygeodesign.errors import NotFoundError, PermissionDeniedError

if TYPE_CHECKING:
    from pygeodesign._core import Project
    from pygeodesign.types import DiagramChange, DiagramCost, FieldChange, SystemChange

# The fields of a diagram that are compared directly, by their names here.
FIELDS = {
    **{"description": "title", "fundingtype": "funding", "start_date": "start_date", "end_date": "end_date"},
    **{"notes": "notes", "tag_codes": "tags", "additional_metadata": "additional_metadata"},
    **{"building_data": "building_data", "flat_geobuf_url": "external_file", "external_geometries": "external_layer"},
}
SYSTEM_FIELDS = {
    **{"name": "name", "tag": "tag", "color": "color", "verbose_description": "description", "cost": "rate"},
    **{"budget": "budget", "current_ha": "current_ha", "target_ha": "target_ha"},
}
# The cost of these diagrams is a rate times their area or length.
BY_RATE = {"system", "override"}
NONE = "none"


class State:
    """A project at one time: its systems, and its diagrams with their fields, authors, geometries and costs."""

    def __init__(self, project: Project) -> None:
        """Reads the project."""
        self.report = project.costs()
        self.systems: dict[int, dict[str, Any]] = {system["id"]: dict(system.items()) for system in project.systems()}
        costs = {row["diagramid"]: row for row in self.report.diagrams}
        details = {row["id"]: row for row in project.diagrams(fields="details")}
        authors = {row["id"]: row.get("author") for row in _readable(lambda: project.diagrams(fields="summary"))}
        self.geometries: dict[int, list[Any]] = {diagram: [] for diagram in details.keys() | costs.keys()}
        for feature in project.diagrams().to_dict()["features"]:
            properties = feature["properties"]
            diagram = properties["diagramid"]
            self.geometries.setdefault(diagram, []).append(feature["geometry"])
            authors[diagram] = authors.get(diagram) or properties.get("author")
        self.diagrams = {
            diagram: _Diagram(
                diagram, details.get(diagram) or {}, authors.get(diagram), geometries, costs.get(diagram), self
            )
            for diagram, geometries in self.geometries.items()
        }
        # Newest first; None if the user may not read it, or the service has none.
        self.history = _readable(project.history, missing=None)

    def system_named(self, sysid: int | None) -> str | None:
        system = self.systems.get(sysid) if sysid is not None else None
        return (system and system.get("name")) or (None if sysid is None else f"system {sysid}")


class _Diagram:
    """A diagram of a state."""

    def __init__(
        self,
        number: int,
        details: Any,
        author: str | None,
        geometries: list[Any],
        cost: DiagramCost | None,
        state: State,
    ) -> None:
        priced: Any = cost or {}
        self.number = number
        self.sysid: int | None = details.get("sysid", priced.get("sysid"))
        self.system = state.system_named(self.sysid)
        self.system_rate = (state.systems.get(self.sysid) or {}).get("cost") if self.sysid is not None else None
        self.author = author
        self.geometries = geometries
        self.cost: float | None = priced.get("cost")
        self.rate_source: str | None = priced.get("rate_source")
        self.problem: str | None = priced.get("cost_problem")
        self.size = _size(priced.get("area_ha"), priced.get("length_km"), priced.get("pieces"))
        self.fields = {
            "title": details.get("description", priced.get("description")),
            "system": self.system,
            "author": author,
            "kind": priced.get("kind"),
            "own_cost": _own_cost(details.get("cost_override"), details.get("cost_override_type")),
            **{name: _text(details.get(field)) for field, name in FIELDS.items() if field != "description"},
            "geometry": _place(geometries, self.size),
        }

    @property
    def title(self) -> str | None:
        title: str | None = self.fields["title"]
        return title


def diagram_changes(old: State, new: State) -> Iterator[DiagramChange]:
    """A row for each diagram that was added, removed or changed, by its id."""
    users = _users(old, new)
    for number in sorted(old.diagrams.keys() | new.diagrams.keys()):
        before, after = old.diagrams.get(number), new.diagrams.get(number)
        fields = _field_changes(before, after) if before and after else []
        reasons = _reasons(before, after) if before and after and before.cost != after.cost else {}
        if before and after and not fields and before.cost == after.cost:
            continue
        shown = after or before
        assert shown is not None
        yield {
            "diagramid": number,
            "title": shown.title,
            "sysid": shown.sysid,
            "system": shown.system,
            "author": shown.author,
            "change": "changed" if before and after else "added" if after else "removed",
            "fields": fields,
            "cost_before": before.cost if before else None,
            "cost_after": after.cost if after else None,
            "reasons": list(reasons),
            "why": "; ".join(reasons.values()),
            "users": users.get(number, []),
        }


def system_changes(old: State, new: State) -> Iterator[SystemChange]:
    """A row for each system of either state, by its id."""
    costs = [{row["sysid"]: row for row in state.report.systems} for state in (old, new)]
    for sysid in sorted(old.systems.keys() | new.systems.keys() | costs[0].keys() | costs[1].keys()):
        before, after = old.systems.get(sysid), new.systems.get(sysid)
        rows = [of.get(sysid) for of in costs]
        name = (after or before or {}).get("name") or next(row["name"] for row in reversed(rows) if row)
        yield {
            "sysid": sysid,
            "name": name,
            "fields": [
                {"field": called, "before": before.get(field), "after": after.get(field)}
                for field, called in SYSTEM_FIELDS.items()
                if before and after and before.get(field) != after.get(field)
            ],
            "rate_before": (before or {}).get("cost"),
            "rate_after": (after or {}).get("cost"),
            "cost_before": rows[0]["cost"] if rows[0] else None,
            "cost_after": rows[1]["cost"] if rows[1] else None,
        }


def _field_changes(before: _Diagram, after: _Diagram) -> list[FieldChange]:
    def is_other(name: str) -> bool:
        if name == "geometry":
            return before.geometries != after.geometries
        if name == "system":
            return before.sysid != after.sysid
        return bool(before.fields[name] != after.fields[name])

    return [
        {"field": name, "before": before.fields[name], "after": after.fields[name]}
        for name in before.fields
        if is_other(name)
    ]


def _reasons(before: _Diagram, after: _Diagram) -> dict[str, str]:
    """The reasons for a diagram's different cost, each with a sentence."""
    reasons = {}
    by_rate = {before.rate_source, after.rate_source} & BY_RATE
    if before.fields["kind"] != after.fields["kind"]:
        reasons["kind"] = f"its kind went from {before.fields['kind']} to {after.fields['kind']}"
    if before.fields["own_cost"] != after.fields["own_cost"]:
        old, new = (diagram.fields["own_cost"] or NONE for diagram in (before, after))
        reasons["own_cost"] = f"its own cost went from {old} to {new}"
    if "system" in (before.rate_source, after.rate_source):
        if before.sysid != after.sysid:
            reasons["system"] = (
                f"it went from {before.system} ({amount_text(before.system_rate)}) to {after.system} "
                f"({amount_text(after.system_rate)})"
            )
        elif before.system_rate != after.system_rate:
            rates = (amount_text(diagram.system_rate) for diagram in (before, after))
            reasons["rate"] = f"the rate of {after.system} went from {' to '.join(rates)}"
    if by_rate and before.size != after.size:
        is_drawn_anew = before.geometries != after.geometries
        reasons["geometry" if is_drawn_anew else "area"] = (
            f"its {'geometry' if is_drawn_anew else 'area or length'} went from {before.size} to {after.size}"
        )
    if before.problem != after.problem:
        told = (("was", before.problem), ("is", after.problem))
        reasons["problem"] = ", ".join(f"its cost {when} not known: {problem}" for when, problem in told if problem)
    return reasons


def _users(old: State, new: State) -> dict[int, list[str]]:
    """The users who changed each diagram in between, if both states have the project's history."""
    users: dict[int, list[str]] = {}
    if old.history is None or new.history is None:
        return users
    # Not by times: archives may come from different clocks.
    last = max((entry["id"] for entry in old.history), default=0)
    for entry in reversed(new.history):
        diagram, user = entry["diagram"], entry["username"]
        if entry["id"] > last and diagram is not None and user is not None:
            known = users.setdefault(diagram, [])
            known.extend([user] if user not in known else [])
    return users


def _readable(read: Callable[[], Any], missing: Any = ()) -> Any:
    try:
        return read()
    except (NotFoundError, PermissionDeniedError):
        return missing


def _text(value: Any) -> str | None:
    """A field as text, empty ones as None."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else None
    return None if value is None or value == "" else str(value)


def _own_cost(amount: Any, kind: Any) -> str | None:
    """A diagram's own cost, as people write it; None if its system prices it."""
    if not amount:
        return None
    return f"{amount_text(amount)} {'in total' if str(kind).strip().lower() in ('t', 'total') else kind or ''}".strip()


def amount_text(amount: Any) -> str:
    """A figure as people read it, without decimals if it is an integer; any other value as a string."""
    if isinstance(amount, (int, float)):
        return f"{amount:,.0f}" if amount == round(amount) else f"{amount:,.2f}"
    return NONE if amount is None else str(amount)


def _size(area_ha: float | None, length_km: float | None, pieces: int | None) -> str:
    """The area, or else the length, or else the number of points, precise enough to explain a change of cost."""
    if area_ha:
        return f"{area_ha:,.4f} ha"
    if length_km:
        return f"{length_km:,.4f} km"
    return counted(pieces, "piece") if pieces else "no known area"


def _place(geometries: list[Any], size: str) -> str | None:
    """A geometry's size and place: the middle of its bounds."""
    positions = [position for geometry in geometries for position in _positions_of(geometry or {})]
    if not positions:
        return None
    middle = [(min(ordinates) + max(ordinates)) / 2 for ordinates in zip(*positions, strict=True)]
    return f"{size} at {middle[0]:.5f}, {middle[1]:.5f}"


def _positions_of(geometry: Any) -> Iterator[tuple[float, float]]:
    yield from _positions(geometry.get("coordinates"))
    for part in geometry.get("geometries") or ():
        yield from _positions_of(part)


def _positions(coordinates: Any) -> Iterator[tuple[float, float]]:
    if isinstance(coordinates, list) and coordinates:
        if isinstance(coordinates[0], (int, float)):
            yield coordinates[0], coordinates[1]
        else:
            for part in coordinates:
                yield from _positions(part)


def is_repriced(row: DiagramChange) -> bool:
    """True if the diagram is in both archives and its cost changed."""
    return row["change"] == "changed" and row["cost_before"] != row["cost_after"]


def names_of(row: DiagramChange | SystemChange) -> str:
    """The names of the fields that changed."""
    return ", ".join(change["field"] for change in row["fields"])
