"""Which designs are compared: what a caller may give, as a label and the ids of its diagrams."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pygeodesign._half_characters import without_half_characters
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign.types import ChangeTeam, Design

FORMS = (
    "a design is a pair of team id and design id, such as (1, 'a023631f09bc2e31'), the id of a design, or a list of "
    "diagram ids; designs= takes a list of such, or a dict from labels to such"
)

# What `scope=` and columns beside those of designs are called.
RESERVED = {
    "project": 'scope="project" is all diagrams',
    "designs": 'scope="designs" is every design',
    "between": 'scope="between" is what differs between designs',
    "chosen": "the column of agreement() that counts designs",
}


class SavedDesign(NamedTuple):
    """A design that a team saved."""

    team: int
    design: str


def latest_designs(teams: list[ChangeTeam], saved: dict[int, list[Design]]) -> dict[str, SavedDesign]:
    """The latest design of each team that has one, by its label; of two of the same time the last in the list."""
    latest = [max(reversed(saved[team["id"]]), key=_saved_at) for team in teams if saved[team["id"]]]
    chosen: dict[str, SavedDesign] = {}
    for design in latest:
        name = label(teams, design)
        # Two teams may have the same title.
        if name in chosen:
            name = f"{name} (team {design['cteamid']})"
        chosen[name] = SavedDesign(design["cteamid"], design["id"])
    return chosen


def _saved_at(design: Design) -> str:
    return design["creationdate"] or ""


def label(teams: list[ChangeTeam], design: Design) -> str:
    """The names of a design and its team, as people know them."""
    titles = {team["id"]: team["title"] for team in teams}
    team = titles.get(design["cteamid"]) or f"Team {design['cteamid']}"
    return f"{team} – {design['description'] or design['id']}"


def chosen_designs(
    given: Any, teams: list[ChangeTeam], saved: dict[int, list[Design]]
) -> dict[str, SavedDesign | list[int]]:
    """What the caller gave, by label; lists of diagram ids without a label are Design 1, Design 2 and so on."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InputError(f"designs is {given!r}: {FORMS}")
    named = isinstance(given, Mapping)
    items = list(given.items()) if isinstance(given, Mapping) else list(enumerate(given, 1))
    chosen: dict[str, SavedDesign | list[int]] = {}
    for key, item in items:
        design = _saved_design(item, saved)
        name = f"Design {key}"
        if named:
            name = without_half_characters(str(key))
            if name in RESERVED:
                raise InputError(
                    f"a design cannot be called {name!r}, which has a meaning of its own: {RESERVED[name]}"
                )
        elif design is not None:
            name = label(teams, design)
        # Two designs of a team may have the same description.
        if name in chosen:
            name = f"{name} ({key})"
        chosen[name] = diagram_ids(item) if design is None else SavedDesign(design["cteamid"], design["id"])
    return chosen


def _saved_design(item: Any, saved: dict[int, list[Design]]) -> Design | None:
    """The design that a pair or an id stands for; None where the item is no such."""
    team = None
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str):
        team, item = item
    if not isinstance(item, str):
        return None
    of_teams = [design for designs in saved.values() for design in designs]
    found = [design for design in of_teams if design["id"] == item and team in (None, design["cteamid"])]
    if len(found) != 1:
        known = ", ".join(str((design["cteamid"], design["id"])) for design in of_teams) or "none"
        number = "no design" if not found else "several teams have a design"
        raise InputError(f"{number} {item!r}{f' of team {team!r}' if team is not None else ''}; designs: {known}")
    return found[0]


def diagram_ids(item: Any) -> list[int]:
    """Diagram ids as ints; they may be given as text of digits, too."""
    if isinstance(item, Mapping) or not isinstance(item, Iterable):
        raise InputError(f"{item!r} is no design: {FORMS}")
    ids = []
    for number in item:
        try:
            ids.append(int(number) if isinstance(number, str) else operator.index(number))
        except (TypeError, ValueError):
            raise InputError(f"{number!r} is no diagram id: {FORMS}") from None
    return ids


def known_ids(name: str, ids: Iterable[int], known: set[int], *, saved: bool) -> list[int]:
    """Sorted ids without repetition. A saved design may have ids that the project no longer has: a warning says so."""
    wanted = set(ids)
    unknown = sorted(wanted - known)
    if unknown:
        message = f"{name!r} has diagrams that the project does not have: {', '.join(map(str, unknown))}"
        if not saved:
            raise InputError(message)
        warnings.warn(f"{message}; the comparison leaves them out", stacklevel=2)
    return sorted(wanted & known)
