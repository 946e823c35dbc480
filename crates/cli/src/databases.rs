//! Commands for complete databases: `workshops`, in a folder that `pygeodesign serve --workshops` serves; `import-project`; `backup`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::connect::{Database, Service};
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{ListingFormat, note, number, text};
use super::serve::read_setup;
use geodesign::model::Username;
use geodesign_client::{Client, Config};
use geodesign_service::{
    CreatedWorkshop, FolderLock, IsInterrupted, Limits, NewWorkshop, PreparedArchive, RunningService, Store,
    WorkshopError, WorkshopFolder, WorkshopName, backup_file, check_backup_target,
};

/// List, add, archive and remove the workshops of a folder, even while a service serves it.
///
/// Each workshop is a separate database, with its own users and projects. `pygeodesign serve --workshops FOLDER` serves all of them;
/// NAME is served at /w/NAME/api/v1/. `users`, `tokens`, `backup` and `import-project` take its file, FOLDER/NAME.sqlite.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign workshops classes
  pygeodesign workshops classes --add spring --demo --member ana --member ben
  pygeodesign workshops classes --add autumn --setup autumn.json
  pygeodesign workshops classes --archive spring
  pygeodesign workshops classes --remove rehearsal")]
pub struct Workshops {
    /// The folder of the workshops.
    folder: PathBuf,
    /// A workshop to add, with the options below. Prints a token for each of its users.
    #[arg(long, value_name = "NAME")]
    add: Option<WorkshopName>,
    /// Add the demo project to the workshop.
    #[arg(long, requires = "add")]
    demo: bool,
    /// A user of the workshop. May be repeated.
    #[arg(long, value_name = "NAME", requires = "add")]
    user: Vec<Username>,
    /// A user of the workshop who is a member of every project. May be repeated.
    #[arg(long, value_name = "NAME", requires = "add")]
    member: Vec<Username>,
    /// A user of the workshop who administers every project. May be repeated.
    #[arg(long, value_name = "NAME", requires = "add")]
    administrator: Vec<Username>,
    /// A code with which users may create projects. May be repeated [default: a random one].
    #[arg(long, value_name = "CODE", requires = "add")]
    creation_code: Vec<String>,
    /// A setup file, as for `pygeodesign serve`. Limits are those of the service.
    #[arg(long, value_name = "FILE", requires = "add")]
    setup: Option<PathBuf>,
    /// A workshop to stop serving. Its database is moved to FOLDER/archived. To bring it back, move it to FOLDER/NAME.sqlite.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["add", "remove"])]
    archive: Option<WorkshopName>,
    /// A workshop to delete, with its database and everything in it.
    #[arg(long, value_name = "NAME", conflicts_with = "add")]
    remove: Option<WorkshopName>,
    /// The address of the running service, if its certificate is for another name than this machine's own address.
    #[arg(long, value_name = "ADDRESS")]
    url: Option<String>,
    #[command(flatten)]
    format: ListingFormat,
}

/// The process that moves and deletes databases: this command, or the service that has them open.
enum Keeper {
    Command { _lock: FolderLock },
    Service(Client),
}

impl Workshops {
    pub fn run(&self, context: &Context) -> Result<()> {
        if let Some(name) = &self.add {
            return self.add(context, name);
        }
        let folder = WorkshopFolder::open(&self.folder)?;
        let keeper = self.keeper(&folder)?;
        if let Some(name) = &self.archive {
            return archive(context, &folder, &keeper, name);
        }
        if let Some(name) = &self.remove {
            match &keeper {
                Keeper::Command { .. } => folder.remove(name)?,
                Keeper::Service(client) => context.wait(client.remove_workshop(name.as_str()))?,
            }
            return context.print(&format!("Removed the workshop {name}\n"));
        }
        self.list(context, &folder, &keeper)
    }

    /// Adds a workshop. A new database needs no keeper: the service finds it at the first request for it.
    fn add(&self, context: &Context, name: &WorkshopName) -> Result<()> {
        let folder = WorkshopFolder::create(&self.folder)?;
        let new = NewWorkshop {
            demo: self.demo,
            users: self.user.clone(),
            members: self.member.clone(),
            administrators: self.administrator.clone(),
            creation_codes: self.creation_code.clone(),
            setup: self.setup.as_deref().map(|path| read_setup(path, context.host)).transpose()?.unwrap_or_default(),
        };
        let created = new.create(&folder, name.clone())?;
        match self.format {
            ListingFormat { json: true, .. } => context.print(&super::output::json(&created)?),
            format => {
                note(&format!("The API root of {name} is {} below the address of the service", created.root));
                let rows: Vec<_> = token_rows(&created);
                context.print(&format.listing(&rows, &[text("username", "User"), text("token", "Token")])?)
            }
        }
    }

    /// Returns this command, unless a service is running: then that service, with the folder's operator token.
    fn keeper(&self, folder: &WorkshopFolder) -> Result<Keeper> {
        match FolderLock::take(folder) {
            Ok(lock) => Ok(Keeper::Command { _lock: lock }),
            Err(WorkshopError::Locked(path)) => {
                let service = RunningService::of(folder.path()).ok_or(WorkshopError::Locked(path))?;
                let url = self.url.clone().unwrap_or(service.url);
                let config = Config { ca_bundle: service.ca_file, ..Config::new(folder.operator_token()?, url) };
                Ok(Keeper::Service(Client::new(config)?))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn list(&self, context: &Context, folder: &WorkshopFolder, keeper: &Keeper) -> Result<()> {
        let listed = match keeper {
            Keeper::Command { .. } => folder.listed(|_| (false, None))?,
            Keeper::Service(client) => context.wait(client.workshops())?,
        };
        for invalid in folder.list()?.ignored {
            note(&invalid.to_string());
        }
        let columns = [
            text("name", "Workshop"),
            number("bytes", "Bytes", 0),
            text("changed", "Changed"),
            text("is_open", "Open"),
            text("problem", "Problem"),
        ];
        context.print(&self.format.listing(&listed, &columns)?)
    }
}

fn archive(context: &Context, folder: &WorkshopFolder, keeper: &Keeper, name: &WorkshopName) -> Result<()> {
    let file = match keeper {
        Keeper::Command { .. } => folder.archive(name)?,
        Keeper::Service(client) => folder.path().join(context.wait(client.archive_workshop(name.as_str()))?.file),
    };
    context.print(&format!("Archived the workshop {name} as {}\n", file.display()))
}

fn token_rows(created: &CreatedWorkshop) -> Vec<serde_json::Value> {
    let row = |(username, token)| serde_json::json!({ "username": username, "token": token });
    created.tokens.iter().map(row).collect()
}

impl From<WorkshopError> for CommandError {
    fn from(error: WorkshopError) -> Self {
        match error {
            WorkshopError::Store(error) => error.into(),
            WorkshopError::Unknown(_) => CommandError::NotFound(error.to_string()),
            WorkshopError::Folder { .. } => CommandError::Failed(error.to_string()),
            other => CommandError::Input(other.to_string()),
        }
    }
}

/// Import the project of an archive, or the projects, users and settings of a setup file, into a database, and list its projects.
///
/// An archive's project can be imported once, and a setup file's project is created unless there is one with the same title. If a part of
/// the file is invalid, nothing is imported. The database is changed directly, even while a service uses it; limits of a setup file apply
/// when the service starts again.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign import-project staten.zip --db workshop.sqlite
  pygeodesign import-project workshop.json --db workshop.sqlite")]
pub struct ImportProject {
    /// An archive, which ends in .zip; or a setup file: JSON, as for `pygeodesign serve --setup`.
    file: PathBuf,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    format: ListingFormat,
}

impl ImportProject {
    pub fn run(&self, context: &Context) -> Result<()> {
        let is_archive = self.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"));
        // The file is read first, so that a mistake in it is reported whatever the database is.
        let store = if is_archive {
            context.work(|is_interrupted| self.load(is_interrupted))??
        } else {
            let setup = read_setup(&self.file, context.host)?;
            let store = self.database.open()?;
            setup.apply(&store)?.note().iter().for_each(|text| note(text));
            store
        };
        let projects = store.read(|read| read.project_titles())?;
        let rows: Vec<_> = projects.iter().map(|(id, title)| json!({"id": id, "projecttitle": title})).collect();
        context.print(&self.format.listing(&rows, &[text("id", "Id"), text("projecttitle", "Title")])?)
    }

    /// Imports the archive's project into the database.
    fn load(&self, is_interrupted: IsInterrupted) -> Result<Store> {
        let limits = Arc::new(Limits::default());
        let archive = PreparedArchive::read(&self.file, &limits, is_interrupted)?;
        let store = self.database.open()?;
        store.write(|write| Ok::<_, CommandError>(archive.load(write, &limits, is_interrupted)?))?;
        Ok(store)
    }
}

/// Copy a service's database into one file, while others work, as the service's operator.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign backup copy.sqlite --url https://workshop.local:8443
  pygeodesign backup copy.sqlite --db workshop.sqlite")]
pub struct Backup {
    /// The file to write. An earlier backup is replaced once the new one is complete and checked; any other file is kept.
    target: PathBuf,
    /// Copy this database file, without a token. A service may be using it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "profile", "ca_bundle"])]
    db: Option<PathBuf>,
    #[command(flatten)]
    service: Service,
}

impl Backup {
    pub fn run(&self, context: &Context) -> Result<()> {
        let source = match &self.db {
            // From file to file: a service would need room for a second copy next to the database.
            Some(database) => {
                backup_file(database, &self.target)?;
                database.display().to_string()
            }
            None => {
                check_backup_target(&self.target)?;
                let client = self.service.connect(context)?;
                context.wait(client.backup(&self.target))?;
                client.root().to_owned()
            }
        };
        context.print(&format!("Copied {source} to {}\n", self.target.display()))
    }
}
