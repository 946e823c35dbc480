//! `pygeodesign costs`: the costs of a project, per system.

use clap::Args;
use serde_json::json;

use super::connect::Source;
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{Column, ListingFormat, json, note, number, text};
use super::selection::Selection;
use crate::client::CostOptions;
use crate::costs::CostReport;

/// What the diagrams of a project cost, per system.
///
/// A policy costs nothing unless it has a total. What is not known is left out and counted on the standard error.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign costs
  pygeodesign costs \"Staten Island 2050\" --team Youth
  pygeodesign costs --member amara.okafor --json
  pygeodesign costs --archive staten.zip --csv > costs.csv

--json prints one object: `systems` and `diagrams`, which are lists of rows, and `total`. --csv prints the systems.")]
pub struct Costs {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Costs {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let report = context.wait(async {
            let selection = self.selection.find(&project).await?;
            Ok::<_, CommandError>(project.costs(selection, CostOptions::default()).await?)
        })?;
        context.print(&self.text(&report)?)?;
        note_gaps(&report);
        Ok(())
    }

    fn text(&self, report: &CostReport) -> Result<String> {
        if self.format.json {
            let CostReport { systems, diagrams, .. } = report;
            return json(&json!({"systems": systems, "diagrams": diagrams, "total": report.total()}));
        }
        let mut rows: Vec<_> = report.systems.iter().map(|system| json!(system)).collect();
        if !self.format.csv {
            rows.push(json!({"name": "Total", "diagrams": report.diagrams.len(), "cost": report.total()}));
        }
        self.format.listing(&rows, &COLUMNS)
    }
}

const COLUMNS: [Column; 7] = [
    text("name", "System"),
    number("diagrams", "Diagrams", 0),
    number("area_ha", "Area ha", 1),
    number("length_km", "Length km", 1),
    number("cost", "Cost", 0),
    number("budget", "Budget", 0),
    number("budget_left", "Budget left", 0),
];

/// Says what the sums leave out.
fn note_gaps(report: &CostReport) {
    if report.unpriced() > 0 {
        note(&format!("Diagrams whose cost is not known, and therefore not in the total: {}", report.unpriced()));
    }
    if report.without_rate() > 0 {
        note(&format!("Diagrams of systems without a cost per hectare: {}", report.without_rate()));
    }
}
