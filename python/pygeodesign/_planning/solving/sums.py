"""Sums over a choice of diagrams, each the better the lower it is: of one choice, of all choices, and for a solver.

Each has an `effect` per diagram: 1 if choosing it raises the sum, -1 if it lowers it, 0 if neither. No sum is larger
than `most` or smaller than its negative, and sums that differ by at most `same` are the same. `of` is the sum of a
choice, a mask of the diagrams. `of_each` has the sums of all choices of diagrams at some places, together with those of
a mask: the choice at a place of the answer has the diagrams whose bits the place has. `add_to` adds variables and
conditions to a programme, and returns a factor for each variable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.solving.choice import Problem, in_units
from pygeodesign._planning.solving.program import Program

# Sums that differ by at most this share of their largest possible amount count as the same; costs, which are exact,
# by the rounding error of floats.
SAME, SAME_COST = 1e-9, 4e-15


@dataclass
class Linear:
    """A sum of amounts, added as decimal numbers: a cost, or a quantity."""

    amounts: Numbers
    share: float = SAME

    def __post_init__(self) -> None:
        self.effect = np.sign(self.amounts)
        self.most = float(np.abs(self.amounts).sum()) or 1.0
        self.same = self.share * self.most

    @cached_property
    def units(self) -> tuple[Numbers, int]:
        """The amounts as integers, and their divisor."""
        return in_units(self.amounts)

    def exactly(self, chosen: Numbers) -> Fraction:
        """The sum as a decimal number."""
        units, divisor = self.units
        return Fraction(int(units[chosen].sum()), divisor)

    def of(self, chosen: Numbers) -> float:
        return float(self.exactly(chosen))

    def of_each(self, base: Numbers, places: list[int]) -> Numbers:
        return (self.units_of_each(base, places) / self.units[1]).astype(float)

    def units_of_each(self, base: Numbers, places: list[int]) -> Numbers:
        units, _ = self.units
        return subset_sums(units[places], units[base].sum())

    def add_to(self, program: Program) -> Numbers:
        return self.amounts


@dataclass
class Shortfall:
    """The missing shares of targets."""

    problem: Problem

    same = SAME

    def __post_init__(self) -> None:
        self.effect = -np.sign(np.where(self.problem.system >= 0, self.problem.share, 0.0))
        self.most = float(self.problem.need.sum()) or 1.0

    def of(self, chosen: Numbers) -> float:
        return float(self._missing(chosen).clip(min=0).sum())

    def _missing(self, chosen: Numbers) -> Numbers:
        counts = chosen & (self.problem.system >= 0)
        missing: Numbers = self.problem.need - np.bincount(
            self.problem.system[counts], self.problem.share[counts], len(self.problem.need)
        )
        return missing

    def of_each(self, base: Numbers, places: list[int]) -> Numbers:
        total = np.zeros(1 << len(places))
        for system, missing in enumerate(self._missing(base)):
            own = np.where(self.problem.system[places] == system, self.problem.share[places], 0.0)
            total += subset_sums(-own, missing).clip(min=0)
        return total

    def add_to(self, program: Program) -> Numbers:
        """Adds a variable for each system that is at least the missing share of its target."""
        first = program.add_parts(len(self.problem.need))
        for system, need in enumerate(self.problem.need):
            own = np.flatnonzero(self.problem.system == system)
            program.at_most(np.append(own, first + system), -np.append(self.problem.share[own], 1.0), -float(need))
        return np.repeat([0.0, 1.0], [first, len(self.problem.need)])


@dataclass
class Conflict:
    """Hectares that two chosen diagrams share, by pairs: the places of both, and their hectares."""

    ones: Numbers
    others: Numbers
    areas: Numbers
    count: int

    def __post_init__(self) -> None:
        self.effect = np.zeros(self.count)
        self.effect[self.ones] = self.effect[self.others] = 1.0
        self.most = math.fsum(self.areas) or 1.0
        self.same = SAME * self.most

    def of(self, chosen: Numbers) -> float:
        return math.fsum(self.areas[chosen[self.ones] & chosen[self.others]])

    def of_each(self, base: Numbers, places: list[int]) -> Numbers:
        shared = np.zeros((self.count, self.count))
        shared[self.ones, self.others] = shared[self.others, self.ones] = self.areas
        total = np.array([self.of(base)])
        for at, place in enumerate(places):
            with_this = subset_sums(shared[place, places[:at]], shared[place, base].sum())
            total = np.concatenate([total, total + with_this])
        return total

    def add_to(self, program: Program) -> Numbers:
        """Adds a variable for each pair that is 1 if both are chosen."""
        first = program.add_parts(len(self.areas))
        for at, (one, other) in enumerate(zip(self.ones.tolist(), self.others.tolist(), strict=True)):
            program.at_most([one, other, first + at], np.array([1.0, 1.0, -1.0]), 1.0)
        return np.concatenate([np.zeros(first), self.areas])


Sum = Linear | Shortfall | Conflict


def subset_sums(amounts: Numbers, start: float) -> Numbers:
    """A start with the sum of each subset of the amounts."""
    sums = np.array([start], dtype=amounts.dtype)
    for amount in amounts:
        sums = np.concatenate([sums, sums + amount])
    return sums
