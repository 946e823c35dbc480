//! Archives of projects.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;

use crate::client::{self, ArchiveOptions};
use crate::python::api::project::{AsyncProject, Project};
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
}
