"""The first page of a record: when, who, teams, counts, a map, and the files in the folder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Any, NamedTuple

from pygeodesign._html import Column, Markup, html, page, paragraph, swatch, table
from pygeodesign._language import date, moment, t
from pygeodesign._looks import hex_color
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import UNITS_PER_MM, legend, patterns
from pygeodesign._paper.shown import Figures
from pygeodesign._planning.compared import names_of_areas
from pygeodesign._planning.decisions import agreed_designs
from pygeodesign._report.summary import LONG, LONGEST_HEADING, WIDTH, about_ground, large_map

# Millimetres of paper: the height of Letter; a line, a row of teams, a row of files; title, lines below it, the map's
# caption, and captions and headings of tables; the map's least height, and the width of counts and legend beside it.
HEIGHT, LINE, TEAM, FILE, REST, LEAST, BESIDE = 248.0, 4.1, 5.2, 6.4, 60.0, 96.0, 46.0
# Letters on a line of text, and of a team's members.
LETTERS, MEMBERS = 120, 85
STYLE = """
.counts { list-style: none; margin: .6rem 0; padding: 0; font-size: 1.25rem; font-weight: 600 }
#record .hero { margin: .6rem 0 }
#record .key { flex-direction: column }
@media print { .counts { font-size: 14pt; line-height: 1.5 } .sheet p { max-width: none } }
"""


class TeamFacts(NamedTuple):
    """A team: its title, colour, members, and the number of designs it saved."""

    title: str
    color: str | None
    members: Sequence[str]
    designs: int


class Workshop(NamedTuple):
    """A workshop's facts; the project may lack some of them."""

    description: str
    #: Empty if it is not known.
    author: str
    teams: Sequence[TeamFacts]
    #: None if the service does not show them.
    members: int | None
    designs: int
    #: The first and the last time at which something was drawn, saved or decided; None if there is none.
    days: tuple[datetime, datetime] | None


class File(NamedTuple):
    """A file in the folder: its name, the text about it, and its size in bytes, None if it was not written."""

    name: str
    meaning: str
    size: int | None


def record_page(compared: Any, figures: Figures, workshop: Workshop, heading: str, files: Sequence[File]) -> str:
    """The complete page as a string."""
    answers = Answers(compared, figures, {}, progress=False)
    body = (
        f'<main class="document report">{patterns(compared)}<section class="sheet" id="record">'
        f"<h1{LONG if len(heading) > LONGEST_HEADING else ''}>{escape(heading)}</h1>"
        + "".join(map(paragraph, _about(compared, workshop, heading)))
        + _map(answers, _counts(compared, workshop), HEIGHT - REST - _height(workshop, files))
        + _teams(workshop)
        + _files(files)
        + "</section></main>"
    )
    return page(heading, body, STYLE)


def shown_design(compared: Any) -> str:
    """The agreed design, the last one if several were agreed; or else all diagrams, `"project"`."""
    return max(agreed_designs(compared), key=lambda label: compared._saved_at[label], default="project")


def _about(compared: Any, workshop: Workshop, heading: str) -> list[str]:
    """Lines below the title; what is not known is left out."""
    about = [t("record_of_workshop"), *([] if heading == compared.title else [compared.title])]
    about += [names] if (names := names_of_areas(compared.boundaries)) else []
    if workshop.days:
        first, last = map(date, workshop.days)
        about.append(t("drawn_and_decided", dates=first if first == last else t("to", low=first, high=last)))
    made = [t("recorded_by", author=workshop.author)] if workshop.author else []
    made += [t("as_of", time=moment(compared.read_at))] if compared.read_at is not None else []
    return [line for line in (" · ".join(about), " · ".join(made), workshop.description) if line]


def _counts(compared: Any, workshop: Workshop) -> list[str]:
    counts = {"diagrams": len(compared.diagrams), "number_of_designs": workshop.designs}
    counts |= {} if compared._votes is None else {"number_of_votes": len(compared._votes)}
    counts |= {} if compared._sessions is None else {"number_of_negotiations": len(compared._sessions)}
    counts |= {"number_of_teams": len(workshop.teams)}
    counts |= {} if workshop.members is None else {"number_of_members": workshop.members}
    return [t(name, count=count) for name, count in counts.items()]


def _height(workshop: Workshop, files: Sequence[File]) -> float:
    """Millimetres of the lines and rows around the map."""
    teams = sum(TEAM + LINE * (len(", ".join(team.members)) // MEMBERS) for team in workshop.teams)
    return teams + LINE * (len(workshop.description) // LETTERS) + FILE * len(files)


def _map(answers: Answers, counts: Sequence[str], height: float) -> str:
    """The map, with counts and legend beside it."""
    compared, counted = answers.compared, f'<ul class="counts">{"".join(f"<li>{count}</li>" for count in counts)}</ul>'
    hero = large_map(answers, answers.figures.scope, WIDTH - BESIDE, max(LEAST, height))
    if hero.ground is None:
        return counted
    note = f"{t('how_drawn')} {about_ground(hero.ground, answers.figures)} {compared._source}"
    beside = f'{counted}{legend(compared.systems["name"].to_dict())}<p class="note">{html(note.strip())}</p>'
    width = hero.ground.size[0] / UNITS_PER_MM
    return f'<div class="hero" style="--hero:{width:.0f}mm">{hero.picture}<div>{beside}</div></div>'


def _teams(workshop: Workshop) -> str:
    columns = [Column(t("team"), "text"), Column(t("members_heading"), "text"), Column(t("saved_designs"))]
    rows = [(_colored(team), ", ".join(team.members) or t("none"), team.designs) for team in workshop.teams]
    return table(t("teams_heading"), columns, rows) if rows else ""


def _colored(team: TeamFacts) -> str:
    color = hex_color(team.color)
    return swatch(color, team.title) if color else team.title


def _files(files: Sequence[File]) -> str:
    columns = [Column(t("file"), "text"), Column(t("contents"), "text"), Column(t("size"))]
    rows = []
    for file in files:
        name = file.name if file.size is None else Markup(f'<a href="{file.name}">{file.name}</a>')
        size = (
            t("none")
            if file.size is None
            else t("kilobytes", size=max(1, round(file.size / 1000))).replace(" ", "\N{NO-BREAK SPACE}")
        )
        rows.append((name, file.meaning, size))
    return table(t("files_of_record"), columns, rows)
