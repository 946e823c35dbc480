"""`map_projects`: which projects are done where, tried again, and collected."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any

from pygeodesign import Project
from pygeodesign._many.read_archive import ProjectsArchive
from pygeodesign._many.work import Archived, Failure, Here, Pace, Served, Source
from pygeodesign._progress import bar
from pygeodesign._project_results import ProjectResults
from pygeodesign._wrong_arguments import with_article
from pygeodesign.errors import InputError

# A function that asks a service waits most of the time.
MAX_THREADS = 16


def run(
    function: Callable[[Project], Any],
    projects: Iterable[Project] | ProjectsArchive,
    cluster: Any,
    requests_per_second: float | None,
    retries: int,
    results: ProjectResults[Any] | None,
    progress: bool | None,
) -> ProjectResults[Any]:
    if not callable(function):
        raise InputError(f"function is {function!r}; give a function of one project")
    if requests_per_second is not None and not (
        isinstance(requests_per_second, Real) and 0 < requests_per_second < math.inf
    ):
        raise InputError(f"requests_per_second is {requests_per_second!r}; give a number greater than 0")
    if not isinstance(retries, int) or retries < 0:
        raise InputError(f"retries is {retries!r}; give 0 or more, a whole number")
    if results is not None and not isinstance(results, ProjectResults):
        raise InputError(f"results is {with_article(type(results).__name__)}; give what map_projects returned earlier")
    sources = _sources(projects, travelling=cluster is not None)
    results = ProjectResults() if results is None else results
    results.failures.clear()
    waiting = {projectid: source for projectid, source in sources.items() if projectid not in results}
    shown = bar("map_projects", len(waiting), progress)
    try:
        with _pool(cluster) as pool:
            for _ in range(retries + 1):
                if waiting:
                    _once(pool, function, waiting, requests_per_second, results, shown)
                    waiting = {projectid: waiting[projectid] for projectid in waiting if projectid in results.failures}
    except KeyboardInterrupt as interrupt:
        interrupt.results = results  # type: ignore[attr-defined]
        raise
    finally:
        if shown is not None:
            shown.close()
    return results


def _once(
    pool: Any,
    function: Callable[[Project], Any],
    waiting: dict[str, Source],
    requests_per_second: float | None,
    results: ProjectResults[Any],
    shown: Any,
) -> None:
    """Try each project once. As many are under way as there are threads, and they share the rate of requests."""
    at_once = min(pool.threads(), len(waiting))
    paced = {
        projectid: (source, _pace(requests_per_second, place, at_once))
        for place, (projectid, source) in enumerate(waiting.items())
    }
    for projectid, outcome in pool.outcomes(function, paced, at_once):
        if isinstance(outcome, Failure):
            if outcome.traceback is not None:
                outcome.error.add_note(f"On the worker:\n{outcome.traceback}")
            results.failures[projectid] = outcome.error
        else:
            results[projectid] = outcome
            results.failures.pop(projectid, None)
            if shown is not None:
                shown.update(1)


def _pace(requests_per_second: float | None, place: int, at_once: int) -> Pace | None:
    if requests_per_second is None:
        return None
    delay = place / requests_per_second if place < at_once else 0
    return Pace(requests_per_second / at_once, delay)


def _sources(projects: Any, *, travelling: bool) -> dict[str, Source]:
    if isinstance(projects, ProjectsArchive):
        return {projectid: Archived(projects._file_of(projectid)) for projectid in projects.projects}
    if isinstance(projects, (Project, str)) or not isinstance(projects, Iterable):
        raise InputError(
            f"projects cannot be {with_article(type(projects).__name__)}; give a list of projects, or a ProjectsArchive"
        )
    sources: dict[str, Source] = {}
    for project in projects:
        if not isinstance(project, Project):
            raise InputError(f"{project!r} is no Project; make one with client.project(id) or pygeodesign.open(path)")
        if project.id in sources:
            raise InputError(f"two of the projects have the id {project.id}, by which results are told apart")
        arguments = project._client_arguments() if travelling else None
        sources[project.id] = Here(project) if arguments is None else Served(project.id, arguments)
    return sources


@contextmanager
def _pool(cluster: Any) -> Iterator[Any]:
    if cluster is None:
        from pygeodesign._many.threads import Threads

        pool: Any = Threads(min(MAX_THREADS, 4 * (os.cpu_count() or 1)))
    else:
        from pygeodesign._many.dask_cluster import DaskCluster

        pool = DaskCluster(cluster)
    try:
        yield pool
    finally:
        pool.stop()
