"""The figures of the poster's page: changes by system, goals as numbered squares, carbon and assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from pygeodesign._html import Column, paragraph, table, unlinked
from pygeodesign._language import isolated, t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import ink_on
from pygeodesign._paper.shown import hue
from pygeodesign._report.costs import by_system
from pygeodesign._report.igc import GOALS, Poster, Sheet, carbon, changes, goals, not_given
from pygeodesign._report.marks import met_table

# The colours of the goals by the guidelines of the United Nations.
COLORS = (
    "#e5243b",
    "#dda63a",
    "#4c9f38",
    "#c5192d",
    "#ff3a21",
    "#26bde2",
    "#fcc30b",
    "#a21942",
    "#fd6925",
    "#dd1367",
    "#fd9d24",
    "#bf8b2e",
    "#3f7e44",
    "#0a97d9",
    "#56c02b",
    "#00689d",
    "#19486a",
)
# Points of letters: the least, the most, and those of a millimetre; the height of a line and the width of a letter as
# shares of them.
SMALLEST, LARGEST, POINTS, HIGH, WIDE = 4.0, 8.5, 2.835, 1.62, 0.56
# Lines of all goals, of a part's heading and notes, and of a table's caption and headings; letters of a line, the least
# and the most of a design's column, and those next to a cell.
GOAL_LINES, HEADING_LINES, TABLE_LINES, LETTERS, CELL, LONGEST, BESIDE = 28, 3, 4, 85, 10, 15, 3


class Part(NamedTuple):
    """A part of the poster: its text's key, its HTML, its lines, and the letters of its longest line."""

    heading: str
    text: str
    lines: int
    letters: int = LETTERS

    @property
    def height(self) -> float:
        """Millimetres in the largest letters."""
        return self.lines * LARGEST * HIGH / POINTS


def by_systems(poster: Poster, answers: Answers) -> list[Part]:
    """Changes by system and year of each adopter, or else each design's costs and targets by system; and the goals."""
    built, systems = _without_empty(changes(poster)), len(answers.compared.systems)
    parts = []
    if built:
        letters = max(map(_letters, built))
        text = paragraph(t("about_changes")) + _tables(poster, built)
        parts.append(Part("changes_by_system", text, HEADING_LINES + sum(map(_lines, built)), letters))
    elif systems:
        tables = [by_system(answers), met_table(answers, "area"), met_table(answers, "budget"), answers.key()]
        headings = [min(max(len(answers.heading(scope)), CELL), LONGEST) for scope in answers.figures.scopes]
        letters = CELL + sum(headings) + max(map(len, answers.compared.systems["name"].astype(str)))
        parts.append(Part("poster_systems", unlinked("".join(tables)), 3 * (systems + TABLE_LINES), letters))
    scored = _goals(poster)
    return [*parts, Part("impact_by_goals", scored, GOAL_LINES)] if scored else parts


def words(poster: Poster, gaps: Sequence[str]) -> list[Part]:
    """Carbon, assumptions, and the `gaps`."""
    parts, emitted, note = [], carbon(poster), not_given(gaps)
    if emitted:
        parts.append(Part("carbon", _tables(poster, emitted), sum(map(_lines, emitted)) + 1))
    if poster.assumptions:
        lines = sum(1 + len(line) // LETTERS for line in poster.assumptions)
        items = "".join(f"<li>{escape(line)}</li>" for line in poster.assumptions)
        parts.append(Part("assumptions", f"<ul>{items}</ul>", lines + 2))
    return [*parts, Part("", f'<p class="note">{escape(note)}</p>', 1 + len(note) // LETTERS)] if note else parts


def column(parts: Sequence[Part], width: float, height: float) -> str:
    """Parts one below another, in the largest letters with which they fit into the millimetres."""
    lines = sum(part.lines for part in parts)
    letters = max((part.letters for part in parts), default=LETTERS)
    size = min(height * POINTS / max(lines, 1) / HIGH, width * POINTS / letters / WIDE, LARGEST)
    text = "".join(
        f"<section>{f'<h2>{t(part.heading)}</h2>' if part.heading else ''}{part.text}</section>" for part in parts
    )
    return f'<div class="figures" style="--size: {max(size, SMALLEST):.1f}pt">{text}</div>'


def _lines(sheet: Sheet) -> int:
    return len(sheet.rows) + TABLE_LINES


def _letters(sheet: Sheet) -> int:
    """The letters in a table's longest row."""
    return sum(BESIDE + max(map(len, column)) for column in zip(*sheet.rows, strict=True))


def _without_empty(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Tables without the columns in which all of them say that there is nothing."""
    rows = [row for sheet in sheets for row in sheet.rows]
    kept = [place for place in range(len(rows[0])) if any(row[place] != t("none") for row in rows)] if rows else []
    return [
        sheet._replace(
            headings=[sheet.headings[place] for place in kept],
            rows=[[row[place] for place in kept] for row in sheet.rows],
        )
        for sheet in sheets
    ]


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


def _goals(poster: Poster) -> str:
    """A square of each goal's colour with its number, and the scores of the designs."""
    if not (sheets := goals(poster)):
        return ""
    (sheet,), tiles = sheets, ""
    names = sheet.headings[1:]
    for goal, color, (_, *scores) in zip(GOALS, COLORS, sheet.rows, strict=True):
        shown = " ".join(map(_score, names, scores))
        tiles += f'<li id="goal{goal}">{_square(goal, color)}<b>{t(f"goal_{goal}")}</b><div>{shown}</div></li>'
    note = f"{sheet.caption}. {t('goals_order', names=', '.join(names))}"
    return f'{paragraph(note)}<ul class="goals">{tiles}</ul>'


def _square(goal: int, color: str) -> str:
    number = f'<text class="{ink_on(color)}" x="50" y="69">{goal}</text>'
    return (
        f'<svg viewBox="0 0 100 100" aria-hidden="true"><rect width="100" height="100" fill="{color}"/>{number}</svg>'
    )


def _score(name: str, score: str) -> str:
    look = {"+": "good", "-": "poor"}.get(score[0], "unsure")
    return f'<span class="{look}" title="{escape(name)}">{isolated(score)}</span>'
