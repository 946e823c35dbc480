//! `pygeodesign import-project`: brings the project of an archive, or those of a setup file, into a database.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::connect::Database;
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{ListingFormat, text};
use super::setup_file::read_setup;
use crate::service::{IsInterrupted, Limits, PreparedArchive, Store};

/// Bring the project of an archive, or the projects, users and settings of a setup file into a database, and list its projects.
///
/// A database takes a project of an archive once. A project of a setup file is not created again if there is one of the same
/// title. If a part of the file is impossible, nothing of it is done. The database is changed directly, also while a service uses
/// it; the service takes over limits of a setup file when it starts again.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign import-project staten.zip --db workshop.sqlite
  pygeodesign import-project workshop.json --db workshop.sqlite")]
pub struct ImportProject {
    /// An archive, which ends in .zip; or a setup file: JSON, as `pygeodesign serve --setup` takes it.
    file: PathBuf,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    format: ListingFormat,
}

impl ImportProject {
    pub fn run(&self, context: &Context) -> Result<()> {
        let is_archive = self.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
        // The file is read first, so that a mistake in it is named whatever the database is.
        let store = if is_archive {
            context.work(|is_interrupted| self.load(is_interrupted))??
        } else {
            let setup = read_setup(&self.file)?;
            let store = self.database.open()?;
            setup.apply(&store)?;
            store
        };
        let projects = store.read(|read| read.project_titles())?;
        let rows: Vec<_> = projects.iter().map(|(id, title)| json!({"id": id, "projecttitle": title})).collect();
        context.print(&self.format.listing(&rows, &[text("id", "Id"), text("projecttitle", "Title")])?)
    }

    /// Brings the project of the archive into the database.
    fn load(&self, is_interrupted: IsInterrupted) -> Result<Store> {
        let limits = Arc::new(Limits::default());
        let archive = PreparedArchive::read(&self.file, &limits, is_interrupted)?;
        let store = self.database.open()?;
        store.write(|write| Ok::<_, CommandError>(archive.load(write, &limits, is_interrupted)?))?;
        Ok(store)
    }
}
