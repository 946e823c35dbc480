"""An exact budget: solvers round, this does not."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.solving.choice import budget_limit
from pygeodesign._planning.solving.program import Program
from pygeodesign._planning.solving.sums import Linear

# HiGHS compares sums to within a millionth: amounts are scaled so that the budget is a million.
SCALE = 1e6


@dataclass
class Budgeted:
    """Diagrams, which are the first variables of a programme, and the most that they may cost together."""

    #: An unknown cost is 0 here.
    cost: Linear
    #: Infinite for no limit.
    budget: float
    kept: Numbers

    def fits(self, chosen: Numbers) -> bool:
        return math.isinf(self.budget) or self.cost.exactly(chosen) <= budget_limit(
            self.budget, self.cost.amounts[chosen]
        )

    def limit(self, program: Program) -> None:
        """Adds the condition to a programme."""
        program.lowest[: len(self.kept)][self.kept] = 1.0
        if math.isinf(self.budget):
            return
        cost = self.cost.amounts
        most = self.budget - float(cost[cost < 0].sum())
        payable = (cost <= most * (1 + 1e-12)) | self.kept
        program.highest[: len(cost)][~payable] = 0.0
        unit = SCALE / most if most > 0 else SCALE
        # HiGHS does not accept factors that are billions of times the budget.
        places = np.flatnonzero(payable)
        program.at_most(places, cost[places] * unit, self.budget * unit + 1e-6)

    def least(self, program: Program, objective: Numbers, until: float) -> tuple[Numbers | None, float]:
        """A mask of the diagrams with the least sum of the objective under the budget, and the bound of that sum."""
        while True:
            values, bound = program.least(objective, until)
            if values is None:
                return None, bound
            chosen = values[: len(self.kept)] > 0.5
            if self.fits(chosen):
                return chosen, bound
            if time.monotonic() > until:
                return None, bound
            # The paid diagrams of this choice are too expensive together, unless others bring money in.
            paid, others = chosen & (self.cost.effect > 0), ~chosen & (self.cost.effect < 0)
            places = np.flatnonzero(paid | others)
            program.at_most(places, np.where(paid[places], 1.0, -1.0), float(paid.sum() - 1))
