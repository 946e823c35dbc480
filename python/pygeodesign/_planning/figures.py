"""Financial figures of diagrams themselves: the fields of the financial plugin, in their additional metadata.

Meanings and units follow the platform's public program with the form for these fields: its page on
financial details, and its computations and sums (GDHDiagramDCF: `views/new-financials.ejs`,
`static/js/financial-details.js`, `static/workers/computeAreas.js`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pygeodesign._planning.land.lands import Numbers
from pygeodesign._planning.years import Building, check_last
from pygeodesign.errors import InputError

MONEY = ("capex", "acf", "opex", "asga")
SHARES = ("acfg", "wacc")
YEARS = ("capex_start", "capex_end", "acf_start")
FIELDS = (*MONEY, *SHARES, *YEARS)
# The most digits of an integer that a float holds exactly.
MOST_DIGITS = 15
# The years in the form before anybody sets them.
UNSET_YEARS = {"capex_start": 0.0, "capex_end": 1.0, "acf_start": 0.0}
WANTED = {
    **dict.fromkeys(MONEY, "an amount of money, 0 or more"),
    **dict.fromkeys(SHARES, "a share per year between -1 and 1, such as 0.05 for 5 %"),
    **dict.fromkeys(YEARS, "a whole number of years, 0 or more"),
}


class OwnFigures(NamedTuple):
    """The figures of each diagram; NaN if it has none."""

    #: The cost of building it, in money.
    capex: Numbers
    #: Yearly revenue, and the yearly cost of operation, in money.
    revenue: Numbers
    operation: Numbers
    #: Shares per year.
    growth: Numbers
    rate: Numbers
    #: The first year of building, the one after the last, and the one before revenue begins, counted from the year
    #: in which the diagram starts.
    first: Numbers
    stop: Numbers
    begins: Numbers

    @property
    def are_there(self) -> Numbers:
        """True for diagrams that have any of the figures."""
        there: Numbers = ~np.isnan(np.array(self)).all(axis=0)
        return there


def own_figures(metadata: pd.Series[Any]) -> OwnFigures:
    """The figures in the diagrams' additional metadata, which are JSON strings, by diagram id."""
    rows = [_fields(number, text) for number, text in metadata.items()]
    table = pd.DataFrame(rows, columns=[*FIELDS], dtype=float)
    running = table[["opex", "asga"]].sum(axis=1, min_count=1)
    first, stop = table["capex_start"].to_numpy(), table["capex_end"].to_numpy()
    for number, of_start, of_end in zip(metadata.index, first, stop, strict=True):
        if of_end <= of_start:
            raise InputError(
                f"the metadata of diagram {number} have capex_start {of_start:g} and capex_end {of_end:g}: the end, "
                "the year after the last one of building, must be above the start. Correct them, or ignore the "
                "diagrams' own figures with own_figures=False"
            )
    begins = table["acf_start"].to_numpy()
    growth, rate = table["acfg"].to_numpy(), table["wacc"].to_numpy()
    return OwnFigures(
        table["capex"].to_numpy(), table["acf"].to_numpy(), running.to_numpy(), growth, rate, first, stop, begins
    )


def no_figures(count: int) -> OwnFigures:
    return OwnFigures(*np.full((len(OwnFigures._fields), count), np.nan))


def _fields(number: Any, text: Any) -> dict[str, float]:
    """A diagram's figures, without unset ones, such as an amount of 0 that was not saved."""
    if not isinstance(text, str) or not any(f'"{name}"' in text for name in FIELDS):
        return {}
    metadata = json.loads(text, parse_int=_whole_or_float)
    if not isinstance(metadata, Mapping):
        return {}
    figures = {name: _number(number, name, metadata[name]) for name in FIELDS if metadata.get(name) not in (None, "")}
    if str(metadata.get("fin_set", 0)) not in ("1", "True"):
        figures = {name: amount for name, amount in figures.items() if amount or name not in MONEY}
    start, end = (figures.pop(name, UNSET_YEARS[name]) for name in ("capex_start", "capex_end"))
    if (start, end) != (UNSET_YEARS["capex_start"], UNSET_YEARS["capex_end"]):
        figures |= {"capex_start": start, "capex_end": end}
    if figures.get("acf_start") == UNSET_YEARS["acf_start"]:
        del figures["acf_start"]
    return figures


def _whole_or_float(digits: str) -> float:
    """A number of any length: Python does not read integers of thousands of digits."""
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def _number(diagram: Any, name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    is_right = {
        "money": math.isfinite(number) and number >= 0,
        "share": -1 < number < 1,
        "years": math.isfinite(number) and number >= 0 and number == int(number),
    }["money" if name in MONEY else "share" if name in SHARES else "years"]
    if not is_right:
        raise InputError(
            f"the metadata of diagram {diagram} have {name} {value!r}, which is not {WANTED[name]}: correct it, or "
            "ignore the diagrams' own figures with own_figures=False"
        )
    return number


def with_own_years(
    plan: Building, rows: pd.DataFrame, own: OwnFigures, base: int, undated: int | None
) -> tuple[Building, Numbers]:
    """The years in which diagrams with their own years are built, and those in which they bring revenue."""
    calendar = np.arange(base, base + len(plan.shares))[:, None]
    start, end = (pd.to_datetime(rows[name]) for name in ("start_date", "end_date"))
    has_dates = (end.dt.normalize() >= start.dt.normalize()).to_numpy()
    year = np.where(has_dates, start.dt.year, undated or 0).astype(float)
    says = plan.is_built & ~np.isnan(own.first)
    first, stop = year + own.first, year + own.stop
    check_last(rows.index, np.where(says, stop - 1, -np.inf), base, len(calendar))
    in_own = (calendar >= first) & (calendar < stop)
    with np.errstate(invalid="ignore"):
        shares = np.where(says, in_own / (stop - first), plan.shares)
    is_there = np.where(says, calendar >= stop, plan.is_there)
    runs = np.where(np.isnan(own.begins) | ~plan.is_built, is_there, calendar > year + own.begins)
    return Building(shares, is_there, plan.is_built), runs
