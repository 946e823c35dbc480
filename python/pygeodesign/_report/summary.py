"""The first page of a report: what is compared, three sentences whose figures lead to their proof, and small maps."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

import pandas as pd

from pygeodesign import __version__
from pygeodesign._html import Markup, html, link, paragraph
from pygeodesign._planning.compared import names_of_areas
from pygeodesign._report.answers import Answers
from pygeodesign._report.drawing import Ground, diagrams_on, ground_of, legend, map_of
from pygeodesign._text import counted

# Millimetres of paper that small maps share, on A4 and on Letter, and those of the texts below a map.
WIDTH, HEIGHT, TEXTS = 178.0, 138.0, 17.0
GAP = 4.0
# More maps would be too small to be read.
MAX_MAPS = 12


def summary(answers: Answers, title: str | None, author: str) -> str:
    """The first page."""
    compared = answers.compared
    heading = compared.title if title is None else title
    names = [] if heading == compared.title else [compared.title]
    if place := _place(compared.boundaries) or _middle(compared):
        names.append(place)
    if compared.read_at is not None:
        names.append(f"as of {compared.read_at:%d %B %Y, %H:%M} UTC".replace("of 0", "of "))
    made = f"made by {author}, with pygeodesign {__version__}" if author else f"made with pygeodesign {__version__}"
    return (
        f"<h1>{escape(heading)}</h1>"
        + paragraph(" · ".join((*names, made)))
        + _subject(answers)
        + f'<ul class="answers">{"".join(f"<li>{sentence}</li>" for sentence in sentences(answers))}</ul>'
        + maps(answers)
    )


def _place(boundaries: Any) -> str:
    return names_of_areas(boundaries) if len(boundaries) else ""


def _middle(compared: Any) -> str:
    """The middle of the study area, or of the diagrams, where no area has a name."""
    for rows in (compared.boundaries, compared.diagrams):
        shapes = rows.geometry.dropna()
        if len(shapes):
            west, south, east, north = shapes.total_bounds
            lon, lat = (west + east) / 2, (south + north) / 2
            return f"{abs(lat):.2f}° {'N' if lat >= 0 else 'S'}, {abs(lon):.2f}° {'E' if lon >= 0 else 'W'}"
    return ""


def _subject(answers: Answers) -> str:
    """Whose figures these are."""
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
    """Three sentences from fixed templates: what the designs cost, what they meet, and where they agree and collide."""
    return [Markup(f"{text[0].upper()}{text[1:]}.") for text in (_cost(answers), _met(answers), _agreed(answers))]


def _cost(answers: Answers) -> str:
    figures = answers.figures
    rows = {scope: answers.diagrams(scope) for scope in figures.scopes}
    costs = {scope: own["cost"].sum(min_count=1) if len(own) else 0.0 for scope, own in rows.items()}
    verb = "costs" if _is_same(costs, figures.read_money) else "cost"
    text = f"{_who(answers, verb)} {_range(answers, costs, figures.read_money, 'k')}"
    unknown = len({number for own in rows.values() for number in own.index[own["cost"].isna()]})
    if unknown:
        text += f", without {counted(unknown, 'diagram')} whose cost is not known"
    return text


def _met(answers: Answers) -> str:
    """How many targets are met and budgets exceeded, of those that systems have."""
    figures, parts = answers.figures, []
    frames = {scope: answers.of(answers.targets, scope) for scope in figures.scopes}
    for name, column, status, verb in (
        ("target", "area_status", "met", "meet"),
        ("budget", "budget_status", "missed", "exceed"),
    ):
        of = max((int((frame[column] != "none").sum()) for frame in frames.values()), default=0)
        if not of:
            parts.append(f"no system has a {name}")
            continue
        counts = {scope: int((frame[column] == status).sum()) for scope, frame in frames.items()}
        is_same = _is_same(counts, str)
        who = _who(answers, verb + "s" if is_same else verb)
        parts.append(f"{who} {_range(answers, counts, str, 't')} of {counted(of, name)}")
    return "; ".join(parts)


def _agreed(answers: Answers) -> str:
    """The land that all designs change, and the land on which systems collide."""
    figures, designs = answers.figures, len(answers.compared.designs)
    text = ""
    if designs > 1:
        layer = answers.consensus
        by_any, by_all = (
            link("consensus", figures.read_area(layer.loc[layer["designs"] >= least, "area_ha"].sum()))
            for least in (1, designs)
        )
        text = f"Projects of any design change {by_any} of land, those of all {designs} designs {by_all} of it; "
    areas = {scope: float(answers.of(answers.conflicts, scope)["area_ha"].sum()) for scope in figures.scopes}
    verb = "has" if _is_same(areas, figures.read_area) else "have"
    text += f"{_who(answers, verb)} {_range(answers, areas, figures.read_area, 'c')} that two systems claim"
    return text


def _is_same(amounts: dict[str, Any], shown: Callable[[Any], str]) -> bool:
    """Whether one figure is that of all, as it is shown."""
    return len({shown(amount) for amount in amounts.values()}) == 1


def _who(answers: Answers, verb: str) -> str:
    """The subject of a sentence; a verb that ends with s is about each of several designs."""
    scopes = answers.figures.scopes
    if scopes == ("project",):
        return f"all diagrams together {({'costs': 'cost', 'has': 'have'}).get(verb, verb.removesuffix('s'))}"
    if len(scopes) == 1:
        return f"{escape(answers.short(scopes[0]))} {verb}"
    return f"each of the {len(scopes)} designs {verb}" if verb.endswith("s") else f"the {len(scopes)} designs {verb}"


def _range(answers: Answers, amounts: dict[str, Any], shown: Callable[[Any], str], anchor: str) -> str:
    """A figure, or `from 2 M (1 Water) to 5 M (3 Parks)`; each leads to its row in the appendix."""
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
    shown, others = figures.scopes[:MAX_MAPS], figures.scopes[MAX_MAPS:]
    columns, width, height = grid(shape_of(compared), len(shown), WIDTH, HEIGHT)
    ground = ground_of(compared.boundaries, compared.diagrams, width, height)
    pictures = ""
    for scope in shown:
        rows = answers.diagrams(scope)
        cost = rows["cost"].sum(min_count=1) if len(rows) else 0.0
        facts = f"{counted(len(rows), 'diagram')}, {figures.read_money(cost)}"
        name = answers.short(scope)
        longer = "" if scope in (name, "project") else scope.removeprefix(f"{name} – ")
        drawn: str = ""
        if ground is not None:
            alt = f"Map of the diagrams of {scope}"
            drawn = map_of(ground, compared.boundaries, diagrams_on(ground, rows, compared.systems), alt)
        number = f"<b>{escape(answers.numbered(scope))}</b>"
        pictures += (
            f"<figure>{drawn}<figcaption>{number}{f'<br>{escape(longer)}' if longer else ''}<br>"
            f"{link(f'k{answers.number(scope)}', facts)}</figcaption></figure>"
        )
    if not len(compared.diagrams):
        return paragraph("The project has no diagrams.")
    used = set(compared.diagrams["sysid"])
    names = {sysid: name for sysid, name in compared.systems["name"].items() if sysid in used}
    note = "Projects are filled, policies dashed outlines, lines drawn."
    if ground is not None:
        note += f" {about_ground(ground, figures)}"
    if others:
        note += f" In the appendix, without a map here: {', '.join(others)}."
    if compared.without_geometry:
        note += f" Not on a map, as they have no geometry: diagrams {', '.join(map(str, compared.without_geometry))}."
    if compared._source:
        note += f" {compared._source}"
    return (
        f'<div class="maps" style="--columns:{columns}">{pictures}</div>{legend(names)}<p class="note">{html(note)}</p>'
    )


def about_ground(ground: Ground, figures: Any) -> str:
    """How large a map is on the ground."""
    width, height = ground.size
    middle = ground.north + height / ground.per_degree[1] / 2
    kilometres = 111.320 * width / ground.per_degree[0] * math.cos(math.radians(middle))
    return f"A map is about {figures.units.length_text(kilometres)} from west to east; north is up."


def shape_of(compared: Any) -> float:
    """How many times as wide as high the ground is."""
    ground = ground_of(compared.boundaries, compared.diagrams, 1000, 1000)
    return 1.0 if ground is None else ground.size[0] / ground.size[1]


def grid(shape: float, count: int, width: float, height: float, texts: float = TEXTS) -> tuple[int, float, float]:
    """The columns with which `count` pictures of a shape are largest, and the millimetres that each may have."""
    found = []
    for columns in range(1, max(count, 1) + 1):
        rows = math.ceil(count / columns)
        wide, high = (width - GAP * (columns - 1)) / columns, (height - GAP * (rows - 1)) / rows - texts
        if high > 5:
            # In fewer rows, pictures are compared more easily, even if they are a little smaller.
            found.append((min(wide, high * shape) * 0.7**rows, columns, wide, high))
    _, columns, wide, high = max(found, default=(0.0, 4, width / 4, width / 4))
    return columns, wide, high
