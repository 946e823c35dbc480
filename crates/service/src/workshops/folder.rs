//! A folder with the databases of workshops, and the service that serves it. Only that service may move or delete databases that it has
//! open.

use std::fs::{self, DirEntry, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::name::{InvalidWorkshopName, WorkshopError, WorkshopName};
use crate::ROOT;
use crate::store::{backup_file, beside, new_secret};
use geodesign::model::ListedWorkshop;
use geodesign_common::whole_files::{Readers, draft_of, persist};

/// Folder of the databases of archived workshops.
const ARCHIVED: &str = "archived";
/// The file with the operator's token.
const OPERATOR_TOKEN: &str = "operator-token";

/// A folder in which each file `NAME.sqlite` is the database of a workshop.
#[derive(Debug, Clone)]
pub struct WorkshopFolder {
    path: PathBuf,
}

/// Contents of a folder.
#[derive(Debug, Default)]
pub struct FoundWorkshops {
    /// Names of the workshops, in alphabetical order.
    pub names: Vec<WorkshopName>,
    /// Databases that are not workshops because of their names.
    pub ignored: Vec<InvalidWorkshopName>,
}

impl WorkshopFolder {
    /// Opens an existing folder. A later change of the working folder has no effect.
    pub fn open(path: &Path) -> Result<Self, WorkshopError> {
        let failed = |source| WorkshopError::Folder { path: path.to_owned(), source };
        let folder = WorkshopFolder { path: std::path::absolute(path).map_err(failed)? };
        let is_folder = fs::metadata(path).map_err(failed)?.is_dir();
        if is_folder { Ok(folder) } else { Err(folder.failed(io::ErrorKind::NotADirectory.into())) }
    }

    /// Opens a folder, which is created if there is none.
    pub fn create(path: &Path) -> Result<Self, WorkshopError> {
        let failed = |source| WorkshopError::Folder { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(failed)?;
        WorkshopFolder::open(path)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All workshops.
    pub fn list(&self) -> Result<FoundWorkshops, WorkshopError> {
        let mut found = FoundWorkshops::default();
        for entry in fs::read_dir(&self.path).map_err(|error| self.failed(error))? {
            let entry = entry.map_err(|error| self.failed(error))?;
            match WorkshopName::of_file(&entry.file_name().to_string_lossy()) {
                // Opening a pipe or a device could wait for ever.
                Some(_) if !is_file(&entry) => {}
                Some(Ok(name)) => found.names.push(name),
                Some(Err(invalid)) => found.ignored.push(invalid),
                None => {}
            }
        }
        found.names.sort_unstable();
        Ok(found)
    }

    /// True if a workshop has exactly this name. Some systems ignore case in file names: a workshop would have several names, and would be
    /// opened once for each.
    pub fn has(&self, name: &WorkshopName) -> Result<bool, WorkshopError> {
        Ok(self.database(name).is_file() && self.list()?.names.contains(name))
    }

    pub fn database(&self, name: &WorkshopName) -> PathBuf {
        self.path.join(name.file_name())
    }

    /// The database and the files that SQLite may keep next to it.
    pub fn files(&self, name: &WorkshopName) -> [PathBuf; 3] {
        let database = self.database(name);
        let (log, index) = (beside(&database, "-wal"), beside(&database, "-shm"));
        [database, log, index]
    }

    /// All workshops with their details. `state` returns whether a workshop is open, and why it could not be opened.
    pub fn listed(
        &self,
        state: impl Fn(&WorkshopName) -> (bool, Option<String>),
    ) -> Result<Vec<ListedWorkshop>, WorkshopError> {
        let listed = |name: WorkshopName| {
            let files = self.files(&name);
            let files = || files.iter().filter_map(|path| fs::metadata(path).ok());
            let changed = files().filter_map(|file| file.modified().ok()).max();
            let (is_open, problem) = state(&name);
            ListedWorkshop {
                name: name.to_string(),
                root: format!("{}{ROOT}/", name.prefix()),
                bytes: files().map(|file| file.len()).sum(),
                changed: changed
                    .and_then(|time| Timestamp::try_from(time).ok())
                    .map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
                is_open,
                problem,
            }
        };
        Ok(self.list()?.names.into_iter().map(listed).collect())
    }

    /// Moves an unused database into the folder `archived`, where it is not served. Returns its new path: the name has the time in
    /// UTC, such as `archived/spring-20300521T093000Z.sqlite`.
    pub fn archive(&self, name: &WorkshopName) -> Result<PathBuf, WorkshopError> {
        let database = self.database(name);
        if !database.is_file() {
            return Err(WorkshopError::Unknown(name.clone()));
        }
        let archived = self.path.join(ARCHIVED);
        fs::create_dir_all(&archived).map_err(|error| self.failed(error))?;
        let time = Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
        let new_name = |number: usize| match number {
            0 => format!("{name}-{time}.sqlite"),
            number => format!("{name}-{time}-{number}.sqlite"),
        };
        let path = (0..).map(|number| archived.join(new_name(number))).find(|path| !path.exists());
        let path = path.unwrap_or(archived);
        // A copy, as what was written last may be in the log only, which a program that replicates the database keeps open.
        backup_file(&database, &path)?;
        self.remove(name)?;
        Ok(path)
    }

    /// Deletes an unused database.
    pub fn remove(&self, name: &WorkshopName) -> Result<(), WorkshopError> {
        let [database, log, index] = self.files(name);
        fs::remove_file(&database).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => WorkshopError::Unknown(name.clone()),
            _ => self.failed(error),
        })?;
        for file in [log, index] {
            match fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.failed(error)),
                _ => {}
            }
        }
        self.sync();
        Ok(())
    }

    /// Gives a complete new database its name, unless there is a workshop of that name.
    pub(super) fn add(&self, draft: &Path, name: &WorkshopName) -> Result<(), WorkshopError> {
        // Unlike renaming, this replaces no file.
        let linked = fs::hard_link(draft, self.database(name)).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Err(error),
            // The file system has no links.
            _ if self.database(name).exists() => Err(io::ErrorKind::AlreadyExists.into()),
            _ => fs::rename(draft, self.database(name)),
        });
        linked.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => WorkshopError::Exists(name.clone()),
            _ => self.failed(error),
        })?;
        self.sync();
        Ok(())
    }

    /// The operator's token, which the first service of the folder makes. Only its owner can read its file.
    pub fn operator_token(&self) -> Result<String, WorkshopError> {
        let path = self.operator_token_file();
        check_is_file(&path).map_err(|error| self.failed(error))?;
        match fs::read_to_string(&path) {
            Ok(token) if !token.trim().is_empty() => return Ok(token.trim().to_owned()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(self.failed(error)),
        }
        let token = new_secret()?;
        let write = || {
            let mut draft = draft_of(&path, Readers::Owner)?;
            io::Write::write_all(&mut draft, format!("{token}\n").as_bytes())?;
            persist(draft, &path, Readers::Owner)
        };
        write().map_err(|error| self.failed(error))?;
        Ok(token)
    }

    pub fn operator_token_file(&self) -> PathBuf {
        self.path.join(OPERATOR_TOKEN)
    }

    /// Makes the names of files survive a power failure, if the system can.
    fn sync(&self) {
        if let Ok(folder) = File::open(&self.path) {
            let _ = folder.sync_all();
        }
    }

    /// The error for this folder, which cannot be used.
    pub(crate) fn failed(&self, source: io::Error) -> WorkshopError {
        WorkshopError::Folder { path: self.path.clone(), source }
    }
}

/// True if an entry of a folder is a file, or a link to one.
fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_symlink() && entry.path().is_file())
}

/// Refuses anything there that is not a file: opening a pipe or a device could wait for ever.
fn check_is_file(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            let problem = format!("{} is a pipe, a device or a folder; remove it", path.display());
            Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
        }
        _ => Ok(()),
    }
}

/// Name of the lock file. A running service locks it or, while none runs, a command that changes the folder.
const LOCK: &str = ".lock";
/// File with the address of the running service.
const SERVICE: &str = ".service.json";

/// The right to move and delete the databases of a folder, until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
    service: PathBuf,
}

/// The way to reach the service of a folder from this machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunningService {
    /// The API root.
    pub url: String,
    /// The certificate of the service's own authority, if it has one.
    pub ca_file: Option<PathBuf>,
}

impl FolderLock {
    /// Takes the lock of a folder. If another process has it, this is an error.
    pub fn take(folder: &WorkshopFolder) -> Result<Self, WorkshopError> {
        check_is_file(&folder.path().join(LOCK)).map_err(|error| folder.failed(error))?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = options.open(folder.path().join(LOCK)).map_err(|error| folder.failed(error))?;
        match file.try_lock() {
            Ok(()) => {
                let service = folder.path().join(SERVICE);
                // Left by a service that was killed.
                let _ = fs::remove_file(&service);
                Ok(FolderLock { _file: file, service })
            }
            Err(TryLockError::WouldBlock) => Err(WorkshopError::Locked(folder.path().to_owned())),
            Err(TryLockError::Error(error)) => Err(folder.failed(error)),
        }
    }

    /// Announces the address of the service to commands on this machine.
    pub fn announce(&self, service: &RunningService) -> io::Result<()> {
        let mut draft = draft_of(&self.service, Readers::Owner)?;
        draft.write_all(&serde_json::to_vec(service)?)?;
        persist(draft, &self.service, Readers::Owner)?;
        Ok(())
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.service);
    }
}

impl RunningService {
    /// The service that has the lock of a folder. `None` if it has not announced its address yet.
    pub fn of(folder: &Path) -> Option<Self> {
        let path = folder.join(SERVICE);
        check_is_file(&path).ok()?;
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}
