//! `pygeodesign archive-all`: an archive of many projects.

use clap::Args;

use super::connect::{Service, choose_project, named};
use super::context::Context;
use super::error::{CommandError, Result};
use super::host::ArchivedAll;
use super::output::{json, note};

/// Write an archive of many projects into a folder or a bucket, or bring the one there up to date.
///
/// Needs GeoPandas: pip install 'pygeodesign[many]'. A bucket also needs the library of its protocol, such as s3fs, which has its
/// own variables for credentials.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign archive-all archive
  pygeodesign archive-all s3://bucket/archive --project \"Staten Island 2050\" --project \"Lisbon 2050\"")]
pub struct ArchiveAll {
    /// A folder, or a URL such as s3://bucket/archive.
    store: String,
    /// A project, by id or title; may be given several times [default: all of them].
    #[arg(long = "project", value_name = "PROJECT")]
    projects: Vec<String>,
    /// Print the ids of the projects that were archived, unchanged, kept and not readable as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

impl ArchiveAll {
    pub fn run(&self, context: &Context) -> Result<()> {
        let client = self.service.connect(context)?;
        let projects = if self.projects.is_empty() {
            None
        } else {
            let known: Vec<_> = context.wait(client.projects())?.into_iter().map(named).collect();
            let chosen = self.projects.iter().map(|given| choose_project(Some(given), &known));
            Some(chosen.collect::<Result<_>>()?)
        };
        let outcome = context.host.archive_all(client, &self.store, projects)?;
        let ArchivedAll { archived, unchanged, kept, failures } = &outcome;
        if self.json {
            context.print(&json(&outcome)?)?;
        } else {
            for (what, count) in [("archived", archived.len()), ("unchanged", unchanged.len()), ("kept", kept.len())] {
                context.print(&format!("{what:10}{count}\n"))?;
            }
        }
        if failures.is_empty() {
            note(&format!("{} is up to date", self.store));
            return Ok(());
        }
        failures.iter().for_each(|(project, reason)| note(&format!("{project}: {reason}")));
        Err(CommandError::Partly(format!(
            "{} of {} projects could not be read and are as they were",
            failures.len(),
            archived.len() + unchanged.len() + failures.len()
        )))
    }
}
