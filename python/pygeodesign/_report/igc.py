"""Contents of the International Geodesign Collaboration's poster: maps, figures and scores by years and adopters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pygeodesign._language import isolated, number, t
from pygeodesign._paper.shown import Figures
from pygeodesign._planning.compared import names_of_areas
from pygeodesign._planning.questions.quantities import quantities
from pygeodesign._planning.years import year_shares
from pygeodesign.errors import InputError

# Designs by the time when they adopt geodesign. Their texts are `adopter_early` and so on.
ADOPTERS = ("early", "late", "non")
# The Sustainable Development Goals of the United Nations (resolution 70/1 of 2015). Their texts are `goal_1` and so on.
GOALS = range(1, 18)
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

    def subjects(self) -> list[tuple[str, str]]:
        """The adopters with the labels of their designs, or else the label of each compared design twice."""
        return [(adopter(key), label) for key, label in self.designs.items()] or [
            (label, label) for label in self.compared.designs
        ]

    def missing(self) -> list[str]:
        """Everything that the poster should have, but lacks."""
        gaps = [t(f"gap_{key}", argument=f'adopters["{key}"]') for key in ADOPTERS if key not in self.designs]
        if not len(self.compared.boundaries):
            gaps.append(t("gap_study_area"))
        if not self.designs and not self.sdg:
            gaps.append(t("gap_scores", argument="sdg"))
        if not self.designs and not self.totals and self.per_hectare is None:
            gaps.append(t("either", one="carbon_totals", other="carbon_per_hectare"))
        for label in dict.fromkeys(self.designs.values()):
            goals = [str(goal) for goal in GOALS if goal not in self.sdg.get(label, {})]
            if goals:
                gaps.append(t("gap_goals", argument=f'sdg["{label}"]', goals=", ".join(goals)))
            if self.per_hectare is None and label not in self.totals:
                gaps.append(t("either", one=f'carbon_totals["{label}"]', other="carbon_per_hectare"))
        if not self.assumptions:
            gaps.append(t("gap_assumptions", argument="assumptions"))
        return gaps


def checked_scores(sdg: Any, labels: Sequence[str]) -> dict[str, dict[int, int]]:
    """The scores of each design by goal, from -3 to 3."""
    if not isinstance(sdg, Mapping) or not all(isinstance(scores, Mapping) for scores in sdg.values()):
        raise InputError(f"sdg is {sdg!r}: give the scores of each design by goal, as {{label: {{1: 2, 13: -1}}}}")
    for label, scores in sdg.items():
        known_label(label, labels, "sdg")
        for goal, score in scores.items():
            if type(goal) is not int or goal not in GOALS:
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
    names += [
        text for text in (names_of_areas(compared.boundaries), t("by_author", author=author) if author else "") if text
    ]
    return heading, names


def not_given(gaps: Sequence[str]) -> str:
    return t("not_on_poster", gaps="; ".join(gaps)) if gaps else ""


def adopter(key: str) -> str:
    return t(f"adopter_{key}")


def left_out(poster: Poster, key: str) -> list[str]:
    """Notes on an adopter's diagrams that are in no year or on no map."""
    rows = poster.rows(poster.designs[key])
    _, _, dated = year_shares(rows)
    notes = []
    if lost := sorted(rows.index[~dated]):
        notes.append(t("in_no_year", adopter=adopter(key), ids=", ".join(map(str, lost))))
    if shapeless := sorted(set(rows.index) & set(poster.compared.without_geometry)):
        notes.append(t("on_no_map", adopter=adopter(key), ids=", ".join(map(str, shapeless))))
    return notes


def about_maps(poster: Poster) -> str:
    note = t("about_poster_maps")
    systems = poster.compared.systems
    if len(systems) != SYSTEMS:
        note += f" {t('other_systems', count=len(systems), most=SYSTEMS)}"
    return note


def changes(poster: Poster) -> list[Sheet]:
    """Area and cost of each system by the end of each year, for each adopter."""
    compared, figures = poster.compared, poster.figures
    area = figures.units.area
    headings = [t("system"), *(f"{year}, {area}" for year in poster.years)]
    headings += [t("cost_of_year", year=str(year), unit=figures.money_unit) for year in poster.years]
    headings += [t("undated_area", unit=area), t("undated_cost"), t("area_or_cost_unknown")]
    sheets = []
    for key, label in poster.designs.items():
        rows = poster.rows(label)
        lines: list[tuple[Any, str, Any]] = [
            (sysid, name, rows[rows["sysid"] == sysid]) for sysid, name in compared.systems["name"].items()
        ]
        cells = []
        for _, name, own in [*lines, (None, t("all"), rows)]:
            _, _, dated = year_shares(own)
            unknown = int((own["cost"].isna() | own["area_ha"].isna()).sum())
            areas = [figures.area(built_by(own, "area_ha", year)) for year in poster.years]
            costs = [figures.money(built_by(own, "cost", year)) for year in poster.years]
            undated = own.loc[~dated, ["area_ha", "cost"]].astype(float).sum(min_count=1)
            shown = (figures.area(undated["area_ha"]), figures.money(undated["cost"]))
            lost = (t("none"), t("none")) if dated.all() else shown
            cells.append([str(name), *areas, *costs, *lost, str(unknown or t("none"))])
        sysids = [*(sysid for sysid, _, _ in lines), None]
        sheets.append(Sheet(f"{adopter(key)}: {label}", headings, cells, sysids))
    return sheets


def goals(poster: Poster) -> list[Sheet]:
    """The scores of all adopters; empty if nothing is scored."""
    subjects = [(name, label) for name, label in poster.subjects() if poster.designs or poster.sdg.get(label)]
    if not any(poster.sdg.get(label) for _, label in subjects):
        return []
    rows = []
    for goal in GOALS:
        scores = [poster.sdg.get(label, {}).get(goal) for _, label in subjects]
        shown = (t("not_scored") if score is None else f"{score:+d}" if score else "0" for score in scores)
        rows.append([f"{goal} {t(f'goal_{goal}')}", *shown])
    headings = [t("goal"), *(name for name, _ in subjects)]
    return [Sheet(t("goals_caption"), headings, rows, [None] * len(rows))]


def carbon(poster: Poster) -> list[Sheet]:
    """The carbon of all adopters; empty if nothing is known."""
    rows = []
    for name, label in poster.subjects():
        amount, basis = poster.totals.get(label, float("nan")), t("given")
        if label not in poster.totals:
            if poster.per_hectare is None:
                continue
            part = quantities(poster.compared, {"carbon": poster.per_hectare}, label)
            planned = part[(part["area_ha"] != 0) | (part["unmeasured"] > 0)]
            amount = planned["carbon"].sum(min_count=1) if len(planned) else 0.0
            without = planned.loc[planned["carbon"].isna(), "system"].tolist()
            basis = t("carbon_by_hectares")
            basis += f"; {t('carbon_left_out', systems=', '.join(without))}" if without else ""
            unmeasured = int(part["unmeasured"].sum())
            basis += f"; {t('carbon_unmeasured', count=unmeasured)}" if unmeasured else ""
        shown = t("not_known") if pd.isna(amount) else isolated(number(round(float(amount)) + 0))
        rows.append([label if name == label else f"{name}: {label}", shown, basis])
    headings = [t("design"), "t CO₂e", t("how_known")]
    return [Sheet(t("carbon_caption"), headings, rows, [None] * len(rows), (0, 2))] if rows else []
