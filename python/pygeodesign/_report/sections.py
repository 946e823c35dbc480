"""The sections of the report: land, money and time, each a function that writes its text, tables and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
import shapely
from matplotlib import pyplot

from pygeodesign._html import Column, Markup, paragraph, swatch, table
from pygeodesign._pictures.comparison import draw_consensus
from pygeodesign._pictures.style import color
from pygeodesign._planning.compared import note_of_missing
from pygeodesign._planning.land import overlapping, polygons
from pygeodesign._planning.money import MAX_PERIODS, in_periods

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pygeodesign._planning import Questions
    from pygeodesign._text import Units

# The most rows of a table of the worst.
WORST = 20
UNKNOWN = "not known"


@dataclass(frozen=True)
class Figures:
    """Figures as the reader wants them: units, and the name of the currency, which may be empty."""

    units: Units
    currency: str

    def area(self, hectares: Any) -> str:
        return UNKNOWN if pd.isna(hectares) else f"{float(hectares) * self.units.per_hectare:,.1f}"

    def length(self, kilometres: Any) -> str:
        return UNKNOWN if pd.isna(kilometres) else f"{float(kilometres) * self.units.per_kilometre:,.1f}"

    def money(self, amount: Any) -> str:
        # No sum of money is minus zero.
        return UNKNOWN if pd.isna(amount) else f"{round(float(amount)) + 0:,}"

    def full_money(self, amount: Any) -> str:
        return f"{self.money(amount)} {self.currency}".rstrip()

    @property
    def money_unit(self) -> str:
        """What follows a heading of amounts."""
        return f" ({self.currency})" if self.currency else ""


def agreement(compared: Questions, figures: Figures) -> str:
    if not compared.designs:
        return paragraph("No design was given, and no change team has saved one, so there is nothing to agree on.")
    chosen: Any = compared.agreement()["chosen"]
    counts = sorted(chosen.unique(), reverse=True)
    of = len(compared.designs)
    rows = [
        (f"{count} of {of}", int((chosen == count).sum()), links(sorted(chosen.index[chosen == count])))
        for count in counts
    ]
    text = table(
        "How many designs chose a diagram",
        [Column("Chosen by", "text"), Column("Diagrams"), Column("Their ids", "ids")],
        rows,
    )
    if of > 1:
        text += _similarity(compared)
    return text + _consensus(compared, figures)


def _similarity(compared: Questions) -> str:
    frames: list[Any] = [compared.similarity(), compared.similarity("cost")]
    labels = list(compared.designs)
    rows = []
    for place, one in enumerate(labels):
        for other in labels[place + 1 :]:
            shared = sorted(set(compared.designs[one]) & set(compared.designs[other]))
            shares = [
                "not known" if pd.isna(frame.loc[one, other]) else f"{frame.loc[one, other]:.2f}" for frame in frames
            ]
            rows.append((one, other, *shares, links(shared)))
    columns = [
        Column("Design", "text"),
        Column("and design", "text"),
        Column("Similarity"),
        Column("By cost"),
        Column("Diagrams that both have", "ids"),
    ]
    drawn = picture(compared.plot_similarity, "The similarity of each pair of designs, as in the table above.")
    return table("How alike designs are: 0 for nothing in common, 1 for the same diagrams", columns, rows) + drawn


def _consensus(compared: Questions, figures: Figures) -> str:
    layer: Any = compared.consensus()
    if not len(layer):
        return paragraph("No design has a project with land, so no place is changed.")
    rows = []
    for count, places in sorted(layer.groupby("designs"), reverse=True, key=lambda group: group[0]):
        changing = _diagrams_of(compared, places)
        rows.append((f"{count} of {len(compared.designs)}", figures.area(places["area_ha"].sum()), links(changing)))
    columns = [
        Column("Changed by", "text"),
        Column(f"Area ({figures.units.area})"),
        Column("Projects that change it", "ids"),
    ]

    def draw(theme: Any) -> Any:
        note = note_of_missing(compared.without_geometry)
        return draw_consensus(layer, len(compared.designs), compared.boundaries, compared.title, note, None, theme)

    alt = "A map of the places that designs change: darker where more designs do."
    drawn = picture(draw, alt, as_map=True)
    return table("The consensus: land by the number of designs that change it", columns, rows) + drawn


def _diagrams_of(compared: Questions, places: Any) -> list[int]:
    """The projects of any design that have land in these places."""
    ids = sorted({number for design in compared.designs.values() for number in design})
    rows: Any = compared.diagrams.loc[ids]
    rows = rows[(rows["kind"] != "policy") & rows.geometry.notna()]
    parts, owners = shapely.get_parts(polygons(rows.geometry), return_index=True)
    # The places of a row are all over the map; part by part, few are near a diagram.
    pieces = shapely.get_parts(places.geometry.to_numpy())
    near, found = overlapping(pieces, parts)
    shapely.prepare(pieces)
    meet = shapely.intersects(pieces[near], parts[found])
    common = shapely.area(shapely.intersection(pieces[near[meet]], parts[found[meet]]))
    # Neighbours that only touch share no land: less than about 0.01 m².
    return sorted(set(rows.index[owners[found[meet][common > 1e-12]]]))


def conflicts(compared: Questions, figures: Figures, compatible: Any, progress: bool | None) -> str:
    pairs: Any = compared.conflicts(compatible=compatible)
    unknown = pairs.attrs["without_geometry"]
    text = ""
    if unknown:
        note = f"Not counted, because their land is not known: {links(unknown)}."
        text = f"<p>{note}</p>"
    if not len(pairs):
        return text + paragraph("No two systems claim the same land.")
    diagrams: Any = compared.conflicts(by="diagrams", compatible=compatible, geometry=False, progress=progress)
    colors: Any = compared.systems["color"]
    of_systems = dict(list(diagrams.groupby(["sysid_a", "sysid_b"])))
    rows = []
    for row in pairs.sort_values("area_ha", ascending=False).itertuples():
        own = of_systems.get((row.sysid_a, row.sysid_b))
        ids = [] if own is None else sorted({*own["diagramid_a"], *own["diagramid_b"]})
        names = (hue(colors[row.sysid_a], row.system_a), hue(colors[row.sysid_b], row.system_b))
        rows.append((*names, figures.area(row.area_ha), figures.money(row.cost), links(ids)))
    shared = [Column(f"Shared land ({figures.units.area})"), Column(f"Cost at stake{figures.money_unit}")]
    text += table(
        "Systems that claim the same land",
        [Column("System", "text"), Column("and system", "text"), *shared, Column("Projects that overlap", "ids")],
        rows,
    )

    def draw(**theme: Any) -> Any:
        return compared.plot_conflicts(compatible=compatible, **theme)

    text += picture(draw, "The land that each pair of systems shares, as in the table above.")
    worst = diagrams.sort_values("area_ha", ascending=False).head(WORST)
    titles = compared.diagrams["title"]
    found = []
    for row in worst.itertuples():
        sides = ((row.diagramid_a, row.system_a), (row.diagramid_b, row.system_b))
        cells = [cell for number, system in sides for cell in (links([number]), f"{_title(titles[number])} ({system})")]
        found.append((*cells, figures.area(row.area_ha), figures.money(row.cost)))
    headings = [Column("Id"), Column("Diagram", "text"), Column("and id"), Column("and diagram", "text")]
    caption = f"The {len(worst)} pairs of diagrams that share most land, of {len(diagrams):,}"
    return text + table(caption, [*headings, *shared], found)


def suitability(compared: Questions, figures: Figures) -> str:
    if not any(len(layer) for layer in compared.evaluations.values()):
        return paragraph("The project has no evaluation maps, so nothing says which land suits which system.")
    systems: Any = compared.suitability("systems")
    diagrams: Any = compared.suitability()
    if not len(systems):
        return paragraph("No diagram has land.")
    known = [name for name in systems.columns if name not in ("system", "title", "sysid")]
    columns = [Column(f"{name.removesuffix('_ha')} ({figures.units.area})") for name in known]
    rows = []
    for sysid, row in systems.iterrows():
        own = sorted(diagrams.index[diagrams["sysid"] == sysid])
        cells = ["no map" if pd.isna(row[name]) else figures.area(row[name]) for name in known]
        rows.append((hue(compared.systems["color"][sysid], row["system"]), *cells, links(own)))
    text = table(
        "Land of each system by the classes of its evaluation map",
        [Column("System", "text"), *columns, Column("Diagrams with land", "ids")],
        rows,
    )
    text += picture(compared.plot_suitability, "The share of each system's land in each class, as in the table above.")
    if "red" not in diagrams:
        return text
    worst = diagrams[diagrams["red"] >= 0.05].sort_values("red", ascending=False).head(WORST)
    found = [
        (links([number]), _title(row["title"]), row["system"], figures.area(row["red"]), figures.area(row["land_ha"]))
        for number, row in worst.iterrows()
    ]
    if not found:
        return text + paragraph("No diagram has land of the class red.")
    unit = figures.units.area
    names = [Column("Id"), Column("Diagram", "text"), Column("System", "text")]
    caption = f"The {len(found)} diagrams with most land of the class red"
    return text + table(caption, [*names, Column(f"Red ({unit})"), Column(f"Land ({unit})")], found)


def _title(text: Any) -> str:
    return "without a title" if pd.isna(text) or not str(text) else str(text)


def targets(compared: Questions, figures: Figures) -> str:
    """Every design in a table of its own."""
    if not len(compared.systems):
        return paragraph("The project has no systems, so there are no targets and no budgets.")
    scopes = list(compared.designs) or ["project"]
    parts = [_targets_of(compared, figures, scope) for scope in scopes]
    alone = "" if compared.designs else paragraph("Without a design, all diagrams of the project count.")
    return alone + "".join(parts)


def _targets_of(compared: Questions, figures: Figures, scope: str) -> str:
    frame: Any = compared.targets(scope)
    rows: list[Any] = []
    for row in frame.itertuples():
        own = ids_of(compared, scope, row.sysid)
        rows.append(
            (
                hue(compared.systems["color"][row.sysid], row.system),
                "none" if pd.isna(row.target_ha) else figures.area(row.target_ha),
                figures.area(row.area_ha),
                "" if pd.isna(row.target_ha) else over(figures.area(row.missing_ha), row.missing_ha > 0),
                "none" if pd.isna(row.budget) else figures.money(row.budget),
                figures.money(row.cost),
                "" if pd.isna(row.budget) else over(figures.money(row.over_budget), row.over_budget > 0),
                links(own),
            )
        )
    area, cost = figures.area(frame["area_ha"].sum()), figures.money(frame["cost"].sum())
    rows.append(("Total", "", area, "", "", cost, "", "all above"))
    of_area, of_money = f" ({figures.units.area})", figures.money_unit
    columns = [
        Column("System", "text"),
        *(Column(f"{name}{of_area}") for name in ("Target", "Area", "Missing")),
        *(Column(f"{name}{of_money}") for name in ("Budget", "Cost", "Over budget")),
        Column("Diagrams", "ids"),
    ]
    name = "All diagrams of the project" if scope == "project" else scope
    unknown = [("cost", "unpriced"), ("area", "unmeasured")]
    notes = [f"{int(frame[column].sum())} whose {what} is not known" for what, column in unknown if frame[column].sum()]
    note = paragraph(f"Not in the sums: diagrams, {' and '.join(notes)}.") if notes else ""
    return table(name, columns, rows) + note


def schedule(compared: Questions, figures: Figures, rate: float | None) -> str:
    frame: Any = compared.schedule(rate=rate)
    if not frame.index.notna().any():
        return paragraph("No diagram has a start and an end date, so nothing says when it is built.")
    start: Any
    end: Any
    start, end = (pd.to_datetime(compared.diagrams[name]) for name in ("start_date", "end_date"))
    dated = start.notna() & end.notna() & (start.dt.normalize() <= end.dt.normalize())
    rows = []

    def add(period: str, under_way: Any, row: Any, *worth: str) -> None:
        ids = sorted(compared.diagrams.index[under_way])
        rows.append((period, len(ids), figures.area(row["area_ha"]), figures.money(row["cost"]), *worth, links(ids)))

    for first, row in in_periods(frame).iterrows():
        last = int(row["last"])
        worth = [figures.money(row["present_value"])] if rate is not None else []
        under_way = dated & (start.dt.year <= last) & (end.dt.year >= first)
        add(str(first) if first == last else f"{first} to {last}", under_way, row, *worth)
    for _, row in frame[frame.index.isna()].iterrows():
        add("without dates", ~dated, row, *([""] if rate is not None else []))
    worth_column = [Column(f"Present value{figures.money_unit}")] if rate is not None else []
    columns = [
        Column("Year" if frame.index.notna().sum() <= MAX_PERIODS else "Years", "text"),
        Column("Diagrams under way"),
        Column(f"Area ({figures.units.area})"),
        Column(f"Cost{figures.money_unit}"),
        *worth_column,
        Column("Their ids", "ids"),
    ]
    drawn = picture(compared.plot_schedule, "The cost of each year as bars and of all years until then as a line.")
    value = ""
    if rate is not None:
        amount = figures.full_money(frame.attrs["net_present_value"])
        base = frame.attrs["base_year"]
        value = paragraph(f"At {100 * rate:g} % per year, all years together are worth {amount} in {base}.")
    return drawn + value + table("What each year costs and changes", columns, rows)


def sensitivity(compared: Questions, figures: Figures, percent: float) -> str:
    frame: Any = compared.sensitivity(percent)
    if not frame["change"].gt(0).any():
        return paragraph("No cost follows the rate of a system, so no rate changes the total.")

    def draw(**theme: Any) -> Any:
        return compared.plot_sensitivity(percent, **theme)

    drawn = picture(draw, "How much the total changes with the rate of each system, as in the table below.")
    follows = compared.diagrams[compared.diagrams["rate_source"] == "system"]
    rows = []
    for sysid, row in frame.sort_values("change", ascending=False, kind="stable").iterrows():
        limit = row["breaks_budget_at"]
        amounts = (figures.money(row[name]) for name in ("low", "cost", "high"))
        breaks = "" if pd.isna(limit) else over(f"{limit:+.0f} %", limit < percent)
        own = sorted(follows.index[follows["sysid"] == sysid])
        rows.append((hue(compared.systems["color"][sysid], row["system"]), *amounts, breaks, links(own)))
    money = figures.money_unit
    columns = [
        Column("System", "text"),
        Column(f"At -{percent:g} %{money}"),
        Column(f"Cost now{money}"),
        Column(f"At +{percent:g} %{money}"),
        Column("Budget reached at"),
        Column("Diagrams that follow the rate", "ids"),
    ]
    return drawn + table("The cost of each system at other rates", columns, rows)


def optimum(compared: Questions, figures: Figures, budget: float) -> str:
    best = compared.optimum(budget)
    rows = []
    systems: Any = best.systems
    for sysid, row in systems.iterrows():
        own = [number for number in best.chosen if compared.diagrams.loc[number, "sysid"] == sysid]
        target = "none" if pd.isna(row["target_ha"]) else figures.area(row["target_ha"])
        missing = "" if pd.isna(row["missing_ha"]) else figures.area(row["missing_ha"])
        name = hue(compared.systems["color"][sysid], row["system"])
        rows.append((name, target, figures.area(row["area_ha"]), missing, figures.money(row["cost"]), links(own)))
    unit = figures.units.area
    columns = [
        Column("System", "text"),
        *(Column(f"{name} ({unit})") for name in ("Target", "Area", "Missing")),
        Column(f"Cost{figures.money_unit}"),
        Column("Chosen diagrams", "ids"),
    ]
    proof = "which is proven to be the least" if not best.gap else f"at most {100 * best.gap:.2g} % above the least"
    summary = (
        f"{len(best.chosen)} diagrams for {figures.full_money(best.cost)} of {figures.full_money(budget)} leave a "
        f"shortfall of {best.shortfall:.3f}, {proof}."
    )
    return paragraph(summary) + table("The best choice under the budget", columns, rows)


def quantities(compared: Questions, figures: Figures, per_hectare: Mapping[str, Mapping[Any, float]]) -> str:
    scopes = list(compared.designs) or ["project"]
    columns = [Column("System", "text"), Column(f"Area ({figures.units.area})")]
    columns += [*(Column(name) for name in per_hectare), Column("Projects", "ids")]
    text = ""
    for scope in scopes:
        frame: Any = compared.quantities(per_hectare, scope)
        rows: list[Any] = []
        for row in frame.to_dict("records"):
            amounts = ["" if pd.isna(row[name]) else f"{row[name]:,.1f}" for name in per_hectare]
            own = [n for n in ids_of(compared, scope, row["sysid"]) if compared.diagrams.loc[n, "kind"] != "policy"]
            name = hue(compared.systems["color"][row["sysid"]], row["system"])
            rows.append((name, figures.area(row["area_ha"]), *amounts, links(own)))
        totals = (f"{frame[name].sum():,.1f}" for name in per_hectare)
        rows.append(("Total", figures.area(frame["area_ha"].sum()), *totals, "all above"))
        text += table("All diagrams of the project" if scope == "project" else scope, columns, rows)
    return text


def ids_of(compared: Questions, scope: str, sysid: int | None = None) -> list[int]:
    """The ids of the diagrams of a design, or of the project, of one system or all."""
    rows: Any = compared.diagrams if scope == "project" else compared.diagrams.loc[compared.designs[scope]]
    return sorted(rows.index if sysid is None else rows.index[rows["sysid"] == sysid])


def links(ids: Iterable[Any]) -> Markup:
    """The ids of diagrams, each a link to its row."""
    known = [int(number) for number in ids]
    return Markup(", ".join(f'<a href="#d{number}">{number}</a>' for number in known) or "none")


def hue(system_color: Any, name: Any) -> Markup:
    """The name of a system behind its colour."""
    return swatch(color(system_color), name)


def over(text: str, is_over: bool) -> str:
    return Markup(f'<span class="over">{escape(text)}</span>') if is_over else text


def picture(draw: Callable[..., Axes], alt: str, *, as_map: bool = False) -> str:
    """What `draw(theme=…)` draws, light for paper and light screens, dark for dark ones.

    Maps have too many corners for a picture of lines and become pixels.
    """
    light, dark = (_data(draw(theme=theme), as_map) for theme in ("light", "dark"))
    return (
        f'<figure><picture><source media="screen and (prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(alt)}"></picture></figure>'
    )


def _data(axes: Axes, as_map: bool) -> str:
    figure: Any = axes.get_figure(root=True)
    kind = "png" if as_map else "svg"
    file = io.BytesIO()
    try:
        # The same project gives the same page: no date, and names of parts that do not change.
        with mpl.rc_context({"svg.hashsalt": "pygeodesign", "svg.fonttype": "path"}):
            figure.savefig(file, format=kind, dpi=160, metadata=None if as_map else {"Date": None})
    finally:
        pyplot.close(figure)
    media = "image/png" if as_map else "image/svg+xml"
    return f"data:{media};base64,{base64.b64encode(file.getvalue()).decode()}"
