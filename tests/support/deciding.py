"""Comparisons of small projects written as columns, for methods that choose among diagrams."""

from copy import copy
from functools import cache
from typing import Any

import geopandas
import numpy as np
import pandas as pd
from shapely.geometry import box

from comparisons import comparison

# The side of a cell of the grid.
DEGREES = 0.01


@cache
def nothing() -> Any:
    return comparison([])


def project_of(diagrams: dict[str, Any], designs: dict[str, list[int]], budgets: Any = (None, None)) -> Any:
    """A comparison of diagrams with these columns, of the systems Water and Housing."""
    compared = copy(nothing())
    rows: dict[str, Any] = {"sysid": 1, "title": "Park", "kind": "project", "cost": 1.0, "area_ha": 1.0}
    rows |= {"length_km": 0.0, "pieces": 0, "rate": np.nan, "start_date": pd.NaT, "end_date": pd.NaT}
    rows |= dict.fromkeys(["author", "area_source", "rate_source"])
    count = len(next(iter(diagrams.values())))
    frame = geopandas.GeoDataFrame(
        rows | diagrams, index=pd.RangeIndex(1, count + 1, name="diagramid"), geometry="geometry", crs=4326
    )
    compared.diagrams = frame.assign(system=frame["sysid"].map(compared.systems["name"]))
    compared.systems = compared.systems.assign(budget=list(budgets))
    compared.designs, compared._short_labels = designs, {name: name for name in designs}
    return compared


def cells(*places: Any, size: float = 1) -> list[Any]:
    """Squares in a grid, by column and row; None is no geometry."""
    return [
        None if place is None else box(*(DEGREES * np.array([*place, place[0] + size, place[1] + size])))
        for place in places
    ]
