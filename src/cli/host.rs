//! What the command line leaves to the program that runs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::client::{Client, FileReader, Project};
use crate::features::FeatureCollection;
use crate::model::ProjectId;

/// The program that runs the command line: it knows the terminal and, where they are installed, libraries for GIS formats.
pub trait Host {
    /// Whether the user has asked to stop, by Ctrl-C, since the last call.
    fn is_interrupted(&self) -> bool;

    /// Asks at the terminal for what must not be seen there.
    fn ask_secret(&self, prompt: &str) -> Result<String, HostError>;

    /// Writes features to a file, whose ending tells the format. Returns the files that were written.
    fn write_features(&self, features: FeatureCollection, path: &Path) -> Result<Vec<PathBuf>, HostError>;

    /// What reads the files of external diagrams.
    fn file_reader(&self) -> Result<FileReader, HostError>;

    /// Compares the designs of a project, and writes the answers as a page.
    fn write_report(&self, project: Project, report: &Report) -> Result<(), HostError>;

    /// Adds a diagram for each feature of a file.
    fn upload(&self, project: Project, upload: &Upload) -> Result<Vec<UploadedRow>, HostError>;

    /// Brings an archive of many projects up to date; of all of the user, if none are named.
    fn archive_all(
        &self,
        client: Client,
        store: &str,
        projects: Option<Vec<ProjectId>>,
    ) -> Result<ArchivedAll, HostError>;
}

/// Why the host did not do it.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("interrupted")]
    Interrupted,
    /// What was asked for is impossible.
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    Failed(String),
}

/// A file whose features become diagrams. The texts are those of the options of `pygeodesign upload`.
#[derive(Debug, Clone)]
pub struct Upload {
    pub path: PathBuf,
    pub layer: Option<String>,
    /// An id, a name or a tag.
    pub system: String,
    /// The column with the titles. `None` looks for a column of a usual name.
    pub title: Option<String>,
    /// A kind, or the name of a column of kinds.
    pub kind: String,
    /// A source of funding, or the name of a column of these.
    pub funding: String,
    /// Whether features outside the study area are added too.
    pub allow_outside: bool,
    /// Whether everything is only checked.
    pub dry_run: bool,
}

/// A page to write. The texts are those of the options of `pygeodesign report`.
#[derive(Debug, Clone)]
pub struct Report {
    pub path: PathBuf,
    /// The ids of teams and their designs. Empty for the latest design of each team.
    pub designs: Vec<(i64, String)>,
    /// `None` for the title of the project.
    pub title: Option<String>,
    pub currency: String,
    pub units: &'static str,
}

/// What became of a feature.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UploadedRow {
    /// Its label in the file.
    pub row: serde_json::Value,
    pub title: String,
    pub diagram_id: Option<i64>,
    pub grid_location: Option<String>,
    pub error: Option<String>,
}

/// What became of the projects of an archive, by their ids.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ArchivedAll {
    pub archived: Vec<String>,
    pub unchanged: Vec<String>,
    /// Those that were not asked for.
    pub kept: Vec<String>,
    /// With the reasons.
    pub failures: BTreeMap<String, String>,
}
