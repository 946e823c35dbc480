"""The Pareto front of two sums over diagrams, both as low as possible, point by point: the ε-constraint method.

Each point has the least second sum of all choices whose first sum is at most ε, with a little of the first sum added,
so that no choice is better in one sum and as good in the other (AUGMECON, Mavrotas 2009, doi
10.1016/j.amc.2009.03.037). ε halves the widest gap between two points, until there are enough of them, or it is proven
that there is none between.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from pygeodesign._planning.budgeted import Budgeted
from pygeodesign._planning.choice import Problem, decimal, solve
from pygeodesign._planning.land import Numbers
from pygeodesign._planning.program import Program

# Sums of which the difference is no more of their largest possible amount count as the same.
SAME = 1e-9
# What HiGHS may be wrong by, as a share: it takes a variable for whole that is so to a millionth.
ROUNDING = 1e-6
# What is added of the first sum to the second one.
LITTLE = 1e-4
# How many choices that HiGHS takes for allowed, and which are not, are forbidden one by one.
MOST_CUTS = 50
# HiGHS gets both sums so that their largest amount is a hundred: with larger factors it says more often, and wrongly,
# that there is no point.
SCALE = 100.0


class Point(NamedTuple):
    """A choice of the front: its two sums, a mask of the diagrams, and how much lower a sum may be, as a share."""

    first: float
    second: float
    chosen: Numbers
    gap: float


class Solver(Protocol):
    """Whoever finds one point."""

    #: Amounts of the two sums that count as none.
    same: tuple[float, float]

    def lowest(self, until: float) -> float:
        """The least first sum of any choice."""

    def highest(self) -> float:
        """What no first sum exceeds."""

    #: Whether a point has the least second sum that there is at its level, to the last bit.
    is_least: bool
    #: Whether it is proven that there is no point wherever none was found.
    is_sure: bool

    def at(self, level: float, worst: float, until: float) -> Point | None:
        """A point of the choices with at most these two sums; None where there is none, or none is found."""


@dataclass
class CostAndShortfall:
    """Cost first, then shortfall: as the optimum under each budget, with costs as decimal numbers."""

    problem: Problem
    same: tuple[float, float] = (0.0, 0.0)
    is_least: bool = True
    is_sure: bool = True

    def __post_init__(self) -> None:
        self.same = (SAME * (float(np.abs(self.problem.cost).sum()) or 1.0), SAME)

    def lowest(self, until: float) -> float:
        forced = self.problem.kept | (self.problem.cost < 0)
        return float(sum(map(decimal, self.problem.cost[forced])))

    def highest(self) -> float:
        paid = self.problem.kept | (self.problem.cost > 0)
        return min(self.problem.budget, float(self.problem.cost[paid].sum()))

    def at(self, level: float, worst: float, until: float) -> Point | None:
        known = {name: getattr(self.problem, name) for name in ("cost", "share", "system", "kept", "need")}
        found = solve(Problem(**known, budget=level), [], until)
        if found is None or (second := shortfall_of(self.problem, found.chosen)) > worst:
            return None
        cost = float(sum(map(decimal, self.problem.cost[found.chosen])))
        return Point(cost, second, found.chosen, max(found.gap, found.cost_gap))


def shortfall_of(problem: Problem, chosen: Numbers) -> float:
    """The sum of the shares of targets that are missing."""
    counts = chosen & (problem.system >= 0)
    covered = np.bincount(problem.system[counts], problem.share[counts], len(problem.need))
    return float((problem.need - covered).clip(min=0).sum())


class Sum(NamedTuple):
    """A sum that is as low as possible."""

    #: A factor for each variable of a programme.
    factors: Numbers
    #: The sum of a choice, exact.
    of: Callable[[Numbers], float]
    #: For each diagram, whether it makes the sum larger (1), smaller (-1) or neither (0).
    effect: Numbers


@dataclass
class AnyTwo:
    """Any two sums, by HiGHS."""

    program: Program
    purse: Budgeted
    sums: tuple[Sum, Sum]
    same: tuple[float, float] = (0.0, 0.0)
    is_least: bool = False
    is_sure: bool = True

    def __post_init__(self) -> None:
        # A sum of nothing is as good as one of any size.
        most = [float(np.abs(each.factors * self.program.highest).sum()) or 1.0 for each in self.sums]
        self._scales = [SCALE / amount for amount in most]
        self.same = (SAME * most[0], SAME * most[1])
        self._limits: list[tuple[int, float]] = []

    def lowest(self, until: float) -> float:
        found, bound = self._least(0, until, 0.0)
        return bound if found is None else self.sums[0].of(found)

    def highest(self) -> float:
        return float((self.sums[0].factors * self.program.highest).clip(min=0).sum())

    def at(self, level: float, worst: float, until: float) -> Point | None:
        count = self.program.conditions
        try:
            self._at_most(0, level)
            self._at_most(1, worst)
            best, bound = self._least(1, until, LITTLE)
            if best is None:
                self.is_sure &= math.isinf(bound)
                return None
            first, second = (each.of(best) for each in self.sums)
            reached = second + LITTLE * first * self._scales[0] / self._scales[1]
            is_proven = reached <= bound + ROUNDING * abs(reached) + self.same[1]
            return Point(first, second, best, 0.0 if is_proven else (reached - bound) / (abs(second) or 1.0))
        finally:
            self.program.drop_conditions(count)
            self._limits.clear()

    def _at_most(self, which: int, amount: float) -> None:
        """Demand that a sum is at most this amount."""
        if math.isinf(amount):
            return
        factors = self.sums[which].factors
        places = np.flatnonzero(factors)
        scaled = factors[places] * self._scales[which]
        self.program.at_most(places, scaled, amount * self._scales[which] + SCALE * SAME / 4)
        self._limits.append((which, amount + self.same[which] / 4))

    def _least(self, which: int, until: float, share: float) -> tuple[Numbers | None, float]:
        """The choice with the least sum, with a share of the other one added, and the bound of it."""
        objective = self.sums[which].factors * self._scales[which]
        objective = objective + share * self.sums[1 - which].factors * self._scales[1 - which]
        for _ in range(MOST_CUTS):
            found, bound = self.purse.least(self.program, objective, until)
            bound /= self._scales[which]
            if found is None:
                return None, bound
            beyond = [self.sums[at] for at, amount in self._limits if self.sums[at].of(found) > amount]
            if not beyond:
                return found, bound
            if time.monotonic() > until:
                break
            for each in beyond:
                # No choice that has all that makes this sum larger, and nothing more that makes it smaller, is better.
                larger, smaller = found & (each.effect > 0), ~found & (each.effect < 0)
                places = np.flatnonzero(larger | smaller)
                self.program.at_most(places, np.where(larger[places], 1.0, -1.0), float(larger.sum() - 1))
        return None, bound


def front(solver: Solver, points: int, seconds: float, advance: Callable[[int], object]) -> tuple[list[Point], bool]:
    """At most so many points, with the least first sum first, and whether these are all points that there are."""
    end, found = time.monotonic() + seconds, 0

    def solved(level: float, worst: float = math.inf) -> Point | None:
        # Where many points are wanted, most of them are found in less time than their share.
        share = (end - time.monotonic()) / min(max(points + 1 - found, 1), 20)
        return solver.at(level, worst, time.monotonic() + share)

    lowest = solver.lowest(time.monotonic() + seconds / (points + 2))
    # Where the solver takes too many choices for as good as the best one, what is as good to a millionth is the end.
    left = solved(lowest + solver.same[0] / 4) or solved(lowest + solver.same[0] * ROUNDING / SAME)
    right = None if left is None else solved(solver.highest())
    if left is None or right is None:
        return [], False
    while not solver.is_least and (better := solved(solver.highest(), right.second - solver.same[1])) is not None:
        right = better
    advance(1)
    if right.first <= left.first + solver.same[0] or right.second >= left.second - solver.same[1]:
        return [left], solver.is_sure and left.gap == 0
    chain, found = [left, right], 2
    advance(1)
    spans = (right.first - left.first, left.second - right.second)
    # Gaps between two points, the first sum up to which there is no further point, and whether half of a gap had none.
    gaps = [(left, right, left.first, False)]
    while gaps and found < points and time.monotonic() < end:
        gaps.sort(key=lambda gap: (gap[1].first - gap[0].first) / spans[0] + (gap[0].second - gap[1].second) / spans[1])
        before, after, empty, is_sparse = gaps.pop()
        below = after.first - solver.same[0]
        if empty >= below:
            continue
        # Where the lower half has no point, the one that comes next to the end tells whether there is one at all.
        level = below if is_sparse else min(below, (max(before.first, empty) + after.first) / 2)
        point = solved(level, before.second - solver.same[1])
        if point is None:
            gaps.append((before, after, level, True))
            continue
        chain.append(point)
        found += 1
        advance(1)
        gaps += [(before, point, empty, False), (point, after, level if solver.is_least else point.first, False)]
    chain = undominated_points(chain, solver.same)
    return chain, not gaps and solver.is_sure and all(point.gap == 0 for point in chain)


def undominated_points(points: list[Point], same: tuple[float, float]) -> list[Point]:
    """Those that no other one is better than, in order: where the time was too short for a proof, some are."""
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
