//! `pygeodesign basemap`: a basemap for the room, cut from an extract of OpenStreetMap.

use std::path::PathBuf;

use clap::Args;

use super::context::Context;
use super::error::Result;
use super::pages::wrote;

/// Cut a basemap for `serve --basemap` from an extract of OpenStreetMap.
///
/// The file has vector tiles (PMTiles), which the room draws in its own colours, without a network. Needs GeoPandas: pip install
/// 'pygeodesign[geo]'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign basemap city.osm.pbf -o city.pmtiles
  pygeodesign basemap state.osm.pbf --area area.gpkg -o city.pmtiles")]
pub struct Basemap {
    /// An extract of OpenStreetMap (.osm.pbf or .osm).
    #[arg(value_name = "EXTRACT")]
    extract: PathBuf,
    /// A GIS file with the study area. The basemap has the rectangle around it and, on each side, half of its longer side more [default:
    /// all of the extract].
    #[arg(long, value_name = "FILE")]
    area: Option<PathBuf>,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

impl Basemap {
    pub fn run(&self, context: &Context) -> Result<()> {
        context.host.write_basemap(&self.extract, self.area.as_deref(), &self.output)?;
        wrote(&self.output)
    }
}
