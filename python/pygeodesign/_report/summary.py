"""The first page of a report: its subject, three sentences, the designs by what was asked, and maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple

from pygeodesign._core import __version__
from pygeodesign._html import html, link, paragraph
from pygeodesign._language import moment, number, t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import UNITS_PER_MM, Ground, Maps, bounds_of, diagrams_on, legend, side_by_side
from pygeodesign._paper.labels import names_on
from pygeodesign._planning.compared import names_of_areas
from pygeodesign._planning.decisions import agreed_designs
from pygeodesign._planning.summary import cost_of
from pygeodesign._report.asked import asked
from pygeodesign._report.sentences import leading, sentences
from pygeodesign._text import short_amount

# Millimetres of paper: the width of a page, and the height for rows and maps that the rest leaves on A4 and on Letter;
# the least height of the large map, a third of a page; small maps beside it, or below one that is as wide as this.
WIDTH, HEIGHT, LEAST_HERO = 178.0, 158.0, 84.0
BESIDE, LOW, WIDE_SHAPE = 60.0, 26.0, 1.6
# The height of a line, the texts below a small map, and the letters of a design's name on a line of the table.
LINE, TEXTS, LETTERS = 4.1, 13.0, 46
GAP = 4.0
# A longer heading has smaller letters.
LONGEST_HEADING, LONG = 60, ' class="long"'
# More maps would be too small to read.
MAX_MAPS = 12


def summary(answers: Answers, heading: str, author: str) -> str:
    """The first page."""
    compared = answers.compared
    names = [] if heading == compared.title else [compared.title]
    if place := names_of_areas(compared.boundaries) or _middle(compared):
        names.append(place)
    if compared.read_at is not None:
        names.append(t("as_of", time=moment(compared.read_at)))
    made = t("made_by" if author else "made_with", author=author, version=__version__)
    return (
        f"<h1{LONG if len(heading) > LONGEST_HEADING else ''}>{escape(heading)}</h1>"
        + paragraph(" · ".join((*names, made)))
        + (paragraph(t("only_inside")) if answers.figures.inside else "")
        + _supposed(answers)
        + _subject(answers)
        + f'<div class="answers">{"".join(map(paragraph, sentences(answers)))}</div>'
        + asked(answers)
        + maps(answers)
    )


def _middle(compared: Any) -> str:
    """The middle of the study area, or of the diagrams, if no area has a name."""
    bounds = bounds_of(compared)
    if bounds is None:
        return ""
    west, south, east, north = bounds
    lon, lat = (west + east) / 2, (south + north) / 2
    latitude = t("north" if lat >= 0 else "south", degrees=number(abs(lat), 2))
    return f"{latitude}, {t('east' if lon >= 0 else 'west', degrees=number(abs(lon), 2))}"


def _supposed(answers: Answers) -> str:
    """The figures that are assumptions, not the project's."""
    figures, compared = answers.figures, answers.compared
    names, area = compared.systems["name"], figures.units
    texts = {
        "rates": lambda amount: t(f"per_{area.name}", amount=short_amount(amount / area.per_hectare)),
        "budgets": short_amount,
        "targets": area.area_text,
    }
    parts = [
        t(f"what_if_{kind}", system=names[sysid], value=t("none") if amount is None else texts[kind](amount))
        for kind, by_system in compared.supposed.items()
        for sysid, amount in by_system.items()
    ]
    return paragraph(t("what_if", parts="; ".join(parts))) if parts else ""


def _subject(answers: Answers) -> str:
    """The subject of the figures."""
    figures, compared = answers.figures, answers.compared
    if figures.scope == "project":
        return paragraph(t("about_project" if compared.designs else "about_project_without_designs"))
    if len(figures.scopes) == 1:
        return paragraph(t("about_design", design=figures.scopes[0]))
    return ""


def maps(answers: Answers) -> str:
    """A large map with names, and beside it a small map of each design, all of the same ground."""
    compared, figures = answers.compared, answers.figures
    if not len(compared.diagrams):
        return paragraph(t("no_diagrams"))
    shown, others = (figures.scopes[:MAX_MAPS], figures.scopes[MAX_MAPS:]) if len(figures.scopes) > 1 else ((), ())
    hero = large_map(answers, best_of(answers), WIDTH - BESIDE if _is_beside(answers) else WIDTH, hero_room(answers))
    used = set(compared.diagrams["sysid"])
    names = {sysid: name for sysid, name in compared.systems["name"].items() if sysid in used}
    note = f"{t('how_drawn')} {about_ground(hero.ground, figures)}"
    if others:
        note += f" {t('without_map', designs=', '.join(others))}"
    if compared.without_geometry:
        note += f" {t('not_on_map', ids=', '.join(map(str, compared.without_geometry)))}"
    note += f" {compared._source}"
    pictures = hero.picture
    if shown:
        wide = hero.ground.size[0] / UNITS_PER_MM if hero.ground else 0.0
        beside = _is_beside(answers)
        small = _small(answers, shown, *((WIDTH - wide - GAP, hero_room(answers)) if beside else (WIDTH, LOW)))
        look = f' style="--hero:{wide:.0f}mm"' if beside else ""
        pictures = f'<div class="hero"{look}>{pictures}{small}</div>'
    return pictures + legend(names) + f'<p class="note">{html(note.strip())}</p>'


class Hero(NamedTuple):
    """The large map and its ground."""

    picture: str
    ground: Ground | None


def _is_beside(answers: Answers) -> bool:
    """True if small maps are beside the large one; below a wide one, there is more room for them."""
    return len(answers.figures.scopes) > 1 and shape_of(answers.compared) < WIDE_SHAPE


def hero_room(answers: Answers) -> float:
    """The height of the large map in millimetres: what sentences and table leave of a page, at least a third of it."""
    scopes = answers.figures.scopes
    # A single design has a line about itself, and a longer sentence about its land.
    rows = sum(1.2 + len(answers.numbered(scope)) // LETTERS for scope in scopes) + 8 * (len(scopes) == 1)
    legend_lines = len(answers.compared.systems) / 6
    below = 0.0 if len(scopes) == 1 or _is_beside(answers) else LOW + TEXTS
    return max(LEAST_HERO, HEIGHT - LINE * (rows + legend_lines) - below)


def best_of(answers: Answers) -> str | None:
    """The agreed design, or else the one that meets most, or else none of them."""
    scopes = answers.figures.scopes
    agreed = [scope for scope in agreed_designs(answers.compared) if scope in scopes]
    return next((found[0] for found in (agreed, leading(answers), scopes) if len(found) == 1), None)


def large_map(answers: Answers, scope: str | None, width: float, height: float) -> Hero:
    """A map of a design, or of all designs if it is None, with names of places."""
    compared, scopes = answers.compared, answers.figures.scopes
    ids = {number for one in scopes for number in answers.diagrams(one).index}
    rows = answers.diagrams(scope) if scope else compared.diagrams[compared.diagrams.index.isin(ids)]
    what = t("hero_of_design", design=answers.short(scope)) if scope else t("hero_of_designs", designs=len(scopes))
    made = Maps(compared, "ground-of-designs", width, height)

    def draw(ground: Ground) -> str:
        return diagrams_on(rows, compared.systems, ground) + names_on(rows, ground)

    caption = (
        f"<figcaption><b>{escape(answers.numbered(scope) if scope and answers.are_many else what)}</b></figcaption>"
    )
    return Hero(f"{made.land}<figure>{made.drawn(draw, what)}{caption}</figure>", made.ground)


def _small(answers: Answers, shown: Sequence[str], width: float, height: float) -> str:
    """A small map of each design, with its name, or with its number if there are many."""
    compared, figures = answers.compared, answers.figures
    texts = LINE if answers.are_many else TEXTS
    columns, wide, high = grid(shape_of(compared), len(shown), width, height, texts, in_a_row=1.0)
    made = Maps(compared, "ground-of-small-maps", wide, high)
    pictures = ""
    for scope in shown:
        rows = answers.diagrams(scope)
        name = t("all_diagrams") if scope == "project" else scope
        drawn = made.drawn(partial(diagrams_on, rows, compared.systems), t("map_of_diagrams", design=name))
        facts = link(
            f"k{answers.number(scope)}",
            t("diagrams_and_cost", diagrams=t("diagrams", count=len(rows)), cost=figures.read_money(cost_of(rows))),
        )
        below = "" if answers.are_many else f"<br>{facts}"
        words = f"<b>{escape(answers.heading(scope))}</b>{below}"
        pictures += f"<figure>{drawn}<figcaption>{words}</figcaption></figure>"
    return f"<div>{made.land}{side_by_side(columns, pictures)}</div>"


def about_ground(ground: Ground | None, figures: Any) -> str:
    """The size of a map on the ground."""
    if ground is None:
        return ""
    width, height = ground.size
    middle = ground.north + height / ground.per_degree[1] / 2
    kilometres = 111.320 * width / ground.per_degree[0] * math.cos(math.radians(middle))
    return t("size_of_map", length=figures.units.length_text(kilometres))


def shape_of(compared: Any) -> float:
    """The ratio of the ground's width to its height."""
    bounds = bounds_of(compared)
    if bounds is None:
        return 1.0
    width, height = Ground.of(bounds, 1000, 1000).size
    return width / height


def grid(
    shape: float, count: int, width: float, height: float, texts: float = TEXTS, in_a_row: float = 0.7
) -> tuple[int, float, float]:
    """The columns with which `count` pictures of a shape are largest, and the millimetres for each."""
    found = []
    for columns in range(1, max(count, 1) + 1):
        rows = math.ceil(count / columns)
        wide, high = (width - GAP * (columns - 1)) / columns, (height - GAP * (rows - 1)) / rows - texts
        if high > 5:
            # With fewer rows, pictures are easier to compare, even if they are a little smaller.
            found.append((min(wide, high * shape) * in_a_row**rows, columns, wide, high))
    _, columns, wide, high = max(found, default=(0.0, 4, width / 4, width / 4))
    return columns, wide, high
