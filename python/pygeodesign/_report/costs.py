"""The fourth page of a report: costs by system and year, effects of rates on the total, any requested best choice."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Column, Markup, html, link, paragraph, table
from pygeodesign._language import in_digits, number, percent, t
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
from pygeodesign._report.summary import MAX_MAPS, grid

# Millimetres of paper: the space for the pictures of all designs, and for the texts of each.
YEARS = (178.0, 56.0)
YEAR_TEXTS = 9.0


def costs(answers: Answers) -> str:
    """Tables and bars of money."""
    if not len(answers.compared.diagrams):
        return paragraph(t("no_costs"))
    return by_system(answers) + _by_year(answers) + _sensitive(answers) + _best(answers)


def by_system(answers: Answers) -> str:
    """A table of the cost of each system in each design."""
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
    rows.append((Markup(f"<b>{t('total')}</b>"), *totals))
    columns = [Column(t("system"), "text"), *mark_columns(answers)]
    note = ""
    if unknown:
        named: str = links(sorted(unknown)[:WORST])
        ids = t("and_more", names=named, count=len(unknown) - WORST) if len(unknown) > WORST else named
        note = paragraph(Markup(t("without_unknown_costs", ids=ids)))
    return table(t("cost_by_system", unit=figures.money_unit), columns, rows) + note


def _by_year(answers: Answers) -> str:
    figures, parts = answers.figures, {}
    for scope in figures.scopes[:MAX_MAPS]:
        years = years_of(answers, scope)
        if years is not None and years.index.notna().any():
            parts[scope] = years
    if not parts:
        return paragraph(t("no_dates_for_money"))
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
    heading = t("money_by_years", count=length, unit=escape(figures.money_unit))
    return f"<h3>{heading}</h3>{side_by_side(columns, pictures)}{paragraph(t('money_by_years_note'))}"


def _years_of(answers: Answers, scope: str, frame: Any, years: Any, most: float, size: tuple[float, float]) -> str:
    figures = answers.figures
    amounts = [(str(year), float(amount)) for year, amount in frame["cost"].fillna(0).items()]
    peak, amount = max(amounts, key=lambda pair: pair[1])
    label = t("amount_in_year", amount=figures.read_amount(amount), year=peak)
    alt = t("money_by_years_alt", design=scope, first=amounts[0][0], last=amounts[-1][0], most=label)
    picture = Bars(most, *size).drawn(amounts, {peak: label}, alt)
    undated = years[years.index.isna()]
    has_undated = len(undated) and float(undated["cost"].fillna(0).sum())
    text = t(
        "dated_and_undated" if has_undated else "dated",
        dated=figures.read_amount(frame["cost"].sum()),
        undated=figures.read_amount(undated["cost"].sum()),
    )
    years_of_it = link(f"y{answers.number(scope)}", text)
    return f"<figure>{picture}<figcaption><b>{escape(answers.heading(scope))}</b> {years_of_it}</figcaption></figure>"


def _sensitive(answers: Answers) -> str:
    """The system whose rate has the largest effect on the total of each design."""
    figures, frame = answers.figures, reported_sensitivity(answers)
    rows = []
    for scope in figures.scopes:
        own = answers.of(frame, scope)
        if not own["change"].gt(0).any():
            rows.append((answers.numbered(scope), t("no_cost_follows_rate"), "", ""))
            continue
        sysid = own["change"].idxmax()
        row = own.loc[sysid]
        total = own["cost"].sum()
        share = percent(row["change"] / total) if total else ""
        moved = link(f"s{answers.number(scope)}-{sysid}", f"± {figures.read_amount(row['change'])}")
        rows.append((answers.numbered(scope), sample(sysid, row["system"]), moved, share))
    columns = [
        Column(t("design"), "text"),
        Column(t("rate_that_moves_most"), "text"),
        Column(t("total_moves_by", unit=figures.money_unit)),
        Column(t("share_of_total")),
    ]
    return table(t("what_is_sensitive", percent=in_digits(f"{percent_of(answers):g}")), columns, rows)


def _best(answers: Answers) -> str:
    if not answers.asks_for("optimum"):
        return ""
    figures, best = answers.figures, reported_optimum(answers)
    if best is None:
        return paragraph(t("best_not_computed"))
    met = int((best.systems["missing_ha"] == 0).sum())
    of = int(best.systems["target_ha"].notna().sum())
    alone = targets(answers.compared, figures.scope, policies=False)
    counts = {scope: int((answers.of(alone, scope)["area_status"] == "met").sum()) for scope in figures.scopes}
    text = t(
        "best_choice",
        budget=html(figures.read_money(best.budget)),
        projects=t("projects", count=len(best.chosen)),
        cost=link("optimum", figures.read_money(best.cost)),
        met=met,
        targets=t("targets", count=of),
        proof=best._proof(),
        others=said(answers, counts),
    )
    return f"<h3>{t('best_heading')}</h3>{paragraph(Markup(text))}"


def said(answers: Answers, amounts: dict[str, int]) -> str:
    """A sentence such as `the 4 designs meet from 1 (2 Parks) to 4 (1 Water)`: a text for each kind of subject."""
    scopes = answers.figures.scopes
    subject = "each" if len(set(amounts.values())) == 1 else "designs"
    if len(scopes) == 1:
        subject = "project" if scopes == ("project",) else "design"
    values = {"design": escape(answers.short(scopes[0])), "amount": _range(answers, amounts)}
    return t(f"meet_{subject}", count=len(scopes), **values)


def _range(answers: Answers, amounts: dict[str, int]) -> str:
    """A figure, or `from 2 (1 Water) to 5 (3 Parks)`; each is a link to its row in the appendix."""

    def linked(scope: str) -> str:
        return link(f"t{answers.number(scope)}", number(amounts[scope]))

    ends = (min(amounts, key=amounts.__getitem__), max(amounts, key=amounts.__getitem__))
    if amounts[ends[0]] == amounts[ends[1]]:
        return linked(ends[0])
    low, high = (t("in_parentheses", text=linked(scope), more=escape(answers.numbered(scope))) for scope in ends)
    return t("range", low=low, high=high)
