"""The sections of the report about land: where designs agree, where diagrams collide, what suits the land."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import shapely

from pygeodesign._html import Column, paragraph, table
from pygeodesign._planning.land import overlapping, polygons
from pygeodesign._planning.suitability import OUTSIDE
from pygeodesign._report.shown import WORST, Figures, hue, links, name_of, picture, title_of

if TYPE_CHECKING:
    from pygeodesign._planning import Questions

OUTSIDE_ALL = "in no class"


def agreement(compared: Questions, figures: Figures) -> str:
    if not compared.designs:
        return paragraph("No design was given, and no change team has saved one, so there is nothing to agree on.")
    chosen: Any = compared.agreement()["chosen"]
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
        text += _similarity(compared)
    return text + _consensus(compared, figures)


def _similarity(compared: Questions) -> str:
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
    drawn = picture(compared.plot_similarity, "The similarity of each pair of designs, as in the table above.")
    return table("How alike designs are: 0 for nothing in common, 1 for the same diagrams", columns, rows) + drawn


def _consensus(compared: Questions, figures: Figures) -> str:
    layer: Any = compared.consensus()
    if not len(layer):
        return paragraph("No design has a project with land, so no place is changed.")
    rows = []
    for count, places in sorted(layer.groupby("designs"), reverse=True, key=lambda group: group[0]):
        changing = _diagrams_of(compared, places)
        rows.append((f"{count} of {len(compared.designs)}", figures.area(places["area_ha"].sum()), links(changing)))
    columns = [
        Column("Changed by", "text"),
        figures.land,
        Column("Projects that change it", "ids"),
    ]

    def draw(theme: Any) -> Any:
        return compared._draw_consensus(layer, figures.units.name, None, theme)

    alt = "A map of the places that designs change: darker where more designs do."
    drawn = picture(draw, alt, as_map=True)
    return (
        table("The consensus: land by the number of designs that change it, under projects only", columns, rows) + drawn
    )


def _diagrams_of(compared: Questions, places: Any) -> list[int]:
    """The projects of any design that have land in these places."""
    ids = sorted({number for design in compared.designs.values() for number in design})
    rows: Any = compared.diagrams.loc[ids]
    rows = rows[(rows["kind"] != "policy") & rows.geometry.notna()]
    parts, owners = shapely.get_parts(polygons(rows.geometry), return_index=True)
    # The places of a row are all over the map; part by part, few are near a diagram.
    pieces = shapely.get_parts(places.geometry.to_numpy())
    near, found = overlapping(pieces, parts)
    shapely.prepare(pieces)
    meet = shapely.intersects(pieces[near], parts[found])
    common = shapely.area(shapely.intersection(pieces[near[meet]], parts[found[meet]]))
    # Neighbours that only touch share no land: less than about 0.01 m².
    return sorted(set(rows.index[owners[found[meet][common > 1e-12]]]))


def conflicts(compared: Questions, figures: Figures, compatible: Any, progress: bool | None) -> str:
    pairs: Any = compared._conflicts("systems", figures.scope, compatible, constraints=False, geometry=False)
    text = ""
    if unknown := pairs.attrs["without_geometry"]:
        text = f"<p>Not counted, because their land is not known: {links(unknown)}.</p>"
    if unpriced := pairs.attrs["unpriced"]:
        text += f"<p>Not in the cost at stake, because their cost is not known: {links(unpriced)}.</p>"
    diagrams: Any = compared._conflicts("diagrams", figures.scope, compatible, False, False, progress)
    for scope in figures.scopes:
        own, within = (frame if scope == "project" else frame[frame["design"] == scope] for frame in (pairs, diagrams))
        text += _conflicts_of(compared, figures, scope, own, within)
    if not len(pairs):
        return text

    def draw(**theme: Any) -> Any:
        return compared.plot_conflicts(figures.scope, compatible, units=figures.units.name, **theme)

    text += picture(draw, "The land that each pair of systems shares, as in the tables above.")
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


def _conflicts_of(compared: Questions, figures: Figures, scope: str, pairs: Any, diagrams: Any) -> str:
    if not len(pairs):
        return paragraph(f"{name_of(scope)}: no two systems claim the same land.")
    colors: Any = compared.systems["color"]
    of_systems = dict(list(diagrams.groupby(["sysid_a", "sysid_b"])))
    rows = []
    for row in pairs.sort_values("area_ha", ascending=False).itertuples():
        own = of_systems.get((row.sysid_a, row.sysid_b))
        ids = [] if own is None else sorted({*own["diagramid_a"], *own["diagramid_b"]})
        names = (hue(colors[row.sysid_a], row.system_a), hue(colors[row.sysid_b], row.system_b))
        rows.append((*names, figures.area(row.area_ha), figures.money(row.cost), links(ids)))
    systems = [Column("System", "text"), Column("and system", "text")]
    columns = [*systems, *_shared(figures), Column("Projects that overlap", "ids")]
    return table(f"{name_of(scope)}: systems that claim the same land", columns, rows)


def _shared(figures: Figures) -> list[Column]:
    return [
        Column(f"Shared land, each place once ({figures.units.area})"),
        Column(f"Cost at stake{figures.money_unit}"),
    ]


def _of_design(row: Any) -> list[str]:
    """The design of a row, where it has one."""
    return [row.design] if hasattr(row, "design") else []


def suitability(compared: Questions, figures: Figures) -> str:
    if not any(len(layer) for layer in compared.evaluations.values()):
        return paragraph("The project has no evaluation maps, so nothing says which land suits which system.")
    systems: Any = compared.suitability("systems", figures.scope)
    diagrams: Any = compared.suitability("diagrams", figures.scope)
    if not len(systems):
        return paragraph("No diagram has land.")
    known = [name for name in systems.columns if name not in ("design", "system")]
    names = [f"{OUTSIDE_ALL if name == OUTSIDE else name} ({figures.units.area})" for name in known]
    columns = [Column("System", "text"), *map(Column, names), Column("Diagrams with land", "ids")]
    columns[1] = figures.summed
    text = ""
    for scope in figures.scopes:
        own, within = (
            frame if scope == "project" else frame[frame["design"] == scope] for frame in (systems, diagrams)
        )
        rows = []
        for sysid, row in own.iterrows():
            ids = sorted(within.index[within["sysid"] == sysid])
            cells = ["no map" if pd.isna(row[name]) else figures.area(row[name]) for name in known]
            rows.append((hue(compared.systems["color"][sysid], row["system"]), *cells, links(ids)))
        text += table(f"{name_of(scope)}: land of each system by the classes of its evaluation map", columns, rows)

    def draw(**theme: Any) -> Any:
        return compared.plot_suitability(figures.scope, units=figures.units.name, **theme)

    text += picture(draw, "The share of each system's land in each class, as in the tables above.")
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
