//! `pygeodesign costs`: the costs of diagrams.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::connect::Source;
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{Column, ListingFormat, json, note, number, text};
use super::projects::Selection;
use geodesign::costs::{CostPage, CostReport, CountedLand, Units};
use geodesign_client::CostOptions;
use geodesign_common::whole_files::{Readers, write_whole};

/// Print the costs of a project's diagrams, per system.
///
/// A policy costs nothing unless it has a total. Unknown costs are left out, and counted on the standard error.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign costs
  pygeodesign costs \"Staten Island 2050\" --team Youth
  pygeodesign costs --member amara.okafor --json
  pygeodesign costs --archive staten.zip --csv > costs.csv
  pygeodesign costs --html costs.html --currency USD --units us
  pygeodesign costs --land inside

--json prints one object: `systems` and `diagrams`, which are lists of rows, and `total`. --csv prints the systems.")]
pub struct Costs {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    #[command(flatten)]
    selection: Selection,
    /// Look for invalid geometries, whose cost may be wrong.
    #[arg(long)]
    check: bool,
    /// Count all land, or only land inside the study area.
    #[arg(long, default_value = "all", value_parser = land)]
    land: CountedLand,
    /// Download the files of external diagrams, and price these diagrams by the files' content.
    #[arg(long)]
    external: bool,
    /// Reject diagrams with wrong or unreadable fields, instead of leaving them out of the sums.
    #[arg(long)]
    strict: bool,
    /// Write the report as a page that prints on A4, with each diagram and the origin of its cost.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The currency of the amounts on the page, such as USD [default: the project's].
    #[arg(long, value_name = "NAME", requires = "html")]
    currency: Option<String>,
    /// The units of the page: metric, or us for acres and miles.
    #[arg(long, requires = "html", default_value = "metric", value_parser = units)]
    units: Units,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Costs {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let project = if self.strict { project.strictly() } else { project };
        let external = self.external.then(|| context.host.file_reader()).transpose()?;
        let options = CostOptions { check: self.check, land: self.land, external };
        let report = context.wait(async {
            let selection = self.selection.find(&project).await?;
            Ok::<_, CommandError>(project.costs(selection, options).await?)
        })?;
        if let Some(path) = &self.html {
            self.write_page(&report, path)?;
            note(&format!("Wrote {}", path.display()));
        }
        if self.html.is_none() || self.format.json || self.format.csv {
            context.print(&self.text(&report)?)?;
        }
        note_gaps(&report);
        Ok(())
    }

    fn write_page(&self, report: &CostReport, path: &Path) -> Result<()> {
        let title = report.subject.title().unwrap_or_else(|| "Cost report".to_owned());
        let currency = self.currency.as_ref().or(report.subject.currency.as_ref()).map_or("", String::as_str);
        let page = CostPage { report, title: &title, currency, units: self.units }.to_string();
        write_whole(path, page.as_bytes(), Readers::Usual)
            .map_err(|error| CommandError::File(format!("{} cannot be written", path.display()), error))
    }

    fn text(&self, report: &CostReport) -> Result<String> {
        if self.format.json {
            let CostReport { systems, diagrams, .. } = report;
            return json(&json!({"systems": systems, "diagrams": diagrams, "total": report.total()}));
        }
        let mut rows: Vec<_> = report.systems.iter().map(|system| json!(system)).collect();
        for (row, system) in rows.iter_mut().zip(&report.systems) {
            row["cost"] = json!(known_sum(system.cost, system.diagrams, system.unpriced));
        }
        if !self.format.csv {
            let count = report.diagrams.len() as i64;
            let cost = known_sum(report.total(), count, report.unpriced());
            rows.push(json!({"name": "Total", "diagrams": count, "cost": cost}));
            for row in rows.iter_mut().filter(|row| row["budget"].is_number() && row["diagrams"] == 0) {
                row["budget_left"] = json!("nothing planned");
            }
        }
        let mut columns = COLUMNS.to_vec();
        if report.has_points() {
            columns.insert(LENGTH + 1, number("pieces", "Pieces", 0));
        }
        self.format.listing(&rows, &columns)
    }
}

/// A sum over diagrams; `None` if it is unknown for all of them.
fn known_sum(sum: f64, diagrams: i64, unknown: i64) -> Option<f64> {
    (diagrams == 0 || unknown < diagrams).then_some(sum)
}

/// Index of the column of lengths.
const LENGTH: usize = 3;
const COLUMNS: [Column; 7] = [
    text("name", "System"),
    number("diagrams", "Diagrams", 0),
    number("area_ha", "Area ha", 1),
    number("length_km", "Length km", 1),
    number("cost", "Cost", 0),
    number("budget", "Budget", 0),
    number("budget_left", "Budget left", 0),
];

fn units(name: &str) -> Result<Units, &'static str> {
    Units::from_name(name).ok_or("units must be metric or us")
}

pub fn land(name: &str) -> Result<CountedLand, &'static str> {
    CountedLand::from_name(name).ok_or(CountedLand::PROBLEM)
}

/// At most this many wrong diagrams are named.
const MAX_NAMED: usize = 10;

/// Notes gaps in the sums, and possible errors in them.
fn note_gaps(report: &CostReport) {
    if report.unpriced() > 0 {
        note(&format!("Diagrams with unknown cost, not in the total: {}", report.unpriced()));
    }
    for row in report.bad_rows().take(MAX_NAMED) {
        note(&format!("  diagram {}: {}", row.diagramid, row.cost_problem.as_deref().unwrap_or_default()));
    }
    if report.without_rate() > 0 {
        note(&format!("Diagrams of systems without a cost per hectare: {}", report.without_rate()));
    }
    for diagrams in report.at_area_rates() {
        note(&diagrams.to_string());
    }
    if report.outside() > 0 {
        note(&format!(
            "Diagrams partly or completely outside the study area, which does not count: {}",
            report.outside()
        ));
    }
    if report.uncut() > 0 {
        note(&format!("Diagrams counted as a whole, without a geometry to cut at the study area: {}", report.uncut()));
    }
    if report.unopened() > 0 {
        note(&format!("External diagrams whose file could not be opened: {}", report.unopened()));
    }
    if let Some(invalid @ 1..) = report.invalid() {
        note(&format!("Diagrams with an invalid geometry, whose cost may be wrong: {invalid}"));
    }
}
