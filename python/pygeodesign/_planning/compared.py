"""What is compared: a project's diagrams, systems and maps at one time, and designs as lists of diagram ids."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import geopandas
import pandas as pd

from pygeodesign._planning.designs import SavedDesign, chosen_designs, known_ids, latest_designs
from pygeodesign.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pygeodesign import CostReport, FeatureCollection, Project
    from pygeodesign.types import SystemDetail

REQUESTS_AT_ONCE = 8
# Columns of `diagrams`, and what the frame of a cost report calls them.
DIAGRAM_COLUMNS = {
    "sysid": "sysid",
    "system": "system",
    "title": "description",
    "kind": "kind",
    "author": "author",
    "cost": "cost",
    "area_ha": "area_ha",
    "area_source": "area_source",
    "length_km": "length_km",
    "rate": "rate",
    "rate_source": "rate_source",
    "start_date": "start_date",
    "end_date": "end_date",
    "geometry": "geometry",
}


class Compared:
    """The data of a comparison. It is downloaded when this is made; nothing is asked for afterwards."""

    #: The project.
    project: Project
    #: Its title.
    title: str
    #: The ids of the diagrams of each design, sorted, by the label of the design.
    designs: dict[str, list[int]]
    #: The cost of all diagrams of the project.
    costs: CostReport
    #: One row per diagram, by `diagramid`, in the order of the systems.
    diagrams: geopandas.GeoDataFrame
    #: One row per system, by `sysid`.
    systems: pd.DataFrame
    #: The study area; empty where the project has none.
    boundaries: geopandas.GeoDataFrame
    #: The areas where nothing can be changed; empty where the project has none.
    constraints: geopandas.GeoDataFrame
    #: The evaluation map of each system, by `sysid`; empty where the system has none.
    evaluations: dict[int, geopandas.GeoDataFrame]

    def __init__(self, project: Project, designs: Any = None) -> None:
        """Download all that the questions need, some requests at a time."""
        self.project = project
        executor = ThreadPoolExecutor(REQUESTS_AT_ONCE, thread_name_prefix="compare")
        try:
            self._download(executor, designs)
        finally:
            # After an error or an interrupt nobody waits for requests that are under way.
            executor.shutdown(wait=False, cancel_futures=True)

    def _download(self, executor: ThreadPoolExecutor, designs: Any) -> None:
        project = self.project

        def ask(request: Callable[..., Any], *arguments: Any) -> Future[Any]:
            return executor.submit(request, *arguments)

        costs, systems, info = ask(project.costs), ask(project.systems), ask(project.info)
        boundaries, constraints = ask(_or_none, project.boundaries), ask(_or_none, project.constraints)
        teams = ask(project.teams).result()
        saved = {team["id"]: ask(project.designs, team["id"]) for team in teams}
        ids = [system["id"] for system in systems.result()]
        details = [ask(project.system, sysid) for sysid in ids]
        evaluations = {sysid: ask(_or_none, project.evaluation, sysid) for sysid in ids}
        designs_of_teams = {team: answer.result() for team, answer in saved.items()}
        if designs is None:
            chosen: dict[str, Any] = dict(latest_designs(teams, designs_of_teams))
        else:
            chosen = dict(chosen_designs(designs, teams, designs_of_teams))
        members = {
            label: ask(project.design_diagram_ids, *design) if isinstance(design, SavedDesign) else design
            for label, design in chosen.items()
        }
        self.title = info.result().get("projecttitle") or project.id
        self.costs = costs.result()
        self.systems = _systems(self.costs, [detail.result() for detail in details])
        self.diagrams = _diagrams(self.costs, self.systems["name"])
        self.boundaries, self.constraints = _frame(boundaries.result()), _frame(constraints.result())
        self.evaluations = {sysid: _frame(answer.result()) for sysid, answer in evaluations.items()}
        known = set(self.diagrams.index)
        self.designs = {
            label: known_ids(label, ids.result(), known, saved=True)
            if isinstance(ids, Future)
            else known_ids(label, ids, known, saved=False)
            for label, ids in members.items()
        }

    @property
    def without_geometry(self) -> list[int]:
        """The ids of the diagrams without a geometry, such as external ones. No question about land counts them.

        Examples:
            >>> project.compare().without_geometry
            [1015, 1055]
        """
        ids: list[int] = self.diagrams.index[self.diagrams.geometry.isna()].tolist()
        return ids


def note_of_missing(ids: list[int]) -> str:
    """What a picture of land leaves out: these diagrams, which have no geometry."""
    count = len(ids)
    return f"{count} diagram{'' if count == 1 else 's'} without a geometry not counted" if count else ""


def _or_none(request: Callable[..., FeatureCollection], *arguments: Any) -> FeatureCollection | None:
    """The map, or None where the project has none of this kind."""
    try:
        return request(*arguments)
    except NotFoundError:
        return None


def _frame(collection: FeatureCollection | None) -> geopandas.GeoDataFrame:
    if collection is None or len(collection) == 0:
        return geopandas.GeoDataFrame({"areatype": [], "geometry": []}, geometry="geometry", crs="EPSG:4326")
    return collection.to_geopandas()


def _systems(costs: CostReport, details: list[SystemDetail]) -> pd.DataFrame:
    """The systems of the report by `sysid`, with their rates."""
    systems = costs.to_pandas("systems").set_index("sysid")
    rates = {detail["id"]: detail["cost"] for detail in details}
    tags = {detail["id"]: detail["tag"] for detail in details}
    systems.insert(1, "tag", [tags.get(sysid) for sysid in systems.index])
    systems.insert(3, "rate", pd.to_numeric(pd.Series([rates.get(sysid) for sysid in systems.index], systems.index)))
    return systems


def _diagrams(costs: CostReport, names: pd.Series[str]) -> geopandas.GeoDataFrame:
    """The priced diagrams by `diagramid`, in the order of the systems."""
    frame = costs.to_geopandas().set_index("diagramid")
    frame["system"] = frame["sysid"].map(names)
    for name in DIAGRAM_COLUMNS.values():
        # A project whose diagrams are all without features has no authors, for example.
        if name not in frame:
            frame[name] = None
    chosen = frame[list(DIAGRAM_COLUMNS.values())].set_axis(list(DIAGRAM_COLUMNS), axis=1)
    for name in ("cost", "area_ha", "length_km", "rate"):
        chosen[name] = pd.to_numeric(chosen[name])
    order = {sysid: place for place, sysid in enumerate(names.index)}
    return geopandas.GeoDataFrame(chosen.sort_values("sysid", key=lambda ids: ids.map(order), kind="stable"))
