"""Planners' questions: agreement of designs, conflicts of diagrams, and suitability of the land. For the extra `geo`.

`Project.compare()` returns a `Comparison`, which answers them:

    >>> from pygeodesign import Sandbox
    >>> with Sandbox() as sandbox:
    ...     comparison = sandbox.client().project("StatenIsland2050").compare()
    >>> comparison
    <Comparison of Staten Island 2050: 4 designs, 180 diagrams, 2 without a geometry>

Nothing is downloaded after that. Areas are geodesic, in hectares, and agree with `pygeodesign.measure`; money is in the
project's currency. `docs/comparing-designs.md` and `docs/deciding.md` have the formulas.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

from pygeodesign._core import _missing_extra
from pygeodesign._html import card, written
from pygeodesign._language import language_of, speaking
from pygeodesign._options import currency_of, options
from pygeodesign._text import of_currency, short_amount, units_named
from pygeodesign.errors import InputError

try:
    from pygeodesign._paper.answers import Answers, Section
    from pygeodesign._paper.shown import Figures
    from pygeodesign._planning.arguments import finite, whole
    from pygeodesign._planning.compared import Compared
    from pygeodesign._planning.land.weighed_maps import weigh_maps
    from pygeodesign._planning.questions import (
        agreement,
        alliances,
        cash_flow,
        conflicts,
        evolution,
        explain,
        floor_area,
        importance,
        negotiate,
        on_constraints,
        optimum,
        pareto,
        people,
        quantities,
        schedule,
        sensitivity,
        similar_ideas,
        stock_change,
        suitability,
        swaps,
        targets,
        uncertainty,
        weighing,
        what_if,
    )
    from pygeodesign._planning.questions.negotiate import Negotiation
    from pygeodesign._planning.questions.optimum import Optimum
    from pygeodesign._planning.questions.pareto import Front
    from pygeodesign._planning.questions.targets import counted_status
    from pygeodesign._planning.summary import design_figures
    from pygeodesign._report.igc import ADOPTERS, Poster, checked_scores, known_label
    from pygeodesign._report.igc_page import poster_page
    from pygeodesign._report.page import report_page
    from pygeodesign._report.sections import checked_sections, refuse_former
except ImportError as _missing:
    raise _missing_extra(_missing) from _missing

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from typing import Self

    from pygeodesign._widget.board import Board

__all__ = ["Board", "Comparison", "Front", "Negotiation", "Optimum", "weigh_maps"]

MAX_DESIGNS_IN_CARD = 20
# For a report: its tables of pairs take time and space.
MAX_DESIGNS = 100
# The public module, for callers and pickle.
for _public in (Front, Negotiation, Optimum, weigh_maps):
    _public.__module__ = __name__


def _slides_writer() -> Callable[..., None]:
    """The function that writes slides; an error names the extra if a library is missing."""
    try:
        import matplotlib  # noqa: F401

        from pygeodesign._report.igc_slides import write_slides
    except ImportError as missing:
        library = (missing.name or "python-pptx").split(".")[0]
        raise ImportError(
            f"{library} is needed for this and cannot be imported ({missing}): pip install 'pygeodesign[slides]'"
        ) from missing
    return write_slides


def __getattr__(name: str) -> Any:
    """`Board`, whose library is imported on first use."""
    if name == "Board":
        from pygeodesign._widget.board import Board

        return Board
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Comparison(Compared):
    """Designs of a project, compared. It shows the project at the time of `Project.compare()`.

    Each question about diagrams takes a `scope`: `"designs"` (the default) asks about every compared design, the label
    of a design about that design, and `"project"` about all diagrams of the project: the alternatives to choose from,
    which would not all be built. The frame of an answer has the rows of one design after another, in the order of
    `designs`, and its first columns are `design`, the label (in `schedule()`, the first level of the index), and
    `team`, the title of its team, missing for a list of diagram ids. With `"project"` it has neither. A comparison
    without a design needs `scope="project"`.

    Hectares are *summed over diagrams*, where land that two diagrams cover counts twice, or *land, each place once*;
    each answer says which. If `land` is `"inside"`, only land inside the study area counts, in every figure: areas,
    lengths, costs and shared land are those of the part of each diagram inside the boundaries.

    Attributes:
        project: The `Project`.
        title: The title of the project, followed by "inside the study area" if only that counts, and by "what if" if
            figures of its systems are assumptions.
        land: `"all"`, or `"inside"` if only land inside the study area counts.
        currency: The currency of the project, such as `"USD"`; None if it has none.
        language: The language of the project, such as `"pt-BR"`; None if it has none.
        supposed: The assumptions of `what_if()`: a dict of `rates`, `budgets` and `targets` (hectares), each a
            dict by `sysid` of the given values; empty without assumptions.
        designs: A dict from the label of each design to the sorted list of the ids of its diagrams.
        teams: A dict from the label of each design to the title of its team, None for a list of diagram ids.
        costs: The `CostReport` of all diagrams of the project.
        diagrams: A GeoDataFrame in EPSG:4326 with one row per diagram, by `diagramid`, in the order of the systems:
            `sysid`, `system` (its name), `title`, `kind` (`project`, `policy` or None), `author`, `cost`, `area_ha`,
            `area_source`, `length_km`, `pieces`, `rate`, `rate_source`, `start_date`, `end_date`, `floor_above_m2`,
            `floor_below_m2`, `quantity_homes` and so on for each quantity, and `geometry`, one for all features of
            the diagram, or its part that counts. The geometry is None if the diagram has none, such as external ones;
            unknown figures are NaN.
        systems: A DataFrame with one row per system, by `sysid`: `name`, `tag`, `color`, `rate` (per hectare, per
            kilometre of line, or for each point), and the figures of `CostReport.systems`.
        boundaries: The study area as a GeoDataFrame; empty if the project has none.
        second_boundaries: The second set of boundaries, such as districts; empty if the project has none.
        quantities_of: A dict from `sysid` to what projects of the system bring, such as homes; see
            `Project.quantities()`.
        constraints: The areas where nothing can be changed, as a GeoDataFrame; empty if the project has none.
        evaluations: A dict from `sysid` to the evaluation map of the system, a GeoDataFrame with the column `areatype`;
            empty if it has none.

    Examples:
        >>> comparison = project.compare()
        >>> for label, ids in comparison.designs.items():
        ...     print(label, len(ids))
        Conservation – Design 3 – with the Residents' parks 46
        Developers – Design 2 – North Shore first 38
        Mobility – Design 3 – what the budget carries 33
        Residents – Design 2 – à la carte 52
    """

    # The questions, in the order of a report's sections. In each file, the function with the file's name comes last.
    similarity = agreement.similarity
    consensus = agreement.consensus
    plot_agreement = agreement.plot_agreement
    plot_consensus = agreement.plot_consensus
    plot_similarity = agreement.plot_similarity
    agreement = agreement.agreement
    plot_conflicts = conflicts.plot_conflicts
    conflicts = conflicts.conflicts
    impact = suitability.impact
    plot_suitability = suitability.plot_suitability
    plot_impact = suitability.plot_impact
    suitability = suitability.suitability
    plot_targets = targets.plot_targets
    targets = targets.targets
    plot_schedule = schedule.plot_schedule
    schedule = schedule.schedule
    plot_sensitivity = sensitivity.plot_sensitivity
    sensitivity = sensitivity.sensitivity
    robustness = uncertainty.robustness
    plot_uncertainty = uncertainty.plot_uncertainty
    uncertainty = uncertainty.uncertainty
    plot_optimum = optimum.plot_optimum
    optimum = optimum.optimum
    importance = importance.importance
    plot_evolution = evolution.plot_evolution
    evolution = evolution.evolution
    similar_ideas = similar_ideas.similar_ideas
    common_core = negotiate.common_core
    plot_negotiation = negotiate.plot_negotiation
    plot_common_core = negotiate.plot_common_core
    negotiate = negotiate.negotiate
    plot_swaps = swaps.plot_swaps
    swaps = swaps.swaps
    plot_alliances = alliances.plot_alliances
    alliances = alliances.alliances
    plot_pareto = pareto.plot_pareto
    pareto = pareto.pareto
    plot_cash_flow = cash_flow.plot_cash_flow
    cash_flow = cash_flow.cash_flow
    plot_stock_change = stock_change.plot_stock_change
    stock_change = stock_change.stock_change
    plot_weighing = weighing.plot_weighing
    weighing = weighing.weighing
    quantities = quantities.quantities
    plot_people = people.plot_people
    people = people.people
    floor_area = floor_area.floor_area
    explain = explain.explain
    on_constraints = on_constraints.on_constraints
    what_if = what_if.what_if

    def __repr__(self) -> str:
        """The number of designs and diagrams."""
        missing = len(self.without_geometry)
        gap = f", {missing} without a geometry" if missing else ""
        return f"<Comparison of {self.title}: {len(self.designs)} designs, {len(self.diagrams)} diagrams{gap}>"

    def _repr_html_(self) -> str:
        units, currency = units_named(None), currency_of(None, self.currency)
        rows = []
        for design in design_figures(self)[:MAX_DESIGNS_IN_CARD]:
            label, cost = design["design"], design["cost"]
            area = design["area_ha"] * units.per_hectare
            figures = (f"{area:,.1f}", "" if cost is None else short_amount(cost))
            answers = self.targets(label)
            met = (counted_status(answers[name]) for name in ("area_status", "budget_status"))
            rows.append((label, f"{design['diagrams']:,}", *figures, *met))
        more = len(self.designs) - len(rows)
        note = f"and {more} more designs. " if more > 0 else ""
        note += "Areas are summed over diagrams, policies included: where two overlap, both count."
        note += " Only land inside the study area counts." if self.land == "inside" else ""
        cost_heading = f"cost{of_currency(currency)}"
        headings = ("design", "diagrams", f"{units.area}, summed", cost_heading, "targets", "budgets")
        return card(f"Comparison of {self.title}", headings, rows, note)

    def board(
        self,
        *,
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        theme: Literal["light", "dark"] | None = None,
    ) -> Board[Self]:
        """Shows sliders for the rates, budgets and targets of the systems in a notebook cell, to ask "what if".

        Next to them are the costs of the designs against the budgets, the met targets, and the best choice;
        they update while a slider moves. They are the answers of `targets()` and `optimum()` at these values: `state`
        of the board has the values, and its `comparison` is `what_if()` with them, for any other question. The solver
        has 0.1 s for each choice; if it is not proven by then, the board shows how far it may be from the best.

        Args:
            currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
            units: `"metric"`, or `"us"` for acres. Default: from `pygeodesign.options`.
            theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or the notebook's.

        Returns:
            A `Board`, which a cell shows. A saved notebook keeps its tables.

        Raises:
            InputError: The units or the theme are unknown.
            ImportError: anywidget is missing; `pip install 'pygeodesign[notebook]'` installs it.

        Examples:
            >>> board = project.compare().board(currency="USD")
            >>> board.state = {"rates": {"Water": 1.5e6}, "budgets": {"Water": 600e6}}
            >>> board
            <Board of Staten Island 2050: 2 values changed>
            >>> table = board.comparison.targets()
            >>> table.loc[table["system"] == "Water", "budget_status"].tolist()
            ['met', 'nothing planned', 'nothing planned', 'met']
        """
        try:
            from pygeodesign._widget.board import Board
        except ImportError as missing:
            raise _missing_extra(missing) from missing
        if theme not in ("light", "dark", None):
            raise InputError(f'theme must be "light" or "dark", not {theme!r}')
        return Board(self, units_named(units), currency_of(currency, self.currency), theme or options.theme)

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str | None = None,
        author: str = "",
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        language: str | None = None,
        scope: str = "designs",
        sections: Mapping[str, Any] | None = None,
        progress: bool | None = None,
        **former: Any,
    ) -> str | None:
        """The report: pages to read and an appendix with the proof of each figure, in one file that loads nothing.

        The first page says in three sentences which design meets most, which costs least, and what designs share and
        agreed on. Below, it has a table of the designs by what was asked, a large map and small ones. The next pages
        show the targets and budgets that are met, where the designs agree and systems collide, and spending by year.
        If teams negotiated or members voted, the fifth page shows what was decided. Figures there are rounded.
        Each is a link to its row in the appendix, which is exact and lists the ids of its diagrams;
        each id is a link to its diagram. A sentence names missing data, such as evaluation maps or dates.
        It is for a browser, a phone, and paper of any size (A4, Letter), where pages are full and numbered.

        Args:
            path: The file to write. Default: return the page as a string.
            title: The heading. Default: the title of the project, which is below another heading.
            author: The author of the report, for its first page. Default: no author.
            currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
            units: `"metric"` for hectares and kilometres, `"us"` for acres and miles.
            language: `"ar"`, `"de"`, `"en"`, `"es"`, `"fr"`, `"it"` or `"pt-BR"`. Default: the project's language, or
                English.
            scope: `"designs"`, `"project"` or the label of a design. Without a design, the default is the project, and
                the page says so.
            sections: Sections to add or to change: a dict from the name of a question to the dict of its
                arguments, without `scope`, `by` and `progress`. Each of `evolution`, `optimum`, `importance`,
                `quantities`, `uncertainty`, `negotiate`, `pareto`, `swaps`, `alliances`, `cash_flow`, `stock_change`
                and `weighing` adds a section; `conflicts` (`compatible`), `schedule` (`rate`) and `sensitivity`
                (`percent`) are always there. Instead of arguments, `optimum`, `negotiate` and `pareto` also take
                their result.
            progress: True to show progress bars, which need tqdm. Default: in a notebook or a terminal.
            former: Arguments of earlier versions, which are refused: the error shows the new form.

        Returns:
            The page, or None if it is written to a file.

        Raises:
            InputError: Units, a language, scope, percentage, rate, system, budget or answer is invalid, or a title,
                author or currency is not a string.

        Examples:
            >>> page = project.compare().to_html(currency="USD", sections={"swaps": {"most": 3}, "alliances": {}})
            >>> page.startswith("<!DOCTYPE html>")
            True
        """
        for name, text in (("title", title), ("author", author)):
            if not isinstance(text, (str, type(None))):
                raise InputError(f"{name} is {text!r}: give a text")
        refuse_former("Comparison.to_html", former, list(signature(self.to_html).parameters)[:-1])
        asked = checked_sections(self, SECTIONS, sections)
        scope = "project" if scope == "designs" and not self.designs else scope
        scopes = tuple(label or "project" for label in self._in_scope(scope))
        if len(scopes) > MAX_DESIGNS:
            raise InputError(
                f"the comparison has {len(scopes)} designs; a report, with each pair of them, takes at most "
                f"{MAX_DESIGNS}. Give fewer to project.compare(), or one as scope="
            )
        with speaking(language_of(language, self.language)):
            figures = Figures(
                units_named(units), currency_of(currency, self.currency), scope, scopes, self.land == "inside"
            )
            answers = Answers(self, figures, asked, progress)
            return written(report_page(answers, SECTIONS, title, author), path)

    def to_igc(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        adopters: Mapping[str, str] | None = None,
        years: Sequence[int] = (2020, 2035, 2050),
        sdg: Mapping[str, Mapping[int, int]] | None = None,
        carbon_per_hectare: Mapping[Any, float] | None = None,
        carbon_totals: Mapping[str, float] | None = None,
        assumptions: Sequence[str] = (),
        missing: Literal["error", "omit"] = "error",
        title: str | None = None,
        author: str = "",
        currency: str | None = None,
        units: Literal["metric", "us"] | None = None,
        language: str | None = None,
    ) -> str | None:
        """Makes the International Geodesign Collaboration's poster, as a page for A1 paper or as slides.

        The page is one full sheet. It has three sentences on the compared designs, a large map with names of places,
        and for each design a small map with its team's colour, its cost by system as a bar, and the targets that it
        meets. For each adopter and year, it has the square study area with the systems in their colours, and the
        changes by system (area and cost). The 17 Sustainable Development Goals are numbered squares with the teams'
        scores, if there are any. Carbon and assumptions follow.

        Amounts built by the end of a year are spread over the days of diagrams as in `schedule()`; maps show the
        diagrams begun by then, and diagrams without dates are listed. The page loads nothing. Each part has its own
        slides: maps of an adopter as pictures, tables that you can edit, and more slides if one is full.

        Args:
            path: The file to write: a page if it ends with `.html`, slides if with `.pptx`. Default: return the page as
                a string.
            adopters: The labels of compared designs as `"early"`, `"late"` and `"non"`. A page without any shows costs,
                targets and budgets by system and design instead of years.
            years: The calendar years of the maps and figures.
            sdg: For the label of each design, the score from -3 to 3 of each goal from 1 to 17.
            carbon_per_hectare: t CO₂e per hectare of projects of each system, as for `quantities()`.
            carbon_totals: t CO₂e of designs by label, which take precedence over `carbon_per_hectare`.
            assumptions: Strings, one for each line.
            missing: `"error"` raises an error that lists missing parts; `"omit"` leaves them out, with a note.
            title: The heading. Default: the title of the project.
            author: The author of the poster. Default: no author.
            currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
            units: `"metric"` for hectares, `"us"` for acres.
            language: As for `to_html`.

        Returns:
            The page, or None if it is written to a file.

        Raises:
            InputError: Something is missing; the error lists it all. Or there is no design, or an argument is
                invalid.
            ImportError: python-pptx or matplotlib is missing for slides; `pip install 'pygeodesign[slides]'` installs
                them.

        Examples:
            >>> comparison = project.compare()
            >>> early, late, *_ = comparison.designs
            >>> page = comparison.to_igc(adopters={"early": early, "late": late}, missing="omit")
            >>> "Early adopter, 2035" in page
            True
        """
        if missing not in ("error", "omit"):
            raise InputError(f'missing is {missing!r}: give "error" or "omit"')
        labels = list(self.designs)
        ending = ".html" if path is None else Path(path).suffix.lower()
        if ending not in (".html", ".htm", ".pptx"):
            raise InputError(
                f"{path} ends with neither .html nor .pptx: the poster is a page, which a browser saves as a PDF, or "
                "slides"
            )
        # Before the maps are drawn, which takes a while.
        write_slides = _slides_writer() if ending == ".pptx" else None
        for name, by_key in (("adopters", adopters), ("carbon_totals", carbon_totals)):
            if not isinstance(by_key, (Mapping, type(None))):
                raise InputError(f"{name} is {by_key!r}: give a mapping")
        given = dict(adopters or {})
        for key, label in given.items():
            if key not in ADOPTERS:
                raise InputError(f'adopters names {key!r}: give designs as "early", "late" and "non"')
            known_label(label, labels, "adopters")
        if isinstance(years, str) or not len(years):
            raise InputError(f"years is {years!r}: give calendar years, such as (2020, 2035, 2050)")
        calendar = sorted({whole("years", year, "give calendar years, such as (2020, 2035, 2050)") for year in years})
        if isinstance(assumptions, str) or not all(isinstance(line, str) for line in assumptions):
            raise InputError(f"assumptions is {assumptions!r}: give a list of texts, one for each line")
        for name, text in (("title", title), ("author", author)):
            if not isinstance(text, (str, type(None))):
                raise InputError(f"{name} is {text!r}: give a text")
        totals = {}
        for label, amount in (carbon_totals or {}).items():
            known_label(label, labels, "carbon_totals")
            totals[label] = finite(f"carbon_totals of {label!r}", amount, "give t CO₂e as a number")
        tag = language_of(language, self.language)
        with speaking(tag):
            measures = units_named(units)
        poster = Poster(
            self,
            Figures(measures, currency_of(currency, self.currency), "designs", tuple(labels), self.land == "inside"),
            {key: given[key] for key in ADOPTERS if key in given},
            calendar,
            checked_scores({} if sdg is None else sdg, labels),
            carbon_per_hectare,
            totals,
            assumptions,
        )
        gaps = poster.missing()
        if not labels:
            raise InputError(
                "the comparison has no design, so there is nothing to show: give designs to project.compare()"
            )
        if gaps and (missing == "error" or (write_slides is not None and not poster.designs)):
            hint = 'give them, or missing="omit", for slides with one design or more in adopters'
            raise InputError(f"the poster lacks {'; '.join(gaps)}: {hint}")
        with speaking(tag):
            if write_slides is not None:
                write_slides(poster, path, title, author, poster.missing())
                return None
            return written(poster_page(poster, title, author, poster.missing()), path)


# The questions of a comparison, and what draws them, by name.
QUESTIONS = {
    name: member
    for name, member in vars(Comparison).items()
    if isinstance(member, FunctionType) and member.__module__.startswith(f"{agreement.__package__}.")
}
# A question with the name of its file may have a section.
SECTIONS: dict[str, Section] = {
    name: file.SECTION
    for name, question in QUESTIONS.items()
    if (file := sys.modules[question.__module__]).__name__.endswith(f".{name}") and hasattr(file, "SECTION")
}
