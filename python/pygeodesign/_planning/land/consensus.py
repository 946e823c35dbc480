"""The consensus layer: the number of designs that change each place, and the system that most of them choose there."""

from __future__ import annotations

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign._planning.compared import membership
from pygeodesign._planning.land.lands import DiagramLands, hectares, polygons

COLUMNS = ["designs", "sysid", "system", "votes", "tied", "area_ha"]


def places_of_designs(
    diagrams: geopandas.GeoDataFrame,
    designs: dict[str, list[int]],
    systems: pd.DataFrame,
    lands: DiagramLands | None = None,
) -> geopandas.GeoDataFrame:
    """One row for each number of designs, system and number of votes for it, with all these places."""
    chosen = membership(diagrams, designs)
    system = systems.index.get_indexer(diagrams["sysid"])
    counted = ((chosen.pop("chosen") > 0) & (diagrams["kind"] != "policy") & (system >= 0)).to_numpy()
    shapes = diagrams.geometry[counted]
    every = (lands or DiagramLands(diagrams.geometry)).of(shapes)
    of_row = map(np.flatnonzero, chosen.to_numpy(dtype=bool)[counted])
    votes, area_ha, places = every.consensus(hectares(polygons(shapes)), system[counted], of_row)
    table = pd.DataFrame(votes, columns=["designs", "place", "votes", "tied"]).assign(area_ha=area_ha)
    table["sysid"], table["system"] = (column[table["place"]] for column in (systems.index, systems["name"].to_numpy()))
    frame = geopandas.GeoDataFrame(table[COLUMNS], geometry=places.shapes(), crs="EPSG:4326")
    return frame[~shapely.is_empty(frame.geometry.to_numpy())].reset_index(drop=True)
