"""Quantities of designs by the hectare: homes, jobs, cubic metres."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pygeodesign._html import Column, table
from pygeodesign._language import number, t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.shown import hue, ids_of, links, name_of
from pygeodesign._planning.arguments import finite, sysid_of
from pygeodesign._planning.compared import Compared
from pygeodesign._planning.questions.targets import known_sum, unknown_count
from pygeodesign.errors import InputError

QUANTITY_COLUMNS = ["design", "sysid", "system", "area_ha", "unmeasured"]


def quantities(self: Compared, per_hectare: Mapping[str, Mapping[Any, float]], scope: str = "designs") -> pd.DataFrame:
    """Any other quantity per hectare, such as carbon, jobs or water, by design and system.

        amount = per_hectare * hectares of the projects

    Policies change no land and add nothing; neither do diagrams of lines only, which have no hectares. A diagram of
    unknown kind counts as a project. Where two diagrams overlap, both count. Unlike costs, quantities have no
    overrides. `stock_change()` also counts the land before and the years.

    Args:
        per_hectare: For each quantity, the amount per hectare of each system (name, id or tag); it may be
            negative.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.

    Returns:
        One row per design and system: `sysid`, `system`, `area_ha` summed over its projects, `unmeasured`, the
        number of left-out projects of unknown area, and a column per quantity. It is NaN for systems
        without an amount per hectare, and if no project's area is known.

    Raises:
        InputError: No system or design has such a name, an amount is not a number, or there is no design.

    Examples:
        >>> rates = {"carbon_t": {"Water": 12.5, "Green infrastructure": 8}, "jobs": {"Industry & commerce": 40}}
        >>> table = project.compare().quantities(rates, "project")
        >>> table.loc[[0, 2, 5], ["system", "area_ha", "carbon_t", "jobs"]].round(0)
                         system  area_ha  carbon_t    jobs
        0                 Water    289.0    3608.0     NaN
        2  Green infrastructure    752.0    6016.0     NaN
        5   Industry & commerce    243.0       NaN  9724.0
    """
    systems = self.systems
    rates = {name: rates_of(systems, name, by_system) for name, by_system in checked_quantities(per_hectare).items()}
    parts: dict[str | None, pd.DataFrame] = {}
    for label, diagrams in self._in_scope(scope).items():
        # A diagram of unknown kind is priced as a project, too.
        projects = diagrams[diagrams["kind"] != "policy"]
        area = known_sum(projects, "area_ha", systems.index)
        part = pd.DataFrame({"system": systems["name"], "area_ha": area}).rename_axis("sysid")
        part["unmeasured"] = unknown_count(projects, "area_ha", systems.index)
        for name, rate in rates.items():
            # For any area.
            part[name] = (rate * area).where(rate != 0, 0.0)
        parts[label] = part.reset_index()
    return self._long_frame(parts)


def checked_quantities(per_hectare: Any) -> Mapping[str, Mapping[Any, float]]:
    if not isinstance(per_hectare, Mapping) or not all(isinstance(rates, Mapping) for rates in per_hectare.values()):
        raise InputError(
            "per_hectare must be a dict of dicts: for each quantity, amounts per hectare by system, such as "
            '{"carbon_t": {"Water": 12.5}}'
        )
    if taken := [name for name in per_hectare if name in QUANTITY_COLUMNS]:
        raise InputError(f"{taken[0]!r} is a column of the result: give the quantity another name")
    return per_hectare


def rates_of(systems: pd.DataFrame, quantity: str, by_system: Mapping[Any, float]) -> pd.Series[float]:
    """The amount per hectare of each system; NaN if none is given."""
    rates = pd.Series(np.nan, index=systems.index)
    for name, rate in by_system.items():
        amount = finite(f"{quantity!r} per hectare of {name!r}", rate, "give a number")
        rates[sysid_of(systems, name)] = amount
    return rates


def _section(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    per_hectare = answers.arguments("quantities")["per_hectare"]
    columns = [Column(t("system"), "text"), figures.summed, *(Column(name) for name in per_hectare)]
    columns.append(Column(t("projects_heading"), "ids"))
    text = ""
    for scope in figures.scopes:
        frame: Any = quantities(compared, per_hectare, scope)
        rows: list[Any] = []
        for row in frame.to_dict("records"):
            amounts = ["" if pd.isna(row[name]) else number(row[name], 1) for name in per_hectare]
            own = [n for n in ids_of(compared, scope, row["sysid"]) if compared.diagrams.loc[n, "kind"] != "policy"]
            name = hue(compared, row["sysid"], row["system"])
            rows.append((name, figures.area(row["area_ha"]), *amounts, links(own)))
        totals = (number(frame[name].sum(), 1) for name in per_hectare)
        rows.append((t("total"), figures.area(frame["area_ha"].sum()), *totals, t("all_above")))
        text += table(t("quantities_caption", design=name_of(scope)), columns, rows)
    return text


SECTION = Section(
    "quantities_heading",
    "quantities_question",
    _section,
    is_asked_for=True,
)
