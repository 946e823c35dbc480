"""A project's methods in Python: maps, galleries, comparisons, records, files for QGIS, tables of external diagrams.

`import pygeodesign` imports this file, so it imports no library: slow imports happen in the calls.
"""

from __future__ import annotations

from pygeodesign._core import AsyncProject, Project, _need, _write_whole
from pygeodesign._methods.added import method_of

# Not from `typing`, whose import takes longer than the rest of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date
    from os import PathLike
    from pathlib import Path
    from typing import Any, Literal

    from pandas import DataFrame

    from pygeodesign._core import _Design, _NamedDesign, _System, _Team
    from pygeodesign.maps import Gallery, LiveMap, WebMap
    from pygeodesign.planning import Comparison
    from pygeodesign.types import UploadedRow


@method_of(Project, AsyncProject)
def map(  # noqa: A001
    self: Project,
    designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
    *,
    member: str | None = None,
    team: _Team | None = None,
    design: _NamedDesign | None = None,
    evaluations: bool = True,
    title: str | None = None,
    credits: str | None = None,
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
    basemap: str | PathLike[str] | tuple[str, str] | Mapping[str, Any] | None = None,
    height: int = 560,
    draw: bool | _System = False,
    live: bool | None = None,
    on_drawn: Callable[[dict[str, Any]], object] | None = None,
    static: bool = False,
) -> WebMap | LiveMap:
    """An interactive map: boundaries, constraints, diagrams by system, and evaluation maps as layers.

    Its contents are downloaded, some requests at a time. A notebook shows the map; `to_html` writes it as one
    file that needs no network. Archives from `pygeodesign.open` work in the same way.

    Args:
        designs: Designs to show side by side, moved together, up to 12: as for `compare`. Default: one map with all
            diagrams.
        member: Only diagrams that this member selected.
        team: The design's team, if several teams have designs of that title. Without `design`, the team's latest
            design.
        design: Only this design: the object, its id, its title or its title's unique start.
        evaluations: True to add evaluation maps as layers.
        title: The title. Default: the name of the project.
        credits: The line below the map. Default: the source of the boundary, if it has one.
        currency: The currency of costs, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        units: `"metric"`, or `"us"` for acres and miles. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or light.
        basemap: Background tiles that the browser loads from a server on the network: `"streets"`, `"light"`, `"dark"`,
            `"topography"` or `"satellite"`; a pair of a tile address with `{z}`, `{x}` and `{y}` and its
            credits; or a provider of xyzservices; or a file of tiles (MBTiles with PNG, JPEG or WebP), of which the
            page includes the tiles of its region, up to 12 MB. Default: none.
        height: The height in a notebook, in pixels.
        draw: True to draw on the map in a notebook cell; or the system to start with: the object, its id, name
            or tag.
        live: True to keep the map in the cell and follow changes by others. Default: in the kernel of a notebook,
            unless you give title, credits, currency, units or basemap, which only a page has.
        on_drawn: A function, called with each finished drawing, a `FeatureCollection`-like GeoJSON dict, instead of
            sending it to the service.
        static: True to make a page with the project's current state, even in a notebook.

    Returns:
        A `pygeodesign.maps.WebMap`; with `draw` or `live`, and in the kernel of a notebook, a
        `pygeodesign.maps.LiveMap`.

    Raises:
        InputError: A design, the units, the theme, the basemap or the system is unknown, or the project has more than
            3,000,000 positions.
        ImportError: matplotlib, GeoPandas or anywidget is missing; `pip install 'pygeodesign[notebook]'` installs them.

    Examples:
        >>> project.map(currency="USD").to_html("map.html")
        >>> project.map([(1, project.designs(1)[0]["id"]), (2, project.designs(2)[0]["id"])]).to_html("designs.html")
    """
    options = locals()
    del options["self"]
    _need("geopandas", "pyarrow")
    _need("matplotlib")
    from pygeodesign.maps import project_map

    return project_map(self, **options)


@method_of(Project, AsyncProject)
def gallery(
    self: Project,
    *,
    member: str | None = None,
    team: _Team | None = None,
    design: _NamedDesign | None = None,
    system: _System | None = None,
    limit: int | None = 100,
    title: str | None = None,
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    theme: Literal["light", "dark"] | None = None,
) -> Gallery:
    """Thumbnails of the diagrams as a grid: each over the study area, with its id, title, system and cost.

    They are drawn from the geometries, so archives have a gallery, too. A notebook shows it; `to_html`
    writes it as one file that needs no network.

    Args:
        member: Only diagrams that this member selected.
        team: The design's team, if several teams have designs of that title. Without `design`, the team's latest
            design.
        design: Only this design: the object, its id, its title or its title's unique start.
        system: Only diagrams of this system: its id, name or tag.
        limit: The most diagrams to show; the page says how many more there are. None shows all.
        title: The title. Default: the name of the project.
        currency: The currency of costs, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        units: `"metric"`, or `"us"` for acres and miles. Default: from `pygeodesign.options`.
        theme: `"light"` or `"dark"`. Default: from `pygeodesign.options`, or light.

    Returns:
        A `pygeodesign.maps.Gallery`.

    Raises:
        InputError: The system, the units or the theme is unknown.
        ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` installs them.

    Examples:
        >>> project.gallery(system="Water")
        <Gallery of Staten Island 2050: 20 diagrams>
        >>> project.gallery(limit=None).to_html("gallery.html")
    """
    options = locals()
    del options["self"]
    _need("geopandas", "pyarrow")
    _need("matplotlib")
    from pygeodesign import maps

    return maps.gallery(self, **options)


@method_of(Project, AsyncProject)
def compare(
    self: Project,
    designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
    *,
    land: Literal["all", "inside"] = "all",
) -> Comparison:
    """Compares designs: where they agree, where diagrams collide, and which land they use.

    The project's diagrams, systems, maps and designs are downloaded, some requests at a time. The
    questions send no further requests, so you can ask them without a network. Archives from `pygeodesign.open` work
    in the same way.

    Args:
        designs: The designs, as a list, or as a dict from labels: pairs of team id and design id, ids of designs,
            or lists of diagram ids. Default: the latest design of each team.
        land: The land that counts: `"all"`, or `"inside"` for the part of each diagram inside the study area, as in
            `costs`. Every question then counts only this part.

    Returns:
        A `pygeodesign.planning.Comparison`. Designs of teams are called `Team – Design`, lists of diagram ids `Design
        1` and so on.

    Raises:
        InputError: No design has that id, the project does not have one of the diagrams, or a design has none of the
            forms above. For `land="inside"`, the project has no boundaries.
        ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.

    Warns:
        UserWarning: A team's design has diagrams that the project no longer has; they are left out.

    Examples:
        >>> project.compare()
        <Comparison of Staten Island 2050: 4 designs, 180 diagrams, 2 without a geometry>
        >>> project.compare({"marsh": [1001, 1002], "Conservation": (1, project.designs(1)[0]["id"])}).designs["marsh"]
        [1001, 1002]
        >>> project.compare(land="inside")
        <Comparison of Staten Island 2050 – inside the study area: 4 designs, 180 diagrams, 2 without a geometry>
    """
    _need("geopandas", "pyarrow")
    from pygeodesign.planning import Comparison

    return Comparison(self, designs, land)


@method_of(Project, AsyncProject)
def record(
    self: Project,
    folder: str | PathLike[str],
    *,
    designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
    land: Literal["all", "inside"] = "all",
    title: str | None = None,
    author: str = "",
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    language: str | None = None,
    sections: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> list[Path]:
    """Writes the record of a workshop into one folder: report, archive, GeoPackage, workbook of costs, and history.

    The archive is read first, and everything except the history is made from it, so that they show one state.
    The folder stays empty until all files are complete. `index.html` is its first page: when diagrams were drawn and
    designs decided, who wrote the record, teams with their members, counts, a map of the agreed design or else of all
    diagrams, and the files.

    Args:
        folder: A new or empty folder.
        designs: The designs that the report compares, as for `compare`. Default: the latest design of each team.
        land: The land that counts in the report and in the costs, as for `compare`.
        title: The heading of the report. Default: the title of the project.
        author: The author, for the first pages. Default: the caller in the record, if known, and none in the report.
        currency: The currency, such as `"USD"`. Default: from the project, or else from `pygeodesign.options`.
        units: `"metric"`, or `"us"` for acres and miles in the report. Default: from `pygeodesign.options`.
        language: The language of the first page and the report, such as `"de"`, as for `Comparison.to_html`. Default:
            the project's.
        sections: Additions to the report, as for `Comparison.to_html`: `{"optimum": {"budget": 1e9}}` adds the best
            choice under a budget.
        progress: True to show progress bars, which need tqdm. Default: in a notebook or a terminal.

    Returns:
        The paths of the files. `history.csv` is missing if the history cannot be read, as in an archive;
        `index.html` says so.

    Raises:
        InputError: The folder has files in it, or an argument is invalid for `compare` or `Comparison.to_html`.
        ImportError: GeoPandas or XlsxWriter is missing; `pip install 'pygeodesign[notebook]'` installs them.

    Examples:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> [path.name for path in project.record(f"{folder}/evening", author="Ana López", currency="USD")]
        ['index.html', 'report.html', 'project.zip', 'project.gpkg', 'costs.xlsx', 'history.csv']
    """
    _need("geopandas", "pyarrow")
    _need("xlsxwriter")
    from pygeodesign._record import record

    report: dict[str, Any] = {"title": title, "author": author, "currency": currency, "units": units}
    report |= {"language": language, "sections": sections}
    return record(self, folder, designs, land, report, progress)


@method_of(Project, AsyncProject)
def activity(self: Project, since: date | str | None = None, *, minutes: int = 15) -> DataFrame:
    """The changes of the members, counted by quarter of an hour, member, team and system, and who is silent.

    It is made of the history: what the caller can read of it, and as far back as the service keeps it.

    Args:
        since: Only changes from this time on, as for `history`.
        minutes: The length of a period, from 1 to 1,440 (a day).

    Returns:
        A DataFrame with one row per period, member and system: `time` (the start of the period, UTC), `username`,
        `team` (missing without one), `system` (missing if a change is about no diagram), and the numbers of changes:
        `drawn`, `changed` (diagrams, also withdrawn ones), `chosen` (choices and votes), `designed` (designs and
        negotiations), `said` (comments and reviews) and `other`. `attrs["silent"]` lists the members without any.

    Raises:
        InputError: `minutes` or `since` is invalid.
        PermissionDeniedError: The guest's link has no names.
        ImportError: pandas is missing; `pip install 'pygeodesign[geo]'` installs it.

    Examples:
        >>> project.diagram(1005).set_notes("Ask the school first.")
        >>> table = project.activity()
        >>> table[["username", "system", "changed"]].tail(1).to_string(header=False, index=False).split()
        ['admin', 'Water', '1']
        >>> len(project.activity().attrs["silent"])
        12
    """
    _need("pandas")
    from pygeodesign._activity import activity

    return activity(self, since, minutes)


@method_of(Project, AsyncProject)
def to_qgis(self: Project, path: str | PathLike[str]) -> None:
    """Writes a QGIS project that shows this project's current state at the service, in the colours of its systems.

    The file has no data: QGIS requests them from the service's OGC API (`/ogc/`), with a name and a password. Any name
    will do, and the password is the token. Neither is in the file, so you can give it to all members. It has
    diagrams, parts, designs, selections, evaluation maps and maps as layers in groups, forms with the titles of the
    systems, and a print layout of A3. Its reference system is the UTM zone of the study area. It has no background,
    which another server would have to provide. If the client has a local address (`127.0.0.1`), a warning says that the
    file works on this machine only.

    Args:
        path: The file to write: `.qgz`, a project of QGIS 3.22 or later, or `.qlr`, a layer definition file with the
            same layers, for an existing project. An existing file is replaced when the new one is complete.

    Raises:
        InputError: The path has another extension, the project is from an opened archive, which QGIS cannot connect to,
            or the service has no OGC API.
        OSError: The file cannot be written.

    Examples:
        >>> project.to_qgis("staten.qgz")
    """
    from pathlib import Path

    from pygeodesign._qgis import content

    _write_whole(path, content(self, Path(path)))


@method_of(Project, AsyncProject)
def add_external_diagrams(
    self: Project,
    table: str | PathLike[str] | DataFrame | Iterable[Mapping[str, Any]],
    *,
    layer_type: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    dry_run: bool = False,
) -> list[UploadedRow]:
    """Adds one diagram for each row of a table. The geometries are in files on other servers.

    The columns are those of the public platform's archiver, or the arguments of `System.add_external`: `url` (or
    `flat_geobuf_url`), `title` (`description`), `system` (`system_id`: an id, name or tag), and optionally
    `kind` (`project_or_policy`), `funding` (`funding_type`), `feature_type`, `layer_type`, `cost` (0 for none),
    `cost_type` (`t`, `u`) and `additional_metadata` (JSON). Every row is checked before the first is sent.

    Args:
        table: The path of a CSV or Excel file, a DataFrame, or a list of dicts.
        layer_type: The type for rows without one: `fgb-layer` (the default), `cogs`, `pmtiles-layer`, or another that
            the service knows.
        on_error: For rows that cannot be sent, `"raise"` an error, or `"skip"` them and send the others.
        dry_run: True to check everything without sending it.

    Returns:
        A list of `UploadedRow` dicts in the order of the rows, as from `add_diagrams`. `grid_location` is None.

    Raises:
        InputError: The table lacks one of the first three columns, the file cannot be read, or rows cannot be
            sent; it names up to 20 of them, and has all of them as `rows`. Nothing was added.

    Examples:
        >>> parks = {"description": "Parks", "system_id": 3, "flat_geobuf_url": "https://data.example.org/parks.fgb"}
        >>> [row["error"] for row in project.add_external_diagrams([parks], dry_run=True)]
        [None]
    """
    from pygeodesign._external_table import add_external_diagrams

    return add_external_diagrams(self, table, layer_type, on_error, dry_run)
