//! Archives of one project and of many, and a project's changes as they happen.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;

use crate::api::changes::{AsyncChanges, Changes};
use crate::api::project::{AsyncProject, Project};
use crate::convert::errors::Result;
use crate::convert::results::SyncReport;
use crate::convert::to_python::Json;
use crate::engine::operations::operations;
use crate::engine::progress::Progress;
use geodesign::model::{MergeOptions, MergeReport, Preference};
use geodesign_client as client;
use geodesign_client::{ArchiveOptions, Error};

operations! { Project / AsyncProject of client::Project:
    /// Downloads everything you can read of the project into one file, for `pygeodesign.open`.
    ///
    /// The file is a zip of the service's responses in JSON, with a manifest. It is written under another name and renamed when
    /// it is complete, so an existing file of that name stays unchanged until then. The token is not in it. If diagrams,
    /// systems, members or teams come or go meanwhile, the project is read again, at most three times.
    ///
    /// Args:
    ///     path: The file, such as `"staten.zip"`. Its folder must exist.
    ///     thumbnails: True to add the pictures of all diagrams.
    ///     progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     A dict from `diagrams`, `systems`, `members`, `teams` and `designs` to their number in the file.
    ///
    /// Raises:
    ///     ArchiveError: The file cannot be written.
    ///     InputError: The project changed each time it was read.
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

    /// Brings an archive up to date: the file becomes what a new archive would be, but only changes are downloaded.
    ///
    /// If the change id of the project is still the same, nothing is downloaded. Otherwise the lists of all diagrams are downloaded, and
    /// the diagrams that differ in them or have different change ids. Everything else is downloaded unless the service says that it is
    /// unchanged (`ETag`). If there is no such file, the project is archived. An archive with pictures gets new pictures of what changed.
    ///
    /// Until the new archive is complete, the file stays unchanged. Offline work is not lost: an archive of a sandbox that
    /// was loaded from an archive, and changed since, is refused.
    ///
    /// Args:
    ///     path: The archive.
    ///     progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     A `SyncReport` dict: `added`, `changed` and `removed` (ids of diagrams), `downloaded` (responses of the service), `kept`
    ///     (members of the archive that it did not have to send) and `bytes` (of the responses, after decompression).
    ///
    /// Raises:
    ///     ArchiveError: The file is not an archive, is damaged, or cannot be written.
    ///     InputError: It is an archive of another project, or of another service or a changed copy, which may hold what this service
    ///         does not have; or the project changed each time it was read.
    ///
    /// Examples:
    ///     >>> import tempfile
    ///     >>> path = f"{tempfile.mkdtemp()}/staten.zip"
    ///     >>> counts = project.archive(path)
    ///     >>> project.diagram(1003).set_notes("Ask the ferry company.")
    ///     >>> project.sync(path)["changed"]
    ///     [1003]
    #[pyo3(signature = (path, *, progress=None))]
    fn sync(path: PathBuf, progress: Option<bool>) -> SyncReport = |project| {
        let progress = Progress::new("sync", progress)?;
        Ok(SyncReport(project.sync(&path, &progress).await?))
    };

    /// Merges offline work: brings the changes in an archive of a copy of the project into the project.
    ///
    /// A copy is what `Sandbox(project="staten.zip")` or `serve --load` made from an archive of this project. Everything added, changed or
    /// removed in it is merged: diagrams with their titles, notes, dates, tags, costs and geometry, selections, designs, new teams and
    /// tags, figures of systems and the title of the project. If both sides changed something in different ways, it is listed and stays as
    /// it is here, unless `prefer` says which side counts. Everything is merged in one transaction, or nothing. Merging the same archive
    /// again, or an older one of the same copy, changes nothing.
    ///
    /// Administrators merge everything, each diagram with its author. Other members merge their own diagrams and selection, and the designs
    /// of their teams; diagrams drawn by the copy's `admin` count as theirs. Members, maps of the project, votes and groups are not merged.
    /// If everything was merged or decided, `complete` is True and `sync` accepts the archive.
    ///
    /// Args:
    ///     path: The archive, as `archive` writes it in the copy.
    ///     dry_run: True to change nothing and only report what would be done.
    ///     prefer: `"here"` or `"archive"`: the side that counts if both changed the same thing. Default: neither.
    ///
    /// Returns:
    ///     A `MergeReport` dict. `added`, `changed` and `removed` list what was merged: `kind` (`"diagram"`, `"selection"`, `"design"`, `"team"`,
    ///     `"tag"`, `"system"` or `"project"`), its `id` in the archive and `here` (a different one if both sides used the same id),
    ///     `title`, and the `fields` that changed. `conflicts` has, by field, what it was `before`, `here` and in the `archive`. `left` has
    ///     everything that was not merged, with the `reason`. `superseded_by` is the date of a later archive of the copy that was merged
    ///     before.
    ///
    /// Raises:
    ///     ArchiveError: The file is not an archive, or is damaged.
    ///     InputError: It is an archive of another project; nothing was sent.
    ///     PermissionDeniedError: Drawing, selecting, designing or commenting is closed.
    ///     ApiError: The archive and the project have no common origin (409).
    ///
    /// Examples:
    ///     >>> import tempfile
    ///     >>> from pygeodesign import Sandbox
    ///     >>> folder = tempfile.mkdtemp()
    ///     >>> counts = project.archive(f"{folder}/staten.zip")
    ///     >>> with Sandbox(project=f"{folder}/staten.zip") as offline:
    ///     ...     copy = offline.client().project(project.id)
    ///     ...     copy.diagram(1003).set_notes("Ask the ferry company.")
    ///     ...     counts = copy.archive(f"{folder}/train.zip")
    ///     >>> report = project.merge(f"{folder}/train.zip")
    ///     >>> [(thing["kind"], thing["id"], thing["fields"]) for thing in report["changed"]]
    ///     [('diagram', 1003, ['notes'])]
    ///     >>> report["complete"]
    ///     True
    #[pyo3(signature = (path, *, dry_run=false, prefer=None))]
    fn merge(path: PathBuf, dry_run: bool, prefer: Option<Preference>) -> Json<MergeReport> = |project| {
        Ok(Json(project.merge(&path, MergeOptions { dry_run, prefer }).await?))
    };

    #[doc = summary!(PROJECT_CHANGE_ID)]
    ///
    /// Compare it with an earlier one: while it is the same, nothing has changed. If the service has no such id, it is a digest
    /// of the list of diagrams and of the change ids of all diagrams (one request for each), and stays the same when something
    /// other than a diagram changes.
    ///
    /// Examples:
    ///     >>> before = project.change_id()
    ///     >>> project.diagram(1004).set_notes("Ask the harbour.")
    ///     >>> project.change_id() == before
    ///     False
    fn change_id() -> String = |project| Ok(project.change_id().await?);
}

macro_rules! watched {
    ($class:ident by $changes:ident) => {
        #[pymethods]
        impl $class {
            /// Watches the project: yields what is added, changed and removed, as it happens.
            ///
            /// It starts watching with this call. With asyncio, the call is not awaited, and watching starts with the first step of the
            /// iteration: `async for change in project.watch(): …`
            ///
            /// If the service reports changes (`events/`), each arrives within moments, whatever its subject. Otherwise only diagrams are
            /// watched: every `interval` seconds, it reads the list of diagrams, and the change ids of 50 diagrams in turn. An edit of one
            /// among 200 is found within four intervals.
            ///
            /// While the service restarts or the network is down, the iterator waits and reconnects; no change is lost or reported twice.
            /// If the service cannot report everything that happened meanwhile, it yields a change of `kind` `"project"`, and then the
            /// differences of diagrams.
            ///
            /// Args:
            ///     interval: Seconds between two requests, if the service reports no changes or a proxy holds them back.
            ///     timeout: End when nothing has changed for this many seconds. Default: never; Ctrl-C ends it.
            ///
            /// Returns:
            ///     An iterator, asynchronous for an `AsyncProject`, of `ProjectChange` dicts: `kind` (`"diagram"`, `"tag"`, `"design"`, `"selection"`, `"system"`, …), `action`
            ///     (`"added"`, `"changed"` or `"removed"`), `id`, and `diagram`: the `FeatureCollection` of a diagram that was added or
            ///     changed, otherwise None.
            ///
            /// Raises:
            ///     InputError: A time is not greater than 0; or the project was opened from an archive, which does not change.
            ///
            /// Examples:
            ///     >>> changes = project.watch(interval=0.1, timeout=5)
            ///     >>> project.diagram(1007).set_notes("Ask the library.")
            ///     >>> change = next(changes)
            ///     >>> change["action"], change["kind"], change["id"], change["diagram"].metadata["notes"]
            ///     ('changed', 'diagram', 1007, 'Ask the library.')
            #[pyo3(signature = (*, interval=5.0, timeout=None))]
            fn watch(&self, py: Python<'_>, interval: f64, timeout: Option<f64>) -> Result<$changes> {
                let (interval, timeout) = seconds(interval, timeout)?;
                $changes::start(py, self.handle()?, interval, timeout)
            }
        }
    };
}

watched! { Project by Changes }
watched! { AsyncProject by AsyncChanges }

fn seconds(interval: f64, timeout: Option<f64>) -> Result<(Duration, Option<Duration>)> {
    let duration = |name: &str, seconds: f64| {
        let duration = Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero());
        duration.ok_or_else(|| Error::Input(format!("{name} is {seconds}; give a number of seconds greater than 0")))
    };
    Ok((duration("interval", interval)?, timeout.map(|seconds| duration("timeout", seconds)).transpose()?))
}
