"""Three sentences that can be read aloud: which design meets most, which costs least, and what is shared and agreed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd

from pygeodesign._html import Markup, link
from pygeodesign._language import in_digits, t
from pygeodesign._paper.answers import Answers, once
from pygeodesign._paper.shown import SHOWN_HA
from pygeodesign._planning.decisions import agreed_designs
from pygeodesign._planning.land.lands import land_once
from pygeodesign._planning.questions.agreement import reported_agreement, reported_consensus
from pygeodesign._planning.summary import figures_of

# With more designs, their number stands in a sentence.
MOST_NAMES = 3
# The units of spoken money.
SIZES = ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"))


@once
def figures_by_scope(answers: Answers) -> dict[str, dict[str, Any]]:
    """The figures of each design, or of the project."""
    return {scope: figures_of(answers.compared, scope) for scope in answers.figures.scopes}


def sentences(answers: Answers) -> list[Markup]:
    """The sentences; their figures lead to the proof."""
    return [Markup(f"{text}.") for text in (_meets_most(answers), _costs_least(answers), _shared(answers))]


@once
def leading(answers: Answers) -> list[str]:
    """The designs that meet most targets, or keep most budgets if there is no target; none if nothing was asked."""
    figures = figures_by_scope(answers)
    kind = _asked(answers)
    return _best({scope: own[f"{kind}_met"] for scope, own in figures.items()}, max) if kind else []


@once
def cheapest(answers: Answers) -> list[str]:
    """The designs that cost least, of those whose cost is wholly known."""
    return _best(_known_costs(answers), min)


def _known_costs(answers: Answers) -> dict[str, float]:
    return {scope: own["cost"] for scope, own in figures_by_scope(answers).items() if not own["unpriced"]}


def _best(amounts: dict[str, Any], best: Any) -> list[str]:
    reached = best(amounts.values(), default=None)
    return [scope for scope, amount in amounts.items() if amount == reached]


@once
def _asked(answers: Answers) -> str:
    """The kind of figures that systems ask for: `targets`, or else `budgets`, or else nothing."""
    own = next(iter(figures_by_scope(answers).values()))
    return next((kind for kind in ("targets", "budgets") if own[kind]), "")


def _meets_most(answers: Answers) -> str:
    figures, kind, best = figures_by_scope(answers), _asked(answers), leading(answers)
    if not kind:
        return t("nothing_asked")
    verb, first = "meet" if kind == "targets" else "keep", best[0]
    most, count = figures[first][f"{kind}_met"], figures[first][kind]
    name = _kind_of(answers, best, f"{verb}_most_one", f"{verb}_most_tied", f"{verb}_same", verb)
    key = f"{verb}_nothing" if not most and len(figures) > 1 else name
    met = link(f"t{answers.number(first)}", most)
    said = t(key, design=_named(answers, best), designs=len(figures), met=met, count=count)
    unknown = any(own["unmeasured"] or (kind == "budgets" and own["unpriced"]) for own in figures.values())
    return t("as_far_as_known", said=said) if unknown else said


def _kind_of(answers: Answers, best: Sequence[str], one: str, tied: str, same: str, verb: str) -> str:
    """The text for a subject: one design of several, some or all of them, a single one, or the project."""
    scopes = answers.figures.scopes
    if len(scopes) == 1:
        return f"{verb}_together" if scopes == ("project",) else f"{verb}_alone"
    return one if len(best) == 1 else same if len(best) == len(scopes) else tied


def _costs_least(answers: Answers) -> str:
    figures, known, best = figures_by_scope(answers), _known_costs(answers), cheapest(answers)
    scopes = answers.figures.scopes
    if not known:
        unknown = figures[scopes[0]]["unpriced"]
        alone = scopes[0] != "project" and len(scopes) == 1
        name = _named(answers, scopes) if alone else t("all_diagrams")
        return t("cost_unknown") if len(scopes) > 1 else t("cost_alone_unknown", design=name, count=unknown)
    amount = link(f"k{answers.number(best[0])}", spoken_money(known[best[0]], answers.figures.currency))
    design = _named(answers, best)
    if len(known) == 1 < len(scopes):
        return t("cost_only", design=design, amount=amount)
    key = _kind_of(answers, best, "cost_least_one", "cost_least_tied", "cost_same", "cost")
    if len(best) == len(known) < len(scopes):
        key = "cost_least_tied"
    said = t(key, design=design, designs=len(scopes), amount=amount)
    return said if len(known) == len(scopes) else t("cost_among", known=len(known), said=said)


def _shared(answers: Answers) -> str:
    compared, scopes = answers.compared, answers.figures.scopes
    if len(scopes) > 1:
        layer, chosen = reported_consensus(answers), reported_agreement(answers)["chosen"]
        land = layer.loc[layer["designs"] == len(scopes), "area_ha"].sum()
        diagrams = int((chosen == len(scopes)).sum())
        key = {(True, True): "both", (True, False): "diagrams", (False, True): "land"}.get(
            (bool(diagrams), bool(land >= SHOWN_HA)), "nothing"
        )
        count = link("agreement", t("diagrams", count=diagrams))
        shared = t(f"share_{key}", designs=len(scopes), diagrams=count, area=link("consensus", _area(answers, land)))
    else:
        rows = answers.diagrams(scopes[0])
        land = land_once(compared._lands.of(rows.geometry[rows["kind"] != "policy"]))
        area = link(f"k{answers.number(scopes[0])}", _area(answers, land))
        shared = t(_kind_of(answers, [], "", "", "", "change"), design=_named(answers, scopes), area=area)
    return t("shared_and_agreed", shared=shared, agreed=_agreed(answers)) if compared._sessions else shared


def _agreed(answers: Answers) -> str:
    agreed = {scope: by for scope, by in agreed_designs(answers.compared).items() if scope in answers.figures.scopes}
    texts = [
        t("agreed_on", teams=escape(joined(by.teams)), design=_named(answers, [scope])) for scope, by in agreed.items()
    ]
    return joined(texts) if texts else t("agreed_on_none")


def joined(names: Sequence[str]) -> str:
    """Names as in a sentence: one, two and three."""
    return t("and", one=", ".join(names[:-1]), other=names[-1]) if len(names) > 1 else "".join(names)


def _named(answers: Answers, scopes: Sequence[str]) -> str:
    if len(scopes) > MOST_NAMES:
        return t("number_of_designs", count=len(scopes))
    return joined([escape(answers.short(scope)) for scope in scopes])


def _area(answers: Answers, hectares: float) -> str:
    units = answers.figures.units
    amount = hectares * units.per_hectare
    if 0 < amount < 0.1:
        return t("less_than", amount=t(f"spoken_{units.name}", amount=in_digits("0.1"), count=100))
    rounded, text = _two_digits(amount)
    # A fraction has the form of a large number.
    said = t(f"spoken_{units.name}", amount=text, count=int(rounded) if rounded == int(rounded) else 100)
    return said if abs(rounded - amount) < 1e-9 else t("about_amount", amount=said)


def spoken_money(amount: float, currency: str) -> str:
    """An amount of money as it is said: two digits, with its unit in words."""
    if pd.isna(amount):
        return t("not_known")
    # What rounds to 1,000 of a unit is 1 of the next.
    size, unit = next(((size, unit) for size, unit in SIZES if abs(amount) >= 0.995 * size), (1.0, "one"))
    rounded, text = _two_digits(amount / size)
    said = t(f"spoken_{unit}", amount=text, currency=currency).rstrip()
    return said if abs(rounded * size - amount) < 0.5 else t("about_amount", amount=said)


def _two_digits(number: float) -> tuple[float, str]:
    """A number with two significant digits, or whole from 100 on with the rest as zeros, and its text."""
    rounded = float(f"{number:.2g}")
    return rounded, in_digits(f"{rounded:,.0f}" if abs(rounded) >= 10 or rounded == int(rounded) else f"{rounded:g}")
