//! The setup file: a service administrator's decisions, in one JSON document. It holds users, members, teams, designs,
//! new projects, and values that the HTTP operations can only read.

mod bounds;
mod context;
mod impacts;
mod maps;
mod projects;
mod withdrawn;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Deserialize;

use self::projects::{NewProjectSetup, ProjectSetup};
use self::withdrawn::Withdrawn;
use crate::store::{InputError, Result, Store};
use geodesign::model::{Username, Uuid};
use geodesign_common::regular_file::read_text;

use self::bounds::Counts;
pub use self::bounds::TooMany;
pub use self::maps::{MapFileError, MapReader, read_evaluation_file, read_map_file};
pub use self::projects::MAX_SYSTEMS;

/// The content of a setup file. Everything in it is optional. Applying it adds and replaces what it names, and leaves everything else as it
/// is. Applying it again changes nothing, and users or members removed meanwhile stay removed.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    /// Limits of the service, by name. They apply from the service's start: a running service does not read them.
    pub limits: BTreeMap<String, u64>,
    users: Vec<Username>,
    creation_codes: Vec<String>,
    /// Ids of projects of the companion platform.
    linked_projects: Vec<String>,
    /// Descriptions of plugins, by UUID.
    plugins: BTreeMap<String, String>,
    /// Projects to create, unless there is one of the same title.
    new_projects: Vec<NewProjectSetup>,
    /// Changes of existing projects, by project id.
    projects: BTreeMap<String, ProjectSetup>,
}

/// The largest setup file, in bytes. Maps may be in their own files.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Reasons why a setup cannot be read. `name` is its path, or the argument that contains it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    #[error("{name}: {source}")]
    Read { name: String, source: io::Error },
    #[error("{name}: {source}")]
    Parse { name: String, source: serde_path_to_error::Error<serde_json::Error> },
    #[error("{name}: {source}")]
    TooMany { name: String, source: TooMany },
    #[error(transparent)]
    MapFile(#[from] MapFileError),
}

impl Setup {
    /// Reads a setup file, with the maps in their own files, whose paths are relative to its folder.
    pub fn read(path: &Path, reader: MapReader) -> std::result::Result<Self, SetupError> {
        let name = path.display().to_string();
        match read_text(path, MAX_BYTES) {
            Ok(text) => Setup::parse(&text, name, path.parent().unwrap_or(Path::new("")), reader),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                let folder = std::env::current_dir().unwrap_or_default();
                let problem = format!("there is no such file; the working folder is {}", folder.display());
                Err(SetupError::Read { name, source: io::Error::other(problem) })
            }
            Err(source) => Err(SetupError::Read { name, source }),
        }
    }

    /// Reads the text of a setup file. The paths of maps are relative to `folder`.
    pub fn parse(text: &str, name: String, folder: &Path, reader: MapReader) -> std::result::Result<Self, SetupError> {
        let parsed = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text));
        let mut setup: Setup = parsed.map_err(|source| SetupError::Parse { name: name.clone(), source })?;
        setup.check_bounds(folder).map_err(|source| SetupError::TooMany { name, source })?;
        setup.read_map_files(folder, reader)?;
        Ok(setup)
    }

    fn check_bounds(&self, folder: &Path) -> std::result::Result<(), TooMany> {
        let mut counts = Counts { people: self.users.len(), ..Counts::default() };
        counts.rows += self.creation_codes.len() + self.linked_projects.len() + self.plugins.len();
        self.new_projects.iter().for_each(|project| project.count(&mut counts));
        self.projects.values().for_each(|project| project.count(&mut counts));
        let new = self.new_projects.iter().flat_map(|project| project.map_files());
        let files = new.chain(self.projects.values().flat_map(|project| project.map_files()));
        // A path that is not a file is reported when it is read.
        let bytes = files.map(|file| std::fs::metadata(folder.join(file)).map_or(0, |found| found.len())).sum();
        counts.check(self.new_projects.len() + self.projects.len(), bytes)
    }

    fn read_map_files(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        self.new_projects.iter_mut().try_for_each(|project| project.read_map_files(folder, reader))?;
        self.projects.values_mut().try_for_each(|project| project.read_map_files(folder, reader))
    }

    /// Applies the setup. If a part of it is impossible, the database stays as it was.
    pub fn apply(&self, store: &Store) -> Result<Withdrawn> {
        store.write(|write| {
            let mut withdrawn = Withdrawn::default();
            withdrawn.add_users(write, &self.users)?;
            self.creation_codes.iter().try_for_each(|code| write.add_creation_code(code))?;
            self.linked_projects.iter().try_for_each(|id| write.add_linked_project(id))?;
            for (id, description) in &self.plugins {
                write.add_plugin(&id.parse::<Uuid>().map_err(InputError::Id)?, description)?;
            }
            self.new_projects.iter().try_for_each(|project| project.apply(write, &mut withdrawn))?;
            for (id, project) in &self.projects {
                project.apply(write, &id.parse().map_err(InputError::Id)?, &mut withdrawn)?;
            }
            Ok(withdrawn)
        })
    }
}

/// Users and codes to add. Existing ones stay.
#[derive(Debug, Default)]
pub struct Accounts {
    pub users: Vec<Username>,
    /// Users who become members of every project. A project's administrators stay administrators.
    pub members: Vec<Username>,
    /// Users who become administrators of every project.
    pub administrators: Vec<Username>,
    /// Codes for creating projects. If the database then has none, a random one is added.
    pub creation_codes: Vec<String>,
}

impl Accounts {
    /// Adds all or, if one is impossible, none.
    pub fn apply(&self, store: &Store) -> Result<Withdrawn> {
        store.write(|write| {
            let mut withdrawn = Withdrawn::default();
            // Members and administrators get an account even if there is no project yet.
            let users = self.users.iter().chain(&self.members).chain(&self.administrators);
            withdrawn.add_users(write, users)?;
            for project in write.project_ids()? {
                withdrawn.add_members(write, write.project_key(&project)?, &self.members, &self.administrators)?;
            }
            self.creation_codes.iter().try_for_each(|code| write.add_creation_code(code))?;
            if write.creation_codes()?.is_empty() {
                write.new_creation_code()?;
            }
            Ok(withdrawn)
        })
    }
}
