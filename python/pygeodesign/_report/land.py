"""The sections about land: agreement, conflicts and suitability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import shapely

from pygeodesign._pictures.comparison import draw_consensus
from pygeodesign._planning.compared import note_of_missing
from pygeodesign._planning.land import overlapping, polygons
from pygeodesign._report.parts import Column, Figures, hue, links, paragraph, picture, table

if TYPE_CHECKING:
    from pygeodesign.planning import Comparison

WORST = 20


def agreement(compared: Comparison, figures: Figures) -> str:
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


def _similarity(compared: Comparison) -> str:
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


def _consensus(compared: Comparison, figures: Figures) -> str:
    layer: Any = compared.consensus()
    if not len(layer):
        return paragraph("No design has a project with land, so no place is changed.")
    rows = []
    for count, places in sorted(layer.groupby("designs"), reverse=True, key=lambda group: group[0]):
        changing = _diagrams_of(compared, places)
        rows.append((f"{count} of {len(compared.designs)}", figures.area(places["area_ha"].sum()), links(changing)))
    columns = [
        Column("Changed by", "text"),
        Column(f"Area ({figures.units.area})"),
        Column("Projects that change it", "ids"),
    ]

    def draw(theme: Any) -> Any:
        note = note_of_missing(compared.without_geometry)
        return draw_consensus(layer, len(compared.designs), compared.boundaries, compared.title, note, None, theme)

    alt = "A map of the places that designs change: darker where more designs do."
    drawn = picture(draw, alt, as_map=True)
    return table("The consensus: land by the number of designs that change it", columns, rows) + drawn


def _diagrams_of(compared: Comparison, places: Any) -> list[int]:
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


def conflicts(compared: Comparison, figures: Figures, compatible: Any, progress: bool | None) -> str:
    pairs: Any = compared.conflicts(compatible=compatible)
    unknown = pairs.attrs["without_geometry"]
    text = ""
    if unknown:
        note = f"Not counted, because their land is not known: {links(unknown)}."
        text = f"<p>{note}</p>"
    if not len(pairs):
        return text + paragraph("No two systems claim the same land.")
    diagrams: Any = compared.conflicts(by="diagrams", compatible=compatible, geometry=False, progress=progress)
    colors: Any = compared.systems["color"]
    of_systems = dict(list(diagrams.groupby(["sysid_a", "sysid_b"])))
    rows = []
    for row in pairs.sort_values("area_ha", ascending=False).itertuples():
        own = of_systems.get((row.sysid_a, row.sysid_b))
        ids = [] if own is None else sorted({*own["diagramid_a"], *own["diagramid_b"]})
        names = (hue(colors[row.sysid_a], row.system_a), hue(colors[row.sysid_b], row.system_b))
        rows.append((*names, figures.area(row.area_ha), figures.money(row.cost), links(ids)))
    shared = [Column(f"Shared land ({figures.units.area})"), Column(f"Cost at stake{figures.money_unit}")]
    text += table(
        "Systems that claim the same land",
        [Column("System", "text"), Column("and system", "text"), *shared, Column("Projects that overlap", "ids")],
        rows,
    )

    def draw(**theme: Any) -> Any:
        return compared.plot_conflicts(compatible=compatible, **theme)

    text += picture(draw, "The land that each pair of systems shares, as in the table above.")
    worst = diagrams.sort_values("area_ha", ascending=False).head(WORST)
    titles = compared.diagrams["title"]
    found = []
    for row in worst.itertuples():
        sides = ((row.diagramid_a, row.system_a), (row.diagramid_b, row.system_b))
        cells = [cell for number, system in sides for cell in (links([number]), f"{_title(titles[number])} ({system})")]
        found.append((*cells, figures.area(row.area_ha), figures.money(row.cost)))
    headings = [Column("Id"), Column("Diagram", "text"), Column("and id"), Column("and diagram", "text")]
    caption = f"The {len(worst)} pairs of diagrams that share most land, of {len(diagrams):,}"
    return text + table(caption, [*headings, *shared], found)


def _title(text: Any) -> str:
    return "without a title" if pd.isna(text) or not str(text) else str(text)


def suitability(compared: Comparison, figures: Figures) -> str:
    if not any(len(layer) for layer in compared.evaluations.values()):
        return paragraph("The project has no evaluation maps, so nothing says which land suits which system.")
    systems: Any = compared.suitability("systems")
    diagrams: Any = compared.suitability()
    if not len(systems):
        return paragraph("No diagram has land.")
    known = [name for name in systems.columns if name not in ("system", "title", "sysid")]
    columns = [Column(f"{name.removesuffix('_ha')} ({figures.units.area})") for name in known]
    rows = []
    for sysid, row in systems.iterrows():
        own = sorted(diagrams.index[diagrams["sysid"] == sysid])
        cells = ["no map" if pd.isna(row[name]) else figures.area(row[name]) for name in known]
        rows.append((hue(compared.systems["color"][sysid], row["system"]), *cells, links(own)))
    text = table(
        "Land of each system by the classes of its evaluation map",
        [Column("System", "text"), *columns, Column("Diagrams with land", "ids")],
        rows,
    )
    text += picture(compared.plot_suitability, "The share of each system's land in each class, as in the table above.")
    if "red" not in diagrams:
        return text
    worst = diagrams[diagrams["red"] >= 0.05].sort_values("red", ascending=False).head(WORST)
    found = [
        (links([number]), _title(row["title"]), row["system"], figures.area(row["red"]), figures.area(row["land_ha"]))
        for number, row in worst.iterrows()
    ]
    if not found:
        return text + paragraph("No diagram has land of the class red.")
    unit = figures.units.area
    names = [Column("Id"), Column("Diagram", "text"), Column("System", "text")]
    caption = f"The {len(found)} diagrams with most land of the class red"
    return text + table(caption, [*names, Column(f"Red ({unit})"), Column(f"Land ({unit})")], found)
