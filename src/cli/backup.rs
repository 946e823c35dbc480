//! `pygeodesign backup`: a whole copy of a database, also while a service uses it.

use std::path::PathBuf;

use clap::Args;

use super::context::Context;
use super::error::Result;
use crate::service::backup_file;

/// Copy a database into one file, also while a service uses it.
#[derive(Args)]
#[command(after_help = "Examples:\n  pygeodesign backup workshop.sqlite copy.sqlite")]
pub struct Backup {
    /// The database file. A service may be using it.
    source: PathBuf,
    /// The file to write. An earlier backup is replaced once the new one is complete and was checked; any other file is kept.
    target: PathBuf,
}

impl Backup {
    pub fn run(&self, context: &Context) -> Result<()> {
        backup_file(&self.source, &self.target)?;
        context.print(&format!("Copied {} to {}\n", self.source.display(), self.target.display()))
    }
}
