"""The sections of the report about years whose amounts may be below zero: cash, and what land gains or loses."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._report.answers import Answers
from pygeodesign._report.charts import Years, figure
from pygeodesign._report.drawing import side_by_side
from pygeodesign._report.shown import UNKNOWN, hue, name_of
from pygeodesign._text import counted

# How many pictures stand side by side, their height, and the width of the page, in millimetres.
COLUMNS, HEIGHT, WIDTH = 2, 42.0, 180.0


def cash_flow(answers: Answers) -> str:
    """What each system and design costs and brings, and the cash of each year."""
    compared, figures, given = answers.compared, answers.figures, answers.arguments("cash_flow")
    frames = {by: compared.cash_flow(**given, scope=figures.scope, by=by) for by in ("system", "design", "year")}
    attrs = frames["design"].attrs
    text = paragraph(
        f"{attrs['years']} years from {attrs['base_year']} on; revenue and operation grow by {100 * attrs['growth']:g} "
        f"% a year, and the net present value is at {100 * attrs['rate']:g} %. Sums are not discounted. Where a cost "
        "or an area is not known, neither are net present value, rate of return and payback."
    )
    amounts = ("investment", "revenue", "operation", "cash", "npv")
    names = ("Investment", "Revenue", "Operation", "Cash", "Net present value")
    columns = [
        Column("System", "text"),
        *(Column(f"{name}{figures.money_unit}") for name in names),
        Column("Rate of return"),
        Column("Paid back in"),
    ]

    def shown(row: Any) -> tuple[str, ...]:
        of_return = "none" if pd.isna(row["irr"]) else f"{100 * row['irr']:.1f} %"
        payback = "none" if pd.isna(row["payback_year"]) else str(row["payback_year"])
        if row["unpriced"] or row["unmeasured"]:
            of_return = payback = UNKNOWN
        return (*(figures.money(row[name]) for name in amounts), of_return, payback)

    for scope in figures.scopes:
        systems = answers.of(frames["system"], scope)
        rows: list[Any] = [
            (hue(compared, row["sysid"], row["system"]), *shown(row)) for row in systems.to_dict("records")
        ]
        (total,) = answers.of(frames["design"], scope).to_dict("records")
        rows.append(("All", *shown(total)))
        text += table(f"{name_of(scope)}: what it costs and brings", columns, rows)
        text += _left_out(
            systems, {"undated": "without dates", "unpriced": "without a cost", "unmeasured": "without area"}
        )
    if own := int(frames["design"]["own_figures"].max()):
        text += paragraph(f"Up to {counted(own, 'diagram')} of a design have own figures, which count before rates.")
    unit = figures.currency or "no currency given"
    return text + _pictures(answers, frames["year"], "cash", f"Cash of each year, not discounted ({unit})")


def stock_change(answers: Answers) -> str:
    """What the land of each system and design gains, and the gain of each year."""
    compared, figures, given = answers.compared, answers.figures, answers.arguments("stock_change")
    frames = {by: compared.stock_change(**given, scope=figures.scope, by=by) for by in ("system", "design", "year")}
    attrs, area = frames["design"].attrs, figures.units.area
    text = paragraph(
        f"{attrs['years']} years from {attrs['base_year']} on; amounts are in {attrs['unit']}, and a gain is positive "
        "where land holds more. Land is each place once: where projects of a design overlap, it counts for the one "
        "that is finished last. Land whose use today or tomorrow is not known is in no amount."
    )
    if attrs["unknown_uses"]:
        text += paragraph(f"Uses of the map without an amount: {', '.join(attrs['unknown_uses'])}.")
    columns = [
        Column("System", "text"),
        figures.land,
        Column(f"Of it not known ({area})"),
        *(Column(f"{name} ({attrs['unit']})") for name in ("Before", "After", "Growth", "Gain")),
        Column(f"Overlap that counts elsewhere ({area})"),
    ]

    def shown(row: Any) -> tuple[str, ...]:
        amounts = (figures.money(row[name]) for name in ("before", "after", "growth", "gain"))
        areas = (figures.area(row[name]) for name in ("land_ha", "unknown_ha"))
        return (*areas, *amounts, figures.area(row["overlap_ha"]))

    for scope in figures.scopes:
        systems = answers.of(frames["system"], scope)
        rows: list[Any] = [
            (hue(compared, row["sysid"], row["system"]), *shown(row)) for row in systems.to_dict("records")
        ]
        (total,) = answers.of(frames["design"], scope).to_dict("records")
        rows.append(("All", *shown(total)))
        text += table(f"{name_of(scope)}: what its land gains", columns, rows)
        text += _left_out(systems, {"undated": "without dates", "without_geometry": "without a geometry"})
        if double := float(systems["map_overlap_ha"].sum()):
            text += paragraph(f"The map has several uses for {figures.read_area(double)} of this land.")
    return text + _pictures(answers, frames["year"], "gain", f"Gain of each year ({attrs['unit']})")


def _left_out(systems: pd.DataFrame, names: Mapping[str, str]) -> str:
    """How many diagrams of which systems are in no sum, and why."""
    missing = [
        f"{row['system']}: {', '.join(counts)}"
        for row in systems.to_dict("records")
        if (counts := [f"{counted(row[name], 'diagram')} {what}" for name, what in names.items() if row[name]])
    ]
    return paragraph(f"Left out, {'; '.join(missing)}.") if missing else ""


def _pictures(answers: Answers, frame: pd.DataFrame, column: str, what: str) -> str:
    """A picture for each design, all with the same scale."""
    scopes = answers.figures.scopes
    columns = min(COLUMNS, len(scopes))
    known = frame[[column, "cumulative"]].fillna(0.0).to_numpy()
    chart = Years(min(float(known.min()), 0.0), max(float(known.max()), 0.0), WIDTH / columns - 4, HEIGHT)
    pictures = ""
    for scope in scopes:
        rows = answers.of(frame, scope)
        last, final = rows["cumulative"].iloc[-1], int(rows["year"].iloc[-1])
        amount = answers.figures.read_amount(last)
        said = f"{amount} in all until {final}" if pd.notna(last) else UNKNOWN
        drawn = chart.drawn(
            [int(year) for year in rows["year"]],
            rows[column].fillna(0.0).tolist(),
            rows["cumulative"].fillna(0.0).tolist(),
            f"{what} of {scope}: {said}",
        )
        pictures += figure(drawn, f"<b>{escape(answers.heading(scope))}</b> {said}")
    note = paragraph(f"{what} as bars, and summed until each year as a line. All pictures have the same scale.")
    return note + side_by_side(columns, pictures) + answers.key()
