"""The sections of the report about amounts: targets and budgets, years, rates, the best choice, other quantities."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._planning.money import MAX_PERIODS, in_periods
from pygeodesign._planning.targets import counted_status
from pygeodesign._report.answers import Answers
from pygeodesign._report.shown import anchored, hue, ids_of, links, name_of, over


def targets(answers: Answers) -> str:
    """Every design in a table of its own."""
    if not len(answers.compared.systems):
        return paragraph("The project has no systems, so there are no targets and no budgets.")
    return "".join(_targets_of(answers, scope) for scope in answers.figures.scopes)


def _targets_of(answers: Answers, scope: str) -> str:
    compared, figures = answers.compared, answers.figures
    frame = answers.of(answers.targets, scope)
    rows: list[Any] = []
    for row in frame.itertuples():
        missing, beyond = row.area_status == "missed", row.budget_status == "missed"
        rows.append(
            (
                hue(compared, row.sysid, row.system),
                "none" if pd.isna(row.target_ha) else figures.area(row.target_ha),
                figures.area(row.area_ha, row.outside_ha),
                over(f"{figures.area(row.missing_ha)} missing", True) if missing else _said(row.area_status),
                "none" if pd.isna(row.budget) else figures.money(row.budget),
                figures.money(row.cost),
                over(f"{figures.money(row.over_budget)} over", True) if beyond else _said(row.budget_status),
                links(ids_of(compared, scope, row.sysid)),
            )
        )
    area, cost = figures.area(frame["area_ha"].sum()), figures.money(frame["cost"].sum())
    rows.append(("Total", "", area, "", "", cost, "", "all above"))
    of_area, of_money = f" ({figures.units.area})", figures.money_unit
    columns = [
        Column("System", "text"),
        Column(f"Target{of_area}"),
        figures.summed,
        Column("Target is"),
        *(Column(f"{name}{of_money}") for name in ("Budget", "Cost")),
        Column("Budget is"),
        Column("Diagrams", "ids"),
    ]
    unknown = [("cost", "unpriced"), ("area", "unmeasured")]
    notes = [f"{int(frame[column].sum())} whose {what} is not known" for what, column in unknown if frame[column].sum()]
    note = paragraph(f"Not in the sums: diagrams, {' and '.join(notes)}.") if notes else ""
    met = (counted_status(frame[name]) for name in ("area_status", "budget_status"))
    summary = paragraph(f"{name_of(scope)}: targets {next(met)}; budgets {next(met)}.")
    number = answers.number(scope)
    anchors = [*(f"t{number}-{sysid}" for sysid in frame["sysid"]), f"t{number}"]
    return table(name_of(scope), columns, rows, anchors) + summary + note


def _said(status: str) -> str:
    return "" if status == "none" else status


def schedule(answers: Answers) -> str:
    frame = answers.schedule
    if not frame.index.get_level_values("year").notna().any():
        return paragraph("No diagram has a start and an end date, so nothing says when it is built.")
    text = ""
    for scope in answers.figures.scopes:
        years = answers.years(scope)
        text += paragraph(f"{scope}: it has no diagram.") if years is None else _schedule_of(answers, scope, years)
    return text


def _schedule_of(answers: Answers, scope: str, frame: Any) -> str:
    compared, figures, attrs = answers.compared, answers.figures, answers.schedule.attrs
    diagrams: Any = compared.diagrams.loc[ids_of(compared, scope)]
    start: Any
    end: Any
    start, end = (pd.to_datetime(diagrams[name]) for name in ("start_date", "end_date"))
    dated = start.notna() & end.notna() & (start.dt.normalize() <= end.dt.normalize())
    rows = []

    def add(period: str, under_way: Any, row: Any, worth: str | None) -> None:
        ids = sorted(diagrams.index[under_way])
        worths = [] if worth is None else [worth]
        rows.append((period, len(ids), figures.area(row["area_ha"]), figures.money(row["cost"]), *worths, links(ids)))

    for first, row in in_periods(frame).iterrows():
        last = int(row["last"])
        under_way = dated & (start.dt.year <= last) & (end.dt.year >= first)
        worth = figures.money(row["present_value"]) if attrs else None
        add(str(first) if first == last else f"{first} to {last}", under_way, row, worth)
    for _, row in frame[frame.index.isna()].iterrows():
        share = "" if pd.isna(row["cost_share"]) else f", {row['cost_share']:.0%} of the cost"
        add(f"without dates{share}", ~dated, row, "" if attrs else None)
    columns = [
        Column("Year" if frame.index.notna().sum() <= MAX_PERIODS else "Years", "text"),
        Column("Diagrams under way"),
        figures.summed,
        Column(f"Cost{figures.money_unit}"),
        *([Column(f"Present value{figures.money_unit}")] if attrs else []),
        Column("Their ids", "ids"),
    ]
    caption = f"{name_of(scope)}: what each year costs and changes"
    text = anchored(f"y{answers.number(scope)}", table(caption, columns, rows))
    if attrs:
        value = attrs["net_present_value"]
        amount = figures.full_money(value if scope == "project" else value[scope])
        undated = ", without what has no dates" if frame.index.isna().any() else ""
        text += paragraph(
            f"{name_of(scope)}: at {100 * attrs['rate']:g} % per year, all years together are worth {amount} in "
            f"{attrs['base_year']}{undated}."
        )
    return text


def sensitivity(answers: Answers) -> str:
    compared, figures, percent = answers.compared, answers.figures, answers.percent
    frame = answers.sensitivity
    if not frame["change"].gt(0).any():
        return paragraph("No cost follows the rate of a system, so no rate changes the total.")
    text = ""
    money = figures.money_unit
    columns = [
        Column("System", "text"),
        Column(f"At -{percent:g} %{money}"),
        Column(f"Cost now{money}"),
        Column(f"At +{percent:g} %{money}"),
        Column("Budget reached at"),
        Column("Diagrams that follow the rate", "ids"),
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
                breaks = over("no rate", True)
            ids = sorted(follows.index[follows["sysid"] == sysid])
            rows.append((hue(compared, sysid, row["system"]), *amounts, breaks, links(ids)))
        anchors = [f"s{answers.number(scope)}-{sysid}" for sysid in own.index]
        text += table(f"{name_of(scope)}: the cost of each system at other rates", columns, rows, anchors)
    return text


def optimum(answers: Answers) -> str:
    compared, figures, best = answers.compared, answers.figures, answers.optimum
    if best is None:
        return paragraph("Not computed: no system has a target.")
    rows = []
    systems: Any = best.systems
    for sysid, row in systems.iterrows():
        own = [number for number in best.chosen if compared.diagrams.loc[number, "sysid"] == sysid]
        target = "none" if pd.isna(row["target_ha"]) else figures.area(row["target_ha"])
        missing = "" if pd.isna(row["missing_ha"]) else figures.area(row["missing_ha"])
        name = hue(compared, sysid, row["system"])
        rows.append((name, target, figures.area(row["area_ha"]), missing, figures.money(row["cost"]), links(own)))
    unit = figures.units.area
    columns = [
        Column("System", "text"),
        Column(f"Target ({unit})"),
        figures.summed,
        Column(f"Missing ({unit})"),
        Column(f"Cost{figures.money_unit}"),
        Column("Chosen diagrams", "ids"),
    ]
    proof = "which is proven to be the least" if not best.gap else f"at most {100 * best.gap:.2g} % above the least"
    summary = (
        f"{len(best.chosen)} projects for {figures.full_money(best.cost)} of {figures.full_money(best.budget)} "
        f"leave a shortfall of {best.shortfall:.3f}, {proof}."
    )
    return paragraph(summary) + table("The best choice of projects under the budget", columns, rows)


def quantities(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    per_hectare = answers.arguments("quantities")["per_hectare"]
    columns = [Column("System", "text"), figures.summed, *(Column(name) for name in per_hectare)]
    columns.append(Column("Projects", "ids"))
    text = ""
    for scope in figures.scopes:
        frame: Any = compared.quantities(per_hectare, scope)
        rows: list[Any] = []
        for row in frame.to_dict("records"):
            amounts = ["" if pd.isna(row[name]) else f"{row[name]:,.1f}" for name in per_hectare]
            own = [n for n in ids_of(compared, scope, row["sysid"]) if compared.diagrams.loc[n, "kind"] != "policy"]
            name = hue(compared, row["sysid"], row["system"])
            rows.append((name, figures.area(row["area_ha"]), *amounts, links(own)))
        totals = (f"{frame[name].sum():,.1f}" for name in per_hectare)
        rows.append(("Total", figures.area(frame["area_ha"].sum()), *totals, "all above"))
        text += table(f"{name_of(scope)}: projects only", columns, rows)
    return text
