"""`Comparison.negotiate()` and `common_core()`: no choice without conflicts and within the budget has more support."""

import itertools
import math
import pickle
import time
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from shapely.geometry import LineString

from builders import diagram, feature, square
from comparisons import comparison
from deciding import cells, project_of
from demo import demo_sandbox
from pygeodesign import InputError


@pytest.fixture(scope="module")
def compared() -> Any:
    with demo_sandbox() as sandbox:
        return sandbox.client().project("StatenIsland2050").compare()


class RandomNegotiation:
    """At most twelve diagrams, some of them of unknown cost or land, in a few designs; and every choice among them."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        count, design_count = int(random.integers(1, 13)), int(random.integers(1, 5))
        sysid = random.integers(1, 3, count)
        kind = random.choice(np.array(["project", "policy", None]), count, p=[0.75, 0.15, 0.1])
        corners = random.integers(0, 6, (count, 2))
        sizes = random.integers(1, 4, count)
        shapes = [cells(corner, size=size)[0] for corner, size in zip(corners, sizes, strict=True)]
        for at in np.flatnonzero(random.random(count) < 0.15):
            line = LineString([(0, 0), (0.06, 0.06)])
            shapes[at] = None if random.random() < 0.6 else line
        costs = [
            np.round(10 ** random.uniform(-2, 9, count), 2),
            random.integers(1, 50, count) / 100,
            random.choice([0.1, 0.2, 0.3, 0.7], count),
        ][random.integers(3)]
        cost = np.where(kind == "policy", 0, costs) * np.where(random.random(count) < 0.05, -1, 1)
        cost = np.where(random.random(count) < 0.1, np.nan, cost)
        ids = np.arange(1, count + 1)
        designs = {f"Team {name}": ids[random.random(count) < 0.5].tolist() for name in range(design_count)}
        values = {"sysid": sysid, "kind": kind, "cost": cost, "geometry": shapes}
        self.weights = {name: float(random.choice([0, 0.5, 1, 1, 2, 1.3])) for name in designs}
        self.weights["Team 0"] = 1.0
        budgets = random.choice(np.array([None, 5.0, 1e8]), 2)
        self.compared = project_of(values, designs, budgets)
        known = [budget for budget in budgets if budget is not None]
        self.limit = sum(known) if known else math.inf
        self.given: dict[str, Any] = {"weights": self.weights}
        some = math.fsum(cost[(random.random(count) < 0.5) & ~np.isnan(cost)])
        if random.random() < 0.6 and some >= 0:
            self.limit = self.given["budget"] = round(some, 2)
        may_share = [pair for pair in [(1, 1), (1, 2), (2, 2)] if random.random() < 0.2]
        self.given["compatible"] = may_share
        self.support = [
            sum(weight for name, weight in self.weights.items() if number in designs[name]) for number in ids
        ]
        self.conflicts = {
            (one, other)
            for one, other in itertools.combinations(range(count), 2)
            if tuple(sorted((sysid[one], sysid[other]))) not in may_share
            and all(kind[at] != "policy" and shapes[at] is not None for at in (one, other))
            and shapes[one].intersection(shapes[other]).area > 0
        }
        self.cost = cost

    def best(self) -> tuple[float, float]:
        """The most support of any choice, and the least cost of those with as much."""
        found = []
        places = [at for at, support in enumerate(self.support) if support > 0]
        if math.isfinite(self.limit):
            places = [at for at in places if not np.isnan(self.cost[at])]
        for taken in itertools.chain.from_iterable(
            itertools.combinations(places, count) for count in range(len(places) + 1)
        ):
            if any(pair in self.conflicts for pair in itertools.combinations(taken, 2)):
                continue
            cost = math.fsum(0 if np.isnan(self.cost[at]) else self.cost[at] for at in taken)
            if cost <= self.limit * (1 + 1e-14) + 1e-12:
                found.append((sum(self.support[at] for at in taken), cost))
        # The empty choice is the best one if every other would pay more than it may.
        most = max(support for support, _ in found)
        return most, min(cost for support, cost in found if support >= most - 1e-6)


def check(seed: int) -> None:
    problem = RandomNegotiation(seed)
    result = problem.compared.negotiate(**problem.given)
    most, cost = problem.best()
    assert result.support == pytest.approx(most, abs=1e-6), seed
    assert result.cost == pytest.approx(cost, abs=0.005, rel=1e-9), seed
    assert result.cost <= result.budget == problem.limit and (result.gap, result.cost_gap) == (0, 0)
    places = [number - 1 for number in result.chosen]
    assert not any(pair in problem.conflicts for pair in itertools.combinations(places, 2))
    assert result.support == pytest.approx(sum(problem.support[at] for at in places))
    assert set(result.unpriced) == {at + 1 for at in places if np.isnan(problem.cost[at])}
    for label, row in result.teams.iterrows():
        ids = problem.compared.designs[label]
        assert row["given_up_ids"] == [number for number in ids if number not in result.chosen]
        assert row["kept"] + row["given_up"] == row["diagrams"] == len(ids)
        assert row["kept"] + row["added"] == len(result.chosen)
        lost = problem.cost[np.array(row["given_up_ids"], dtype=int) - 1]
        assert row["unpriced"] == np.isnan(lost).sum()
        if not np.isnan(lost).all() or not len(lost):
            assert row["cost_given_up"] == pytest.approx(np.nansum(lost))
        else:
            assert math.isnan(row["cost_given_up"])
    for number, row in result.diagrams.iterrows():
        against = [other for other in result.chosen if tuple(sorted((number - 1, other - 1))) in problem.conflicts]
        assert row["conflicts_with"] == against
        assert (row["reason"] == "") == row["chosen"] == (number in result.chosen)
        assert (row["reason"] == "cost not known") == (number in result.excluded)
        assert (row["reason"] == "conflict") == (bool(against) and number not in result.excluded)


@pytest.mark.slow
def test_no_choice_of_twelve_diagrams_has_more_support_or_as_much_for_less() -> None:
    for seed in range(60):
        check(seed)


@pytest.mark.slow
def test_no_choice_is_better_in_a_thousand_negotiations() -> None:
    for seed in range(60, 1060):
        check(seed)


def test_the_case_for_paper_of_the_document() -> None:
    compared = project_of(
        {"sysid": [1, 2, 2, 1], "cost": [100, 400, 300, np.nan], "geometry": cells((0, 0), (0.5, 0), (3, 0), (5, 0))},
        {"A": [1, 3], "B": [2, 3], "C": [2, 4]},
    )
    assert compared.common_core(2)["held_by"].to_dict() == {2: ["B", "C"], 3: ["A", "B"]}
    assert compared.common_core().empty
    result = compared.negotiate()
    assert (result.chosen, result.support, result.cost, result.unpriced) == ([2, 3, 4], 5, 700, [4])
    assert result.teams["given_up_ids"].to_dict() == {"A": [1], "B": [], "C": []}
    assert result.diagrams["conflicts_with"].to_dict()[1] == [2]
    result = compared.negotiate(budget=500)
    assert (result.chosen, result.support, result.cost, result.excluded) == ([1, 3], 3, 400, [4])
    assert result.diagrams["reason"].to_dict() == {1: "", 2: "conflict", 3: "", 4: "cost not known"}
    assert compared.negotiate({"C": 3}, budget=500).chosen == [2]
    assert compared.negotiate(compatible=[("Water", "Housing")], budget=1000).chosen == [1, 2, 3]


def test_by_default_the_budget_is_that_of_the_systems_and_none_is_no_limit() -> None:
    values = {"cost": [6.0, 5.0], "geometry": cells((0, 0), (2, 0))}
    assert project_of(values, {"A": [1, 2]}).negotiate().budget == math.inf
    result = project_of(values, {"A": [1, 2]}, (4.0, 3.0)).negotiate()
    assert (result.budget, result.chosen) == (7, [2])
    assert project_of(values, {"A": [1, 2]}, (4.0, None)).negotiate(budget=math.inf).chosen == [1, 2]


def test_only_diagrams_of_compared_designs_are_chosen_unless_they_are_kept() -> None:
    compared = project_of({"geometry": cells((0, 0), (2, 0), (0.5, 0))}, {"A": [1], "B": [1]})
    assert compared.negotiate().chosen == [1]
    result = compared.negotiate(keep=[2, 3])
    assert (result.chosen, result.support, result.teams["added"].tolist()) == ([2, 3], 0, [2, 2])
    assert result.diagrams["designs"].tolist() == [2, 0, 0]


def test_designs_without_diagrams_agree_on_nothing() -> None:
    result = project_of({"geometry": cells((0, 0))}, {"A": [], "B": []}).negotiate()
    assert (result.chosen, result.support, result.gap, len(result.diagrams)) == ([], 0, 0, 0)
    assert result.teams["kept_share"].isna().all()


def test_land_shared_within_the_tolerance_is_no_conflict() -> None:
    compared = project_of({"geometry": cells((0, 0), (0.99, 0))}, {"A": [1], "B": [2]})
    shared = compared.conflicts("diagrams", "project")["area_ha"].iloc[0]
    assert len(compared.negotiate(tolerance_ha=0.99 * shared).chosen) == 1
    assert compared.negotiate(tolerance_ha=shared).chosen == [1, 2]


def test_land_that_is_not_known_is_chosen_and_told() -> None:
    values = {"kind": ["project", "policy", "project"], "geometry": cells(None, None, (0, 0))}
    result = project_of(values, {"A": [1, 2, 3]}).negotiate()
    assert (result.chosen, result.without_geometry) == ([1, 2, 3], [1])
    assert repr(result) == "<Negotiation: 3 diagrams for 3.00, support 3 of 3, 1 of unknown land>"
    assert repr(pickle.loads(pickle.dumps(result))) == repr(result)


def test_weights_go_by_label_or_by_team_and_are_checked() -> None:
    compared = project_of({"geometry": cells((0, 0), (0.5, 0))}, {"North – First": [1], "South – First": [2]})
    compared._short_labels = {"North – First": "North", "South – First": "South"}
    assert compared.negotiate({"North": 1.5}).chosen == compared.negotiate({"North – First": 1.5}).chosen == [1]
    assert compared.negotiate({"South": 1.5}).chosen == [2]
    for weights, reason in (
        ({"East": 1}, "weights has 'East', which is not a design; designs: 'North – First', 'South – First'"),
        ({"North": -1}, "the weight of 'North' is -1: give a number, 0 or more"),
        ({"North": 0, "South": 0}, "the weight of every design is 0"),
        ([1, 2], "weights is .*: give a number by design"),
    ):
        with pytest.raises(InputError, match=reason):
            compared.negotiate(weights)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"budget": -1}, "budget is -1: give an amount"),
        ({"budget": math.nan}, "budget is nan: give an amount"),
        ({"time_limit": 0}, "time_limit is 0: give a number of seconds above 0"),
        ({"tolerance_ha": -1}, "tolerance_ha is -1: give hectares, 0 or more"),
        ({"keep": [9]}, "keep has diagrams that the project does not have: 9"),
        ({"keep": [1, 2]}, "the diagrams to keep 1 and 2 are in conflict"),
        ({"keep": [1], "budget": 0.5}, "the diagrams to keep cost 1, which is more than the budget of 0"),
        ({"keep": [3], "budget": 5}, "the cost of diagrams to keep is not known: 3"),
        ({"compatible": "Water"}, "'W' is not a pair of systems"),
    ],
)
def test_what_makes_no_sense_is_refused(given: Any, reason: str) -> None:
    values = {"cost": [1.0, 1.0, np.nan], "geometry": cells((0, 0), (0.5, 0), (3, 0))}
    with pytest.raises(InputError, match=reason):
        project_of(values, {"A": [1, 2, 3]}).negotiate(**given)


def test_without_a_design_there_is_nothing_to_negotiate() -> None:
    compared = project_of({"geometry": cells((0, 0))}, {})
    for question in (compared.negotiate, compared.common_core, compared.plot_common_core):
        with pytest.raises(InputError, match="the comparison has no design"):
            question()


@pytest.mark.parametrize("at_least", [0, 3, 1.5, "2"])
def test_a_core_is_of_one_design_at_least_and_of_all_at_most(at_least: Any) -> None:
    compared = project_of({"geometry": cells((0, 0))}, {"A": [1], "B": []})
    with pytest.raises(InputError, match="give a number of designs, from 1 to 2"):
        compared.common_core(at_least)


def test_the_core_counts_each_design_by_its_ids_whatever_titles_are(compared: Any) -> None:
    for at_least in range(1, 5):
        core = compared.common_core(at_least)
        counts = compared.agreement()["chosen"]
        assert sorted(core.index) == sorted(counts.index[counts >= at_least])
        assert all(row.designs == len(row.held_by) for row in core.itertuples())


def test_the_services_negotiated_design_has_no_conflict_and_the_reports_cost() -> None:
    with demo_sandbox() as sandbox:
        project = sandbox.client().project("StatenIsland2050")
        result = project.compare().negotiate(budget=3e9)
        project.team("Residents").save("Negotiated", result.chosen)
        again = project.compare(["Negotiated"])
        (label,) = again.designs
        assert again.designs[label] == result.chosen
        assert again.conflicts("diagrams", label).empty
        assert result.cost == pytest.approx(project.costs(diagrams=result.chosen).total)
        assert project.design("Negotiated").costs().total <= 3e9


def test_without_time_a_choice_is_found_and_its_gap_is_true() -> None:
    random = np.random.default_rng(1)
    places = random.uniform(0, 15, (150, 2))
    designs = {name: (np.flatnonzero(random.random(150) < 0.5) + 1).tolist() for name in "ABCD"}
    values = {"cost": random.uniform(1, 50, 150), "sysid": random.integers(1, 3, 150), "geometry": cells(*places)}
    compared = project_of(values, designs)
    hasty, best = compared.negotiate(budget=600, time_limit=1e-9), compared.negotiate(budget=600)
    assert best.gap == 0 and hasty.cost <= 600
    assert hasty.support <= best.support <= hasty.support * (1 + hasty.gap)


def test_pictures_show_what_is_kept_and_given_up_and_why() -> None:
    compared = project_of(
        {"cost": [1.0, 5.0, 90.0, np.nan], "geometry": cells((0, 0), (0.5, 0), (3, 0), (5, 0))},
        {"A": [1, 3], "B": [2, 4], "C": [2]},
    )
    result = compared.negotiate(budget=50)
    axes = compared.plot_negotiation(result)
    assert [text.get_text() for text in axes.texts] == [
        "0 of 2 kept\ngives up 91.0",
        "1 of 2 kept\ngives up an unknown cost",
        "1 of 1 kept",
    ]
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == ["kept", "given up: conflict", "given up: budget", "given up: cost not known"]
    axes = compared.plot_common_core()
    assert [text.get_text() for text in axes.texts] == [
        "0 diagrams, cost 0",
        "1 diagram, cost 5.00",
        "4 diagrams, cost 96.0, 1 not known",
    ]
    plt.close("all")
    with pytest.raises(InputError, match="give what negotiate"):
        compared.plot_negotiation([1])


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.3, 1])
def test_the_negotiation_of_ten_designs_of_two_thousand_diagrams_takes_ten_seconds(share: float) -> None:
    random = np.random.default_rng(1)
    places, sizes = random.uniform(0, 100, (2000, 2)), random.uniform(1, 5, 2000)
    shapes = [cells(place, size=size)[0] for place, size in zip(places, sizes, strict=True)]
    cost = np.round(sizes**2 * random.uniform(1e5, 1e7, 2000), 2)
    designs = {f"Team {name}": (np.flatnonzero(random.random(2000) < 0.15) + 1).tolist() for name in range(10)}
    compared = project_of({"sysid": random.integers(1, 3, 2000), "cost": cost, "geometry": shapes}, designs)
    started = time.perf_counter()
    result = compared.negotiate(budget=cost.sum() * share)
    assert time.perf_counter() - started < 10
    assert (result.gap, result.cost_gap) == (0, 0) and result.cost <= result.budget
    again = compared.negotiate(budget=cost.sum() * share)
    assert again.chosen == result.chosen


def test_squares_as_the_service_sends_them_are_negotiated() -> None:
    diagrams = [
        diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project"),
        diagram(2, feature(square(0.01, 0, 0.02)), sysid=2, type="project"),
    ]
    compared = comparison(diagrams, {"A": [1], "B": [1, 2]})
    assert compared.negotiate().chosen == [1]
    assert compared.negotiate({"B": 0}).diagrams.index.tolist() == [1]
