"""The diagrams with the least shortfall under a budget, with costs as exact sums."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.solving.search import MOST_STATES, SAME_SHORTFALL, Search

# A diagram that covers at most this share of a target is useless: sums of shares have larger rounding errors.
LEAST_SHARE = 1e-15
# The share by which floats may miss the sum of the decimal numbers that they stand for.
BUDGET_ROUNDING = Fraction(1, 2**50)
# The most earlier choices that a choice may have to differ from: a bit for each.
MAX_EARLIER = 60


@dataclass(frozen=True)
class Problem:
    """The candidates. Each array has a value per diagram, or per system with something missing."""

    cost: Numbers
    #: The share of its system's target that a diagram covers.
    share: Numbers
    #: The place of the diagram's system in `need`, -1 for one that needs nothing.
    system: Numbers
    kept: Numbers
    #: The share of the target that is missing without any diagram.
    need: Numbers
    #: A fraction is exact; a float allows for rounding.
    budget: float | Fraction


@dataclass(frozen=True)
class Best:
    """A mask of the chosen diagrams, and bounds on other choices: their shortfall, or their cost at the same one."""

    chosen: Numbers
    shortfall: float
    missed: float
    saving: float


def decimal(amount: float) -> Fraction:
    """The decimal number that a float stands for: 0.1 is a tenth."""
    return Fraction(repr(float(amount)))


def in_units(amounts: Iterable[float]) -> tuple[Numbers, int]:
    """Amounts as integers, whose sums are exact, and their divisor."""
    given = list(amounts)
    decimals = {amount: decimal(amount) for amount in set(given)}
    divisor = math.lcm(*(amount.denominator for amount in decimals.values()))
    whole = {amount: int(exact * divisor) for amount, exact in decimals.items()}
    units = [whole[amount] for amount in given]
    return np.array(units, dtype=np.int64 if sum(map(abs, units)) < 1 << 62 else object), divisor


def budget_limit(budget: float | Fraction, cost: Iterable[float]) -> Fraction:
    """The most that diagrams of these costs may cost together: the budget, with an allowance for float rounding."""
    if isinstance(budget, Fraction):
        return budget
    brought = sum((-decimal(amount) for amount in cost if amount < 0), decimal(budget))
    return decimal(budget) + brought * BUDGET_ROUNDING


def solve(
    problem: Problem,
    earlier: list[Numbers],
    deadline: float,
    enough: float = SAME_SHORTFALL,
    most_states: int = MOST_STATES,
) -> Best | None:
    """The best choice that lacks a diagram of each of the earlier ones, if there is one."""
    # Diagrams that are kept, cost nothing or bring money in make no other choice.
    cuts = [chosen & (problem.cost > 0) & ~problem.kept for chosen in earlier]
    if not all(cut.any() for cut in cuts):
        return None
    useful = (problem.system >= 0) & (problem.share > LEAST_SHARE)
    chosen = problem.kept | (problem.cost < 0) | (useful & (problem.cost == 0))
    need = problem.need.copy()
    np.subtract.at(need, problem.system[chosen & useful], problem.share[chosen & useful])
    spent = sum(map(decimal, problem.cost[chosen]), Fraction(0))
    room = budget_limit(problem.budget, problem.cost[chosen]) - spent
    places = [place for place in np.flatnonzero(useful & ~chosen) if need[problem.system[place]] > 0]
    places = [place for place in places if decimal(problem.cost[place]) <= room]
    cost = [decimal(problem.cost[place]) for place in places]
    # A power of ten, so that cents are integers; twice the possible spending is below 2 ** 63.
    most = max(float(min(room, sum(cost, Fraction(0)))), 1e-300)
    unit = Fraction(10) ** (math.floor(math.log10(most)) - 17)
    units = [-(-amount // unit) for amount in cost]
    search = Search(
        cost=np.array(units, dtype=np.int64),
        # More than what is missing is useless.
        share=np.minimum(problem.share[places], need[problem.system[places]]),
        system=problem.system[places],
        need=need.clip(min=0),
        room=min(int(room // unit), sum(units)) if room < sum(cost) else sum(units),
        lacks=sum(
            (cut[places].astype(np.int64) << bit for bit, cut in enumerate(cuts)), np.zeros(len(places), np.int64)
        ),
        every=(1 << len(cuts)) - 1,
        deadline=deadline,
        enough=enough,
        most_states=most_states,
    )
    best, least_shortfall, least_cost = search.run()
    chosen[[places[place] for place in best.chosen]] = True
    _drop_needless(problem, chosen)
    missed = best.shortfall - least_shortfall
    saving = float(Fraction(best.cost - least_cost) * unit)
    return Best(chosen, best.shortfall, missed if missed > SAME_SHORTFALL else 0.0, saving)


def _drop_needless(problem: Problem, chosen: Numbers) -> None:
    """Takes out free diagrams that do not reduce what is missing, the smallest first."""
    for system, need in enumerate(problem.need):
        own = np.flatnonzero(chosen & (problem.system == system))
        surplus = problem.share[own].sum() - need
        free = own[(problem.cost[own] == 0) & ~problem.kept[own]]
        for place in free[np.lexsort((-free, problem.share[free]))]:
            if problem.share[place] <= surplus:
                surplus -= problem.share[place]
                chosen[place] = False
