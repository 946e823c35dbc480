"""Contents of the International Geodesign Collaboration's poster: maps, figures and scores by years and adopters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pygeodesign._paper.shown import UNKNOWN, Figures
from pygeodesign._planning.compared import names_of_areas
from pygeodesign._planning.questions.quantities import quantities
from pygeodesign._planning.years import year_shares
from pygeodesign._text import counted
from pygeodesign.errors import InputError

# Names of designs by the time when they adopt geodesign.
ADOPTERS = {"early": "Early adopter", "late": "Late adopter", "non": "Non-adopter"}
# The Sustainable Development Goals of the United Nations (resolution 70/1 of 2015), shortened.
GOALS = (
    "No poverty",
    "Zero hunger",
    "Good health and well-being",
    "Quality education",
    "Gender equality",
    "Clean water and sanitation",
    "Affordable and clean energy",
    "Decent work and economic growth",
    "Industry, innovation and infrastructure",
    "Reduced inequalities",
    "Sustainable cities and communities",
    "Responsible consumption and production",
    "Climate action",
    "Life below water",
    "Life on land",
    "Peace, justice and strong institutions",
    "Partnerships for the goals",
)
SYSTEMS = 10


class Sheet(NamedTuple):
    """A table of the poster: its caption, the headings of its columns and the cells of its rows as strings.

    `sysids` has the system of each row whose first cell is a system's name, else None.
    """

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    sysids: Sequence[Any]
    #: The places of the columns of words; the others have figures.
    words: Sequence[int] = (0,)


@dataclass
class Poster:
    """The checked contents of the poster: `designs` are the labels of the compared designs by adopter."""

    compared: Any
    figures: Figures
    designs: Mapping[str, str]
    years: Sequence[int]
    sdg: Mapping[str, Mapping[int, int]]
    per_hectare: Mapping[Any, float] | None
    totals: Mapping[str, float]
    assumptions: Sequence[str]

    def rows(self, label: str) -> Any:
        return self.compared.diagrams.loc[self.compared.designs[label]]

    def missing(self) -> list[str]:
        """Everything that the poster should have, but lacks."""
        gaps = [
            f'adopters["{key}"], the label of the design of the {name.lower()}'
            for key, name in ADOPTERS.items()
            if key not in self.designs
        ]
        if not len(self.compared.boundaries):
            gaps.append("the study area of the project")
        if not self.designs:
            gaps += ["sdg, the scores of each design", "carbon_totals, or carbon_per_hectare"]
        for label in dict.fromkeys(self.designs.values()):
            goals = [str(goal) for goal in range(1, len(GOALS) + 1) if goal not in self.sdg.get(label, {})]
            if goals:
                gaps.append(f'sdg["{label}"], the scores of the goals {", ".join(goals)}')
            if self.per_hectare is None and label not in self.totals:
                gaps.append(f'carbon_totals["{label}"], or carbon_per_hectare')
        if not self.assumptions:
            gaps.append("assumptions, one text for each line")
        return gaps


def checked_scores(sdg: Any, labels: Sequence[str]) -> dict[str, dict[int, int]]:
    """The scores of each design by goal, from -3 to 3."""
    if not isinstance(sdg, Mapping) or not all(isinstance(scores, Mapping) for scores in sdg.values()):
        raise InputError(f"sdg is {sdg!r}: give the scores of each design by goal, as {{label: {{1: 2, 13: -1}}}}")
    for label, scores in sdg.items():
        known_label(label, labels, "sdg")
        for goal, score in scores.items():
            if type(goal) is not int or not 1 <= goal <= len(GOALS):
                raise InputError(f"sdg of {label!r} names the goal {goal!r}: give a number from 1 to {len(GOALS)}")
            if type(score) is not int or not -3 <= score <= 3:
                raise InputError(
                    f"sdg of {label!r} has {score!r} for the goal {goal}: give a whole number from -3 to 3"
                )
    return {label: dict(scores) for label, scores in sdg.items()}


def known_label(label: Any, labels: Sequence[str], argument: str) -> None:
    if label not in labels:
        raise InputError(f"{argument} names the design {label!r}: the compared designs are {', '.join(labels)}")


def square_around(bounds: Sequence[float]) -> tuple[float, float, float, float]:
    """The square on the ground around these bounds (west, south, east, north, in degrees), with the same middle."""
    west, south, east, north = bounds
    shrink = max(0.01, float(np.cos(np.radians((south + north) / 2))))
    half = max((east - west) * shrink, north - south) / 2
    lon, lat = (west + east) / 2, (south + north) / 2
    return lon - half / shrink, lat - half, lon + half / shrink, lat + half


def begun_by(rows: Any, year: int) -> Any:
    """The diagrams whose days begin in this year or before; those without dates are in no year."""
    _, _, dated = year_shares(rows)
    return rows[dated & (pd.to_datetime(rows["start_date"]).dt.year <= year).to_numpy()]


def built_by(rows: Any, column: str, year: int) -> float:
    """The amount built by the end of a year, spread evenly over the days of each diagram as in `schedule()`.

    It is 0 if nothing has begun, and NaN if nothing that has begun has a known figure.
    """
    years, shares, _ = year_shares(rows)
    share = shares[[own <= year for own in years]].sum(axis=0)
    figures = rows[column].to_numpy(dtype=float)
    known = ~np.isnan(figures)
    if (share > 0).any() and not (known & (share > 0)).any():
        return float("nan")
    return float((share[known] * figures[known]).sum())


def heading_of(poster: Poster, title: str | None, author: str) -> tuple[str, list[str]]:
    """The title, and the lines below it: project, place and author."""
    compared = poster.compared
    heading = compared.title if title is None else title
    names = [] if heading == compared.title else [compared.title]
    names += [text for text in (names_of_areas(compared.boundaries), f"by {author}" if author else "") if text]
    return heading, names


def not_given(gaps: Sequence[str]) -> str:
    return f"Not on this poster, as it was not given: {'; '.join(gaps)}." if gaps else ""


def left_out(poster: Poster, key: str) -> list[str]:
    """Notes on an adopter's diagrams that are in no year or on no map."""
    rows = poster.rows(poster.designs[key])
    _, _, dated = year_shares(rows)
    notes = []
    if lost := sorted(rows.index[~dated]):
        notes.append(f"{ADOPTERS[key]}, without dates and so in no year: {', '.join(map(str, lost))}.")
    if shapeless := sorted(set(rows.index) & set(poster.compared.without_geometry)):
        notes.append(f"{ADOPTERS[key]}, on no map without a geometry: {', '.join(map(str, shapeless))}.")
    return notes


def about_maps(poster: Poster) -> str:
    note = (
        "The square is the one around the study area. Maps have the diagrams begun by the end of the year: "
        "projects are filled, policies dashed outlines, lines drawn."
    )
    systems = poster.compared.systems
    if len(systems) != SYSTEMS:
        note += f" The project has {counted(len(systems), 'system')}; the collaboration has {SYSTEMS}."
    return note


ABOUT_CHANGES = (
    "What is built by the end of each year: areas and costs are spread evenly over the days of each diagram and "
    "summed over diagrams, policies included: where two overlap, both count."
)


def changes(poster: Poster) -> list[Sheet]:
    """Area and cost of each system by the end of each year, for each adopter."""
    compared, figures = poster.compared, poster.figures
    headings = ["System", *(f"{year}, {figures.units.area}" for year in poster.years)]
    headings += [f"{year}, cost{figures.money_unit}" for year in poster.years]
    headings += [f"Without dates, {figures.units.area}", "Without dates, cost", "Area or cost not known, diagrams"]
    sheets = []
    for key, label in poster.designs.items():
        rows = poster.rows(label)
        lines: list[tuple[Any, str, Any]] = [
            (sysid, name, rows[rows["sysid"] == sysid]) for sysid, name in compared.systems["name"].items()
        ]
        cells = []
        for _, name, own in [*lines, (None, "All", rows)]:
            _, _, dated = year_shares(own)
            unknown = int((own["cost"].isna() | own["area_ha"].isna()).sum())
            areas = [figures.area(built_by(own, "area_ha", year)) for year in poster.years]
            costs = [figures.money(built_by(own, "cost", year)) for year in poster.years]
            undated = own.loc[~dated, ["area_ha", "cost"]].astype(float).sum(min_count=1)
            shown = (figures.area(undated["area_ha"]), figures.money(undated["cost"]))
            lost = ("none", "none") if dated.all() else shown
            cells.append([str(name), *areas, *costs, *lost, str(unknown or "none")])
        sysids = [*(sysid for sysid, _, _ in lines), None]
        sheets.append(Sheet(f"{ADOPTERS[key]}: {label}", headings, cells, sysids))
    return sheets


def goals(poster: Poster) -> list[Sheet]:
    """The scores of all adopters; empty if nothing is scored."""
    if not any(poster.sdg.get(label) for label in poster.designs.values()):
        return []
    rows = []
    for goal, name in enumerate(GOALS, 1):
        scores = [poster.sdg.get(label, {}).get(goal) for label in poster.designs.values()]
        shown = ("not scored" if score is None else f"{score:+d}" if score else "0" for score in scores)
        rows.append([f"{goal} {name}", *shown])
    caption = "As each team scored its design, from −3 (much worse) to +3 (much better)"
    return [Sheet(caption, ["Goal", *(ADOPTERS[key] for key in poster.designs)], rows, [None] * len(rows))]


def carbon(poster: Poster) -> list[Sheet]:
    """The carbon of all adopters; empty if nothing is known."""
    rows = []
    for key, label in poster.designs.items():
        amount, basis = poster.totals.get(label, float("nan")), "given"
        if label not in poster.totals:
            if poster.per_hectare is None:
                continue
            part = quantities(poster.compared, {"carbon": poster.per_hectare}, label)
            planned = part[(part["area_ha"] != 0) | (part["unmeasured"] > 0)]
            amount = planned["carbon"].sum(min_count=1) if len(planned) else 0.0
            without = planned.loc[planned["carbon"].isna(), "system"].tolist()
            basis = "hectares of projects × t per hectare"
            basis += f"; not known and left out: {', '.join(without)}" if without else ""
            unmeasured = int(part["unmeasured"].sum())
            basis += f"; {counted(unmeasured, 'project')} without a known area left out" if unmeasured else ""
        shown = UNKNOWN if pd.isna(amount) else f"{round(float(amount)) + 0:,}"
        rows.append([f"{ADOPTERS[key]}: {label}", shown, basis])
    headings = ["Design", "t CO₂e", "How it is known"]
    caption = "Of the whole design, whenever it is built"
    return [Sheet(caption, headings, rows, [None] * len(rows), (0, 2))] if rows else []
