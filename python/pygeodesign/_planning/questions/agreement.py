"""Agreement of designs: the diagrams and the places they have in common."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import number, t
from pygeodesign._paper.answers import Answers, Section, once
from pygeodesign._paper.shown import anchored, links
from pygeodesign._planning.compared import Compared, membership, note_of_missing, pictures
from pygeodesign._planning.land.consensus import places_of_designs
from pygeodesign._planning.land.lands import Numbers, Shapes, are_there, overlapping, polygons
from pygeodesign._text import units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def agreement(self: Compared) -> pd.DataFrame:
    """Diagrams by the designs that have them.

    Returns:
        One row per diagram of the project, by `diagramid`: `title`, `kind`, a boolean column per design, and
        `chosen`, the number of designs with it, 0 if none has it.

    Examples:
        >>> table = project.compare().agreement()
        >>> table["chosen"].value_counts().sort_index().to_dict()
        {0: 60, 1: 80, 2: 32, 3: 7, 4: 1}
    """
    known = pd.DataFrame(self.diagrams[["title", "kind"]])
    return pd.concat([known, membership(self.diagrams, self.designs)], axis=1)


def similarity(self: Compared, by: Literal["diagrams", "cost"] = "diagrams") -> pd.DataFrame:
    """Similarity of designs, from 0 (nothing in common) to 1 (the same diagrams).

    It is the Jaccard index: the diagrams that two designs share, divided by those that either of them has
    (Jaccard 1912, doi 10.1111/j.1469-8137.1912.tb05611.x).

    Args:
        by: `"diagrams"` counts each diagram once, `"cost"` by its cost: the cost of what two designs share,
            divided by the cost of what either of them has.

    Returns:
        One row and one column per design. NaN if neither of two designs has a diagram, or any cost.

    Raises:
        InputError: `by` has another value.

    Warns:
        UserWarning: The cost of a diagram is unknown, so `by="cost"` leaves it out.

    Examples:
        >>> project.compare([[1001, 1002], [1002, 1003, 1004]]).similarity()
                  Design 1  Design 2
        Design 1      1.00      0.25
        Design 2      0.25      1.00
    """
    if by not in ("diagrams", "cost"):
        raise InputError(f'by must be "diagrams" or "cost", not {by!r}')
    chosen = membership(self.diagrams, self.designs).drop(columns="chosen").to_numpy(dtype=float)
    weights = np.ones(len(self.diagrams)) if by == "diagrams" else self.diagrams["cost"].to_numpy(dtype=float)
    unknown = np.isnan(weights) & chosen.any(axis=1)
    if unknown.any():
        ids = ", ".join(map(str, self.diagrams.index[unknown]))
        warnings.warn(f"diagrams whose cost is not known are left out of the similarity: {ids}", stacklevel=2)
    weights = np.nan_to_num(weights)
    both = chosen.T @ (weights[:, None] * chosen)
    own = np.diag(both)
    either = own[:, None] + own[None, :] - both
    with np.errstate(invalid="ignore", divide="ignore"):
        # Two designs without diagrams, or that cost nothing, are not comparable: NaN.
        return pd.DataFrame(both / either, index=list(self.designs), columns=list(self.designs))


def consensus(self: Compared, *, progress: bool | None = None) -> geopandas.GeoDataFrame:
    """Every place that a design changes: the number of designs that do, and the system that most of them choose there.

    A design changes the land under its projects; policies and lines change none. This is a planar overlay, like the
    scenario consensus of GeoPlanner.

    Args:
        progress: Has no effect: the overlay takes seconds and shows no progress bar.

    Returns:
        A GeoDataFrame in EPSG:4326, with the places that most designs change first. No two rows overlap. `designs`
        is the number of designs that change the places of the row; `sysid` and `system` are the system that most of
        them choose, `votes` the number of designs that do. `tied` is True if another system has as many votes; `system`
        is then the first in the order of the project. `area_ha` is land, each place once.

    Examples:
        >>> layer = project.compare().consensus()
        >>> layer.loc[layer["designs"] > 1, "area_ha"].sum().round(1)
        np.float64(413.3)
    """
    return places_of_designs(self.diagrams, self.designs, self.systems, self._lands)


def plot_agreement(self: Compared, ax: Axes | None = None, *, theme: Literal["light", "dark"] | None = None) -> Axes:
    """Draws `agreement()`: the number of diagrams of each system in all designs, in some, and in none.

    Next to each bar are the ids of the diagrams that most designs have.

    Args:
        ax: The matplotlib axes to draw on. Default: new ones.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; along x are diagrams of the project.

    Raises:
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> print(project.compare().plot_agreement().get_title("left"))
        Staten Island 2050
        4 designs choose from 180 diagrams: 40 are in several designs, 60 in none
    """
    axes: Axes = pictures("bars").draw_agreement(
        membership(self.diagrams, self.designs), self.diagrams, self.systems["name"], self.title, ax, theme
    )
    return axes


def plot_consensus(
    self: Compared,
    ax: Axes | None = None,
    *,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `consensus()` as a map: the more designs change a place, the more its colour contrasts with the paper.

    Args:
        ax: The matplotlib axes to draw on. Default: new ones.
        units: `"metric"`, or `"us"` for acres and miles. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, in degrees.

    Raises:
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> print(project.compare().plot_consensus().get_title("left"))
        Staten Island 2050
        Land changed by at least one of 4 designs: 1,415 ha; by several: 413 ha
    """
    chosen = self.diagrams[(agreement(self)["chosen"] > 0) & (self.diagrams["kind"] != "policy")]
    note = note_of_missing(chosen)
    axes: Axes = pictures("comparison").draw_consensus(
        consensus(self), len(self.designs), self.boundaries, self.title, note, units_named(units), ax, theme
    )
    return axes


def plot_similarity(
    self: Compared,
    by: Literal["diagrams", "cost"] = "diagrams",
    ax: Axes | None = None,
    *,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `similarity()` as a table of colours, each pair of designs once.

    Args:
        by: `"diagrams"` or `"cost"`.
        ax: The matplotlib axes to draw on. Default: new ones.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes.

    Raises:
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_similarity()
    """
    short = self._short_labels
    table = similarity(self, by).rename(index=short, columns=short)
    axes: Axes = pictures("comparison").draw_similarity(table, by, self.title, ax, theme)
    return axes


@once
def reported_agreement(answers: Answers) -> Any:
    """The agreement of the designs of a report."""
    return agreement(answers.compared)


@once
def reported_consensus(answers: Answers) -> Any:
    """The consensus of the designs of a report."""
    return consensus(answers.compared, progress=answers.progress)


def _section(answers: Answers) -> str:
    compared = answers.compared
    if not compared.designs:
        return paragraph(t("no_designs_to_agree"))
    chosen = reported_agreement(answers)["chosen"]
    counts = sorted(chosen.unique(), reverse=True)
    of = len(compared.designs)
    rows = [
        (t("of", some=count, all=of), int((chosen == count).sum()), links(sorted(chosen.index[chosen == count])))
        for count in counts
    ]
    text = table(
        t("agreement_caption"),
        [Column(t("chosen_by"), "text"), Column(t("diagrams_heading")), Column(t("their_ids"), "ids")],
        rows,
    )
    if of > 1:
        text += _similarity(answers)
    return text + _consensus(answers)


def _similarity(answers: Answers) -> str:
    compared = answers.compared
    frames: list[Any] = [similarity(compared), similarity(compared, "cost")]
    labels = list(compared.designs)
    rows = []
    for place, one in enumerate(labels):
        for other in labels[place + 1 :]:
            shared = sorted(set(compared.designs[one]) & set(compared.designs[other]))
            shares = [
                t("not_known") if pd.isna(frame.loc[one, other]) else number(frame.loc[one, other], 2)
                for frame in frames
            ]
            rows.append((one, other, *shares, links(shared)))
    columns = [
        Column(t("design"), "text"),
        Column(t("and_design"), "text"),
        Column(t("similarity")),
        Column(t("by_cost")),
        Column(t("both_have"), "ids"),
    ]
    return table(t("similarity_caption"), columns, rows)


def _consensus(answers: Answers) -> str:
    compared, figures, layer = answers.compared, answers.figures, reported_consensus(answers)
    if not len(layer):
        return paragraph(t("no_land"))
    ids = sorted({number for design in compared.designs.values() for number in design})
    projects: Any = compared.diagrams.loc[ids]
    projects = projects.geometry[(projects["kind"] != "policy") & are_there(projects.geometry)]
    parts, owners = shapely.get_parts(polygons(projects), return_index=True)
    # Neighbours that only touch share no land: a millimetre, in degrees.
    parts = shapely.buffer(parts, -1e-8, quad_segs=1)
    rows = []
    for count, places in sorted(layer.groupby("designs"), reverse=True, key=lambda group: group[0]):
        changing = sorted(set(projects.index[owners[_meeting(parts, places)]]))
        of_all = t("of", some=count, all=len(compared.designs))
        rows.append((of_all, figures.area(places["area_ha"].sum()), links(changing)))
    columns = [
        Column(t("changed_by"), "text"),
        figures.land,
        Column(t("projects_that_change"), "ids"),
    ]
    return anchored("consensus", table(t("consensus_caption"), columns, rows))


def _meeting(parts: Shapes, places: Any) -> Numbers:
    """The rows of parts that overlap with these places."""
    # They are all over the map; piece by piece, few are near a part.
    pieces = shapely.get_parts(places.geometry.to_numpy())
    near, found = overlapping(pieces, parts)
    shapely.prepare(pieces)
    meeting: Numbers = found[shapely.intersects(pieces[near], parts[found])]
    return meeting


SECTION = Section(
    "agreement_heading",
    "agreement_question",
    _section,
)
