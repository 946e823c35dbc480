"""Bars of a comparison: land by class, agreement, optimum, changed rates, and costs by year."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from pygeodesign._looks import NO_COLOR
from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.shown import EVALUATION_COLORS
from pygeodesign._pictures.style import (
    LINE_HEIGHT,
    Colors,
    Frame,
    Label,
    ThemeName,
    cell_size,
    color,
    frame_for,
    label_width,
    line_scale,
    panels_for,
    part_of,
    points,
    quieten,
    shades_of,
    short_name,
    text_width,
    title_of,
    visible,
    write_beside,
    write_legend,
    write_title,
)
from pygeodesign._planning.years import in_periods
from pygeodesign._text import Units, counted, listed, money, short_amount

YEAR_COLOR = "#2c7fb8"


@with_letters
def draw_suitability(
    table: pd.DataFrame,
    labels: dict[Label, str],
    title: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The land of each system in each class of its map, as bars. `labels` has a note for each design."""
    classes = [name for name in table.columns if name not in ("design", "team", "system", "land_ha")]
    systems = table["system"][~table.index.duplicated()]
    inches = (9, 0.42 * max(len(systems), 2) + 2)
    panels = panels_for(list(labels), ax, theme, inches)
    for label, frame in panels:
        rows = part_of(table, label).drop(columns="system").reindex(systems.index)
        _draw_classes(rows, systems, classes, frame, units)
        note = f"; {labels[label]}" if labels[label] else ""
        subtitle = f"Land of each system, summed over diagrams, in each class of its evaluation map{note}"
        write_title(frame.ax, title_of(title, label), subtitle, frame.colors, frame.size + 1.5, title_width(frame))
    return panels[0][1].ax


def _draw_classes(rows: pd.DataFrame, systems: pd.Series[str], classes: list[str], frame: Frame, units: Units) -> None:
    ax, colors, _, size = frame
    shares = rows[classes].div(rows[classes].sum(axis=1), axis=0)
    places, lefts = np.arange(len(rows)), np.zeros(len(rows))
    for name in classes:
        hue = visible(EVALUATION_COLORS.get(name, NO_COLOR), colors)
        lengths = 100 * shares[name].fillna(0.0).to_numpy()
        ax.barh(places, lengths, left=lefts, height=0.66, color=hue, edgecolor=colors.paper, linewidth=0.6)
        lefts += lengths
    name_rows(frame, systems)
    ax.set_xlim(0, 100)
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0f} %")
    quieten(ax, colors, size)
    for place, (hectares, known) in enumerate(zip(rows["land_ha"], shares.notna().any(axis=1), strict=True)):
        text = "no land" if pd.isna(hectares) else units.area_text(hectares) + ("" if known else "\nno map")
        write_beside(ax, place, text, size=size, color=colors.ink)
    handles = [Patch(color=visible(EVALUATION_COLORS.get(name, NO_COLOR), colors), label=name) for name in classes]
    write_legend_below(frame, handles, 1)


def write_legend_below(frame: Frame, handles: list[Any], lines: float) -> None:
    """A legend under the axes and their texts, with entries side by side if they fit."""
    longest = max((text_width(str(each.get_label()), frame.size) for each in handles), default=0) + 5 * frame.size
    write_legend(
        frame.ax,
        frame.colors,
        handles=handles,
        ncols=max(1, min(len(handles), int(0.6 * frame.width / longest))),
        bbox_to_anchor=(0, 0),
        bbox_transform=frame.ax.transAxes + points(frame.ax, 0, -lines * LINE_HEIGHT * frame.size - 4),
        fontsize=frame.size,
        borderaxespad=0,
    )


def title_width(frame: Frame) -> float:
    """The width left by the names of the rows."""
    return frame.width - max([0.0, *label_width(frame.ax, frame.size)]) - 4 * frame.size


def name_rows(frame: Frame, names: pd.Series[str]) -> None:
    """Writes a name next to each row, the first at the top."""
    short = names.map(short_name).tolist()
    while max((text_width(name, frame.size) for name in short), default=0) > 0.35 * frame.width:
        short = [
            f"{name.rstrip('…')[:-1]}…" if text_width(name, frame.size) > 0.35 * frame.width else name for name in short
        ]
    frame.ax.set_yticks(np.arange(len(short)), short, parse_math=False)
    frame.ax.set_ylim(max(len(short), 1) - 0.5, -0.5)


@with_letters
def draw_sensitivity(
    table: pd.DataFrame,
    labels: Sequence[Label],
    hues: pd.Series[str],
    title: str,
    currency: str,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The total at the lower and the higher rate of each system, with the largest change at the top."""
    percent = table.attrs["percent"]
    order = table["change"].groupby(level=0, sort=False).max().sort_values(ascending=False, kind="stable").index
    # Without any change there is still an axis.
    reach = 1.05 * (table["change"].max() if table["change"].gt(0).any() else 1.0)
    panels = panels_for(labels, ax, theme, (9, 0.42 * max(len(order), 2) + 1.8))
    for label, frame in panels:
        rows = part_of(table, label).loc[order]
        _draw_changes(rows, percent, hues, frame)
        frame.ax.set_xlim(-reach, reach)
        total = money(rows["cost"].sum(min_count=1), currency)
        subtitle = (
            f"How the total cost of {total}, summed over diagrams, changes if one rate is {percent:g} % lower or higher"
        )
        write_title(frame.ax, title_of(title, label), subtitle, frame.colors, frame.size + 1.5, title_width(frame))
    return panels[0][1].ax


def _draw_changes(rows: pd.DataFrame, percent: float, hues: pd.Series[str], frame: Frame) -> None:
    ax, colors, _, size = frame
    change = rows["change"].to_numpy(dtype=float)
    ax.barh(
        np.arange(len(rows)),
        2 * change,
        left=-change,
        height=0.66,
        color=[visible(color(hues[sysid]), colors) for sysid in rows.index],
        edgecolor=colors.faint,
        linewidth=0.6,
    )
    ax.axvline(0, color=colors.ink, linewidth=1)
    for place, row in enumerate(rows.itertuples()):
        limit, is_over = _limit(row, percent)
        text = "\n".join(filter(None, [f"± {short_amount(row.change)}", limit]))  # type: ignore[arg-type]
        write_beside(ax, place, text, size=0.85 * size, linespacing=1.1, color=colors.over if is_over else colors.ink)
    name_rows(frame, rows["system"])
    finish(ax, "x", colors, size)
    ax.xaxis.set_major_formatter(lambda amount, _: f"{'+' if amount > 0 else ''}{short_amount(amount)}")


def _limit(row: Any, percent: float) -> tuple[str, bool]:
    """The change at which a system's cost equals its budget, and True if that is within `percent`."""
    if pd.isna(row.cost):
        return "cost not known", False
    if pd.isna(row.budget):
        return "", False
    if math.isfinite(row.breaks_budget_at):
        met = "" if row.breaks_budget_at >= 0 else "over budget; met at "
        return f"{met or 'over budget from '}{row.breaks_budget_at:+.0f} %", row.breaks_budget_at < percent
    return ("over budget at any rate", True) if row.cost > row.budget else ("", False)


@with_letters
def draw_schedule(
    table: pd.DataFrame, labels: Sequence[Label], title: str, currency: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """The cost of each period as bars, and the cumulative cost as a line on its own axis.

    Diagrams without dates are a separate bar, which the line leaves out.
    """
    panels = panels_for(labels, ax, theme, (9, 4.2))
    parts = [
        table if label is None else table[table.index.get_level_values("design") == label].droplevel("design")
        for label, _ in panels
    ]
    # The same periods and scales in all panels.
    length = max(in_periods(part).attrs["years"] for part in parts)
    periods = [in_periods(part, length) for part in parts]
    first = min((part.index.min() for part in periods if len(part)), default=0)
    last = max((part["last"].max() for part in periods if len(part)), default=first - length)
    undated = [part[part.index.isna()] for part in parts]
    limits = (first - length, last + length * (2.5 if any(map(len, undated)) else 1))
    drawn = [
        _draw_years(dated, row["cost"], limits, frame)
        for dated, row, (_, frame) in zip(periods, undated, panels, strict=True)
    ]
    period = "year" if length == 1 else f"{length} years"
    for part, row, (label, frame), (bars, line) in zip(parts, undated, panels, drawn, strict=True):
        bars.set_ylim(0, max(one.get_ylim()[1] for one, _ in drawn))
        line.set_ylim(0, max(one.get_ylim()[1] for _, one in drawn))
        bars.set_ylabel(f"cost of the {period}", color=frame.colors.ink, size=frame.size)
        line.set_ylabel(f"cost until the end of the {period} (line)", color=frame.colors.ink, size=frame.size)
        total = part["cost"].sum(min_count=1 if len(part) else 0)
        subtitle = f"Cost per {period}, summed over diagrams: {money(total, currency)} in all"
        for cost, count in zip(row["cost"], row["diagrams"], strict=True):
            share = f" ({cost / total:.0%} of the cost)" if total else ""
            subtitle += f"; {counted(int(count), 'diagram')} without dates{share}"
        write_title(bars, title_of(title, label), subtitle, frame.colors, frame.size + 1.5, 0.8 * frame.width)
    return panels[0][1].ax


def _draw_years(
    periods: pd.DataFrame, undated: pd.Series[float], limits: tuple[float, float], frame: Frame
) -> tuple[Axes, Axes]:
    ax, colors, width, size = frame
    length = periods.attrs["years"]
    middles = (periods.index.to_numpy(dtype=float) + periods["last"].to_numpy(dtype=float)) / 2
    style: dict[str, Any] = {"width": 0.72 * length, "linewidth": 0.6}
    ax.bar(middles, periods["cost"], color=visible(YEAR_COLOR, colors), edgecolor=colors.faint, **style)
    apart = limits[1] - length
    ax.bar([apart] * len(undated), undated, color=colors.paper, edgecolor=colors.ink, hatch="////", **style)
    ax.set_xlim(limits)
    # The label for diagrams without dates is below the last years.
    end = apart - 0.09 * (limits[1] - limits[0]) if len(undated) else limits[1]
    years = MaxNLocator(integer=True, nbins=max(2, min(10, int(width / 60)))).tick_values(*limits)
    ticks = {float(year): f"{year:.0f}" for year in years if limits[0] < year < end} if len(periods) else {}
    ticks |= {apart: "no dates"} if len(undated) else {}
    ax.set_xticks(list(ticks), list(ticks.values()))
    finish(ax, "y", colors, size)
    together = ax.twinx()
    together.plot(middles, periods["cost"].cumsum(), color=colors.ink, linewidth=1.6, marker="o", markersize=2.5)
    finish(together, "y", colors, size)
    together.grid(visible=False)
    together.tick_params(axis="x", labelbottom=False)
    return ax, together


@with_letters
def draw_agreement(
    table: pd.DataFrame, diagrams: pd.DataFrame, systems: pd.Series[str], title: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """The number of diagrams per system that many designs have, few, or none: stacked bars, darker for more."""
    designs = table.shape[1] - 1
    frame = frame_for(ax, theme, (9, 0.42 * max(len(systems), 2) + 2))
    ax, colors, _, size = frame
    shades = [colors.land, *shades_of(designs, colors)]
    counts = pd.crosstab(diagrams["sysid"], table["chosen"]).reindex(index=systems.index, fill_value=0)
    places, lefts = np.arange(len(systems)), np.zeros(len(systems))
    used = [number for number in range(designs, -1, -1) if number in counts]
    for number in used:
        style: dict[str, Any] = {"color": shades[number], "edgecolor": colors.faint, "linewidth": 0.6}
        ax.barh(places, counts[number], left=lefts, height=0.66, **style)
        lefts += counts[number].to_numpy()
    for place, sysid in enumerate(systems.index):
        chosen = table.loc[diagrams["sysid"] == sysid, "chosen"]
        most = int(chosen.max()) if len(chosen) else 0
        ids = chosen.index[chosen == most]
        text = f"{most} of {designs}: {listed(ids.tolist(), 3)}" if most else "in no design" if len(chosen) else "none"
        write_beside(ax, place, text, size=0.85 * size, color=colors.ink)
    name_rows(frame, systems)
    ax.set_xlim(0, 1.02 * max(1, lefts.max(initial=0)))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    quieten(ax, colors, size)
    ax.set_xlabel("diagrams; at the right, those that most designs have", color=colors.ink, size=size)
    names = [f"in {number} of {designs}" if number else "in no design" for number in used]
    handles = [
        Patch(facecolor=shades[number], edgecolor=colors.faint, label=name)
        for number, name in zip(used, names, strict=True)
    ]
    write_legend_below(frame, handles, 2.4)
    several = int((table["chosen"] > 1).sum())
    subtitle = f"In how many of {counted(designs, 'design')} each of {counted(len(table), 'diagram')} is: "
    subtitle += f"{several:,} in several, {int((table['chosen'] == 0).sum()):,} in none"
    write_title(ax, title, subtitle, colors, size + 1.5, title_width(frame))
    return ax


@with_letters
def draw_optimum(
    best: Any,
    policies: pd.DataFrame,
    hues: pd.Series[str],
    title: str,
    currency: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The area of each system with the chosen diagrams, as a bar, and a mark at its target."""
    table = best.systems
    frame = frame_for(ax, theme, (9, 0.5 * max(len(table), 2) + 2))
    ax, colors, width, size = frame
    places = np.arange(len(table))
    today, chosen, target = (
        table[name].to_numpy(dtype=float) * units.per_hectare for name in ("current_ha", "area_ha", "target_ha")
    )
    today = np.nan_to_num(today)
    style: dict[str, Any] = {"height": 0.66, "edgecolor": colors.faint, "linewidth": 0.6}
    ax.barh(places, today, color=colors.land, hatch="////", **style)
    ax.barh(places, chosen, left=today, color=[visible(color(hues[sysid]), colors) for sysid in table.index], **style)
    wanted = np.isfinite(target)
    mark = 2.2 * line_scale(width)
    ax.vlines(
        target[wanted],
        places[wanted] - 0.42,
        places[wanted] + 0.42,
        color=colors.ink,
        linewidth=mark,
        path_effects=[withStroke(linewidth=mark + 1.6, foreground=colors.paper)],
        clip_on=False,
    )
    # If two lines are higher than a row, one wider line is used.
    between = "\n" if cell_size(ax)[1] > 3.6 * size * len(table) else ", "
    for place, row in enumerate(table.itertuples()):
        # Less than a square metre does not count.
        is_missed = row.missing_ha >= 1e-4
        met = "no target" if pd.isna(row.target_ha) else "target met"
        lines = [f"{units.area_text(row.missing_ha)} missing" if is_missed else met, "nothing chosen"]
        if row.diagrams:
            lines[1] = f"{counted(row.diagrams, 'diagram')}, cost {short_amount(row.cost)}"
        style = {"size": 0.85 * size, "linespacing": 1.1, "color": colors.over if is_missed else colors.ink}
        write_beside(ax, place, between.join(lines), **style)
    name_rows(frame, table["system"])
    ax.set_xlim(0, 1.04 * max([*(today + chosen), *target[wanted], 0.0]) or 1.0)
    finish(ax, "x", colors, size)
    ax.xaxis.set_major_formatter(lambda area, _: f"{area:,.0f}")
    ax.set_xlabel(f"{units.area}, summed over diagrams", color=colors.ink, size=size)
    upright: dict[str, Any] = {"marker": "|", "markersize": 1.2 * size, "markeredgewidth": mark}
    handles: list[Any] = [Patch(facecolor=colors.land, edgecolor=colors.faint, hatch="////", label="today")]
    handles = (handles if today.any() else []) + [
        Line2D([], [], color=colors.ink, linestyle="none", label="target", **upright)
    ]
    write_legend_below(frame, handles, 2.4)
    proof = "proven to be the least" if not best.gap else f"at most {100 * best.gap:.2g} % above the least"
    subtitle = (
        f"The choice under a budget of {money(best.budget, currency)}: {counted(len(best.chosen), 'diagram')} for "
        f"{short_amount(best.cost)}, sum of shortfalls {best.shortfall:.3g}, {proof}"
    )
    if len(policies):
        area = units.area_text(policies["area_ha"].sum())
        subtitle += f"; among them {len(policies):,} {'policy' if len(policies) == 1 else 'policies'} with {area}"
    if best.excluded:
        subtitle += f"; {counted(len(best.excluded), 'diagram')} of unknown cost or area left out"
    write_title(ax, title, subtitle, colors, size + 1.5, title_width(frame))
    return ax


def finish(ax: Axes, along: Literal["x", "y"], colors: Colors, size: float) -> None:
    """A light grid, and short amounts along one axis."""
    axis = ax.xaxis if along == "x" else ax.yaxis
    axis.set_major_formatter(lambda amount, _: short_amount(amount))
    ax.locator_params(axis=along, nbins=5)
    ax.grid(axis=along, color=colors.faint, linewidth=0.6)
    ax.set_axisbelow(True)
    quieten(ax, colors, size)
    for side in ax.spines.values():
        side.set_visible(False)
