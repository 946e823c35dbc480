"""Bars: costs against budgets, rates that change, costs by year, and land by class of evaluation maps."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pygeodesign import CostReport, InputError, Project
from pygeodesign._pictures.shown import EVALUATION_COLORS
from pygeodesign._pictures.style import (
    LINE_HEIGHT,
    NO_COLOR,
    Colors,
    ThemeName,
    cell_size,
    color,
    font_size,
    frame_for,
    line_scale,
    points,
    quieten,
    short_name,
    text_width,
    visible,
    wrapped,
    write_beside,
    write_legend,
    write_title,
)
from pygeodesign._text import counted, short_amount, short_hectares
from pygeodesign.types import SystemCost

# Points below which notes go to a second line and names may have two.
NARROW = 7 * 72
YEAR_COLOR = "#2c7fb8"


def plot_costs(
    report: CostReport | Project,
    ax: Axes | None = None,
    *,
    member: str | None = None,
    team: int | None = None,
    design: str | None = None,
    title: str | None = None,
    currency: str = "",
    theme: ThemeName = None,
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
    ax, colors, *_ = frame_for(ax, theme, (9, 0.5 * len(systems) + 1.8 + (0.3 if title else 0)))
    lines = _Lines(ax, len(systems))
    places = range(len(systems))
    costs = [system["cost"] for system in systems]
    budgets = {place: system["budget"] for place, system in enumerate(systems) if system["budget"] is not None}
    hues = [visible(color(system["color"]), colors) for system in systems]
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
    quieten(ax, colors, lines.size)
    _write_titles(ax, report, title or "", currency, colors, lines)
    upright: dict[str, Any] = {"marker": "|", "markersize": 1.2 * lines.size, "markeredgewidth": lines.mark}
    mark = [Line2D([], [], color=colors.ink, linestyle="none", label="budget", **upright)] if budgets else []
    # Below the amounts at the axis, whatever the height of the figure.
    write_legend(ax, colors, handles=mark, bbox_to_anchor=(0, 0), borderaxespad=2, fontsize=lines.size)
    ax.grid(axis="x", color=colors.faint, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


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


def _write_titles(ax: Axes, report: CostReport, title: str, currency: str, colors: Colors, lines: _Lines) -> None:
    unpriced = f", {counted(report.unpriced, 'diagram')} not priced" if report.unpriced else ""
    total = f"{short_amount(report.total)} {currency}".rstrip()
    summary = f"Cost against budget, {total} in all{unpriced}"
    width = lines.width - max([0.0, *(label_width(ax, lines.size))]) - 3 * lines.size
    write_title(ax, title, summary, colors, lines.size + 1.5, width)
    if currency:
        # Under the amounts, in the line of those at the axis.
        ax.text(
            1,
            0,
            currency,
            transform=ax.transAxes + points(ax, 8, -0.5 * lines.size),
            va="top",
            color=colors.quiet,
            size=lines.size,
            parse_math=False,
        )


def label_width(ax: Axes, size: float) -> list[float]:
    """The widths of the names beside the bars, in points."""
    return [text_width(line, size) for label in ax.get_yticklabels() for line in label.get_text().split("\n")]


def _write_amounts(ax: Axes, place: int, system: SystemCost, colors: Colors, lines: _Lines) -> None:
    cost, budget = system["cost"], system["budget"]
    over = budget is not None and cost > budget
    text = short_amount(cost)
    text += ", no budget" if budget is None else f" of {short_amount(budget)}"
    if budget is not None and over:
        share = cost / budget - 1 if budget > 0 else 0.0
        text += "\n" if lines.narrow and lines.two else ", "
        text += f"{share:,.0%} over" if share >= 0.01 else "over"
    if system["without_rate"]:
        text += f"\nno rate set: {counted(system['without_rate'], 'diagram')}"
    elif system["unpriced"]:
        text += f"\nnot priced: {counted(system['unpriced'], 'diagram')}"
    style = {"color": colors.over, "weight": "bold"} if over else {"color": colors.ink}
    write_beside(ax, place, text, xytext=(8, 0), va="center_baseline", size=lines.size, **style)


def _set_range_of_amounts(ax: Axes, amounts: list[float]) -> None:
    """From 0, or the least amount where that is less, to a little more than the largest."""
    low, high = min([0.0, *amounts]), max([0.0, *amounts])
    margin = 0.04 * (high - low) or 1.0
    ax.set_xlim(low - (margin if low < 0 else 0), high + margin)
    ax.xaxis.set_major_locator(_AmountLocator(ax))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda amount, _: short_amount(amount)))


class _AmountLocator(MaxNLocator):
    """Ticks at whole amounts, so that no two are written alike, for half of the short numbers that fit."""

    def __init__(self, ax: Axes) -> None:
        super().__init__(integer=True, steps=[1, 2, 2.5, 5, 10])
        self._short_numbers = ax.xaxis.get_tick_space

    def __call__(self) -> Any:
        self.set_params(nbins=max(1, self._short_numbers() // 2))
        return super().__call__()


def draw_suitability(table: pd.DataFrame, title: str, note: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """Hectares of each system in each class of its map as bars."""
    classes = [name for name in table.columns if name not in ("system", "land_ha")]
    ax, colors, width, size = frame_for(ax, theme, (9, 0.42 * max(len(table), 2) + 2))
    shares = table[classes].div(table[classes].sum(axis=1), axis=0)
    lefts = np.zeros(len(table))
    places = np.arange(len(table))
    for name in classes:
        hue = visible(EVALUATION_COLORS.get(name, NO_COLOR), colors)
        lengths = 100 * shares[name].fillna(0.0).to_numpy()
        ax.barh(places, lengths, left=lefts, height=0.66, color=hue, edgecolor=colors.paper, linewidth=0.6)
        lefts += lengths
    names = table["system"].map(short_name).tolist()
    while max((text_width(name, size) for name in names), default=0) > 0.35 * width:
        names = [f"{name.rstrip('…')[:-1]}…" if text_width(name, size) > 0.35 * width else name for name in names]
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(max(len(table), 1) - 0.5, -0.5)
    ax.set_xlim(0, 100)
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0f} %")
    quieten(ax, colors, size)
    for place, (hectares, known) in enumerate(zip(table["land_ha"], shares.notna().any(axis=1), strict=True)):
        text = f"{short_hectares(hectares)} ha" + ("" if known else "\nno map")
        write_beside(ax, place, text, size=size, color=colors.ink)
    handles = [Patch(color=visible(EVALUATION_COLORS.get(name, NO_COLOR), colors), label=name) for name in classes]
    write_legend(
        ax,
        colors,
        handles=handles,
        ncols=max(1, min(len(classes), int(0.5 * width / (7 * size)))),
        bbox_to_anchor=(0, 0),
        bbox_transform=ax.transAxes + points(ax, 0, -LINE_HEIGHT * size - 4),
        fontsize=size,
        borderaxespad=0,
    )
    subtitle = "Land in each class of the system's evaluation map" + (f"; {note}" if note else "")
    write_title(ax, title, subtitle, colors, size + 1.5, 0.5 * width)
    return ax


def draw_sensitivity(table: pd.DataFrame, hues: pd.Series[str], title: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """The total at the lower and the higher rate of each system, with the largest change at the top."""
    rows = table.sort_values("change", ascending=False, kind="stable")
    percent, total = rows.attrs["percent"], rows.attrs["total"]
    ax, colors, width, size = frame_for(ax, theme, (9, 0.42 * max(len(rows), 2) + 1.8))
    places = np.arange(len(rows))
    change = rows["change"].to_numpy(dtype=float)
    ax.barh(
        places,
        2 * change,
        left=-change,
        height=0.66,
        color=[visible(color(hues[sysid]), colors) for sysid in rows.index],
        edgecolor=colors.faint,
        linewidth=0.6,
    )
    ax.axvline(0, color=colors.ink, linewidth=1)
    for place, (moved, breaks_at) in enumerate(zip(change, rows["breaks_budget_at"], strict=True)):
        text = f"± {short_amount(moved)}" + (f"\n{_limit(breaks_at)}" if math.isfinite(breaks_at) else "")
        breaks = math.isfinite(breaks_at) and breaks_at < percent
        write_beside(ax, place, text, size=0.85 * size, linespacing=1.1, color=colors.over if breaks else colors.ink)
    ax.set_yticks(places, [short_name(name) for name in rows["system"]], parse_math=False)
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    # Without any change there is still an axis.
    reach = 1.05 * (change.max(initial=0.0) or 1.0)
    ax.set_xlim(-reach, reach)
    subtitle = f"How the total cost of {short_amount(total)} changes if one rate is {percent:g} % lower or higher"
    _finish(ax, "x", colors, size)
    ax.xaxis.set_major_formatter(lambda amount, _: f"{'+' if amount > 0 else ''}{short_amount(amount)}")
    write_title(ax, title, subtitle, colors, size + 1.5, 0.5 * width)
    return ax


def draw_schedule(periods: pd.DataFrame, title: str, note: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """The cost of each period as bars, and what all until then cost as a line on an axis of its own."""
    ax, colors, width, size = frame_for(ax, theme, (9, 4.2))
    length = periods.attrs["years"]
    period = "year" if length == 1 else f"{length} years"
    middles = (periods.index.to_numpy(dtype=float) + periods["last"].to_numpy(dtype=float)) / 2
    bars = {"width": 0.72 * length, "color": visible(YEAR_COLOR, colors), "edgecolor": colors.faint, "linewidth": 0.6}
    ax.bar(middles, periods["cost"], **bars)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10))
    _finish(ax, "y", colors, size)
    ax.set_ylabel(f"cost of the {period}", color=colors.ink, size=size)
    together = ax.twinx()
    together.plot(middles, periods["cost"].cumsum(), color=colors.ink, linewidth=1.6, marker="o", markersize=2.5)
    together.set_ylim(bottom=0)
    _finish(together, "y", colors, size)
    together.grid(visible=False)
    together.tick_params(axis="x", labelbottom=False)
    together.set_ylabel(f"cost until the end of the {period} (line)", color=colors.ink, size=size)
    subtitle = f"Cost per {period}, {short_amount(periods['cost'].sum())} in all" + (f"; {note}" if note else "")
    write_title(ax, title, subtitle, colors, size + 1.5, 0.6 * width)
    return ax


def _limit(percent: float) -> str:
    return f"over budget from {percent:+.0f} %" if percent >= 0 else f"over budget; met at {percent:+.0f} %"


def _finish(ax: Axes, along: Literal["x", "y"], colors: Colors, size: float) -> None:
    """A quiet grid, and amounts in short along one axis."""
    axis = ax.xaxis if along == "x" else ax.yaxis
    axis.set_major_formatter(lambda amount, _: short_amount(amount))
    ax.locator_params(axis=along, nbins=5)
    ax.grid(axis=along, color=colors.faint, linewidth=0.6)
    ax.set_axisbelow(True)
    quieten(ax, colors, size)
    for side in ax.spines.values():
        side.set_visible(False)
