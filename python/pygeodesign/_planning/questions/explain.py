"""Diagrams behind a figure: the rows of a sum of money or hectares, and the reasons why it exceeds the land."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import geopandas
import numpy as np
import pandas as pd

from pygeodesign._core import FeatureCollection
from pygeodesign._planning.arguments import sysid_of
from pygeodesign._planning.compared import Compared, diagrams_of, systems_of
from pygeodesign._planning.land.classes import inside, outside_hectares
from pygeodesign._planning.land.lands import MIN_OVERLAP_HA, Lands, are_there, grouped, land_once
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign._core import CostReport

HEAD = ["system", "title", "kind", "cost", "rate", "rate_source", "area_ha", "area_source", "length_km"]
HEAD += ["pieces"]


def explain(self: Compared, design: str, system: Any = None) -> pd.DataFrame:
    """The diagrams behind a figure of a design, such as its cost or its hectares in a system.

    Args:
        design: The label of a design, `"designs"` for all of them, or `"project"` for all diagrams.
        system: The system, by name, id or tag. Default: all systems.

    Returns:
        One row per diagram, by `diagramid`, the most expensive first: `design` (not for the project), `system`,
        `title`, `kind`, `cost` with its `rate` and `rate_source`, `area_ha` with its `area_source`, `length_km`,
        `pieces`, `start_date` and `end_date`. `outside_ha` is its land outside the boundaries of the project (NaN if it
        has none; not in `area_ha` if only land inside counts), `overlap_ha` its land that other diagrams of the design
        cover too, policies included, and `overlaps` the ids of these, of all systems. Land of a diagram
        without a geometry is NaN. `cost` and `area_ha` are from the cost report, so they sum to its figures; where
        diagrams overlap, both count.
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
    tables = {
        label: _explained(rows, self._lands.of(rows.geometry), chosen, self._outside_ha[rows.index])
        for label, rows in scopes.items()
    }
    table = self._long_frame(tables)
    table.attrs["land_ha"] = land_once(self._lands.of(self.diagrams.geometry[self.diagrams.index.isin(table.index)]))
    return table


def explain_report(report: CostReport, system: Any, boundaries: Any) -> pd.DataFrame:
    """The answer of `CostReport.explain`: the priced diagrams, of one system or all."""
    systems = systems_of(report, [])
    rows = diagrams_of(report, systems["name"])
    if isinstance(boundaries, FeatureCollection):
        boundaries = boundaries.to_geopandas()
    if boundaries is not None and getattr(boundaries, "crs", None) is None:
        raise InputError(
            "boundaries is not a map with a CRS: give project.study_area.boundaries(), or a GeoDataFrame with a CRS"
        )
    if report.land == "inside":
        if boundaries is None:
            raise InputError(
                "the report counts only land inside the study area: give boundaries=project.study_area.boundaries()"
            )
        outside = report.to_pandas("diagrams").set_index("diagramid")["outside_ha"][rows.index].astype(float)
        rows = rows.set_geometry(inside(rows.geometry, boundaries))
    else:
        outside = pd.Series(outside_hectares(rows.geometry, boundaries), rows.index)
    lands = Lands(rows.geometry)
    table = _explained(rows, lands, None if system is None else sysid_of(systems, system), outside)
    table.attrs["land_ha"] = land_once(lands.rows(rows.index.get_indexer(table.index)))
    return table


def _explained(
    rows: geopandas.GeoDataFrame, lands: Lands, sysid: int | None, outside: pd.Series[float]
) -> pd.DataFrame:
    own = np.ones(len(rows), dtype=bool) if sysid is None else (rows["sysid"] == sysid).to_numpy()
    places = np.flatnonzero(own)
    firsts, seconds = lands.near()
    firsts, seconds = np.concatenate([firsts, seconds]), np.concatenate([seconds, firsts])
    firsts, seconds = firsts[own[firsts]], seconds[own[firsts]]
    is_shared = lands.shared_hectares(firsts, seconds) >= MIN_OVERLAP_HA
    groups = grouped(firsts[is_shared], seconds[is_shared], len(rows))
    shared = lands.common(places, [groups[place] for place in places]).hectares()
    ids = [sorted(rows.index[groups[place]].tolist()) for place in places]
    known = are_there(rows.geometry[own])
    table = pd.DataFrame(rows[own][HEAD]).assign(
        outside_ha=np.where(known, outside[own], np.nan),
        overlap_ha=np.where(known, shared, np.nan),
        overlaps=pd.Series(ids, rows.index[own], dtype=object),
        start_date=rows["start_date"][own],
        end_date=rows["end_date"][own],
    )
    return table.sort_values("cost", ascending=False, kind="stable")
