//! Maps, galleries and comparisons, which Python makes.

use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::api::project::{AsyncProject, Project};
use crate::convert::errors::{Result, import_extras};
use crate::convert::results::Nothing;
use crate::engine::operations::operations;
use crate::engine::runtime::in_new_thread;
use geodesign_client as client;
use geodesign_client::Error;
use geodesign_common::blocking;
use geodesign_common::drafts::{Readers, write_whole};

operations! { Project / AsyncProject of client::Project:
    /// A map to look around in: boundaries, constraints, diagrams by system, and evaluation maps as layers.
    ///
    /// What is on it is downloaded, some requests at a time. In a notebook it shows itself; `to_html` writes it as one file, which
    /// needs no network. On an archive from `pygeodesign.open` it is the same.
    ///
    /// Args:
    ///     designs: Designs to show side by side, moved together, up to 12: as for `compare`. Default: one map with all diagrams.
    ///     member: Only what this member selected.
    ///     team: Where titles of several teams are alike, the team of the design; alone, its latest design.
    ///     design: Only this design: the object, its id, its title or the unique start of one.
    ///     evaluations: Whether the evaluation maps are layers.
    ///     title: The title. Default: the name of the project.
    ///     credits: Below the map. Default: where the boundary is from, if it says so.
    ///     currency: The currency of costs, such as `"USD"`, which no service tells. Default: as `pygeodesign.options` says.
    ///     units: `"metric"`, or `"us"` for acres and miles. Default: as `pygeodesign.options` says.
    ///     theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or light.
    ///     basemap: What the browser loads under the map, from a server on the network: `"streets"`, `"light"`, `"dark"`,
    ///         `"topography"` or `"satellite"`; a pair of an address of tiles with `{z}`, `{x}` and `{y}` and their credits; or a provider
    ///         of xyzservices; or a file of tiles (MBTiles with PNG, JPEG or WebP), of which the page gets those of its region, up to 12 MB.
    ///         Default: nothing.
    ///     height: The height in a notebook, in pixels.
    ///     draw: True, to draw on the map in the cell of a notebook; or the system to begin with: the object, its id, name or tag.
    ///     live: Whether it is a map in the cell that follows what others do. Default: in the kernel of a notebook, unless title, credits,
    ///         currency, units or basemap are given, which only a page has.
    ///     on_drawn: Is called with each finished drawing, a `FeatureCollection`-like GeoJSON dict, instead of sending it to the service.
    ///     static: Whether it is the page with what the project has now, in a notebook too.
    ///
    /// Returns:
    ///     A `pygeodesign.maps.WebMap`; with `draw` or `live`, and in the kernel of a notebook, a `pygeodesign.maps.LiveMap`.
    ///
    /// Raises:
    ///     InputError: A design, the units, the theme, the basemap or the system is not known, or the project has more than 3,000,000
    ///         positions.
    ///     ImportError: matplotlib, GeoPandas or anywidget is missing; `pip install 'pygeodesign[notebook]'` brings them.
    ///
    /// Examples:
    ///     >>> project.map(currency="USD").to_html("map.html")
    ///     >>> project.map([(1, project.designs(1)[0]["id"]), (2, project.designs(2)[0]["id"])]).to_html("designs.html")
    #[pyo3(signature = (
        designs: "Mapping[str, _Design] | Iterable[_Design] | None" = None, *, member: "str | None" = None, team: "_Team | None" = None,
        design: "_NamedDesign | None" = None, evaluations: "bool" = true, title: "str | None" = None, credits: "str | None" = None,
        currency: "str | None" = None, units: "Literal['metric', 'us'] | None" = None,
        theme: "Literal['light', 'dark'] | None" = None,
        basemap: "str | PathLike[str] | tuple[str, str] | Mapping[str, Any] | None" = None, height: "int" = 560,
        draw: "bool | _System" = None, live: "bool | None" = None, on_drawn: "Callable[[dict[str, Any]], object] | None" = None, r#static: "bool" = false
    ), text_signature = "($self, designs=None, *, member=None, team=None, design=None, evaluations=True, title=None, credits=None, currency=None, units=None, theme=None, basemap=None, height=560, draw=False, live=None, on_drawn=None, static=False)")]
    fn map(
        designs: Option<Py<PyAny>>,
        member: Option<String>,
        team: Option<Py<PyAny>>,
        design: Option<Py<PyAny>>,
        evaluations: bool,
        title: Option<String>,
        credits: Option<String>,
        currency: Option<String>,
        units: Option<String>,
        theme: Option<String>,
        basemap: Option<Py<PyAny>>,
        height: u32,
        draw: Option<Py<PyAny>>,
        live: Option<bool>,
        on_drawn: Option<Py<PyAny>>,
        r#static: bool,
    ) -> ProjectMap = |project| {
        import_libraries(&["matplotlib"])?;
        let make = move |py: Python<'_>| {
            let options = dict!(
                py, designs, member, team, design, evaluations, title, credits, currency, units, theme, basemap, height, draw, live, on_drawn
            );
            options.set_item("static", r#static)?;
            made(py, "pygeodesign.maps", "project_map", project, &options)
        };
        in_python_thread(make).await.map(ProjectMap)
    };

    /// Thumbnails of the diagrams as a grid: each over the study area, with its id, title, system and cost.
    ///
    /// They are drawn from the geometries, so that an archive has a gallery too. In a notebook it shows itself; `to_html` writes
    /// it as one file, which needs no network.
    ///
    /// Args:
    ///     member: Only what this member selected.
    ///     team: Where titles of several teams are alike, the team of the design; alone, its latest design.
    ///     design: Only this design: the object, its id, its title or the unique start of one.
    ///     system: Only diagrams of this system: its id, name or tag.
    ///     limit: The most diagrams to show; the page says how many more there are. None shows all.
    ///     title: The title. Default: the name of the project.
    ///     currency: The currency of costs, such as `"USD"`, which no service tells. Default: as `pygeodesign.options` says.
    ///     units: `"metric"`, or `"us"` for acres and miles. Default: as `pygeodesign.options` says.
    ///     theme: `"light"` or `"dark"`. Default: as `pygeodesign.options` says, or light.
    ///
    /// Returns:
    ///     A `pygeodesign.maps.Gallery`.
    ///
    /// Raises:
    ///     InputError: The system, the units or the theme is not known.
    ///     ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` brings them.
    ///
    /// Examples:
    ///     >>> project.gallery(system="Water")
    ///     <Gallery of Staten Island 2050: 20 diagrams>
    ///     >>> project.gallery(limit=None).to_html("gallery.html")
    #[pyo3(signature = (
        *, member: "str | None" = None, team: "_Team | None" = None, design: "_NamedDesign | None" = None,
        system: "_System | None" = None, limit: "int | None" = Some(100), title: "str | None" = None,
        currency: "str | None" = None, units: "Literal['metric', 'us'] | None" = None,
        theme: "Literal['light', 'dark'] | None" = None
    ), text_signature = "($self, *, member=None, team=None, design=None, system=None, limit=100, title=None, currency=None, units=None, theme=None)")]
    fn gallery(
        member: Option<String>,
        team: Option<Py<PyAny>>,
        design: Option<Py<PyAny>>,
        system: Option<Py<PyAny>>,
        limit: Option<i64>,
        title: Option<String>,
        currency: Option<String>,
        units: Option<String>,
        theme: Option<String>,
    ) -> Gallery = |project| {
        import_libraries(&["matplotlib"])?;
        let draw = move |py: Python<'_>| {
            let options = dict!(py, member, team, design, system, limit, title, currency, units, theme);
            made(py, "pygeodesign.maps", "gallery", project, &options)
        };
        in_python_thread(draw).await.map(Gallery)
    };

    /// Compares designs: where they agree, where diagrams collide, which land they are on.
    ///
    /// The diagrams, systems, maps and designs of the project are downloaded, some requests at a time. Answering the questions asks for nothing
    /// more, so that they may be asked without a network. On an archive from `pygeodesign.open` it is the same.
    ///
    /// Args:
    ///     designs: What to compare, as a list, or as a dict from labels: pairs of team id and design id, ids of designs, or lists of
    ///         diagram ids. Default: the latest design of each team.
    ///
    /// Returns:
    ///     A `pygeodesign.planning.Comparison`. Designs of teams are called `Team – Design`, lists of diagram ids `Design 1` and so on.
    ///
    /// Raises:
    ///     InputError: No design has that id, the project does not have one of the diagrams, or it is none of the forms above.
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` brings both.
    ///
    /// Warns:
    ///     UserWarning: A team's design has diagrams that the project no longer has; they are left out.
    ///
    /// Examples:
    ///     >>> project.compare()
    ///     <Comparison of Staten Island 2050: 4 designs, 180 diagrams, 2 without a geometry>
    ///     >>> project.compare({"marsh": [1001, 1002], "Conservation": (1, project.designs(1)[0]["id"])}).designs["marsh"]
    ///     [1001, 1002]
    #[pyo3(signature = (designs: "Mapping[str, _Design] | Iterable[_Design] | None" = None))]
    fn compare(designs: Option<Py<PyAny>>) -> Comparison = |project| {
        import_libraries(&[])?;
        let compare = move |py: Python<'_>| {
            made(py, "pygeodesign.planning", "Comparison", project, &dict!(py, designs))
        };
        in_python_thread(compare).await.map(Comparison)
    };

    /// The record of an evening in one folder: the report, the archive, a GeoPackage, the workbook of costs, and the history.
    ///
    /// The archive is read first, and all but the history is made of it, so that the files are about one time. Nothing is in the folder until
    /// all files are whole. `index.html` says what each of them is.
    ///
    /// Args:
    ///     folder: A folder that is not there yet, or an empty one.
    ///     designs: What the report compares, as for `compare`. Default: the latest design of each team.
    ///     title: The heading of the report. Default: the title of the project.
    ///     author: Who made the report, for its first page. Default: nobody is named.
    ///     currency: Such as `"USD"`. Default: as `pygeodesign.options` says.
    ///     units: `"metric"`, or `"us"` for acres and miles in the report. Default: as `pygeodesign.options` says.
    ///     budget: Adds the best choice under this budget to the report.
    ///     progress: Whether to show progress bars, which need tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     The paths of the files. `history.csv` is not among them where the history cannot be read, as that of an archive; `index.html` says so.
    ///
    /// Raises:
    ///     InputError: The folder has files in it, or an argument is none that `compare` or `Comparison.to_html` takes.
    ///     ImportError: GeoPandas or XlsxWriter is missing; `pip install 'pygeodesign[notebook]'` brings them.
    ///
    /// Examples:
    ///     >>> import tempfile
    ///     >>> folder = tempfile.mkdtemp()
    ///     >>> [path.name for path in project.record(f"{folder}/evening", author="Ana López", currency="USD")]
    ///     ['index.html', 'report.html', 'project.zip', 'project.gpkg', 'costs.xlsx', 'history.csv']
    #[pyo3(signature = (
        folder: "str | PathLike[str]", *, designs: "Mapping[str, _Design] | Iterable[_Design] | None" = None,
        title: "str | None" = None, author: "str" = String::new(), currency: "str | None" = None,
        units: "Literal['metric', 'us'] | None" = None, budget: "float | None" = None, progress: "bool | None" = None
    ), text_signature = "($self, folder, *, designs=None, title=None, author='', currency=None, units=None, budget=None, progress=None)")]
    fn record(
        folder: PathBuf,
        designs: Option<Py<PyAny>>,
        title: Option<String>,
        author: String,
        currency: Option<String>,
        units: Option<String>,
        budget: Option<f64>,
        progress: Option<bool>,
    ) -> Record = |project| {
        import_libraries(&["xlsxwriter"])?;
        let record = move |py: Python<'_>| {
            let options = dict!(py, folder, designs, title, author, currency, units, budget, progress);
            made(py, "pygeodesign._record", "record", project, &options)
        };
        in_python_thread(record).await.map(Record)
    };

    /// A project of QGIS that shows this project as it is at the service, in the colours of its systems.
    ///
    /// The file has no data: QGIS asks the OGC API of the service (`/ogc/`) for them, with a name and a password. Any name will do, and the
    /// password is the token. Neither is in the file, so that it can be given to all members. It has diagrams, parts, designs,
    /// selections, evaluation maps and maps as layers in groups, forms with the titles of the systems, and a print layout of A3. Its reference
    /// system is the UTM zone of the study area. It has no background, which would be asked of somebody else. A warning says that a file works
    /// on this machine only, where the client has such an address (`127.0.0.1`).
    ///
    /// Args:
    ///     path: The file to write: `.qgz`, a project of QGIS 3.22 or later, or `.qlr`, a layer definition file with the same layers,
    ///         for a project that exists. A file that is there is replaced when the new one is whole.
    ///
    /// Raises:
    ///     InputError: The path has another ending, the project is that of an opened archive, to which nothing can connect, or the
    ///         service has no OGC API.
    ///     OSError: The file cannot be written.
    ///
    /// Examples:
    ///     >>> project.to_qgis("staten.qgz")
    #[pyo3(signature = (path: "str | PathLike[str]"), text_signature = "($self, path)")]
    fn to_qgis(path: PathBuf) -> Nothing = |project| {
        let target = path.clone();
        let content = move |py: Python<'_>| made(py, "pygeodesign._qgis", "content", project, &dict!(py, path));
        let content = in_python_thread(content).await?;
        let content: Vec<u8> = Python::attach(|py| content.extract(py))?;
        write_whole(&target, &content, Readers::Usual)
            .map_err(|problem| PyOSError::new_err(format!("{}: {problem}", target.display())))?;
        Ok(Nothing)
    };
}

/// A `pygeodesign.maps.WebMap` or a `LiveMap`.
#[derive(IntoPyObject)]
struct ProjectMap(Py<PyAny>);

/// A `pygeodesign.maps.Gallery`.
#[derive(IntoPyObject)]
struct Gallery(Py<PyAny>);

/// A `pygeodesign.planning.Comparison`.
#[derive(IntoPyObject)]
struct Comparison(Py<PyAny>);

/// A list of paths.
#[derive(IntoPyObject)]
struct Record(Py<PyAny>);

/// Says what is missing before anything is asked: GeoPandas, pyarrow or one of `others`.
fn import_libraries(others: &[&str]) -> PyResult<()> {
    Python::attach(|py| import_extras(py, &["geopandas", "pyarrow"]).and_then(|()| import_extras(py, others)))
}

/// Runs Python code that asks the service, while other requests go on.
pub async fn in_python_thread(
    work: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send + 'static,
) -> Result<Py<PyAny>> {
    Ok(blocking::run(|| in_new_thread(work)).await.map_err(Error::from)??)
}

/// What a function or class of the package makes of a project.
pub fn made(
    py: Python<'_>,
    module: &str,
    function: &str,
    project: client::Project,
    options: &Bound<'_, PyDict>,
) -> PyResult<Py<PyAny>> {
    let function = py.import(module)?.getattr(function)?;
    Ok(function.call((Project::from(project),), Some(options))?.unbind())
}
