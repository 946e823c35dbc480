"""The appendix of a report: the key figures, all diagrams, and the glossary."""

from __future__ import annotations

from html import escape

import pandas as pd

from pygeodesign._html import Column, Markup, link, paragraph, table
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.shown import SHOWN_HA, hue, links, name_of, title_of
from pygeodesign._planning.land.lands import land_once
from pygeodesign._planning.questions.on_constraints import on_constraints_of
from pygeodesign._planning.summary import cost_of


def key_figures(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    everything = list(compared.diagrams.index)
    any_design = sorted({number for ids in compared.designs.values() for number in ids})
    scopes = {t("alternatives_included", diagrams=name_of("project")): everything}
    if len(compared.designs) > 1:
        scopes[t("alternatives_included", diagrams=t("in_any_design"))] = any_design
    has_constraints = len(compared.constraints) > 0
    has_points = has_constraints and bool((compared.diagrams["pieces"] > 0).any())
    has_unknown = bool(compared.diagrams["cost"].isna().any())
    rows = []
    for name, ids in (scopes | compared.designs).items():
        own = compared.diagrams.loc[ids]
        is_policy = own["kind"] == "policy"
        areas = (
            own["area_ha"].sum(),
            own["area_ha"][is_policy].sum(),
            land_once(compared._lands.of(own.geometry[~is_policy])),
        )
        on_constraints = on_constraints_of(compared, own)
        closed = (figures.area(on_constraints.area_ha),) if has_constraints else ()
        points = (figures.pieces(on_constraints.pieces),) if has_points else ()
        unknown_costs = (int(own["cost"].isna().sum()),) if has_unknown else ()
        money = (figures.money(cost_of(own)), *unknown_costs)
        made_of = link("diagrams", t("all_diagrams_link")) if ids is everything else links(ids)
        rows.append((name, len(ids), *map(figures.area, areas), *closed, *points, *money, made_of))
    unit = figures.units.area
    columns = [
        Column(t("diagrams_of"), "text"),
        Column(t("diagrams_heading")),
        figures.summed,
        Column(t("of_it_policies", unit=unit)),
        figures.area_column("land_of_projects"),
        *([figures.area_column("on_constraints")] if has_constraints else []),
        *([Column(t("pieces_on_constraints"))] if has_points else []),
        Column(t("cost_unit", unit=figures.money_unit)),
        *([Column(t("without_cost"))] if has_unknown else []),
        Column(t("made_of"), "ids"),
    ]
    unknown = compared.without_geometry
    note = f" {t('land_not_known', ids=links(unknown))}" if unknown else ""
    keys = ["project", *([None] if len(compared.designs) > 1 else []), *compared.designs]
    anchors = [f"k{answers.number(key)}" if key in figures.scopes else f"all{place}" for place, key in enumerate(keys)]
    return table(t("size_and_cost"), columns, rows, anchors) + paragraph(Markup(f"{t('about_areas')}{note}"))


def diagrams(answers: Answers) -> str:
    """A table of diagrams for each system."""
    compared, figures = answers.compared, answers.figures
    if not len(compared.diagrams):
        return paragraph(t("no_diagrams"))
    chosen: dict[int, list[int]] = {number: [] for number in compared.diagrams.index}
    for place, ids in enumerate(compared.designs.values(), 1):
        for number in ids:
            chosen[number].append(place)
    text = ""
    if compared.designs:
        numbered = "; ".join(f"{place}: {label}" for place, label in enumerate(compared.designs, 1))
        text = paragraph(t("designs_by_number", names=numbered))
    outside = compared._outside_ha
    if len(beyond := outside[outside >= SHOWN_HA]):
        amount = f"{figures.area(beyond.sum())} {figures.units.area}"
        text += paragraph(
            t("outside_not_counted" if figures.inside else "outside_study_area", amount=amount, count=len(beyond))
        )
    has_points = bool((compared.diagrams["pieces"] > 0).any())
    columns = [
        Column(t("id")),
        Column(t("diagram"), "text"),
        Column(t("kind")),
        figures.area_column("area_unit"),
        Column(t("length_unit", unit=figures.units.length)),
        *([Column(t("pieces"))] if has_points else []),
        Column(t("rate_from")),
        Column(t("cost_unit", unit=figures.money_unit)),
        Column(t("in_designs")),
    ]
    for sysid, own in compared.diagrams.groupby("sysid", sort=False):
        name = compared.systems["name"].get(sysid, t("system_numbered", id=str(sysid)))
        rows = []
        for number, row in own.iterrows():
            kind = t("not_known" if pd.isna(row["kind"]) else f"kind_{row['kind']}")
            size = [figures.area(row["area_ha"], outside[number]), figures.length(row["length_km"])]
            if has_points:
                size.append(figures.pieces(row["pieces"]))
            source = t("not_known" if pd.isna(row["rate_source"]) else f"source_{row['rate_source']}")
            places = ", ".join(map(str, chosen[number])) or t("none")
            rows.append((number, title_of(row["title"]), kind, *size, source, figures.money(row["cost"]), places))
        text += f"<h3>{hue(compared, sysid, name)}</h3>"
        total = figures.full_money(own["cost"].sum())
        caption = t("diagrams_in_all", diagrams=t("diagrams", count=len(own)), total=total)
        text += table(caption, columns, rows, [f"d{number}" for number in own.index])
    return text


def words(answers: Answers) -> str:
    """The glossary, in the order of `WORDS`."""
    keys = [*WORDS, *(["acre"] if answers.figures.units.name == "us" else [])]
    texts = [(escape(t(f"word_{key}")), escape(t(f"meaning_{key}"))) for key in keys]
    return f"<dl>{''.join(f'<dt>{word}</dt><dd>{meaning}</dd>' for word, meaning in texts)}</dl>"


# Each has a text of the word and one of its meaning.
WORDS = (
    "summed",
    "system",
    "diagram",
    "project",
    "change_team",
    "design",
    "evaluation_map",
    "agreement",
    "similarity",
    "consensus",
    "conflict",
    "cost",
    "met",
    "area",
    "target",
    "present_value",
    "sensitivity",
    "optimum",
    "support",
    "front",
    "not_known",
)
