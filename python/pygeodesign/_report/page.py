"""The report of a comparison as one file: four pages to read, then the appendix with the proof of each figure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from pygeodesign import _progress
from pygeodesign._html import link, page, paragraph
from pygeodesign._report import amounts, appendix, balance, costs, deciding, land, marks, places, ranges, summary
from pygeodesign._report.answers import Answers
from pygeodesign._report.drawing import patterns

# The headings of the pages that follow the first one.
PAGES = {
    "meets": "What the designs meet",
    "places": "Where they agree and collide",
    "money": "Money",
}


class Section(NamedTuple):
    """A section of the appendix: its heading, its question in a sentence, and what answers it."""

    heading: str
    question: str
    write: Callable[[Answers], str]
    # Whether a report has it only where it is asked for.
    is_asked_for: bool = False


# The sections by their anchors; one that is asked for, or takes arguments, has the name of its question.
SECTIONS: dict[str, Section] = {
    "figures": Section(
        "Key figures",
        "What the project and each design hold and cost.",
        appendix.key_figures,
    ),
    "agreement": Section(
        "Where designs agree",
        "Which diagrams several designs have chosen, how alike designs are, and which land they change together.",
        land.agreement,
    ),
    "conflicts": Section(
        "Where diagrams collide",
        "Land that projects of several systems claim within one design, and the cost at stake there.",
        land.conflicts,
    ),
    "suitability": Section(
        "Whether the land suits",
        "On which classes of the evaluation map of their system the diagrams lie, policies included, summed "
        "over diagrams.",
        land.suitability,
    ),
    "targets": Section(
        "Targets and budgets",
        "For each design and system: the area against the target, the cost against the budget. Areas are "
        "summed over diagrams, policies included; what a system covers today counts towards its target. A "
        "budget that a design spends nothing of, because it has no diagram of the system, is neither met nor "
        "missed: nothing is planned.",
        amounts.targets,
    ),
    "schedule": Section(
        "When it is built",
        "What each year costs and changes if the cost of each diagram is spread evenly over its days. Areas "
        "are summed over diagrams, policies included.",
        amounts.schedule,
    ),
    "sensitivity": Section(
        "If rates change",
        "What the diagrams cost if the rate of one system is {percent:g} % lower or higher.",
        amounts.sensitivity,
    ),
    "uncertainty": Section(
        "Rates that nobody knows",
        "What the diagrams cost, and how likely budgets break, if rates are known as a range.",
        ranges.uncertainty,
        is_asked_for=True,
    ),
    "optimum": Section(
        "The best choice under a budget",
        "The projects, of all diagrams of the project, that leave the least of all targets missing. Policies "
        "are no choice for money: they cost nothing, and are left out.",
        amounts.optimum,
        is_asked_for=True,
    ),
    "negotiate": Section(
        "The negotiated design",
        "The choice of diagrams of the designs that has the most support, without conflicts on land and "
        "within the budget. The support of a diagram is the sum of the weights of the designs that have it.",
        deciding.negotiation,
        is_asked_for=True,
    ),
    "swaps": Section(
        "The next exchanges",
        "For each design the exchanges of one diagram that bring it nearest to the others: its agreement is "
        "the mean of its similarity with each other design.",
        deciding.swaps,
        is_asked_for=True,
    ),
    "alliances": Section(
        "Who could sign together",
        "How many diagrams of two designs could be kept in one, without conflicts on land and whatever it "
        "costs; a diagram of both counts twice.",
        deciding.alliances,
        is_asked_for=True,
    ),
    "pareto": Section(
        "More than one best choice",
        "Choices of diagrams of which none is better in one sum without being worse in the other. The knee is "
        "the choice farthest from the line between both ends.",
        deciding.front,
        is_asked_for=True,
    ),
    "cash_flow": Section(
        "What it costs and brings",
        "The investment of each diagram over its days, and from then on revenue and operation, as given for "
        "this report; net present value, internal rate of return, and the year from which what came in is at "
        "least what was spent.",
        balance.cash_flow,
        is_asked_for=True,
    ),
    "stock_change": Section(
        "What the land was, and what it becomes",
        "What land holds after it is changed, less what it holds today, and what it adds every year from then "
        "on, as given for this report.",
        balance.stock_change,
        is_asked_for=True,
    ),
    "weighing": Section(
        "Criteria that nobody can weigh",
        "Which design is first under which share of all weights of the criteria.",
        deciding.weighing,
        is_asked_for=True,
    ),
    "quantities": Section(
        "Other quantities",
        "What the projects of each design bring by the hectare, as given for this report.",
        amounts.quantities,
        is_asked_for=True,
    ),
    "diagrams": Section(
        "All diagrams",
        "Every diagram with its figures, by system; the ids elsewhere in this report lead here.",
        appendix.diagrams,
    ),
    "words": Section(
        "What the words mean",
        "In the order in which they build on each other.",
        appendix.words,
    ),
}


def report_page(answers: Answers, title: str | None, author: str) -> str:
    """The whole page as text."""
    heading = answers.compared.title if title is None else title
    first: dict[str, Callable[[], str]] = {
        "summary": lambda: summary.summary(answers, heading, author),
        "meets": lambda: marks.marks(answers),
        "places": lambda: places.places(answers),
        "money": lambda: costs.costs(answers),
    }
    proof = {key: section for key, section in SECTIONS.items() if not section.is_asked_for or key in answers.sections}
    pages, sections = "", ""
    with _progress.counting("sections of the report", len(first) + len(proof), answers.progress) as advance:
        for number, (key, write) in enumerate(first.items(), 1):
            above = f"<h2>{number} {PAGES[key]}</h2>" if key in PAGES else ""
            below = _contents_of_pages() if key == "summary" else ""
            pages += f'<section class="sheet" id="{key}">{above}{write()}{below}</section>'
            advance(1)
        for number, (key, section) in enumerate(proof.items(), 1):
            text = paragraph(section.question.format(percent=answers.percent)) + section.write(answers)
            heading_of_section = f"<h2>A{number} {section.heading}</h2>"
            sections += f'<section class="proof" style="page:a{number}" id="{key}">{heading_of_section}{text}</section>'
            advance(1)
    area = "a hectare" if answers.figures.units.name == "metric" else "an acre"
    contents = "".join(
        f'<li>{link(key, f"A{number} {SECTIONS[key].heading}")}<span class="paper">, page A{number}-1</span></li>'
        for number, key in enumerate(proof, 1)
    )
    intro = (
        '<section class="proof" id="appendix"><h2>Appendix</h2>'
        + paragraph(
            f"Every figure of the first pages, exact to the unit of money and a tenth of {area}, with the ids of "
            "the diagrams that it is made of; each id leads to its diagram. In Python, "
            "comparison.explain(design, system) lists the same diagrams."
        )
        + f'<nav aria-label="Contents of the appendix"><ul>{contents}</ul></nav></section>'
    )
    body = f'<main class="document report">{patterns(answers.compared)}{pages}{intro}{sections}</main>'
    return page(heading, body, _running(heading, list(proof)))


def _contents_of_pages() -> str:
    links = [link(key, f"{number} {name}") for number, (key, name) in enumerate(PAGES.items(), 2)]
    links.append(link("appendix", "Appendix"))
    return f'<nav class="pages" aria-label="Contents"><span class="paper">Pages: </span>{" · ".join(links)}</nav>'


def _running(heading: str, sections: list[str]) -> str:
    """What stands at the foot of each printed page: the report or the section, and the number of the page.

    Each section of the appendix counts its own pages (A5-1, A5-2), so that the contents have numbers that are right on
    every paper: browsers cannot tell on which page a section begins.
    """
    named = "".join(
        f"@page a{number} {{ counter-increment: a{number};"
        f" @bottom-left {{ content: {_css_text(f'A{number} {SECTIONS[key].heading}')} }}"
        f' @bottom-right {{ content: "page A{number}-" counter(a{number}) }}'
        f' @bottom-center {{ content: counter(page) " / " counter(pages) }} }}'
        for number, key in enumerate(sections, 1)
    )
    return f"@page {{ @bottom-left {{ content: {_css_text(heading)} }} }}{named}"


def _css_text(text: str) -> str:
    """A text of a style sheet, in which nothing ends the text or the sheet."""
    short = text if len(text) <= 90 else f"{text[:89]}…"
    return '"' + re.sub(r"[^\w .,:–-]", lambda sign: f"\\{ord(sign[0]):x} ", short) + '"'
