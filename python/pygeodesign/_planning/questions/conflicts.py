"""Conflicts: land that several diagrams claim, and the cost at stake there."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import geopandas
import numpy as np
import pandas as pd

from pygeodesign import _progress
from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers, Section, once
from pygeodesign._paper.shown import WORST, Figures, anchored, hue, links, name_of, of_design, title_of
from pygeodesign._planning.arguments import compatible_pairs
from pygeodesign._planning.compared import Compared, membership, note_of_missing, pictures
from pygeodesign._planning.land.lands import MIN_OVERLAP_HA, Lands, Numbers, are_there
from pygeodesign._text import listed, units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Pairs of diagrams between two checks for Ctrl-C.
PAIRS_AT_ONCE = 256
SYSTEM_COLUMNS = ["sysid_a", "sysid_b", "system_a", "system_b", "area_ha", "cost", "unpriced"]
DIAGRAM_COLUMNS = ["diagramid_a", "diagramid_b", *SYSTEM_COLUMNS]
CONSTRAINTS = "constraints"


def conflicts(
    self: Compared,
    by: Literal["systems", "diagrams"] = "systems",
    scope: str = "designs",
    compatible: Any = None,
    *,
    constraints: bool = False,
    geometry: bool = True,
    progress: bool | None = None,
) -> geopandas.GeoDataFrame | pd.DataFrame:
    """Systems, or diagrams, that claim the same land, with its hectares and the cost at stake there.

    Only the land under projects counts, each place once; policies and lines claim none, and a diagram whose kind is
    unknown counts as a project. Borders that touch are not a conflict: overlaps of less than 100 cm² are left out.

    Args:
        by: `"systems"` for pairs of systems; `"diagrams"` for pairs of diagrams, also of one system.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`; or `"between"`
            for land that two designs use differently.
        compatible: Pairs of systems, by name, id or tag, that may share land and are left out: a list such as
            `[("Water", "Agriculture")]`, or a DataFrame or dict of dicts that is true for such pairs. The pair of a
            system with itself leaves out pairs of its diagrams.
        constraints: True to add rows for land on the project's constraints; their `system_b` is
            `"constraints"`, and their `sysid_b` and `diagramid_b` are missing.
        geometry: For diagrams: True to keep the land of each pair. Without it, hundreds of thousands of pairs need
            little memory, and the result is a DataFrame.
        progress: For diagrams: True to show a progress bar, which needs tqdm. Default: in a notebook or a
            terminal.

    Returns:
        A GeoDataFrame in EPSG:4326, each pair of a design once and the first of the pair first in the order of the
        project: `sysid_a`, `sysid_b`, `system_a`, `system_b`, `area_ha` of land (each place once), `cost` at stake,
        `unpriced`, and the common land. For diagrams, `diagramid_a` and `diagramid_b` come first. `cost` is the
        hectares times the cost per hectare of each of the two: for a diagram its cost by its hectares, for a system the
        cost of all its projects with land in the design by the hectares under them. Diagrams of unknown cost
        are left out of `cost` and counted in `unpriced`. `attrs["without_geometry"]` lists projects of the
        scope with unknown land, `attrs["unpriced"]` those with land but unknown cost.

    Raises:
        InputError: No system or design has such a name, there is no design, or `by` has another value.

    Warns:
        UserWarning: The land or the cost of projects is unknown, so they are left out; it names their ids.

    Examples:
        >>> comparison = project.compare()
        >>> pairs = comparison.conflicts()
        >>> pairs.groupby("design", sort=False)["area_ha"].sum().round(1).tolist()
        [3.8, 6.5, 6.8]
        >>> pairs.attrs["without_geometry"]
        [1055]
        >>> comparison.conflicts(by="diagrams", scope="between")[["diagramid_a", "diagramid_b", "area_ha"]].head(2)
           diagramid_a  diagramid_b   area_ha
        0         1009         1146  1.545836
        1         1011         1106  0.004028
    """
    if by not in ("systems", "diagrams"):
        raise InputError(f'by must be "systems" or "diagrams", not {by!r}')
    pairs = conflicts_found(self, by, scope, compatible, constraints, geometry, progress)
    pairs.attrs.pop("once_ha", None)
    gaps = {"without_geometry": "of unknown land", "unpriced": "of unknown cost from what is at stake"}
    for name, gap in gaps.items():
        if ids := pairs.attrs[name]:
            warnings.warn(f"conflicts() leaves out diagrams {gap}: {listed(ids)}", stacklevel=2)
    return pairs


def conflicts_found(
    compared: Compared,
    by: str,
    scope: str,
    compatible: Any,
    constraints: bool,
    geometry: bool,
    progress: bool | None = None,
) -> Any:
    """The answer, without a warning: reports and pictures have a note.

    For systems, `once_ha` is the land of all pairs, each place once, by the label of the design, or by the scope.
    """
    allowed = compatible_pairs(compared.systems, compatible)
    closed = compared.constraints.geometry if constraints else []
    parts, without_geometry, unpriced, once_ha = {}, set(), set(), {}
    between = [None] if scope == "between" and compared.designs else None
    for label in between or compared._in_scope("designs" if scope == "between" else scope, ', "between"'):
        own = scope if label is None else label
        claims = Claims(compared, own, closed)
        if by == "systems":
            rows = _of_systems(compared, claims, allowed, own)
            once_ha[own] = rows.attrs["once_ha"]
        else:
            rows = _of_diagrams(compared, claims, allowed, own, geometry, progress)
        parts[label] = rows[rows["area_ha"] >= MIN_OVERLAP_HA].reset_index(drop=True)
        without_geometry |= set(claims.without_geometry)
        unpriced |= set(claims.frame.index[np.isnan(claims.costs)])
    pairs = compared._long_frame(parts)
    pairs.attrs = {"without_geometry": sorted(without_geometry), "unpriced": sorted(unpriced)}
    if by == "systems":
        pairs.attrs["once_ha"] = once_ha
    return pairs


def claimed_pairs(compared: Compared, ids: Iterable[int], compatible: Any, progress: bool | None) -> pd.DataFrame:
    """The pairs of these diagrams that share land, in any designs."""
    part = copy.copy(compared)
    part.diagrams, part.designs = compared.diagrams[compared.diagrams.index.isin(list(ids))], {}
    pairs: pd.DataFrame = conflicts_found(part, "diagrams", "project", compatible, False, False, progress)
    return pairs


def plot_conflicts(
    self: Compared,
    scope: str = "designs",
    compatible: Any = None,
    ax: Axes | None = None,
    *,
    constraints: bool = False,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws the conflicts of systems as a table of colours: the land that two of them claim, each place once.

    Colours are the same in all panels; pairs that may share land are labelled.

    Args:
        scope: See `conflicts()`. Each design has its own panel.
        compatible: See `conflicts()`.
        ax: The matplotlib axes to draw on. Default: new ones.
        constraints: True to add a row for the project's constraints.
        units: `"metric"`, or `"us"` for acres. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes; for several designs, those of the first one.

    Raises:
        InputError: As for `conflicts()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> axes = project.compare().plot_conflicts(constraints=True)
    """
    pairs = conflicts_found(self, "systems", scope, compatible, constraints, True)
    if scope == "between":
        chosen: dict[str | None, Any] = {None: self.diagrams[membership(self.diagrams, self.designs)["chosen"] > 0]}
    else:
        chosen = self._in_scope(scope)
    labels = {label: note_of_missing(rows[rows["kind"] != "policy"]) for label, rows in chosen.items()}
    where = {"project": "in the project", "between": "in different designs"}.get(scope, "in the design")
    allowed = compatible_pairs(self.systems, compatible)
    axes: Axes = pictures("comparison").draw_conflicts(
        pairs, labels, self.systems["name"], allowed, self.title, where, units_named(units), ax, theme
    )
    return axes


class Claims:
    """The projects of a scope that have land: their land, their designs, and the land closed to change."""

    def __init__(self, compared: Compared, scope: str, closed: Any) -> None:
        chosen = membership(compared.diagrams, compared.designs).drop(columns="chosen")
        frame = compared.diagrams
        # A diagram of unknown kind is priced, and counted, as a project.
        counted = (frame["kind"] != "policy").to_numpy()
        if scope == "between":
            counted = counted & chosen.any(axis=1).to_numpy()
        elif scope != "project":
            counted = counted & chosen[scope].to_numpy()
        count = counted.sum()
        every = Lands(frame.geometry[counted], closed) if len(closed) else compared._lands.of(frame.geometry[counted])
        land_ha = every.hectares()
        has_land = land_ha[:count] > 0
        self.without_geometry = frame.index[counted][~are_there(frame.geometry[counted])].tolist()
        #: A row for each project, and a last one for all constraints if they have land.
        self.lands = every.rows(np.flatnonzero(has_land))
        self.has_closed = bool((land_ha[count:] > 0).any())
        if self.has_closed:
            self.lands = self.lands.joined(every.united([range(count, len(every))]))
        self.land_ha = land_ha[:count][has_land]
        self.frame = pd.DataFrame(frame[counted].drop(columns="geometry"))[has_land]
        self.chosen = chosen[counted][has_land].to_numpy(dtype=bool)
        self.sysids = self.frame["sysid"].to_numpy()
        self.costs = self.frame["cost"].to_numpy(dtype=float)


def _of_systems(
    compared: Compared, claims: Claims, allowed: set[tuple[int, int]], scope: str
) -> geopandas.GeoDataFrame:
    sysids = [sysid for sysid in compared.systems.index if (claims.sysids == sysid).any()]
    masks = [claims.sysids == sysid for sysid in sysids]
    closed = [len(claims.sysids)] if claims.has_closed else []
    lands = claims.lands.united([*map(np.flatnonzero, masks), closed])
    pairs = [
        (one, other)
        for one in range(len(sysids))
        for other in range(one + 1, len(sysids))
        if (sysids[one], sysids[other]) not in allowed
    ]
    ends: list[tuple[int, int | None]] = [*pairs, *((one, None) for one in range(len(sysids)) if closed)]
    firsts, seconds = [one for one, _ in ends], [len(sysids) if other is None else other for _, other in ends]
    if scope == "between":
        of_row = [sysids.index(sysid) for sysid in claims.sysids]
        between = claims.lands.between(pairs, np.array(of_row), map(np.flatnonzero, claims.chosen))
        alone = lands.common(firsts[len(pairs) :], [[other] for other in seconds[len(pairs) :]])
        shared, once = between.rows(range(len(pairs))).joined(alone), between.rows([len(pairs)])
    else:
        shared = lands.common(firsts, [[other] for other in seconds])
        once = shared.united([range(len(pairs))])
    costs = np.array([np.nansum(claims.costs[mask]) for mask in masks])
    unpriced = np.array([np.isnan(claims.costs[mask]).sum() for mask in masks])
    areas, land_ha = shared.hectares(), lands.hectares()[:-1]
    per_ha = costs / np.where(land_ha > 0, land_ha, np.nan)
    both = [[one for one in pair if one is not None] for pair in ends]
    table = pd.DataFrame(
        {
            "sysid_a": [sysids[one] for one, _ in ends],
            "sysid_b": [None if other is None else sysids[other] for _, other in ends],
            "area_ha": areas,
            "cost": [area * per_ha[pair].sum() for area, pair in zip(areas, both, strict=True)],
            "unpriced": [unpriced[pair].sum() for pair in both],
        }
    )
    found = _frame(compared, table, SYSTEM_COLUMNS, shared.shapes())
    found.attrs["once_ha"] = float(once.hectares()[0])
    return found


def _of_diagrams(
    compared: Compared,
    claims: Claims,
    allowed: set[tuple[int, int]],
    scope: str,
    geometry: bool,
    progress: bool | None,
) -> geopandas.GeoDataFrame | pd.DataFrame:
    # The constraints are one more claim, after the diagrams' claims.
    constraints = len(claims.sysids)
    firsts, seconds = claims.lands.near()
    keep = np.ones(len(firsts), dtype=bool)
    sysids = np.append(claims.sysids, 0)
    for sysid_a, sysid_b in allowed:
        keep &= ~((sysids[firsts] == sysid_a) & (sysids[seconds] == sysid_b))
    if scope == "between":
        chosen = np.concatenate([claims.chosen, np.zeros((1, claims.chosen.shape[1]), dtype=bool)])
        keep &= _in_different_designs(chosen[firsts], chosen[seconds]) | (seconds == constraints)
    firsts, seconds = firsts[keep], seconds[keep]
    area = _shared_hectares(claims.lands, firsts, seconds, progress)
    is_shared = area >= MIN_OVERLAP_HA
    firsts, seconds, area = firsts[is_shared], seconds[is_shared], area[is_shared]
    has_second = seconds < constraints
    priced_ha = claims.frame["area_ha"].to_numpy(dtype=float)
    # The signed area of a self-intersecting polygon may be 0; its repaired land is not.
    own_ha = np.where(priced_ha > 0, priced_ha, claims.land_ha)
    per_ha = np.append(claims.costs / np.where(own_ha > 0, own_ha, np.nan), 0.0)
    known, ids = np.nan_to_num(per_ha), np.append(claims.frame.index.to_numpy(), 0)
    table = pd.DataFrame(
        {
            "diagramid_a": ids[firsts],
            "diagramid_b": pd.Series(ids[seconds], dtype="Int64").where(has_second),
            "sysid_a": sysids[firsts],
            "sysid_b": pd.Series(sysids[seconds], dtype="Int64").where(has_second),
            "area_ha": area,
            "cost": area * (known[firsts] + known[seconds]),
            "unpriced": np.isnan(per_ha[firsts]).astype(int) + np.isnan(per_ha[seconds]),
        }
    )
    if not geometry:
        return _frame(compared, table, DIAGRAM_COLUMNS, None)
    shared = [claims.lands.common(firsts[rows], seconds[rows, None]).shapes() for rows in _chunks(len(firsts))]
    return _frame(compared, table, DIAGRAM_COLUMNS, np.concatenate([np.array([], dtype=object), *shared]))


def _chunks(count: int) -> Iterator[slice]:
    return (slice(start, start + PAIRS_AT_ONCE) for start in range(0, count, PAIRS_AT_ONCE))


def _shared_hectares(lands: Lands, firsts: Numbers, seconds: Numbers, progress: bool | None) -> Numbers:
    bar = _progress.bar("conflicts", len(firsts), progress)
    areas = [np.array([])]
    try:
        for rows in _chunks(len(firsts)):
            areas.append(lands.shared_hectares(firsts[rows], seconds[rows]))
            if bar is not None:
                bar.update(len(areas[-1]))
    finally:
        if bar is not None:
            bar.close()
    return np.concatenate(areas)


def _in_different_designs(one: Any, other: Any) -> Any:
    """True if some design has the first diagram and a different design the second one."""
    # There is no such pair of designs if one of the diagrams is in none, or both are in the same single one.
    counts, other_counts = one.sum(axis=1), other.sum(axis=1)
    same_single = (counts == 1) & (other_counts == 1) & (one == other).all(axis=1)
    return (counts > 0) & (other_counts > 0) & ~same_single


def _frame(compared: Compared, table: pd.DataFrame, columns: list[str], shared: Any) -> Any:
    names = compared.systems["name"]
    table = table.assign(
        sysid_b=table["sysid_b"].astype("Int64"),
        system_a=table["sysid_a"].map(names),
        system_b=table["sysid_b"].map(names).astype(object).where(table["sysid_b"].notna(), CONSTRAINTS),
    )[columns]
    if shared is None:
        return table
    return geopandas.GeoDataFrame(table, geometry=geopandas.array.GeometryArray(shared, crs="EPSG:4326"))


def compatible_systems(answers: Answers) -> Any:
    """The pairs of systems that are in no conflict in a report."""
    return answers.arguments("conflicts").get("compatible")


def claimed_twice(answers: Answers) -> dict[str, float]:
    """The hectares that several systems claim in each scope of a report, each place once: pairs may share it."""
    once_ha: dict[str, float] = reported_conflicts(answers).attrs["once_ha"]
    return once_ha


@once
def reported_conflicts(answers: Answers) -> Any:
    """Pairs of systems of the scopes of a report, with the land that both claim."""
    return conflicts_found(answers.compared, "systems", answers.figures.scope, compatible_systems(answers), False, True)


@once
def reported_conflicts_of_diagrams(answers: Answers) -> Any:
    """Pairs of diagrams of the scopes of a report."""
    return conflicts_found(
        answers.compared, "diagrams", answers.figures.scope, compatible_systems(answers), False, False, answers.progress
    )


def _section(answers: Answers) -> str:
    compared, figures, pairs = answers.compared, answers.figures, reported_conflicts(answers)
    text = ""
    if unknown := pairs.attrs["without_geometry"]:
        text = f"<p>{t('conflicts_without_land', ids=links(unknown))}</p>"
    if unpriced := pairs.attrs["unpriced"]:
        text += f"<p>{t('conflicts_unpriced', ids=links(unpriced))}</p>"
    diagrams = reported_conflicts_of_diagrams(answers)
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
        found.append((*of_design(row), *cells, figures.area(row.area_ha), figures.money(row.cost)))
    headings = [Column(t("id")), Column(t("diagram"), "text"), Column(t("and_id")), Column(t("and_diagram"), "text")]
    if "design" in worst:
        headings.insert(0, Column(t("design"), "text"))
    caption = t("worst_pairs", count=len(worst), all=len(diagrams))
    return text + table(caption, [*headings, *_shared(figures)], found)


def _conflicts_of(answers: Answers, scope: str, pairs: Any, diagrams: Any) -> str:
    compared, figures, number = answers.compared, answers.figures, answers.number(scope)
    if not len(pairs):
        return anchored(f"c{number}", paragraph(t("no_conflict_in", design=name_of(scope))))
    pairs = pairs.sort_values("area_ha", ascending=False)
    of_systems = dict(list(diagrams.groupby(["sysid_a", "sysid_b"])))
    rows = []
    for row in pairs.itertuples():
        own = of_systems.get((row.sysid_a, row.sysid_b))
        ids = [] if own is None else sorted({*own["diagramid_a"], *own["diagramid_b"]})
        names = (hue(compared, row.sysid_a, row.system_a), hue(compared, row.sysid_b, row.system_b))
        rows.append((*names, figures.area(row.area_ha), figures.money(row.cost), links(ids)))
    systems = [Column(t("system"), "text"), Column(t("and_system"), "text")]
    columns = [*systems, *_shared(figures), Column(t("projects_that_overlap"), "ids")]
    anchors = [f"c{number}-{one}-{other}" for one, other in zip(pairs["sysid_a"], pairs["sysid_b"], strict=True)]
    caption = t("conflicts_caption", design=name_of(scope))
    once = f"{figures.area(claimed_twice(answers)[scope])} {figures.units.area}"
    together = paragraph(t("claimed_together", design=name_of(scope), area=once))
    return anchored(f"c{number}", table(caption, columns, rows, anchors) + together)


def _shared(figures: Figures) -> list[Column]:
    return [
        figures.area_column("shared_land"),
        Column(t("cost_at_stake", unit=figures.money_unit)),
    ]


SECTION = Section(
    "conflicts_heading",
    "conflicts_question",
    _section,
    takes=("compatible",),
)
