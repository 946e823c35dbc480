"""The choice of diagrams with the most support, without conflicts and under a budget; of several, the cheapest one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.solving.budgeted import SCALE, Budgeted
from pygeodesign._planning.solving.choice import budget_limit, decimal
from pygeodesign._planning.solving.program import Program, cliques
from pygeodesign._planning.solving.sums import Linear

# Sums of support that differ by at most this share of a diagram's largest support count as the same.
SAME_SUPPORT = 1e-6
# The share of the time for maximising support; the rest is for the least cost.
TIME_FOR_SUPPORT = 0.7


@dataclass
class Bargain:
    """The candidates: arrays with a value per diagram. An unknown cost is 0 here."""

    support: Numbers
    cost: Numbers
    kept: Numbers
    #: Places of two diagrams that cannot both be chosen.
    pairs: list[tuple[int, int]] | Numbers
    #: The budget, infinite for none.
    budget: float
    deadline: float = field(default=math.inf)
    #: Returns groups of places in which every two are a pair; each pair is in one of them. Default: they are searched.
    groups: Callable[[], Sequence[Sequence[int]]] | None = None

    def run(self) -> tuple[Numbers, float, float]:
        """A mask of the chosen diagrams, the bound of the support, and the bound of the cost for the same support."""
        began, best = time.monotonic(), self._completed(self.kept)
        scale = float(self.support.max(initial=0.0)) or 1.0
        worth = self.support / scale
        most = self._most(worth)
        is_proven, is_late = most <= float(worth[best].sum()), time.monotonic() >= self.deadline
        # Out of time, the solver finds no better choice, and building its programme alone takes longer than this did.
        if (is_proven or is_late) and not self.cost.any():
            return best, most * scale, 0.0
        program = self._program()
        until = began + TIME_FOR_SUPPORT * (self.deadline - began)
        found, bound = self._purse.least(program, -worth, until)
        most = min(most, -bound)
        if np.array_equal(self.support, np.round(self.support)):
            most = math.floor(most * scale + SAME_SUPPORT) / scale
        if found is not None:
            best = max(best, self._completed(found), key=self._rank)
        reached = float(worth[best].sum())
        if not self.cost.any():
            return best, (reached if most <= reached + SAME_SUPPORT else most) * scale, 0.0
        open_to_choice = np.flatnonzero(worth > 0)
        program.at_most(open_to_choice, -worth[open_to_choice], SAME_SUPPORT / 2 - reached)
        amount = max(1.0, float(np.abs(self.cost).sum()))
        found, bound = self._purse.least(program, self.cost * (SCALE / amount), self.deadline)
        if (
            found is not None
            and float(worth[found].sum()) >= reached - SAME_SUPPORT
            and self._cost.exactly(found) < self._cost.exactly(best)
        ):
            best = found
        most = reached if most <= reached + SAME_SUPPORT else most
        return best, most * scale, min(bound * amount / SCALE, float(self._cost.exactly(best)))

    @cached_property
    def _cost(self) -> Linear:
        return Linear(self.cost)

    @cached_property
    def _purse(self) -> Budgeted:
        return Budgeted(self._cost, self.budget, self.kept)

    def _rank(self, chosen: Numbers) -> tuple[float, Fraction]:
        """The rank of a choice: the higher, the better."""
        return math.fsum(self.support[chosen]), -self._cost.exactly(chosen)

    @cached_property
    def _others(self) -> list[Numbers]:
        """The diagrams that each one forms a pair with."""
        pairs = np.asarray(self.pairs, dtype=np.int64).reshape(-1, 2)
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        return np.split(both[:, 1], np.searchsorted(both[:, 0], np.arange(1, len(self.cost))))

    @cached_property
    def _groups(self) -> list[Sequence[int]]:
        groups = cliques(self.pairs) if self.groups is None else self.groups()
        return [group for group in groups if len(group) > 1]

    def _most(self, worth: Numbers) -> float:
        """An upper bound of support: at most one diagram of each of these groups is chosen."""
        left = set(np.flatnonzero(~self.kept & (worth > 0)).tolist())
        others = {place: set(self._others[place].tolist()) for place in left}
        most = float(worth[self.kept].sum())
        # Starts with those that share a group with the fewest others.
        for place in sorted(left, key=lambda place: len(others[place])):
            if place not in left:
                continue
            group, common = [place], others[place] & left
            while common:
                group.append(max(common, key=lambda place: (len(others[place] & common), -place)))
                common &= others[group[-1]]
            left.difference_update(group)
            most += float(worth[group].max())
        return most

    def _completed(self, begun: Numbers) -> Numbers:
        """A choice with diagrams that bring money in, then those with the most support, as long as they fit."""
        chosen = begun.copy()
        spent = self._cost.exactly(chosen)
        limit = None if math.isinf(self.budget) else budget_limit(self.budget, self.cost[self.cost < 0])
        paying = np.where(self.cost < 0, 1, 0)
        for place in np.lexsort((self.cost, -self.support, -paying)).tolist():
            if chosen[place] or chosen[self._others[place]].any():
                continue
            if limit is None or spent + decimal(self.cost[place]) <= limit:
                chosen[place] = True
                spent += decimal(self.cost[place])
        return chosen

    def _program(self) -> Program:
        program = Program(len(self.cost))
        for group in self._groups:
            program.at_most(group, 1.0, 1.0)
        self._purse.limit(program)
        return program
