//! `pygeodesign systems`: the systems of a project, with their figures.

use clap::Args;

use super::connect::Source;
use super::context::Context;
use super::error::Result;
use super::output::{ListingFormat, number, text};

/// List the systems of a project, with cost per hectare, budget and areas.
#[derive(Args)]
#[command(after_help = "Examples:\n  pygeodesign systems\n  pygeodesign systems \"Staten Island 2050\" --json")]
pub struct Systems {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Systems {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let systems = context.wait(project.system_details())?;
        let columns = [
            text("id", "Id"),
            text("name", "System"),
            text("tag", "Tag"),
            number("cost", "Cost per ha", 0),
            number("budget", "Budget", 0),
            number("current_ha", "Current ha", 1),
            number("target_ha", "Target ha", 1),
        ];
        context.print(&self.format.listing(&systems, &columns)?)
    }
}
