//! `pygeodesign open`: a summary of an archive.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::context::Context;
use super::error::Result;
use super::output::json;
use crate::client::{Project, shown};

/// Verify an archive, and tell what is in it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign open staten.zip
  pygeodesign open staten.zip --json

Every reading command takes --archive FILE, such as `pygeodesign costs --archive staten.zip`.")]
pub struct Open {
    /// The archive.
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Open {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = Project::open_archive(&self.file)?;
        let info = context.wait(project.info())?;
        let Some(archive) = project.opened_archive() else { return Ok(()) };
        let manifest = archive.manifest();
        if self.json {
            return context.print(&json(&json!({
                "file": archive.path(), "projectid": info.id, "projecttitle": info.projecttitle,
                "source": manifest.source, "created_at": manifest.created_at, "counts": manifest.counts,
                "refused": manifest.refused,
            }))?);
        }
        let mut lines = vec![
            ("Project", format!("{} ({})", shown(info.projecttitle.as_deref().unwrap_or_default()), info.id)),
            ("Source", shown(&manifest.source)),
            ("Read at", shown(&manifest.created_at)),
        ];
        let counts = manifest.counts.iter().map(|(name, count)| format!("{count} {}", shown(name)));
        lines.push(("Holds", counts.collect::<Vec<_>>().join(", ")));
        if !manifest.refused.is_empty() {
            lines.push(("Refused", format!("{} requests, which the service did not answer", manifest.refused.len())));
        }
        context.print(&lines.iter().map(|(name, value)| format!("{name:8}{value}\n")).collect::<String>())
    }
}
