//! What the command line leaves to the program that runs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use geodesign::features::FeatureCollection;
use geodesign::model::ProjectId;
use geodesign_client::{Client, CostSelection, FileReader, Project};
use geodesign_service::Python;

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

    /// Writes the record of an evening into a folder. Designs are given as for a report. Returns the files that were written.
    fn write_record(
        &self,
        project: Project,
        designs: &[(i64, String)],
        folder: &Path,
        options: &ReportOptions,
    ) -> Result<Vec<PathBuf>, HostError>;

    /// Compares designs, which are given as for a report, by their figures.
    fn compare(&self, project: Project, designs: &[(i64, String)]) -> Result<Vec<ComparedDesign>, HostError>;

    /// The questions that a comparison answers.
    fn questions(&self) -> Result<Vec<Question>, HostError>;

    /// Asks a comparison of designs, which are given as for a report, one question. With a picture, the answer is drawn into that file.
    fn answer(
        &self,
        project: Project,
        designs: &[(i64, String)],
        asked: &AskedQuestion<'_>,
    ) -> Result<Answer, HostError>;

    /// Writes a map of a project to look around in. A basemap is loaded from a server by the browser.
    fn write_map(
        &self,
        project: Project,
        selection: &CostSelection,
        path: &Path,
        basemap: Option<&str>,
        options: &PageOptions,
    ) -> Result<(), HostError>;

    /// Writes a page with small pictures of diagrams: of all systems, or of one; of all diagrams, or of so many.
    fn write_gallery(
        &self,
        project: Project,
        selection: &CostSelection,
        path: &Path,
        shown: (Option<&str>, Option<u32>),
        options: &PageOptions,
    ) -> Result<(), HostError>;

    /// The Python that runs the command line: the pages of a service have it read files and write reports.
    fn python(&self) -> Option<Python> {
        None
    }

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
    #[arg(long, value_name = "NAME", required_unless_present = "external")]
    pub system: Option<String>,
    /// The file is a table (CSV, Excel) of diagrams whose geometries are in files on other servers: its columns url, title and system, or
    /// flat_geobuf_url, description and system_id, and others, tell all of them.
    #[arg(long, conflicts_with_all = ["system", "title", "kind", "funding", "start_date", "end_date", "layer", "allow_outside", "skip_duplicates"])]
    pub external: bool,
    /// With --external, the type of the layers of rows which name none.
    #[arg(long, value_name = "TYPE", requires = "external")]
    pub layer_type: Option<String>,
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

/// What all pages show.
#[derive(Debug, Clone, Args)]
pub struct PageTexts {
    /// The heading [default: the title of the project].
    #[arg(long)]
    pub title: Option<String>,
    /// The name of the currency, such as USD.
    #[arg(long, default_value = "")]
    pub currency: String,
    /// Hectares and kilometres, or acres and miles.
    #[arg(long, default_value = "metric", value_parser = ["metric", "us"])]
    pub units: String,
}

/// What a report shows.
#[derive(Debug, Clone, Args)]
pub struct ReportOptions {
    #[command(flatten)]
    pub texts: PageTexts,
    /// Who made the report, for its first page.
    #[arg(long, default_value = "")]
    pub author: String,
    /// Adds the best choice of projects under this budget.
    #[arg(long)]
    pub budget: Option<f64>,
}

/// What a page with a map or pictures shows.
#[derive(Debug, Clone, Args)]
pub struct PageOptions {
    #[command(flatten)]
    pub texts: PageTexts,
    /// The colours of the page.
    #[arg(long, default_value = "light", value_parser = ["light", "dark"])]
    pub theme: String,
}

/// The figures of a design. Sums are of what is known.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ComparedDesign {
    pub design: String,
    pub diagrams: u64,
    /// Summed over diagrams: where two overlap, both count.
    pub area_ha: f64,
    /// Diagrams whose area is not known.
    pub unmeasured: u64,
    /// `None` where no diagram has one that is known.
    pub cost: Option<f64>,
    /// Diagrams whose cost is not known.
    pub unpriced: u64,
    /// Systems whose target is met, of those that have one.
    pub targets_met: u64,
    pub targets: u64,
    /// Systems that spend something within their budget, of those that have one.
    pub budgets_met: u64,
    pub budgets: u64,
}

/// What a comparison can be asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question {
    pub question: String,
    /// What is asked, in a sentence.
    pub what: String,
    pub arguments: Vec<String>,
    /// Whether the answer can be drawn.
    pub picture: bool,
}

/// A question with its arguments.
#[derive(Debug, Clone, Copy)]
pub struct AskedQuestion<'a> {
    pub name: &'a str,
    pub arguments: &'a serde_json::Map<String, serde_json::Value>,
    pub picture: Option<&'a Path>,
}

/// What a comparison answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// Its figures in a line, where there are some beside the rows.
    pub summary: Option<String>,
    pub columns: Vec<AnswerColumn>,
    pub rows: Vec<serde_json::Map<String, serde_json::Value>>,
}

/// A column of an answer, whose name is a field of the rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AnswerColumn {
    pub name: String,
    /// The digits after the point; `None` for texts and whole numbers.
    pub decimals: Option<usize>,
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
