//! Archives of many projects.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::python::api::client::{AsyncClient, Client};
use crate::python::convert::extras::import_extra;

macro_rules! archive_all {
    ($class:ident by $function:ident: $report:ident) => {
        #[pymethods]
        impl $class {
            /// Writes an archive of many projects into a folder or a bucket, or brings the one there up to date.
            ///
            /// Each project has a folder `project=ID/` with `diagrams.parquet` (GeoParquet), `systems.parquet`, `designs.parquet`,
            /// `costs.parquet`, and `project.zip` for `pygeodesign.open`. `pygeodesign.read_archive` reads all of it.
            ///
            /// A project that is in the archive already is asked for its change id, which is one request, and is read only if that is
            /// another one. Readers see each project as it was or as it is, never half of it, and so they do after an interruption
            /// at any moment. Ctrl-C keeps the projects that are whole.
            ///
            /// Args:
            ///     store: A folder; a URL such as `"s3://bucket/archive"`, which needs fsspec and the library of its protocol; a
            ///         filesystem of fsspec, such as a `DirFileSystem`; or a store of obstore.
            ///     projects: Ids or projects; or a dict from ids to dicts of further columns for the manifest, such as
            ///         `{"StatenIsland2050": {"region": "Northeast"}}`, by which `ProjectsArchive.costs(by="region")` sums. Default:
            ///         all projects of the user. Projects of the archive that are not among them stay as they are.
            ///     storage_options: What fsspec needs for the URL, such as `{"profile": "archive"}`.
            ///     progress: Whether to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
            ///
            /// Returns:
            ///     An `ArchiveAllReport` dict: the ids `archived`, `unchanged` and `kept`, and `failures`, a dict from the id of each
            ///     project that could not be read to its exception.
            ///
            /// Raises:
            ///     ArchiveError: The store has something else of that name, an archive of a newer version, or cannot be written.
            ///     InputError: A store or a project of another kind.
            ///     ImportError: GeoPandas, pyarrow or fsspec is missing; `pip install 'pygeodesign[many]'` brings all.
            ///
            /// Warns:
            ///     UserWarning: Some projects could not be read; the message names them. All others are archived.
            ///
            /// Examples:
            ///     >>> import tempfile, pygeodesign
            ///     >>> folder = tempfile.mkdtemp()
            ///     >>> client.archive_all(folder)["archived"]
            ///     ['StatenIsland2050']
            ///     >>> len(pygeodesign.read_archive(folder).costs())
            ///     9
            #[pyo3(
                signature = (
                    store: "Any",
                    projects: "Iterable[str | Project | AsyncProject] | Mapping[str, Mapping[str, Any]] | None" = None,
                    *,
                    storage_options: "dict[str, Any] | None" = None,
                    progress: "bool | None" = None
                )
            )]
            fn archive_all<'py>(
                slf: &Bound<'py, Self>,
                store: &Bound<'py, PyAny>,
                projects: Option<Bound<'py, PyAny>>,
                storage_options: Option<Bound<'py, PyAny>>,
                progress: Option<bool>,
            ) -> PyResult<$report<'py>> {
                let py = slf.py();
                ["geopandas", "pyarrow"].iter().try_for_each(|library| import_extra(py, library).map(drop))?;
                let options = PyDict::new(py);
                options.set_item("projects", projects)?;
                options.set_item("storage_options", storage_options)?;
                options.set_item("progress", progress)?;
                py.import("pygeodesign._many.archive_all")?.getattr(stringify!($function))?.call((slf, store), Some(&options))
            }
        }
    };
}

archive_all! { Client by archive_all: ArchivedAll }
archive_all! { AsyncClient by archive_all_async: ArchivingAll }

/// An `ArchiveAllReport`.
type ArchivedAll<'py> = Bound<'py, PyAny>;
/// A coroutine of Python.
type ArchivingAll<'py> = Bound<'py, PyAny>;
