"""Systems as callers name them, and which pairs of them may share land."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, SupportsInt, cast

import pandas as pd

from pygeodesign.errors import InputError

FORMS = (
    "{!r} is no pair of systems: compatible= takes pairs such as ('Water', 'Agriculture'), or a DataFrame or dict of "
    "dicts that is true where two systems may share land"
)


def sysid_of(systems: pd.DataFrame, name: Any) -> int:
    """The id of a system that is given by its id, name or tag."""
    # What cannot be in an index, such as a list, is no system either.
    if isinstance(name, Hashable) and name in set(systems.index):
        return int(cast("SupportsInt", name))
    for column in ("name", "tag") if isinstance(name, str) else ():
        found = systems.index[systems[column] == name]
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
            raise InputError(FORMS.format(compatible))
        cells = [(one, other, may) for one, others in compatible.items() for other, may in others.items()]
        # An empty cell of a table is no yes.
        pairs = [(one, other) for one, other, may in cells if pd.notna(may) and may]
    if not isinstance(pairs, Iterable):
        raise InputError(FORMS.format(compatible))
    allowed = set()
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(items := list(pair)) != 2:
            raise InputError(FORMS.format(pair))
        one, other = (sysid_of(systems, name) for name in items)
        allowed |= {(one, other), (other, one)}
    return allowed
