"""The data of a comparison: a project's diagrams, systems and maps at one time, and designs as lists of diagram ids."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import geopandas
import pandas as pd

from pygeodesign._core import FeatureCollection, _missing_extra
from pygeodesign._planning.arguments import (
    SavedDesign,
    chosen_designs,
    known_ids,
    latest_designs,
    saved_at,
    short_labels,
    team_title,
)
from pygeodesign._planning.decisions import or_nothing, sessions_of, shown_votes, time_of
from pygeodesign._planning.land.classes import inside, outside_hectares
from pygeodesign._planning.land.lands import DiagramLands, are_there
from pygeodesign._read_at import read_at
from pygeodesign._text import counted
from pygeodesign.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from datetime import datetime
    from types import ModuleType

    from pygeodesign._core import CostReport, Project
    from pygeodesign._planning.decisions import Session
    from pygeodesign.types import Quantity, SystemDetail, Vote

# Starts a request with its arguments.
Ask: TypeAlias = Callable[..., Future[Any]]
# After the title, so that pictures and reports show what counts; as in a cost report.
INSIDE = " – inside the study area"
REQUESTS_AT_ONCE, READS_AT_ONCE = 8, 2
MAX_SYSTEMS = 1_000
# Columns of `diagrams`, as a cost report has them.
DIAGRAM_COLUMNS = ["sysid", "system", "title", "kind", "author", "cost", "area_ha", "area_source", "length_km"]
DIAGRAM_COLUMNS += ["pieces", "rate", "rate_source", "start_date", "end_date", "floor_above_m2", "floor_below_m2"]
DIAGRAM_COLUMNS += ["geometry"]
# Before the name of a quantity, as a cost report has it.
QUANTITY = "quantity_"


class Compared:
    """The data of a comparison. It is downloaded on creation; no requests follow."""

    #: The project.
    project: Project
    #: Its title.
    title: str
    #: Its currency, such as `"USD"`; None if it has none.
    currency: str | None
    #: Its language, such as `"pt-BR"`; None if it has none.
    language: str | None
    #: When it was read, in UTC; for a project in an archive, when the archive was made, None if that is unknown.
    read_at: datetime | None
    #: The assumptions of `what_if()` by system id: `rates`, `budgets`, `targets`; empty without assumptions.
    supposed: dict[str, dict[int, float | None]]
    #: The land that counts: `"all"`, or `"inside"` the study area only.
    land: Literal["all", "inside"]
    #: The ids of the diagrams of each design, sorted, by the label of the design.
    designs: dict[str, list[int]]
    #: The title of the team of each design, by the label of the design; None for a list of diagram ids.
    teams: dict[str, str | None]
    #: The cost of all diagrams of the project.
    costs: CostReport
    #: One row per diagram, by `diagramid`, in the order of the systems.
    diagrams: geopandas.GeoDataFrame
    #: One row per system, by `sysid`.
    systems: pd.DataFrame
    #: The study area; empty if the project has none.
    boundaries: geopandas.GeoDataFrame
    #: The areas where nothing can be changed; empty if the project has none.
    constraints: geopandas.GeoDataFrame
    #: The evaluation map of each system, by `sysid`; empty if the system has none.
    evaluations: dict[int, geopandas.GeoDataFrame]
    #: The project's impacts of systems on each other, by `sysid`, row on column: from -2 to 2, and 0 if absent.
    impacts: pd.DataFrame
    #: The second set of boundaries, such as districts; empty if the project has none.
    second_boundaries: geopandas.GeoDataFrame
    #: Quantities that projects of each system bring, such as homes, by `sysid` and by name.
    quantities_of: dict[int, dict[str, Quantity]]
    # When each saved design was saved, by its label, and the decisions; None if the service does not show them.
    _saved_at: dict[str, datetime | None]
    # The colour of each design's team, by the design's label; None if it has none.
    _team_colors: dict[str, str | None]
    _sessions: list[Session] | None
    _votes: list[Vote] | None

    def __init__(self, project: Project, designs: Any = None, land: Literal["all", "inside"] = "all") -> None:
        """Downloads all data for the questions, some requests at a time."""
        self.project, self.supposed, self.land = project, {}, land
        with asking(project) as ask:
            self._download(ask, designs)

    def _download(self, ask: Ask, designs: Any) -> None:
        project = self.project
        costs, systems, info = ask(project.costs, land=self.land), ask(project.systems), ask(project.info)
        area = project.study_area
        boundaries, constraints, parts = (
            ask(or_none, of) for of in (area.boundaries, area.constraints, area.second_boundaries)
        )
        if (count := len(systems.result())) > MAX_SYSTEMS:
            raise InputError(f"the project has {count:,} systems; at most {MAX_SYSTEMS:,} are compared")
        evaluations = {system["id"]: ask(or_none, system.evaluation) for system in systems.result()}
        votes, talks = ask(shown_votes, project), ask(or_nothing, project.workshop.negotiation_logs)
        asked = ask_for_designs(ask, project, designs)
        self.teams, self._short_labels, self._saved_at = asked.owners, asked.short, asked.saved_at
        self._team_colors = asked.colors
        self.read_at = read_at(project)
        self.currency, self.language = info.result().get("currency"), info.result().get("language")
        self.title = info.result().get("projecttitle") or project.id
        self.costs = costs.result()
        self.systems = systems_of(self.costs, systems.result())
        self.impacts = impacts_of(systems.result(), self.systems.index)
        self.quantities_of = {system["id"]: system.get("quantities", {}) for system in systems.result()}
        self.diagrams = diagrams_of(self.costs, self.systems["name"])
        self._source = source_of(boundaries.result())
        self.boundaries, self.constraints = _frame(boundaries.result()), _frame(constraints.result())
        self.second_boundaries = _frame(parts.result())
        if self.land == "inside":
            self._count_inside()
        self._lands = DiagramLands(self.diagrams.geometry)
        self.evaluations = {sysid: _frame(layer.result()) for sysid, layer in evaluations.items()}
        self.designs = design_members(asked.members, set(self.diagrams.index))
        self._votes, decided = votes.result(), talks.result()
        self._sessions = None if decided is None else sessions_of(decided, asked.title_of)

    def _count_inside(self) -> None:
        """Cuts the diagrams at the study area, as the cost report did for its figures."""
        self.title += INSIDE
        outside = self.costs.to_pandas("diagrams").set_index("diagramid")["outside_ha"]
        self._outside_ha = outside.reindex(self.diagrams.index).astype(float).fillna(0.0)
        self.diagrams = self.diagrams.set_geometry(inside(self.diagrams.geometry, self.boundaries))

    @cached_property
    def _outside_ha(self) -> pd.Series[float]:
        """The hectares of each diagram outside the study area: 0 without a geometry, NaN without boundaries."""
        return pd.Series(outside_hectares(self.diagrams.geometry, self.boundaries), self.diagrams.index)

    @property
    def without_geometry(self) -> list[int]:
        """The ids of the diagrams without a geometry, such as external ones. No question about land counts them.

        Examples:
            >>> project.compare().without_geometry
            [1015, 1055]
        """
        ids: list[int] = self.diagrams.index[~are_there(self.diagrams.geometry)].tolist()
        return ids

    def _long_frame(self, parts: dict[str | None, pd.DataFrame]) -> pd.DataFrame:
        """The rows of one design after another, with its label and its team in the first columns.

        The project, whose key is None, has neither of these columns.
        """
        if None in parts:
            return parts[None]
        for label, part in parts.items():
            part.insert(0, "design", pd.Series(label, part.index, dtype="str"))
            part.insert(1, "team", pd.Series(self.teams.get(str(label)), part.index, dtype="str"))
        frames = [part for part in parts.values() if len(part)] or list(parts.values())[:1]
        return pd.concat(frames, ignore_index=frames[0].index.name is None)

    def _in_scope(self, scope: str, others: str = "") -> dict[str | None, geopandas.GeoDataFrame]:
        """The diagrams of each design by its label, of one design, or, with the key None, of the project."""
        if isinstance(scope, str) and scope == "project":
            return {None: self.diagrams}
        if isinstance(scope, str) and scope == "designs" and not self.designs:
            raise InputError(
                'the comparison has no design: scope="project" asks about all diagrams of the project, or give designs '
                "to project.compare()"
            )
        if isinstance(scope, str) and scope in {"designs", *self.designs}:
            labels = list(self.designs) if scope == "designs" else [scope]
            return {label: self.diagrams[self.diagrams.index.isin(self.designs[label])] for label in labels}
        known = ", ".join(map(repr, self.designs)) or "none"
        raise InputError(
            f'scope must be "designs", "project"{others} or the label of a design, not {scope!r}; designs: {known}'
        )


@contextmanager
def asking(project: Project) -> Iterator[Ask]:
    """A function that sends requests, some at a time."""
    # Reading an archive does not wait, and each thread takes 64 MB of address space, which may be scarce.
    threads = REQUESTS_AT_ONCE if project._archived_at() is None else READS_AT_ONCE
    executor = ThreadPoolExecutor(threads, thread_name_prefix="compare")
    try:
        yield executor.submit
    finally:
        # After an error or an interrupt, nothing waits for requests in progress.
        executor.shutdown(wait=False, cancel_futures=True)


class AskedDesigns(NamedTuple):
    """Designs by label: requested diagrams if a team saved the design, else ids; and facts about the designs."""

    members: dict[str, Future[list[int]] | list[int]]
    #: The title of each design's team; None for a list of ids.
    owners: dict[str, str | None]
    #: A short name for each design.
    short: dict[str, str]
    #: The colour of each design's team; None if it has none.
    colors: dict[str, str | None]
    #: When each design was saved; None if that is not known.
    saved_at: dict[str, datetime | None]
    #: The title of a team by its id.
    title_of: Callable[[int], str]


def ask_for_designs(ask: Ask, project: Project, designs: Any) -> AskedDesigns:
    """Requests the diagrams of the designs. Default: the latest design of each team."""
    teams = ask(project.teams).result()
    requests = {team["id"]: ask(project.designs, team["id"]) for team in teams}
    saved = {team: request.result() for team, request in requests.items()}
    chosen = latest_designs(teams, saved) if designs is None else chosen_designs(designs, teams, saved)
    dates = {(team, design["id"]): saved_at(design) for team, own in saved.items() for design in own}
    members = {
        label: ask(project.design(design.design, design.team).diagram_ids)
        if isinstance(design, SavedDesign)
        else design
        for label, design in chosen.items()
    }
    colors = {team["id"]: team.color for team in teams}
    of_teams = {label: design for label, design in chosen.items() if isinstance(design, SavedDesign)}
    return AskedDesigns(
        members,
        {label: team_title(teams, of_teams[label].team) if label in of_teams else None for label in chosen},
        short_labels(teams, chosen),
        {label: colors.get(design.team) for label, design in of_teams.items()},
        {label: time_of(dates.get((design.team, design.design))) for label, design in of_teams.items()},
        partial(team_title, teams),
    )


def design_members(designs: dict[str, Future[list[int]] | list[int]], known: set[int]) -> dict[str, list[int]]:
    """The sorted ids of each design that are in the project."""
    return {
        label: known_ids(label, ids.result(), known, saved=True)
        if isinstance(ids, Future)
        else known_ids(label, ids, known, saved=False)
        for label, ids in designs.items()
    }


def membership(diagrams: pd.DataFrame, designs: dict[str, list[int]]) -> pd.DataFrame:
    """One row per diagram: a boolean for each design that may have it, and the number of designs with it."""
    table = pd.DataFrame({label: diagrams.index.isin(ids) for label, ids in designs.items()}, index=diagrams.index)
    table = table.astype(bool)
    return table.assign(chosen=table.sum(axis=1).astype(int))


def pictures(name: str) -> ModuleType:
    """Imports a module that draws. Matplotlib comes with another extra than GeoPandas."""
    try:
        return importlib.import_module(f"pygeodesign._pictures.{name}")
    except ImportError as missing:
        raise _missing_extra(missing) from missing


def note_of_missing(rows: geopandas.GeoDataFrame) -> str:
    """A note about diagrams that a picture of land leaves out, because they have no geometry."""
    missing = int((~are_there(rows.geometry)).sum())
    return f"{counted(missing, 'diagram')} without a geometry not counted" if missing else ""


def or_none(request: Callable[..., FeatureCollection], *arguments: Any) -> FeatureCollection | None:
    """The map, or None if the project has none of this kind, or one without features."""
    try:
        return request(*arguments) or None
    except NotFoundError:
        return None


def source_of(boundaries: Any) -> str:
    """The source of the study area, if it has one."""
    known = boundaries.metadata.get("description") if isinstance(boundaries, FeatureCollection) else None
    return f"Study area: {known}" if isinstance(known, str) and known.strip() else ""


def names_of_areas(outline: geopandas.GeoDataFrame | None) -> str:
    """The names of the boundaries' areas."""
    if outline is None or "bname" not in outline.columns:
        return ""
    return ", ".join(dict.fromkeys(str(name) for name in outline["bname"].dropna()))


def _frame(collection: FeatureCollection | None) -> geopandas.GeoDataFrame:
    if collection is None:
        return geopandas.GeoDataFrame({"areatype": [], "geometry": []}, geometry="geometry", crs="EPSG:4326")
    return collection.to_geopandas()


def systems_of(costs: CostReport, listed: list[SystemDetail]) -> pd.DataFrame:
    """The systems of the report by `sysid`, with tags and rates from the list."""
    systems = costs.to_pandas("systems").set_index("sysid")
    rates = {system["id"]: system["cost"] for system in listed}
    tags = {system["id"]: system["tag"] for system in listed}
    systems.insert(1, "tag", [tags.get(sysid) for sysid in systems.index])
    systems.insert(3, "rate", pd.to_numeric(pd.Series([rates.get(sysid) for sysid in systems.index], systems.index)))
    return systems


def impacts_of(listed: list[SystemDetail], ids: pd.Index[int]) -> pd.DataFrame:
    """The project's matrix of impacts: systems by `sysid`, row on column."""
    rows = {system["id"]: system.get("impacts", {}) for system in listed}
    cells = [[rows.get(acting, {}).get(affected, 0) for affected in ids] for acting in ids]
    return pd.DataFrame(cells, ids, ids, dtype=int)


def diagrams_of(costs: CostReport, names: pd.Series[str]) -> geopandas.GeoDataFrame:
    """The priced diagrams by `diagramid`, in the order of the systems."""
    frame = costs.to_geopandas().set_index("diagramid")
    frame["system"] = frame["sysid"].map(names)
    for name in DIAGRAM_COLUMNS:
        # For example, a project whose diagrams all lack features has no authors.
        if name not in frame:
            frame[name] = None
    amounts = [name for name in frame if name.startswith(QUANTITY)]
    chosen = frame[[*DIAGRAM_COLUMNS[:-1], *amounts, DIAGRAM_COLUMNS[-1]]].copy()
    for name in ("cost", "area_ha", "length_km", "pieces", "rate", "floor_above_m2", "floor_below_m2", *amounts):
        chosen[name] = pd.to_numeric(chosen[name])
    order = {sysid: place for place, sysid in enumerate(names.index)}
    return geopandas.GeoDataFrame(chosen.sort_values("sysid", key=lambda ids: ids.map(order), kind="stable"))
