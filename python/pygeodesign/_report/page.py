"""The report of a comparison as one file: four pages to read, then the appendix with the proof of each figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pygeodesign import _progress
from pygeodesign._html import link, page, paragraph
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.drawing import patterns
from pygeodesign._report import appendix, costs, marks, places, summary
from pygeodesign._text import NO_CURRENCY

# The headings of the pages after the first one.
PAGES = {
    "meets": "What the designs meet",
    "places": "Where they agree and collide",
    "money": "Money",
}


# The sections of the appendix that answer no question of a comparison: the first, and the last ones.
FIRST = {"figures": Section("Key figures", "What the project and each design hold and cost.", appendix.key_figures)}
LAST = {
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


def report_page(answers: Answers, questions: Mapping[str, Section], title: str | None, author: str) -> str:
    """The complete page as a string, with a section for each requested question."""
    heading = answers.compared.title if title is None else title
    first: dict[str, Callable[[], str]] = {
        "summary": lambda: summary.summary(answers, heading, author),
        "meets": lambda: marks.marks(answers),
        "places": lambda: places.places(answers),
        "money": lambda: costs.costs(answers),
    }
    asked = {key: section for key, section in questions.items() if not section.is_asked_for or answers.asks_for(key)}
    proof = FIRST | asked | LAST
    pages, sections = "", ""
    with _progress.counting("sections of the report", len(first) + len(proof), answers.progress) as advance:
        for number, (key, write) in enumerate(first.items(), 1):
            above = f"<h2>{number} {PAGES[key]}</h2>" if key in PAGES else ""
            below = _contents_of_pages() if key == "summary" else ""
            pages += f'<section class="sheet" id="{key}">{above}{write()}{below}</section>'
            advance(1)
        for number, (key, section) in enumerate(proof.items(), 1):
            text = paragraph(_question(section, answers)) + section.write(answers)
            heading_of_section = f"<h2>A{number} {section.heading}</h2>"
            sections += f'<section class="proof" style="page:a{number}" id="{key}">{heading_of_section}{text}</section>'
            advance(1)
    area = "a hectare" if answers.figures.units.name == "metric" else "an acre"
    contents = "".join(
        f'<li>{link(key, f"A{number} {section.heading}")}<span class="paper">, page A{number}-1</span></li>'
        for number, (key, section) in enumerate(proof.items(), 1)
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
    end = "" if answers.figures.currency else paragraph(NO_CURRENCY)
    body = f'<main class="document report">{patterns(answers.compared)}{pages}{intro}{sections}{end}</main>'
    return page(heading, body, _running(heading, [section.heading for section in proof.values()]))


def _question(section: Section, answers: Answers) -> str:
    return section.question if isinstance(section.question, str) else section.question(answers)


def _contents_of_pages() -> str:
    links = [link(key, f"{number} {name}") for number, (key, name) in enumerate(PAGES.items(), 2)]
    links.append(link("appendix", "Appendix"))
    return f'<nav class="pages" aria-label="Contents"><span class="paper">Pages: </span>{" · ".join(links)}</nav>'


def _running(heading: str, sections: list[str]) -> str:
    """The footer of each printed page: the report or the section, and the page number.

    Each section of the appendix counts its own pages (A5-1, A5-2), so that the numbers in the contents are right on
    every paper: browsers do not know on which page a section begins.
    """
    named = "".join(
        f"@page a{number} {{ counter-increment: a{number};"
        f" @bottom-left {{ content: {_css_text(f'A{number} {name}')} }}"
        f' @bottom-right {{ content: "page A{number}-" counter(a{number}) }}'
        f' @bottom-center {{ content: counter(page) " / " counter(pages) }} }}'
        for number, name in enumerate(sections, 1)
    )
    return f"@page {{ @bottom-left {{ content: {_css_text(heading)} }} }}{named}"


def _css_text(text: str) -> str:
    """A string for a style sheet that cannot end the string or the sheet."""
    short = text if len(text) <= 90 else f"{text[:89]}…"
    return '"' + re.sub(r"[^\w .,:–-]", lambda sign: f"\\{ord(sign[0]):x} ", short) + '"'
