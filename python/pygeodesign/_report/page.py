"""The report of a comparison: a page that needs nothing else, section by section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from pygeodesign import _progress
from pygeodesign._html import Column, Markup, page, paragraph, table
from pygeodesign._planning.explained import land_once, outside_hectares
from pygeodesign._planning.land import polygons
from pygeodesign._report import amounts, sections
from pygeodesign._report.shown import Figures, hue, links, name_of, title_of
from pygeodesign._text import counted, units_named

if TYPE_CHECKING:
    from pygeodesign._planning import Questions

# Of what lies outside the study area, less than this is 0.0 in a table.
SHOWN_HA = 0.05
# The heading of each section by its anchor, and its question.
SECTIONS = {
    "figures": ("Key figures", "What the project and each design hold and cost."),
    "agreement": (
        "Where designs agree",
        "Which diagrams several designs have chosen, how alike designs are, and which land they change together.",
    ),
    "conflicts": (
        "Where diagrams collide",
        "Land that projects of several systems claim within one design, and the cost at stake there.",
    ),
    "suitability": (
        "Whether the land suits",
        "On which classes of the evaluation map of their system the diagrams lie, policies included, summed over "
        "diagrams.",
    ),
    "targets": (
        "Targets and budgets",
        "For each design and system: the area against the target, the cost against the budget. Areas are summed over "
        "diagrams, policies included; what a system covers today counts towards its target. A budget that a design "
        "spends nothing of, because it has no diagram of the system, is neither met nor missed: nothing is planned.",
    ),
    "schedule": (
        "When it is built",
        "What each year costs and changes if the cost of each diagram is spread evenly over its days. Areas are summed "
        "over diagrams, policies included.",
    ),
    "sensitivity": (
        "If rates change",
        "What the diagrams cost if the rate of one system is {percent:g} % lower or higher.",
    ),
    "optimum": (
        "The best choice under a budget",
        "The projects, of all diagrams of the project, that leave the least of all targets missing. Policies are no "
        "choice for money: they cost nothing, and are left out.",
    ),
    "quantities": (
        "Other quantities",
        "What the projects of each design bring by the hectare, as given for this report.",
    ),
    "diagrams": (
        "All diagrams",
        "Every diagram with its figures, by system; the ids elsewhere in this report lead here.",
    ),
    "words": ("What the words mean", "In the order in which they build on each other."),
}


def report_page(
    compared: Questions,
    title: str | None,
    currency: str,
    units: str,
    scope: str,
    budget: float | None,
    per_hectare: Mapping[str, Mapping[Any, float]] | None,
    percent: float,
    rate: float | None,
    compatible: Any,
    progress: bool | None,
) -> str:
    """The whole page as text."""
    if scope == "designs" and not compared.designs:
        scope = "project"
    scopes = tuple(label or "project" for label in compared._in_scope(scope))
    figures = Figures(units_named(units), currency, scope, scopes)
    writers: dict[str, Callable[[], str]] = {
        "figures": lambda: key_figures(compared, figures),
        "agreement": lambda: sections.agreement(compared, figures),
        "conflicts": lambda: sections.conflicts(compared, figures, compatible, progress),
        "suitability": lambda: sections.suitability(compared, figures),
        "targets": lambda: amounts.targets(compared, figures),
        "schedule": lambda: amounts.schedule(compared, figures, rate),
        "sensitivity": lambda: amounts.sensitivity(compared, figures, percent),
        "diagrams": lambda: diagrams(compared, figures),
        "words": lambda: _words(units),
    }
    if budget is not None:
        writers["optimum"] = lambda: _optimum(compared, figures, budget)
    if per_hectare:
        writers["quantities"] = lambda: amounts.quantities(compared, figures, per_hectare)
    contents, body = "", ""
    with _progress.counting("sections of the report", len(writers), progress) as advance:
        for key, (name, question) in SECTIONS.items():
            if key in writers:
                contents += f'<li><a href="#{key}">{name}</a></li>'
                text = paragraph(question.format(percent=percent)) + writers[key]()
                body += f'<section id="{key}"><h2>{name}</h2>{text}</section>'
                advance(1)
    heading = title if title is not None else compared.title
    nav = f'<nav aria-label="Contents"><ul>{contents}</ul></nav>'
    subject = paragraph(_subject(compared, figures))
    return page(heading, f'<main class="document"><h1>{escape(heading)}</h1>{subject}{nav}{body}</main>')


def _subject(compared: Questions, figures: Figures) -> str:
    """Whose figures these are."""
    if figures.scope == "project":
        without = "" if compared.designs else "No design was given, and no change team has saved one: "
        return f"{without}conflicts, suitability, targets, years and rates are those of all diagrams of the project."
    return f"Conflicts, suitability, targets, years and rates are those of each design: {'; '.join(figures.scopes)}."


def key_figures(compared: Questions, figures: Figures) -> str:
    everything = list(compared.diagrams.index)
    any_design = sorted({number for ids in compared.designs.values() for number in ids})
    scopes = {f"{name_of('project')}, alternatives included": everything}
    if len(compared.designs) > 1:
        scopes["In any of the designs, alternatives included"] = any_design
    rows = []
    for name, ids in (scopes | compared.designs).items():
        own = compared.diagrams.loc[ids]
        is_policy = own["kind"] == "policy"
        areas = (own["area_ha"].sum(), own["area_ha"][is_policy].sum(), land_once(own[~is_policy]))
        money = (figures.money(own["cost"].sum(min_count=1) if ids else 0), int(own["cost"].isna().sum()))
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
    return table("Size and cost, policies included", columns, rows) + paragraph(
        Markup(
            "The area summed over diagrams is what costs and targets count: policies too, and land that two diagrams "
            "cover twice. The land that projects change counts each place once, and no policies, which change none; it "
            f"is what the map of where designs agree shows.{note}"
        )
    )


def diagrams(compared: Questions, figures: Figures) -> str:
    """A table of diagrams for each system."""
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
    outside = pd.Series(outside_hectares(polygons(compared.diagrams.geometry), compared.boundaries), chosen)
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
            area = figures.area(row["area_ha"])
            if outside[number] >= SHOWN_HA:
                area += f", {figures.area(outside[number])} outside"
            size = (area, figures.length(row["length_km"]))
            source = {"override": "diagram"}.get(row["rate_source"], row["rate_source"])
            places = ", ".join(map(str, chosen[number])) or "none"
            rows.append((number, title_of(row["title"]), kind, *size, source, figures.money(row["cost"]), places))
        text += f"<h3>{hue(compared.systems['color'].get(sysid), name)}</h3>"
        total = figures.full_money(own["cost"].sum())
        caption = f"{counted(len(own), 'diagram')}, {total} in all"
        text += table(caption, columns, rows, [f"d{number}" for number in own.index])
    return text


def _optimum(compared: Questions, figures: Figures, budget: float) -> str:
    if not (compared.systems["target_ha"] > 0).any():
        return paragraph("Not computed: no system has a target.")
    return amounts.optimum(compared, figures, budget)


def _words(units: str) -> str:
    words = WORDS | ({"acre, mile": "4,046.8564224 square metres; 1,609.344 metres."} if units == "us" else {})
    return "<dl>" + "".join(f"<dt>{word}</dt><dd>{escape(meaning)}</dd>" for word, meaning in words.items()) + "</dl>"


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
    "not known": "The project does not say. What is not known is in no sum, and counts as unknown, not as 0.",
}
