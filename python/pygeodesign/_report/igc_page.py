"""The poster of the International Geodesign Collaboration as one page of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape

from pygeodesign._html import Column, html, page, paragraph, table
from pygeodesign._language import t
from pygeodesign._paper.drawing import Maps, bounds_of, diagrams_on, legend, patterns, side_by_side
from pygeodesign._paper.shown import hue
from pygeodesign._report.igc import (
    Poster,
    Sheet,
    about_maps,
    adopter,
    begun_by,
    carbon,
    changes,
    goals,
    heading_of,
    left_out,
    not_given,
    square_around,
)
from pygeodesign._report.summary import about_ground

MAP_MM = 105.0
STYLE = """
@page { size: 841mm 594mm; margin: 12mm }
main.igc { max-width: 817mm }
.igc .columns { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 10mm }
.igc .maps svg { border: 1px solid var(--faint) }
@media (max-width: 1100px) { .igc .columns { display: block } }
@media print { .igc .columns { display: grid } body { font-size: 11pt }
  .igc h1 { font-size: 36pt; margin: 0 } .igc h2 { font-size: 18pt } }
"""


def poster_page(poster: Poster, title: str | None, author: str, gaps: Sequence[str]) -> str:
    """The complete page as a string; it lists the `gaps`."""
    heading, names = heading_of(poster, title, author)
    said = paragraph(not_given(gaps)) if gaps else ""
    head = f"<h1>{escape(heading)}</h1>" + (paragraph(" · ".join(names)) if names else "") + said
    lines = "".join(f"<li>{escape(line)}</li>" for line in poster.assumptions)
    parts = {
        t("changes_by_system"): paragraph(t("about_changes")) + _tables(poster, changes(poster)),
        t("impact_by_goals"): _tables(poster, goals(poster)),
        t("carbon"): _tables(poster, carbon(poster)),
        t("assumptions"): lines and f"<ul>{lines}</ul>",
    }
    right = "".join(f"<section><h2>{name}</h2>{text}</section>" for name, text in parts.items() if text)
    body = (
        f'<main class="document report igc">{patterns(poster.compared)}{head}<div class="columns">'
        f"<div><section><h2>{t('poster_maps')}</h2>{_maps(poster)}</section></div>"
        f"<div>{right}</div></div></main>"
    )
    return page(heading, body, STYLE)


def _tables(poster: Poster, sheets: Sequence[Sheet]) -> str:
    text = ""
    for sheet in sheets:
        columns = [Column(name, "text" if place in sheet.words else "") for place, name in enumerate(sheet.headings)]
        rows = [
            [row[0] if sysid is None else hue(poster.compared, sysid, row[0]), *row[1:]]
            for row, sysid in zip(sheet.rows, sheet.sysids, strict=True)
        ]
        text += table(sheet.caption, columns, rows)
    return text


def _maps(poster: Poster) -> str:
    compared = poster.compared
    bounds = bounds_of(compared)
    if bounds is None:
        return paragraph(t("nothing_on_map"))
    made = Maps(compared, "ground-of-poster", MAP_MM, MAP_MM, square_around(bounds))
    pictures, notes = "", ""
    for key, label in poster.designs.items():
        rows = poster.rows(label)
        for year in poster.years:
            begun = begun_by(rows, year)
            alt = t("map_begun", design=label, year=str(year))
            drawn = made.drawn(partial(diagrams_on, begun, compared.systems), alt)
            words = f"<b>{adopter(key)}, {year}</b><br>{escape(label)}<br>{t('diagrams', count=len(begun))}"
            pictures += f"<figure>{drawn}<figcaption>{words}</figcaption></figure>"
        notes += "".join(map(paragraph, left_out(poster, key)))
    grid = side_by_side(len(poster.years), pictures)
    note = html(f"{about_maps(poster)} {about_ground(made.ground, poster.figures)}")
    return made.land + grid + legend(compared.systems["name"].to_dict()) + f'<p class="note">{note}</p>' + notes
