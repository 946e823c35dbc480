"""Pictures of a comparison: the consensus layer as a map; similarity, conflicts and impacts as tables of colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from geopandas import GeoDataFrame
from matplotlib.axes import Axes

from pygeodesign._pictures.fonts import with_letters
from pygeodesign._pictures.map import draw_map
from pygeodesign._pictures.matrix import Matrix, draw_matrices, draw_matrix
from pygeodesign._pictures.shown import COLUMNS, Shown, map_rows
from pygeodesign._pictures.style import BLUE, RED, Label, ThemeName, frame_for, part_of, shades_of, title_of
from pygeodesign._text import Units, counted, of_currency, short_amount, short_number

# The key of the constraints' row, which no system has.
CONSTRAINTS = -1
# In the cell of two systems that may share land.
ALLOWED = "may\nshare"
# The least strength of the colour of a missed target or budget.
MISSED = 0.25


def draw_consensus(
    layer: GeoDataFrame,
    designs: int,
    boundaries: GeoDataFrame,
    title: str,
    note: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The consensus layer as a map: the more designs change a place, the more its colour contrasts with the paper."""
    ax, colors, *_ = frame_for(ax, theme, (9, 6.6))
    shades = shades_of(designs, colors)
    rows = layer.assign(
        group=-layer["designs"],
        label=[f"{count} of {counted(designs, 'design')}" for count in layer["designs"]],
        color=[shades[count - 1] for count in layer["designs"]],
        is_policy=False,
        # A place is of several systems, so it has the pattern of none.
        sysid=None,
    )
    rows = GeoDataFrame(pd.DataFrame(rows).reindex(columns=COLUMNS), geometry="geometry", crs=4326)
    by_any, by_several = (units.area_text(layer.loc[layer["designs"] >= least, "area_ha"].sum()) for least in (1, 2))
    if designs == 1:
        subtitle = f"Land changed by the design: {by_any}"
    else:
        several = "both" if designs == 2 else "several"
        subtitle = f"Land changed by at least one of {designs} designs: {by_any}; by {several}: {by_several}"
    outline = map_rows(boundaries) if len(boundaries) else None
    return draw_map(Shown(map_rows(rows), outline, title, subtitle, note), ax, units, theme)


@with_letters
def draw_similarity(table: pd.DataFrame, by: str, title: str, ax: Axes | None, theme: ThemeName) -> Axes:
    """The similarity of designs as a matrix, each pair once; the colours range from 0 to 1."""
    below = table.where(np.tril(np.ones(table.shape, dtype=bool), -1))
    what = "diagrams" if by == "diagrams" else "cost"
    subtitle = f"Share of their {what} that two designs have in common (Jaccard index): 0 is none, 1 is all"
    matrix = Matrix(below.iloc[1:, :-1], lambda value: f"{value:.2f}", BLUE, largest=1.0, is_half=True)
    return draw_matrix(matrix, frame_for(ax, theme, matrix.inches([(title, subtitle)])), title, subtitle)


@with_letters
def draw_conflicts(
    pairs: pd.DataFrame,
    labels: dict[Label, str],
    names: pd.Series[str],
    allowed: set[tuple[int, int]],
    title: str,
    where: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The land that each pair of systems claims as a matrix; the constraints are the last row, if any.

    `labels` has a note for each design; the `allowed` pairs of systems are left out of `pairs`.
    """
    closed = bool(pairs["sysid_b"].isna().any())
    ids = names.index.tolist()
    rows, columns = [*ids[1:], *([CONSTRAINTS] if closed else [])], ids if closed else ids[:-1]
    heads = [names.to_dict().get(key, "constraints") for key in rows]
    empty = pd.DataFrame(np.nan, index=rows, columns=columns)
    for place, sysid in enumerate(columns):
        empty.loc[[*ids[place + 1 :], *rows[len(ids) - 1 :]], sysid] = 0.0
    words = pd.DataFrame("", index=rows, columns=columns)
    for one, other in allowed:
        if one in columns and other in rows and ids.index(one) < ids.index(other):
            empty.loc[other, one] = np.nan
            words.loc[other, one] = ALLOWED
    tables = {}
    for label in labels:
        tables[label] = empty.copy()
        own = part_of(pairs, label)
        for one, other, area in zip(own["sysid_a"], own["sysid_b"], own["area_ha"], strict=True):
            tables[label].loc[CONSTRAINTS if pd.isna(other) else other, one] = area * units.per_hectare
    largest = max((np.nanmax(table.to_numpy(), initial=0.0) for table in tables.values()), default=0.0)
    matrices = {}
    for label, table in tables.items():
        note = f". {labels[label]}" if labels[label] else ""
        subtitle = f"Land that projects of two systems claim {where}, in {units.area}{note}"
        style: dict[str, Any] = {"largest": largest, "words": words, "is_half": True}
        matrix = Matrix(table, short_number, RED, rows=heads, columns=names[columns], **style)
        matrices[label] = (matrix, title_of(title, label), subtitle)
    return draw_matrices(matrices, ax, theme)


@with_letters
def draw_impact(
    pairs: pd.DataFrame,
    labels: Sequence[Label],
    names: pd.Series[str],
    title: str,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The impact of each system (row) on each other system (column)."""
    rows, columns = (names[names.index.isin(pairs[side])] for side in ("sysid_a", "sysid_b"))
    largest = pairs["impact"].abs().max() if len(pairs) else 0.0
    subtitle = "Impact of each system (row) on the others (column): hectares of its projects, times their weight"
    matrices = {}
    for label in labels:
        table = part_of(pairs, label).pivot(index="sysid_a", columns="sysid_b", values="impact")
        table = table.reindex(index=rows.index, columns=columns.index).astype(float)
        matrix = Matrix(table, short_number, BLUE, RED, largest, rows=rows, columns=columns)
        matrices[label] = (matrix, title_of(title, label), subtitle)
    return draw_matrices(matrices, ax, theme)


@with_letters
def draw_targets(
    table: pd.DataFrame,
    labels: Mapping[Label, Label],
    by: str,
    title: str,
    currency: str,
    units: Units,
    ax: Axes | None,
    theme: ThemeName,
) -> Axes:
    """The share of its target or budget that each system (row) reaches with each design (column), by short label."""
    area = by == "area"
    parts = {label: part_of(table, label).set_index("sysid") for label in labels}
    names = next(iter(parts.values()))["system"]
    strengths, words = (pd.DataFrame(index=names.index, columns=range(len(labels))) for _ in range(2))
    statuses = {label: part["area_status" if area else "budget_status"] for label, part in parts.items()}
    for place, (label, part) in enumerate(parts.items()):
        reached = part["current_ha"].fillna(0) + part["area_ha"] if area else part["cost"]
        wanted, gap = part["target_ha" if area else "budget"], part["missing_ha" if area else "over_budget"]
        shares: Any = reached / wanted.where(wanted != 0)
        for sysid, share in shares.items():
            lack = f"-{units.area_text(gap[sysid])}" if area else f"+{short_amount(gap[sysid])}"
            cell = _reached(statuses[label][sysid], share, lack, area)
            strengths.loc[sysid, place], words.loc[sysid, place] = cell
    columns = [label or "all diagrams of the project" for label in labels.values()]
    style: dict[str, Any] = {"largest": 1.0, "rows": names, "columns": columns, "words": words}
    matrix = Matrix(strengths.astype(float), None, BLUE, RED, **style)
    subtitle = _met(list(statuses.values()), "target" if area else "budget")
    if area:
        subtitle += ", policies included. Where one is missed: the share that is reached, and the area that is missing"
    else:
        subtitle += ". Where one is exceeded: the share that is spent, and the amount beyond it"
        subtitle += of_currency(currency, " in ")
    return draw_matrix(matrix, frame_for(ax, theme, matrix.inches([(title, subtitle)])), title, subtitle)


def _met(statuses: list[pd.Series[str]], what: str) -> str:
    """The sentence with the numbers of targets or budgets that each design meets, such as `1 to 4 of 9`."""
    few, *_, many = sorted((status == "met").sum() for status in statuses * 2)
    of = counted(max((status != "none").sum() for status in statuses), what)
    if len(statuses) == 1:
        return f"{few} of {of} {'is' if few == 1 else 'are'} met"
    return f"Each of {len(statuses)} designs meets {few if few == many else f'{few} to {many}'} of {of}"


def _reached(status: str, share: float, lack: str, area: bool) -> tuple[float, str]:
    """The strength of a cell's colour, 1 if met and below 0 if missed, and its text."""
    if status not in ("met", "missed"):
        words = f"no {'target' if area else 'budget'}" if status == "none" else status
        return np.nan, words.replace(" ", "\n")
    if status == "met":
        return 1.0, "met" if area or np.isnan(share) else f"met\n{100 * share:,.0f} %"
    if np.isnan(share):
        return -1.0, lack
    # A narrow miss is not rounded to 100 %.
    percent = math.floor(100 * share) if area else math.ceil(100 * share)
    gap = 1 - share if area else share - 1
    # Also a narrow miss has a colour.
    return -min(1.0, MISSED + (1 - MISSED) * gap), f"{percent:,} %\n{lack}"
