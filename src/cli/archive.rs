//! `pygeodesign archive`: a project in one file.

use std::path::PathBuf;

use clap::Args;

use super::connect::Service;
use super::context::Context;
use super::error::Result;
use super::output::{ProgressLine, note};
use crate::client::ArchiveOptions;

/// Download everything that can be read of a project into one file.
#[derive(Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Examples:\n  pygeodesign archive staten.zip\n  pygeodesign archive \"Staten Island 2050\" staten.zip --thumbnails"
)]
pub struct Archive {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// The zip file to write. It is replaced once the new one is whole.
    file: PathBuf,
    /// Add a picture of each diagram.
    #[arg(long)]
    thumbnails: bool,
    #[command(flatten)]
    service: Service,
}

impl Archive {
    pub fn run(&self, context: &Context) -> Result<()> {
        let project = self.service.project(context, self.project.as_deref())?;
        let progress = ProgressLine::new("answers");
        let options = ArchiveOptions { thumbnails: self.thumbnails };
        let manifest = context.wait(project.archive(&self.file, options, &progress))?;
        drop(progress);
        note(&format!("Wrote {} with {} members", self.file.display(), manifest.members.len()));
        Ok(())
    }
}
