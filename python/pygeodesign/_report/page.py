"""The report of a comparison as one file: four pages to read, then the appendix with the proof of each figure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

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
# The heading of each section of the appendix by its anchor, and its question.
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
    "uncertainty": (
        "Rates that nobody knows",
        "What the diagrams cost, and how likely budgets break, if rates are known as a range.",
    ),
    "optimum": (
        "The best choice under a budget",
        "The projects, of all diagrams of the project, that leave the least of all targets missing. Policies are no "
        "choice for money: they cost nothing, and are left out.",
    ),
    "negotiation": (
        "The negotiated design",
        "The choice of diagrams of the designs that has the most support, without conflicts on land and within the "
        "budget. The support of a diagram is the sum of the weights of the designs that have it.",
    ),
    "swaps": (
        "The next exchanges",
        "For each design the exchanges of one diagram that bring it nearest to the others: its agreement is the mean "
        "of its similarity with each other design.",
    ),
    "alliances": (
        "Who could sign together",
        "How many diagrams of two designs could be kept in one, without conflicts on land and whatever it costs; "
        "a diagram of both counts twice.",
    ),
    "front": (
        "More than one best choice",
        "Choices of diagrams of which none is better in one sum without being worse in the other. The knee is the "
        "choice farthest from the line between both ends.",
    ),
    "cash_flow": (
        "What it costs and brings",
        "The investment of each diagram over its days, and from then on revenue and operation, as given for this "
        "report; net present value, internal rate of return, and the year from which what came in is at least what "
        "was spent.",
    ),
    "stock_change": (
        "What the land was, and what it becomes",
        "What land holds after it is changed, less what it holds today, and what it adds every year from then on, as "
        "given for this report.",
    ),
    "weighing": (
        "Criteria that nobody can weigh",
        "Which design is first under which share of all weights of the criteria.",
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


def report_page(answers: Answers, title: str | None, author: str) -> str:
    """The whole page as text."""
    heading = answers.compared.title if title is None else title
    first: dict[str, Callable[[], str]] = {
        "summary": lambda: summary.summary(answers, heading, author),
        "meets": lambda: marks.marks(answers),
        "places": lambda: places.places(answers),
        "money": lambda: costs.costs(answers),
    }
    proof: dict[str, Callable[[], str]] = {
        "figures": lambda: appendix.key_figures(answers),
        "agreement": lambda: land.agreement(answers),
        "conflicts": lambda: land.conflicts(answers),
        "suitability": lambda: land.suitability(answers),
        "targets": lambda: amounts.targets(answers),
        "schedule": lambda: amounts.schedule(answers),
        "sensitivity": lambda: amounts.sensitivity(answers),
        "uncertainty": lambda: ranges.uncertainty(answers),
        "optimum": lambda: amounts.optimum(answers),
        "negotiation": lambda: deciding.negotiation(answers, answers.negotiation) if answers.negotiation else "",
        "swaps": lambda: deciding.swaps(answers),
        "alliances": lambda: deciding.alliances(answers),
        "front": lambda: deciding.front(answers, answers.front) if answers.front else "",
        "cash_flow": lambda: balance.cash_flow(answers, answers.cash_flow or {}),
        "stock_change": lambda: balance.stock_change(answers, answers.stock_change or {}),
        "weighing": lambda: deciding.weighing(answers, answers.weighing or {}),
        "quantities": lambda: amounts.quantities(answers, answers.per_hectare or {}),
        "diagrams": lambda: appendix.diagrams(answers),
        "words": lambda: appendix.words(answers.figures.units.name),
    }
    if answers.budget is None:
        del proof["optimum"]
    asked: dict[str, Any] = {"quantities": answers.per_hectare, "uncertainty": answers.rates}
    asked |= {"negotiation": answers.negotiation, "swaps": answers.swaps, "alliances": answers.alliances}
    asked |= {"front": answers.front}
    # A dict without arguments asks, too.
    asked |= {name: getattr(answers, name) is not None for name in ("cash_flow", "stock_change", "weighing")}
    for key, answer in asked.items():
        if not answer:
            del proof[key]
    pages, sections = "", ""
    with _progress.counting("sections of the report", len(first) + len(proof), answers.progress) as advance:
        for number, (key, write) in enumerate(first.items(), 1):
            above = f"<h2>{number} {PAGES[key]}</h2>" if key in PAGES else ""
            below = _contents_of_pages() if key == "summary" else ""
            pages += f'<section class="sheet" id="{key}">{above}{write()}{below}</section>'
            advance(1)
        for number, (key, write) in enumerate(proof.items(), 1):
            name, question = SECTIONS[key]
            text = paragraph(question.format(percent=answers.percent)) + write()
            sections += (
                f'<section class="proof" style="page:a{number}" id="{key}"><h2>A{number} {name}</h2>{text}</section>'
            )
            advance(1)
    area = "a hectare" if answers.figures.units.name == "metric" else "an acre"
    contents = "".join(
        f'<li>{link(key, f"A{number} {SECTIONS[key][0]}")}<span class="paper">, page A{number}-1</span></li>'
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
        f" @bottom-left {{ content: {_css_text(f'A{number} {SECTIONS[key][0]}')} }}"
        f' @bottom-right {{ content: "page A{number}-" counter(a{number}) }}'
        f' @bottom-center {{ content: counter(page) " / " counter(pages) }} }}'
        for number, key in enumerate(sections, 1)
    )
    return f"@page {{ @bottom-left {{ content: {_css_text(heading)} }} }}{named}"


def _css_text(text: str) -> str:
    """A text of a style sheet, in which nothing ends the text or the sheet."""
    short = text if len(text) <= 90 else f"{text[:89]}…"
    return '"' + re.sub(r"[^\w .,:–-]", lambda sign: f"\\{ord(sign[0]):x} ", short) + '"'
