//! `pygeodesign backup`: a whole copy of a database, also while a service uses it.

use std::path::PathBuf;

use clap::Args;

use crate::service::{StoreError, backup_file};

#[derive(Args)]
pub struct Backup {
    /// The database file. A service may be using it.
    source: PathBuf,
    /// The file to write. An earlier backup is replaced once the new one is complete and was checked; any other file is kept.
    target: PathBuf,
}

impl Backup {
    /// Returns the text to print.
    pub fn run(&self) -> Result<String, StoreError> {
        backup_file(&self.source, &self.target)?;
        Ok(format!("Copied {} to {}\n", self.source.display(), self.target.display()))
    }
}
