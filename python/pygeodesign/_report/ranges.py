"""The section of the report about rates that are known as a range."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._report.answers import Answers
from pygeodesign._report.charts import Row, figure, rows_of_bars
from pygeodesign._report.shown import hue, name_of, over


def uncertainty(answers: Answers) -> str:
    """The range of the cost of each system that moves, and of each design, with the chance that budgets break."""
    compared, figures, given = answers.compared, answers.figures, answers.arguments("uncertainty")
    frame = compared.uncertainty(scope=figures.scope, **given)
    whole = compared.robustness(scope=figures.scope, **given)
    columns = [
        Column("System", "text"),
        *(Column(f"{name}{figures.money_unit}") for name in ("P10", "P50", "P90", "Budget")),
        Column("Budget broken in"),
    ]
    text = paragraph(
        f"Drawn {frame.attrs['samples']:,} times, with the seed {frame.attrs['seed']}, between the low and the high "
        "rate that were given for this report, most often near the likely one. One case in ten costs less than P10, "
        "half less than P50, one in ten more than P90. Other systems, overrides and policies do not move. Where a "
        "diagram has no known cost, the chance is not known."
    )
    for scope in figures.scopes:
        rows: list[Any] = []
        for sysid, row in answers.of(frame, scope).iterrows():
            chance = row["breaks_budget"]
            unknown = "not known" if row["unpriced"] else "nothing planned"
            rows.append(
                (
                    hue(compared, sysid, row["system"]),
                    *(figures.money(row[name]) for name in ("p10", "p50", "p90")),
                    "none" if pd.isna(row["budget"]) else figures.money(row["budget"]),
                    _share(chance, chance > 0.5, "" if pd.isna(row["budget"]) else unknown),
                )
            )
        (total,) = answers.of(whole, scope).to_dict("records")
        kept = _share(1 - total["good_enough"], total["good_enough"] < 0.5, "not known")
        rows.append(("Total", *(figures.money(total[name]) for name in ("p10", "p50", "p90")), "each of these", kept))
        text += _ranges(answers, scope, answers.of(frame, scope))
        text += table(f"{name_of(scope)}: the cost of each system at rates that nobody knows", columns, rows)
    return text


def _ranges(answers: Answers, scope: str, frame: Any) -> str:
    """From P10 to P90 of each system whose cost moves as a bar, in grey up to there."""
    figures = answers.figures
    # An unknown cost is not above another one.
    known = frame[frame["p90"] > frame["p10"]]
    if not len(known):
        return ""
    most = float(known["p90"].max())
    bars = [
        Row(
            str(row["system"]),
            [(row["p10"] / most, "claimed"), ((row["p90"] - row["p10"]) / most, "bar")],
            " to ".join(figures.read_amount(row[name]) for name in ("p10", "p90")),
        )
        for row in known.to_dict("records")
    ]
    alt = "; ".join(f"{row.name}: {row.text}" for row in bars)
    said = f"{name_of(scope)}: systems whose cost moves, from P10 to P90 in blue{figures.money_unit}"
    return figure(rows_of_bars(bars, f"{said}. {alt}"), f"{escape(said)}.")


def _share(chance: float, is_over: bool, unknown: str) -> Any:
    return unknown if pd.isna(chance) else over(f"{100 * chance:.0f} % of cases", is_over)
