"""Pictures for agreements of teams: what each keeps and gives up, and what several of them have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.matrix import Matrix, draw_matrix
from pygeodesign._pictures.rows import finish, name_axis, name_rows, write_legend_below, write_notes
from pygeodesign._pictures.style import (
    BLUE,
    Label,
    ThemeName,
    color,
    frame_for,
    panels_for,
    part_of,
    short_name,
    tall,
    title_of,
    visible,
    write_title,
)
from pygeodesign._text import Units, counted, money, of_currency, short_amount

# The reasons why diagrams are given up, and the hatches of their bars.
HATCHES = {"conflict": "xxxx", "budget": "////", "cost not known": "...."}


@with_letters
def draw_negotiation(
    result: Any, short: dict[str, str], title: str, currency: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """A bar for each design: its diagrams that are kept, and the others by reason."""
    teams = result.teams
    subtitle = _negotiation_text(result, currency)
    frame = frame_for(ax, theme, tall((9, 0.5 * max(len(teams), 2) + 2.2), [(title, subtitle)]))
    ax, colors, *_ = frame
    places, lefts = np.arange(len(teams)), teams["kept"].to_numpy(dtype=float)
    style: dict[str, Any] = {"height": 0.66, "edgecolor": colors.faint, "linewidth": 0.6}
    ax.barh(places, lefts, color=visible(BLUE, colors), **style)
    handles = [Patch(facecolor=visible(BLUE, colors), edgecolor=colors.faint, label="kept")]
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
        write_notes(frame, place, text)
    name_rows(frame, [short.get(label, label) for label in teams.index])
    ax.set_xlim(0, 1.02 * max(1.0, lefts.max(initial=0)))
    finish(frame, "x", whole=True)
    name_axis(frame, "x", "diagrams of each design")
    write_legend_below(frame, handles, 2.4)
    write_title(frame, title, subtitle)
    return ax


def _negotiation_text(result: Any, currency: str) -> str:
    limit = "" if math.isinf(result.budget) else f" of {short_amount(result.budget)}"
    proof = "proven to be the most" if not result.gap else f"at most {100 * result.gap:.2g} % below the most"
    text = (
        f"The design with the most support: {counted(len(result.chosen), 'diagram')} for "
        f"{money(result.cost, currency)}{limit}. Its support is {result.support:g} of {result.most:g}, {proof}"
    )
    for ids, what in ((result.unpriced, "cost"), (result.without_geometry, "land")):
        text += f". The {what} of {counted(len(ids), 'chosen diagram')} is not known" if ids else ""
    return text


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
    subtitle = _core_text(core["designs"], designs)
    used = systems["name"][systems.index.isin(core["sysid"])].tolist()
    frame = frame_for(ax, theme, tall((9, 0.5 * max(designs, 2) + 2.2), [(title, subtitle)], used))
    ax, colors, *_ = frame
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
        write_notes(frame, place, text)
    all_of_them = f"all {designs} designs" if designs > 1 else "the design"
    name_rows(frame, [f"at least {least}" if least < designs else all_of_them for least in at_least])
    ax.set_xlim(0, 1.02 * max(1.0, lefts.max(initial=0)))
    finish(frame, "x", whole=True)
    name_axis(frame, "x", "diagrams that at least this many designs have" if designs > 1 else "diagrams")
    write_legend_below(frame, handles, 2.4)
    write_title(frame, title, subtitle)
    return ax


def _core_text(held_by: pd.Series[int], designs: int) -> str:
    if designs == 1:
        return f"The design has {counted(len(held_by), 'diagram')}"
    several, every = (int((held_by >= least).sum()) for least in (2, designs))
    if designs == 2:
        return f"Both designs have {counted(several, 'diagram')} in common"
    are = "is" if several == 1 else "are"
    return f"{counted(several, 'diagram')} {are} in several of {designs} designs, {every:,} in all of them"


@with_letters
def draw_swaps(
    table: pd.DataFrame, labels: Sequence[Label], titles: pd.Series[str], title: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """A bar for each exchange of a design: the gain in nearness to the others."""
    most = max(int(table.groupby("design").size().max()) if len(table) else 0, 2)
    heads = {label: (title_of(title, label), _swaps_text(part_of(table, label)["before"])) for label in labels}
    panels = panels_for(labels, ax, theme, tall((9, 0.45 * most + 1.8), list(heads.values())))
    reach = 1.05 * float(table["gain"].max()) if len(table) else 1.0
    for label, frame in panels:
        rows = part_of(table, label)
        frame.ax.barh(np.arange(len(rows)), rows["gain"], height=0.66, color=visible(BLUE, frame.colors))
        names = []
        for place, row in enumerate(rows.to_dict("records")):
            give, take = row["give_up"], row["take_up"]
            gives, takes = pd.notna(give), pd.notna(take)
            names.append(f"{give} for {take}" if gives and takes else f"without {give}" if gives else f"with {take}")
            cost = "cost not known" if math.isnan(row["cost_change"]) else f"cost {_signed(row['cost_change'])}"
            what = short_name(str(titles[take])) if takes and pd.notna(titles[take]) else ""
            text = "\n".join(filter(None, [what, f"+{row['gain']:.3g}, {cost}"]))
            write_notes(frame, place, text)
        name_rows(frame, names)
        frame.ax.set_xlim(0, reach)
        finish(frame, "x", "{:.3g}".format)
        write_title(frame, *heads[label])
    return panels[0][1].ax


def _swaps_text(before: pd.Series[float]) -> str:
    if not len(before):
        return "No exchange of a diagram brings this design nearer to the others"
    return (
        f"Exchanges that bring this design nearest to the others; its agreement with them is {before.iloc[0]:.3f} now"
    )


def _signed(amount: float) -> str:
    return f"{'+' if amount > 0 else ''}{short_amount(amount)}"


@with_letters
def draw_pareto(front: Any, title: str, currency: str, units: Units, ax: Axes | None, theme: ThemeName) -> Axes:
    """A point for each choice, with its number of diagrams; the knee is larger."""
    table = front.points
    names = (front.x, front.y)
    factors = [units.per_hectare if name == "conflict" else 1.0 for name in names]
    x, y = (table[name].to_numpy(dtype=float) * factor for name, factor in zip(names, factors, strict=True))
    knee = None if front.knee is None else (x[front.knee], y[front.knee])
    subtitle = _front_text(front, knee)
    frame = frame_for(ax, theme, tall((9, 5.4), [(title, subtitle)]))
    ax, colors, _, size = frame
    hue = visible(BLUE, colors)
    ax.plot(x, y, color=hue, linewidth=1.4, marker="o", markersize=0.5 * size, clip_on=False)
    for place, row in enumerate(table.itertuples()):
        if place in (0, len(table) - 1) or row.knee:
            text = counted(row.diagrams, "diagram") + (" (knee)" if row.knee else "")
            left = x[place] > (x.min() + x.max()) / 2
            style: dict[str, Any] = {"ha": "right" if left else "left", "va": "bottom", "size": 0.88 * size}
            ax.annotate(
                text,
                (x[place], y[place]),
                (-6 if left else 6, 6),
                textcoords="offset points",
                color=colors.ink,
                **style,
            )
    if knee is not None:
        ax.plot(*knee, color=hue, marker="o", markersize=1.1 * size, fillstyle="none", clip_on=False)
    finish(frame, "x")
    finish(frame, "y")
    name_axis(frame, "x", _name_of(front.x, currency, units))
    write_title(frame, title, subtitle, name_axis(frame, "y", _name_of(front.y, currency, units)))
    return ax


def _front_text(front: Any, knee: tuple[float, float] | None) -> str:
    text = f"{counted(len(front.points), 'choice')} by {front.x} and {front.y}, none better in both"
    if front.is_complete:
        text = f"All {text}"
    if knee is not None:
        named = zip(knee, (front.x, front.y), strict=True)
        x, y = (short_amount(at) if name == "cost" else f"{at:,.3g}" for at, name in named)
        text += f". The knee is at {x} and {y}"
    if (worst := front.points["gap"].max()) > 0:
        text += f". Not all are proven: gaps are up to {100 * worst:.2g} %"
    if front.excluded:
        text += f". Left out: {counted(len(front.excluded), 'diagram')} of unknown figures"
    return text


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
    what = "Share of their diagrams that two designs could keep together without a conflict on land"
    if show == "matrix":
        below = kept.where(np.tril(np.ones(kept.shape, dtype=bool), -1)).iloc[1:, :-1]
        matrix = Matrix(100 * below, lambda value: f"{value:.0f} %", BLUE, largest=100.0, is_half=True)
        return draw_matrix(matrix, frame_for(ax, theme, matrix.inches([(title, what)])), title, what)
    subtitle = f"{what}; for groups, the mean of all pairs"
    frame = frame_for(ax, theme, tall((9, 0.45 * max(len(kept), 2) + 1.8), [(title, subtitle)]))
    steps, order = _groups(kept.to_numpy(dtype=float))
    height = {label: float(place) for place, label in enumerate(order)}
    share = dict.fromkeys(range(len(kept)), 1.0)
    hue = visible(BLUE, frame.colors)
    for number, (one, other, joined) in enumerate(steps, len(kept)):
        ends = [height[one], height[other]]
        for group in (one, other):
            frame.ax.plot([100 * share[group], 100 * joined], [height[group]] * 2, color=hue, linewidth=1.6)
        frame.ax.plot([100 * joined] * 2, ends, color=hue, linewidth=1.6)
        height[number], share[number] = sum(ends) / 2, joined
    name_rows(frame, [str(kept.index[label]) for label in order])
    least = min((joined for *_, joined in steps), default=0.0)
    frame.ax.set_xlim(100, 100 * least - 0.05 * max(100 * (1 - least), 1))
    finish(frame, "x", "{:g} %".format)
    write_title(frame, title, subtitle)
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
