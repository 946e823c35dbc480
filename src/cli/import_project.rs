//! `pygeodesign import-project`: brings projects of a setup file into a database.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::connect::Database;
use super::context::Context;
use super::error::Result;
use super::output::{ListingFormat, text};
use super::setup_file::read_setup;

/// Bring the projects, users and settings of a setup file into a database, and list its projects.
///
/// A project of the same title is not created again. If a part of the file is impossible, nothing of it is done. The database is
/// changed directly, also while a service uses it; the service takes over limits of the file when it starts again.
#[derive(Args)]
#[command(after_help = "Examples:\n  pygeodesign import-project workshop.json --db workshop.sqlite")]
pub struct ImportProject {
    /// The setup file: JSON, as `pygeodesign serve --setup` takes it.
    file: PathBuf,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    format: ListingFormat,
}

impl ImportProject {
    pub fn run(&self, context: &Context) -> Result<()> {
        // Read first, so that a mistake in the file is named whatever the database is.
        let setup = read_setup(&self.file)?;
        let store = self.database.open()?;
        setup.apply(&store)?;
        let projects = store.read(|read| read.project_titles())?;
        let rows: Vec<_> = projects.iter().map(|(id, title)| json!({"id": id, "projecttitle": title})).collect();
        context.print(&self.format.listing(&rows, &[text("id", "Id"), text("projecttitle", "Title")])?)
    }
}
