//! `pygeodesign upload`: adds a diagram for each feature of a file.

use std::path::PathBuf;

use clap::Args;

use super::connect::Service;
use super::context::Context;
use super::error::{CommandError, Result};
use super::host::UploadOptions;
use super::output::{ListingFormat, error, note, text};
use crate::client::Client;

/// Add a diagram for each feature of a file.
///
/// All features are checked before the first is sent. GeoJSON in degrees needs nothing else; GeoPackage, Shapefile, FlatGeobuf,
/// GeoParquet and other formats need GeoPandas: pip install 'pygeodesign[geo]'.
#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "\
Examples:
  pygeodesign upload parks.geojson --system \"Green infrastructure\"
  pygeodesign upload \"Staten Island 2050\" parks.gpkg --system 3 --title name --kind policy --dry-run"
)]
pub struct Upload {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// The file.
    file: PathBuf,
    #[command(flatten)]
    options: UploadOptions,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    service: Service,
}

impl Upload {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.service.project(context, self.project.as_deref())?;
        // The host has a runtime of its own, which cannot use the connections of this one.
        let project = Client::new(project.client().config().clone())?.project(project.id().clone());
        let rows = context.host.upload(project, &self.file, &self.options)?;
        let columns = [text("diagram_id", "Id"), text("grid_location", "Cell"), text("title", "Title")];
        let (failed, added): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.error.is_some());
        let is_table = !self.format.json && !self.format.csv;
        let listed = if is_table { added } else { rows.iter().collect() };
        context.print(&self.format.listing(&listed, &columns)?)?;
        for row in &failed {
            error(&format!("{:?}: {}", row.title, row.error.as_deref().unwrap_or_default()));
        }
        match failed.len() {
            0 if self.options.dry_run => note(&format!("{} diagrams can be added; nothing was sent", rows.len())),
            0 => note(&format!("Added {} diagrams", rows.len())),
            count => {
                let message = format!("{count} of {} diagrams were not added; send them again", rows.len());
                return Err(CommandError::Partly(message));
            }
        }
        Ok(())
    }
}
