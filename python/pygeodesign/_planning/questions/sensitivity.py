"""Costs and budgets of each system at a lower or higher rate."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import in_digits, t
from pygeodesign._options import currency_of
from pygeodesign._paper.answers import Answers, Section, once
from pygeodesign._paper.shown import hue, ids_of, links, name_of, over
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.questions.targets import known_sum, system_figures, unknown_count
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def sensitivity(self: Compared, percent: float = 20, scope: str = "designs") -> pd.DataFrame:
    """Cost and budget of each system if its rate is lower or higher by a percentage.

    One rate changes at a time. Costs that use a system's rate change with it; overrides and policies
    do not (`rate_source` in the cost report says which rate a diagram uses).

        low, high = cost -+ by_rate * percent / 100
        breaks_budget_at = 100 * (budget - cost) / by_rate

    Args:
        percent: The change of each rate: more than 0, at most 100.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.

    Returns:
        One row per design and system, by `sysid`: `system`, its `rate`, its `cost`, and the part of it that uses the
        rate (`by_rate`); `low` and `high`, its cost at the lower and at the higher rate; `change`, the amount by which
        the cost of the system and the total go up or down; `budget`, and `breaks_budget_at`, the percent at which the
        cost equals the budget. It is negative if the cost already exceeds the budget, and NaN if there is no budget or
        no rate meets it. `unpriced` diagrams have no known cost and are left out. Costs are summed over diagrams: where
        two overlap, both count.

    Raises:
        InputError: `percent` is out of range, no design has that label, or there is no design.

    Examples:
        >>> table = project.compare().sensitivity(20, "project")
        >>> table.loc[[4, 5], "change"].round(-6).to_dict()
        {4: 41000000.0, 5: 334000000.0}
        >>> table.loc[[4, 5], "breaks_budget_at"].round(1).to_dict()
        {4: 19.6, 5: -36.7}
    """
    if not isinstance(percent, Real) or not 0 < percent <= 100:
        raise InputError(f"percent must be more than 0 and at most 100, not {percent!r}: a rate cannot be negative")
    table = self._long_frame(
        {label: _sensitivity(self, percent, rows) for label, rows in self._in_scope(scope).items()}
    )
    table.attrs = {"percent": percent}
    return table


def plot_sensitivity(
    self: Compared,
    percent: float = 20,
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    currency: str | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `sensitivity()` as a tornado chart: the rate with the largest effect on a design's total is at the top.

    Next to each bar are the change of the total, and the change of the rate at which the system's budget is reached,
    or a note that no rate can meet it.

    Args:
        percent: See `sensitivity()`.
        scope: See `sensitivity()`. Each design has its own panel, all with the same scale.
        ax: The matplotlib axes to draw on. Default: new ones.
        currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, for several designs those of the first one; along x is the change of the total cost, in the
        project's currency.

    Raises:
        InputError: As for `sensitivity()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_sensitivity(20, "project")
        >>> axes.get_yticklabels()[0].get_text()
        'High-density housing'
    """
    axes: Axes = pictures("bars").draw_sensitivity(
        sensitivity(self, percent, scope),
        list(self._in_scope(scope)),
        self.systems["color"],
        self.title,
        currency_of(currency, self.currency),
        ax,
        theme,
    )
    return axes


def _sensitivity(compared: Compared, percent: float, rows: pd.DataFrame) -> pd.DataFrame:
    systems = compared.systems
    cost, budget = known_sum(rows, "cost", systems.index), system_figures(systems, "budget")
    # Overrides and policies do not use the system's rate.
    following = known_sum(rows[rows["rate_source"] == "system"], "cost", systems.index).fillna(0)
    change = following * percent / 100
    with np.errstate(divide="ignore", invalid="ignore"):
        breaks_at = 100 * (budget - cost) / following.where(following > 0)
    return pd.DataFrame(
        {
            "system": systems["name"],
            "rate": system_figures(systems, "rate"),
            "cost": cost,
            "by_rate": following,
            "low": cost - change,
            "high": cost + change,
            "change": change,
            "budget": budget,
            # No rate is lower than 0.
            "breaks_budget_at": breaks_at.where(breaks_at >= -100),
            "unpriced": unknown_count(rows, "cost", systems.index),
        }
    )


def percent_of(answers: Answers) -> Any:
    """The change of rates in a report, in percent."""
    return answers.arguments("sensitivity").get("percent", 20)


@once
def reported_sensitivity(answers: Answers) -> Any:
    """The systems of the scopes of a report at other rates."""
    return sensitivity(answers.compared, percent_of(answers), answers.figures.scope)


def _section(answers: Answers) -> str:
    compared, figures, percent = answers.compared, answers.figures, percent_of(answers)
    shown = in_digits(f"{percent:g}")
    frame = reported_sensitivity(answers)
    if not frame["change"].gt(0).any():
        return paragraph(t("no_sensitivity"))
    text = ""
    money = figures.money_unit
    columns = [
        Column(t("system"), "text"),
        Column(t("at_percent", percent=f"-{shown}", unit=money)),
        Column(t("cost_now", unit=money)),
        Column(t("at_percent", percent=f"+{shown}", unit=money)),
        Column(t("budget_reached_at")),
        Column(t("follow_rate"), "ids"),
    ]
    for scope in figures.scopes:
        own = answers.of(frame, scope).sort_values("change", ascending=False, kind="stable")
        diagrams: Any = compared.diagrams.loc[ids_of(compared, scope)]
        follows = diagrams[diagrams["rate_source"] == "system"]
        rows = []
        for sysid, row in own.iterrows():
            limit = row["breaks_budget_at"]
            amounts = (figures.money(row[name]) for name in ("low", "cost", "high"))
            breaks = "" if pd.isna(limit) else over(f"{limit:+.0f} %", limit < percent)
            if pd.isna(limit) and row["cost"] > row["budget"]:
                breaks = over(t("no_rate"), True)
            ids = sorted(follows.index[follows["sysid"] == sysid])
            rows.append((hue(compared, sysid, row["system"]), *amounts, breaks, links(ids)))
        anchors = [f"s{answers.number(scope)}-{sysid}" for sysid in own.index]
        text += table(t("sensitivity_caption", design=name_of(scope)), columns, rows, anchors)
    return text


SECTION = Section(
    "sensitivity_heading",
    lambda answers: t("sensitivity_question", percent=in_digits(f"{percent_of(answers):g}")),
    _section,
    takes=("percent",),
)
