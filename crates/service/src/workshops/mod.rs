//! Many workshops in one folder: each is a separate database, and shares nothing with the others.

mod folder;
mod name;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ROOT;
use crate::demo;
use crate::setup::{Accounts, Setup};
use crate::store::{Account, Store};

pub use self::folder::{FolderLock, FoundWorkshops, RunningService, WorkshopFolder};
pub use self::name::{InvalidWorkshopName, WorkshopError, WorkshopName};

/// Content of a new workshop.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewWorkshop {
    /// True if it has the demo project.
    pub demo: bool,
    /// Users to add.
    pub users: Vec<geodesign::model::Username>,
    /// Users to add, and to make members of every project.
    pub members: Vec<geodesign::model::Username>,
    /// Users to add, and to make administrators of every project.
    pub administrators: Vec<geodesign::model::Username>,
    /// Codes with which users may create projects. One is made if there is none.
    pub creation_codes: Vec<String>,
    /// The content of a setup file.
    pub setup: Setup,
}

/// A workshop that was made. The tokens cannot be shown again.
#[derive(Debug, Serialize)]
pub struct CreatedWorkshop {
    pub name: WorkshopName,
    /// The API root, below the address of the service.
    pub root: String,
    /// A token for each user, by name.
    pub tokens: BTreeMap<String, String>,
    pub creation_codes: Vec<String>,
}

impl NewWorkshop {
    /// Makes the workshop or, if a part of it is impossible, nothing.
    pub fn create(self, folder: &WorkshopFolder, name: WorkshopName) -> Result<CreatedWorkshop, WorkshopError> {
        if !self.setup.limits.is_empty() {
            return Err(WorkshopError::Limits(name));
        }
        if folder.database(&name).exists() {
            return Err(WorkshopError::Exists(name));
        }
        let drafts = tempfile::Builder::new().prefix(".draft-").tempdir_in(folder.path());
        let drafts = drafts.map_err(|error| folder.failed(error))?;
        let draft = drafts.path().join(name.file_name());
        let store = Store::open(Some(&draft))?;
        if self.demo {
            demo::create(&store)?;
        }
        // Nobody was removed from a new database.
        let _ = self.setup.apply(&store)?;
        let NewWorkshop { users, members, administrators, creation_codes, .. } = self;
        let _ = Accounts { users, members, administrators, creation_codes }.apply(&store)?;
        let mut tokens = BTreeMap::new();
        for Account { username, .. } in store.read(|read| read.accounts())? {
            tokens.insert(username.as_str().to_owned(), store.issue_token(&username)?);
        }
        let creation_codes = store.read(|read| read.creation_codes())?;
        // Moves the log into the file, and removes it.
        store.close();
        folder.add(&draft, &name)?;
        Ok(CreatedWorkshop { root: format!("{}{ROOT}/", name.prefix()), name, tokens, creation_codes })
    }
}
