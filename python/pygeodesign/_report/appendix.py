"""The appendix of a report: the key figures, all diagrams, and the glossary."""

from __future__ import annotations

from html import escape

import pandas as pd

from pygeodesign._html import Column, Markup, paragraph, table
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.shown import SHOWN_HA, hue, links, name_of, title_of
from pygeodesign._planning.land.lands import land_once
from pygeodesign._planning.summary import cost_of
from pygeodesign._text import counted


def key_figures(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    everything = list(compared.diagrams.index)
    any_design = sorted({number for ids in compared.designs.values() for number in ids})
    scopes = {f"{name_of('project')}, alternatives included": everything}
    if len(compared.designs) > 1:
        scopes["In any of the designs, alternatives included"] = any_design
    rows = []
    for name, ids in (scopes | compared.designs).items():
        own = compared.diagrams.loc[ids]
        is_policy = own["kind"] == "policy"
        areas = (
            own["area_ha"].sum(),
            own["area_ha"][is_policy].sum(),
            land_once(compared._lands.of(own.geometry[~is_policy])),
        )
        money = (figures.money(cost_of(own)), int(own["cost"].isna().sum()))
        made_of = Markup('<a href="#diagrams">all diagrams</a>') if ids is everything else links(ids)
        rows.append((name, len(ids), *map(figures.area, areas), *money, made_of))
    unit = figures.units.area
    columns = [
        Column("Diagrams of", "text"),
        Column("Diagrams"),
        figures.summed,
        Column(f"of it policies ({unit})"),
        Column(f"Land of projects, each place once ({unit})"),
        Column(f"Cost{figures.money_unit}"),
        Column("Without known cost"),
        Column("Made of", "ids"),
    ]
    unknown = compared.without_geometry
    note = f" The land of {links(unknown)} is not known: their hectares are in the sum only." if unknown else ""
    keys = ["project", *([None] if len(compared.designs) > 1 else []), *compared.designs]
    anchors = [f"k{answers.number(key)}" if key in figures.scopes else f"all{place}" for place, key in enumerate(keys)]
    return table("Size and cost, policies included", columns, rows, anchors) + paragraph(
        Markup(
            "The area summed over diagrams is what costs and targets count: policies too, and land that two diagrams "
            "cover twice. The land that projects change counts each place once, and no policies, which change none; it "
            f"is what the map of where designs agree shows.{note}"
        )
    )


def diagrams(answers: Answers) -> str:
    """A table of diagrams for each system."""
    compared, figures = answers.compared, answers.figures
    if not len(compared.diagrams):
        return paragraph("The project has no diagrams.")
    chosen: dict[int, list[int]] = {number: [] for number in compared.diagrams.index}
    for place, ids in enumerate(compared.designs.values(), 1):
        for number in ids:
            chosen[number].append(place)
    text = ""
    if compared.designs:
        numbered = "; ".join(f"{place}: {label}" for place, label in enumerate(compared.designs, 1))
        text = paragraph(f"The designs by their number: {numbered}.")
    outside = compared._outside_ha
    if len(beyond := outside[outside >= SHOWN_HA]):
        amount = f"{figures.area(beyond.sum())} {figures.units.area}"
        text += paragraph(
            f"Summed over diagrams, {amount} of {counted(len(beyond), 'diagram')} lie outside the study area; they "
            "count and cost like any other."
        )
    columns = [
        Column("Id"),
        Column("Diagram", "text"),
        Column("Kind"),
        Column(f"Area ({figures.units.area})"),
        Column(f"Length ({figures.units.length})"),
        Column("Rate from"),
        Column(f"Cost{figures.money_unit}"),
        Column("In designs"),
    ]
    for sysid, own in compared.diagrams.groupby("sysid", sort=False):
        name = compared.systems["name"].get(sysid, f"System {sysid}")
        rows = []
        for number, row in own.iterrows():
            kind = "not known" if pd.isna(row["kind"]) else row["kind"]
            size = (figures.area(row["area_ha"], outside[number]), figures.length(row["length_km"]))
            source = {"override": "diagram"}.get(row["rate_source"], row["rate_source"])
            places = ", ".join(map(str, chosen[number])) or "none"
            rows.append((number, title_of(row["title"]), kind, *size, source, figures.money(row["cost"]), places))
        text += f"<h3>{hue(compared, sysid, name)}</h3>"
        total = figures.full_money(own["cost"].sum())
        caption = f"{counted(len(own), 'diagram')}, {total} in all"
        text += table(caption, columns, rows, [f"d{number}" for number in own.index])
    return text


def words(answers: Answers) -> str:
    meanings = WORDS | (
        {"acre, mile": "4,046.8564224 square metres; 1,609.344 metres."} if answers.figures.units.name == "us" else {}
    )
    return (
        "<dl>" + "".join(f"<dt>{word}</dt><dd>{escape(meaning)}</dd>" for word, meaning in meanings.items()) + "</dl>"
    )


WORDS = {
    "summed, each place once": (
        "Hectares summed over diagrams count land that two diagrams cover twice. Land counts each place once."
    ),
    "system": (
        "One of the themes of the project, such as water or housing, with its rate, its budget and its target area."
    ),
    "diagram": "One idea on the map, by one author, for one system. Its id is the one that it has in the project.",
    "project, policy": (
        "A diagram is a project, which is built and has a cost, or a policy, which changes no land and costs "
        "nothing unless it has a total of its own. A diagram whose kind is not known counts as a project."
    ),
    "change team": "People who make designs together, from one point of view.",
    "design": "A choice of diagrams that a change team saved.",
    "evaluation map": (
        "A map of a system with classes of land, from red, where change is least wanted, to green, where it "
        "is most wanted."
    ),
    "agreement": "How many designs have chosen the same diagram.",
    "similarity": (
        "The diagrams that two designs share, divided by those that either of them has (Jaccard 1912): 1 for "
        "the same diagrams, 0 for none in common. By cost, each diagram counts as much as it costs."
    ),
    "consensus": "Each place with the number of designs that change it; places with the same number are added up.",
    "conflict": (
        "Land that projects of two systems, or two diagrams, of a design claim, each place once. What is at stake is "
        "the shared area times what a hectare of each of the two costs."
    ),
    "cost": (
        "The total of the diagram where it has one; 0 for a policy; else its own rate, or that of its system, "
        "times its area. A diagram of lines only costs its rate times its length."
    ),
    "met, missed, nothing planned": (
        "A target is met by what a system covers today and the diagrams of the design together, a budget by a cost "
        "that is not higher. Nothing is planned where the design has no diagram of the system."
    ),
    "area, length": "Geodesic on the WGS 84 ellipsoid (Karney 2013).",
    "target, missing": (
        "The area that a system is to cover; missing is the target, less what it covers today, less the area "
        "of the diagrams of the design."
    ),
    "present value": "What a later cost is worth today: the cost divided by (1 + rate) for each year in between.",
    "sensitivity": "What the total becomes if the rate of one system is lower or higher and all else stays.",
    "optimum": (
        "The projects under the budget that leave the least sum of shortfalls; the shortfall of a system is "
        "the share of its target that is missing (minimum shortfall, Hanson et al. 2025)."
    ),
    "support": (
        "How many designs have a diagram, each counted with its weight; of a choice, the sum over its diagrams. The "
        "negotiated design is the choice with the most support, without conflicts on land and within the budget."
    ),
    "front, knee": (
        "The choices of which none is better in one sum without being worse in the other (Pareto). The knee is the "
        "choice that is farthest from the line between both ends, each sum divided by its range (Das 1999)."
    ),
    "not known": "The project does not say. What is not known is in no sum, and counts as unknown, not as 0.",
}
