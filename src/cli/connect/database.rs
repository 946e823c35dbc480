//! The database of a service, which may be running.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;

use super::project_choice::choose_project;
use crate::cli::error::{CommandError, Result};
use crate::model::ProjectId;
use crate::service::Store;

/// The option that names a database.
#[derive(Args, Clone)]
pub struct Database {
    /// The database file. A service may be using it; it then knows of the changes at once.
    #[arg(long = "db", value_name = "FILE")]
    path: PathBuf,
}

impl Database {
    pub fn open(&self) -> Result<Store> {
        open_database(&self.path)
    }
}

/// Opens an existing database; creates none.
pub fn open_database(path: &Path) -> Result<Store> {
    let refused = |reason| {
        let path = path.display();
        CommandError::Input(format!("{path} {reason}; give the file that `pygeodesign serve --db` uses"))
    };
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Err(refused("is empty")),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(refused("does not exist")),
        _ => Ok(Store::open(Some(path))?),
    }
}

/// The project of a database that is named by its id or title, or the only one.
pub fn project_in(store: &Store, given: Option<&str>) -> Result<ProjectId> {
    choose_project(given, &store.read(|read| read.project_titles())?)
}
