"""The page of a comparison, section by section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from pygeodesign import _progress
from pygeodesign._pictures.units import units_named
from pygeodesign._report import land, money
from pygeodesign._report.parts import Column, Figures, Markup, hue, links, paragraph, table
from pygeodesign._report.style import CSS, POLICY
from pygeodesign._report.words import WORDS

if TYPE_CHECKING:
    from pygeodesign.planning import Comparison

# Its anchor, its heading, what it answers, and what writes it.
Section: TypeAlias = tuple[str, str, str, Callable[[], str]]


def page(
    compared: Comparison,
    title: str | None,
    currency: str,
    units: str,
    budget: float | None,
    per_hectare: Mapping[str, Mapping[Any, float]] | None,
    percent: float,
    rate: float | None,
    compatible: Any,
    progress: bool | None,
) -> str:
    """The whole page as text."""
    figures = Figures(units_named(units), currency)
    sections: list[Section] = [
        (
            "figures",
            "Key figures",
            "What the project and each design hold and cost.",
            lambda: key_figures(compared, figures),
        ),
        (
            "agreement",
            "Where designs agree",
            "Which diagrams several designs have chosen, how alike designs are, and which land they change together.",
            lambda: land.agreement(compared, figures),
        ),
        (
            "conflicts",
            "Where diagrams collide",
            "Land that projects of several systems claim, in the whole project, and the cost at stake there.",
            lambda: land.conflicts(compared, figures, compatible, progress),
        ),
        (
            "suitability",
            "Whether the land suits",
            "On which classes of the evaluation map of their system the diagrams of the project lie.",
            lambda: land.suitability(compared, figures),
        ),
        (
            "targets",
            "Targets and budgets",
            "For each design and system: the area against the target, the cost against the budget. Each diagram counts "
            "for itself where two overlap; what a system covers today counts towards its target.",
            lambda: money.targets(compared, figures),
        ),
        (
            "schedule",
            "When it is built",
            "What each year costs and changes if the cost of each diagram is spread evenly over its days.",
            lambda: money.schedule(compared, figures, rate),
        ),
        (
            "sensitivity",
            "If rates change",
            f"What all diagrams cost if the rate of one system is {percent:g} % lower or higher.",
            lambda: money.sensitivity(compared, figures, percent),
        ),
    ]
    if budget is not None:
        sections.append(
            (
                "optimum",
                "The best choice under a budget",
                "The diagrams of the project that leave the least of all targets missing.",
                lambda: _optimum(compared, figures, budget),
            )
        )
    if per_hectare:
        sections.append(
            (
                "quantities",
                "Other quantities",
                "What the projects of each design bring by the hectare, as given for this report.",
                lambda: money.quantities(compared, figures, per_hectare),
            )
        )
    sections += [
        (
            "diagrams",
            "All diagrams",
            "Every diagram with its figures, by system; the ids elsewhere in this report lead here.",
            lambda: diagrams(compared, figures),
        ),
        ("words", "What the words mean", "In the order in which they build on each other.", lambda: _words(units)),
    ]
    name = escape(title if title is not None else compared.title)
    contents = "".join(f'<li><a href="#{key}">{escape(heading)}</a></li>' for key, heading, *_ in sections)
    body = "".join(
        f'<section id="{key}"><h2>{escape(heading)}</h2>{paragraph(sentence)}{text}</section>'
        for (key, heading, sentence, _), text in zip(sections, _written(sections, progress), strict=True)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{name}</title><style>{CSS}</style></head><body><main><h1>{name}</h1>"
        f'<nav aria-label="Contents"><ul>{contents}</ul></nav>{body}</main></body></html>\n'
    )


def _written(sections: list[Section], progress: bool | None) -> list[str]:
    """The text of each section, with a progress bar over them."""
    bar = _progress.bar("sections of the report", len(sections), progress)
    texts = []
    try:
        for *_, write in sections:
            texts.append(write())
            if bar is not None:
                bar.update()
    finally:
        if bar is not None:
            bar.close()
    return texts


def key_figures(compared: Comparison, figures: Figures) -> str:
    everything = list(compared.diagrams.index)
    scopes = [("All diagrams of the project", everything), *compared.designs.items()]
    rows = []
    for name, ids in scopes:
        own = compared.diagrams.loc[ids]
        unknown = int(own["cost"].isna().sum())
        cells = (len(ids), figures.area(own["area_ha"].sum()), figures.money(own["cost"].sum()), unknown)
        made_of = Markup('<a href="#diagrams">all diagrams</a>') if ids is everything else links(ids)
        rows.append((name, *cells, made_of))
    columns = [
        Column("Diagrams of", "text"),
        Column("Diagrams"),
        Column(f"Area ({figures.units.area})"),
        Column(f"Cost{figures.money_unit}"),
        Column("Without known cost"),
        Column("Made of", "ids"),
    ]
    return table("Size and cost, policies included", columns, rows)


def diagrams(compared: Comparison, figures: Figures) -> str:
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
            size = (figures.area(row["area_ha"]), figures.length(row["length_km"]))
            source = {"override": "diagram"}.get(row["rate_source"], row["rate_source"])
            places = ", ".join(map(str, chosen[number])) or "none"
            label = "without a title" if pd.isna(row["title"]) else row["title"]
            rows.append((number, label, kind, *size, source, figures.money(row["cost"]), places))
        text += f"<h3>{hue(compared.systems['color'].get(sysid), name)}</h3>"
        total = figures.full_money(own["cost"].sum())
        caption = f"{len(own)} diagram{'' if len(own) == 1 else 's'}, {total} in all"
        text += table(caption, columns, rows, [f"d{number}" for number in own.index])
    return text


def _optimum(compared: Comparison, figures: Figures, budget: float) -> str:
    if find_spec("highspy") is None:
        return paragraph("Not computed: HiGHS is not installed; pip install 'pygeodesign[planning]' brings it.")
    if not (compared.systems["target_ha"] > 0).any():
        return paragraph("Not computed: no system has a target.")
    return money.optimum(compared, figures, budget)


def _words(units: str) -> str:
    words = WORDS | ({"acre, mile": "4,046.8564224 square metres; 1,609.344 metres."} if units == "us" else {})
    return "<dl>" + "".join(f"<dt>{word}</dt><dd>{escape(meaning)}</dd>" for word, meaning in words.items()) + "</dl>"
