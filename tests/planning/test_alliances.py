"""`Comparison.alliances()`: two designs can keep the most that any choice of their diagrams keeps."""

import itertools
import math
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from deciding import cells, project_of
from pygeodesign import InputError


def check(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 9))
    kind = random.choice(np.array(["project", "policy", None]), count, p=[0.75, 0.15, 0.1])
    shapes = [
        None if random.random() < 0.1 else cells(corner, size=2)[0] for corner in random.integers(0, 4, (count, 2))
    ]
    ids = np.arange(1, count + 1)
    designs = {name: ids[random.random(count) < 0.6].tolist() for name in "ABC"}
    values = {"sysid": random.integers(1, 3, count), "kind": kind, "geometry": shapes}
    compared = project_of(values, designs)
    compatible = [("Water", "Water")] if seed % 2 else None
    pairs = compared.conflicts("diagrams", "project", compatible, geometry=False)
    against = {frozenset(pair) for pair in zip(pairs["diagramid_a"], pairs["diagramid_b"], strict=True)}
    table = compared.alliances(compatible=compatible)
    assert len(table) == 3 and table["kept_share"].dropna().is_monotonic_decreasing
    for row in table.to_dict("records"):
        one, other = (set(designs[row[name]]) for name in ("design_a", "design_b"))
        assert row["shared"] == len(one & other) and row["gap"] == 0
        between = {pair for pair in against if any({a, b} == pair for a in one for b in other)}
        assert row["conflicts"] == len(between)
        choices = itertools.chain.from_iterable(
            itertools.combinations(one | other, number) for number in range(len(one | other) + 1)
        )
        kept = max(
            len(one & set(choice)) + len(other & set(choice))
            for choice in choices
            if not any(pair <= set(choice) for pair in against)
        )
        if one or other:
            assert row["kept_share"] == pytest.approx(kept / (len(one) + len(other)))
        else:
            assert math.isnan(row["kept_share"])
    assert table.attrs["without_geometry"] == [
        number
        for number in ids
        if shapes[number - 1] is None
        and kind[number - 1] != "policy"
        and any(number in own for own in designs.values())
    ]


@pytest.mark.filterwarnings("ignore:conflicts")
def test_no_choice_keeps_more_of_two_designs() -> None:
    for seed in range(25):
        check(seed)


@pytest.fixture
def compared() -> Any:
    """The case for deciding on paper."""
    values = {"sysid": [1, 2, 2, 1], "geometry": cells((0, 0), (0.5, 0), (3, 0), (5, 0))}
    return project_of(values, {"A": [1, 3], "B": [2, 3], "C": [2, 4]})


def test_the_case_for_deciding_on_paper(compared: Any) -> None:
    votes = [{"diagram": 2, "vote": 2}, {"diagram": 2, "vote": -1}, {"diagram": 4, "vote": -2}]
    table = compared.alliances(votes)
    assert table[["design_a", "design_b", "shared", "conflicts"]].to_numpy().tolist() == [
        ["B", "C", 1, 0],
        ["A", "B", 1, 1],
        ["A", "C", 0, 1],
    ]
    assert table["kept_share"].tolist() == [1, 0.75, 0.75]
    assert table["votes"].iloc[0] == 0.5 and table["votes"].iloc[1:].isna().all()
    half = compared.conflicts("diagrams", "project")["area_ha"].iloc[0]
    assert table["conflict_ha"].tolist() == pytest.approx([0, half, half])
    # A and B both change the land of 3, and half of that of 1; A and C the latter alone.
    assert table["shared_land_ha"].tolist() == pytest.approx([2 * half, 3 * half, half], rel=1e-5)
    assert compared.alliances(tolerance_ha=half)["kept_share"].tolist() == [1, 1, 1]


def test_the_tree_joins_those_first_who_could_keep_most(compared: Any) -> None:
    axes = compared.plot_alliances()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["A", "B", "C"]
    assert sorted({round(float(x), 6) for line in axes.lines for x in line.get_xdata()}) == [75, 100]
    axes = compared.plot_alliances("matrix")
    assert [text.get_text() for text in axes.texts] == ["75 %", "75 %", "100 %"]
    plt.close("all")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"votes": "all"}, "votes is 'all': give the result of project.votes"),
        ({"votes": [2]}, "2 is not a vote: give the result of project.votes"),
        ({"votes": [{"diagram": 1, "vote": "yes"}]}, "a vote is 'yes': from -2 to 2"),
        ({"tolerance_ha": -1}, "tolerance_ha is -1"),
    ],
)
def test_what_makes_no_sense_is_refused(compared: Any, given: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        compared.alliances(**given)
    with pytest.raises(InputError, match='show must be "tree" or "matrix"'):
        compared.plot_alliances("bars")
    compared.designs = {"A": [1]}
    with pytest.raises(InputError, match="compare at least two"):
        compared.alliances()
