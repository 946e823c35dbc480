"""The report of a comparison as one file: pages to read, then the appendix with the proof of each figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pygeodesign import _progress
from pygeodesign._html import link, page, paragraph
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.drawing import patterns
from pygeodesign._report import appendix, costs, decided, marks, places, summary

# The texts of the headings of the pages after the first one.
PAGES = {"meets": "page_meets", "places": "page_places", "money": "page_money", "decided": "page_decided"}


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
    if decided.is_any(answers):
        first["decided"] = lambda: decided.decided(answers)
    asked = {key: section for key, section in questions.items() if section.is_in(answers, key)}
    proof = FIRST | asked | LAST
    pages, sections = "", ""
    with _progress.counting("sections of the report", len(first) + len(proof), answers.progress) as advance:
        for number, (key, write) in enumerate(first.items(), 1):
            above = f"<h2>{number} {t(PAGES[key])}</h2>" if key in PAGES else ""
            below = _contents_of_pages(first) if key == "summary" else ""
            pages += f'<section class="sheet" id="{key}">{above}{write()}{below}</section>'
            advance(1)
        for number, (key, section) in enumerate(proof.items(), 1):
            text = paragraph(_question(section, answers)) + section.write(answers)
            heading_of_section = f"<h2>A{number} {t(section.heading)}</h2>"
            sections += f'<section class="proof" id="{key}">{heading_of_section}{text}</section>'
            advance(1)
    contents = "".join(
        f"<li>{link(key, f'A{number} {t(section.heading)}')}</li>"
        for number, (key, section) in enumerate(proof.items(), 1)
    )
    intro = (
        f'<section class="proof" id="appendix"><h2>{t("appendix")}</h2>'
        + paragraph(t(f"appendix_intro_{answers.figures.units.name}", call="comparison.explain(design, system)"))
        + f'<nav aria-label="{t("appendix_contents")}"><ul>{contents}</ul></nav></section>'
    )
    end = "" if answers.figures.currency else paragraph(t("no_currency"))
    body = f'<main class="document report">{patterns(answers.compared)}{pages}{intro}{sections}{end}</main>'
    return page(heading, body, _running(heading))


def _question(section: Section, answers: Answers) -> str:
    return t(section.question) if isinstance(section.question, str) else section.question(answers)


def _contents_of_pages(first: Mapping[str, Any]) -> str:
    links = [link(key, f"{number} {t(PAGES[key])}") for number, key in enumerate(first, 1) if key in PAGES]
    links.append(link("appendix", t("appendix")))
    pages = f'<span class="paper">{t("pages")} </span>'
    return f'<nav class="pages" aria-label="{t("contents")}">{pages}{" · ".join(links)}</nav>'


def _running(heading: str) -> str:
    """The footer of each printed page: the report, and the page number, which the style sheet has."""
    return f"@page {{ @bottom-left {{ content: {_css_text(heading)} }} }}"


def _css_text(text: str) -> str:
    """A string for a style sheet that cannot end the string or the sheet."""
    short = text if len(text) <= 90 else f"{text[:89]}…"
    return '"' + re.sub(r"[^\w .,:–-]", lambda sign: f"\\{ord(sign[0]):x} ", short) + '"'
