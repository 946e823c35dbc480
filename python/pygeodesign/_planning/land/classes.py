"""Land by the classes of a map, such as an evaluation map, and land outside of it."""

from __future__ import annotations

from typing import Any

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign import _core
from pygeodesign._evaluation_classes import EVALUATION_CLASSES, class_of
from pygeodesign._planning.land.lands import Lands, Numbers, hectares, polygons

INSIDE = "inside"
OUTSIDE = "outside"


def hectares_by_class(shapes: Any, evaluation: geopandas.GeoDataFrame) -> pd.DataFrame:
    """The hectares of each shape in each class of a map, and in none; NaN for a map without areas."""
    classes = evaluation["areatype"].fillna("no class").astype(str).map(class_of).to_numpy()
    shapes = polygons(shapes)
    lands, count = Lands(shapes, evaluation.geometry), len(shapes)
    has_land = lands.hectares()[count:] > 0
    names = in_order(set(classes[has_land]))
    if not names:
        return pd.DataFrame({OUTSIDE: np.full(count, np.nan)})
    numbers = {name: number for number, name in enumerate(names)}
    areas = lands.in_classes(hectares(shapes), [numbers.get(name, 0) for name in classes], len(names))
    return pd.DataFrame(areas[:, :-1], columns=names).assign(**{OUTSIDE: areas[:, -1]})


def outside_hectares(geometries: Any, boundaries: geopandas.GeoDataFrame | None) -> Numbers:
    """The hectares of each geometry outside the boundaries: 0 for lines, NaN without boundaries."""
    if boundaries is None or not len(boundaries):
        return np.full(len(geometries), np.nan)
    inside = boundaries.to_crs(4326)[[boundaries.geometry.name]].assign(areatype=INSIDE)
    return hectares_by_class(geometries, inside)[OUTSIDE].to_numpy()


def inside(geometries: geopandas.GeoSeries, boundaries: geopandas.GeoDataFrame) -> geopandas.GeoSeries:
    """The part of each geometry inside the boundaries, cut along geodesics; empty if all of it is outside."""
    cut = _core._inside(
        [None if shape is None else shapely.to_wkb(shape) for shape in geometries],
        shapely.to_wkb(boundaries.to_crs(4326).geometry.dropna().to_numpy()).tolist(),
    )
    return geopandas.GeoSeries(shapely.from_wkb(cut), geometries.index, crs=4326)


def in_order(names: set[str]) -> list[str]:
    """Classes from the least to the most wanted change, then others by name, and land outside last."""
    known = [name for name in EVALUATION_CLASSES if name in names]
    return [*known, *sorted(names - {*known, OUTSIDE}), *([OUTSIDE] if OUTSIDE in names else [])]
