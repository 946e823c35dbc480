//! `pygeodesign history`: the changes of a project, with their users and times.

use clap::Args;
use jiff::civil::DateTime;

use super::connect::Source;
use super::context::Context;
use super::error::{CommandError, Result};
use super::found::find_diagrams;
use super::output::{ListingFormat, text};
use geodesign::model::{HistoryFilter, Username, utc_date_time};

/// List who changed what in a project, newest first.
///
/// Times are in UTC. Entries about memberships, tokens, links and walk-ins are shown to administrators of the project only.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign history --since 2026-11-23
  pygeodesign history \"Staten Island 2050\" --user amara.okafor --json
  pygeodesign history --diagram 1002 --csv > history.csv
  pygeodesign history --since 2026-11-23T18:30:00+01:00 --diagram \"Oyster reef\"")]
pub struct History {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// Only changes at this time and later: a date or a date-time, in UTC unless it has a zone.
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<DateTime>,
    /// Only changes by this user.
    #[arg(long, value_name = "NAME")]
    user: Option<Username>,
    /// Only changes of this diagram, by its id, title or the start of its title. A removed one is found by its id.
    #[arg(long, value_name = "DIAGRAM")]
    diagram: Option<String>,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    source: Source,
}

/// Width of the table: long texts are cut.
const WIDTH: usize = 100;

impl History {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.source.project(context, self.project.as_deref())?;
        let entries = context.wait(async {
            let diagram = find_diagrams(&project, self.diagram.as_slice()).await?.pop();
            let wanted = HistoryFilter { since: self.since, user: self.user.clone(), diagram };
            Ok::<_, CommandError>(project.history(&wanted).await?)
        })?;
        let columns = [
            text("time", "Time (UTC)"),
            text("username", "Who"),
            text("operation", "Operation"),
            text("subject", "What"),
            text("before", "Before"),
            text("after", "After"),
        ];
        context.print(&self.format.listing_within(WIDTH, &entries, &columns)?)
    }
}

fn since(text: &str) -> Result<DateTime, &'static str> {
    utc_date_time(text).ok_or("write a date or a date-time, such as 2030-05-01 or 2030-05-01T12:30:00+02:00")
}
