//! What the command line leaves to the program that runs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::client::{Client, FileReader, Project};
use crate::features::FeatureCollection;
use crate::model::ProjectId;

/// The program that runs the command line: it knows the terminal and, where they are installed, libraries for GIS formats.
pub trait Host {
    /// Whether the user has asked to stop, by Ctrl-C, since the last call.
    fn is_interrupted(&self) -> bool;

    /// Asks at the terminal.
    fn ask(&self, prompt: &str) -> Result<String, HostError>;

    /// Asks at the terminal for what must not be seen there.
    fn ask_secret(&self, prompt: &str) -> Result<String, HostError>;

    /// Writes features to a file, whose ending tells the format. In CSV, `escape_formulas` tells whether texts that could be formulas
    /// are escaped. Returns the files that were written.
    fn write_features(
        &self,
        features: FeatureCollection,
        path: &Path,
        escape_formulas: bool,
    ) -> Result<Vec<PathBuf>, HostError>;

    /// What reads the files of external diagrams.
    fn file_reader(&self) -> Result<FileReader, HostError>;

    /// Compares designs of a project, by the ids of teams and their designs, and writes a page. None stand for the latest design of
    /// each team.
    fn write_report(
        &self,
        project: Project,
        designs: &[(i64, String)],
        path: &Path,
        options: &ReportOptions,
    ) -> Result<(), HostError>;

    /// Reads the features of a file in one of the formats for GIS, as GeoJSON in WGS 84.
    fn read_features(&self, path: &Path) -> Result<String, HostError>;

    /// Adds a diagram for each feature of a file.
    fn upload(&self, project: Project, path: &Path, options: &UploadOptions) -> Result<Vec<UploadedRow>, HostError>;

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

/// How the features of a file become diagrams.
#[derive(Debug, Clone, Args)]
pub struct UploadOptions {
    /// The system that the diagrams are added to, by id, name or tag.
    #[arg(long, value_name = "NAME")]
    pub system: String,
    /// The attribute with the titles [default: the first of title, name and description that there is].
    #[arg(long, value_name = "ATTRIBUTE")]
    pub title: Option<String>,
    /// project, policy, or the attribute that tells which.
    #[arg(long, default_value = "project")]
    pub kind: String,
    /// public, public_private, private, budgeted, or the attribute that tells which.
    #[arg(long, default_value = "public")]
    pub funding: String,
    /// The first day, such as 2030-05-01, or the attribute that tells it; without dates, a diagram is undated.
    #[arg(long, value_name = "DATE")]
    pub start_date: Option<String>,
    /// The last day, or the attribute that tells it.
    #[arg(long, value_name = "DATE")]
    pub end_date: Option<String>,
    /// The layer of a file that has several.
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Add features that lie outside the study area too.
    #[arg(long)]
    pub allow_outside: bool,
    /// Leave out features whose geometry a diagram of the system has already.
    #[arg(long)]
    pub skip_duplicates: bool,
    /// Only check everything.
    #[arg(long)]
    pub dry_run: bool,
}

/// What a page about designs shows.
#[derive(Debug, Clone, Args)]
pub struct ReportOptions {
    /// The heading [default: the title of the project].
    #[arg(long)]
    pub title: Option<String>,
    /// Who made the report, for its first page.
    #[arg(long, default_value = "")]
    pub author: String,
    /// The name of the currency, such as USD.
    #[arg(long, default_value = "")]
    pub currency: String,
    /// Hectares and kilometres, or acres and miles.
    #[arg(long, default_value = "metric", value_parser = ["metric", "us"])]
    pub units: String,
    /// Adds the best choice of projects under this budget (needs the extra `planning`).
    #[arg(long)]
    pub budget: Option<f64>,
}

/// What became of a feature.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UploadedRow {
    /// Counted from 0.
    pub position: usize,
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
