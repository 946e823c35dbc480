"""Pictures for agreements of teams: what each keeps and gives up, and what several of them have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from pygeodesign._pictures.bars import name_rows, title_width, write_legend_below
from pygeodesign._pictures.comparison import ALIKE, Matrix, draw_matrix
from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.style import (
    Label,
    ThemeName,
    color,
    frame_for,
    panels_for,
    part_of,
    quieten,
    short_name,
    title_of,
    visible,
    write_beside,
    write_title,
)
from pygeodesign._text import Units, counted, money, of_currency, short_amount

KEPT = "#2c7fb8"
# The reasons why diagrams are given up, and the hatches of their bars.
HATCHES = {"conflict": "xxxx", "budget": "////", "cost not known": "...."}


@with_letters
def draw_negotiation(
    result: Any, short: dict[str, str], title: str, currency: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """A bar for each design: its diagrams that are kept, and the others by reason."""
    teams = result.teams
    frame = frame_for(ax, theme, (9, 0.5 * max(len(teams), 2) + 2))
    ax, colors, _, size = frame
    places, lefts = np.arange(len(teams)), teams["kept"].to_numpy(dtype=float)
    style: dict[str, Any] = {"height": 0.66, "edgecolor": colors.faint, "linewidth": 0.6}
    ax.barh(places, lefts, color=visible(KEPT, colors), **style)
    handles = [Patch(facecolor=visible(KEPT, colors), edgecolor=colors.faint, label="kept")]
    reasons = result.diagrams["reason"]
    named: dict[str, tuple[str | None, str]] = {
        f"given up: {reason}": (reason, hatch) for reason, hatch in HATCHES.items()
    }
    # Diagrams that only designs without a weight have are no candidates.
    named["given up: only in designs of weight 0"] = (None, "")
    for name, (reason, hatch) in named.items():
        counts = np.array(
            [sum(reasons.get(number) == reason for number in ids) for ids in teams["given_up_ids"]], float
        )
        if counts.any():
            ax.barh(places, counts, left=lefts, color=colors.land, hatch=hatch, **style)
            lefts = lefts + counts
            handles.append(Patch(facecolor=colors.land, edgecolor=colors.faint, hatch=hatch, label=name))
    for place, row in enumerate(teams.itertuples()):
        lost = "" if not row.given_up else f"\ngives up {_cost(row)}"
        text = f"{row.kept:,} of {row.diagrams:,} kept{lost}"
        write_beside(ax, place, text, size=0.85 * size, linespacing=1.1, color=colors.ink)
    name_rows(frame, teams.index.to_series().map(lambda label: short.get(label, label)))
    ax.set_xlim(0, 1.02 * max(1.0, lefts.max(initial=0)))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    quieten(ax, colors, size)
    ax.set_xlabel("diagrams of each design", color=colors.ink, size=size)
    write_legend_below(frame, handles, 2.4)
    limit = "" if math.isinf(result.budget) else f" of {short_amount(result.budget)}"
    proof = "proven to be the most" if not result.gap else f"at most {100 * result.gap:.2g} % below the most"
    subtitle = (
        f"The design with the most support: {counted(len(result.chosen), 'diagram')} for "
        f"{money(result.cost, currency)}{limit}, support {result.support:g} of {result.most:g}, {proof}"
    )
    for ids, what in ((result.unpriced, "cost"), (result.without_geometry, "land")):
        subtitle += f"; {counted(len(ids), 'chosen diagram')} of unknown {what}" if ids else ""
    write_title(ax, title, subtitle, colors, size + 1.5, title_width(frame))
    return ax


def _cost(row: Any) -> str:
    """The cost of what a design gives up, with the number of unknown costs."""
    if math.isnan(row.cost_given_up):
        return "an unknown cost"
    more = f" and {counted(row.unpriced, 'unknown cost')}" if row.unpriced else ""
    return f"{short_amount(row.cost_given_up)}{more}"


@with_letters
def draw_common_core(
    core: pd.DataFrame, designs: int, systems: pd.DataFrame, title: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """A bar for each number of designs: the diagrams that at least this many of them have, by system."""
    frame = frame_for(ax, theme, (9, 0.5 * max(designs, 2) + 2))
    ax, colors, _, size = frame
    at_least = np.arange(designs, 0, -1)
    places, lefts, handles = np.arange(designs), np.zeros(designs), []
    for sysid, name, shade in zip(systems.index, systems["name"], systems["color"], strict=True):
        own = core.loc[core["sysid"] == sysid, "designs"].to_numpy()
        counts = np.array([(own >= least).sum() for least in at_least], dtype=float)
        hue = visible(color(shade), colors)
        ax.barh(places, counts, left=lefts, height=0.66, color=hue, edgecolor=colors.paper, linewidth=0.6)
        lefts = lefts + counts
        handles += [Patch(facecolor=hue, edgecolor=colors.faint, label=name)] if counts.any() else []
    for place, least in enumerate(at_least):
        cost = core.loc[core["designs"] >= least, "cost"]
        known = "" if cost.notna().all() else f", {int(cost.isna().sum()):,} not known"
        text = f"{counted(int(lefts[place]), 'diagram')}, cost {short_amount(cost.sum())}{known}"
        write_beside(ax, place, text, size=0.85 * size, color=colors.ink)
    name_rows(
        frame, pd.Series([f"at least {least}" if least < designs else f"all {least} designs" for least in at_least])
    )
    ax.set_xlim(0, 1.02 * max(1.0, lefts.max(initial=0)))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    quieten(ax, colors, size)
    ax.set_xlabel("diagrams that at least this many designs have", color=colors.ink, size=size)
    write_legend_below(frame, handles, 2.4)
    several = int((core["designs"] > 1).sum()) if designs > 1 else 0
    subtitle = f"The common core of {counted(designs, 'design')}: {counted(several, 'diagram')} in several of them"
    write_title(ax, title, subtitle, colors, size + 1.5, title_width(frame))
    return ax


@with_letters
def draw_swaps(
    table: pd.DataFrame, labels: Sequence[Label], titles: pd.Series[str], title: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """A bar for each exchange of a design: the gain in nearness to the others."""
    most = max(int(table.groupby("design").size().max()) if len(table) else 0, 2)
    panels = panels_for(labels, ax, theme, (9, 0.42 * most + 1.8))
    reach = 1.05 * float(table["gain"].max()) if len(table) else 1.0
    for label, frame in panels:
        rows = part_of(table, label)
        frame.ax.barh(np.arange(len(rows)), rows["gain"], height=0.66, color=visible(KEPT, frame.colors))
        names = []
        for place, row in enumerate(rows.to_dict("records")):
            give, take = row["give_up"], row["take_up"]
            gives, takes = pd.notna(give), pd.notna(take)
            names.append(f"{give} for {take}" if gives and takes else f"without {give}" if gives else f"with {take}")
            cost = "cost not known" if math.isnan(row["cost_change"]) else f"cost {_signed(row['cost_change'])}"
            what = short_name(str(titles[take])) if takes and pd.notna(titles[take]) else ""
            text = "\n".join(filter(None, [what, f"+{row['gain']:.3g}, {cost}"]))
            write_beside(frame.ax, place, text, size=0.85 * frame.size, linespacing=1.1, color=frame.colors.ink)
        name_rows(frame, pd.Series(names, dtype=object))
        frame.ax.set_xlim(0, reach)
        frame.ax.locator_params(axis="x", nbins=5)
        quieten(frame.ax, frame.colors, frame.size)
        before = f"{rows['before'].iloc[0]:.3f}" if len(rows) else "not nearer by any exchange"
        subtitle = f"Exchanges of a diagram that gain most agreement with the other designs; agreement now: {before}"
        write_title(frame.ax, title_of(title, label), subtitle, frame.colors, frame.size + 1.5, title_width(frame))
    return panels[0][1].ax


def _signed(amount: float) -> str:
    return f"{'+' if amount > 0 else ''}{short_amount(amount)}"


@with_letters
def draw_pareto(front: Any, title: str, currency: str, units: Units, ax: Axes | None, theme: ThemeName) -> Axes:
    """A point for each choice, with its number of diagrams; the knee is larger."""
    frame = frame_for(ax, theme, (9, 5.2))
    ax, colors, _, size = frame
    table = front.points
    names = (front.x, front.y)
    factors = [units.per_hectare if name == "conflict" else 1.0 for name in names]
    x, y = (table[name].to_numpy(dtype=float) * factor for name, factor in zip(names, factors, strict=True))
    hue = visible(KEPT, colors)
    ax.plot(x, y, color=hue, linewidth=1.4, marker="o", markersize=0.5 * size, clip_on=False)
    for place, row in enumerate(table.itertuples()):
        if place in (0, len(table) - 1) or row.knee:
            text = counted(row.diagrams, "diagram") + (" (knee)" if row.knee else "")
            left = x[place] > (x.min() + x.max()) / 2
            style: dict[str, Any] = {"ha": "right" if left else "left", "va": "bottom", "size": 0.85 * size}
            ax.annotate(
                text,
                (x[place], y[place]),
                (-6 if left else 6, 6),
                textcoords="offset points",
                color=colors.ink,
                **style,
            )
    if front.knee is not None:
        ax.plot(
            x[front.knee], y[front.knee], color=hue, marker="o", markersize=1.1 * size, fillstyle="none", clip_on=False
        )
    ax.grid(color=colors.faint, linewidth=0.6)
    ax.set_axisbelow(True)
    quieten(ax, colors, size)
    for axis, name in ((ax.xaxis, front.x), (ax.yaxis, front.y)):
        axis.set_major_formatter(lambda amount, _: short_amount(amount) if amount else "0")
        axis.set_label_text(_name_of(name, currency, units), color=colors.ink, size=size)
    subtitle = f"{counted(len(table), 'choice')} by {front.x} and {front.y}, of which none is better in both"
    if front.is_complete:
        subtitle = f"All {subtitle}"
    if front.knee is not None:
        subtitle += f"; knee at {short_amount(x[front.knee])} and {short_amount(y[front.knee])}"
    if (worst := table["gap"].max()) > 0:
        subtitle += f"; not all proven, gaps up to {100 * worst:.2g} %"
    if front.excluded:
        subtitle += f"; {counted(len(front.excluded), 'diagram')} left out, as their figures are not known"
    write_title(ax, title, subtitle, colors, size + 1.5, 0.85 * frame.width)
    return ax


def _name_of(name: str, currency: str, units: Units) -> str:
    """The label of an axis."""
    known = {
        "cost": f"cost{of_currency(currency)}",
        "shortfall": "shortfall, summed shares of targets that are missing",
        "conflict": f"{units.area} that two chosen projects share, summed over pairs",
    }
    return known.get(name, name)


@with_letters
def draw_alliances(kept: pd.DataFrame, show: str, title: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """The share of their diagrams that each pair of designs could keep, as a matrix or as a tree of groups."""
    what = "The share of their diagrams that two designs could keep together without a conflict on land"
    if show == "matrix":
        below = kept.where(np.tril(np.ones(kept.shape, dtype=bool), -1)).iloc[1:, :-1]
        matrix = Matrix(100 * below, lambda value: f"{value:.0f} %", ALIKE, largest=100.0)
        return draw_matrix(matrix, frame_for(ax, theme, matrix.inches), title, what)
    frame = frame_for(ax, theme, (9, 0.42 * max(len(kept), 2) + 1.8))
    steps, order = _groups(kept.to_numpy(dtype=float))
    height = {label: float(place) for place, label in enumerate(order)}
    share = dict.fromkeys(range(len(kept)), 1.0)
    hue = visible(KEPT, frame.colors)
    for number, (one, other, joined) in enumerate(steps, len(kept)):
        ends = [height[one], height[other]]
        for group in (one, other):
            frame.ax.plot([100 * share[group], 100 * joined], [height[group]] * 2, color=hue, linewidth=1.6)
        frame.ax.plot([100 * joined] * 2, ends, color=hue, linewidth=1.6)
        height[number], share[number] = sum(ends) / 2, joined
    name_rows(frame, pd.Series([str(kept.index[label]) for label in order]))
    least = min((joined for *_, joined in steps), default=0.0)
    frame.ax.set_xlim(100, 100 * least - 0.05 * max(100 * (1 - least), 1))
    frame.ax.xaxis.set_major_formatter(lambda percent, _: f"{percent:g} %")
    frame.ax.grid(axis="x", color=frame.colors.faint, linewidth=0.6)
    quieten(frame.ax, frame.colors, frame.size)
    subtitle = f"{what}; of groups, the mean of all pairs"
    write_title(frame.ax, title, subtitle, frame.colors, frame.size + 1.5, title_width(frame))
    return frame.ax


def _groups(kept: Any) -> tuple[list[tuple[int, int, float]], list[int]]:
    """The groups joined one after another, with the mean share between them; and the order of the rows.

    Groups have numbers after those of the rows. An unknown share of a pair counts as 0.
    """
    known = np.nan_to_num(kept)
    members = {place: [place] for place in range(len(known))}
    steps: list[tuple[int, int, float]] = []
    while len(members) > 1:
        means = {
            (one, other): float(known[np.ix_(members[one], members[other])].mean())
            for one in members
            for other in members
            if one < other
        }
        best = max(means, key=lambda pair: (means[pair], -pair[0], -pair[1]))
        steps.append((*best, means[best]))
        members[len(known) + len(steps) - 1] = members.pop(best[0]) + members.pop(best[1])
    return steps, next(iter(members.values()), [])
