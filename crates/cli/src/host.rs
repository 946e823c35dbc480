//! The interface between the command line and the program that runs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use geodesign::costs::CountedLand;
use geodesign::features::FeatureCollection;
use geodesign::model::{LANGUAGES, ProjectId};
use geodesign_client::{Client, CostSelection, FileReader, Project};
use geodesign_service::Python;

/// The program that runs the command line. It has the terminal and, if installed, libraries for GIS formats.
pub trait Host {
    /// True if the user has asked to stop, by Ctrl-C, since the last call.
    fn is_interrupted(&self) -> bool;

    /// Asks for input at the terminal.
    fn ask(&self, prompt: &str) -> Result<String, HostError>;

    /// Asks for input at the terminal without showing it.
    fn ask_secret(&self, prompt: &str) -> Result<String, HostError>;

    /// Opens a page of this machine in a browser, without waiting for it. A failure is ignored.
    fn open_in_browser(&self, _page: &Path) {}

    /// Writes features to a file; its ending sets the format. In CSV, `escape_formulas` escapes texts that could be formulas. Returns
    /// the files that were written.
    fn write_features(
        &self,
        features: FeatureCollection,
        path: &Path,
        escape_formulas: bool,
    ) -> Result<Vec<PathBuf>, HostError>;

    /// Returns the reader of external diagrams' files.
    fn file_reader(&self) -> Result<FileReader, HostError>;

    /// Compares designs of a project, and writes a page.
    fn write_report(
        &self,
        project: Project,
        designs: &ChosenDesigns,
        path: &Path,
        options: &ReportOptions,
    ) -> Result<(), HostError>;

    /// Writes the record of an evening to a folder. Returns the files that were written.
    fn write_record(
        &self,
        project: Project,
        designs: &ChosenDesigns,
        folder: &Path,
        options: &ReportOptions,
    ) -> Result<Vec<PathBuf>, HostError>;

    /// Compares the figures of designs.
    fn compare(&self, project: Project, designs: &ChosenDesigns) -> Result<Vec<ComparedDesign>, HostError>;

    /// Returns the questions that a comparison answers.
    fn questions(&self) -> Result<Vec<Question>, HostError>;

    /// Asks a comparison one question. With a picture, the answer is drawn to that file.
    fn answer(&self, project: Project, designs: &ChosenDesigns, asked: &AskedQuestion<'_>)
    -> Result<Answer, HostError>;

    /// Writes an interactive map of a project. The browser loads a basemap from a server.
    fn write_map(
        &self,
        project: Project,
        selection: &CostSelection,
        path: &Path,
        basemap: Option<&str>,
        options: &PageOptions,
    ) -> Result<(), HostError>;

    /// Writes a page with small pictures of diagrams, in all systems or in one. A number limits the diagrams.
    fn write_gallery(
        &self,
        project: Project,
        selection: &CostSelection,
        path: &Path,
        shown: (Option<&str>, Option<u32>),
        options: &PageOptions,
    ) -> Result<(), HostError>;

    /// Writes a basemap from an extract of OpenStreetMap: of the rectangle around the features of a file, or of all of it.
    fn write_basemap(&self, extract: &Path, area: Option<&Path>, path: &Path) -> Result<(), HostError>;

    /// The Python that runs the command line: a service's pages use it to read files and write reports.
    fn python(&self) -> Option<Python> {
        None
    }

    /// Reads the features of a GIS file, as GeoJSON in WGS 84.
    fn read_features(&self, path: &Path) -> Result<String, HostError>;

    /// Adds a diagram for each feature of a file.
    fn upload(&self, project: Project, path: &Path, options: &UploadOptions) -> Result<Vec<UploadedRow>, HostError>;

    /// Updates an archive of the named projects or, if none are named, of all of the user's projects.
    fn archive_all(
        &self,
        client: Client,
        store: &str,
        projects: Option<Vec<ProjectId>>,
    ) -> Result<ArchivedAll, HostError>;
}

/// ChosenDesigns to compare, and the land that counts.
#[derive(Debug, Clone, Default)]
pub struct ChosenDesigns {
    /// The ids of teams and of their designs; none for each team's latest design.
    pub ids: Vec<(i64, String)>,
    pub land: CountedLand,
}

/// Reasons why the host did not carry out a request.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("interrupted")]
    Interrupted,
    /// The request is impossible.
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    Failed(String),
}

/// Options for turning a file's features into diagrams.
#[derive(Debug, Clone, Args)]
pub struct UploadOptions {
    /// The system to add the diagrams to, by its id, name, tag or the start of its name.
    #[arg(long, value_name = "NAME", required_unless_present = "external")]
    pub system: Option<String>,
    /// Read the file as a table (CSV, Excel) of diagrams whose geometries are in files on other servers. Its columns are url, title and
    /// system, or flat_geobuf_url, description and system_id, and others.
    #[arg(long, conflicts_with_all = ["system", "title", "kind", "funding", "start_date", "end_date", "layer", "allow_outside", "skip_duplicates"])]
    pub external: bool,
    /// With --external, the type of the layers for rows that name none.
    #[arg(long, value_name = "TYPE", requires = "external")]
    pub layer_type: Option<String>,
    /// The attribute with the titles [default: title, name or description, the first that exists].
    #[arg(long, value_name = "ATTRIBUTE")]
    pub title: Option<String>,
    /// The kind: project, policy, or the attribute that has it.
    #[arg(long, default_value = "project")]
    pub kind: String,
    /// The funding: public, public_private, private, budgeted, or the attribute that has it.
    #[arg(long, default_value = "public")]
    pub funding: String,
    /// The first day, such as 2030-05-01, or the attribute that has it. Without dates, a diagram is undated.
    #[arg(long, value_name = "DATE")]
    pub start_date: Option<String>,
    /// The last day, or the attribute that has it.
    #[arg(long, value_name = "DATE")]
    pub end_date: Option<String>,
    /// The layer to read from a file that has several.
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Also add features that lie outside the study area.
    #[arg(long)]
    pub allow_outside: bool,
    /// Leave out features whose geometry is already in a diagram of the system.
    #[arg(long)]
    pub skip_duplicates: bool,
    /// Check everything, and add nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// Texts of all pages.
#[derive(Debug, Clone, Args)]
pub struct PageTexts {
    /// The heading [default: the project's title].
    #[arg(long)]
    pub title: Option<String>,
    /// The name of the currency, such as USD [default: the project's].
    #[arg(long)]
    pub currency: Option<String>,
    /// Hectares and kilometres, or acres and miles.
    #[arg(long, default_value = "metric", value_parser = ["metric", "us"])]
    pub units: String,
}

/// Options for a report.
#[derive(Debug, Clone, Args)]
pub struct ReportOptions {
    #[command(flatten)]
    pub texts: PageTexts,
    /// The report's author, for its first page.
    #[arg(long, default_value = "")]
    pub author: String,
    /// The report's language [default: the project's, or English].
    #[arg(long, value_name = "LANGUAGE", value_parser = LANGUAGES)]
    pub language: Option<String>,
    /// Add the best choice of projects within this budget.
    #[arg(long)]
    pub budget: Option<f64>,
}

/// Options for a page with a map or pictures.
#[derive(Debug, Clone, Args)]
pub struct PageOptions {
    #[command(flatten)]
    pub texts: PageTexts,
    /// The colours of the page.
    #[arg(long, default_value = "light", value_parser = ["light", "dark"])]
    pub theme: String,
}

/// A design's figures. Sums leave out unknown values.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ComparedDesign {
    pub design: String,
    pub diagrams: u64,
    /// Sum over diagrams: land in two diagrams counts twice.
    pub area_ha: f64,
    /// Diagrams whose area is unknown.
    pub unmeasured: u64,
    /// `None` if no diagram has a known cost.
    pub cost: Option<f64>,
    /// Diagrams whose cost is unknown.
    pub unpriced: u64,
    /// Systems with a target that meet it.
    pub targets_met: u64,
    pub targets: u64,
    /// Systems with a budget that spend something and stay within it.
    pub budgets_met: u64,
    pub budgets: u64,
}

/// A question that a comparison answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question {
    pub question: String,
    /// The question in a sentence.
    pub what: String,
    pub arguments: Vec<String>,
    /// True if the answer can be drawn.
    pub picture: bool,
}

/// A question with its arguments.
#[derive(Debug, Clone, Copy)]
pub struct AskedQuestion<'a> {
    pub name: &'a str,
    pub arguments: &'a serde_json::Map<String, serde_json::Value>,
    pub picture: Option<&'a Path>,
}

/// A comparison's answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// Figures in addition to the rows, on one line, if there are any.
    pub summary: Option<String>,
    pub columns: Vec<AnswerColumn>,
    pub rows: Vec<serde_json::Map<String, serde_json::Value>>,
}

/// A column of an answer, whose name is a field of the rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AnswerColumn {
    pub name: String,
    /// The digits after the point; `None` for text and whole numbers.
    pub decimals: Option<usize>,
}

/// The result for one feature.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UploadedRow {
    /// The feature's position, counted from 0.
    pub position: usize,
    /// Its label in the file.
    pub row: serde_json::Value,
    pub title: String,
    pub diagram_id: Option<i64>,
    pub grid_location: Option<String>,
    pub error: Option<String>,
}

/// The results for the projects of an archive, by their ids.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ArchivedAll {
    pub archived: Vec<String>,
    pub unchanged: Vec<String>,
    /// Projects in the archive that were not requested.
    pub kept: Vec<String>,
    /// Projects that failed, with the reasons.
    pub failures: BTreeMap<String, String>,
}
