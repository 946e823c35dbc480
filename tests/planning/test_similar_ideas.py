"""`Comparison.similar_ideas()`: groups against every pair, one by one."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import shapely

from builders import diagram, feature, square
from comparisons import comparison
from overlays import hectares
from pygeodesign import InputError

WORDS = ["Rain", "garden", "Bus", "lane", "pocket", "park", "River", "walk"]


def plan(seed: int) -> Any:
    """Twelve squares on a narrow strip, in two systems, with titles of three words."""
    random = np.random.default_rng(seed)
    rows = [
        diagram(
            number,
            feature(square(float(random.uniform(0, 0.12)), 0, float(random.uniform(0.01, 0.03)))),
            sysid=1 + number % 2,
            type="project",
            description=" ".join(random.choice(WORDS, 3, replace=False)),
        )
        for number in range(1, 13)
    ]
    return comparison(rows, {"A": [1, 2, 3, 4, 5]})


def words_of(title: str) -> set[str]:
    return {word.lower() for word in title.split() if len(word) > 3}


def index_of(one: Any, other: Any) -> tuple[float, float]:
    """The Jaccard indices of land and words."""
    both, either = one.geometry & other.geometry, one.geometry | other.geometry
    words, others = words_of(one.title), words_of(other.title)
    return hectares(both) / hectares(either), len(words & others) / max(1, len(words | others))


@pytest.mark.parametrize("seed", range(6))
def test_groups_are_those_of_every_pair_and_what_is_joined_by_others(seed: int) -> None:
    compared, least = plan(seed), 0.4
    rows = {row.Index: row for row in compared.diagrams.itertuples()}
    group = {number: {number} for number in rows}
    largest: dict[Any, Any] = dict.fromkeys(rows, (0.0, 0.0))
    for one, other in combinations(rows, 2):
        if rows[one].sysid != rows[other].sysid:
            continue
        found = index_of(rows[one], rows[other])
        if max(found) >= least:
            joined = group[one] | group[other]
            group.update(dict.fromkeys(joined, joined))
            for number in (one, other):
                largest[number] = tuple(map(max, largest[number], found))
    table = compared.similar_ideas(land=least, words=least)
    expected = {frozenset(members) for members in group.values() if len(members) > 1}
    assert {frozenset(own["diagramid"]) for _, own in table.groupby("group")} == expected
    for row in table.itertuples():
        land, words = largest[row.diagramid]
        # Here, edges are straight where the package has geodesics.
        assert np.nan_to_num(row.land) == pytest.approx(land, abs=1e-7) and row.words == pytest.approx(words)
    sizes = table.groupby("group").size().tolist()
    assert sizes == sorted(sizes, reverse=True)


def test_diagrams_of_two_systems_are_never_one_idea() -> None:
    land = feature(square(0, 0, 0.02))
    rows = [diagram(number, land, sysid=number, type="project", description="Rain garden") for number in (1, 2)]
    assert len(comparison(rows).similar_ideas()) == 0


def test_lines_have_words_and_no_land() -> None:
    lines = [shapely.LineString([(0, 0), (1, number)]).__geo_interface__ for number in (0, 1)]
    rows = [
        diagram(number, feature(line), sysid=1, type="project", description="Tram along the shore")
        for number, line in enumerate(lines, 1)
    ]
    table = comparison(rows).similar_ideas()
    assert table["words"].tolist() == [1, 1] and table["land"].isna().all()


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_a_share_is_above_0_and_at_most_1(share: float) -> None:
    with pytest.raises(InputError, match="share above 0"):
        plan(0).similar_ideas(land=share)
