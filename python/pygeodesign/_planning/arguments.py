"""Arguments of callers: designs, scopes, systems and numbers. Errors say what to give."""

from __future__ import annotations

import math
import operator
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsInt, cast

import pandas as pd

from pygeodesign._core import AsyncDesign, Design
from pygeodesign._text import without_lone_surrogates
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from inspect import Signature

    from pygeodesign._core import Team

DESIGN_FORMS = (
    "a design is a Design, its id, its title or its title's unique start, a pair of team id and design id, such as "
    "(1, 'a023631f09bc2e31'), or a list of diagram ids; designs= takes a list of these, or a dict from labels to these"
)
PAIR_FORMS = (
    "{!r} is not a pair of systems: compatible= takes pairs such as ('Water', 'Agriculture'), or a DataFrame or dict "
    "of dicts that is true where two systems may share land"
)
# Names of scopes and of columns other than designs.
RESERVED = {
    "project": 'scope="project" is all diagrams',
    "designs": 'scope="designs" is every design',
    "between": 'scope="between" is land that two designs use differently',
    "chosen": "the column of agreement() that counts designs",
    "title": "the column of agreement() with the titles of diagrams",
    "kind": "the column of agreement() for projects and policies",
}


class SavedDesign(NamedTuple):
    """A design that a team saved."""

    team: int
    design: str


def latest_designs(teams: list[Team], saved: dict[int, list[Design]]) -> dict[str, SavedDesign]:
    """The latest design of each team that has one, by its label; of two with the same time, the last in the list."""
    latest = [max(reversed(saved[team["id"]]), key=saved_at) for team in teams if saved[team["id"]]]
    chosen: dict[str, SavedDesign] = {}
    for design in latest:
        name = label(teams, design)
        # Two teams may have the same title.
        if name in chosen:
            name = f"{name} (team {design['cteamid']})"
        chosen[name] = SavedDesign(design["cteamid"], design["id"])
    return chosen


def saved_at(design: Design) -> str:
    return design["creationdate"] or ""


def chosen_designs(given: Any, teams: list[Team], saved: dict[int, list[Design]]) -> dict[str, SavedDesign | list[int]]:
    """The given designs by label; lists of diagram ids without a label become Design 1, Design 2 and so on."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InputError(f"designs is {given!r}: {DESIGN_FORMS}")
    named = isinstance(given, Mapping)
    items = list(given.items()) if isinstance(given, Mapping) else list(enumerate(given, 1))
    chosen: dict[str, SavedDesign | list[int]] = {}
    for key, item in items:
        design = _saved_design(item, saved)
        name = f"Design {key}"
        if named:
            name = without_lone_surrogates(str(key))
            if name in RESERVED:
                raise InputError(f"a design cannot be called {name!r}, which is reserved: {RESERVED[name]}")
        elif design is not None:
            name = label(teams, design)
        # Two designs of a team may have the same description.
        if name in chosen:
            name = f"{name} ({key})"
        chosen[name] = diagram_ids(item) if design is None else SavedDesign(design["cteamid"], design["id"])
    return chosen


def label(teams: list[Team], design: Design) -> str:
    """The names of a design and its team, as users know them."""
    return f"{team_title(teams, design['cteamid'])} – {design['description'] or design['id']}"


def team_title(teams: list[Team], team: int) -> str:
    """The title of a team, or a default if it has none."""
    return next((known["title"] for known in teams if known["id"] == team and known["title"]), f"Team {team}")


def short_labels(teams: list[Team], designs: Mapping[str, Any]) -> dict[str, str]:
    """A short name for each design: its team's title, if the team has no other of the designs."""
    titles = {team["id"]: team["title"] for team in teams}
    short = {
        name: (isinstance(design, SavedDesign) and titles.get(design.team)) or name for name, design in designs.items()
    }
    counts = Counter(short.values())
    return {name: text if counts[text] == 1 else name for name, text in short.items()}


def _saved_design(item: Any, saved: dict[int, list[Design]]) -> Design | None:
    """The design for a handle, a pair, an id or a title; None for any other item."""
    team = None
    if isinstance(item, (Design, AsyncDesign)):
        team, item = item["cteamid"], item["id"]
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str):
        team, item = item
    if not isinstance(item, str):
        return None
    of_teams = [design for designs in saved.values() for design in designs if team in (None, design["cteamid"])]
    title = _folded(item)
    # An id takes precedence over a title, and a title over the start of one.
    ways: list[Callable[[Design], bool]] = [
        lambda design: design["id"] == item,
        lambda design: _title(design) == title,
        lambda design: bool(title) and _title(design).startswith(title),
    ]
    found = next((found for is_meant in ways if (found := [*filter(is_meant, of_teams)])), [])
    if len(found) != 1:
        listed = found or [design for designs in saved.values() for design in designs]
        known = ", ".join(f"{(design['cteamid'], design['id'])} {design['description']!r}" for design in listed)
        number = "several designs are" if found else "no design"
        raise InputError(
            f"{number} {item!r}{f' of team {team!r}' if team is not None else ''}; designs: {known or 'none'}"
        )
    return found[0]


def _title(design: Design) -> str:
    return _folded(design["description"] or "")


def _folded(title: str) -> str:
    """A title for comparison, folded like the lookups in Rust: accents may be composed or not."""
    return unicodedata.normalize("NFKC", title).strip().casefold()


def diagram_ids(item: Any) -> list[int]:
    """Diagram ids as ints; they may also be strings of digits."""
    if isinstance(item, Mapping) or not isinstance(item, Iterable):
        raise InputError(f"{item!r} is not a design: {DESIGN_FORMS}")
    ids = []
    for number in item:
        try:
            ids.append(int(number) if isinstance(number, str) else operator.index(number))
        except (TypeError, ValueError):
            raise InputError(f"{number!r} is not a diagram id: {DESIGN_FORMS}") from None
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


def diagrams_named(diagrams: pd.DataFrame, name: str, ids: Iterable[int]) -> set[int]:
    """The diagram ids given as the argument `name`; all of them are in the project."""
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise InputError(f"{name} is {ids!r}: give a list of diagram ids")
    given = list(ids)
    known = set(diagrams.index)
    unknown = [number for number in given if not isinstance(number, Hashable) or number not in known]
    if unknown:
        raise InputError(f"{name} has diagrams that the project does not have: {listed_ids(unknown)}")
    return {int(number) for number in given}


def listed_ids(ids: Iterable[Any]) -> str:
    return ", ".join(map(repr, ids))


def sysid_of(systems: pd.DataFrame, name: Any) -> int:
    """The id of a system, given by its id, name or tag."""
    # A value that cannot be in an index, such as a list, is no system either.
    if isinstance(name, Hashable) and name in set(systems.index):
        return int(cast("SupportsInt", name))
    # An exact match takes precedence over one that only looks the same.
    for form in (str, _folded) if isinstance(name, str) else ():
        for column in ("name", "tag"):
            found = systems.index[systems[column].fillna("").map(form) == form(name)]
            if len(found) == 1:
                return int(found[0])
    known = ", ".join(f"{sysid} {name!r}" for sysid, name in systems["name"].items()) or "none"
    raise InputError(f"no system {name!r}: the project has {known}")


def compatible_pairs(systems: pd.DataFrame, compatible: Any) -> set[tuple[int, int]]:
    """The pairs of systems that may share land, in both orders."""
    if compatible is None:
        return set()
    pairs: Iterable[Any] = compatible
    if isinstance(compatible, pd.DataFrame):
        compatible = {one: row.to_dict() for one, row in compatible.iterrows()}
    if isinstance(compatible, Mapping):
        if not all(isinstance(others, Mapping) for others in compatible.values()):
            raise InputError(PAIR_FORMS.format(compatible))
        cells = [(one, other, may) for one, others in compatible.items() for other, may in others.items()]
        # An empty cell of a table means no.
        pairs = [(one, other) for one, other, may in cells if pd.notna(may) and may]
    if not isinstance(pairs, Iterable):
        raise InputError(PAIR_FORMS.format(compatible))
    allowed = set()
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(items := list(pair)) != 2:
            raise InputError(PAIR_FORMS.format(pair))
        one, other = (sysid_of(systems, name) for name in items)
        allowed |= {(one, other), (other, one)}
    return allowed


def finite(name: str, value: Any, wanted: str, low: float = -math.inf) -> float:
    """The value as a float that is finite and at least `low`; an error says what is wanted."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= low):
        raise InputError(f"{name} is {value!r}: {wanted}")
    return number


def whole(name: str, value: Any, wanted: str, low: float = -math.inf) -> int:
    """The value as an int that is at least `low`; an error says what is wanted."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or number < low:
        raise InputError(f"{name} is {value!r}: {wanted}")
    return number


def check_question(name: str, signature: Signature, given: Mapping[str, Any], known: list[str]) -> None:
    """Raises `InputError` for arguments that a question does not take here, and for missing ones."""
    if unknown := [argument for argument in given if argument not in known]:
        listed = ", ".join(known) or "it takes none"
        raise InputError(f"{name} has {unknown[0]!r}, which is not an argument of {name}() here: {listed}")
    try:
        signature.bind(**given)
    except TypeError as missing:
        raise InputError(f"{name} cannot be asked: {missing} of {name}()") from None
