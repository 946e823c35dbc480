"""The sections about money and time: targets and budgets, schedule, sensitivity, optimum, other quantities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from pygeodesign._planning.schedule import MAX_PERIODS, in_periods
from pygeodesign._report.parts import Column, Figures, hue, links, over, paragraph, picture, table

if TYPE_CHECKING:
    from pygeodesign.planning import Comparison


def targets(compared: Comparison, figures: Figures) -> str:
    """Every design in a table of its own."""
    if not len(compared.systems):
        return paragraph("The project has no systems, so there are no targets and no budgets.")
    scopes = list(compared.designs) or ["project"]
    parts = [_targets_of(compared, figures, scope) for scope in scopes]
    alone = "" if compared.designs else paragraph("Without a design, all diagrams of the project count.")
    return alone + "".join(parts)


def _targets_of(compared: Comparison, figures: Figures, scope: str) -> str:
    frame: Any = compared.targets(scope)
    rows: list[Any] = []
    for row in frame.itertuples():
        own = ids_of(compared, scope, row.sysid)
        rows.append(
            (
                hue(compared.systems["color"][row.sysid], row.system),
                "none" if pd.isna(row.target_ha) else figures.area(row.target_ha),
                figures.area(row.area_ha),
                "" if pd.isna(row.target_ha) else over(figures.area(row.missing_ha), row.missing_ha > 0),
                "none" if pd.isna(row.budget) else figures.money(row.budget),
                figures.money(row.cost),
                "" if pd.isna(row.budget) else over(figures.money(row.over_budget), row.over_budget > 0),
                links(own),
            )
        )
    cells = (
        "Total",
        "",
        figures.area(frame["area_ha"].sum()),
        "",
        "",
        figures.money(frame["cost"].sum()),
        "",
        "all above",
    )
    rows.append(cells)
    of_area, of_money = f" ({figures.units.area})", figures.money_unit
    columns = [
        Column("System", "text"),
        *(Column(f"{name}{of_area}") for name in ("Target", "Area", "Missing")),
        *(Column(f"{name}{of_money}") for name in ("Budget", "Cost", "Over budget")),
        Column("Diagrams", "ids"),
    ]
    name = "All diagrams of the project" if scope == "project" else scope
    unknown = [("cost", "unpriced"), ("area", "unmeasured")]
    notes = [f"{int(frame[column].sum())} whose {what} is not known" for what, column in unknown if frame[column].sum()]
    note = paragraph(f"Not in the sums: diagrams, {' and '.join(notes)}.") if notes else ""
    return table(name, columns, rows) + note


def ids_of(compared: Comparison, scope: str, sysid: int | None = None) -> list[int]:
    """The ids of the diagrams of a design, or of the project, of one system or all."""
    rows: Any = compared.diagrams if scope == "project" else compared.diagrams.loc[compared.designs[scope]]
    return sorted(rows.index if sysid is None else rows.index[rows["sysid"] == sysid])


def schedule(compared: Comparison, figures: Figures, rate: float | None) -> str:
    frame: Any = compared.schedule(rate=rate)
    if not frame.index.notna().any():
        return paragraph("No diagram has a start and an end date, so nothing says when it is built.")
    start: Any
    end: Any
    start, end = (pd.to_datetime(compared.diagrams[name]) for name in ("start_date", "end_date"))
    dated = start.notna() & end.notna() & (start.dt.normalize() <= end.dt.normalize())
    rows = []

    def add(period: str, under_way: Any, row: Any, *worth: str) -> None:
        ids = sorted(compared.diagrams.index[under_way])
        rows.append((period, len(ids), figures.area(row["area_ha"]), figures.money(row["cost"]), *worth, links(ids)))

    for first, row in in_periods(frame).iterrows():
        last = int(row["last"])
        worth = [figures.money(row["present_value"])] if rate is not None else []
        under_way = dated & (start.dt.year <= last) & (end.dt.year >= first)
        add(str(first) if first == last else f"{first} to {last}", under_way, row, *worth)
    for _, row in frame[frame.index.isna()].iterrows():
        add("without dates", ~dated, row, *([""] if rate is not None else []))
    worth_column = [Column(f"Present value{figures.money_unit}")] if rate is not None else []
    columns = [
        Column("Year" if frame.index.notna().sum() <= MAX_PERIODS else "Years", "text"),
        Column("Diagrams under way"),
        Column(f"Area ({figures.units.area})"),
        Column(f"Cost{figures.money_unit}"),
        *worth_column,
        Column("Their ids", "ids"),
    ]
    drawn = picture(compared.plot_schedule, "The cost of each year as bars and of all years until then as a line.")
    value = ""
    if rate is not None:
        amount = figures.full_money(frame.attrs["net_present_value"])
        base = frame.attrs["base_year"]
        value = paragraph(f"At {100 * rate:g} % per year, all years together are worth {amount} in {base}.")
    return drawn + value + table("What each year costs and changes", columns, rows)


def sensitivity(compared: Comparison, figures: Figures, percent: float) -> str:
    frame: Any = compared.sensitivity(percent)
    if not frame["change"].gt(0).any():
        return paragraph("No cost follows the rate of a system, so no rate changes the total.")

    def draw(**theme: Any) -> Any:
        return compared.plot_sensitivity(percent, **theme)

    drawn = picture(draw, "How much the total changes with the rate of each system, as in the table below.")
    follows = compared.diagrams[compared.diagrams["rate_source"] == "system"]
    rows = []
    for sysid, row in frame.sort_values("change", ascending=False, kind="stable").iterrows():
        limit = row["breaks_budget_at"]
        amounts = (figures.money(row[name]) for name in ("low", "cost", "high"))
        breaks = "" if pd.isna(limit) else over(f"{limit:+.0f} %", limit < percent)
        own = sorted(follows.index[follows["sysid"] == sysid])
        rows.append((hue(compared.systems["color"][sysid], row["system"]), *amounts, breaks, links(own)))
    money = figures.money_unit
    columns = [
        Column("System", "text"),
        Column(f"At -{percent:g} %{money}"),
        Column(f"Cost now{money}"),
        Column(f"At +{percent:g} %{money}"),
        Column("Budget reached at"),
        Column("Diagrams that follow the rate", "ids"),
    ]
    return drawn + table("The cost of each system at other rates", columns, rows)


def optimum(compared: Comparison, figures: Figures, budget: float) -> str:
    best = compared.optimum(budget)
    rows = []
    systems: Any = best.systems
    for sysid, row in systems.iterrows():
        own = [number for number in best.chosen if compared.diagrams.loc[number, "sysid"] == sysid]
        target = "none" if pd.isna(row["target_ha"]) else figures.area(row["target_ha"])
        missing = "" if pd.isna(row["missing_ha"]) else figures.area(row["missing_ha"])
        name = hue(compared.systems["color"][sysid], row["system"])
        rows.append((name, target, figures.area(row["area_ha"]), missing, figures.money(row["cost"]), links(own)))
    unit = figures.units.area
    columns = [
        Column("System", "text"),
        *(Column(f"{name} ({unit})") for name in ("Target", "Area", "Missing")),
        Column(f"Cost{figures.money_unit}"),
        Column("Chosen diagrams", "ids"),
    ]
    proof = "which is proven to be the least" if not best.gap else f"at most {100 * best.gap:.2g} % above the least"
    summary = (
        f"{len(best.chosen)} diagrams for {figures.full_money(best.cost)} of {figures.full_money(budget)} leave a "
        f"shortfall of {best.shortfall:.3f}, {proof}."
    )
    return paragraph(summary) + table("The best choice under the budget", columns, rows)


def quantities(compared: Comparison, figures: Figures, per_hectare: Mapping[str, Mapping[Any, float]]) -> str:
    scopes = list(compared.designs) or ["project"]
    columns = [Column("System", "text"), Column(f"Area ({figures.units.area})")]
    columns += [*(Column(name) for name in per_hectare), Column("Projects", "ids")]
    text = ""
    for scope in scopes:
        frame: Any = compared.quantities(per_hectare, scope)
        rows: list[Any] = []
        for row in frame.to_dict("records"):
            amounts = ["" if pd.isna(row[name]) else f"{row[name]:,.1f}" for name in per_hectare]
            own = [n for n in ids_of(compared, scope, row["sysid"]) if compared.diagrams.loc[n, "kind"] != "policy"]
            name = hue(compared.systems["color"][row["sysid"]], row["system"])
            rows.append((name, figures.area(row["area_ha"]), *amounts, links(own)))
        totals = (f"{frame[name].sum():,.1f}" for name in per_hectare)
        rows.append(("Total", figures.area(frame["area_ha"].sum()), *totals, "all above"))
        text += table("All diagrams of the project" if scope == "project" else scope, columns, rows)
    return text
