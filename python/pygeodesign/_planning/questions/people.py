"""Homes, people, jobs, and other quantities of the project's systems, and their targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, table
from pygeodesign._language import number, t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.shown import hue, ids_of, links, name_of, over
from pygeodesign._planning.compared import QUANTITY, Compared, pictures
from pygeodesign._planning.groups import Group, groups
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def people(
    self: Compared, by: Literal["design", "system", "year", "part"] = "design", scope: str = "designs"
) -> pd.DataFrame:
    """Homes, people, jobs and any other quantity of each design, and its targets.

    `project.set_quantities()` says what the projects of each system bring for each hectare, square metre of floor, or
    piece; a target is what a system should reach.

        amount = quantity * (hectares, square metres of floor, or pieces)
        missing = max(0, target - amount)

    Amounts are summed over diagrams: where two overlap, both count. Policies bring nothing. `quantities()` takes other
    amounts per hectare than those of the project.

    Args:
        by: `"design"` for one row for each quantity, `"system"`, `"year"` for the years in which diagrams are finished,
            or `"part"` for the parts of the second boundaries, by the share of each diagram's land or points in them.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.

    Returns:
        One row per design, group and quantity. The columns of a group are `sysid` and `system`, `year` (`<NA>` for
        diagrams without dates), or `part` (its name; `outside` for land in no part, `<NA>` for diagrams without a
        geometry). Then `quantity`, its name; `amount`, NaN if no amount is known; and `unknown`, the number of projects
        whose amount is unknown, because nobody gave their storeys or measured them. By design and by system, `target`
        follows (by design the sum of the systems' targets; NaN without any), `missing`, and `met`, which is `<NA>`
        without a target or if unknown amounts may decide. By system, each has only its own quantities.

    Raises:
        InputError: The project has no quantities, `by` has another value, no design has that label, the project has no
            second boundaries for `"part"`, or there is no design.

    Examples:
        >>> homes, jobs = {"amount": 45, "per": "hectare", "target": 9000}, {"amount": 60, "per": "hectare"}
        >>> project.set_quantities({"Mixed use": {"homes": homes, "jobs": jobs}})
        >>> project.compare().people(scope="project").round()
          quantity  amount  unknown  target  missing    met
        0    homes  6065.0        0  9000.0   2935.0  False
        1     jobs  8087.0        0     NaN      NaN   <NA>
    """
    names = quantity_names(self)
    return self._long_frame({label: _amounts(self, rows, by, names) for label, rows in self._in_scope(scope).items()})


def plot_people(
    self: Compared,
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `people()` as bars: for each quantity, the amounts of the designs and the target.

    Args:
        scope: See `people()`.
        ax: The matplotlib axes to draw on; only for a project with one quantity. Default: new ones.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; with several quantities, those of the first one.

    Raises:
        InputError: As for `people()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> project.set_quantities({"Mixed use": {"homes": {"amount": 45, "per": "hectare", "target": 9000}}})
        >>> axes = project.compare().plot_people()
        >>> axes.get_title("left").splitlines()[0]
        'Staten Island 2050'
    """
    table = people(self, scope=scope)
    names = [self._short_labels.get(label or "", label or "") for label in self._in_scope(scope)]
    axes: Axes = pictures("people").draw_people(table, names, self.title, ax, theme)
    return axes


def has_quantities(compared: Compared) -> bool:
    return any(compared.quantities_of.values())


def targets_of_quantities(compared: Compared, scope: str) -> pd.DataFrame:
    """The systems' quantities with a target; empty if there are none."""
    if not has_quantities(compared):
        return pd.DataFrame({"sysid": [], "quantity": [], "target": [], "missing": [], "met": pd.array([], "boolean")})
    table = people(compared, "system", scope)
    return table[table["target"].notna()]


def quantity_names(compared: Compared) -> list[str]:
    """The names of the project's quantities, in alphabetical order."""
    names = {name for quantities in compared.quantities_of.values() for name in quantities}
    if not names:
        raise InputError(
            "the project has no quantities: set them with project.set_quantities() or in the room, and compare again"
        )
    return sorted(names)


def _amounts(compared: Compared, rows: pd.DataFrame, by: str, names: list[str]) -> pd.DataFrame:
    found = []
    for group in groups(compared, rows, by):
        for name in names:
            bringing = {sysid: of[name] for sysid, of in compared.quantities_of.items() if name in of}
            if by == "system" and group.key["sysid"] not in bringing:
                continue
            amount, unknown = _sum(group, rows, name, bringing)
            own = [bringing[group.key["sysid"]]] if by == "system" else bringing.values()
            goal = _goal(amount, unknown, [quantity.get("target") for quantity in own])
            row = {"quantity": name, "amount": amount, "unknown": unknown}
            found.append({**group.key, **row, **(goal if by in ("design", "system") else {})})
    frame = pd.DataFrame(found)
    return frame.astype({"met": "boolean"}) if "met" in frame else frame


def _sum(group: Group, rows: pd.DataFrame, name: str, bringing: Mapping[int, Any]) -> tuple[float, int]:
    """The amount of a group's diagrams in the systems that bring it, and the number of unknown ones."""
    column = rows.get(QUANTITY + name)
    if column is None:
        return 0.0, 0
    own = Group(group.key, np.where(rows["sysid"].isin(bringing), group.shares, 0.0))
    return own.sum(column), own.unknown(column)


def _goal(amount: float, unknown: int, targets: list[float | None]) -> dict[str, Any]:
    """The target, what is missing, and True if it is met."""
    given = [target for target in targets if target]
    if not given:
        return {"target": np.nan, "missing": np.nan, "met": pd.NA}
    target = sum(given)
    missing = max(0.0, target - (0.0 if np.isnan(amount) else amount))
    return {"target": target, "missing": missing, "met": pd.NA if unknown else missing == 0}


def _section(answers: Answers) -> str:
    """The quantities of each design, by system."""
    compared, figures = answers.compared, answers.figures
    columns = [Column(t("quantity"), "text"), Column(t("system"), "text"), Column(t("amount"))]
    columns += [Column(t("target_unit", unit="")), Column(t("target_is")), Column(t("diagrams_heading"), "ids")]
    text = ""
    for scope in figures.scopes:
        by_system = people(compared, "system", scope).sort_values("quantity", kind="stable")
        sums = people(compared, "design", scope).set_index("quantity")
        rows: list[Any] = []
        for name, own in by_system.groupby("quantity"):
            row: Any
            for row in own.itertuples():
                ids = links(ids_of(compared, scope, row.sysid))
                rows.append((name, hue(compared, row.sysid, row.system), *_cells(row), ids))
            if len(own) > 1:
                rows.append((name, t("total"), *_cells(sums.loc[name]), t("all_above")))
        text += table(t("people_caption", design=name_of(scope)), columns, rows)
    return text


def _cells(row: Any) -> tuple[Any, ...]:
    """The amount, the target and what is missing, in words."""
    amount = t("not_known") if np.isnan(row.amount) else number(row.amount, 0)
    unknown = f" ({t('amount_not_counted', count=row.unknown)})" if row.unknown else ""
    if np.isnan(row.target):
        return amount + unknown, t("none"), ""
    missing = t("amount_missing", amount=number(row.missing, 0))
    said = t("status_not_known") if pd.isna(row.met) else over(missing, True) if row.missing > 0 else t("status_met")
    return amount + unknown, number(row.target, 0), said


SECTION = Section(
    "people_heading", "people_question", _section, applies=lambda answers: has_quantities(answers.compared)
)
