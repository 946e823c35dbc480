"""`map_projects`: a function of each of many projects, on threads or on a cluster."""

from __future__ import annotations

from pygeodesign._project_results import ProjectResults

# Not from `typing`, whose import takes longer than that of the whole package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from distributed import Client as _DaskClient

    from pygeodesign._core import Project
    from pygeodesign._many.read_archive import ProjectsArchive

    _Result = TypeVar("_Result")


def map_projects(
    function: Callable[[Project], _Result],
    projects: Iterable[Project] | ProjectsArchive,
    client: _DaskClient | None = None,
    *,
    requests_per_second: float | None = None,
    retries: int = 1,
    results: ProjectResults[_Result] | None = None,
    progress: bool | None = None,
) -> ProjectResults[_Result]:
    """Call a function with each of many projects, on threads, or on the processes of a Dask cluster.

    A failure of one project is no failure of the others. If a worker of the cluster dies, others take over its
    projects. Each worker has one connection to a service, whatever the number of its projects.

    Args:
        function: A function of one `Project`, such as `lambda project: project.costs().total`. For a cluster, it and
            what it returns are pickled.
        projects: Projects of services, projects from `pygeodesign.open`, which travel as bytes, or all of a
            `ProjectsArchive`, whose store every worker must reach.
        client: A `distributed.Client`. Default: threads of this process.
        requests_per_second: How many requests are sent per second at most, by all threads or workers together.
            Default: no limit other than that of the clients.
        retries: How often the projects that failed are tried again, after all others.
        results: What an earlier call returned, or an interrupted one had: projects in it are not done again. It is
            added to.
        progress: Whether to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

    Returns:
        A dict from the id of each project to its result. Its `failures` is a dict from the id of each project that
        failed to the last exception.

    Raises:
        InputError: A project is none, or two have the same id.
        KeyboardInterrupt: Ctrl-C. Its attribute `results` has the results so far.
        ImportError: distributed is missing; `pip install 'pygeodesign[dask]'` brings it.

    Examples:
        >>> import pygeodesign
        >>> totals = pygeodesign.map_projects(lambda project: round(project.costs().total), [project])
        >>> totals
        <ProjectResults: 1 results, 0 failures>
        >>> totals["StatenIsland2050"] == round(project.costs().total)
        True
    """
    from pygeodesign._many.map_projects import run

    return run(function, projects, client, requests_per_second, retries, results, progress)
