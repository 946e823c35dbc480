"""Amounts of diagrams in groups: of a design as a whole, by system, by year, or by part of the second boundaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import geopandas
import numpy as np
import pandas as pd
import shapely

from pygeodesign._planning.compared import Compared
from pygeodesign._planning.land.lands import Lands, Numbers, are_there, hectares, polygons
from pygeodesign.errors import InputError

BY = ("design", "system", "year", "part")
# After the parts of the second boundaries.
OUTSIDE = "outside"


class Group(NamedTuple):
    """A group, and the share of each diagram in it."""

    #: The values of its columns, such as `{"year": 2030}`.
    key: dict[str, Any]
    shares: Numbers

    def sum(self, amounts: pd.Series[float]) -> float:
        """The sum of the known amounts of diagrams; NaN if it has diagrams and no amount is known."""
        here = self.shares > 0
        known = here & amounts.notna().to_numpy()
        return (
            float((amounts.to_numpy()[known] * self.shares[known]).sum()) if known.any() or not here.any() else np.nan
        )

    def unknown(self, amounts: pd.Series[float]) -> int:
        """The number of its diagrams whose amount is unknown."""
        return int(((self.shares > 0) & amounts.isna().to_numpy()).sum())


def groups(compared: Compared, rows: pd.DataFrame, by: str) -> list[Group]:
    """The groups of these diagrams. The shares of a diagram add up to 1, or to 0 by part for one of lines."""
    if by not in BY:
        raise InputError(f"by must be {', '.join(map(repr, BY[:-1]))} or {BY[-1]!r}, not {by!r}")
    return list({"design": _one, "system": _systems, "year": _years, "part": _parts}[by](compared, rows))


def _one(_: Compared, rows: pd.DataFrame) -> Iterator[Group]:
    yield Group({}, np.ones(len(rows)))


def _systems(compared: Compared, rows: pd.DataFrame) -> Iterator[Group]:
    for sysid, name in compared.systems["name"].items():
        yield Group({"sysid": sysid, "system": name}, (rows["sysid"] == sysid).to_numpy(dtype=float))


def _years(_: Compared, rows: pd.DataFrame) -> Iterator[Group]:
    """By the years in which diagrams are finished; the last one is for those without dates."""
    finished = pd.to_datetime(rows["end_date"]).dt.year
    for year in sorted(finished.dropna().unique()):
        yield Group({"year": int(year)}, (finished == year).to_numpy(dtype=float))
    if finished.isna().any():
        yield Group({"year": pd.NA}, finished.isna().to_numpy(dtype=float))


def _parts(compared: Compared, rows: pd.DataFrame) -> Iterator[Group]:
    """By the land, or the points, in each part; then outside of all parts, then diagrams without a geometry."""
    parts = compared.second_boundaries
    if not len(parts):
        raise InputError(
            'by="part" needs second boundaries: set them with project.study_area.set_boundaries(…, second=True)'
        )
    names = part_names(compared)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    shares = _shares(rows.geometry, parts.to_crs(4326).geometry, [numbers[name] for name in names], len(numbers))
    for name, number in numbers.items():
        yield Group({"part": name}, shares[:, number])
    for key, column in (({"part": OUTSIDE}, -2), ({"part": pd.NA}, -1)):
        if shares[:, column].any():
            yield Group(key, shares[:, column])


def part_names(compared: Compared) -> list[str]:
    """The name of each area of the second boundaries; its number, from 1, if it has none."""
    parts = compared.second_boundaries
    given = parts["bname"] if "bname" in parts else pd.Series(None, parts.index, dtype=object)
    return [str(name) if isinstance(name, str) and name else str(place) for place, name in enumerate(given, 1)]


def part_hectares(compared: Compared) -> dict[str, float]:
    """The hectares of each part."""
    areas = hectares(compared.second_boundaries.to_crs(4326).geometry)
    sums: dict[str, float] = {}
    for name, area in zip(part_names(compared), areas, strict=True):
        sums[name] = sums.get(name, 0.0) + float(area)
    return sums


def _shares(shapes: geopandas.GeoSeries, parts: geopandas.GeoSeries, number_of: list[int], count: int) -> Numbers:
    """The share of each diagram in each part, outside of all, and nowhere because it has no geometry.

    Lines have no share: nothing is built on them. Where parts overlap, their shares are made smaller in proportion, so
    that nothing counts twice.
    """
    shares = np.zeros((len(shapes), count + 2))
    areas = hectares(land := polygons(shapes))
    shares[:, :-1] = Lands(land, parts).in_classes(areas, number_of, count)
    for row in np.flatnonzero((areas == 0) & are_there(shapes)):
        for point in shapely.get_parts(shapes.iloc[row]):
            inside = {number for number, part in zip(number_of, parts, strict=True) if part.covers(point)}
            shares[row, list(inside) or [-2]] += point.geom_type == "Point"
    shares[:, -1] = shapely.is_missing(shapes.to_numpy())
    totals = shares.sum(axis=1)
    shares[totals > 0] /= totals[totals > 0, None]
    return shares
