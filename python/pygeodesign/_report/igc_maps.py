"""The small maps of the poster: one of each design, and one of each adopter and year."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from pygeodesign._html import paragraph, swatch
from pygeodesign._language import t
from pygeodesign._looks import hex_color
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import Maps, bounds_of, diagrams_on, side_by_side
from pygeodesign._planning.summary import cost_of
from pygeodesign._report.igc import Poster, about_maps, adopter, begun_by, left_out, square_around
from pygeodesign._report.sentences import figures_by_scope
from pygeodesign._report.summary import GAP, grid, shape_of

# Millimetres: a line below a map, the lines below a map of a year, and the notes on these maps.
LINE, YEAR_LINES, NOTES = 3.5, 2, 14.0
# The lines of figures below a design's map, and the width of a letter of its name.
FACTS, LETTER = 4, 1.5


class YearsRoom(NamedTuple):
    """The layout of maps of years: columns, the side of a map in millimetres, and the size of all of them."""

    columns: int
    side: float
    width: float
    height: float


def room_of_years(poster: Poster, width: float, height: float) -> YearsRoom:
    """The layout in which the maps are larger: a row for each adopter, or a row for each year."""
    counts = max(len(poster.years), 1), max(len(poster.designs), 1)
    texts, found = LINE * YEAR_LINES + GAP, []
    for columns, rows in (counts, counts[::-1]):
        side = min((width + GAP) / columns - GAP, (height - NOTES) / rows - texts)
        side = max(side, 1.0)
        found.append(YearsRoom(columns, side, columns * (side + GAP) - GAP, rows * (side + texts) + NOTES))
    return max(found, key=lambda room: room.side)


def maps_of_years(poster: Poster, room: YearsRoom) -> str:
    """The diagrams of each adopter that have begun by the end of each year, on the square around the study area."""
    compared, bounds = poster.compared, bounds_of(poster.compared)
    if not poster.designs:
        return ""
    heading = f"<h2>{t('poster_maps')}</h2>"
    if bounds is None:
        return f"<section>{heading}{paragraph(t('nothing_on_map'))}</section>"
    made = Maps(compared, "ground-of-poster", room.side, room.side, square_around(bounds))
    pairs = [(key, year) for key in poster.designs for year in poster.years]
    if room.columns != len(poster.years):
        pairs.sort(key=lambda pair: poster.years.index(pair[1]))
    pictures = ""
    for key, year in pairs:
        label = poster.designs[key]
        begun = begun_by(poster.rows(label), year)
        drawn = made.drawn(partial(diagrams_on, begun, compared.systems), t("map_begun", design=label, year=str(year)))
        words = f"<b>{adopter(key)}, {year}</b><br>{t('diagrams', count=len(begun))}"
        pictures += f"<figure>{drawn}<figcaption>{words}</figcaption></figure>"
    notes = " ".join((about_maps(poster), *(note for key in poster.designs for note in left_out(poster, key))))
    return (
        f'<section class="years">{heading}{made.land}{side_by_side(room.columns, pictures)}'
        f'<p class="note">{escape(notes)}</p></section>'
    )


def maps_of_designs(answers: Answers, shown: Sequence[str], width: float, height: float) -> str:
    """A map of each design, with its name in its team's colour, its cost, and the number of met targets."""
    compared, shape = answers.compared, shape_of(answers.compared)
    # Names wrap below narrow maps, which are those of many designs.
    longest = max(len(answers.numbered(scope)) for scope in shown)
    lines = FACTS + longest * LETTER * min(len(shown), 4) // width
    columns, wide, high = grid(shape, len(shown), width, height, LINE * lines, in_a_row=1.0)
    made = Maps(compared, "ground-of-small-maps", wide, high)
    pictures = ""
    for scope in shown:
        drawn = made.drawn(
            partial(diagrams_on, answers.diagrams(scope), compared.systems), t("map_of_diagrams", design=scope)
        )
        pictures += f"<figure>{drawn}<figcaption>{_facts(answers, scope)}</figcaption></figure>"
    others = answers.figures.scopes[len(shown) :]
    note = paragraph(t("poster_without_map", designs=", ".join(others))) if others else ""
    heading = f"<h2>{t('poster_designs')}</h2>"
    return f'<section class="designs">{heading}{made.land}{side_by_side(columns, pictures)}{note}</section>'


def _facts(answers: Answers, scope: str) -> str:
    color = hex_color(answers.compared._team_colors.get(scope))
    name = swatch(color, answers.numbered(scope)) if color else escape(answers.numbered(scope))
    own, rows = figures_by_scope(answers)[scope], answers.diagrams(scope)
    cost = answers.figures.read_money(cost_of(rows)) + ("*" if own["unpriced"] else "")
    facts = f"<b>{name}</b><br>{t('diagrams', count=len(rows))}<br>{escape(cost)}"
    met = t("of", some=own["targets_met"], all=own["targets"])
    return facts + (f"<br>{t('targets_met')}: {met}" if own["targets"] else "")
