//! `pygeodesign projects`: the projects of the user.

use clap::Args;

use super::connect::Source;
use super::context::Context;
use super::error::Result;
use super::output::{ListingFormat, text};

/// List your projects.
#[derive(Args)]
#[command(after_help = "Examples:\n  pygeodesign projects\n  pygeodesign projects --csv > projects.csv")]
pub struct Projects {
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Projects {
    pub fn run(&self, context: &Context) -> Result<()> {
        let projects = self.source.projects(context)?;
        let columns = [text("id", "Id"), text("projecttitle", "Title"), text("startdate", "Start")];
        context.print(&self.format.listing(&projects, &columns)?)
    }
}
