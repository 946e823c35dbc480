"""The questions about money and hectares: targets and budgets, rates that change, and what a budget buys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygeodesign._planning import targets
from pygeodesign._planning.compared import Compared

if TYPE_CHECKING:
    import pandas as pd


class MoneyQuestions(Compared):
    """What diagrams cost, and what they are worth, by system and design."""

    def targets(self, scope: str = "designs") -> pd.DataFrame:
        """Which targets and budgets of the systems each design meets, and how much is missing.

        As in the cost report, the land of a system is what it covers today (`current_ha`) and the hectares of all its
        diagrams, policies too, each diagram for itself: where two overlap, both count.

            missing_ha = max(0, target_ha - current_ha - area_ha)
            over_budget = max(0, cost - budget)

        Args:
            scope: `"designs"` for every design, the label of one, or `"project"` for all diagrams.

        Returns:
            One row per design and system, with `design` (its label, or `"project"`), `sysid`, `system` and `diagrams`,
            their number. Hectares: `target_ha`, `current_ha`, `area_ha`, `missing_ha`; `area_met` says whether the
            target is met, and `unmeasured` counts diagrams whose area is not known. Money: `budget`, `cost`,
            `over_budget`; `budget_met`, and `unpriced` for diagrams whose cost is not known. A sum is of what is known,
            NaN where nothing is. Where a system has no target or budget, and where what is not known may decide, NaN
            or `<NA>` is the answer.

        Raises:
            InputError: No design has that label.

        Examples:
            >>> table = project.compare().targets()
            >>> table.groupby("sysid")["area_met"].sum().to_dict()
            {1: 1, 2: 0, 3: 2, 4: 0, 5: 3, 6: 1, 7: 2, 8: 1, 9: 0}
            >>> table.loc[~table["budget_met"], ["system", "budget", "cost", "over_budget"]].round(-3)
              system       budget         cost  over_budget
            0  Water  490000000.0  495363000.0    5363000.0
        """
        return targets.targets(self, scope)
