"""Where diagrams claim the same land: how much, and what is at stake there."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign import _progress
from pygeodesign._planning.compared import Compared, long_frame, membership, note_of_missing, pictures
from pygeodesign._planning.geodesics import Geodesics, noded
from pygeodesign._planning.given import compatible_pairs
from pygeodesign._planning.land import (
    MIN_OVERLAP_HA,
    common,
    computed,
    hectares,
    overlap_hectares,
    overlapping,
    polygons,
    united,
    united_by,
)
from pygeodesign._text import listed, units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Pairs of diagrams at a time: enough to keep a processor busy for a tenth of a second.
PAIRS_AT_ONCE = 1_000
SYSTEM_COLUMNS = ["sysid_a", "sysid_b", "system_a", "system_b", "area_ha", "cost", "unpriced"]
DIAGRAM_COLUMNS = ["diagramid_a", "diagramid_b", *SYSTEM_COLUMNS]
CONSTRAINTS = "constraints"


class ConflictQuestions(Compared):
    """Who claims the same land."""

    def conflicts(
        self,
        by: Literal["systems", "diagrams"] = "systems",
        scope: str = "designs",
        compatible: Any = None,
        *,
        constraints: bool = False,
        geometry: bool = True,
        progress: bool | None = None,
    ) -> geopandas.GeoDataFrame | pd.DataFrame:
        """Which systems, or diagrams, claim the same land, how much of it, and what is at stake there.

        Only the land under projects counts, each place once; policies and lines claim none, and a diagram whose kind is
        not known counts as a project. Borders that touch are no conflict: overlaps of less than 100 cm² are left out.

        Args:
            by: `"systems"` for pairs of systems; `"diagrams"` for pairs of diagrams, of one system too.
            scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`; or
                `"between"` for what one design puts where a different design puts something else.
            compatible: Pairs of systems, by name, id or tag, that may share land and are left out: a list such as
                `[("Water", "Agriculture")]`, or a DataFrame or dict of dicts that is true for such pairs. The pair of a
                system with itself leaves out pairs of its diagrams.
            constraints: Whether to add rows for what lies on the constraints of the project; their `system_b` is
                `"constraints"`, and their `sysid_b` and `diagramid_b` are missing.
            geometry: For diagrams: whether to keep the land of each pair. Without, hundreds of thousands of pairs need
                little memory, and the result is a DataFrame.
            progress: For diagrams: whether to show a progress bar, which needs tqdm. Default: in a notebook or a
                terminal.

        Returns:
            A GeoDataFrame in EPSG:4326, each pair of a design once and the first of the pair first in the order of the
            project: `sysid_a`, `sysid_b`, `system_a`, `system_b`, `area_ha` of land (each place once), `cost` at stake,
            `unpriced`, and the common land. For diagrams, `diagramid_a` and `diagramid_b` come first. `cost` is the
            hectares times what a hectare of each of the two costs: a diagram its cost by its hectares, a system the
            cost of all its projects with land in the design by the hectares under them. Diagrams whose cost is not
            known are left out of `cost` and counted in `unpriced`. `attrs["without_geometry"]` lists projects of the
            scope whose land is not known, `attrs["unpriced"]` those with land whose cost is not.

        Raises:
            InputError: No system or design has such a name, there is no design, or `by` is neither of the two.

        Warns:
            UserWarning: The land or the cost of projects is not known, so they are left out: their ids.

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
            raise InputError(f'by is "systems" or "diagrams", not {by!r}')
        pairs = self._conflicts(by, scope, compatible, constraints, geometry, progress)
        gaps = {"without_geometry": "of unknown land", "unpriced": "of unknown cost from what is at stake"}
        for name, gap in gaps.items():
            if ids := pairs.attrs[name]:
                warnings.warn(f"conflicts() leaves out diagrams {gap}: {listed(ids)}", stacklevel=2)
        return pairs

    def _conflicts(
        self, by: str, scope: str, compatible: Any, constraints: bool, geometry: bool, progress: bool | None = None
    ) -> Any:
        """The answer, without a warning: reports and pictures have a note."""
        allowed = compatible_pairs(self.systems, compatible)
        closed = polygons([united(polygons(self.constraints.geometry))]) if constraints else polygons([])
        parts, without_geometry, unpriced = {}, set(), set()
        between = [None] if scope == "between" and self.designs else None
        for label in between or self._in_scope("designs" if scope == "between" else scope, ', "between"'):
            own = scope if label is None else label
            claims = Claims(self, own)
            (claims.shapes, unchangeable), claims.edges = noded(claims.shapes, closed)
            if by == "systems":
                rows = _of_systems(self, claims, allowed, unchangeable, own)
            else:
                rows = _of_diagrams(self, claims, allowed, unchangeable, own, geometry, progress)
            parts[label] = rows[rows["area_ha"] >= MIN_OVERLAP_HA].reset_index(drop=True)
            without_geometry |= set(claims.without_geometry)
            unpriced |= set(claims.frame.index[np.isnan(claims.costs)])
        pairs = long_frame(parts)
        pairs.attrs = {"without_geometry": sorted(without_geometry), "unpriced": sorted(unpriced)}
        return pairs

    def _claimed_pairs(self, ids: Iterable[int], compatible: Any, progress: bool | None) -> pd.DataFrame:
        """The pairs of these diagrams that share land, whichever designs have them."""
        part = copy.copy(self)
        part.diagrams, part.designs = self.diagrams[self.diagrams.index.isin(list(ids))], {}
        pairs: pd.DataFrame = part._conflicts("diagrams", "project", compatible, False, False, progress)
        return pairs

    def plot_conflicts(
        self,
        scope: str = "designs",
        compatible: Any = None,
        ax: Axes | None = None,
        *,
        constraints: bool = False,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Axes:
        """Draw the conflicts of systems as a table of colours: the land that two of them claim, each place once.

        Colours are the same in all panels; pairs that may share land are named so.

        Args:
            scope: As for `conflicts()`. Each design has a panel of its own.
            compatible: As for `conflicts()`.
            ax: The matplotlib axes to draw on. Default: new ones.
            constraints: Whether to add a row for the constraints of the project.
            units: `"metric"`, or `"us"` for acres. Default: as `pygeodesign.options` says.
            theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or what fits the figure.

        Returns:
            The axes; of several designs, those of the first one.

        Raises:
            InputError: As for `conflicts()`.
            ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.

        Examples:
            >>> axes = project.compare().plot_conflicts(constraints=True)
        """
        pairs = self._conflicts("systems", scope, compatible, constraints, True)
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
    """The projects of a scope that have land: their shapes, and which designs have them."""

    #: The edges of all shapes and constraints.
    edges: Geodesics

    def __init__(self, compared: Compared, scope: str) -> None:
        chosen = membership(compared.diagrams, compared.designs).drop(columns="chosen")
        frame = compared.diagrams
        # What the kind of a diagram is may be unknown; it is then priced, and counted, as a project.
        counted = (frame["kind"] != "policy").to_numpy()
        if scope == "between":
            counted = counted & chosen.any(axis=1).to_numpy()
        elif scope != "project":
            counted = counted & chosen[scope].to_numpy()
        shapes = polygons(frame.geometry[counted])
        has_land = np.array([not shape.is_empty for shape in shapes], dtype=bool)
        self.without_geometry = frame.index[counted][frame.geometry[counted].isna().to_numpy()].tolist()
        self.shapes = shapes[has_land]
        self.frame = pd.DataFrame(frame[counted].drop(columns="geometry"))[has_land]
        self.chosen = chosen[counted][has_land].to_numpy(dtype=bool)
        self.sysids = self.frame["sysid"].to_numpy()
        self.costs = self.frame["cost"].to_numpy(dtype=float)


def _of_systems(
    compared: Compared, claims: Claims, allowed: set[tuple[int, int]], closed: Any, scope: str
) -> geopandas.GeoDataFrame:
    sysids = [sysid for sysid in compared.systems.index if (claims.sysids == sysid).any()]
    masks = [claims.sysids == sysid for sysid in sysids]
    lands = united_by(claims.shapes, masks)
    pairs = [
        (one, other)
        for one in range(len(sysids))
        for other in range(one + 1, len(sysids))
        if (sysids[one], sysids[other]) not in allowed
    ]
    if scope == "between":
        shared = _between_designs(claims, masks, pairs)
    else:
        shared = _all_in_order(lambda pair: common(lands[[pair[0]]], lands[[pair[1]]])[0], pairs)
    ends: list[tuple[int, int | None]] = [*pairs]
    if len(closed):
        shared = np.concatenate([shared, common(lands, closed)])
        ends += [(one, None) for one in range(len(sysids))]
    shared, lands = claims.edges.aligned(shared), claims.edges.aligned(lands)
    costs = np.array([np.nansum(claims.costs[mask]) for mask in masks])
    unpriced = np.array([np.isnan(claims.costs[mask]).sum() for mask in masks])
    areas, land_ha = hectares(shared), hectares(lands)
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
    return _frame(compared, table, SYSTEM_COLUMNS, shared)


def _between_designs(claims: Claims, masks: list[Any], pairs: list[tuple[int, int]]) -> Any:
    """For each pair of systems the land that one design gives to the first, and a different design to the second."""
    designs = range(claims.chosen.shape[1])
    of_design = united_by(claims.shapes, [claims.chosen[:, design] & mask for mask in masks for design in designs])
    others = [np.delete(claims.chosen, design, axis=1).any(axis=1) for design in designs]
    of_others = united_by(claims.shapes, [other & mask for mask in masks for other in others])
    of_design, of_others = (lands.reshape(len(masks), len(designs)) for lands in (of_design, of_others))
    return _all_in_order(lambda pair: united(common(of_design[pair[0]], of_others[pair[1]])), pairs)


def _all_in_order(work: Any, items: Any) -> Any:
    return np.array([*computed(work, items), None], dtype=object)[:-1]


def _of_diagrams(
    compared: Compared,
    claims: Claims,
    allowed: set[tuple[int, int]],
    closed: Any,
    scope: str,
    geometry: bool,
    progress: bool | None,
) -> geopandas.GeoDataFrame | pd.DataFrame:
    # The constraints are one more claim, after those of the diagrams.
    constraints = len(claims.shapes)
    parts, owners = shapely.get_parts(np.concatenate([claims.shapes, closed]), return_index=True)
    one, other = overlapping(parts)
    first, second = owners[one], owners[other]
    keep = first != second
    sysids = np.append(claims.sysids, 0)
    for sysid_a, sysid_b in allowed:
        keep &= ~((sysids[first] == sysid_a) & (sysids[second] == sysid_b))
    if scope == "between":
        chosen = np.concatenate([claims.chosen, np.zeros((1, claims.chosen.shape[1]), dtype=bool)])
        keep &= _in_different_designs(chosen[first], chosen[second]) | (second == constraints)
    one, other = one[keep], other[keep]
    areas, shared = _overlaps(parts, claims.edges, one, other, geometry, progress)
    # Two diagrams may overlap in several parts.
    pairs = pd.DataFrame({"first": owners[one], "second": owners[other], "area_ha": areas})
    pairs = pairs[areas > 0].reset_index(drop=True)
    grouped = pairs.groupby(["first", "second"], sort=True)
    sums = grouped["area_ha"].sum()
    firsts, seconds = (sums.index.get_level_values(level).to_numpy() for level in (0, 1))
    area, has_second = sums.to_numpy(), seconds < constraints
    priced_ha = claims.frame["area_ha"].to_numpy(dtype=float)
    # The signed area of a polygon that crosses itself may be 0; its repaired land is not.
    own_ha = np.where(priced_ha > 0, priced_ha, hectares(claims.shapes))
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
    place = grouped.ngroup().to_numpy()
    pieces, rows = shapely.get_parts(shared, return_index=True)
    order = np.argsort(place[rows], kind="stable")
    # No two parts of a diagram overlap, so the pieces need no union.
    return _frame(compared, table, DIAGRAM_COLUMNS, shapely.multipolygons(pieces[order], indices=place[rows][order]))


def _overlaps(
    parts: Any, edges: Geodesics, one: Any, other: Any, geometry: bool, progress: bool | None
) -> tuple[Any, Any]:
    """Hectares that each pair of parts shares, and the shapes of those that are not 0."""

    def measured(rows: slice) -> tuple[Any, Any]:
        firsts, seconds = parts[one[rows]], parts[other[rows]]
        # Prepared, a shape tells fast which others it does not meet. No other thread has these as their first ones.
        shapely.prepare(firsts)
        meet = shapely.intersects(firsts, seconds)
        shapely.destroy_prepared(firsts)
        shared = edges.aligned(common(firsts[meet], seconds[meet]))
        areas = np.zeros(len(meet))
        areas[meet] = overlap_hectares(shared)
        areas[areas < MIN_OVERLAP_HA] = 0
        return areas, shared[areas[meet] > 0] if geometry else None

    bar = _progress.bar("conflicts", len(one), progress)
    areas, shared = [np.array([])], [np.array([], dtype=object)]
    try:
        for chunk_areas, chunk_shapes in computed(measured, _chunks(one)):
            areas.append(chunk_areas)
            if geometry:
                shared.append(chunk_shapes)
            if bar is not None:
                bar.update(len(chunk_areas))
    finally:
        if bar is not None:
            bar.close()
    return np.concatenate(areas), np.concatenate(shared)


def _chunks(firsts: Any) -> list[slice]:
    """Pairs in chunks; those of one first part, which follow one another, are in one."""
    starts = np.flatnonzero(np.diff(firsts, prepend=-1))
    limits = [0]
    for start in [*starts[1:].tolist(), len(firsts)]:
        if start - limits[-1] >= PAIRS_AT_ONCE or start == len(firsts):
            limits.append(start)
    return [slice(start, end) for start, end in itertools.pairwise(limits) if end > start]


def _in_different_designs(one: Any, other: Any) -> Any:
    """Whether some design has the first diagram and a different design the second one."""
    # There is no such pair of designs where one of the two is in none, or both are in the same single one.
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
