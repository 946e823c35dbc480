"""`Comparison.swaps()`: no other exchange of one diagram brings a design nearer to the others."""

import math
import time
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from deciding import cells, project_of
from pygeodesign import InputError


def jaccard(one: set[int], other: set[int]) -> float:
    return len(one & other) / len(one | other) if one | other else math.nan


def agreement(own: set[int], label: str, designs: dict[str, list[int]], weights: dict[str, float]) -> float:
    pairs = [(weights[name], jaccard(own, set(ids))) for name, ids in designs.items() if name != label]
    known = [(weight, value) for weight, value in pairs if not math.isnan(value)]
    total = sum(weight for weight, _ in known)
    return sum(weight * value for weight, value in known) / total if total else math.nan


def every_swap(compared: Any, label: str, weights: dict[str, float], limit: float) -> list[tuple[float, Any, Any]]:
    """All exchanges of a design that gain something: the gain, the diagram given up, and the one taken up."""
    pairs = compared.conflicts("diagrams", "project", geometry=False)
    against = {frozenset(pair) for pair in zip(pairs["diagramid_a"], pairs["diagramid_b"], strict=True)}
    cost = compared.diagrams["cost"].to_dict()
    own, before = (
        set(compared.designs[label]),
        agreement(set(compared.designs[label]), label, compared.designs, weights),
    )
    others = {
        number for name, ids in compared.designs.items() if name != label and weights[name] for number in ids
    } - own
    found = []
    for give in [None, *sorted(own)]:
        for take in [None, *sorted(others)]:
            after = (own - {give}) | ({take} - {None})
            if take is not None and any(frozenset((take, number)) in against for number in own - {give}):
                continue
            spent = sum(cost[number] for number in after if not math.isnan(cost[number]))
            was = sum(cost[number] for number in own if not math.isnan(cost[number]))
            if math.isfinite(limit) and (
                (take is not None and math.isnan(cost[take])) or spent > max(limit, was) * (1 + 1e-12)
            ):
                continue
            gain = agreement(after, label, compared.designs, weights) - before
            if gain > 1e-12:
                found.append((round(gain, 9), give, take))
    return sorted(found, key=lambda swap: -swap[0])


def check(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 10))
    kind = random.choice(np.array(["project", "policy", None]), count, p=[0.75, 0.15, 0.1])
    shapes = [
        None if random.random() < 0.1 else cells(corner, size=2)[0] for corner in random.integers(0, 5, (count, 2))
    ]
    cost = np.where(random.random(count) < 0.1, np.nan, random.integers(0, 50, count).astype(float))
    ids = np.arange(1, count + 1)
    designs = {name: ids[random.random(count) < 0.5].tolist() for name in "ABCD"[: int(random.integers(2, 5))]}
    weights = {name: float(random.choice([0, 1, 1, 2.5])) for name in designs}
    if not any(weights.values()):
        weights["A"] = 1.0
    compared = project_of(
        {"sysid": random.integers(1, 3, count), "kind": kind, "cost": cost, "geometry": shapes}, designs
    )
    limit = math.inf if random.random() < 0.4 else float(random.integers(0, 150))
    table = compared.swaps(1000, weights=weights, budget=limit)
    for label in designs:
        rows = table[table["design"] == label]
        expected = every_swap(compared, label, weights, limit)
        assert rows["gain"].round(9).tolist() == pytest.approx([gain for gain, _, _ in expected], abs=2e-9), seed
        found = {
            (None if pd.isna(row.give_up) else row.give_up, None if pd.isna(row.take_up) else row.take_up)
            for row in rows.itertuples()
        }
        assert found == {(give, take) for _, give, take in expected}, seed
        for row in rows.to_dict("records"):
            assert row["after"] - row["before"] == pytest.approx(row["gain"])
            assert row["also_in"] == [name for name in designs if name != label and row["take_up"] in designs[name]]


@pytest.mark.filterwarnings("ignore:conflicts")
def test_no_exchange_of_one_diagram_is_left_out() -> None:
    for seed in range(20):
        check(seed)


def test_the_case_for_deciding_on_paper() -> None:
    compared = project_of(
        {"sysid": [1, 2, 2, 1], "cost": [100, 400, 300, np.nan], "geometry": cells((0, 0), (0.5, 0), (3, 0), (5, 0))},
        {"A": [1, 3], "B": [2, 3], "C": [2, 4]},
    )
    table = compared.swaps(1)
    assert table[["design", "give_up", "take_up"]].to_numpy().tolist() == [["A", 1, 2], ["B", 2, 1], ["C", 4, 3]]
    assert table["before"].tolist() == pytest.approx([1 / 6, 1 / 3, 1 / 6])
    assert table["after"].tolist() == pytest.approx([(1 + 1 / 3) / 2, (0 + 1) / 2, (1 + 1 / 3) / 2])
    assert table["also_in"].tolist() == [["B", "C"], ["A"], ["A", "B"]]


def test_designs_without_diagrams_have_nothing_to_exchange() -> None:
    assert project_of({"geometry": cells((0, 0))}, {"A": [], "B": []}).swaps().empty


def test_of_the_same_gain_the_cheaper_comes_first_and_equal_designs_have_none() -> None:
    values = {"cost": [9.0, 4.0, 6.0], "geometry": cells((0, 0), (3, 0), (6, 0))}
    table = project_of(values, {"A": [1], "B": [1, 2, 3]}).swaps(scope="A")
    assert table["take_up"].tolist() == [2, 3] and table["give_up"].isna().all()
    assert table["cost_change"].tolist() == [4, 6]
    assert project_of(values, {"A": [1, 2], "B": [1, 2]}).swaps().empty


def test_no_exchange_is_beyond_the_budget_by_a_cent_of_a_billion() -> None:
    values = {"cost": [1e9, 1e9 + 0.01, 1e9], "geometry": cells((0, 0), (3, 0), (6, 0))}
    compared = project_of(values, {"A": [1], "B": [2, 3]})
    within = compared.swaps(scope="A", budget=1e9)
    assert within["take_up"].tolist() == [3] and within["cost_change"].tolist() == [0]
    assert sorted(compared.swaps(scope="A", budget=1e9 + 0.01)["take_up"]) == [2, 3]


def test_ten_designs_of_six_hundred_diagrams_take_two_seconds() -> None:
    random = np.random.default_rng(1)
    values = {"cost": np.round(random.uniform(1, 1e6, 2000), 2), "geometry": cells(*[None] * 2000), "kind": "policy"}
    ids = np.arange(1, 2001)
    designs = {f"Team {name}": random.choice(ids, 600, replace=False).tolist() for name in range(10)}
    compared = project_of(values, designs)
    started = time.process_time()
    assert compared.swaps(budget=2e8).groupby("design").size().tolist() == [5] * 10
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"most": 0}, "most is 0: give a number of exchanges, 1 or more"),
        ({"scope": "project"}, r"swaps\(\) needs several designs"),
        ({"scope": "C"}, "the label of a design, not 'C'"),
        ({"tolerance_ha": -1}, "tolerance_ha is -1"),
        ({"budget": "much"}, "budget is 'much'"),
    ],
)
def test_what_makes_no_sense_is_refused(given: Any, reason: str) -> None:
    compared = project_of({"geometry": cells((0, 0))}, {"A": [1], "B": []})
    with pytest.raises(InputError, match=reason):
        compared.swaps(**given)
    with pytest.raises(InputError, match="compare at least two"):
        project_of({"geometry": cells((0, 0))}, {"A": [1]}).swaps()


def test_the_picture_names_each_exchange_with_its_gain_and_cost() -> None:
    values = {
        "title": ["Park", "Oyster reef", None],
        "cost": [9.0, 4.0, np.nan],
        "geometry": cells((0, 0), (3, 0), (6, 0)),
    }
    compared = project_of(values, {"A": [1], "B": [2, 3]})
    axes = compared.plot_swaps(9, "A")
    names = [label.get_text() for label in axes.get_yticklabels()]
    texts = [text.get_text() for text in axes.texts]
    assert names == ["1 for 2", "1 for 3", "with 2", "with 3"]
    assert texts[0] == "Oyster reef\n+0.5, cost -5.00" and texts[1] == "+0.5, cost not known"
    equal = project_of(values, {"A": [1], "B": [1]}).plot_swaps()
    assert "No exchange of a diagram brings this design nearer" in " ".join(equal.get_title("left").split())
    plt.close("all")
