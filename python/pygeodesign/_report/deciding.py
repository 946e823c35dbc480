"""The sections of the report about decisions: the negotiated design, exchanges, alliances, choices, and criteria."""

from __future__ import annotations

import math
from functools import partial
from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Column, Markup, paragraph, table
from pygeodesign._planning.negotiation import Negotiation
from pygeodesign._planning.pareto import COST, SHORTFALL
from pygeodesign._report.answers import Answers
from pygeodesign._report.charts import Row, curve, figure, rows_of_bars
from pygeodesign._report.drawing import Maps, diagrams_on
from pygeodesign._report.shown import UNKNOWN, links, title_of
from pygeodesign._text import counted

# Millimetres of paper.
MAP_SIZE = (110.0, 90.0)
# Classes of the style sheet from the lightest to the darkest.
SHADES = tuple(f"agree{shade}" for shade in range(1, 6))


def negotiation(answers: Answers) -> str:
    """What is chosen, and what each design gives up for it."""
    figures, result = answers.figures, answers.negotiation
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
        + _map_of(answers, result)
        + _kept(answers, result)
        + table("What each design gives up", columns, rows)
        + (table("Why diagrams of the designs are not chosen", why_not, reasons) if reasons else "")
    )


def _map_of(answers: Answers, result: Negotiation) -> str:
    """The chosen diagrams on the land."""
    compared = answers.compared
    made = Maps(compared, "ground-of-negotiated", *MAP_SIZE)
    draw = partial(diagrams_on, compared.diagrams.loc[result.chosen], compared.systems)
    drawn = made.drawn(draw, f"Map of the {counted(len(result.chosen), 'diagram')} of the negotiated design")
    said = "The negotiated design: projects are filled, policies dashed outlines, lines drawn."
    return made.land + figure(drawn, said) if drawn else ""


def _kept(answers: Answers, result: Negotiation) -> str:
    """The share of its diagrams that each design keeps."""
    rows = []
    for label, row in zip(result.teams.index, result.teams.to_dict("records"), strict=True):
        share = row["kept"] / row["diagrams"] if row["diagrams"] else 0.0
        bars = [(share, "bar"), (1 - share if row["diagrams"] else 0.0, "claimed")]
        rows.append(Row(_named(answers, str(label)), bars, f"{row['kept']} of {row['diagrams']}"))
    alt = "; ".join(f"{row.name} keeps {row.text}" for row in rows)
    return figure(rows_of_bars(rows, alt), "The diagrams that each design keeps, and in grey what it gives up.")


def _named(answers: Answers, label: str) -> str:
    """A design beside a bar; also one that the page is not about."""
    return answers.compared._short_labels.get(label, label)


def swaps(answers: Answers) -> str:
    """The exchanges of one diagram that bring designs nearer to each other."""
    compared, figures = answers.compared, answers.figures
    if len(compared.designs) < 2:
        return paragraph("There are fewer than two designs, so there is nothing to exchange.")
    scope = "designs" if figures.scope == "project" else figures.scope
    frame = compared.swaps(scope=scope, **{"compatible": answers.compatible} | dict(answers.arguments("swaps")))
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
    most = float(frame["after"].max()) or 1.0
    bars = []
    for row in frame.to_dict("records"):
        out, into = ("nothing" if pd.isna(row[name]) else f"{row[name]:.0f}" for name in ("give_up", "take_up"))
        parts = [(row["before"] / most, "claimed"), ((row["after"] - row["before"]) / most, "bar")]
        name = f"{_named(answers, row['design'])}: {out} for {into}"
        bars.append(Row(name, parts, f"{row['before']:.3f} to {row['after']:.3f}"))
    alt = "; ".join(f"{row.name}: agreement from {row.text}" for row in bars)
    said = f"Agreement now in grey, and what the exchange adds; the longest bar is {most:.3f}."
    return figure(rows_of_bars(bars, alt), said) + table("The exchanges that gain most agreement", columns, rows)


def alliances(answers: Answers) -> str:
    """How much each pair of designs could keep."""
    compared, figures = answers.compared, answers.figures
    if len(compared.designs) < 2:
        return paragraph("There are fewer than two designs, so there is nobody to sign with.")
    given = {"compatible": answers.compatible, "progress": answers.progress} | dict(answers.arguments("alliances"))
    frame = compared.alliances(**given)
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
    bars = [
        Row(
            f"{_named(answers, row['design_a'])}, {_named(answers, row['design_b'])}",
            [] if pd.isna(row["kept_share"]) else [(row["kept_share"], "bar"), (1 - row["kept_share"], "claimed")],
            UNKNOWN if pd.isna(row["kept_share"]) else f"{100 * row['kept_share']:.1f} %",
        )
        for row in frame.to_dict("records")
    ]
    alt = "; ".join(f"{row.name} could keep {row.text}" for row in bars)
    picture = figure(rows_of_bars(bars, alt), "What each pair could keep of its diagrams.")
    return picture + table("Who could sign together", columns, rows) + (paragraph(Markup(note)) if note else "")


def front(answers: Answers) -> str:
    """The choices of a front, each with its diagrams."""
    figures, found = answers.figures, answers.front

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
    caption = f"Choices by {found.x} and {found.y}"
    points = found.points[[found.x, found.y]].astype(float).to_numpy().tolist()
    picture = ""
    if points:
        names = (f"{found.x}{units.get(found.x, '')}", f"{found.y}{units.get(found.y, '')}")
        alt = f"{caption}: {counted(len(points), 'point')} on a line, numbered as in the table"
        drawn = curve([(x, y) for x, y in points], -1 if found.knee is None else found.knee, names, alt)
        picture = figure(drawn, "The choices, numbered as in the table; the knee has a ring.")
    return picture + table(caption, columns, rows) + (paragraph(Markup(text)) if text else "")


def weighing(answers: Answers) -> str:
    """Under which share of all weights each design is first, and how teams rank them."""
    compared, given = answers.compared, answers.arguments("weighing")
    frame = compared.weighing(**given)
    ranks = range(1, len(frame) + 1)
    teams = [str(name).removeprefix("rank: ") for name in frame.columns if str(name).startswith("rank: ")]
    best = given["best"]
    sides = ", ".join(f"{name} (best at its {'least' if side == 'min' else 'most'})" for name, side in best.items())
    text = paragraph(
        f"Criteria: {sides}. Each counts from 0, the worst of the designs, to 1, the best; weights are drawn "
        f"{frame.attrs['samples']:,} times, with the seed {frame.attrs['seed']}, all equally likely."
    )
    rows, bars = [], []
    for label, row in zip(frame.index, frame.to_dict("records"), strict=True):
        shares = [row[f"rank_{rank}"] for rank in ranks]
        own = (str(row[f"rank: {team}"]) for team in teams)
        rows.append((str(label), *(f"{100 * share:.1f} %" for share in shares), *own))
        parts = [(share, _shade(rank, len(frame))) for rank, share in zip(ranks, shares, strict=True)]
        bars.append(Row(_named(answers, str(label)), parts, f"first in {100 * shares[0]:.0f} %"))
    columns = [
        Column("Design", "text"),
        *(Column(f"Rank {rank}") for rank in ranks),
        *(Column(f"For {team}") for team in teams),
    ]
    alt = "; ".join(f"{row.name} is {row.text} of all weights" for row in bars)
    said = "The share of all weights under which a design has each rank; the first rank is the darkest."
    text += figure(rows_of_bars(bars, alt), said) + table("Designs under all weights", columns, rows)
    if "apart" in frame.attrs:
        agree, apart = frame.attrs["kendalls_w"], frame.attrs["apart"]
        far = max(apart, key=lambda name: apart[name])
        how = UNKNOWN if pd.isna(agree) else f"{agree:.2f}"
        text += paragraph(
            f"Kendall's W of these rankings, from 0 (no agreement) to 1, is {how}. "
            f"Farthest from the mean ranks of the others is {far}, by {apart[far]:.1f} places on average."
        )
    return text


def _shade(rank: int, designs: int) -> str:
    return SHADES[round((len(SHADES) - 1) * (1 - (rank - 1) / max(designs - 1, 1)))]
