//! The whole of a setup file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::maps::MapFileError;
use super::new_projects::NewProjectSetup;
use super::projects::ProjectSetup;
use crate::model::{Username, Uuid};
use crate::service::store::{InputError, Result, Store};

/// The content of a setup file. Everything in it is optional. Applying it adds and replaces what it names, and leaves all
/// else as it is, so that applying it again changes nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    /// Limits of the service, by name. They hold from its start on: a running service does not read them.
    pub limits: BTreeMap<String, u64>,
    users: Vec<Username>,
    creation_codes: Vec<String>,
    /// Ids of projects of the companion platform.
    linked_projects: Vec<String>,
    /// Descriptions by UUID.
    plugins: BTreeMap<String, String>,
    /// Projects to create, unless there is one of the same title.
    new_projects: Vec<NewProjectSetup>,
    /// By project id. The projects must exist.
    projects: BTreeMap<String, ProjectSetup>,
}

impl Setup {
    /// Reads the maps that are in files of their own. Their paths are relative to `folder`.
    pub fn read_map_files(&mut self, folder: &Path) -> std::result::Result<(), MapFileError> {
        self.new_projects.iter_mut().try_for_each(|project| project.read_map_files(folder))?;
        self.projects.values_mut().try_for_each(|project| project.read_map_files(folder))
    }

    /// Applies the whole setup. If a part of it is impossible, the database stays as it was.
    pub fn apply(&self, store: &Store) -> Result<()> {
        store.write(|write| {
            self.users.iter().try_for_each(|user| write.add_user(user).map(drop))?;
            self.creation_codes.iter().try_for_each(|code| write.add_creation_code(code))?;
            self.linked_projects.iter().try_for_each(|id| write.add_linked_project(id))?;
            for (id, description) in &self.plugins {
                write.add_plugin(&id.parse::<Uuid>().map_err(InputError::Id)?, description)?;
            }
            self.new_projects.iter().try_for_each(|project| project.apply(write))?;
            for (id, project) in &self.projects {
                project.apply(write, &id.parse().map_err(InputError::Id)?)?;
            }
            Ok(())
        })
    }
}
