"""The table of a report's first page: the designs by what was asked, in colours that marks and words repeat."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from pygeodesign._html import Column, Markup, html, link, table
from pygeodesign._language import in_digits, t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.shown import SHOWN_HA
from pygeodesign._planning.decisions import agreed_designs, votes_by_diagram
from pygeodesign._planning.questions.conflicts import claimed_twice
from pygeodesign._planning.questions.targets import targets_by_scope
from pygeodesign._report.sentences import cheapest, figures_by_scope, joined, leading

# The letters of a name if there are many designs.
LONGEST_OF_MANY = 42
# The mark of each look; the style sheet has a colour for each.
MARKS = {"good": "✓", "fair": "–", "poor": "✗", "unsure": "?"}


def asked(answers: Answers) -> str:
    """A row for each design: targets, budgets, cost, conflicts, votes, and whether it was agreed."""
    figures, compared, all_of = answers.figures, answers.compared, figures_by_scope(answers)
    of = next(iter(all_of.values()))
    columns = [Column(t("design"), "text")]
    columns += [Column(t(name), "look") for kind, name in KINDS.items() if of[kind]]
    columns += [
        Column(t("cost_unit", unit=figures.money_unit), "look"),
        Column(t("conflicts_unit", unit=figures.units.area), "look"),
    ]
    columns += [Column(t("votes_mean"), "look")] if compared._votes else []
    columns += [Column(t("is_agreed"), "look")] if compared._sessions else []
    rows = []
    for scope, own in all_of.items():
        cells = [_met(answers, scope, own, kind) for kind in KINDS if of[kind]]
        cells += [_cost(answers, scope, own), _conflicts(answers, scope)]
        cells += [_votes(answers, scope)] if compared._votes else []
        cells += [_agreed(answers, scope)] if compared._sessions else []
        rows.append((_name(answers, scope), *cells))
    return table(t("asked_caption"), columns, rows)


def _name(answers: Answers, scope: str) -> str:
    """A design's name, on one line if there are many; the key to the numbers has it in full."""
    name = answers.numbered(scope)
    return f"{name[: LONGEST_OF_MANY - 1].rstrip()}…" if answers.are_many and len(name) > LONGEST_OF_MANY else name


KINDS = {"targets": "targets_met", "budgets": "budgets_kept"}


def looking(look: str, text: Any) -> Markup:
    """A cell's content in a colour, after the mark of this colour."""
    return Markup(f'<span class="{look}"><b aria-hidden="true">{MARKS[look]}</b> {html(text)}</span>')


def _met(answers: Answers, scope: str, own: dict[str, Any], kind: str) -> Markup:
    met, count, column = own[f"{kind}_met"], own[kind], "area_status" if kind == "targets" else "budget_status"
    statuses = targets_by_scope(answers)[scope][column]
    missed, unknown = ((statuses == status).sum() for status in ("missed", "not known"))
    text = t("of", some=met, all=count)
    if kind == "budgets":
        look = "poor" if missed else "unsure" if unknown else "good" if met else "fair"
        text = t("budgets_over", kept=text, count=int(missed)) if missed else text
    else:
        look = "good" if met == count else "unsure" if unknown else "fair" if met else "poor"
        if len(answers.figures.scopes) > 1 and met and scope in leading(answers):
            text, look = text if answers.are_many else t("is_most", text=text), "good"
    return looking(look, link(f"t{answers.number(scope)}", text))


def _cost(answers: Answers, scope: str, own: dict[str, Any]) -> Markup:
    text = answers.figures.money(np.nan if own["cost"] is None else own["cost"]) + ("*" if own["unpriced"] else "")
    is_least = len(answers.figures.scopes) > 1 and scope in cheapest(answers)
    # With many designs, the mark is enough.
    text = t("is_least", text=text) if is_least and not answers.are_many else text
    exact = link(f"k{answers.number(scope)}", text)
    return looking("good", exact) if is_least else looking("unsure", exact) if own["unpriced"] else exact


def _conflicts(answers: Answers, scope: str) -> Markup:
    shared = claimed_twice(answers)[scope]
    text = answers.figures.area(shared) if shared >= SHOWN_HA else t("none")
    return looking("poor" if shared >= SHOWN_HA else "good", link(f"c{answers.number(scope)}", text))


def _votes(answers: Answers, scope: str) -> Markup:
    by_diagram = votes_by_diagram(answers.compared._votes)
    cast = [vote for number in answers.diagrams(scope).index for vote in by_diagram.get(number, [])]
    if not cast:
        return Markup(escape(t("none")))
    mean = float(np.mean(cast))
    look = "fair" if abs(mean) < 0.5 else "good" if mean > 0 else "poor"
    return looking(look, link("decided", t("mean_of_votes", mean=in_digits(f"{mean:+.1f}"), count=len(cast))))


def _agreed(answers: Answers, scope: str) -> Markup:
    by = agreed_designs(answers.compared).get(scope)
    if by is None:
        return Markup(escape(t("not_yet")))
    return looking("good", link("decided", t("by_teams", teams=joined(by.teams))))
