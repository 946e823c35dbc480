"""What a hectare of each system brings beside its cost, such as carbon or jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pygeodesign._planning.numbers import finite
from pygeodesign._planning.scopes import designs_in_scope
from pygeodesign._planning.systems import sysid_of
from pygeodesign._planning.targets import known_sum, unknown_count
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared

HEAD = ["design", "sysid", "system", "area_ha", "unmeasured"]


def quantities(compared: Compared, per_hectare: Mapping[str, Mapping[Any, float]], scope: str) -> pd.DataFrame:
    """One row per design and system, and a column per quantity."""
    systems = compared.systems
    rates = {name: _rates(systems, name, by_system) for name, by_system in _checked(per_hectare).items()}
    parts = []
    for label, diagrams in designs_in_scope(compared, scope).items():
        # A diagram of unknown kind is priced as a project, too.
        projects = diagrams[diagrams["kind"] != "policy"]
        area = known_sum(projects, "area_ha", systems.index)
        part = pd.DataFrame({"design": label, "system": systems["name"], "area_ha": area}).rename_axis("sysid")
        part["unmeasured"] = unknown_count(projects, "area_ha", systems.index)
        for name, rate in rates.items():
            # Whatever the area is.
            part[name] = (rate * area).where(rate != 0, 0.0)
        parts.append(part.reset_index())
    columns = [*HEAD, *rates]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _checked(per_hectare: Any) -> Mapping[str, Mapping[Any, float]]:
    if not isinstance(per_hectare, Mapping) or not all(isinstance(rates, Mapping) for rates in per_hectare.values()):
        raise InputError(
            'per_hectare is a dict of dicts: for each quantity, amounts per hectare by system, such as {"carbon_t": '
            '{"Water": 12.5}}'
        )
    if taken := [name for name in per_hectare if name in HEAD]:
        raise InputError(f"{taken[0]!r} is a column of the result: give the quantity another name")
    return per_hectare


def _rates(systems: pd.DataFrame, quantity: str, by_system: Mapping[Any, float]) -> pd.Series[float]:
    """The amount per hectare of each system; NaN where none is given."""
    rates = pd.Series(np.nan, index=systems.index)
    for name, rate in by_system.items():
        amount = finite(f"{quantity!r} per hectare of {name!r}", rate, "give a number")
        rates[sysid_of(systems, name)] = amount
    return rates
