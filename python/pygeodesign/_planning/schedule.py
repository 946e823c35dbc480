"""What each year costs and changes, by the dates of diagrams."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pygeodesign._planning.numbers import finite, whole
from pygeodesign._planning.scopes import in_scope
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from pygeodesign._planning.compared import Compared

# A chart and a page show so many bars and rows at most; more years are taken together.
MAX_PERIODS = 100
# How many years a bar or a row may stand for. The last one is enough for the years 1 to 9999.
PERIODS = (1, 5, 10, 50, 100)


def schedule(compared: Compared, scope: str, rate: float | None, base_year: int | None) -> pd.DataFrame:
    """One row per calendar year, and a last one for diagrams without dates."""
    if rate is not None:
        share = "give a share per year that is above -1, such as 0.03 for 3 %"
        if finite("rate", rate, share) <= -1:
            raise InputError(f"rate is {rate!r}: {share}")
    if base_year is not None:
        base_year = whole("base_year", base_year, "give a calendar year, such as 2030")
    rows = in_scope(compared, scope)
    start, end = (pd.to_datetime(rows[name]).dt.normalize() for name in ("start_date", "end_date"))
    days = ((end - start).dt.days + 1).to_numpy(dtype=float)
    # An end before the start is no time to build.
    dated = days >= 1
    years = range(int(start[dated].dt.year.min()), int(end[dated].dt.year.max()) + 1) if dated.any() else range(0)
    # Days since 1970; those of the first and the last day of all, and of each 1 January.
    first, last = (dates[dated].to_numpy().astype("datetime64[D]").astype(int) for dates in (start, end))
    new_years = (
        np.arange(years.start - 1970, years.stop - 1969).astype("datetime64[Y]").astype("datetime64[D]").astype(int)
    )
    shares = np.zeros((len(years), len(rows)))
    for row, (this, following) in zip(shares, itertools.pairwise(new_years), strict=True):
        row[dated] = (np.minimum(last + 1, following) - np.maximum(first, this)).clip(min=0) / days[dated]
    names = list(years)
    if not dated.all():
        shares = np.vstack([shares, ~dated])
    index = pd.Index(pd.array([*names, *([pd.NA] if not dated.all() else [])], dtype="Int64"), name="year")
    cost, unpriced = _spread(rows["cost"], shares)
    area, unmeasured = _spread(rows["area_ha"], shares)
    under_way = (shares > 0).sum(axis=1)
    table = pd.DataFrame(
        {"diagrams": under_way, "area_ha": area, "cost": cost, "unpriced": unpriced, "unmeasured": unmeasured},
        index=index,
    )
    if rate is not None:
        base = base_year if base_year is not None else (names[0] if names else 0)
        with np.errstate(over="ignore", divide="ignore"):
            discounts = np.power(1.0 + rate, [float(base - year) for year in names])
        if not np.isfinite(discounts).all():
            ids = sorted({int(rows.index[dated][days.argmin()]) for days in (first, -last)})
            raise InputError(
                f"rate {rate!r} over the years from {base} to {names[-1]} gives no finite present value; look at the "
                f"dates of diagram {' and '.join(map(str, ids))}"
            )
        table["present_value"] = table["cost"] * np.array([*discounts, np.nan][: len(table)])
        table.attrs = {"net_present_value": float(table["present_value"].sum()), "rate": rate, "base_year": base}
    return table


def in_periods(table: pd.DataFrame) -> pd.DataFrame:
    """A schedule without its row for diagrams without dates: sums of `area_ha`, `cost` and so on for each period.

    A period is a year; or, where these are more than `MAX_PERIODS`, as many years as one of `PERIODS` says, such as a
    decade. The index is its first year, `last` its last one.
    """
    dated = table[table.index.notna()]
    years = dated.index.to_numpy(dtype=int)
    length = next(length for length in PERIODS if len(years) <= MAX_PERIODS * length or length == PERIODS[-1])
    sums = dated.drop(columns=["diagrams", "unpriced", "unmeasured"]).groupby(years // length * length).sum(min_count=1)
    sums["last"] = sums.index + length - 1
    sums.attrs["years"] = length
    return sums


def _spread(
    values: pd.Series[float], shares: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """What each year has of the values, NaN where it has only unknown ones; and how many are not known."""
    known = values.notna().to_numpy()
    sums, under_way = shares @ values.fillna(0).to_numpy(dtype=float), shares > 0
    unknown = under_way[:, ~known].sum(axis=1)
    return np.where((unknown > 0) & ~under_way[:, known].any(axis=1), np.nan, sums), unknown
