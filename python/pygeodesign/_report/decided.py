"""The fifth page of a report, if something was decided: agreed designs, negotiations, a proposal, and votes."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import numpy as np

from pygeodesign._html import Column, Markup, link, paragraph, table
from pygeodesign._language import in_digits, moment, t
from pygeodesign._paper.answers import Answers, once
from pygeodesign._paper.drawing import Ground, Maps, side_by_side
from pygeodesign._paper.labels import names_on
from pygeodesign._paper.shown import title_of
from pygeodesign._planning.decisions import Session, agreed_designs, sessions_about, votes_by_diagram
from pygeodesign._planning.land.lands import are_there
from pygeodesign._planning.questions.negotiate import proposal
from pygeodesign._report.asked import looking
from pygeodesign._report.sentences import joined
from pygeodesign._report.summary import GAP, MAX_MAPS, WIDTH, grid, shape_of

# The height for maps in millimetres, and for the words below one.
HEIGHT, TEXTS = 120.0, 12.0
# The most titles in a cell, and rows of votes.
MOST_TITLES, MOST_VOTED = 30, 15


def is_any(answers: Answers) -> bool:
    """True if a report has this page."""
    return bool(_sessions(answers) or len(_voted(answers)) or answers.asks_for("negotiate"))


def decided(answers: Answers) -> str:
    """The page."""
    text = _agreed(answers) + _negotiations(answers) if _sessions(answers) else ""
    if answers.asks_for("negotiate"):
        text += f"<h3>{t('negotiate_heading')}</h3>{proposal(answers)}"
    return text + _votes(answers)


@once
def _sessions(answers: Answers) -> list[Session]:
    return sessions_about(answers.compared, answers.figures.scopes)


def _agreed(answers: Answers) -> str:
    agreed = agreed_designs(answers.compared)
    texts = [
        t("agreed_design", design=answers.named(scope), teams=joined(by.teams))
        for scope, by in agreed.items()
        if scope in answers.figures.scopes
    ]
    return "".join(map(paragraph, texts or [t("no_agreed_design")]))


def _negotiations(answers: Answers) -> str:
    """A map of each negotiation's decisions, and a table with their titles."""
    sessions, compared = _sessions(answers), answers.compared
    shown = sessions[:MAX_MAPS]
    columns, width, height = grid(shape_of(compared), len(shown), WIDTH, HEIGHT, TEXTS)
    # A single map is as wide as the page only if its ground is.
    made = Maps(compared, "ground-of-decisions", width, height - GAP)
    pictures = ""
    for session in shown:
        teams = joined(session.teams)
        drawn = made.drawn(partial(_decisions_on, compared.diagrams, session), t("decisions_alt", teams=teams))
        pictures += f"<figure>{drawn}<figcaption><b>{escape(teams)}</b></figcaption></figure>"
    headings = ("teams_heading", "decided_last", *LOOKS)
    rows = [
        (
            joined(session.teams),
            moment(session.ended) if session.ended else t("not_known"),
            *(_titles(answers, look, getattr(session, name)) for name, (look, _) in LOOKS.items()),
        )
        for session in sessions
    ]
    return (
        table(t("negotiations_caption"), [Column(t(name), "text") for name in headings], rows)
        + made.land
        + side_by_side(columns, pictures)
        + paragraph(t("decisions_drawn"))
    )


# The decisions, with the look of their titles and the class of their shapes.
LOOKS = {"accepted": ("good", "agree3"), "rejected": ("poor", "collision"), "left_open": ("unsure", "claimed")}


def _decisions_on(diagrams: Any, session: Session, ground: Ground) -> str:
    """The diagrams by decision, with the names of the largest accepted ones."""
    drawn = ""
    for name, (_, kind) in reversed(LOOKS.items()):
        rows = diagrams[diagrams.index.isin(getattr(session, name)) & are_there(diagrams.geometry)]
        drawn += f'<path class="decided {kind}" d="{ground.path(rows.geometry)}"/>' if len(rows) else ""
    return drawn + names_on(diagrams[diagrams.index.isin(session.accepted)], ground)


def _titles(answers: Answers, look: str, ids: list[int]) -> Markup:
    """Diagrams by their titles, after their number in the colour of the decision; removed ones by their ids."""
    titles = answers.compared.diagrams["title"]
    named = [link(f"d{one}", title_of(titles[one])) if one in titles.index else str(one) for one in ids[:MOST_TITLES]]
    names = ", ".join(named)
    if len(ids) > MOST_TITLES:
        names = t("and_more", names=names, count=len(ids) - MOST_TITLES)
    return Markup(f'<span class="look">{looking(look, str(len(ids)))}</span> {names}')


@once
def _voted(answers: Answers) -> list[tuple[int, list[float]]]:
    """The diagrams of the report with votes, the most supported first."""
    ids = {number for scope in answers.figures.scopes for number in answers.diagrams(scope).index}
    cast = {number: votes for number, votes in votes_by_diagram(answers.compared._votes).items() if number in ids}
    return sorted(cast.items(), key=lambda pair: (-float(np.mean(pair[1])), -len(pair[1]), pair[0]))


def _votes(answers: Answers) -> str:
    voted, titles, rows = _voted(answers), answers.compared.diagrams["title"], []
    if not voted:
        return ""
    # The most and the least supported ones.
    half = MOST_VOTED // 2
    shown = voted if len(voted) <= MOST_VOTED else voted[: MOST_VOTED - half] + voted[-half:]
    for number, votes in shown:
        mean = float(np.mean(votes))
        look = "fair" if abs(mean) < 0.5 else "good" if mean > 0 else "poor"
        text = t("mean_of_votes", mean=in_digits(f"{mean:+.1f}"), count=len(votes))
        sides = [sum(np.sign(vote) == side for vote in votes) for side in (1, 0, -1)]
        rows.append((link(f"d{number}", title_of(titles[number])), looking(look, text), ", ".join(map(str, sides))))
    columns = [Column(t("diagram"), "text"), Column(t("votes_mean"), "look"), Column(t("votes_for_against"))]
    note = t("of", some=len(shown), all=len(voted)) if len(shown) < len(voted) else ""
    return table(t("votes_caption") + (f" ({note})" if note else ""), columns, rows)
