"""The package's own functions: archives, measures, and a call of one function for many projects.

`import pygeodesign` imports this file, so it imports no library: slow imports happen in the calls.
"""

from __future__ import annotations

import warnings

from pygeodesign import _core
from pygeodesign._changes.archive_changes import ArchiveChanges
from pygeodesign._core import Project
from pygeodesign._project_results import ProjectResults
from pygeodesign.errors import InputError

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from typing import Any, TypeAlias, TypeVar

    import pandas as pd
    from distributed import Client as _DaskClient

    from pygeodesign._core import _Geometries
    from pygeodesign._many.read_archive import ProjectsArchive

    _Archive: TypeAlias = Project | str | PathLike[str]
    _Result = TypeVar("_Result")


def open(path: str | PathLike[str]) -> Project:  # noqa: A001
    """Opens the project in an archive that `Project.archive` wrote. No service and no network are needed.

    The complete file is verified first. The project has the methods of every `Project`: those that read return what the
    service returned when the project was archived, those that write raise `InputError`.

    Args:
        path: The archive.

    Returns:
        A `Project`.

    Raises:
        ArchiveError: There is no such file, it is not a project archive, it is damaged, or it was written by a newer
            version of pygeodesign.

    Examples:
        >>> import tempfile, pygeodesign
        >>> folder = tempfile.mkdtemp()
        >>> with pygeodesign.Sandbox() as sandbox:
        ...     counts = sandbox.client().project("StatenIsland2050").archive(f"{folder}/staten.zip")
        >>> pygeodesign.open(f"{folder}/staten.zip").info()["projecttitle"]
        'Staten Island 2050'
    """
    return _core._open(path)


def read_archive(store: Any, *, storage_options: dict[str, Any] | None = None) -> ProjectsArchive:
    """Opens an archive of many projects that `Client.archive_all` wrote. No service is needed.

    Only its manifest is read now; the rest is read when you ask for it.

    Args:
        store: The place given to `archive_all`: a folder, a URL such as `"s3://bucket/archive"`, a filesystem of
            fsspec, or a store of obstore.
        storage_options: Options of fsspec for the URL.

    Returns:
        A `ProjectsArchive`.

    Raises:
        ArchiveError: There is no archive, it is damaged, or it was written by a newer version of pygeodesign.
        InputError: The store is of another kind.
        ImportError: fsspec is missing; `pip install 'pygeodesign[many]'` installs it.

    Examples:
        >>> import tempfile, pygeodesign
        >>> folder = tempfile.mkdtemp()
        >>> with pygeodesign.Sandbox() as sandbox:
        ...     report = sandbox.client().archive_all(folder)
        >>> projects = pygeodesign.read_archive(folder)
        >>> list(projects.projects)
        ['StatenIsland2050']
        >>> with projects.duckdb() as database:
        ...     database.sql("SELECT count(*) FROM diagrams").fetchall()
        [(180,)]
    """
    from pygeodesign._many.read_archive import open_projects

    return open_projects(store, storage_options)


def compare_archives(first: _Archive, second: _Archive) -> ArchiveChanges:
    """Compares two archives of a project, from the earlier to the later one.

    Args:
        first: An archive: a path, or a project from `pygeodesign.open`. A `Project` of a service is compared in its
            current state.
        second: Another archive of the same project. The times in the manifests say which is earlier, in any order of
            the arguments; if they are the same or missing, `first` is.

    Returns:
        An `ArchiveChanges`: the added, removed and changed diagrams with titles and authors, the changed fields,
        the reasons for different costs, and the cost of each system before and after. It converts to a frame
        (`to_pandas()`) and a page (`to_html()`), and shows as a card in a notebook.

    Raises:
        ArchiveError: A file is not an archive, or is damaged.
        InputError: The two are archives of different projects.

    Warns:
        UserWarning: Rows of either archive cannot be read, or are wrong; it names the first. They have no cost.

    Examples:
        >>> import tempfile, pygeodesign
        >>> folder = tempfile.mkdtemp()
        >>> with pygeodesign.Sandbox() as sandbox:
        ...     project = sandbox.client().project("StatenIsland2050")
        ...     counts = project.archive(f"{folder}/monday.zip")
        ...     message = project.diagram(1001).update(additional_metadata={}, title="Tidal marsh")
        ...     counts = project.archive(f"{folder}/tuesday.zip")
        >>> changes = pygeodesign.compare_archives(f"{folder}/tuesday.zip", f"{folder}/monday.zip")
        >>> changes.added, changes.retitled
        ([], [1001])
        >>> [(row["title"], row["users"], row["fields"][0]["after"]) for row in changes.diagrams]
        [('Tidal marsh', ['admin'], 'Tidal marsh')]
    """
    projects = [archive if isinstance(archive, Project) else open(archive) for archive in (first, second)]
    if projects[0].id != projects[1].id:
        raise InputError(f"{projects[0]!r} and {projects[1]!r} are different projects: compare two archives of one")
    return ArchiveChanges(*projects)


def measure(geometries: _Geometries) -> pd.DataFrame:
    """Measures areas in hectares and lengths in kilometres, geodesic on WGS 84, with the code that prices diagrams.

    Areas are of polygons without their holes, whatever the orientation of the rings; lengths are of lines,
    not of outlines. Geometries are measured as they are, valid or not, on all processors. An edge is a geodesic: it
    takes the shorter way around the Earth, also across longitude 180. All figures agree with pyproj's `Geod` to 1e-9.

    Args:
        geometries: A GeoDataFrame or GeoSeries in any CRS, an Arrow stream such as a pyarrow Table with a GeoArrow
            column, GeoJSON as a dict or string, a shapely geometry, a `FeatureCollection`, or a list of these. A Dask
            DataFrame or Series of geometries is measured partition by partition, when it is computed.

    Returns:
        A DataFrame with `area_ha`, `length_km` and `pieces` (the number of points), one row per geometry, in the same
        order and with the index of the frame. A missing geometry has NaN, as has one with a NaN or infinite position;
        an empty one has 0. For a Dask frame, the result is a Dask DataFrame.

    Raises:
        InputError: A frame has no CRS (`set_crs(4326)` sets longitude and latitude), GeoJSON is in a CRS other than
            WGS 84, a position is beyond longitude ±180 or latitude ±90, or an item is not a geometry; the message names
            the feature.
        ImportError: pandas, or a library that reads the geometries, is missing; `pip install 'pygeodesign[geo]'`
            installs them.

    Warns:
        UserWarning: A polygon goes around the whole Earth or is a band of all longitudes. Geodesics do not go that
            way, so its area is not the one on a flat map, and is often 0. `Project.costs()` treats it as unknown.

    Examples:
        >>> import pygeodesign
        >>> square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
        >>> line = {"type": "LineString", "coordinates": [[0, 0], [1, 0]]}
        >>> pygeodesign.measure([square, line]).round(3)
               area_ha  length_km  pieces
        0  1230877.836      0.000     0.0
        1        0.000    111.319     0.0
    """
    try:
        import pandas as pd
    except ImportError as missing:
        raise _core._missing_extra(missing) from missing

    if hasattr(geometries, "map_partitions"):
        partitions: pd.DataFrame = geometries.map_partitions(
            measure, meta=pd.DataFrame({"area_ha": [], "length_km": [], "pieces": []}, dtype="float64")
        )
        return partitions

    from pygeodesign import _inputs

    index, encoded = _inputs.geometries(geometries)
    (areas, lengths, pieces), around_the_earth = _core._measure(encoded)
    if around_the_earth:
        rows = ", ".join(map(str, around_the_earth[:5])) + (" …" if len(around_the_earth) > 5 else "")
        message = (
            f"polygons that go around the whole Earth have geodesic areas unlike those on a flat map: feature {rows}; "
            "cut them into polygons of less than 180 degrees of longitude"
        )
        warnings.warn(message, stacklevel=2)
    return pd.DataFrame({"area_ha": areas, "length_km": lengths, "pieces": pieces}, index=index)


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
    """Calls a function with each of many projects, on threads or on the processes of a Dask cluster.

    If one project fails, the others go on. If a worker of the cluster dies, others take over its
    projects. Each worker has one connection to a service, whatever the number of its projects.

    Args:
        function: A function of one `Project`, such as `lambda project: project.costs().total`. For a cluster, the
            function and its results are pickled.
        projects: Projects of services, projects from `pygeodesign.open`, which travel as bytes, or all of a
            `ProjectsArchive`, whose store every worker must reach.
        client: A `distributed.Client`. Default: threads of this process.
        requests_per_second: At most this many requests per second, by all threads or workers together.
            Default: only the clients' own limits.
        retries: Retries of failed projects, after all others.
        results: The results of an earlier call, or of an interrupted one: their projects are not done again. New
            results are added to it.
        progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.

    Returns:
        A dict from the id of each project to its result. Its attribute `failures` is a dict from the id of each failed
        project to its last exception.

    Raises:
        InputError: An item is not a project, or two have the same id.
        KeyboardInterrupt: Ctrl-C. Its attribute `results` has the results so far.
        ImportError: distributed is missing; `pip install 'pygeodesign[dask]'` installs it.

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
