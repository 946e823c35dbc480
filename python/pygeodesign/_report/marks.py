"""The second page of a report: targets and budgets that each design meets, in colours that marks and words repeat."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Column, Markup, link, paragraph, table
from pygeodesign._language import isolated, number, t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import sample
from pygeodesign._paper.shown import SHOWN_HA
from pygeodesign._planning.questions.people import targets_of_quantities
from pygeodesign._planning.questions.targets import targets_by_scope

# The mark and the look of each status, and the text of its word in a cell.
MARKS = {"met": "✓", "missed": "✗", "nothing planned": "–", "not known": "?", "none": ""}
LOOKS = {"met": "good", "missed": "poor", "nothing planned": "fair", "not known": "unsure"}
SHORT = {"met": "status_met", "nothing planned": "none_of_it", "not known": "unknown"}
# The texts of the key.
KEY = {"met": "status_met", "missed": "key_missed", "nothing planned": "key_planned", "not known": "key_unknown"}
# With more designs, these are rows.
MOST_COLUMNS = 14


def marks(answers: Answers) -> str:
    """A table for targets and one for budgets."""
    if not len(answers.compared.systems):
        return paragraph(t("no_systems"))
    key = "".join(f'<li class="look">{_mark(status)} {t(meaning)}</li>' for status, meaning in KEY.items())
    return (
        met_table(answers, "area")
        + _of_quantities(answers)
        + met_table(answers, "budget")
        + answers.key()
        + f'<ul class="key">{key}</ul>'
        + paragraph(Markup(t("marks_note", targets=link("targets", t("targets_heading")))))
    )


def met_table(answers: Answers, of: str) -> str:
    """A table of the systems' targets (`area`) or budgets (`budget`) and the designs that meet them."""
    figures, in_area = answers.figures, of == "area"
    caption = t("targets_of_systems" if in_area else "budgets_of_systems")
    systems, names = answers.compared.systems, answers.compared.systems["name"]
    wanted = systems["target_ha" if in_area else "budget"]
    asked = [sysid for sysid in systems.index if not pd.isna(wanted[sysid])]
    if not asked:
        return paragraph(f"{caption}: {t('no_target' if in_area else 'no_budget')}.")
    unit = f" ({figures.units.area})" if in_area else figures.money_unit

    def amount(value: Any) -> str:
        return (
            figures.read_area(value).removesuffix(f" {figures.units.area}") if in_area else figures.read_amount(value)
        )

    def cell(scope: str, sysid: Any) -> Markup:
        row = targets_by_scope(answers)[scope].loc[sysid]
        status, gap = row[f"{of}_status"], row["missing_ha" if in_area else "over_budget"]
        text = isolated(("−" if in_area else "+") + amount(gap)) if status == "missed" else t(SHORT[status])
        if in_area and row["outside_ha"] >= SHOWN_HA:
            text = figures.with_outside(text, amount(row["outside_ha"]))
        # With many designs, the mark is enough.
        words = f" {escape(text)}" if status == "missed" or not answers.are_many else ""
        said = t(f"status_{status.replace(' ', '_')}")
        return link(f"t{answers.number(scope)}-{sysid}", _mark(status, f' aria-label="{said}"', words))

    wanted_head = t("target_unit" if in_area else "budget_unit", unit=unit)
    if len(figures.scopes) <= MOST_COLUMNS:
        columns = [Column(t("system"), "text"), Column(wanted_head), *mark_columns(answers)]
        rows = [
            (sample(sysid, names[sysid]), amount(wanted[sysid]), *(cell(scope, sysid) for scope in figures.scopes))
            for sysid in asked
        ]
    else:
        columns = [Column(t("design"), "text"), *(Column(sample(sysid, names[sysid]), "turned") for sysid in asked)]
        rows = [(wanted_head, *(amount(wanted[sysid]) for sysid in asked))]
        rows += [(answers.numbered(scope), *(cell(scope, sysid) for sysid in asked)) for scope in figures.scopes]
    return table(caption, columns, rows)


def _of_quantities(answers: Answers) -> str:
    """A table of the targets of quantities, such as homes, and the designs that meet them."""
    scopes, names = answers.figures.scopes, answers.compared.systems["name"]
    tables = {
        scope: targets_of_quantities(answers.compared, scope).set_index(["quantity", "sysid"]) for scope in scopes
    }
    asked: dict[Any, float] = next(iter(tables.values()))["target"].to_dict()

    def cell(scope: str, key: Any) -> Markup:
        row = tables[scope].loc[key]
        status = "not known" if pd.isna(row["met"]) else "met" if row["met"] else "missed"
        text = isolated(f"−{number(row['missing'], 0)}") if status == "missed" else t(SHORT[status])
        said = t(f"status_{status.replace(' ', '_')}")
        return link("people", _mark(status, f' aria-label="{said}"', f" {escape(text)}"))

    rows = [
        (f"{key[0]} – {names[key[1]]}", number(target, 0), *(cell(scope, key) for scope in scopes))
        for key, target in asked.items()
    ]
    columns = [Column(t("quantity"), "text"), Column(t("target_unit", unit="")), *mark_columns(answers)]
    return table(t("targets_of_quantities"), columns, rows) if rows else ""


def _mark(status: str, label: str = "", words: str = "") -> Markup:
    """The mark of a status in its colour."""
    return Markup(f'<span class="{LOOKS[status]}"><b{label}>{MARKS[status]}</b>{words}</span>')


def mark_columns(answers: Answers) -> list[Column]:
    """A column for each design."""
    return [Column(answers.heading(scope), "mark") for scope in answers.figures.scopes]
