"""The Pareto front of two sums over diagrams, both as low as possible, point by point: the ε-constraint method.

Each point has the least second sum of all choices whose first sum is at most ε, and among these the least first sum
(Mavrotas 2009, doi 10.1016/j.amc.2009.03.037). ε halves the widest gap between two points, until there are enough
points, or it is proven that there are none between.

For few diagrams, all choices are listed. For many, sums that are added system by system are searched like the
optimum. The rest is given to HiGHS, whose answers are checked here and whose proof is good to a millionth.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.solving.budgeted import Budgeted
from pygeodesign._planning.solving.choice import Problem, budget_limit, decimal, solve
from pygeodesign._planning.solving.program import Program
from pygeodesign._planning.solving.search import FEW
from pygeodesign._planning.solving.sums import SAME, Conflict, Linear, Shortfall, Sum, subset_sums

# The error that HiGHS may make, as a share: it takes a variable for an integer that is one to a millionth.
ROUNDING = 1e-6
# The share of one sum that is added to the other, so that a choice that ties in one is not worse in the other.
LITTLE = 1e-4
# A search with more choices than this in its lists takes long: then this share of the largest sum may
# stay without proof.
STATES, ENOUGH = 1_000_000, 1e-7
# The most choices to forbid one by one: HiGHS takes them for allowed, but they are not.
MOST_CUTS = 50
# Conditions are scaled to a largest amount of a hundred for HiGHS: with larger factors it says more often, and wrongly,
# that there is no point. It stops at a millionth of the objective, so the objective is scaled up.
SCALE, OBJECTIVE_SCALE = 100.0, 1e4


class Point(NamedTuple):
    """A choice of the front: its two sums, a mask of the diagrams, and the share by which a sum may still be lower."""

    first: float
    second: float
    chosen: Numbers
    gap: float


@dataclass
class Pair:
    """Two sums, both as low as possible, over choices that have the kept diagrams and cost at most the budget."""

    first: Sum
    second: Sum
    cost: Linear
    #: Infinite for no limit.
    budget: float
    kept: Numbers

    def __post_init__(self) -> None:
        if self.budget >= self.cost.amounts[self.kept | (self.cost.amounts > 0)].sum():
            self.budget = math.inf
        sums = [self.first, self.second, *([self.cost] if math.isfinite(self.budget) else [])]
        effects = np.array([each.effect for each in sums])
        never = (effects >= 0).all(axis=0) & ~self.kept
        #: Diagrams that each choice of the front has, or may have.
        self.base = self.kept | ((effects <= 0).all(axis=0) & ~never)
        self.places: list[int] = np.flatnonzero(~never & ~self.base).tolist()

    @property
    def most(self) -> Fraction:
        """The most that choices may cost."""
        return budget_limit(self.budget, self.cost.amounts[self.cost.amounts < 0])

    def solver(self) -> Listed | Searched | Programmed:
        """Finds points: `left()` the one with the least first sum, `at()` the one with the least second sum at a level.

        While it `is_sure`, there is no point if it finds none, and none with a lower second sum at a level.
        """
        if len(self.places) <= FEW:
            return Listed(self)
        is_bounded = math.isinf(self.budget) or self.cost is self.first
        if is_bounded and isinstance(self.first, Linear) and not isinstance(self.second, Conflict):
            return Searched(self)
        return Programmed(self)


class Listed:
    """All choices of few diagrams."""

    is_sure = True

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        first, second = (each.of_each(pair.base, pair.places) for each in (pair.first, pair.second))
        size = subset_sums(np.ones(len(pair.places), dtype=np.int8), 0)
        rows = np.arange(len(first))
        if math.isfinite(pair.budget):
            spent = pair.cost.units_of_each(pair.base, pair.places)
            rows = np.flatnonzero(spent <= math.floor(pair.most * pair.cost.units[1]))
        rows = rows[np.lexsort((size[rows], second[rows], first[rows]))]
        rows = rows[np.r_[True, second[rows][1:] < np.minimum.accumulate(second[rows])[:-1]]]
        #: Both sums and the place of each choice of the front.
        self._front: list[tuple[float, float, int]] = []
        for point in zip(first[rows].tolist(), second[rows].tolist(), rows.tolist(), strict=True):
            if self._front and point[1] >= self._front[-1][1] - pair.second.same:
                continue
            if self._front and point[0] <= self._front[-1][0] + pair.first.same:
                self._front.pop()
            self._front.append(point)

    def left(self, until: float) -> Point | None:
        return self.at(self._front[0][0], math.inf, until)

    def at(self, level: float, worst: float, until: float) -> Point | None:
        place = bisect_right(self._front, level, key=lambda point: point[0]) - 1
        if place < 0 or self._front[place][1] > worst:
            return None
        first, second, row = self._front[place]
        chosen = self._pair.base.copy()
        chosen[[place for bit, place in enumerate(self._pair.places) if row >> bit & 1]] = True
        return Point(first, second, chosen, 0.0)


class Searched:
    """A sum of amounts for which another one, or the shortfall, is minimised: the optimum under each budget.

    A diagram that makes the first sum lower and the second one higher is taken from the start. Its removal is then
    a choice with its cost.
    """

    def __init__(self, pair: Pair) -> None:
        assert isinstance(pair.first, Linear)
        self._pair, self.is_sure = pair, True
        amounts = pair.first.amounts
        self._turned = np.zeros(len(amounts), dtype=bool)
        if isinstance(pair.second, Shortfall):
            self._problem, self._unit = pair.second.problem, 1.0
        else:
            assert isinstance(pair.second, Linear)
            worth = -pair.second.amounts
            self._turned = (amounts < 0) & (worth < 0) & ~pair.kept
            self._unit = pair.second.most
            share = np.where(self._turned, -worth, worth.clip(min=0)) / self._unit
            share[pair.kept] = 0.0
            system = np.zeros(len(share), dtype=np.int64)
            self._problem = Problem(amounts, share, system, pair.kept, share.sum(keepdims=True), 0.0)
        self._cost = np.where(self._turned, -amounts, amounts)

    def left(self, until: float) -> Point | None:
        first = self._pair.first
        return self.at(first.of(self._pair.kept | (first.effect < 0)) + first.same / 4, math.inf, until)

    def at(self, level: float, worst: float, until: float) -> Point | None:
        first, second = self._pair.first, self._pair.second
        assert isinstance(first, Linear)
        most = first.exactly(first.effect > 0) if math.isinf(level) else decimal(level)
        if math.isfinite(self._pair.budget):
            most = min(most, self._pair.most)
        most -= first.exactly(self._turned)
        problem = self._problem
        found = solve(replace(problem, cost=self._cost, budget=most), [], until, ENOUGH, STATES)
        assert found is not None
        chosen = found.chosen ^ self._turned
        point = Point(first.of(chosen), second.of(chosen), chosen, 0.0)
        gaps = found.missed * self._unit / (abs(point.second) or 1.0), found.saving / (abs(point.first) or 1.0)
        if point.second > worst:
            self.is_sure &= max(gaps) == 0
            return None
        return point._replace(gap=max(gaps))


class Programmed:
    """Any two sums, by HiGHS."""

    is_sure = False

    def __init__(self, pair: Pair) -> None:
        self._sums = pair.first, pair.second
        self._purse = Budgeted(pair.cost, pair.budget, pair.kept)
        self._program = Program(len(pair.kept))
        self._purse.limit(self._program)
        factors = [each.add_to(self._program) for each in self._sums]
        self._factors = [np.append(each, np.zeros(len(self._program.highest) - len(each))) for each in factors]
        self._program.lowest[: len(pair.base)][pair.base] = 1.0
        never = ~pair.base
        never[pair.places] = False
        self._program.highest[: len(never)][never] = 0.0
        self._limits: list[tuple[int, float]] = []

    def left(self, until: float) -> Point | None:
        alone = self._best(0, until, 0.0)
        if alone is None:
            return None
        # If HiGHS wrongly finds nothing else as good, a choice as good to a millionth may be better in the other.
        first = self._sums[0]
        both = self.at(alone.first + first.same / 4, math.inf, until) or self._best(0, until)
        return both if both and both.first <= alone.first + ROUNDING * first.most else alone._replace(gap=math.inf)

    def at(self, level: float, worst: float, until: float) -> Point | None:
        count = self._program.conditions
        try:
            self._at_most(0, level)
            self._at_most(1, worst)
            return self._best(1, until)
        finally:
            self._program.drop_conditions(count)
            self._limits.clear()

    def _best(self, which: int, until: float, little: float = LITTLE) -> Point | None:
        """The choice with the least sum, with a little of the other one added."""
        best, bound = self._least(which, until, little)
        if best is None:
            return None
        sums = [each.of(best) for each in self._sums]
        reached = sums[which] + little * sums[1 - which] * self._sums[which].most / self._sums[1 - which].most
        return Point(sums[0], sums[1], best, max(ROUNDING, (reached - bound) / (abs(sums[which]) or 1.0)))

    def _at_most(self, which: int, amount: float) -> None:
        """Requires that a sum is at most this amount."""
        if math.isinf(amount):
            return
        factors, each = self._factors[which], self._sums[which]
        places = np.flatnonzero(factors)
        scale = SCALE / each.most
        self._program.at_most(places, factors[places] * scale, amount * scale + SCALE * SAME / 4)
        self._limits.append((which, amount + each.same / 4))

    def _least(self, which: int, until: float, little: float) -> tuple[Numbers | None, float]:
        """The choice with the least sum, with a little of the other one added, and its bound."""
        scales = [OBJECTIVE_SCALE / each.most for each in self._sums]
        objective = self._factors[which] * scales[which] + little * self._factors[1 - which] * scales[1 - which]
        bound = -math.inf
        for _ in range(MOST_CUTS):
            found, bound = self._purse.least(self._program, objective, until)
            bound /= scales[which]
            if found is None:
                return None, bound
            beyond = [self._sums[at] for at, amount in self._limits if self._sums[at].of(found) > amount]
            if not beyond:
                return found, bound
            if time.monotonic() > until:
                break
            for each in beyond:
                # No choice with all that makes this sum larger, and nothing more that makes it smaller, is better.
                larger, smaller = found & (each.effect > 0), ~found & (each.effect < 0)
                places = np.flatnonzero(larger | smaller)
                self._program.at_most(places, np.where(larger[places], 1.0, -1.0), float(larger.sum() - 1))
        return None, bound


def front(pair: Pair, points: int, seconds: float, advance: Callable[[int], object]) -> tuple[list[Point], bool]:
    """At most this many points, with the least first sum first, and True if there are no others."""
    solver, same = pair.solver(), (pair.first.same, pair.second.same)
    end, found = time.monotonic() + seconds, 0

    def solved(level: float, worst: float = math.inf) -> Point | None:
        # If many points are wanted, most of them are found in less time than their share.
        share = (end - time.monotonic()) / min(max(points + 1 - found, 1), 20)
        return solver.at(level, worst, time.monotonic() + share)

    left = solver.left(time.monotonic() + 2 * seconds / (points + 2))
    right = None if left is None else solved(math.inf)
    if left is None or right is None:
        return [], False
    while not solver.is_sure and (better := solved(math.inf, right.second - same[1])) is not None:
        right = better
    advance(1)
    if right.first <= left.first + same[0] or right.second >= left.second - same[1]:
        return [left], solver.is_sure and left.gap == right.gap == 0
    chain, found = [left, right], 2
    advance(1)
    spans = (right.first - left.first, left.second - right.second)
    # Gaps between two points, the first sum up to which there is no further point, and True if half of a gap had none.
    gaps = [(left, right, left.first, False)]
    while gaps and found < points and time.monotonic() < end:
        gaps.sort(key=lambda gap: (gap[1].first - gap[0].first) / spans[0] + (gap[0].second - gap[1].second) / spans[1])
        before, after, empty, is_sparse = gaps.pop()
        below = after.first - same[0]
        if empty >= below:
            continue
        # If the lower half has no point, the one next to the end shows if there is one at all.
        level = below if is_sparse else min(below, (max(before.first, empty) + after.first) / 2)
        point = solved(level, before.second - same[1])
        if point is None:
            gaps.append((before, after, level, True))
            continue
        chain.append(point)
        found += 1
        advance(1)
        gaps += [(before, point, empty, False), (point, after, level if solver.is_sure else point.first, False)]
    chain = undominated_points(chain, same)
    return chain, not gaps and solver.is_sure and all(point.gap == 0 for point in chain)


def undominated_points(points: list[Point], same: tuple[float, float]) -> list[Point]:
    """The points that no other one beats, in order: if the time was too short for a proof, some are beaten."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda point: (point.first, point.second)):
        if not kept or point.second < kept[-1].second - same[1] / 2:
            kept.append(point)
    return kept


def knee_of(first: Numbers, second: Numbers) -> int | None:
    """The place of the point that is farthest below the line between both ends (Das 1999, doi 10.1007/BF01195985)."""
    if len(first) < 3:
        return None
    below = 1 - (first - first[0]) / (first[-1] - first[0]) - (second - second[-1]) / (second[0] - second[-1])
    place = int(below.argmax())
    return place if below[place] > 1e-9 else None
