"""The fourth page of a report: costs by system and year, effects of rates on the total, any requested best choice."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Column, Markup, html, link, paragraph, table
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import Bars, sample, side_by_side
from pygeodesign._paper.shown import WORST, links
from pygeodesign._planning.questions.optimum import reported_optimum
from pygeodesign._planning.questions.schedule import years_of
from pygeodesign._planning.questions.sensitivity import percent_of, reported_sensitivity
from pygeodesign._planning.questions.targets import targets, targets_by_scope
from pygeodesign._planning.summary import cost_of
from pygeodesign._planning.years import in_periods
from pygeodesign._report.marks import mark_columns
from pygeodesign._report.summary import MAX_MAPS, grid, how_many
from pygeodesign._text import counted

# Millimetres of paper: the space for the pictures of all designs, and for the texts of each.
YEARS = (178.0, 56.0)
YEAR_TEXTS = 9.0


def costs(answers: Answers) -> str:
    """Tables and bars of money."""
    if not len(answers.compared.diagrams):
        return paragraph("The project has no diagrams, so nothing costs anything.")
    return _by_system(answers) + _by_year(answers) + _sensitive(answers) + _best(answers)


def _by_system(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    rows: list[Any] = []
    for sysid, name in compared.systems["name"].items():
        cells = []
        for scope, frame in targets_by_scope(answers).items():
            row = frame.loc[sysid]
            text = figures.read_amount(row["cost"]) + ("*" if row["unpriced"] else "")
            cells.append(link(f"t{answers.number(scope)}-{sysid}", text) if row["diagrams"] else "–")
        rows.append((sample(sysid, name), *cells))
    totals, unknown = [], set()
    for scope in figures.scopes:
        own = answers.diagrams(scope)
        missing = own.index[own["cost"].isna()]
        unknown |= set(missing)
        text = f"{figures.read_amount(cost_of(own))}{'*' if len(missing) else ''}"
        totals.append(Markup(f"<b>{link(f'k{answers.number(scope)}', text)}</b>"))
    rows.append((Markup("<b>Total</b>"), *totals))
    columns = [Column("System", "text"), *mark_columns(answers)]
    note = ""
    if unknown:
        more = f" and {len(unknown) - WORST} more" if len(unknown) > WORST else ""
        named = f"{links(sorted(unknown)[:WORST])}{more}"
        note = paragraph(Markup(f"* without diagrams whose cost is not known: {named}."))
    return table(f"Cost by system{figures.money_unit}, policies included", columns, rows) + note


def _by_year(answers: Answers) -> str:
    figures, parts = answers.figures, {}
    for scope in figures.scopes[:MAX_MAPS]:
        years = years_of(answers, scope)
        if years is not None and years.index.notna().any():
            parts[scope] = years
    if not parts:
        return paragraph("No diagram has a start and an end date, so nothing says when the money is needed.")
    firsts = [int(years.index.dropna().min()) for years in parts.values()]
    lasts = [int(years.index.dropna().max()) for years in parts.values()]
    every = pd.Index(range(min(firsts), max(lasts) + 1), dtype="Int64", name="year")
    # All pictures have the same years.
    sums = {scope: in_periods(years.reindex(every.union(years.index, sort=False))) for scope, years in parts.items()}
    most = max(float(frame["cost"].max()) for frame in sums.values())
    columns, width, height = grid(4.0, len(parts), *YEARS, YEAR_TEXTS)
    pictures = ""
    for scope, frame in sums.items():
        pictures += _years_of(answers, scope, frame, parts[scope], most, (width, min(height, 34)))
    length = next(iter(sums.values())).attrs["years"]
    what = "year" if length == 1 else f"{length} years"
    return (
        f"<h3>When the money is needed, by {what}{escape(figures.money_unit)}</h3>"
        + side_by_side(columns, pictures)
        + paragraph("The cost of a diagram is spread evenly over its days. All pictures have the same scale and years.")
    )


def _years_of(answers: Answers, scope: str, frame: Any, years: Any, most: float, size: tuple[float, float]) -> str:
    figures = answers.figures
    amounts = [(str(year), float(amount)) for year, amount in frame["cost"].fillna(0).items()]
    peak, amount = max(amounts, key=lambda pair: pair[1])
    label = f"{figures.read_amount(amount)} in {peak}"
    alt = f"Cost of {scope} by year, from {amounts[0][0]} to {amounts[-1][0]}; the most is {label}"
    picture = Bars(most, *size).drawn(amounts, {peak: label}, alt)
    undated = years[years.index.isna()]
    note = ""
    if len(undated) and float(undated["cost"].fillna(0).sum()):
        note = f", and {figures.read_amount(undated['cost'].sum())} without dates"
    dated = figures.read_amount(frame["cost"].sum())
    years_of_it = link(f"y{answers.number(scope)}", f"{dated} with dates{note}")
    return f"<figure>{picture}<figcaption><b>{escape(answers.heading(scope))}</b> {years_of_it}</figcaption></figure>"


def _sensitive(answers: Answers) -> str:
    """The system whose rate has the largest effect on the total of each design."""
    figures, frame = answers.figures, reported_sensitivity(answers)
    rows = []
    for scope in figures.scopes:
        own = answers.of(frame, scope)
        if not own["change"].gt(0).any():
            rows.append((answers.numbered(scope), "no cost follows a rate", "", ""))
            continue
        sysid = own["change"].idxmax()
        row = own.loc[sysid]
        total = own["cost"].sum()
        share = f"{row['change'] / total:.0%}" if total else ""
        moved = link(f"s{answers.number(scope)}-{sysid}", f"± {figures.read_amount(row['change'])}")
        rows.append((answers.numbered(scope), sample(sysid, row["system"]), moved, share))
    columns = [
        Column("Design", "text"),
        Column("The rate that moves the total most", "text"),
        Column(f"Total moves by{figures.money_unit}"),
        Column("Share of the total"),
    ]
    return table(f"What is sensitive: a rate {percent_of(answers):g} % lower or higher", columns, rows)


def _best(answers: Answers) -> str:
    if not answers.asks_for("optimum"):
        return ""
    figures, best = answers.figures, reported_optimum(answers)
    if best is None:
        return paragraph("The best choice under a budget is not computed: no system has a target.")
    met = int((best.systems["missing_ha"] == 0).sum())
    of = int(best.systems["target_ha"].notna().sum())
    alone = targets(answers.compared, figures.scope, policies=False)
    counts = {scope: int((answers.of(alone, scope)["area_status"] == "met").sum()) for scope in figures.scopes}
    text = (
        f"The best choice for {html(figures.read_money(best.budget))}: {counted(len(best.chosen), 'project')} for "
        f"{link('optimum', figures.read_money(best.cost))}, which meet {met} of {counted(of, 'target')}. "
        f"{best._proof()}, counted without policies, which cost nothing. Without theirs, "
        f"{how_many(answers, 'meet', counts)}."
    )
    return f"<h3>The best choice under a budget</h3>{paragraph(Markup(text))}"
