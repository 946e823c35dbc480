"""A search for the choice with the least shortfall, and among these the cheapest, with a proof.

With a price of money, the sum of shortfall and priced cost has a lower bound from a linear programme, system by
system; the excess of a choice above that bound is its loss. All choices up to a loss are listed, without those that
another one dominates (Nemhauser and Ullmann 1969, doi 10.1287/mnsc.15.9.494). The loss grows until no choice beyond
it can be better than the best of the list. If lists become too long, parts of the diagrams are chosen again and
again, and the part without proof is the gap.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pygeodesign._planning.land.lands import Numbers

# Shortfalls that differ by at most this count as the same.
SAME_SHORTFALL = 1e-9
# The rounding error of a sum of shortfalls.
ROUNDING = 1e-12
# For up to this many diagrams, all choices are listed at once.
FEW = 20
# The most choices in the lists of a round, and pairs of choices that are tried.
MOST_STATES, MOST_PAIRS = 4_000_000, 1 << 20
# Diagrams of a system that are chosen again at once at first, at most, and the most tries in vain.
FREED, MOST_FREED, PATIENCE = 40, 16, 150
# The shares of the time left for a first try, and then to improve a choice; the rest is for a proof.
TIME_TO_LIST, TIME_TO_IMPROVE = 0.4, 0.7


@dataclass(frozen=True)
class Choice:
    """A choice of a list, and the least shortfall in that list, which its own exceeds by at most `SAME_SHORTFALL`."""

    chosen: list[int]
    shortfall: float
    cost: int
    least: float

    def is_better(self, other: Choice) -> bool:
        return self.least < other.least - ROUNDING or (self.least <= other.least + ROUNDING and self.cost <= other.cost)


@dataclass(frozen=True)
class States:
    """Choices in some systems: by `lacks`, and then from the cheapest to the one with the least shortfall."""

    cost: Numbers
    shortfall: Numbers
    loss: Numbers
    #: A bit for each earlier choice that this one lacks a diagram of.
    lacks: Numbers
    #: The diagrams of the choice at a place.
    chosen: Callable[[int], list[int]]


class UnfinishedError(Exception):
    """There are too many choices, or the deadline has passed."""


@dataclass
class Search:
    """A search among diagrams that have a cost and cover something that is missing."""

    cost: Numbers
    share: Numbers
    system: Numbers
    need: Numbers
    room: int
    #: A bit for each earlier choice that has the diagram; and all these bits.
    lacks: Numbers
    every: int
    deadline: float
    most_states: int = MOST_STATES
    #: If listing all choices takes too long, this much of the shortfall may stay without proof.
    enough: float = SAME_SHORTFALL

    def run(self) -> tuple[Choice, float, float]:
        """The best choice, the least shortfall of any, and the least cost for the shortfall of the best."""
        best, end = self._greedy(), self.deadline
        self.deadline -= (1 - TIME_TO_LIST) * (end - time.monotonic())
        # All choices up to this loss are compared.
        complete, loss, growth = 0.0, np.inf if len(self.cost) <= FEW else 0.0, 4.0
        while complete < (needed := self._loss_of_better(best, self._spent(best))):
            if loss < np.inf:
                loss = min(needed, max(growth * loss, needed / 1024))
            try:
                found = self._best_up_to(loss)
            except UnfinishedError:
                if growth < 4:
                    break
                self.deadline = end
                best, loss, growth = self._improved(best), complete, 1.5
                if self._loss_of_better(best, self._spent(best)) <= self.enough + ROUNDING:
                    break
                continue
            complete = loss
            if found is not None and found.is_better(best):
                best = found
        else:
            return best, best.shortfall, best.cost
        least = max(self._floor, self._bound + complete - self.price * self.room)
        least_cost = (self._bound + complete - best.least - SAME_SHORTFALL) / self.price if self.price else 0.0
        return best, min(best.shortfall, least), min(best.cost, max(0.0, least_cost))

    def _spent(self, best: Choice) -> int:
        """The most that better choices spend: if none has less shortfall, less than the best one."""
        return best.cost if best.least <= self._floor + ROUNDING else self.room

    def _loss_of_better(self, best: Choice, spent: int) -> float:
        """The most that choices lose that are better than the best one and spend at most `spent`."""
        return best.least + SAME_SHORTFALL + self.price * spent - self._bound

    def _improved(self, best: Choice) -> Choice:
        """The best choice found by freeing some diagrams and choosing among them while the others stay."""
        random, in_vain, now = np.random.default_rng(0), 0, time.monotonic()
        until, size = now + TIME_TO_IMPROVE * (self.deadline - now), float(FREED)
        loss = self._loss_of_better(best, self._spent(best))
        while in_vain < PATIENCE and loss > self.enough + ROUNDING and time.monotonic() < until:
            in_vain += 1
            sizes = np.array([len(relaxation.core(loss)) for relaxation in self._relaxations])
            count = int(random.integers(1, np.count_nonzero(sizes), endpoint=True))
            systems = random.choice(len(sizes), count, False, sizes / sizes.sum())
            each = min(MOST_FREED, int(size) // count + 1)
            freed = np.concatenate([self._relaxations[system].sample(random, loss, each) for system in systems])
            stay = np.setdiff1d(best.chosen, freed).astype(int)
            part, stay_cost = self._part(freed, stay, until), int(self.cost[stay].sum())
            try:
                found = part._best_up_to(part._loss_of_better(best, self._spent(best) - stay_cost))
            except UnfinishedError:
                size *= 0.8
                continue
            size *= 1.05
            if found is not None:
                chosen = [*stay.tolist(), *freed[found.chosen].tolist()]
                found = Choice(chosen, found.shortfall, found.cost + stay_cost, found.least)
                if found.is_better(best):
                    best, before = found, loss
                    loss = self._loss_of_better(best, self._spent(best))
                    in_vain = 0 if loss < 0.99 * before else in_vain
        return best

    def _part(self, freed: Numbers, stay: Numbers, until: float) -> Search:
        """The search among some diagrams while others stay chosen."""
        missing = self.need.copy()
        np.subtract.at(missing, self.system[stay], self.share[stay])
        part = Search(
            cost=self.cost[freed],
            share=self.share[freed],
            system=self.system[freed],
            need=missing.clip(min=0),
            room=self.room - int(self.cost[stay].sum()),
            lacks=self.lacks[freed],
            every=self.every & ~self._lacked([*freed, *stay]),
            deadline=until,
            most_states=MOST_STATES // 8,
        )
        part.price = self.price
        return part

    @cached_property
    def price(self) -> float:
        """The shortfall that the last unit of cost saves, if parts of diagrams could be chosen."""
        worth = self.share / self.cost
        order = np.argsort(-worth, kind="stable")
        missing, room, price = self.need.copy(), float(self.room), 0.0
        for place in order[self.need[self.system[order]] > 0].tolist():
            system = self.system[place]
            part = min(1.0, missing[system] / self.share[place])
            if part > 0 and room > 0:
                missing[system] -= part * self.share[place]
                room -= part * self.cost[place]
                price = float(worth[place])
        return price

    @cached_property
    def _floor(self) -> float:
        """The shortfall that all diagrams together leave."""
        return float((self.need - np.bincount(self.system, self.share, len(self.need))).clip(min=0).sum())

    @cached_property
    def _bound(self) -> float:
        return sum(relaxation.bound for relaxation in self._relaxations)

    @cached_property
    def _relaxations(self) -> list[Relaxation]:
        groups = (np.flatnonzero(self.system == system) for system in range(len(self.need)))
        return [
            Relaxation(own, self.price * self.cost[own], self.share[own], need)
            for own, need in zip(groups, self.need, strict=True)
        ]

    def _greedy(self) -> Choice:
        """Diagrams that cover most for their cost, as long as they fit and something is missing."""
        missing, room, chosen = self.need.copy(), self.room, []
        for place in np.argsort(self.cost / self.share, kind="stable").tolist():
            if self.cost[place] <= room and missing[self.system[place]] > 0:
                missing[self.system[place]] -= self.share[place]
                room -= int(self.cost[place])
                chosen.append(place)
        lacked = self._lacked(chosen)
        while lacked != self.every:
            place = min((place for place in chosen if self.lacks[place] & ~lacked), key=lambda place: self.share[place])
            chosen.remove(place)
            missing[self.system[place]] += self.share[place]
            room += int(self.cost[place])
            lacked = self._lacked(chosen)
        shortfall = float(missing.clip(min=0).sum())
        return Choice(chosen, shortfall, self.room - room, shortfall)

    def _lacked(self, chosen: list[int]) -> int:
        others = np.ones(len(self.cost), dtype=bool)
        others[chosen] = False
        return int(np.bitwise_or.reduce(self.lacks[others], initial=0))

    def _best_up_to(self, loss: float) -> Choice | None:
        """The best choice of at most this loss, if there is one."""
        self._states_left, lists = self.most_states, []
        # The least loss of the shorter lists makes the longer ones shorter.
        for relaxation in sorted(self._relaxations, key=lambda relaxation: len(relaxation.core(loss))):
            lists.append(self._states(relaxation, loss))
            if not len(lists[-1].cost):
                return None
            # The most that choices in the other systems can lose.
            loss -= max(0.0, lists[-1].loss.min())
        while len(lists) > 2:
            lists.sort(key=lambda states: len(states.cost), reverse=True)
            pair = lists.pop(), lists.pop()
            loss += sum(max(0.0, states.loss.min()) for states in pair)
            lists.append(self._merged(*pair, loss))
            if not len(lists[-1].cost):
                return None
            loss -= max(0.0, lists[-1].loss.min())
        return self._best_pair(lists)

    def _states(self, relaxation: Relaxation, loss: float) -> States:
        """The choices in a system up to a loss."""
        core, taken = relaxation.core(loss), relaxation.taken(loss)
        others = np.setdiff1d(relaxation.own, np.r_[taken, relaxation.own[core]])
        cost = self.cost[taken].sum(keepdims=True)
        missing = np.maximum(0.0, relaxation.need - self.share[taken].sum(keepdims=True))
        lacks = np.bitwise_or.reduce(self.lacks[others], initial=0, keepdims=True)
        excess = relaxation.excess(cost * self.price, missing, core)
        keep = (cost <= self.room) & (excess <= loss + ROUNDING)
        cost, missing, lacks, excess = (array[keep] for array in (cost, missing, lacks, excess))
        steps: list[tuple[int, int, Numbers]] = []
        for step, place in enumerate(core):
            item, before = int(relaxation.own[place]), len(cost)
            cost = np.r_[cost, cost + self.cost[item]]
            missing = np.r_[missing, np.maximum(0.0, missing - self.share[item])]
            lacks = np.r_[lacks | self.lacks[item], lacks]
            excess = relaxation.excess(cost * self.price, missing, core[step + 1 :])
            keep = np.flatnonzero((cost <= self.room) & (excess <= loss + ROUNDING))
            keep = keep[undominated(cost[keep], missing[keep], lacks[keep])]
            cost, missing, lacks, excess = (array[keep] for array in (cost, missing, lacks, excess))
            steps.append((item, before, keep.astype(np.int32)))
            self._states_left -= len(keep)
            if self._states_left < 0:
                raise UnfinishedError
            self._check_time()

        def chosen(place: int) -> list[int]:
            found: list[int] = taken.tolist()
            for item, before, keep in reversed(steps):
                is_taken, place = divmod(int(keep[place]), before)
                if is_taken:
                    found.append(item)
            return found

        return States(cost, missing, excess, lacks, chosen)

    def _merged(self, one: States, other: States, loss: float) -> States:
        """The choices of two lists together, up to a loss."""
        order = np.argsort(other.loss, kind="stable")
        counts = np.searchsorted(other.loss[order], loss + ROUNDING - one.loss, side="right")
        if counts.sum() > MOST_PAIRS:
            raise UnfinishedError
        self._check_time()
        first = np.repeat(np.arange(len(counts)), counts)
        second = order[np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)]
        fits = one.cost[first] + other.cost[second] <= self.room
        first, second = first[fits], second[fits]
        cost, shortfall = one.cost[first] + other.cost[second], one.shortfall[first] + other.shortfall[second]
        lacks = one.lacks[first] | other.lacks[second]
        keep = undominated(cost, shortfall, lacks)
        first, second = first[keep], second[keep]

        def chosen(place: int) -> list[int]:
            return one.chosen(int(first[place])) + other.chosen(int(second[place]))

        return States(cost[keep], shortfall[keep], one.loss[first] + other.loss[second], lacks[keep], chosen)

    def _check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise UnfinishedError

    def _best_pair(self, lists: list[States]) -> Choice | None:
        """The best choice that has one of each of two lists."""
        none = States(np.zeros(1, np.int64), np.zeros(1), np.zeros(1), np.zeros(1, np.int64), lambda _: [])
        one, other = ([*lists, none, none])[:2]
        self._check_time()
        groups = []
        for lacks in np.unique(other.lacks):
            rows, columns = (
                np.flatnonzero(flags) for flags in ((one.lacks | lacks) == self.every, other.lacks == lacks)
            )
            # The cheapest of the other list leave room for each of this list.
            rows = rows[one.cost[rows] + other.cost[columns[0]] <= self.room]
            groups.append((rows, columns))
        least = np.inf
        for rows, columns in groups:
            places = np.searchsorted(other.cost[columns], self.room - one.cost[rows], side="right") - 1
            least = min(least, (one.shortfall[rows] + other.shortfall[columns[places]]).min(initial=np.inf))
        if least == np.inf:
            return None
        found: list[tuple[int, float, int, int]] = []
        for rows, columns in groups:
            places = np.searchsorted(-other.shortfall[columns], one.shortfall[rows] - least - SAME_SHORTFALL)
            rows, columns = rows[places < len(columns)], columns[places[places < len(columns)]]
            cost, shortfall = one.cost[rows] + other.cost[columns], one.shortfall[rows] + other.shortfall[columns]
            for place in np.lexsort((shortfall, cost))[:1]:
                found.append((int(cost[place]), float(shortfall[place]), int(rows[place]), int(columns[place])))
        spent, missing, row, column = min(found)
        return Choice(one.chosen(row) + other.chosen(column), missing, spent, float(least))


class Relaxation:
    """One system, if parts of its diagrams could be chosen: the least sum of its shortfall and its priced cost."""

    def __init__(self, own: Numbers, priced: Numbers, share: Numbers, need: float) -> None:
        self.own, self.priced, self.share, self.need = own, priced, share, need
        #: The diagrams worth their price, those that cover most for it first.
        order = np.argsort(priced / share, kind="stable")
        self.order = order[priced[order] < share[order]]
        covered = np.cumsum(share[self.order])
        self.bound = float(self.excess(np.zeros(1), np.array([need]), np.arange(len(own)), 0.0)[0])
        last = np.searchsorted(covered, need)
        worth = 1.0 if last == len(covered) else priced[self.order[last]] / share[self.order[last]]
        #: The least loss of deviating: positive for diagrams to take, else for those not to take.
        self.regret = priced - worth * share

    def core(self, loss: float) -> Numbers:
        """The diagrams that choices up to a loss may have or lack, the most decided first."""
        core = np.flatnonzero(np.abs(self.regret) <= loss + ROUNDING)
        return core[np.argsort(-np.abs(self.regret[core]), kind="stable")]

    def sample(self, random: np.random.Generator, loss: float, size: int) -> Numbers:
        """Some of these diagrams, the least decided more often."""
        core = self.core(loss)
        keys = (np.abs(self.regret[core]) + loss * 10 ** random.uniform(-4, 0)) * random.random(len(core))
        sample: Numbers = self.own[core[np.argsort(keys)[:size]]]
        return sample

    def taken(self, loss: float) -> Numbers:
        """The diagrams that all choices up to a loss have."""
        taken: Numbers = self.own[self.regret < -loss - ROUNDING]
        return taken

    def excess(self, priced: Numbers, missing: Numbers, open_to_choice: Numbers, bound: float | None = None) -> Numbers:
        """The least loss of choices with these costs and this much missing, before some diagrams are open to choice."""
        is_open = np.zeros(len(self.own), dtype=bool)
        is_open[open_to_choice] = True
        order = self.order[is_open[self.order]]
        covered, spent = (np.r_[0.0, np.cumsum(array[order])] for array in (self.share, self.priced))
        rest = np.interp(missing, covered, spent) + np.maximum(missing - covered[-1], 0)
        excess: Numbers = priced + rest - (self.bound if bound is None else bound)
        return excess


def undominated(cost: Numbers, shortfall: Numbers, lacks: Numbers) -> Numbers:
    """The sorted places of choices that no other of the same `lacks` beats in cost and shortfall together."""
    if not len(cost):
        return np.zeros(0, dtype=int)
    rank = shortfall
    if lacks.min() == lacks.max():
        order = np.argsort(cost, kind="stable")
    else:
        # Each group is better than those before it, so that none dominates the next.
        group = np.unique(lacks, return_inverse=True)[1]
        ranks = np.unique(shortfall, return_inverse=True)[1]
        rank = ranks - group * (ranks.max() + 1)
        order = np.lexsort((cost, group))
    ranked = rank[order]
    order = order[np.r_[True, ranked[1:] < np.minimum.accumulate(ranked)[:-1]]]
    replaced = (np.diff(cost[order]) == 0) & (np.diff(lacks[order]) == 0)
    return order[np.r_[~replaced, True]]
