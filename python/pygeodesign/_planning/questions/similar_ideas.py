"""Groups of diagrams with the same idea: the same land, or the same words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from pygeodesign._planning.arguments import finite
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.land.lands import Lands, are_there
from pygeodesign.errors import InputError

# Letters of the shortest word that counts.
SHORTEST = 4
SHARE = "give a share above 0, at most 1"


def similar_ideas(self: Compared, scope: str = "project", *, land: float = 0.5, words: float = 0.5) -> pd.DataFrame:
    """Groups of diagrams of one system that may be the same idea, because they share land or words of their titles.

    Two diagrams are similar if one of these Jaccard indices is large enough; groups are what is similar to each other,
    also by way of a third diagram.

        land = hectares of both / hectares of either
        words = words of both titles / words of either

    Words are compared without case, and those of fewer than four letters are left out. Land and words are hints:
    whether two drawings are one idea is for their authors to say.

    Args:
        scope: `"project"` for all diagrams, or the label of a design.
        land: The share of land from which on two diagrams are similar, above 0 to 1.
        words: The share of words from which on they are.

    Returns:
        One row per diagram that has a similar one, by group and id: `group` (from 1, the largest first), `diagramid`,
        `sysid`, `system`, `title`, `author`, and `land` and `words`, its largest index with another diagram of the
        group; `land` is NaN without a polygon.

    Raises:
        InputError: A share is no number above 0 up to 1, or no design has that label.

    Examples:
        >>> groups = project.compare().similar_ideas()
        >>> groups.groupby("group").size().max() >= 2
        np.True_
    """
    for name, share in (("land", land), ("words", words)):
        if not 0 < finite(name, share, SHARE) <= 1:
            raise InputError(f"{name} is {share!r}: {SHARE}")
    if scope == "designs":
        raise InputError('similar_ideas() is about one set of diagrams: give "project" or the label of a design')
    (rows,) = self._in_scope(scope).values()
    alike = pd.concat([_by_land(rows), _by_words(rows)], axis=1).fillna({"words": 0.0})
    alike = alike[(alike["land"] >= land) | (alike["words"] >= words)]
    groups = sorted(_groups(alike.index), key=lambda group: (-len(group), group))
    number = {diagram: place for place, group in enumerate(groups, 1) for diagram in group}
    about = rows.loc[sorted(number, key=lambda diagram: (number[diagram], diagram))]
    about = pd.DataFrame(about[["sysid", "system", "title", "author"]]).reset_index()
    about.insert(0, "group", about["diagramid"].map(number).astype(int))
    pairs = pd.concat([alike, alike.swaplevel()])
    largest = pairs.groupby(level=0)[["land", "words"]].max()
    return about.join(largest, on="diagramid")


def _by_land(rows: pd.DataFrame) -> pd.DataFrame:
    """The Jaccard index of the land of each pair of one system that shares some."""
    own = rows[are_there(rows.geometry)]
    lands = Lands(own.geometry)
    first, second = lands.near()
    is_one = own["sysid"].to_numpy()[first] == own["sysid"].to_numpy()[second]
    first, second = first[is_one], second[is_one]
    shared, whole = lands.shared_hectares(first, second), lands.hectares()
    either = whole[first] + whole[second] - shared
    share = np.divide(shared, either, out=np.full(len(shared), np.nan), where=either > 0)
    return _pairs(own.index[first], own.index[second], share, "land")


def _by_words(rows: pd.DataFrame) -> pd.DataFrame:
    """The Jaccard index of the words of each pair of one system that shares some."""
    found: list[tuple[int, int, float]] = []
    for _, own in rows.groupby("sysid"):
        words = {diagram: _words(title) for diagram, title in own["title"].items()}
        for one, other in combinations(words, 2):
            if both := words[one] & words[other]:
                found.append((one, other, len(both) / len(words[one] | words[other])))  # type: ignore[arg-type]
    first, second, share = zip(*found, strict=True) if found else ([], [], [])
    return _pairs(first, second, share, "words")


def _words(title: Any) -> set[str]:
    return {word for word in re.findall(r"\w+", str(title or "").casefold()) if len(word) >= SHORTEST}


def _pairs(first: Iterable[int], second: Iterable[int], share: Any, name: str) -> pd.DataFrame:
    """A column of shares by pairs of ids, the smaller one first."""
    ids = np.sort(np.column_stack([list(first), list(second)]).astype(int).reshape(-1, 2), axis=1)
    index = pd.MultiIndex.from_arrays([ids[:, 0], ids[:, 1]], names=["diagramid", "other"])
    return pd.DataFrame({name: np.asarray(share, dtype=float)}, index)


def _groups(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The sorted ids that are joined by pairs, directly or by way of others."""
    group_of: dict[int, list[int]] = {}
    for one, other in pairs:
        joined = group_of.get(one, [one])
        added = group_of.get(other, [other])
        if joined is not added:
            joined.extend(added)
        group_of.update(dict.fromkeys(added, joined))
        group_of[one] = joined
    return [sorted(group) for group in {id(group): group for group in group_of.values()}.values()]
