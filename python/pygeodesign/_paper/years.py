"""Years whose amounts may be below zero, on paper: cash, and what land gains or loses."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import pandas as pd

from pygeodesign._html import paragraph
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.charts import Years, figure
from pygeodesign._paper.drawing import side_by_side

# Pictures in a row, their height, and the width of the page, in millimetres.
COLUMNS, HEIGHT, WIDTH = 2, 42.0, 180.0


def left_out(systems: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Counts of the diagrams left out of all sums, by system and reason: `names` has the text of each column."""
    missing = [
        t("counts_of_system", system=row["system"], counts=", ".join(counts))
        for row in systems.to_dict("records")
        if (counts := [t(text, count=int(row[name])) for name, text in names.items() if row[name]])
    ]
    return paragraph(t("left_out", counts="; ".join(missing))) if missing else ""


def pictures_of_years(answers: Answers, frame: pd.DataFrame, column: str, what: str) -> str:
    """A picture for each design, all with the same scale."""
    scopes = answers.figures.scopes
    columns = min(COLUMNS, len(scopes))
    known = frame[[column, "cumulative"]].fillna(0.0).to_numpy()
    chart = Years(min(float(known.min()), 0.0), max(float(known.max()), 0.0), WIDTH / columns - 4, HEIGHT)
    pictures = ""
    for scope in scopes:
        rows = answers.of(frame, scope)
        last, final = rows["cumulative"].iloc[-1], int(rows["year"].iloc[-1])
        amount = answers.figures.read_amount(last)
        said = t("in_all_until", amount=amount, year=str(final)) if pd.notna(last) else t("not_known")
        drawn = chart.drawn(
            [int(year) for year in rows["year"]],
            rows[column].fillna(0.0).tolist(),
            rows["cumulative"].fillna(0.0).tolist(),
            t("years_alt", what=what, design=scope, said=said),
        )
        pictures += figure(drawn, f"<b>{escape(answers.heading(scope))}</b> {said}")
    note = paragraph(t("years_note", what=what))
    return note + side_by_side(columns, pictures) + answers.key()
