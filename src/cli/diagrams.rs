//! `pygeodesign diagrams`: the diagrams of a project, listed or written to a file.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;

use super::connect::Source;
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{ListingFormat, note, text};
use super::selection::Selection;
use crate::client::{CostSelection, Error, Project, SelectionKind};
use crate::features::FeatureCollection;
use crate::model::DiagramSummary;

/// List the diagrams of a project, or write them to a file.
///
/// The ending of the file tells the format: .geojson, .gpkg, .parquet, .fgb, .shp, .kml, .csv or .xlsx. All but GeoJSON need
/// GeoPandas: pip install 'pygeodesign[geo]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign diagrams
  pygeodesign diagrams \"Staten Island 2050\" -o diagrams.geojson
  pygeodesign diagrams --team Youth -o youth.gpkg
  pygeodesign diagrams --archive staten.zip -o diagrams.xlsx")]
pub struct Diagrams {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// The file to write. It is replaced once the new one is whole.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["json", "csv"])]
    output: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Diagrams {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let selection = context.wait(self.selection.find(&project))?;
        match &self.output {
            Some(path) => {
                let features = context.wait(features(&project, selection))?;
                let files = context.host.write_features(features, path)?;
                files.iter().for_each(|file| note(&format!("Wrote {}", file.display())));
                Ok(())
            }
            None => {
                let diagrams = context.wait(summaries(&project, selection))?;
                let columns = [
                    text("id", "Id"),
                    text("worlddescription", "Title"),
                    text("sysid", "System"),
                    text("author", "Author"),
                    text("created_at", "Created (UTC)"),
                ];
                context.print(&self.format.listing(&diagrams, &columns)?)
            }
        }
    }
}

async fn features(project: &Project, selection: CostSelection) -> Result<FeatureCollection, Error> {
    match selection {
        CostSelection::Member(member) => project.selection(&member, SelectionKind::Everywhere).await,
        CostSelection::Design(team, design) => project.design(team, design).await,
        CostSelection::All | CostSelection::Diagrams(_) => project.diagrams().await,
    }
}

async fn summaries(project: &Project, selection: CostSelection) -> Result<Vec<DiagramSummary>, CommandError> {
    let mut diagrams = project.diagram_summaries().await?;
    if selection != CostSelection::All {
        let selected: HashSet<i64> = features(project, selection).await?.diagram_ids().into_iter().collect();
        diagrams.retain(|diagram| selected.contains(&diagram.id.0));
    }
    Ok(diagrams)
}
