"""Years: the times when diagrams are built, and the share of each diagram that is built in each year."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pygeodesign._planning.arguments import whole
from pygeodesign._planning.land.lands import Numbers
from pygeodesign.errors import InputError

MAX_YEARS = 500
# The most bars of a chart and rows of a page; with more years, several share one.
MAX_PERIODS = 100
# The numbers of years that a bar or a row may stand for. The last one is enough for the years 1 to 9999.
PERIODS = (1, 5, 10, 50, 100)


class Building(NamedTuple):
    """The building of each diagram (column) in the years (rows) that an answer counts."""

    #: The share of each diagram that is built in each year.
    shares: Numbers
    #: True for diagrams built before that year, which are there all year.
    is_there: Numbers
    #: True for diagrams that are built at all; those without dates are not.
    is_built: Numbers


def checked_years(years: Any) -> int:
    """The number of years that an answer counts, checked."""
    wanted = f"give a whole number from 1 to {MAX_YEARS}"
    if whole("years", years, wanted, 1) > MAX_YEARS:
        raise InputError(f"years is {years!r}: {wanted}")
    return int(years)


def year_shares(rows: pd.DataFrame) -> tuple[range, Numbers, np.ndarray[Any, np.dtype[np.bool_]]]:
    """The years of these diagrams; for each year, the share of each diagram's days; and a mask of dated diagrams."""
    start, end = (pd.to_datetime(rows[name]).dt.normalize() for name in ("start_date", "end_date"))
    days = ((end - start).dt.days + 1).to_numpy(dtype=float)
    # Diagrams that end before they start have no building time.
    dated = days >= 1
    years = range(int(start[dated].dt.year.min()), int(end[dated].dt.year.max()) + 1) if dated.any() else range(0)
    # Days since 1970: the first and the last day of all diagrams, and each 1 January.
    first, last = (dates[dated].to_numpy().astype("datetime64[D]").astype(int) for dates in (start, end))
    new_years = (
        np.arange(years.start - 1970, years.stop - 1969).astype("datetime64[Y]").astype("datetime64[D]").astype(int)
    )
    shares = np.zeros((len(years), len(rows)))
    for row, (this, following) in zip(shares, itertools.pairwise(new_years), strict=True):
        row[dated] = (np.minimum(last + 1, following) - np.maximum(first, this)).clip(min=0) / days[dated]
    return years, shares, dated


def first_year(diagrams: pd.DataFrame, undated: Any) -> int:
    """The first year of any diagram of the project, so that designs are compared over the same years.

    `undated` is the year in which diagrams without dates are built, if they are.
    """
    span, _, _ = year_shares(diagrams)
    firsts = [span.start] if len(span) else []
    if undated is not None:
        firsts.append(whole("undated", undated, "give a calendar year, such as 2030", 1))
    if not firsts:
        raise InputError(
            "no diagram has a start and an end date: give the year in which they are built, such as undated=2030"
        )
    return min(firsts)


def building(rows: pd.DataFrame, base: int, years: int, undated: int | None) -> Building:
    """The building of these diagrams, in the years from `base` on; an error if one of them is built later."""
    span, shares, dated = year_shares(rows)
    built = np.zeros((years, len(rows)))
    last = np.full(len(rows), undated or 0)
    if len(span):
        last[dated] = span.start + len(span) - 1 - (shares[::-1, dated] > 0).argmax(axis=0)
    placed = dated | (undated is not None)
    check_last(rows.index, np.where(placed, last, -np.inf), base, years)
    for row, year in zip(shares, span, strict=True):
        built[year - base if row.any() else 0] += row
    if undated is not None:
        built[undated - base, ~dated] = 1.0
    # From the year after its last year of building on.
    is_there = (np.arange(base, base + years)[:, None] > last) & placed
    return Building(built, is_there, placed)


def check_last(ids: pd.Index[Any], last: Numbers, base: int, years: int) -> None:
    """Raises `InputError` if a diagram is built after the last year that an answer counts."""
    if late := ids[last >= base + years].tolist():
        raise InputError(
            f"years={years} ends with {base + years - 1}, before diagram {late[0]} is built: give "
            f"years={int(last.max()) - base + 1} or more"
        )


def in_periods(table: pd.DataFrame, length: int = 0) -> pd.DataFrame:
    """A schedule without its row for diagrams without dates: sums of `area_ha`, `cost` and so on for each period.

    A period is `length` years; the default is a year or, if there are more than `MAX_PERIODS` years, one of
    `PERIODS`, such as a decade. The index is its first year, `last` its last one.
    """
    dated = table[table.index.notna()]
    years = dated.index.to_numpy(dtype=int)
    length = length or next(length for length in PERIODS if len(years) <= MAX_PERIODS * length or length == PERIODS[-1])
    sums = (
        dated.drop(columns=["diagrams", "cost_share", "unpriced", "unmeasured"])
        .groupby(years // length * length)
        .sum(min_count=1)
    )
    sums["last"] = sums.index + length - 1
    sums.attrs["years"] = length
    return sums
