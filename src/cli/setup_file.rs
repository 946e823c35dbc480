//! Reading a setup file.

use std::fs;
use std::path::Path;

use super::serve_error::ServeError;
use crate::service::Setup;

/// A setup, with the maps that are in files of their own.
pub fn read_setup(path: &Path) -> Result<Setup, ServeError> {
    let text = fs::read_to_string(path).map_err(|source| ServeError::ReadSetup { path: path.to_owned(), source })?;
    let mut json = serde_json::Deserializer::from_str(&text);
    let setup: Result<Setup, _> = serde_path_to_error::deserialize(&mut json);
    let mut setup = setup.map_err(|source| ServeError::ParseSetup { path: path.to_owned(), source })?;
    setup.read_map_files(path.parent().unwrap_or(Path::new("")))?;
    Ok(setup)
}
