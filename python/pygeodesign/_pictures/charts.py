"""The chart of a cost report: costs against budgets."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from pygeodesign._core import CostReport, Project
from pygeodesign._options import currency_of
from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.rows import finish, write_legend_below
from pygeodesign._pictures.style import (
    LINE_HEIGHT,
    Colors,
    Frame,
    ThemeName,
    cell_size,
    color,
    font_size,
    frame_for,
    line_scale,
    points,
    short_name,
    tall,
    text_width,
    visible,
    wrapped,
    write_beside,
    write_title,
)
from pygeodesign._text import counted, money, short_amount
from pygeodesign.errors import InputError
from pygeodesign.types import SystemCost

# Points below which notes go to a second line and names may have two.
NARROW = 7 * 72


@with_letters
def plot_costs(
    report: CostReport | Project,
    ax: Axes | None = None,
    *,
    member: str | None = None,
    team: int | None = None,
    design: str | None = None,
    title: str | None = None,
    currency: str | None = None,
    theme: ThemeName = None,
) -> Axes:
    """Draws the cost of each system as a bar in its colour, with a mark at its budget.

    Costs are summed over diagrams: where two overlap, both count. The first system is at the top. To the right of each
    bar are the cost and the budget as text, in red if the cost is above the budget. A system without a budget has
    no mark; one without a colour is grey. Under the amounts are the numbers of diagrams without a rate and of those
    with an unknown size; above the bars, the number of lines priced at their system's rate per kilometre.

    Args:
        report: The report to draw, or a project, whose costs are requested.
        ax: The axes to draw on, best with a figure of `layout="constrained"`, which makes room for names and amounts.
            Default: the axes of a new figure.
        member: For a project: only diagrams that this member selected.
        team: For a project, with `design`: only this team's design.
        design: For a project, with `team`: the id of the design.
        title: The subject of the chart, above the line with the total. Default: the titles of the project,
            and of team and design, or the name of the member.
        currency: The currency of all amounts, such as `"USD"`. Default: from the project, or else from
            `pygeodesign.options`.
        theme: `"light"` or `"dark"`, which colours the figure. Default: from the options, or to match the figure.

    Returns:
        The axes. Along x are costs and budgets, in the project's currency.

    Raises:
        InputError: `member`, `team` or `design` is given with a report, or the theme is unknown.

    Examples:
        >>> from pygeodesign import Sandbox
        >>> with Sandbox() as sandbox:
        ...     report = sandbox.client().project("StatenIsland2050").costs()
        >>> axes = plot_costs(report)
        >>> print(axes.get_title("left"))
        Staten Island 2050
        The diagrams cost 13.1 bn in total.
        14 lines: the system's rate per hectare was applied per kilometre
        >>> [bar.get_width() for bar in axes.patches] == [system["cost"] for system in report.systems]
        True
    """
    if isinstance(report, Project):
        report = report.costs(member=member, team=team, design=design)
    elif not (member is None and team is None and design is None):
        raise InputError("member=, team= and design= choose from a project: give the Project instead of its report")
    title = report.title if title is None else title
    systems = report.systems
    rows = report.to_pandas("diagrams")
    subtitle = _summary(report, rows, currency_of(currency, report.currency))
    inches = tall((9, 0.5 * len(systems) + 1.8 + (0.3 if title else 0)), [(title or "", subtitle)])
    ax, colors, *_ = frame_for(ax, theme, inches)
    lines = _Lines(ax, len(systems))
    frame = Frame(ax, colors, lines.width, lines.size)
    places = range(len(systems))
    costs = [system["cost"] for system in systems]
    budgets = {place: system["budget"] for place, system in enumerate(systems) if system["budget"] is not None}
    hues = [visible(color(system["color"]), colors) for system in systems]
    # The thin edge is for bars as light as the paper.
    ax.barh(places, costs, height=0.66, color=hues, edgecolor=colors.faint, linewidth=0.6)
    ax.vlines(
        list(budgets.values()),
        [place - 0.42 for place in budgets],
        [place + 0.42 for place in budgets],
        color=colors.ink,
        linewidth=lines.mark,
        # Keeps a mark visible on a bar that is as dark.
        path_effects=[withStroke(linewidth=lines.mark + 1.6, foreground=colors.paper)],
        # Do not clip beyond the last system's bar.
        clip_on=False,
    )
    for place, system in enumerate(systems):
        _write_amounts(ax, place, system, _notes(system, rows[rows["sysid"] == system["sysid"]]), colors, lines)
    ax.set_yticks(places, [lines.name(system["name"]) for system in systems], parse_math=False)
    ax.set_ylim(max(len(systems), 1) - 0.5, -0.5)
    _set_range_of_amounts(ax, [*costs, *budgets.values()])
    # Ticks are at whole amounts, so that all labels differ.
    finish(frame, "x", whole=True)
    write_title(frame, title or "", subtitle)
    _write_currency(frame, currency_of(currency, report.currency))
    upright: dict[str, Any] = {"marker": "|", "markersize": 1.2 * lines.size, "markeredgewidth": lines.mark}
    mark = [Line2D([], [], color=colors.ink, linestyle="none", label="budget", **upright)] if budgets else []
    write_legend_below(frame, mark, 1.2)
    return ax


class _Lines:
    """The layout of texts next to the bars: their size, and whether two lines fit."""

    def __init__(self, ax: Axes, systems: int) -> None:
        self.width, height = cell_size(ax)
        self.size = font_size(self.width)
        # Title, axis and legend take about five lines.
        row = (height - 6 * LINE_HEIGHT * self.size) / max(systems, 1)
        self.size = max(4.5, min(self.size, row / LINE_HEIGHT))
        self.narrow = self.width < NARROW
        self.two = row >= 2 * LINE_HEIGHT * self.size
        self.names = 0.3 * self.width
        # For the budget marks, which would hide the short bars of a small chart.
        self.mark = 2.2 * line_scale(self.width)

    def name(self, name: str) -> str:
        short = short_name(name)
        if not self.narrow or text_width(short, self.size) <= self.names:
            return short
        lines = wrapped(short, self.size, self.names)
        if self.two and len(lines) == 2:
            return "\n".join(lines)
        while text_width(f"{short}…", self.size) > self.names:
            short = short[:-1].rstrip()
        return f"{short}…"


def _summary(report: CostReport, rows: pd.DataFrame, currency: str) -> str:
    """The total cost in a sentence, and the diagrams with an unknown or unusual price."""
    is_known = report.unpriced < len(report.diagrams) or not report.diagrams
    sentences = [f"The diagrams cost {money(report.total, currency)} in total"]
    if not is_known:
        sentences = ["The cost of the diagrams is not known"]
    if report.unpriced:
        sentences.append(f"{counted(report.unpriced, 'diagram')} {'is' if report.unpriced == 1 else 'are'} not priced")
    by_rate = rows[(rows["rate_source"] == "system") & (rows["rate"] > 0)]
    if per_length := int(((by_rate["area_ha"] == 0) & (by_rate["length_km"] > 0)).sum()):
        lines = counted(per_length, "line")
        sentences.append(f"{lines}: the system's rate per hectare was applied per kilometre")
    if report.points_at_area_rate:
        of_points = counted(report.points_at_area_rate, "diagram")
        sentences.append(f"{of_points} of points: the system's rate per hectare was applied by the piece")
    return ". ".join(sentences)


def _write_currency(frame: Frame, currency: str) -> None:
    """Writes the currency after the amounts of the axis, on their line."""
    ax, colors, _, size = frame
    place = ax.transAxes + points(ax, 8, -0.5 * size)
    ax.text(1, 0, currency, transform=place, va="top", color=colors.quiet, size=size, parse_math=False)


def _write_amounts(ax: Axes, place: int, system: SystemCost, notes: list[str], colors: Colors, lines: _Lines) -> None:
    cost, budget = system["cost"], system["budget"]
    over = budget is not None and cost > budget
    text = short_amount(cost)
    if not system["diagrams"] or system["unpriced"] == system["diagrams"]:
        text = "not known" if system["diagrams"] else "nothing planned"
        text += ", no budget" if budget is None else f", budget {short_amount(budget)}"
    else:
        text += ", no budget" if budget is None else f" of {short_amount(budget)}"
    if budget is not None and over:
        share = cost / budget - 1 if budget > 0 else 0.0
        text += "\n" if lines.narrow and lines.two else ", "
        text += f"{100 * share:,.0f} % over" if share >= 0.01 else "over"
    if notes:
        text += f"\n{', '.join(notes)}"
    style = {"color": colors.over, "weight": "bold"} if over else {"color": colors.ink}
    write_beside(ax, place, text, xytext=(8, 0), va="center_baseline", size=lines.size, **style)


def _notes(system: SystemCost, rows: pd.DataFrame) -> list[str]:
    """Notes on the cost of a system; `rows` are its diagrams."""
    counts = {
        "no rate set: {}": system["without_rate"],
        "size not known: {}": (rows["cost"].isna() & rows["rate"].notna()).sum(),
    }
    return [text.format(counted(int(number), "diagram")) for text, number in counts.items() if number]


def _set_range_of_amounts(ax: Axes, amounts: list[float]) -> None:
    """Sets the range from 0, or the least amount if it is below, to a little above the largest."""
    low, high = min([0.0, *amounts]), max([0.0, *amounts])
    margin = 0.04 * (high - low) or 1.0
    ax.set_xlim(low - (margin if low < 0 else 0), high + margin)
