"""The report of a comparison as one file: four pages to read, then the appendix with the proof of each figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pygeodesign import _progress
from pygeodesign._html import link, page, paragraph
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.drawing import patterns
from pygeodesign._report import appendix, costs, marks, places, summary

# The texts of the headings of the pages after the first one.
PAGES = {"meets": "page_meets", "places": "page_places", "money": "page_money"}


# The sections of the appendix that answer no question of a comparison: the first, and the last ones.
FIRST = {"figures": Section("figures_heading", "figures_question", appendix.key_figures)}
LAST = {
    "diagrams": Section("all_diagrams", "diagrams_question", appendix.diagrams),
    "words": Section("words_heading", "words_question", appendix.words),
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
            above = f"<h2>{number} {t(PAGES[key])}</h2>" if key in PAGES else ""
            below = _contents_of_pages() if key == "summary" else ""
            pages += f'<section class="sheet" id="{key}">{above}{write()}{below}</section>'
            advance(1)
        for number, (key, section) in enumerate(proof.items(), 1):
            text = paragraph(_question(section, answers)) + section.write(answers)
            heading_of_section = f"<h2>A{number} {t(section.heading)}</h2>"
            sections += f'<section class="proof" style="page:a{number}" id="{key}">{heading_of_section}{text}</section>'
            advance(1)
    contents = "".join(
        f'<li>{link(key, f"A{number} {t(section.heading)}")}<span class="paper">, {t("page")} A{number}-1</span></li>'
        for number, (key, section) in enumerate(proof.items(), 1)
    )
    intro = (
        f'<section class="proof" id="appendix"><h2>{t("appendix")}</h2>'
        + paragraph(t(f"appendix_intro_{answers.figures.units.name}", call="comparison.explain(design, system)"))
        + f'<nav aria-label="{t("appendix_contents")}"><ul>{contents}</ul></nav></section>'
    )
    end = "" if answers.figures.currency else paragraph(t("no_currency"))
    body = f'<main class="document report">{patterns(answers.compared)}{pages}{intro}{sections}{end}</main>'
    return page(heading, body, _running(heading, [t(section.heading) for section in proof.values()]))


def _question(section: Section, answers: Answers) -> str:
    return t(section.question) if isinstance(section.question, str) else section.question(answers)


def _contents_of_pages() -> str:
    links = [link(key, f"{number} {t(name)}") for number, (key, name) in enumerate(PAGES.items(), 2)]
    links.append(link("appendix", t("appendix")))
    pages = f'<span class="paper">{t("pages")} </span>'
    return f'<nav class="pages" aria-label="{t("contents")}">{pages}{" · ".join(links)}</nav>'


def _running(heading: str, sections: list[str]) -> str:
    """The footer of each printed page: the report or the section, and the page number.

    Each section of the appendix counts its own pages (A5-1, A5-2), so that the numbers in the contents are right on
    every paper: browsers do not know on which page a section begins.
    """
    page = t("page")
    named = "".join(
        f"@page a{number} {{ counter-increment: a{number};"
        f" @bottom-left {{ content: {_css_text(f'A{number} {name}')} }}"
        f" @bottom-right {{ content: {_css_text(f'{page} A{number}-')} counter(a{number}) }}"
        f' @bottom-center {{ content: counter(page) " / " counter(pages) }} }}'
        for number, name in enumerate(sections, 1)
    )
    return f"@page {{ @bottom-left {{ content: {_css_text(heading)} }} }}{named}"


def _css_text(text: str) -> str:
    """A string for a style sheet that cannot end the string or the sheet."""
    short = text if len(text) <= 90 else f"{text[:89]}…"
    return '"' + re.sub(r"[^\w .,:–-]", lambda sign: f"\\{ord(sign[0]):x} ", short) + '"'
