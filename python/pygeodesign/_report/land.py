"""The sections of the report about land: where designs agree, where diagrams collide, what suits the land."""

from __future__ import annotations

from typing import Any

import pandas as pd
import shapely

from pygeodesign._html import Column, paragraph, table
from pygeodesign._planning.land import Numbers, Shapes, overlapping, polygons
from pygeodesign._planning.suitability import OUTSIDE
from pygeodesign._report.answers import Answers
from pygeodesign._report.shown import WORST, Figures, anchored, hue, links, name_of, title_of

OUTSIDE_ALL = "in no class"


def agreement(answers: Answers) -> str:
    compared = answers.compared
    if not compared.designs:
        return paragraph("No design was given, and no change team has saved one, so there is nothing to agree on.")
    chosen = answers.agreement["chosen"]
    counts = sorted(chosen.unique(), reverse=True)
    of = len(compared.designs)
    rows = [
        (f"{count} of {of}", int((chosen == count).sum()), links(sorted(chosen.index[chosen == count])))
        for count in counts
    ]
    text = table(
        "How many designs chose a diagram",
        [Column("Chosen by", "text"), Column("Diagrams"), Column("Their ids", "ids")],
        rows,
    )
    if of > 1:
        text += _similarity(answers)
    return text + _consensus(answers)


def _similarity(answers: Answers) -> str:
    compared = answers.compared
    frames: list[Any] = [compared.similarity(), compared.similarity("cost")]
    labels = list(compared.designs)
    rows = []
    for place, one in enumerate(labels):
        for other in labels[place + 1 :]:
            shared = sorted(set(compared.designs[one]) & set(compared.designs[other]))
            shares = [
                "not known" if pd.isna(frame.loc[one, other]) else f"{frame.loc[one, other]:.2f}" for frame in frames
            ]
            rows.append((one, other, *shares, links(shared)))
    columns = [
        Column("Design", "text"),
        Column("and design", "text"),
        Column("Similarity"),
        Column("By cost"),
        Column("Diagrams that both have", "ids"),
    ]
    return table("How alike designs are: 0 for nothing in common, 1 for the same diagrams", columns, rows)


def _consensus(answers: Answers) -> str:
    compared, figures, layer = answers.compared, answers.figures, answers.consensus
    if not len(layer):
        return paragraph("No design has a project with land, so no place is changed.")
    ids = sorted({number for design in compared.designs.values() for number in design})
    projects: Any = compared.diagrams.loc[ids]
    projects = projects.geometry[(projects["kind"] != "policy") & projects.geometry.notna()]
    parts, owners = shapely.get_parts(polygons(projects), return_index=True)
    # Neighbours that only touch share no land: a millimetre, in degrees.
    parts = shapely.buffer(parts, -1e-8, quad_segs=1)
    rows = []
    for count, places in sorted(layer.groupby("designs"), reverse=True, key=lambda group: group[0]):
        changing = sorted(set(projects.index[owners[_meeting(parts, places)]]))
        rows.append((f"{count} of {len(compared.designs)}", figures.area(places["area_ha"].sum()), links(changing)))
    columns = [
        Column("Changed by", "text"),
        figures.land,
        Column("Projects that change it", "ids"),
    ]

    caption = "The consensus: land by the number of designs that change it, under projects only"
    return anchored("consensus", table(caption, columns, rows))


def _meeting(parts: Shapes, places: Any) -> Numbers:
    """The rows of parts that have land in these places."""
    # They are all over the map; piece by piece, few are near a part.
    pieces = shapely.get_parts(places.geometry.to_numpy())
    near, found = overlapping(pieces, parts)
    shapely.prepare(pieces)
    meeting: Numbers = found[shapely.intersects(pieces[near], parts[found])]
    return meeting


def conflicts(answers: Answers) -> str:
    compared, figures, pairs = answers.compared, answers.figures, answers.conflicts
    text = ""
    if unknown := pairs.attrs["without_geometry"]:
        text = f"<p>Not counted, because their land is not known: {links(unknown)}.</p>"
    if unpriced := pairs.attrs["unpriced"]:
        text += f"<p>Not in the cost at stake, because their cost is not known: {links(unpriced)}.</p>"
    diagrams = answers.conflicting_diagrams
    for scope in figures.scopes:
        text += _conflicts_of(answers, scope, *(answers.of(frame, scope) for frame in (pairs, diagrams)))
    if not len(pairs):
        return text
    worst = diagrams.sort_values("area_ha", ascending=False).head(WORST)
    titles, found = compared.diagrams["title"], []
    for row in worst.itertuples():
        sides = ((row.diagramid_a, row.system_a), (row.diagramid_b, row.system_b))
        cells = [
            cell for number, system in sides for cell in (links([number]), f"{title_of(titles[number])} ({system})")
        ]
        found.append((*_of_design(row), *cells, figures.area(row.area_ha), figures.money(row.cost)))
    headings = [Column("Id"), Column("Diagram", "text"), Column("and id"), Column("and diagram", "text")]
    if "design" in worst:
        headings.insert(0, Column("Design", "text"))
    caption = f"The {len(worst)} pairs of diagrams that share most land, of {len(diagrams):,}"
    return text + table(caption, [*headings, *_shared(figures)], found)


def _conflicts_of(answers: Answers, scope: str, pairs: Any, diagrams: Any) -> str:
    compared, figures, number = answers.compared, answers.figures, answers.number(scope)
    if not len(pairs):
        return anchored(f"c{number}", paragraph(f"{name_of(scope)}: no two systems claim the same land."))
    pairs = pairs.sort_values("area_ha", ascending=False)
    of_systems = dict(list(diagrams.groupby(["sysid_a", "sysid_b"])))
    rows = []
    for row in pairs.itertuples():
        own = of_systems.get((row.sysid_a, row.sysid_b))
        ids = [] if own is None else sorted({*own["diagramid_a"], *own["diagramid_b"]})
        names = (hue(compared, row.sysid_a, row.system_a), hue(compared, row.sysid_b, row.system_b))
        rows.append((*names, figures.area(row.area_ha), figures.money(row.cost), links(ids)))
    systems = [Column("System", "text"), Column("and system", "text")]
    columns = [*systems, *_shared(figures), Column("Projects that overlap", "ids")]
    anchors = [f"c{number}-{one}-{other}" for one, other in zip(pairs["sysid_a"], pairs["sysid_b"], strict=True)]
    caption = f"{name_of(scope)}: systems that claim the same land"
    once = f"{figures.area(answers.claimed_twice[scope])} {figures.units.area}"
    together = paragraph(f"{name_of(scope)}: all pairs together claim {once}, each place once.")
    return anchored(f"c{number}", table(caption, columns, rows, anchors) + together)


def _shared(figures: Figures) -> list[Column]:
    return [
        Column(f"Shared land, each place once ({figures.units.area})"),
        Column(f"Cost at stake{figures.money_unit}"),
    ]


def _of_design(row: Any) -> list[str]:
    """The design of a row, where it has one."""
    return [row.design] if hasattr(row, "design") else []


def suitability(answers: Answers) -> str:
    compared, figures = answers.compared, answers.figures
    if not any(len(layer) for layer in compared.evaluations.values()):
        return paragraph("The project has no evaluation maps, so nothing says which land suits which system.")
    systems: Any = compared.suitability("systems", figures.scope)
    diagrams: Any = compared.suitability("diagrams", figures.scope)
    if not len(systems):
        return paragraph("No diagram has land.")
    known = [name for name in systems.columns if name not in ("design", "team", "system")]
    names = [f"{OUTSIDE_ALL if name == OUTSIDE else name} ({figures.units.area})" for name in known]
    columns = [Column("System", "text"), *map(Column, names), Column("Diagrams with land", "ids")]
    columns[1] = figures.summed
    text = ""
    for scope in figures.scopes:
        own, within = (answers.of(frame, scope) for frame in (systems, diagrams))
        rows = []
        for sysid, row in own.iterrows():
            ids = sorted(within.index[within["sysid"] == sysid])
            cells = ["no map" if pd.isna(row[name]) else figures.area(row[name]) for name in known]
            rows.append((hue(compared, sysid, row["system"]), *cells, links(ids)))
        text += table(f"{name_of(scope)}: land of each system by the classes of its evaluation map", columns, rows)
    if "red" not in diagrams:
        return text
    worst = diagrams[diagrams["red"] >= 0.05].sort_values("red", ascending=False).head(WORST)
    found = [
        (
            *_of_design(row),
            links([row.Index]),
            title_of(row.title),
            row.system,
            *map(figures.area, (row.red, row.land_ha)),
        )
        for row in worst.itertuples()
    ]
    if not found:
        return text + paragraph("No diagram has land of the class red.")
    unit = figures.units.area
    headings = [Column("Id"), Column("Diagram", "text"), Column("System", "text")]
    if "design" in worst:
        headings.insert(0, Column("Design", "text"))
    caption = f"The {len(found)} diagrams with most land of the class red"
    return text + table(caption, [*headings, Column(f"Red ({unit})"), Column(f"Land ({unit})")], found)
