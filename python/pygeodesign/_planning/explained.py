"""Which diagrams make a figure: the rows behind a sum of money or hectares, and what makes it larger than the land."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign import FeatureCollection, InputError
from pygeodesign._planning.compared import Compared, diagrams_of, long_frame, systems_of
from pygeodesign._planning.geodesics import noded
from pygeodesign._planning.given import sysid_of
from pygeodesign._planning.land import MIN_OVERLAP_HA, Numbers, Shapes, hectares, overlapping, polygons, united
from pygeodesign._planning.suitability import OUTSIDE, hectares_by_class

if TYPE_CHECKING:
    from pygeodesign import CostReport

HEAD = ["system", "title", "kind", "cost", "rate", "rate_source", "area_ha", "area_source", "length_km"]
INSIDE = "inside"


class ExplanationQuestion(Compared):
    """What a figure is made of."""

    def explain(self, design: str, system: Any = None) -> pd.DataFrame:
        """The diagrams that make a figure of a design, such as its cost or its hectares in a system.

        Args:
            design: The label of a design, `"designs"` for all of them, or `"project"` for all diagrams.
            system: The system, by name, id or tag. Default: all systems.

        Returns:
            One row per diagram, by `diagramid`, the most expensive first: `design` (unless of the project), `system`,
            `title`, `kind`, `cost` with its `rate` and `rate_source`, `area_ha` with its `area_source`, `length_km`,
            `start_date` and `end_date`. `outside_ha` is its land outside the boundaries of the project (NaN where it
            has none), `overlap_ha` its land that other diagrams of the design cover too, policies included, and
            `overlaps` the ids of these, of all systems. Land of a diagram without a geometry is NaN. `cost` and
            `area_ha` are those of the cost report, so they sum to its figures; where diagrams overlap, both count.
            `attrs["land_ha"]` is the land under all rows, each place once.

        Raises:
            InputError: No design has that label, or no system that name.

        Examples:
            >>> rows = project.compare().explain("Developers – Design 2 – North Shore first", "Energy")
            >>> rows["rate_source"].to_dict()
            {1062: 'override', 1066: 'system', 1073: 'system', 1074: 'system'}
            >>> rows["area_ha"].sum().round(1), round(rows.attrs["land_ha"], 1)
            (np.float64(29.0), 29.0)
        """
        scopes = self._in_scope(design)
        chosen = None if system is None else sysid_of(self.systems, system)
        table = long_frame({label: _explained(rows, chosen, self.boundaries) for label, rows in scopes.items()})
        ids = set(table.index)
        table.attrs["land_ha"] = land_once(self.diagrams[self.diagrams.index.isin(ids)])
        return table


def explain_report(report: CostReport, system: Any, boundaries: Any) -> pd.DataFrame:
    """What `CostReport.explain` answers: the diagrams that were priced, of one system or all."""
    systems = systems_of(report, [])
    rows = diagrams_of(report, systems["name"])
    if isinstance(boundaries, FeatureCollection):
        boundaries = boundaries.to_geopandas()
    if boundaries is not None and getattr(boundaries, "crs", None) is None:
        raise InputError(
            "boundaries is no map with a CRS: give project.study_area.boundaries(), or a GeoDataFrame with a CRS"
        )
    table = _explained(rows, None if system is None else sysid_of(systems, system), boundaries)
    table.attrs["land_ha"] = land_once(rows[rows.index.isin(table.index)])
    return table


def _explained(rows: geopandas.GeoDataFrame, sysid: int | None, boundaries: Any) -> pd.DataFrame:
    own = np.ones(len(rows), dtype=bool) if sysid is None else (rows["sysid"] == sysid).to_numpy()
    shapes = polygons(rows.geometry)
    firsts, others = overlapping(shapes[own], shapes)
    land_ha = hectares(shapes[own])
    shared, ids = np.zeros(own.sum()), np.empty(own.sum(), dtype=object)
    for row, place in enumerate(np.flatnonzero(own)):
        near = others[(firsts == row) & (others != place)]
        names = rows.index[near].astype(str)
        near_by = geopandas.GeoDataFrame({"areatype": names}, geometry=shapes[near], crs="EPSG:4326")
        areas = hectares_by_class(shapes[[place]], near_by).iloc[0].to_dict()
        shared[row] = 0.0 if np.isnan(areas[OUTSIDE]) else land_ha[row] - areas[OUTSIDE]
        ids[row] = sorted(int(str(name)) for name, area in areas.items() if name != OUTSIDE and area >= MIN_OVERLAP_HA)
    known = rows.geometry[own].notna().to_numpy()
    table = pd.DataFrame(rows[own][HEAD]).assign(
        outside_ha=np.where(known, outside_hectares(shapes[own], boundaries), np.nan),
        overlap_ha=np.where(known, shared, np.nan),
        overlaps=ids,
        start_date=rows["start_date"][own],
        end_date=rows["end_date"][own],
    )
    return table.sort_values("cost", ascending=False, kind="stable")


def outside_hectares(shapes: Shapes, boundaries: geopandas.GeoDataFrame | None) -> Numbers:
    """The hectares of each shape outside the boundaries: 0 for lines, and NaN without any boundaries."""
    if boundaries is None or not len(boundaries):
        return np.full(len(shapes), np.nan)
    inside = boundaries.to_crs(4326)[[boundaries.geometry.name]].assign(areatype=INSIDE)
    outside, areal = np.zeros(len(shapes)), shapely.area(shapes) > 0
    outside[areal] = hectares_by_class(shapes[areal], inside)[OUTSIDE]
    return outside


def land_once(rows: geopandas.GeoDataFrame) -> float:
    """The hectares under diagrams, each place once."""
    (shapes,), edges = noded(polygons(rows.geometry))
    return float(hectares(edges.aligned(np.array([united(shapes), None], dtype=object)[:-1]))[0])
