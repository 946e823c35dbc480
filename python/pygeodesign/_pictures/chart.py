"""Costs against budgets as bars."""

from __future__ import annotations

from typing import Any, Literal

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pygeodesign import CostReport, InputError, Project
from pygeodesign._pictures.text import (
    LINE_HEIGHT,
    cell_size,
    font_size,
    line_scale,
    points,
    short_name,
    text_width,
    wrapped,
    write_title,
)
from pygeodesign._pictures.theme import Theme, color, theme_for, visible
from pygeodesign._pictures.units import short_amount
from pygeodesign.types import SystemCost

# Points below which notes go to a second line and names may have two.
NARROW = 7 * 72


def plot_costs(
    report: CostReport | Project,
    ax: Axes | None = None,
    *,
    member: str | None = None,
    team: int | None = None,
    design: str | None = None,
    title: str | None = None,
    currency: str = "",
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draw the cost of each system as a bar in its colour, with a mark at its budget.

    The first system is at the top. To the right of each bar are the cost and the budget as text, in red where the cost
    is beyond the budget. A system without a budget has no mark; one without a colour is grey. Diagrams of a system for
    which no rate is set, and diagrams without a known cost, are counted under the amounts of their system.

    Args:
        report: The report to draw, or a project, whose costs are asked for.
        ax: The axes to draw on, best of a figure with `layout="constrained"`, which makes room for names and amounts.
            Default: the axes of a new figure.
        member: Of a project: only what this member selected.
        team: Of a project, with `design`: only this team's design.
        design: Of a project, with `team`: the id of the design.
        title: What the chart is about, above the line with the total. Default: the titles of the project,
            and of team and design, or the name of the member.
        currency: The currency of all amounts, such as `"USD"`, which no service tells.
        theme: `"light"` or `"dark"`, which colours the figure. Default: what fits the colour of the figure.

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
        Cost against budget, 13.1 bn in all
        >>> [bar.get_width() for bar in axes.patches] == [system["cost"] for system in report.systems]
        True
    """
    if isinstance(report, Project):
        report = report.costs(member=member, team=team, design=design)
    elif not (member is None and team is None and design is None):
        raise InputError("member=, team= and design= choose from a project: give the Project instead of its report")
    title = report.title if title is None else title
    systems = report.systems
    if ax is None:
        ax = new_axes(9, 0.5 * len(systems) + 1.8 + (0.3 if title else 0))
    colors = theme_for(theme, ax.get_figure(root=False))
    lines = _Lines(ax, len(systems))
    places = range(len(systems))
    costs = [system["cost"] for system in systems]
    budgets = {place: system["budget"] for place, system in enumerate(systems) if system["budget"] is not None}
    hues = [visible(color(system["color"]), colors) for system in systems]
    ax.set_facecolor("none")
    # The thin edge is for a bar as light as the paper.
    ax.barh(places, costs, height=0.66, color=hues, edgecolor=colors.faint, linewidth=0.6)
    ax.vlines(
        list(budgets.values()),
        [place - 0.42 for place in budgets],
        [place + 0.42 for place in budgets],
        color=colors.ink,
        linewidth=lines.mark,
        # On a bar as dark as itself, too, a mark is seen.
        path_effects=[withStroke(linewidth=lines.mark + 1.6, foreground=colors.paper)],
        # Beyond the last system's bar nothing is cut.
        clip_on=False,
    )
    for place, system in enumerate(systems):
        _write_amounts(ax, place, system, colors, lines)
    ax.set_yticks(places, [lines.name(system["name"]) for system in systems], parse_math=False)
    ax.set_ylim(max(len(systems), 1) - 0.5, -0.5)
    _set_range_of_amounts(ax, [*costs, *budgets.values()])
    ax.tick_params(length=0, colors=colors.ink, labelsize=lines.size)
    _write_titles(ax, report, title, currency, colors, lines)
    upright: dict[str, Any] = {"marker": "|", "markersize": 1.2 * lines.size, "markeredgewidth": lines.mark}
    mark = [Line2D([], [], color=colors.ink, linestyle="none", label="budget", **upright)] if budgets else []
    # Below the amounts at the axis, whatever the height of the figure.
    legend = ax.legend(
        handles=mark, frameon=False, loc="upper left", bbox_to_anchor=(0, 0), borderaxespad=2, fontsize=lines.size
    )
    for text in legend.get_texts():
        text.set_color(colors.ink)
    ax.grid(axis="x", color=colors.faint, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ax.spines.values():
        side.set_visible(False)
    return ax


def new_axes(width: float, height: float) -> Axes:
    """The axes of a figure of so many inches, in which everything keeps some distance from the edge."""
    margins = ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.15)
    return pyplot.subplots(figsize=(width, height), layout=margins)[1]


class _Lines:
    """How texts fit beside the bars: their size, and whether there may be two lines."""

    def __init__(self, ax: Axes, systems: int) -> None:
        self.width, height = cell_size(ax)
        self.size = font_size(self.width)
        # Title, axis and legend take five lines or so.
        row = (height - 6 * LINE_HEIGHT * self.size) / max(systems, 1)
        self.size = max(4.5, min(self.size, row / LINE_HEIGHT))
        self.narrow = self.width < NARROW
        self.two = row >= 2 * LINE_HEIGHT * self.size
        self.names = 0.3 * self.width
        # Of the budget marks, which would hide the short bars of a small chart.
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


def _write_titles(ax: Axes, report: CostReport, title: str | None, currency: str, colors: Theme, lines: _Lines) -> None:
    unpriced = f", {_diagrams(report.unpriced)} not priced" if report.unpriced else ""
    total = f"{short_amount(report.total)} {currency}".rstrip()
    summary = f"Cost against budget, {total} in all{unpriced}"
    width = lines.width - max([0.0, *(label_width(ax, lines.size))]) - 3 * lines.size
    write_title(ax, title or "", summary, colors, lines.size + 1.5, width)
    if currency:
        # Under the amounts, in the line of those at the axis.
        ax.text(
            1,
            0,
            currency,
            transform=ax.transAxes + points(ax, 8, -0.5 * lines.size),
            va="top",
            color=colors.quiet_ink,
            size=lines.size,
            parse_math=False,
        )


def label_width(ax: Axes, size: float) -> list[float]:
    """The widths of the names beside the bars, in points."""
    return [text_width(line, size) for label in ax.get_yticklabels() for line in label.get_text().split("\n")]


def _write_amounts(ax: Axes, place: int, system: SystemCost, colors: Theme, lines: _Lines) -> None:
    cost, budget = system["cost"], system["budget"]
    over = budget is not None and cost > budget
    text = short_amount(cost)
    text += ", no budget" if budget is None else f" of {short_amount(budget)}"
    if budget is not None and over:
        share = cost / budget - 1 if budget > 0 else 0.0
        text += "\n" if lines.narrow and lines.two else ", "
        text += f"{share:,.0%} over" if share >= 0.01 else "over"
    if system["without_rate"]:
        text += f"\nno rate set: {_diagrams(system['without_rate'])}"
    elif system["unpriced"]:
        text += f"\nnot priced: {_diagrams(system['unpriced'])}"
    ax.annotate(
        text,
        (1, place),
        xycoords=ax.get_yaxis_transform(),
        xytext=(8, 0),
        textcoords="offset points",
        va="center_baseline",
        color=colors.over if over else colors.ink,
        weight="bold" if over else "normal",
        size=lines.size,
        annotation_clip=False,
    )


def _diagrams(count: int) -> str:
    return f"{count} diagram{'' if count == 1 else 's'}"


def _set_range_of_amounts(ax: Axes, amounts: list[float]) -> None:
    """From 0, or the least amount where that is less, to a little more than the largest."""
    low, high = min([0.0, *amounts]), max([0.0, *amounts])
    margin = 0.04 * (high - low) or 1.0
    ax.set_xlim(low - (margin if low < 0 else 0), high + margin)
    ax.xaxis.set_major_locator(_AmountLocator(ax))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda amount, _: short_amount(amount)))


class _AmountLocator(MaxNLocator):
    """Ticks at whole amounts, so that no two are written alike, half as many as there is room for short numbers."""

    def __init__(self, ax: Axes) -> None:
        super().__init__(integer=True, steps=[1, 2, 2.5, 5, 10])
        self._room = ax.xaxis.get_tick_space

    def __call__(self) -> Any:
        self.set_params(nbins=max(1, self._room() // 2))
        return super().__call__()
