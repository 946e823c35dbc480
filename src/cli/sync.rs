//! `pygeodesign sync`: brings an archive up to date.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::connect::Service;
use super::context::Context;
use super::error::Result;
use super::output::{ProgressLine, json, note};
use crate::client::SyncReport;
use crate::model::DiagramId;

/// Bring an archive up to date, and download only what changed since.
///
/// Without such a file, the project is archived.
#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Examples:\n  pygeodesign sync staten.zip\n  pygeodesign sync \"Staten Island 2050\" staten.zip --json"
)]
pub struct Sync {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// The archive. It is replaced once the new one is whole.
    file: PathBuf,
    /// Print the ids of the diagrams that were added, changed and removed as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    service: Service,
}

impl Sync {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.service.project(context, self.project.as_deref())?;
        let progress = ProgressLine::new("answers");
        let SyncReport { added, changed, removed, traffic } = context.wait(project.sync(&self.file, &progress))?;
        drop(progress);
        if self.json {
            context.print(&json(&json!({
                "added": added, "changed": changed, "removed": removed,
                "downloaded": traffic.downloaded, "kept": traffic.kept, "bytes": traffic.bytes,
            }))?)?;
        } else {
            for (what, diagrams) in [("added", added), ("changed", changed), ("removed", removed)] {
                context.print(&format!("{what:8}{}\n", listed(&diagrams)))?;
            }
        }
        note(&format!("{} is up to date: {} bytes were downloaded", self.file.display(), traffic.bytes));
        Ok(())
    }
}

/// How many there are, and which.
fn listed(diagrams: &[DiagramId]) -> String {
    const MAX_LISTED: usize = 20;
    let ids: Vec<String> = diagrams.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    let more = if diagrams.len() > MAX_LISTED { ", …" } else { "" };
    if ids.is_empty() { "0".into() } else { format!("{}: {}{more}", diagrams.len(), ids.join(", ")) }
}
