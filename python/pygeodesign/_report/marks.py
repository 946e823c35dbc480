"""The second page of a report: targets and budgets that each design meets, as marks that need no colour."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Column, Markup, link, paragraph, table
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import sample
from pygeodesign._paper.shown import SHOWN_HA
from pygeodesign._planning.questions.targets import targets_by_scope

# The mark of each status, and its word in a cell.
MARKS = {"met": "✓", "missed": "✗", "nothing planned": "–", "not known": "?", "none": ""}
SHORT = {"met": "met", "nothing planned": "none", "not known": "unknown"}
# With more designs, these are rows.
MOST_COLUMNS = 14


def marks(answers: Answers) -> str:
    """A table for targets and one for budgets."""
    if not len(answers.compared.systems):
        return paragraph("The project has no systems, so there are no targets and no budgets.")
    key = "".join(
        f"<li><b>{MARKS[status]}</b> {meaning}</li>"
        for status, meaning in (
            ("met", "met"),
            ("missed", "missed, by this much"),
            ("nothing planned", "nothing planned: the design has no diagram of the system"),
            ("not known", "not known, because an area or a cost is not"),
        )
    )
    return (
        _table(answers, "Targets: the area of each system", "area")
        + _table(answers, "Budgets: the cost of each system", "budget")
        + answers.key()
        + f'<ul class="key">{key}</ul>'
        + paragraph(
            Markup(
                "A target counts what the system covers today and the hectares summed over its diagrams, policies "
                "included; beside it stands what of them lies outside the study area. Each mark leads to its figures, "
                'and these to the diagrams: see <a href="#targets">Targets and budgets</a> in the appendix.'
            )
        )
    )


def _table(answers: Answers, caption: str, of: str) -> str:
    figures, in_area = answers.figures, of == "area"
    systems, names = answers.compared.systems, answers.compared.systems["name"]
    wanted = systems["target_ha" if in_area else "budget"]
    asked = [sysid for sysid in systems.index if not pd.isna(wanted[sysid])]
    if not asked:
        return paragraph(f"{caption}: no system has a {'target' if in_area else 'budget'}.")
    unit = f" ({figures.units.area})" if in_area else figures.money_unit

    def amount(value: Any) -> str:
        return (
            figures.read_area(value).removesuffix(f" {figures.units.area}") if in_area else figures.read_amount(value)
        )

    def cell(scope: str, sysid: Any) -> Markup:
        row = targets_by_scope(answers)[scope].loc[sysid]
        status, gap = row[f"{of}_status"], row["missing_ha" if in_area else "over_budget"]
        text = ("−" if in_area else "+") + amount(gap) if status == "missed" else SHORT[status]
        if in_area and row["outside_ha"] >= SHOWN_HA:
            text += f", {amount(row['outside_ha'])} outside"
        # With many designs, the mark is enough.
        words = f" {escape(text)}" if status == "missed" or not answers.are_many else ""
        return link(f"t{answers.number(scope)}-{sysid}", Markup(f'<b aria-label="{status}">{MARKS[status]}</b>{words}'))

    wanted_head = f"Target{unit}" if in_area else f"Budget{unit}"
    if len(figures.scopes) <= MOST_COLUMNS:
        columns = [Column("System", "text"), Column(wanted_head), *mark_columns(answers)]
        rows = [
            (sample(sysid, names[sysid]), amount(wanted[sysid]), *(cell(scope, sysid) for scope in figures.scopes))
            for sysid in asked
        ]
    else:
        columns = [Column("Design", "text"), *(Column(sample(sysid, names[sysid]), "turned") for sysid in asked)]
        rows = [(wanted_head, *(amount(wanted[sysid]) for sysid in asked))]
        rows += [(answers.numbered(scope), *(cell(scope, sysid) for sysid in asked)) for scope in figures.scopes]
    return table(caption, columns, rows)


def mark_columns(answers: Answers) -> list[Column]:
    """A column for each design."""
    return [Column(answers.heading(scope), "mark") for scope in answers.figures.scopes]
