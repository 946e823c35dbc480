"""Bars of a comparison: land by class, agreement, optimum, changed rates, and costs by year."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from pygeodesign._evaluation_classes import EVALUATION_COLORS, class_word
from pygeodesign._looks import NO_COLOR
from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.rows import finish, name_axis, name_rows, tick_amount, write_legend_below, write_notes
from pygeodesign._pictures.style import (
    BLUE,
    MAX_PANELS,
    Frame,
    Label,
    ThemeName,
    cell_size,
    color,
    frame_for,
    line_scale,
    panels_for,
    part_of,
    shades_of,
    tall,
    title_of,
    visible,
    write_beside,
    write_title,
)
from pygeodesign._planning.years import in_periods
from pygeodesign._text import Units, counted, listed, money, short_amount


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
    notes = {label: f". {note}" if note else "" for label, note in labels.items()}
    titles = {
        label: (title_of(title, label), f"Share of each system's land in each class of its evaluation map{note}")
        for label, note in notes.items()
    }
    inches = tall((9, 0.45 * max(len(systems), 2) + 2), list(titles.values()))
    panels = panels_for(list(labels), ax, theme, inches)
    for label, frame in panels:
        rows = part_of(table, label).drop(columns="system").reindex(systems.index)
        _draw_classes(rows, systems, classes, frame, units)
        write_title(frame, *titles[label])
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
    finish(frame, "x", "{:.0f} %".format)
    for place, (hectares, known) in enumerate(zip(rows["land_ha"], shares.notna().any(axis=1), strict=True)):
        text = "no land" if pd.isna(hectares) else units.area_text(hectares) + ("" if known else "\nno map")
        write_beside(ax, place, text, size=size, color=colors.ink)
    handles = [
        Patch(color=visible(EVALUATION_COLORS.get(name, NO_COLOR), colors), label=class_word(name)) for name in classes
    ]
    write_legend_below(frame, handles, 1)


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
    totals = {label: money(part_of(table, label)["cost"].sum(min_count=1), currency) for label in labels}
    titles = {
        label: (
            title_of(title, label),
            f"Change of the total cost, {total}, if one system's rate is {percent:g} % lower or higher",
        )
        for label, total in totals.items()
    }
    inches = tall((9, 0.45 * max(len(order), 2) + 1.8), list(titles.values()))
    panels = panels_for(labels, ax, theme, inches)
    for label, frame in panels:
        _draw_changes(part_of(table, label).loc[order], percent, hues, frame)
        frame.ax.set_xlim(-reach, reach)
        write_title(frame, *titles[label])
    return panels[0][1].ax


def _draw_changes(rows: pd.DataFrame, percent: float, hues: pd.Series[str], frame: Frame) -> None:
    ax, colors, *_ = frame
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
        write_notes(frame, place, text, is_over)
    name_rows(frame, rows["system"])
    finish(frame, "x", lambda amount: f"{'+' if amount > 0 else ''}{tick_amount(amount)}")


def _limit(row: Any, percent: float) -> tuple[str, bool]:
    """The change at which a system's cost equals its budget, and True if that is within `percent`."""
    if pd.isna(row.cost):
        return "cost not known", False
    if pd.isna(row.budget):
        return "", False
    if math.isfinite(row.breaks_budget_at):
        met = "" if row.breaks_budget_at >= 0 else "over budget; met at "
        return f"{met or 'over budget from '}{row.breaks_budget_at:+,.0f} %", row.breaks_budget_at < percent
    return ("over budget at any rate", True) if row.cost > row.budget else ("", False)


@with_letters
def draw_schedule(
    table: pd.DataFrame, labels: Sequence[Label], title: str, currency: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """The cost of each period as bars, and the cumulative cost as a line on its own axis.

    Diagrams without dates are a separate bar, which the line leaves out.
    """
    parts = [
        table if label is None else table[table.index.get_level_values("design") == label].droplevel("design")
        for label in labels[:MAX_PANELS]
    ]
    undated = [part[part.index.isna()] for part in parts]
    titles = [
        (title_of(title, label), _years_text(part["cost"], row, currency))
        for label, part, row in zip(labels, parts, undated, strict=False)
    ]
    panels = panels_for(labels, ax, theme, tall((9, 4.6), titles))
    # The same periods and scales in all panels.
    length = max(in_periods(part).attrs["years"] for part in parts)
    periods = [in_periods(part, length) for part in parts]
    first = min((part.index.min() for part in periods if len(part)), default=0)
    last = max((part["last"].max() for part in periods if len(part)), default=first - length)
    limits = (first - length, last + length * (2.5 if any(map(len, undated)) else 1))
    drawn = [
        _draw_years(dated, row["cost"], limits, frame)
        for dated, row, (_, frame) in zip(periods, undated, panels, strict=True)
    ]
    period = "year" if length == 1 else f"{length} years"
    for (_, frame), words, (bars, line) in zip(panels, titles, drawn, strict=True):
        bars.set_ylim(0, max(one.get_ylim()[1] for one, _ in drawn))
        line.set_ylim(0, max(one.get_ylim()[1] for _, one in drawn))
        name_axis(frame._replace(ax=line), "y", "sum so far (line)")
        write_title(frame, *words, above=name_axis(frame, "y", f"cost per {period} (bars)"))
    return panels[0][1].ax


def _years_text(costs: pd.Series[float], undated: pd.DataFrame, currency: str) -> str:
    total = costs.sum(min_count=1 if len(costs) else 0)
    text = f"The diagrams cost {money(total, currency)} in total"
    for cost, count in zip(undated["cost"], undated["diagrams"], strict=True):
        share = f" ({cost / total:.0%} of the cost)".replace("%", " %") if total else ""
        text += f"; {counted(int(count), 'diagram')} {'has' if count == 1 else 'have'} no dates{share}"
    return text


def _draw_years(
    periods: pd.DataFrame, undated: pd.Series[float], limits: tuple[float, float], frame: Frame
) -> tuple[Axes, Axes]:
    ax, colors, width, _ = frame
    length = periods.attrs["years"]
    middles = (periods.index.to_numpy(dtype=float) + periods["last"].to_numpy(dtype=float)) / 2
    style: dict[str, Any] = {"width": 0.72 * length, "linewidth": 0.6}
    ax.bar(middles, periods["cost"], color=visible(BLUE, colors), edgecolor=colors.faint, **style)
    apart = limits[1] - length
    ax.bar([apart] * len(undated), undated, color=colors.paper, edgecolor=colors.ink, hatch="////", **style)
    ax.set_xlim(limits)
    # The label for diagrams without dates is below the last years.
    end = apart - 0.09 * (limits[1] - limits[0]) if len(undated) else limits[1]
    years = MaxNLocator(integer=True, nbins=max(2, min(10, int(width / 60)))).tick_values(*limits)
    ticks = {float(year): f"{year:.0f}" for year in years if limits[0] < year < end} if len(periods) else {}
    ticks |= {apart: "no dates"} if len(undated) else {}
    ax.set_xticks(list(ticks), list(ticks.values()))
    finish(frame, "y")
    together = ax.twinx()
    together.plot(middles, periods["cost"].cumsum(), color=colors.ink, linewidth=1.6, marker="o", markersize=2.5)
    finish(frame._replace(ax=together), "y")
    together.grid(visible=False)
    together.tick_params(axis="x", labelbottom=False)
    return ax, together


@with_letters
def draw_agreement(
    table: pd.DataFrame, diagrams: pd.DataFrame, systems: pd.Series[str], title: str, ax: Axes | None, theme: ThemeName
) -> Axes:
    """The number of diagrams per system that many designs have, few, or none: stacked bars, darker for more."""
    designs = table.shape[1] - 1
    subtitle = _agreement_text(table["chosen"], designs)
    frame = frame_for(ax, theme, tall((9, 0.45 * max(len(systems), 2) + 2.2), [(title, subtitle)]))
    ax, colors, *_ = frame
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
        write_notes(frame, place, text)
    name_rows(frame, systems)
    ax.set_xlim(0, 1.02 * max(1, lefts.max(initial=0)))
    finish(frame, "x", whole=True)
    name_axis(frame, "x", "diagrams; at the right, those that most designs have")
    names = [f"in {number} of {designs}" if number else "in no design" for number in used]
    handles = [
        Patch(facecolor=shades[number], edgecolor=colors.faint, label=name)
        for number, name in zip(used, names, strict=True)
    ]
    write_legend_below(frame, handles, 2.4)
    write_title(frame, title, subtitle)
    return ax


def _agreement_text(chosen: pd.Series[int], designs: int) -> str:
    if designs == 1:
        return f"The design has {(chosen > 0).sum():,} of {counted(len(chosen), 'diagram')}"
    several, nowhere = (chosen > 1).sum(), (chosen == 0).sum()
    text = f"{counted(designs, 'design')} choose from {counted(len(chosen), 'diagram')}"
    return f"{text}: {several:,} {'is' if several == 1 else 'are'} in several designs, {nowhere:,} in none"


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
    subtitle = _optimum_text(best, policies, currency, units)
    frame = frame_for(ax, theme, tall((9, 0.5 * max(len(table), 2) + 2.2), [(title, subtitle)]))
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
        write_notes(frame, place, between.join(lines), is_missed)
    name_rows(frame, table["system"])
    ax.set_xlim(0, 1.04 * max([*(today + chosen), *target[wanted], 0.0]) or 1.0)
    finish(frame, "x", "{:,.0f}".format)
    name_axis(frame, "x", f"{units.area}, summed over diagrams")
    upright: dict[str, Any] = {"marker": "|", "markersize": 1.2 * size, "markeredgewidth": mark}
    handles: list[Any] = [Patch(facecolor=colors.land, edgecolor=colors.faint, hatch="////", label="today")]
    handles = (handles if today.any() else []) + [
        Line2D([], [], color=colors.ink, linestyle="none", label="target", **upright)
    ]
    write_legend_below(frame, handles, 2.4)
    write_title(frame, title, subtitle)
    return ax


def _optimum_text(best: Any, policies: pd.DataFrame, currency: str, units: Units) -> str:
    budget, count = money(best.budget, currency), counted(len(best.chosen), "diagram")
    sentences = [f"The best choice for {budget}: {count}, cost {short_amount(best.cost)}", best._proof()]
    if len(policies):
        what = "1 of them is a policy" if len(policies) == 1 else f"{len(policies):,} of them are policies"
        sentences.append(f"{what}, with {units.area_text(policies['area_ha'].sum())}")
    if best.excluded:
        sentences.append(f"Left out: {counted(len(best.excluded), 'diagram')} of unknown cost or area")
    return ". ".join(sentences)
