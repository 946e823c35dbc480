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
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import Ground, Maps, bounds_of, diagrams_on, legend, side_by_side
from pygeodesign._planning.compared import names_of_areas
from pygeodesign._planning.questions.agreement import reported_consensus
from pygeodesign._planning.questions.conflicts import claimed_twice
from pygeodesign._planning.questions.targets import targets_by_scope
from pygeodesign._planning.summary import cost_of
from pygeodesign._text import counted, short_amount

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
        names.append(f"as of {compared.read_at:%d %B %Y, %H:%M} UTC".replace("of 0", "of "))
    made = f"made by {author}, with pygeodesign {__version__}" if author else f"made with pygeodesign {__version__}"
    return (
        f"<h1>{escape(heading)}</h1>"
        + paragraph(" · ".join((*names, made)))
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
    return f"{abs(lat):.2f}° {'N' if lat >= 0 else 'S'}, {abs(lon):.2f}° {'E' if lon >= 0 else 'W'}"


def _supposed(answers: Answers) -> str:
    """The figures that are assumptions, not the project's."""
    figures, compared = answers.figures, answers.compared
    names, area = compared.systems["name"], figures.units
    texts = {
        "rates": lambda amount: f"{short_amount(amount / area.per_hectare)} per {area.area.removesuffix('s')}",
        "budgets": short_amount,
        "targets": area.area_text,
    }
    parts = [
        f"the {kind.removesuffix('s')} of {names[sysid]} is {'none' if amount is None else texts[kind](amount)}"
        for kind, by_system in compared.supposed.items()
        for sysid, amount in by_system.items()
    ]
    return paragraph(f"What if: {'; '.join(parts)}. The project says otherwise.") if parts else ""


def _subject(answers: Answers) -> str:
    """The subject of the figures."""
    figures, compared = answers.figures, answers.compared
    if figures.scope == "project":
        without = "" if compared.designs else "No design was given, and no change team has saved one: "
        text = (
            "this report is about all diagrams of the project, the alternatives included, which nobody wants together."
        )
        return paragraph(without + text if without else text[0].upper() + text[1:])
    if len(figures.scopes) == 1:
        return paragraph(f"This report is about the design {figures.scopes[0]}.")
    return ""


def sentences(answers: Answers) -> list[Markup]:
    """Three sentences from fixed templates: the designs' costs, what they meet, and where they agree and collide."""
    return [Markup(f"{text[0].upper()}{text[1:]}.") for text in (_cost(answers), _met(answers), _agreed(answers))]


def _cost(answers: Answers) -> str:
    figures = answers.figures
    rows = {scope: answers.diagrams(scope) for scope in figures.scopes}
    costs = {scope: cost_of(own) for scope, own in rows.items()}
    verb = "costs" if _is_same(costs, figures.read_money) else "cost"
    text = f"{_who(answers, verb)} {_range(answers, costs, figures.read_money, 'k')}"
    unknown = len({number for own in rows.values() for number in own.index[own["cost"].isna()]})
    if unknown:
        text += f", without {counted(unknown, 'diagram')} whose cost is not known"
    return text


def _met(answers: Answers) -> str:
    """The numbers of met targets and of exceeded budgets, among the systems that have them."""
    parts = []
    frames = targets_by_scope(answers)
    for name, column, status, verb in (
        ("target", "area_status", "met", "meet"),
        ("budget", "budget_status", "missed", "exceed"),
    ):
        of = max((int((frame[column] != "none").sum()) for frame in frames.values()), default=0)
        if not of:
            parts.append(f"no system has a {name}")
            continue
        counts = {scope: int((frame[column] == status).sum()) for scope, frame in frames.items()}
        parts.append(f"{how_many(answers, verb, counts)} of {counted(of, name)}")
    return "; ".join(parts)


def how_many(answers: Answers, verb: str, counts: dict[str, int]) -> str:
    """A range, such as `the 4 designs meet from 1 (2 Parks) to 4 (1 Water)`."""
    who = _who(answers, f"{verb}s" if _is_same(counts, str) else verb)
    return f"{who} {_range(answers, counts, str, 't')}"


def _agreed(answers: Answers) -> str:
    """The land that all designs change, and the land on which systems collide."""
    figures, designs = answers.figures, len(answers.compared.designs)
    areas = claimed_twice(answers)
    claimed = _range(answers, areas, figures.read_area, "c")
    if len(areas) == 1:
        overlaps = f"{_who(answers, 'has')} {claimed} that two systems claim"
    elif _is_same(areas, figures.read_area):
        overlaps = f"Overlaps between systems are {claimed} in each design"
    else:
        overlaps = f"Overlaps between systems range {claimed}"
    if designs < 2:
        return overlaps
    layer = reported_consensus(answers)
    by_any, by_all = (layer.loc[layer["designs"] >= least, "area_ha"].sum() for least in (1, designs))
    total = link("consensus", figures.read_area(by_any))
    shared = f"{link('consensus', figures.read_area(by_all) if by_all else 'none')} of it"
    return f"The designs change {total} in total and share {shared}. {overlaps[0].upper()}{overlaps[1:]}"


def _is_same(amounts: dict[str, Any], shown: Callable[[Any], str]) -> bool:
    """True if all amounts are the same as displayed."""
    return len({shown(amount) for amount in amounts.values()}) == 1


def _who(answers: Answers, verb: str) -> str:
    """The subject of a sentence; a verb with a final s is about each of several designs."""
    scopes = answers.figures.scopes
    if scopes == ("project",):
        return f"all diagrams together {({'costs': 'cost', 'has': 'have'}).get(verb, verb.removesuffix('s'))}"
    if len(scopes) == 1:
        return f"{escape(answers.short(scopes[0]))} {verb}"
    return f"each of the {len(scopes)} designs {verb}" if verb.endswith("s") else f"the {len(scopes)} designs {verb}"


def _range(answers: Answers, amounts: dict[str, Any], shown: Callable[[Any], str], anchor: str) -> str:
    """A figure, or `from 2 M (1 Water) to 5 M (3 Parks)`; each is a link to its row in the appendix."""
    known = {scope: amount for scope, amount in amounts.items() if not pd.isna(amount)} or amounts

    def linked(scope: str) -> str:
        return link(f"{anchor}{answers.number(scope)}", shown(amounts[scope]))

    if len({shown(amount) for amount in known.values()}) == 1:
        return linked(next(iter(known)))
    ends = (min(known, key=known.__getitem__), max(known, key=known.__getitem__))
    return "from " + " to ".join(f"{linked(scope)} ({escape(answers.numbered(scope))})" for scope in ends)


def maps(answers: Answers) -> str:
    """A small map of each design, all of the same ground."""
    compared, figures = answers.compared, answers.figures
    if not len(compared.diagrams):
        return paragraph("The project has no diagrams.")
    shown, others = figures.scopes[:MAX_MAPS], figures.scopes[MAX_MAPS:]
    columns, width, height = grid(shape_of(compared), len(shown), WIDTH, HEIGHT)
    made = Maps(compared, "ground-of-designs", width, height)
    pictures = ""
    for scope in shown:
        rows, name = answers.diagrams(scope), answers.short(scope)
        facts = link(
            f"k{answers.number(scope)}", f"{counted(len(rows), 'diagram')}, {figures.read_money(cost_of(rows))}"
        )
        longer = "" if scope in (name, "project") else f"<br>{escape(scope.removeprefix(f'{name} – '))}"
        drawn = made.drawn(partial(diagrams_on, rows, compared.systems), f"Map of the diagrams of {scope}")
        words = f"<b>{escape(answers.numbered(scope))}</b>{longer}<br>{facts}"
        pictures += f"<figure>{drawn}<figcaption>{words}</figcaption></figure>"
    used = set(compared.diagrams["sysid"])
    names = {sysid: name for sysid, name in compared.systems["name"].items() if sysid in used}
    note = f"Projects are filled, policies dashed outlines, lines drawn. {about_ground(made.ground, figures)}"
    if others:
        note += f" In the appendix, without a map here: {', '.join(others)}."
    if compared.without_geometry:
        note += f" Not on a map, as they have no geometry: diagrams {', '.join(map(str, compared.without_geometry))}."
    note += f" {compared._source}"
    return made.land + side_by_side(columns, pictures) + legend(names) + f'<p class="note">{html(note.strip())}</p>'


def about_ground(ground: Ground | None, figures: Any) -> str:
    """The size of a map on the ground."""
    if ground is None:
        return ""
    width, height = ground.size
    middle = ground.north + height / ground.per_degree[1] / 2
    kilometres = 111.320 * width / ground.per_degree[0] * math.cos(math.radians(middle))
    return f"A map is about {figures.units.length_text(kilometres)} from west to east; north is up."


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
