"""What a project does in Python: maps, galleries, comparisons, records, files for QGIS, tables of external diagrams.

`import pygeodesign` imports this file, so it imports no library: what takes time is imported when it is called.
"""

from __future__ import annotations

from pygeodesign._core import AsyncProject, Project, _need, _write_whole
from pygeodesign._methods.added import method_of

# Not from `typing`, whose import takes longer than that of the whole package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
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
    """A map to look around in: boundaries, constraints, diagrams by system, and evaluation maps as layers.

    What is on it is downloaded, some requests at a time. In a notebook it shows itself; `to_html` writes it as one
    file, which needs no network. On an archive from `pygeodesign.open` it is the same.

    Args:
        designs: Designs to show side by side, moved together, up to 12: as for `compare`. Default: one map with all
            diagrams.
        member: Only what this member selected.
        team: Where titles of several teams are alike, the team of the design; alone, its latest design.
        design: Only this design: the object, its id, its title or the unique start of one.
        evaluations: Whether the evaluation maps are layers.
        title: The title. Default: the name of the project.
        credits: Below the map. Default: where the boundary is from, if it says so.
        currency: The currency of costs, such as `"USD"`, which no service tells. Default: as `pygeodesign.options`
            says.
        units: `"metric"`, or `"us"` for acres and miles. Default: as `pygeodesign.options` says.
        theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or light.
        basemap: What the browser loads under the map, from a server on the network: `"streets"`, `"light"`, `"dark"`,
            `"topography"` or `"satellite"`; a pair of an address of tiles with `{z}`, `{x}` and `{y}` and their
            credits; or a provider of xyzservices; or a file of tiles (MBTiles with PNG, JPEG or WebP), of which the
            page gets those of its region, up to 12 MB. Default: nothing.
        height: The height in a notebook, in pixels.
        draw: True, to draw on the map in the cell of a notebook; or the system to begin with: the object, its id, name
            or tag.
        live: Whether it is a map in the cell that follows what others do. Default: in the kernel of a notebook, unless
            title, credits, currency, units or basemap are given, which only a page has.
        on_drawn: Is called with each finished drawing, a `FeatureCollection`-like GeoJSON dict, instead of sending it
            to the service.
        static: Whether it is the page with what the project has now, in a notebook too.

    Returns:
        A `pygeodesign.maps.WebMap`; with `draw` or `live`, and in the kernel of a notebook, a
        `pygeodesign.maps.LiveMap`.

    Raises:
        InputError: A design, the units, the theme, the basemap or the system is not known, or the project has more than
            3,000,000 positions.
        ImportError: matplotlib, GeoPandas or anywidget is missing; `pip install 'pygeodesign[notebook]'` brings them.

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

    They are drawn from the geometries, so that an archive has a gallery too. In a notebook it shows itself; `to_html`
    writes it as one file, which needs no network.

    Args:
        member: Only what this member selected.
        team: Where titles of several teams are alike, the team of the design; alone, its latest design.
        design: Only this design: the object, its id, its title or the unique start of one.
        system: Only diagrams of this system: its id, name or tag.
        limit: The most diagrams to show; the page says how many more there are. None shows all.
        title: The title. Default: the name of the project.
        currency: The currency of costs, such as `"USD"`, which no service tells. Default: as `pygeodesign.options`
            says.
        units: `"metric"`, or `"us"` for acres and miles. Default: as `pygeodesign.options` says.
        theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or light.

    Returns:
        A `pygeodesign.maps.Gallery`.

    Raises:
        InputError: The system, the units or the theme is not known.
        ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` brings them.

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
def compare(self: Project, designs: Mapping[str, _Design] | Iterable[_Design] | None = None) -> Comparison:
    """Compares designs: where they agree, where diagrams collide, which land they are on.

    The diagrams, systems, maps and designs of the project are downloaded, some requests at a time. Answering the
    questions asks for nothing more, so that they may be asked without a network. On an archive from `pygeodesign.open`
    it is the same.

    Args:
        designs: What to compare, as a list, or as a dict from labels: pairs of team id and design id, ids of designs,
            or lists of diagram ids. Default: the latest design of each team.

    Returns:
        A `pygeodesign.planning.Comparison`. Designs of teams are called `Team – Design`, lists of diagram ids `Design
        1` and so on.

    Raises:
        InputError: No design has that id, the project does not have one of the diagrams, or it is none of the forms
            above.
        ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` brings both.

    Warns:
        UserWarning: A team's design has diagrams that the project no longer has; they are left out.

    Examples:
        >>> project.compare()
        <Comparison of Staten Island 2050: 4 designs, 180 diagrams, 2 without a geometry>
        >>> project.compare({"marsh": [1001, 1002], "Conservation": (1, project.designs(1)[0]["id"])}).designs["marsh"]
        [1001, 1002]
    """
    _need("geopandas", "pyarrow")
    from pygeodesign.planning import Comparison

    return Comparison(self, designs)


@method_of(Project, AsyncProject)
def record(
    self: Project,
    folder: str | PathLike[str],
    *,
    designs: Mapping[str, _Design] | Iterable[_Design] | None = None,
    title: str | None = None,
    author: str = "",
    currency: str | None = None,
    units: Literal["metric", "us"] | None = None,
    sections: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> list[Path]:
    """The record of an evening in one folder: report, archive, GeoPackage, workbook of costs, and history.

    The archive is read first, and all but the history is made of it, so that the files are about one time. Nothing is
    in the folder until all files are whole. `index.html` says what each of them is.

    Args:
        folder: A folder that is not there yet, or an empty one.
        designs: What the report compares, as for `compare`. Default: the latest design of each team.
        title: The heading of the report. Default: the title of the project.
        author: Who made the report, for its first page. Default: nobody is named.
        currency: Such as `"USD"`. Default: as `pygeodesign.options` says.
        units: `"metric"`, or `"us"` for acres and miles in the report. Default: as `pygeodesign.options` says.
        sections: What to add to the report, as for `Comparison.to_html`: `{"optimum": {"budget": 1e9}}` adds the best
            choice under a budget.
        progress: Whether to show progress bars, which need tqdm. Default: in a notebook or a terminal.

    Returns:
        The paths of the files. `history.csv` is not among them where the history cannot be read, as that of an archive;
        `index.html` says so.

    Raises:
        InputError: The folder has files in it, or an argument is none that `compare` or `Comparison.to_html` takes.
        ImportError: GeoPandas or XlsxWriter is missing; `pip install 'pygeodesign[notebook]'` brings them.

    Examples:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> [path.name for path in project.record(f"{folder}/evening", author="Ana López", currency="USD")]
        ['index.html', 'report.html', 'project.zip', 'project.gpkg', 'costs.xlsx', 'history.csv']
    """
    _need("geopandas", "pyarrow")
    _need("xlsxwriter")
    from pygeodesign._record import record

    report = {"title": title, "author": author, "currency": currency, "units": units, "sections": sections}
    return record(self, folder, designs, report, progress)


@method_of(Project, AsyncProject)
def to_qgis(self: Project, path: str | PathLike[str]) -> None:
    """A project of QGIS that shows this project as it is at the service, in the colours of its systems.

    The file has no data: QGIS asks the OGC API of the service (`/ogc/`) for them, with a name and a password. Any name
    will do, and the password is the token. Neither is in the file, so that it can be given to all members. It has
    diagrams, parts, designs, selections, evaluation maps and maps as layers in groups, forms with the titles of the
    systems, and a print layout of A3. Its reference system is the UTM zone of the study area. It has no background,
    which would be asked of somebody else. A warning says that a file works on this machine only, where the client has
    such an address (`127.0.0.1`).

    Args:
        path: The file to write: `.qgz`, a project of QGIS 3.22 or later, or `.qlr`, a layer definition file with the
            same layers, for a project that exists. A file that is there is replaced when the new one is whole.

    Raises:
        InputError: The path has another ending, the project is that of an opened archive, to which nothing can connect,
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
    """Adds one diagram for each row of a table, whose geometries are in files on other servers.

    The columns are those of the archiver of the public platform, or the arguments of `System.add_external`: `url` (or
    `flat_geobuf_url`), `title` (`description`), `system` (`system_id`: an id, name or tag), and where they are there
    `kind` (`project_or_policy`), `funding` (`funding_type`), `feature_type`, `layer_type`, `cost` (0 for none),
    `cost_type` (`t`, `u`) and `additional_metadata` (JSON). Every row is checked before the first is sent.

    Args:
        table: The path of a CSV or Excel file, a DataFrame, or a list of dicts.
        layer_type: That of rows which name none: `fgb-layer` (the default), `cogs`, `pmtiles-layer`, or another that
            the service knows.
        on_error: What to do if rows cannot be sent: `"raise"`, or `"skip"` to send the others.
        dry_run: Whether only to check everything, and to send nothing.

    Returns:
        A list of `UploadedRow` dicts in the order of the rows, as from `add_diagrams`. `grid_location` is None.

    Raises:
        InputError: A table without one of the first three columns, a file that cannot be read, or rows that cannot be
            sent; it names up to 20 of them, and has all of them as `rows`. Nothing was added.

    Examples:
        >>> parks = {"description": "Parks", "system_id": 3, "flat_geobuf_url": "https://data.example.org/parks.fgb"}
        >>> [row["error"] for row in project.add_external_diagrams([parks], dry_run=True)]
        [None]
    """
    from pygeodesign._external_table import add_external_diagrams

    return add_external_diagrams(self, table, layer_type, on_error, dry_run)
