"""The first page of a report: its subject, three sentences whose figures lead to their proof, and small maps."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

import pandas as pd

from pygeodesign._core import __version__
from pygeodesign._html import Markup, html, link, paragraph
from pygeodesign._language import moment, number, t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import Ground, Maps, bounds_of, diagrams_on, legend, side_by_side
from pygeodesign._planning.compared import names_of_areas
from pygeodesign._planning.questions.agreement import reported_consensus
from pygeodesign._planning.questions.conflicts import claimed_twice
from pygeodesign._planning.questions.targets import targets_by_scope
from pygeodesign._planning.summary import cost_of
from pygeodesign._text import short_amount

# Millimetres of paper for all small maps, on A4 and on Letter, and for the texts below a map.
WIDTH, HEIGHT, TEXTS = 178.0, 138.0, 17.0
GAP = 4.0
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
        f"<h1>{escape(heading)}</h1>"
        + paragraph(" · ".join((*names, made)))
        + (paragraph(t("only_inside")) if answers.figures.inside else "")
        + _supposed(answers)
        + _subject(answers)
        + f'<ul class="answers">{"".join(f"<li>{sentence}</li>" for sentence in sentences(answers))}</ul>'
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


def sentences(answers: Answers) -> list[Markup]:
    """Three sentences from fixed templates: the designs' costs, what they meet, and where they agree and collide."""
    return [Markup(f"{text[0].upper()}{text[1:]}.") for text in (_cost(answers), _met(answers), _agreed(answers))]


def _cost(answers: Answers) -> str:
    figures = answers.figures
    rows = {scope: answers.diagrams(scope) for scope in figures.scopes}
    costs = {scope: cost_of(own) for scope, own in rows.items()}
    text = said(answers, "cost", costs, figures.read_money, "k")
    unknown = len({number for own in rows.values() for number in own.index[own["cost"].isna()]})
    return t("without_known_cost", cost=text, count=unknown) if unknown else text


def _met(answers: Answers) -> str:
    """The numbers of met targets and of exceeded budgets, among the systems that have them."""
    parts = []
    frames = targets_by_scope(answers)
    for name, column, status, what in (
        ("target", "area_status", "met", "meet"),
        ("budget", "budget_status", "missed", "exceed"),
    ):
        of = max((int((frame[column] != "none").sum()) for frame in frames.values()), default=0)
        if not of:
            parts.append(t(f"no_{name}"))
            continue
        counts = {scope: int((frame[column] == status).sum()) for scope, frame in frames.items()}
        parts.append(t(f"of_{name}s", some=said(answers, what, counts, number, "t"), count=of))
    return "; ".join(parts)


def said(answers: Answers, what: str, amounts: dict[str, Any], shown: Callable[[Any], str], anchor: str) -> str:
    """A sentence such as `the 4 designs meet from 1 (2 Parks) to 4 (1 Water)`: a text for each kind of subject."""
    scopes = answers.figures.scopes
    subject = "each" if _is_same(amounts, shown) else "designs"
    if len(scopes) == 1:
        subject = "project" if scopes == ("project",) else "design"
    values = {"design": escape(answers.short(scopes[0])), "amount": _range(answers, amounts, shown, anchor)}
    return t(f"{what}_{subject}", count=len(scopes), **values)


def _agreed(answers: Answers) -> str:
    """The land that all designs change, and the land on which systems collide."""
    figures, designs = answers.figures, len(answers.compared.designs)
    overlaps = said(answers, "claim", claimed_twice(answers), figures.read_area, "c")
    if designs < 2:
        return overlaps
    layer = reported_consensus(answers)
    by_any, by_all = (layer.loc[layer["designs"] >= least, "area_ha"].sum() for least in (1, designs))
    total = link("consensus", figures.read_area(by_any))
    shared = link("consensus", figures.read_area(by_all) if by_all else t("none_of_it"))
    return f"{t('designs_share', total=total, shared=shared)} {overlaps[0].upper()}{overlaps[1:]}"


def _is_same(amounts: dict[str, Any], shown: Callable[[Any], str]) -> bool:
    """True if all amounts are the same as displayed."""
    return len({shown(amount) for amount in amounts.values()}) == 1


def _range(answers: Answers, amounts: dict[str, Any], shown: Callable[[Any], str], anchor: str) -> str:
    """A figure, or `from 2 M (1 Water) to 5 M (3 Parks)`; each is a link to its row in the appendix."""
    known = {scope: amount for scope, amount in amounts.items() if not pd.isna(amount)} or amounts

    def linked(scope: str) -> str:
        return link(f"{anchor}{answers.number(scope)}", shown(amounts[scope]))

    if len({shown(amount) for amount in known.values()}) == 1:
        return linked(next(iter(known)))
    ends = (min(known, key=known.__getitem__), max(known, key=known.__getitem__))
    low, high = (t("in_parentheses", text=linked(scope), more=escape(answers.numbered(scope))) for scope in ends)
    return t("range", low=low, high=high)


def maps(answers: Answers) -> str:
    """A small map of each design, all of the same ground."""
    compared, figures = answers.compared, answers.figures
    if not len(compared.diagrams):
        return paragraph(t("no_diagrams"))
    shown, others = figures.scopes[:MAX_MAPS], figures.scopes[MAX_MAPS:]
    columns, width, height = grid(shape_of(compared), len(shown), WIDTH, HEIGHT)
    made = Maps(compared, "ground-of-designs", width, height)
    pictures = ""
    for scope in shown:
        rows, name = answers.diagrams(scope), answers.short(scope)
        facts = link(
            f"k{answers.number(scope)}",
            t("diagrams_and_cost", diagrams=t("diagrams", count=len(rows)), cost=figures.read_money(cost_of(rows))),
        )
        longer = "" if scope in (name, "project") else f"<br>{escape(scope.removeprefix(f'{name} – '))}"
        drawn = made.drawn(partial(diagrams_on, rows, compared.systems), t("map_of_diagrams", design=scope))
        words = f"<b>{escape(answers.numbered(scope))}</b>{longer}<br>{facts}"
        pictures += f"<figure>{drawn}<figcaption>{words}</figcaption></figure>"
    used = set(compared.diagrams["sysid"])
    names = {sysid: name for sysid, name in compared.systems["name"].items() if sysid in used}
    note = f"{t('how_drawn')} {about_ground(made.ground, figures)}"
    if others:
        note += f" {t('without_map', designs=', '.join(others))}"
    if compared.without_geometry:
        note += f" {t('not_on_map', ids=', '.join(map(str, compared.without_geometry)))}"
    note += f" {compared._source}"
    return made.land + side_by_side(columns, pictures) + legend(names) + f'<p class="note">{html(note.strip())}</p>'


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


def grid(shape: float, count: int, width: float, height: float, texts: float = TEXTS) -> tuple[int, float, float]:
    """The columns with which `count` pictures of a shape are largest, and the millimetres for each."""
    found = []
    for columns in range(1, max(count, 1) + 1):
        rows = math.ceil(count / columns)
        wide, high = (width - GAP * (columns - 1)) / columns, (height - GAP * (rows - 1)) / rows - texts
        if high > 5:
            # With fewer rows, pictures are easier to compare, even if they are a little smaller.
            found.append((min(wide, high * shape) * 0.7**rows, columns, wide, high))
    _, columns, wide, high = max(found, default=(0.0, 4, width / 4, width / 4))
    return columns, wide, high
