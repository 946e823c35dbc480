"""The third page of a report: maps of the places where the designs agree and where systems collide."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import shapely

from pygeodesign._html import Column, Markup, link, paragraph, table
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers
from pygeodesign._paper.drawing import UNITS_PER_MM, Ground, Maps, piece, sample, side_by_side
from pygeodesign._paper.shown import title_of
from pygeodesign._planning.land.lands import are_there, polygons
from pygeodesign._planning.questions.agreement import reported_agreement, reported_consensus
from pygeodesign._planning.questions.conflicts import claimed_twice, reported_conflicts
from pygeodesign._report.marks import mark_columns
from pygeodesign._report.summary import MAX_MAPS, about_ground, grid, shape_of

# Millimetres of paper.
AGREEMENT = (104.0, 78.0)
CONFLICTS = (178.0, 62.0)
CONFLICT_TEXTS = 9.0
# The most pairs of systems in the table.
MOST_PAIRS = 8


def places(answers: Answers) -> str:
    """Maps of agreement and of conflicts."""
    return _agreement(answers) + _collisions(answers)


def _agreement(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    designs = len(compared.designs)
    if designs < 2:
        return paragraph(t("no_two_designs")) if not designs else ""
    layer = reported_consensus(answers)
    if not len(layer):
        return paragraph(t("no_land"))
    made = Maps(compared, "ground-of-agreement", *AGREEMENT)
    chosen = reported_agreement(answers)["chosen"]
    layers: list[Any] = []
    rows: list[Any] = []
    for count in range(designs, 0, -1):
        own = layer[layer["designs"] == count]
        fill = f'class="agree{_step(count, designs)}"'
        # Places of many designs are drawn last.
        layers.insert(0, (fill, own.geometry))
        area = link("consensus", figures.read_area(own["area_ha"].sum()))
        rows.append(
            (piece(fill, t("of", some=count, all=designs)), area, link("agreement", int((chosen == count).sum())))
        )
    alt = t("consensus_alt")

    def draw(ground: Ground) -> str:
        return "".join(f'<path {fill} d="{ground.path(shapes)}"/>' for fill, shapes in layers)

    picture = made.land + made.drawn(draw, alt)
    columns = [Column(t("changed_or_chosen"), "text"), Column(t("each_place_once")), Column(t("diagrams_heading"))]
    words = table(t("agreement_heading"), columns, rows)
    return f'<div class="beside"><figure>{picture}</figure><div>{words}{_common(answers)}</div></div>'


def _step(count: int, designs: int) -> int:
    """The strength of the colour for this number of designs, from 1 to 5; only all designs have the strongest."""
    return 5 if count == designs else 1 + (4 * (count - 1)) // max(designs - 1, 1)


def _common(answers: Answers) -> str:
    """The diagrams that every design chose."""
    compared = answers.compared
    common = reported_agreement(answers).index[reported_agreement(answers)["chosen"] == len(compared.designs)]
    if not len(common):
        return paragraph(t("none_chosen_by_all"))
    rows = compared.diagrams.loc[common].sort_values("cost", ascending=False)
    named = ", ".join(link(f"d{number}", title_of(title)) for number, title in rows["title"].head(6).items())
    names = t("and_more", names=named, count=len(rows) - 6) if len(rows) > 6 else named
    return paragraph(Markup(t("chosen_by_all", names=names)))


def _collisions(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    pairs = reported_conflicts(answers)
    if not len(pairs):
        return paragraph(t("no_conflict_in_designs" if len(figures.scopes) > 1 else "no_conflict"))
    shown = [scope for scope in figures.scopes[:MAX_MAPS] if len(answers.of(pairs, scope))]
    columns, width, height = grid(shape_of(compared), len(shown), *CONFLICTS, CONFLICT_TEXTS)
    made = Maps(compared, "ground-of-collisions", width, height)
    pictures = ""
    for scope in shown:
        own = answers.of(pairs, scope)
        alt = t("collisions_alt", design=scope)
        picture = made.drawn(partial(_collisions_on, answers.diagrams(scope), own.geometry), alt)
        area = link(f"c{answers.number(scope)}", figures.read_area(claimed_twice(answers)[scope]))
        name = f"<b>{escape(answers.heading(scope))}</b>"
        pictures += f"<figure>{picture}<figcaption>{name} {area}</figcaption></figure>"
    note = f"{t('collisions_note')} {about_ground(made.ground, figures)}"
    return (
        f"<h3>{t('where_systems_collide')}</h3>{made.land}{side_by_side(columns, pictures)}"
        f"{paragraph(note)}{_pairs(answers)}{answers.key()}"
    )


def _collisions_on(diagrams: Any, shared: Any, ground: Ground) -> str:
    """The land of projects in grey, and the land that two systems claim, with a circle around each place."""
    lands = polygons(diagrams.geometry[(diagrams["kind"] != "policy") & are_there(diagrams.geometry)])
    grey = f'<path class="claimed" d="{ground.path(lands[~shapely.is_empty(lands)])}"/>'
    parts = shapely.get_parts(shared.to_numpy())
    parts = parts[shapely.get_dimensions(parts) == 2]
    circles = shapely.minimum_bounding_circle(ground.moved(parts))
    # Circles that overlap become one.
    least = 1.2 * UNITS_PER_MM
    merged = shapely.get_parts(shapely.union_all(shapely.buffer(circles, least, quad_segs=4)))
    drawn = ""
    for x0, y0, x1, y1 in shapely.bounds(merged).tolist():
        radius = max(x1 - x0, y1 - y0) / 2
        drawn += f'<circle class="ring" cx="{(x0 + x1) / 2:.0f}" cy="{(y0 + y1) / 2:.0f}" r="{radius:.0f}"/>'
    return f'{grey}<path class="collision" d="{ground.path(parts)}"/>{drawn}'


def _pairs(answers: Answers) -> str:
    """The pairs of systems that share most land, with the land of each design."""
    compared, figures = answers.compared, answers.figures
    pairs: Any = reported_conflicts(answers)
    sums = pairs.groupby(["sysid_a", "sysid_b"])["area_ha"].sum().sort_values(ascending=False)
    names, rows = compared.systems["name"], []
    for one, other in sums.index[:MOST_PAIRS]:
        cells = []
        for scope in figures.scopes:
            own = answers.of(pairs, scope)
            area = own.loc[(own["sysid_a"] == one) & (own["sysid_b"] == other), "area_ha"].sum()
            anchor = f"c{answers.number(scope)}-{one}-{other}"
            cells.append(link(anchor, figures.read_area(area)) if area else "–")
        pair = Markup(t("and", one=sample(one, names[one]), other=sample(other, names[other])))
        rows.append((pair, *cells))
    columns = [Column(t("systems"), "text"), *mark_columns(answers)]
    caption = "most_shared_land_of" if len(sums) > MOST_PAIRS else "most_shared_land"
    return table(t(caption, some=MOST_PAIRS, all=len(sums)), columns, rows)
