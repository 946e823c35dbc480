//! Archives of projects, and what tells whether one is current.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;

use crate::client::{self, ArchiveOptions};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::sync_report::SyncReport;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;
use crate::python::engine::progress::Progress;

operations! { Project / AsyncProject of client::Project:
    /// Downloads all that can be read of the project into one file, for `pygeodesign.open`.
    ///
    /// The file is a zip of the answers of the service in JSON, with a manifest. It is written under another name and renamed when
    /// it is whole, so that a file that has the name already stays as it is until then. The token is not in it. If diagrams,
    /// systems, members or teams come or go meanwhile, the project is read anew, three times at most.
    ///
    /// Args:
    ///     path: The file, such as `"staten.zip"`. Its folder must exist.
    ///     thumbnails: Whether to add the pictures of all diagrams.
    ///     progress: Whether to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     A dict from `diagrams`, `systems`, `members`, `teams` and `designs` to how many of them are in the file.
    ///
    /// Raises:
    ///     ArchiveError: The file cannot be written.
    ///     InputError: The project changed each time that it was read.
    ///
    /// Examples:
    ///     >>> import tempfile
    ///     >>> folder = tempfile.mkdtemp()
    ///     >>> project.archive(f"{folder}/staten.zip")["systems"]
    ///     9
    #[pyo3(signature = (path, *, thumbnails=false, progress=None))]
    fn archive(path: PathBuf, thumbnails: bool, progress: Option<bool>) -> Json<BTreeMap<String, u64>> = |project| {
        let progress = Progress::new("archive", progress)?;
        Ok(Json(project.archive(&path, ArchiveOptions { thumbnails }, &progress).await?.counts))
    };

    /// Brings an archive up to date: the file becomes what a new archive would be, and only what changed is downloaded.
    ///
    /// Where the id of the whole project is still the same, nothing is downloaded. Otherwise the lists of all diagrams are, and of the
    /// diagrams those that are others in them or have other change ids. Everything else is downloaded if the service says that it is
    /// no longer the same (`ETag`), or does not say. Without such a file, the project is archived. An archive with pictures gets new
    /// pictures of what changed.
    ///
    /// Until the new archive is whole, the file stays as it is.
    ///
    /// Args:
    ///     path: The archive.
    ///     progress: Whether to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     A `SyncReport` dict: `added`, `changed` and `removed` (ids of diagrams), `downloaded` (answers of the service), `kept`
    ///     (members of the archive that it did not have to send) and `bytes` (of the answers, after decompression).
    ///
    /// Raises:
    ///     ArchiveError: The file is no archive, is damaged, or cannot be written.
    ///     InputError: It is an archive of another project; or the project changed each time that it was read.
    ///
    /// Examples:
    ///     >>> import tempfile
    ///     >>> path = f"{tempfile.mkdtemp()}/staten.zip"
    ///     >>> counts = project.archive(path)
    ///     >>> note = project.set_diagram_notes(1003, "Ask the ferry company.")
    ///     >>> project.sync(path)["changed"]
    ///     [1003]
    #[pyo3(signature = (path, *, progress=None))]
    fn sync(path: PathBuf, progress: Option<bool>) -> SyncReport = |project| {
        let progress = Progress::new("sync", progress)?;
        Ok(SyncReport(project.sync(&path, &progress).await?))
    };

    #[doc = summary!(PROJECT_CHANGE_ID)]
    ///
    /// Compare it with an earlier one: while it is the same, nothing has changed. Where the service has no such id, it is a digest
    /// of the list of diagrams and of the change ids of all diagrams (one request for each), and stays the same when something
    /// other than a diagram changes.
    ///
    /// Examples:
    ///     >>> before = project.change_id()
    ///     >>> note = project.set_diagram_notes(1004, "Ask the harbour.")
    ///     >>> project.change_id() == before
    ///     False
    fn change_id() -> String = |project| Ok(project.change_id().await?);
}
