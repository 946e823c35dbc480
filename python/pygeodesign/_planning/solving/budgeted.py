"""A budget that whoever chooses diagrams keeps to the last decimal, whatever the solver rounds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.solving.choice import budget_limit
from pygeodesign._planning.solving.program import Program
from pygeodesign._planning.solving.sums import Linear

# HiGHS compares sums to within a millionth: it gets amounts of which the budget is a million.
SCALE = 1e6


@dataclass
class Budgeted:
    """Diagrams, which are the first variables of a programme, and what they may cost together."""

    #: A cost that is not known is 0 here.
    cost: Linear
    #: Infinite for no limit.
    budget: float
    kept: Numbers

    def fits(self, chosen: Numbers) -> bool:
        return math.isinf(self.budget) or self.cost.exactly(chosen) <= budget_limit(
            self.budget, self.cost.amounts[chosen]
        )

    def limit(self, program: Program) -> None:
        """Add the condition to a programme."""
        program.lowest[: len(self.kept)][self.kept] = 1.0
        if math.isinf(self.budget):
            return
        cost = self.cost.amounts
        most = self.budget - float(cost[cost < 0].sum())
        payable = (cost <= most * (1 + 1e-12)) | self.kept
        program.highest[: len(cost)][~payable] = 0.0
        unit = SCALE / most if most > 0 else SCALE
        # HiGHS takes no factor that is billions of times the budget.
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
            # All that this choice pays for is too much together, unless others bring money in.
            paid, others = chosen & (self.cost.effect > 0), ~chosen & (self.cost.effect < 0)
            places = np.flatnonzero(paid | others)
            program.at_most(places, np.where(paid[places], 1.0, -1.0), float(paid.sum() - 1))
