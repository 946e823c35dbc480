"""The sections of the report about decisions: the negotiated design, exchanges, and the choices that are all best."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Column, Markup, paragraph, table
from pygeodesign._planning.negotiation import Negotiation
from pygeodesign._planning.pareto import COST, SHORTFALL, Front
from pygeodesign._report.answers import Answers
from pygeodesign._report.shown import UNKNOWN, links, title_of
from pygeodesign._text import counted


def negotiation(answers: Answers, result: Negotiation) -> str:
    """What is chosen, and what each design gives up for it."""
    figures = answers.figures
    limit = "" if math.isinf(result.budget) else f" of {escape(figures.full_money(result.budget))}"
    proof = "which is proven to be the most" if not result.gap else f"at most {100 * result.gap:.2g} % below the most"
    cost = escape(figures.full_money(result.cost))
    text = (
        f"{counted(len(result.chosen), 'diagram')} for {cost}{limit} have the support "
        f"{result.support:g} of {result.most:g}, {proof}: {links(result.chosen)}."
    )
    for ids, what in (
        (result.unpriced, "Their cost is not known, so it is in no sum"),
        (result.without_geometry, "Their land is not known, so nothing says whether they are in conflict"),
        (result.excluded, "Not chosen, as their cost is not known"),
    ):
        text += f" {what}: {links(ids)}." if ids else ""
    rows = []
    for label, row in zip(result.teams.index, result.teams.to_dict("records"), strict=True):
        cost = figures.money(row["cost_given_up"])
        cost += f" and {counted(row['unpriced'], 'unknown cost')}" if row["unpriced"] and cost != UNKNOWN else ""
        lost = (figures.area(row["area_ha_given_up"]), cost, links(row["given_up_ids"]))
        rows.append((str(label), f"{row['weight']:g}", f"{row['kept']} of {row['diagrams']}", *lost))
    columns = [
        Column("Design", "text"),
        Column("Weight"),
        Column("Kept"),
        Column(f"Given up, summed ({figures.units.area})"),
        Column(f"Given up{figures.money_unit}"),
        Column("Diagrams given up", "ids"),
    ]
    reasons = []
    for number, why in zip(result.diagrams.index, result.diagrams.to_dict("records"), strict=True):
        if not why["chosen"]:
            against = links(why["conflicts_with"]) if why["conflicts_with"] else ""
            title = title_of(why["title"])
            reasons.append((links([number]), title, f"{why['support']:g}", why["reason"], against))
    why_not = [
        Column("Id"),
        Column("Diagram", "text"),
        Column("Support"),
        Column("Not chosen for"),
        Column("In conflict with", "ids"),
    ]
    return (
        paragraph(Markup(text))
        + table("What each design gives up", columns, rows)
        + (table("Why diagrams of the designs are not chosen", why_not, reasons) if reasons else "")
    )


def swaps(answers: Answers) -> str:
    """The exchanges of one diagram that bring designs nearer to each other."""
    compared, figures = answers.compared, answers.figures
    if len(compared.designs) < 2:
        return paragraph("There are fewer than two designs, so there is nothing to exchange.")
    frame = compared.swaps(answers.swaps, "designs" if figures.scope == "project" else figures.scope)
    if not len(frame):
        return paragraph("No exchange of one diagram brings a design nearer to the others.")
    rows = []
    for row in frame.to_dict("records"):
        ids = (links([row[name]]) if pd.notna(row[name]) else "none" for name in ("give_up", "take_up"))
        near = (f"{row['before']:.3f}", f"{row['after']:.3f}", figures.money(row["cost_change"]))
        rows.append((row["design"], *ids, *near, ", ".join(row["also_in"])))
    columns = [
        Column("Design", "text"),
        Column("Gives up", "ids"),
        Column("Takes up", "ids"),
        Column("Agreement now"),
        Column("Then"),
        Column(f"Cost of the exchange{figures.money_unit}"),
        Column("Which also is in", "text"),
    ]
    return table("The exchanges that gain most agreement", columns, rows)


def alliances(answers: Answers) -> str:
    """How much each pair of designs could keep."""
    compared, figures = answers.compared, answers.figures
    if len(compared.designs) < 2:
        return paragraph("There are fewer than two designs, so there is nobody to sign with.")
    frame = compared.alliances(compatible=answers.compatible, progress=answers.progress)
    rows = []
    for row in frame.to_dict("records"):
        both = sorted(set(compared.designs[row["design_a"]]) & set(compared.designs[row["design_b"]]))
        kept = UNKNOWN if pd.isna(row["kept_share"]) else f"{100 * row['kept_share']:.1f} %"
        kept += f", at most {100 * row['gap']:.2g} % below the most" if row["gap"] else ""
        areas = (figures.area(row[name]) for name in ("shared_land_ha", "conflict_ha"))
        rows.append((row["design_a"], row["design_b"], kept, f"{row['conflicts']:,}", *areas, links(both)))
    columns = [
        Column("Design", "text"),
        Column("and design", "text"),
        Column("Could keep"),
        Column("Conflicts"),
        Column(f"Land that both change, each place once ({figures.units.area})"),
        Column(f"Land in conflict, summed over pairs ({figures.units.area})"),
        Column("Diagrams that both have", "ids"),
    ]
    unknown = frame.attrs["without_geometry"]
    note = (
        f"Their land is not known, so nothing says whether they are in conflict: {links(unknown)}." if unknown else ""
    )
    return table("Who could sign together", columns, rows) + (paragraph(Markup(note)) if note else "")


def front(answers: Answers, found: Front) -> str:
    """The choices of a front, each with its diagrams."""
    figures = answers.figures

    def shown(name: str, amount: Any) -> str:
        if pd.isna(amount):
            return ""
        if name == COST:
            return figures.money(amount)
        return figures.area(amount) if name == "conflict" else f"{amount:,.3f}"

    units = {COST: figures.money_unit, "conflict": f" ({figures.units.area})"}
    step = "per cent of a target" if found.y == SHORTFALL else f"unit of {found.y}"
    columns = [
        Column("Choice"),
        *(Column(f"{name[:1].upper()}{name[1:]}{units.get(name, '')}") for name in (found.x, found.y)),
        Column(f"What the next {step} takes of {found.x}{units.get(found.x, '')}"),
        Column("Proven to within"),
        Column("Chosen diagrams", "ids"),
    ]
    rows = []
    for number, row in enumerate(found.points.to_dict("records"), 1):
        sums = (shown(name, row[name]) for name in (found.x, found.y))
        gap = "exact" if not row["gap"] else f"{100 * row['gap']:.2g} %"
        price = row["price"] / (figures.units.per_hectare if found.y == "conflict" else 1)
        name = f"{number}, the knee" if row["knee"] else str(number)
        rows.append((name, *sums, shown(found.x, price), gap, links(row["chosen"])))
    text = "These are all choices of which none is better in both sums." if found.is_complete else ""
    if found.excluded:
        text += f" Never chosen, as a figure of them is not known: {links(found.excluded)}."
    return table(f"Choices by {found.x} and {found.y}", columns, rows) + (paragraph(Markup(text)) if text else "")
