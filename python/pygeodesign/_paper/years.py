"""Years whose amounts may be below zero, on paper: cash, and what land gains or loses."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import pandas as pd

from pygeodesign._html import paragraph
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.charts import Years, figure
from pygeodesign._paper.drawing import side_by_side
from pygeodesign._paper.shown import UNKNOWN
from pygeodesign._text import counted

# Pictures in a row, their height, and the width of the page, in millimetres.
COLUMNS, HEIGHT, WIDTH = 2, 42.0, 180.0


def left_out(systems: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Counts of the diagrams left out of all sums, by system and reason."""
    missing = [
        f"{row['system']}: {', '.join(counts)}"
        for row in systems.to_dict("records")
        if (counts := [f"{counted(row[name], 'diagram')} {what}" for name, what in names.items() if row[name]])
    ]
    return paragraph(f"Left out, {'; '.join(missing)}.") if missing else ""


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
        said = f"{amount} in all until {final}" if pd.notna(last) else UNKNOWN
        drawn = chart.drawn(
            [int(year) for year in rows["year"]],
            rows[column].fillna(0.0).tolist(),
            rows["cumulative"].fillna(0.0).tolist(),
            f"{what} of {scope}: {said}",
        )
        pictures += figure(drawn, f"<b>{escape(answers.heading(scope))}</b> {said}")
    note = paragraph(f"{what} as bars, and summed until each year as a line. All pictures have the same scale.")
    return note + side_by_side(columns, pictures) + answers.key()
