//! `pygeodesign designs`: the designs of the change teams.

use clap::Args;
use serde_json::json;

use super::connect::Source;
use super::context::Context;
use super::error::Result;
use super::output::{ListingFormat, text};
use super::selection::designs_of;

/// List the designs of the change teams of a project.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pygeodesign designs\n  pygeodesign designs \"Staten Island 2050\" --team Youth --json"
)]
pub struct Designs {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// Only those of this change team, by its id or title.
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

impl Designs {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let designs = context.wait(designs_of(&project, self.team.as_deref()))?;
        let rows: Vec<_> = designs
            .into_iter()
            .map(|(team, design)| {
                let mut row = json!(design);
                row["team"] = team.title.into();
                row
            })
            .collect();
        let columns = [
            text("id", "Id"),
            text("team", "Team"),
            text("description", "Design"),
            text("creationdate", "Saved (UTC)"),
        ];
        context.print(&self.format.listing(&rows, &columns)?)
    }
}
