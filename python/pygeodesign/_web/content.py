"""What a map of a project has beside its diagrams, asked for all at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from geopandas import GeoDataFrame
from shapely import box

from pygeodesign import FeatureCollection, Project
from pygeodesign._planning.designs import SavedDesign, chosen_designs, known_ids
from pygeodesign.errors import InputError, NotFoundError

REQUESTS_AT_ONCE = 8
MAX_DESIGNS = 12


class Layers(NamedTuple):
    """The layers of a project's map, and the ids of the diagrams of each design that is shown by itself."""

    diagrams: GeoDataFrame
    boundary: FeatureCollection | GeoDataFrame
    constraints: FeatureCollection | None
    evaluations: list[tuple[str, FeatureCollection]]
    designs: dict[str, list[int]]
    title: str
    what: str


def layers_of(
    project: Project,
    designs: Any,
    member: str | None,
    team: int | None,
    design: str | None,
    evaluations: bool,
) -> Layers:
    """Download what is on the map, some requests at a time."""
    if designs is not None and not (member is None and team is None and design is None):
        raise InputError("designs= shows designs side by side: leave out member=, team= and design=")
    executor = ThreadPoolExecutor(REQUESTS_AT_ONCE, thread_name_prefix="map")

    def ask(request: Callable[..., Any], *arguments: Any, **named: Any) -> Future[Any]:
        return executor.submit(request, *arguments, **named)

    try:
        costs = ask(project.costs, member=member, team=team, design=design)
        boundary, constraints = ask(study_area, project), ask(_or_none, project.constraints)
        systems = ask(project.systems).result() if evaluations else []
        maps = [(system["name"], ask(_or_none, project.evaluation, system["id"])) for system in systems]
        report = costs.result()
        frame = report.to_geopandas()
        members = {} if designs is None else _members(project, designs, ask, set(frame["diagramid"]))
        found = [(str(name), answer.result()) for name, answer in maps]
        return Layers(
            diagrams=frame,
            boundary=boundary.result(),
            constraints=constraints.result(),
            evaluations=[(name, collection) for name, collection in found if collection is not None],
            designs=members,
            title=report.project_title or project.id,
            what=report.selection or "",
        )
    finally:
        # After an error or an interrupt nobody waits for requests that are under way.
        executor.shutdown(wait=False, cancel_futures=True)


def study_area(project: Project) -> FeatureCollection | GeoDataFrame:
    """The boundaries of the project, or the rectangle that it was created with."""
    found = _or_none(project.boundaries)
    return GeoDataFrame(geometry=[box(*project.bounds())], crs=4326) if found is None else found


def _or_none(request: Callable[..., FeatureCollection], *arguments: Any) -> FeatureCollection | None:
    """The collection, or None where the project has none of this kind."""
    try:
        found = request(*arguments)
    except NotFoundError:
        return None
    return found if len(found) else None


def _members(project: Project, designs: Any, ask: Any, known: set[int]) -> dict[str, list[int]]:
    """The ids of the diagrams of each design, by its label."""
    teams = project.teams()
    answers = {team["id"]: ask(project.designs, team["id"]) for team in teams}
    saved = {team: answer.result() for team, answer in answers.items()}
    chosen = chosen_designs(designs, teams, saved)
    if not 1 <= len(chosen) <= MAX_DESIGNS:
        raise InputError(f"designs has {len(chosen)} designs; 1 to {MAX_DESIGNS} fit side by side")
    ids = {
        label: ask(project.design_diagram_ids, *item) if isinstance(item, SavedDesign) else item
        for label, item in chosen.items()
    }
    return {
        label: known_ids(label, item.result(), known, saved=True)
        if isinstance(item, Future)
        else known_ids(label, item, known, saved=False)
        for label, item in ids.items()
    }
