"""A comparison with other rates, budgets and targets of the systems."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, TypeVar

import pandas as pd

from pygeodesign._planning.arguments import finite, sysid_of
from pygeodesign._planning.compared import Compared
from pygeodesign.errors import InputError

# The class of the comparison stays the same.
Same = TypeVar("Same", bound=Compared)
# After the title, so that pictures and reports are not taken for the project's own figures.
SUFFIX = " – what if"
# What errors ask for.
WANTED = {
    "rates": "give money per hectare, 0 or more, or None if it is unknown",
    "budgets": "give an amount of money, 0 or more, or None for no budget",
    "targets": "give hectares, 0 or more, or None for no target",
}


def what_if(
    self: Same,
    *,
    rates: Mapping[Any, float | None] | None = None,
    budgets: Mapping[Any, float | None] | None = None,
    targets: Mapping[Any, float | None] | None = None,
) -> Same:
    """The same comparison with other rates, budgets and targets of the systems; nothing is sent to the service.

    Diagrams that use their system's rate are priced at the new one, by the rules of the cost
    report; overrides and policies stay unchanged (`rate_source` says which rate a diagram uses). Other
    systems stay unchanged.

    Args:
        rates: For each system (name, id or tag) its money per hectare, or per kilometre of a line. None is an
            unknown rate, whose costs are unknown, too.
        budgets: For each system its budget. None, and 0 as in the service, mean no budget.
        targets: For each system its target in hectares. None, and 0 as in the service, mean no target.

    Returns:
        A new `Comparison` for the same questions. `costs`, `systems` and `diagrams` have the new
        figures, `supposed` lists the assumptions, and the title, which pictures and reports show, ends with
        "what if". The original stays unchanged.

    Raises:
        InputError: No system has such a name, one is named twice, or an amount is invalid.

    Examples:
        >>> comparison = project.compare()
        >>> dear = comparison.what_if(rates={"Water": 1.5e6}, budgets={"Water": 600e6})
        >>> for costs in (comparison.costs, dear.costs):
        ...     print(f"{costs.systems[0]['cost']:,.0f} of {costs.systems[0]['budget']:,.0f}")
        698,912,202 of 490,000,000
        775,434,250 of 600,000,000
    """
    given = {"rates": rates, "budgets": budgets, "targets": targets}
    by_system = {name: _figures(self.systems, name, values) for name, values in given.items()}
    # The land outside the study area is computed once, for all assumptions.
    _ = self._outside_ha
    supposed = copy.copy(self)
    kinds = {name: self.supposed.get(name, {}) | figures for name, figures in by_system.items()}
    supposed.supposed = {name: figures for name, figures in kinds.items() if figures}
    if supposed.supposed and not self.supposed:
        supposed.title = f"{self.title}{SUFFIX}"
    supposed.costs = self.costs._what_if(**by_system)
    totals = supposed.costs.to_pandas("systems").set_index("sysid")
    systems = self.systems.copy()
    systems[list(totals.columns)] = totals
    for sysid, rate in by_system["rates"].items():
        systems.loc[sysid, "rate"] = rate
    supposed.systems = systems
    rows = supposed.costs.to_pandas("diagrams").set_index("diagramid")
    diagrams = self.diagrams.copy()
    for name in ("cost", "rate"):
        diagrams[name] = pd.to_numeric(rows[name]).reindex(diagrams.index)
    supposed.diagrams = diagrams
    return supposed


def _figures(systems: pd.DataFrame, name: str, given: Any) -> dict[int, float | None]:
    """The given figures of systems, by their ids."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f'{name} must be a dict by system, such as {{"Water": 250}}, not {given!r}')
    figures: dict[int, float | None] = {}
    for system, amount in given.items():
        sysid = sysid_of(systems, system)
        if sysid in figures:
            raise InputError(f"{name} has system {sysid} twice, the second time as {system!r}: give each system once")
        figures[sysid] = None if amount is None else finite(f"{name} of {system!r}", amount, WANTED[name], 0)
    return figures
