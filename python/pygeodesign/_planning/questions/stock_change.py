"""Stocks per hectare of land before and after designs change it, such as carbon, year by year."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pygeodesign._html import Column, paragraph, table
from pygeodesign._language import t
from pygeodesign._paper.answers import Answers, Section
from pygeodesign._paper.shown import hue, name_of
from pygeodesign._paper.years import left_out, pictures_of_years
from pygeodesign._planning.arguments import finite, sysid_of, whole
from pygeodesign._planning.compared import Compared, pictures
from pygeodesign._planning.land.before import Before, amounts_of_uses, land_before, map_of_uses
from pygeodesign._planning.land.lands import ROUNDING, ROUNDING_HA, Numbers, are_there
from pygeodesign._planning.questions.quantities import rates_of
from pygeodesign._planning.years import Building, building, checked_years, first_year
from pygeodesign._text import units_named
from pygeodesign.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CARBON_UNIT = "t CO₂e"
# Molecular weights: 12 t of carbon are in 44 t of CO₂.
CO2_PER_CARBON = 44 / 12
CARBON = {"tc": CO2_PER_CARBON, "tco2e": 1.0, "tco₂e": 1.0}
# Units of carbon other than tonnes: they would be taken for another quantity.
NO_TONNES = {"c", "carbon", "co2", "co2e", "tco2", "kgc", "kgco2e", "ktc", "ktco2e", "mtc", "mtco2e"}
AMOUNTS = ("before", "after", "growth", "gain")


def stock_change(
    self: Compared,
    before: Mapping[Any, float],
    after: Mapping[Any, float],
    rates: Mapping[Any, float | tuple[float, int]] | None = None,
    scope: str = "designs",
    *,
    given_in: str,
    land_use: Any,
    column: str | None = None,
    by: Literal["system", "design", "year"] = "system",
    years: int = 30,
    undated: int | None = None,
) -> pd.DataFrame:
    """Gain or loss of land when projects change it, such as carbon: the stock after, less the stock before.

    The map shows today's land, `before` has the stock per hectare of each of its uses, `after` the stock per hectare of
    each system once it is built, and `rates` the yearly growth per hectare of each system from then on. It
    is the stock-difference method of the IPCC (2006 Guidelines, volume 4, chapter 2, equation 2.5):

        gain = (after - before) * hectares + rate * hectares * years since it is built

    The change of a stock is spread evenly over the days of a diagram, like its cost in `schedule()`; rates run
    from the year after its last one on. The first year is that of the first start date of the project, the same
    for all designs. Each place counts once: where projects of a design overlap, it counts for the one that is finished
    last (on the same day, the one with the higher id), as if it had been so from the start. Policies and lines change
    no land. A diagram of unknown kind counts as a project.

    Args:
        before: Today's amount per hectare of each use of the map.
        after: The amount per hectare of projects of each system (name, id or tag).
        rates: The yearly growth per hectare of projects of each system, or a pair of it and the number of
            years that it lasts, such as `(4.5, 20)`: the IPCC takes soils to be in balance after 20. Default, and
            for systems that are not named: nothing.
        scope: `"designs"`, `"project"` or the label of a design, as in every question of a `Comparison`.
        given_in: The unit of the amounts. `"t C"`, tonnes of carbon, is answered in t CO₂e, 44/12 of them; `"t CO2e"`
            and any other unit, such as `"habitat units"`, stays unchanged.
        land_use: Today's map: a system (name, id or tag), for its evaluation map, a GeoDataFrame with a
            CRS, a FeatureCollection or the path of a file.
        column: The column of the map that names the use. Default: `areatype`, which evaluation maps have.
        by: `"system"`, `"design"` or `"year"`: the subject of a row.
        years: The number of years, the first included, from 1 to 500. All building must be within them.
        undated: The year in which diagrams without dates, or that end before they start, are built. Default: they
            are left out, and counted.

    Returns:
        One row per design and system, or per design: `land_ha` of the projects, each place once; `before`, `after`
        and `growth` (the rates over the years) of this land and their `gain` (after - before + growth), positive
        if the land takes up more. IPCC inventories report the same carbon as emissions, with the opposite sign.
        `unknown_ha` is the part of `land_ha` that is in no amount, because the map does not cover it, or `before` or
        `after` lacks its use or system; amounts are NaN if nothing is known. `overlap_ha` is land of
        the projects beyond `land_ha`, which counts for a project that is finished later, and `map_overlap_ha`
        land for which the map has several uses: it counts as the use that `before` names first. `undated` and
        `without_geometry` count left-out projects. `by="year"` has one row per design and `year` with
        `change` (of stocks), `growth`, `gain` and `cumulative`. `attrs` has `unit`, `years`, `base_year`, and
        `unknown_uses`, the uses under the projects that `before` does not name.

    Raises:
        InputError: A use, system, amount, year or unit is invalid, the map lacks the column, a CRS or polygons,
            a project is built after the last year, no diagram has dates and `undated` is not given, no design has
            that label, or there is no design.

    Examples:
        >>> today = {"red": 120, "yellow": 20, "green": 45}  # t C per hectare, by class of the evaluation map
        >>> built = {"Green infrastructure": 110, "Low-density housing": 30, "High-density housing": 10}
        >>> table = project.compare().stock_change(
        ...     today, built, {"Green infrastructure": (2, 20)}, given_in="t C", land_use="Green infrastructure"
        ... )
        >>> table.attrs["unit"], table.loc[2, ["before", "gain"]].astype(float).round(-3).tolist()
        ('t CO₂e', [81000.0, 156000.0])
    """
    if by not in ("system", "design", "year"):
        raise InputError(f'by must be "system", "design" or "year", not {by!r}')
    factor, unit = _unit(given_in)
    checked_years(years)
    uses = map_of_uses(self, land_use, column)
    of_uses = amounts_of_uses(before, {use for use in uses["areatype"] if use is not None})
    if not isinstance(after, Mapping):
        raise InputError(f'after is {after!r}: give a dict of amounts per hectare by system, such as {{"Water": 3}}')
    of_systems = rates_of(self.systems, "after", after)
    yearly, lasting = _yearly(self.systems, rates)
    base = first_year(self.diagrams, undated)
    scopes = self._in_scope(scope)
    parts = {label: rows[rows["kind"] != "policy"] for label, rows in scopes.items()}
    plans = [building(rows, base, years, undated) for rows in parts.values()]
    lands = land_before(
        [rows.geometry.where(plan.is_built).tolist() for rows, plan in zip(parts.values(), plans, strict=True)],
        [_finishing(rows, plan, undated) for rows, plan in zip(parts.values(), plans, strict=True)],
        uses,
        list(of_uses),
    )
    tables: dict[str | None, pd.DataFrame] = {}
    unknown: set[str] = set()
    for (label, rows), plan, land in zip(parts.items(), plans, lands, strict=True):
        each = _of_each(land, of_uses, rows["sysid"].map(of_systems), factor)
        runs = plan.is_there & (plan.is_there.cumsum(axis=0) <= rows["sysid"].map(lasting).to_numpy(dtype=float))
        growth = runs * (each["known_ha"] * rows["sysid"].map(yearly).fillna(0) * factor).to_numpy()
        each = each.assign(growth=growth.sum(axis=0), undated=~plan.is_built)
        each["without_geometry"] = ~are_there(rows.geometry) & plan.is_built
        unknown |= {str(use) for use in land.by_use if use not in of_uses and (land.by_use[use] > 0).any()}
        if by == "year":
            tables[label] = _by_year(each, plan, growth, range(base, base + years))
        elif by == "design":
            tables[label] = _sums(each, np.zeros(len(each), dtype=int), pd.Index([0]))
        else:
            sums = _sums(each, rows["sysid"].to_numpy(), self.systems.index)
            sums.insert(0, "system", self.systems["name"])
            tables[label] = sums.rename_axis("sysid").reset_index()
    table = self._long_frame(tables)
    table.attrs = {"unit": unit, "years": years, "base_year": base, "unknown_uses": sorted(unknown)}
    return table


def plot_stock_change(
    self: Compared,
    before: Mapping[Any, float],
    after: Mapping[Any, float],
    rates: Mapping[Any, float | tuple[float, int]] | None = None,
    scope: str = "designs",
    ax: Axes | None = None,
    *,
    given_in: str,
    land_use: Any,
    column: str | None = None,
    years: int = 30,
    undated: int | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Axes:
    """Draws `stock_change()` by year: gains or losses as bars, and the cumulative sum as a line.

    Args:
        before: See `stock_change()`.
        after: See `stock_change()`.
        rates: See `stock_change()`.
        scope: See `stock_change()`. Each design has its own panel, all with the same scale.
        ax: The matplotlib axes to draw on. Default: new ones.
        given_in: See `stock_change()`.
        land_use: See `stock_change()`.
        column: See `stock_change()`.
        years: See `stock_change()`.
        undated: See `stock_change()`.
        units: For left-out land: `"metric"`, or `"us"` for acres. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or to match the figure.

    Returns:
        The axes, for several designs those of the first one; along y are amounts, for carbon in t CO₂e.

    Raises:
        InputError: As for `stock_change()`.
        ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` installs it.

    Examples:
        >>> given = {"given_in": "t C", "land_use": "Green infrastructure"}
        >>> axes = project.compare().plot_stock_change({"green": 20}, {"Green infrastructure": 110}, **given)
        >>> len(axes.patches)
        30
    """
    given: dict[str, Any] = {"given_in": given_in, "land_use": land_use, "column": column}
    given |= {"years": years, "undated": undated}
    left_out = stock_change(self, before, after, rates, scope, by="design", **given)
    axes: Axes = pictures("cash").draw_stock_change(
        stock_change(self, before, after, rates, scope, by="year", **given),
        dict(zip(self._in_scope(scope), left_out.to_dict("records"), strict=True)),
        self.title,
        left_out.attrs["unit"],
        units_named(units),
        ax,
        theme,
    )
    return axes


def _unit(given_in: Any) -> tuple[float, str]:
    """The factor of amounts, and the unit of the answer."""
    if not isinstance(given_in, str) or not given_in.strip():
        raise InputError(f'given_in is {given_in!r}: give the unit of the amounts, such as "t C" or "t CO2e"')
    name = "".join(given_in.split()).lower()
    if name in CARBON:
        return CARBON[name], CARBON_UNIT
    if name in NO_TONNES:
        raise InputError(f'given_in is {given_in!r}: give carbon in tonnes, "t C" or "t CO2e"')
    return 1.0, given_in.strip()


def _yearly(systems: pd.DataFrame, rates: Any) -> tuple[pd.Series[float], pd.Series[float]]:
    """The yearly amount per hectare of each system, and the number of years that it lasts."""
    if not isinstance(rates, (Mapping, type(None))):
        raise InputError(f'rates is {rates!r}: give a dict of amounts per hectare and year, such as {{"Water": 2.5}}')
    amounts, lasting = pd.Series(0.0, systems.index), pd.Series(np.inf, systems.index)
    for system, rate in (rates or {}).items():
        sysid, wanted = sysid_of(systems, system), "give a number per year, or a pair such as (4.5, 20)"
        if isinstance(rate, (tuple, list)):
            if len(rate) != 2:
                raise InputError(f"the rate of {system!r} is {rate!r}: {wanted}")
            rate, last = rate
            lasting[sysid] = whole(f"how many years the rate of {system!r} lasts", last, "give a number of years", 0)
        amounts[sysid] = finite(f"rates of {system!r}", rate, wanted)
    return amounts, lasting


def _finishing(rows: pd.DataFrame, plan: Building, undated: int | None) -> Numbers:
    """The place of each diagram in the order of completion."""
    start, end = (pd.to_datetime(rows[name]).dt.normalize().to_numpy() for name in ("start_date", "end_date"))
    with_dates = plan.is_built & (end >= start)
    year = np.datetime64(f"{undated or 1:04d}", "Y")
    first, last = year.astype("datetime64[D]"), (year + 1).astype("datetime64[D]") - 1
    start, end = (
        np.where(with_dates, day.astype("datetime64[D]"), other) for day, other in ((start, first), (end, last))
    )
    order = np.lexsort((rows.index.to_numpy(), start, end))
    places = np.empty(len(rows), dtype=int)
    places[order] = np.arange(len(rows))
    return places


def _of_each(land: Before, of_uses: Mapping[str, float], after: pd.Series[float], factor: float) -> pd.DataFrame:
    """The land of each diagram and its stocks before and after, if both are known."""
    known_uses = [str(use) for use in land.by_use if use in of_uses]
    is_known = after.notna().to_numpy()
    by_use = land.by_use[known_uses].to_numpy() * is_known[:, None]
    known = by_use.sum(axis=1)
    unknown = land.own - known
    # Rounding remainders are no land.
    unknown[unknown <= ROUNDING * land.own + ROUNDING_HA] = 0.0
    return pd.DataFrame(
        {
            "land_ha": land.own,
            "unknown_ha": unknown,
            "known_ha": known,
            "before": factor * (by_use @ pd.Series(of_uses)[known_uses].to_numpy(dtype=float)),
            "after": factor * known * after.fillna(0).to_numpy(),
            "overlap_ha": land.later,
            "map_overlap_ha": land.several,
        },
        index=after.index,
    )


def _sums(each: pd.DataFrame, groups: Numbers, names: pd.Index[Any]) -> pd.DataFrame:
    """The sums of some diagrams; amounts are NaN if there is land, but nothing is known of it."""
    sums = each.groupby(groups).sum().reindex(names, fill_value=0)
    sums["gain"] = sums["after"] - sums["before"] + sums["growth"]
    counts = ["undated", "without_geometry"]
    sums[counts] = sums[counts].astype(int)
    sums[[*AMOUNTS]] = sums[[*AMOUNTS]].mask(_is_unknown(sums))
    return sums[["land_ha", "unknown_ha", *AMOUNTS, "overlap_ha", "map_overlap_ha", *counts]]


def _is_unknown(sums: Any) -> Any:
    """True if there is land, but nothing is known of it."""
    return (sums["known_ha"] == 0) & ((sums["unknown_ha"] > 0) | (sums["without_geometry"] > 0))


def _by_year(each: pd.DataFrame, plan: Building, growth: Numbers, calendar: range) -> pd.DataFrame:
    """The gain of all diagrams in each year."""
    change, grown = plan.shares @ (each["after"] - each["before"]).to_numpy(), growth.sum(axis=1)
    if _is_unknown(each[["known_ha", "unknown_ha", "without_geometry"]].sum()):
        change, grown = np.full((2, len(change)), np.nan)
    gain = change + grown
    return pd.DataFrame(
        {"year": calendar, "change": change, "growth": grown, "gain": gain, "cumulative": gain.cumsum()}
    )


def _section(answers: Answers) -> str:
    """The gain on the land of each system and design, and the gain of each year."""
    compared, figures, given = answers.compared, answers.figures, answers.arguments("stock_change")
    frames = {by: stock_change(compared, **given, scope=figures.scope, by=by) for by in ("system", "design", "year")}
    attrs, area = frames["design"].attrs, figures.units.area
    years = {"count": attrs["years"], "year": str(attrs["base_year"])}
    text = paragraph(t("stock_change_intro", unit=attrs["unit"], **years))
    if attrs["unknown_uses"]:
        text += paragraph(t("uses_without_amount", uses=", ".join(attrs["unknown_uses"])))
    columns = [
        Column(t("system"), "text"),
        figures.land,
        Column(t("of_it_not_known", unit=area)),
        *(Column(t(f"stock_{name}", unit=attrs["unit"])) for name in ("before", "after", "growth", "gain")),
        Column(t("overlap_elsewhere", unit=area)),
    ]

    def shown(row: Any) -> tuple[str, ...]:
        amounts = (figures.money(row[name]) for name in ("before", "after", "growth", "gain"))
        areas = (figures.area(row[name]) for name in ("land_ha", "unknown_ha"))
        return (*areas, *amounts, figures.area(row["overlap_ha"]))

    for scope in figures.scopes:
        systems = answers.of(frames["system"], scope)
        rows: list[Any] = [
            (hue(compared, row["sysid"], row["system"]), *shown(row)) for row in systems.to_dict("records")
        ]
        (total,) = answers.of(frames["design"], scope).to_dict("records")
        rows.append((t("all"), *shown(total)))
        text += table(t("stock_change_caption", design=name_of(scope)), columns, rows)
        text += left_out(systems, {name: f"diagrams_{name}" for name in ("undated", "without_geometry")})
        if double := float(systems["map_overlap_ha"].sum()):
            text += paragraph(t("several_uses", area=figures.read_area(double)))
    return text + pictures_of_years(answers, frames["year"], "gain", t("gain_of_each_year", unit=attrs["unit"]))


SECTION = Section(
    "stock_change_heading",
    "stock_change_question",
    _section,
    is_asked_for=True,
)
