"""Targets and budgets that designs meet, and other quantities by the hectare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import t
from pygeodesign._options import currency_of
from pygeodesign._paper.answers import Answers, Section, once
from pygeodesign._paper.shown import hue, ids_of, links, name_of, over
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._text import units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The booleans for each status.
ANSWERS = {"met": True, "missed": False, "nothing planned": None, "not known": None, "none": None}


def targets(self: Compared, scope: str = "designs", *, policies: bool = True) -> pd.DataFrame:
    """Targets and budgets of the systems that each design meets, and what is missing.

    As in the cost report, the area of a system is the land it covers today (`current_ha`) and the hectares summed over
    its diagrams, policies included: where two overlap, both count.

        missing_ha = max(0, target_ha - current_ha - area_ha)
        over_budget = max(0, cost - budget)

    Args:
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.
        policies: True to count policies. Without them, you can compare a design with results of projects alone, such as
            from `optimum()`.

    Returns:
        One row per design and system, with `sysid`, `system` and `diagrams`, their number. Hectares: `target_ha`,
        `current_ha`, `area_ha`, its part `outside_ha` beyond the study area (NaN if the project has no boundaries;
        not in `area_ha` if the comparison counts only land inside), `missing_ha`; `area_met` is True if the target is
        met, and `unmeasured` counts diagrams of unknown area. Money: `budget`, `cost`, `over_budget`; `budget_met`,
        and `unpriced` for diagrams of unknown cost. Sums are of known values, NaN if there are none. If a system has no
        target or budget, or if the answer depends on unknown values, it is NaN or `<NA>`. Without a diagram, nothing is
        planned: `budget_met` is `<NA>`, since an unspent budget meets nothing. `area_status` and `budget_status` say
        the same in words: `"met"`,
        `"missed"`, `"nothing planned"`, `"not known"`, or `"none"` without a target or budget. A target that today's
        area meets is met.

    Raises:
        InputError: No design has that label, or there is no design.

    Examples:
        >>> table = project.compare().targets()
        >>> table["budget_status"].value_counts().to_dict()
        {'met': 26, 'nothing planned': 9, 'missed': 1}
        >>> missed = table[table["budget_status"] == "missed"]
        >>> missed[["system", "budget", "cost", "over_budget"]].round(-3)
          system       budget         cost  over_budget
        0  Water  490000000.0  495363000.0    5363000.0
    """
    counted = {
        label: rows if policies else rows[rows["kind"] != "policy"] for label, rows in self._in_scope(scope).items()
    }
    return self._long_frame(
        {label: _targets_of(self.systems, rows, self._outside_ha) for label, rows in counted.items()}
    )


def plot_targets(
    self: Compared,
    by: Literal["area", "cost"] = "area",
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `targets()` as a table of colours: a row for each system, a column for each design.

    Met targets and budgets are blue. Missed ones are red, the stronger, the more is missing or over.

    Args:
        by: `"area"` for the share of its target that each system reaches and what is missing; `"cost"` for the
            share of its budget and any excess.
        scope: See `targets()`.
        ax: The matplotlib axes to draw on. Default: new ones.
        currency: The currency of costs, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        units: `"metric"`, or `"us"` for acres. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes.

    Raises:
        InputError: As for `targets()`, or `by` has another value.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_targets()
        >>> axes.texts[0].get_text()
        'met'
        >>> print(axes.get_title("left"))
        Staten Island 2050
        Each of 4 designs meets 1 to 4 of 9 targets, policies included.
        Where one is missed: the share that is reached, and the area that is missing
    """
    if by not in ("area", "cost"):
        raise InputError(f'by must be "area" or "cost", not {by!r}')
    axes: Axes = pictures("comparison").draw_targets(
        targets(self, scope),
        {label: self._short_labels.get(label or "", label) for label in self._in_scope(scope)},
        by,
        self.title,
        currency_of(currency, self.currency),
        units_named(units),
        ax,
        theme,
    )
    return axes


def known_sum(rows: pd.DataFrame, column: str, sysids: pd.Index[int]) -> pd.Series[float]:
    """The sum of a column by system: 0 without diagrams, NaN without known values."""
    groups = rows.groupby("sysid")[column]
    sums = groups.sum(min_count=1).reindex(sysids)
    return sums.where(groups.size().reindex(sysids).notna(), 0.0).astype(float)


def unknown_count(rows: pd.DataFrame, column: str, sysids: pd.Index[int]) -> pd.Series[int]:
    """The number of unknown values of a column, by system."""
    return rows[column].isna().groupby(rows["sysid"]).sum().reindex(sysids, fill_value=0).astype(int)


def system_figures(systems: pd.DataFrame, column: str) -> pd.Series[float]:
    """A figure of each system as a float; NaN if it has none."""
    return pd.to_numeric(systems[column]).astype(float)


def _targets_of(systems: pd.DataFrame, rows: pd.DataFrame, outside: pd.Series[float]) -> pd.DataFrame:
    target, current, budget = (system_figures(systems, name) for name in ("target_ha", "current_ha", "budget"))
    area, unmeasured = (summary(rows, "area_ha", systems.index) for summary in (known_sum, unknown_count))
    cost, unpriced = (summary(rows, "cost", systems.index) for summary in (known_sum, unknown_count))
    diagrams = rows.groupby("sysid").size().reindex(systems.index, fill_value=0)
    outside_ha = outside[rows.index].groupby(rows["sysid"]).sum().reindex(systems.index, fill_value=0.0)
    if outside.isna().any():
        outside_ha[:] = np.nan
    # The known amount is a lower limit.
    missing = (target - current.fillna(0) - area.fillna(0)).clip(lower=0)
    over = (cost.fillna(0) - budget).clip(lower=0)
    area_status = _status(missing, target, unknown=(missing > 0) & (unmeasured > 0), unplanned=missing > 0, of=diagrams)
    budget_status = _status(over, budget, unknown=(over == 0) & (unpriced > 0), unplanned=over == 0, of=diagrams)
    return (
        pd.DataFrame(
            {
                "system": systems["name"],
                "diagrams": diagrams,
                "target_ha": target,
                "current_ha": current,
                "area_ha": area,
                "outside_ha": outside_ha,
                "missing_ha": missing,
                "area_met": area_status.map(ANSWERS | {"nothing planned": False}).astype("boolean"),
                "area_status": area_status,
                "unmeasured": unmeasured,
                "budget": budget,
                "cost": cost,
                "over_budget": over,
                "budget_met": budget_status.map(ANSWERS).astype("boolean"),
                "budget_status": budget_status,
                "unpriced": unpriced,
            }
        )
        .rename_axis("sysid")
        .reset_index()
    )


def _status(
    gap: pd.Series[float],
    wanted: pd.Series[float],
    unknown: pd.Series[bool],
    unplanned: pd.Series[bool],
    of: pd.Series[int],
) -> pd.Series[str]:
    """The status of a target or budget, in words; the last one that applies."""
    status = pd.Series(np.where(gap > 0, "missed", "met"), gap.index).mask(unknown, "not known")
    return status.mask(unplanned & (of == 0), "nothing planned").mask(wanted.isna(), "none")


def counted_status(status: pd.Series[str]) -> str:
    """Counts systems by status, such as `2 met, 1 missed, 6 nothing planned`."""
    counts = status[status != "none"].value_counts()
    shown = (t("counted_status", count=int(counts[name]), status=_word(name)) for name in ANSWERS if name in counts)
    return ", ".join(shown) or t("none")


@once
def reported_targets(answers: Answers) -> Any:
    """The targets of a report's scopes."""
    return targets(answers.compared, answers.figures.scope)


@once
def targets_by_scope(answers: Answers) -> dict[str, Any]:
    """The targets' rows of each scope, by `sysid`."""
    return {scope: answers.of(reported_targets(answers), scope).set_index("sysid") for scope in answers.figures.scopes}


def _section(answers: Answers) -> str:
    """Each design in its own table."""
    if not len(answers.compared.systems):
        return paragraph(t("no_systems"))
    return "".join(_section_of(answers, scope) for scope in answers.figures.scopes)


def _section_of(answers: Answers, scope: str) -> str:
    compared, figures = answers.compared, answers.figures
    frame = answers.of(reported_targets(answers), scope)
    rows: list[Any] = []
    for row in frame.itertuples():
        missing, beyond = row.area_status == "missed", row.budget_status == "missed"
        rows.append(
            (
                hue(compared, row.sysid, row.system),
                t("none") if pd.isna(row.target_ha) else figures.area(row.target_ha),
                figures.area(row.area_ha, row.outside_ha),
                over(t("amount_missing", amount=figures.area(row.missing_ha)), True)
                if missing
                else _said(row.area_status),
                t("none") if pd.isna(row.budget) else figures.money(row.budget),
                figures.money(row.cost),
                over(t("amount_over", amount=figures.money(row.over_budget)), True)
                if beyond
                else _said(row.budget_status),
                links(ids_of(compared, scope, row.sysid)),
            )
        )
    area, cost = figures.area(frame["area_ha"].sum()), figures.money(frame["cost"].sum())
    rows.append((t("total"), "", area, "", "", cost, "", t("all_above")))
    of_area, of_money = f" ({figures.units.area})", figures.money_unit
    columns = [
        Column(t("system"), "text"),
        Column(t("target_unit", unit=of_area)),
        figures.summed,
        Column(t("target_is")),
        *(Column(t(name, unit=of_money)) for name in ("budget_unit", "cost_unit")),
        Column(t("budget_is")),
        Column(t("diagrams_heading"), "ids"),
    ]
    notes = [
        t(f"whose_{name}", count=int(frame[name].sum())) for name in ("unpriced", "unmeasured") if frame[name].sum()
    ]
    left = t("and", one=notes[0], other=notes[1]) if len(notes) == 2 else "".join(notes)
    note = paragraph(t("not_in_sums", diagrams=left)) if notes else ""
    met = (counted_status(frame[name]) for name in ("area_status", "budget_status"))
    summary = paragraph(t("targets_and_budgets", design=name_of(scope), targets=next(met), budgets=next(met)))
    number = answers.number(scope)
    anchors = [*(f"t{number}-{sysid}" for sysid in frame["sysid"]), f"t{number}"]
    return table(name_of(scope), columns, rows, anchors) + summary + note


def _said(status: str) -> str:
    return "" if status == "none" else _word(status)


def _word(status: str) -> str:
    return t(f"status_{status.replace(' ', '_')}")


SECTION = Section(
    "targets_heading",
    "targets_question",
    _section,
)
