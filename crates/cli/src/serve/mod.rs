//! `pygeodesign serve`: its options, and starting the service with them.

mod opening;
mod welcome;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use tempfile::TempDir;

use welcome::{Welcome, welcome, welcome_to_folder};

use super::context::Context;
use super::error::{CommandError, Result, ServeError};
use super::host::Host;
use super::output::note;
use geodesign::model::{AuthorityKey, Username};
use geodesign_service::{
    Accounts, Backups, BasemapSource, CA_FILE, Cors, DEFAULT_PAGE_SIZE, HostName, IsInterrupted, LimitChange, Limits,
    Network, Origin, Paging, Python, Server, ServiceConfig, Setup, Tls, WorkshopServer, backup_file,
    is_certificate_for, names_of_this_machine,
};

/// Serve projects to this machine or, with TLS, to a network.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign serve
  pygeodesign serve --db workshop.sqlite --host 0.0.0.0 --tls-self-signed --member ana --member ben
  pygeodesign serve --db workshop.sqlite --backup-every 10m
  pygeodesign serve --db workshop.sqlite --basemap staten.pmtiles
  pygeodesign serve --db workshop.sqlite --basemap openstreetmap
  pygeodesign serve --db workshop.sqlite --host 0.0.0.0 --http-for 10.0.0.0/24
  pygeodesign serve --workshops classes --host 0.0.0.0 --tls-self-signed")]
pub struct Serve {
    /// The database file. It is created if it does not exist. Without this option, the database is temporary, and deleted at the end.
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Serve for practice: a temporary copy of the database or, if there is no file yet, a temporary database. Nothing is kept: a
    /// restart starts over.
    #[arg(long)]
    practice: bool,
    /// A folder of workshops, each of them a database NAME.sqlite, which is served at /w/NAME/api/v1/. `pygeodesign workshops` adds
    /// workshops while the service runs.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = [
        "db", "project", "load", "user", "member", "administrator", "creation_code", "setup", "backup_every", "token_lifetime", "practice",
    ])]
    workshops: Option<PathBuf>,
    /// The project to create in a new database [default: demo, or none with --load].
    #[arg(long, value_enum)]
    project: Option<InitialProject>,
    /// An archive of a project to load into the database, which must not have that project yet. May be repeated.
    #[arg(long, value_name = "FILE")]
    load: Vec<PathBuf>,
    /// The host name or address to listen on. 0.0.0.0 listens on all networks. All but loopback addresses need TLS, or --http-for.
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on. 0 takes a free one.
    #[arg(long, default_value_t = 8443)]
    port: u16,
    /// A PEM file with the certificate of the service, followed by those of its issuers.
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "tls_self_signed")]
    tls_cert: Option<PathBuf>,
    /// A PEM file with the private key of the certificate.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Create a certificate authority and a certificate, and keep them in a folder next to the database.
    #[arg(long)]
    tls_self_signed: bool,
    /// Serve the devices of this network in plain http, such as 10.0.0.0/24: a private network that nobody else uses. Everyone in it
    /// can read all tokens and drawings. Other devices are not served. May be repeated.
    #[arg(long, value_name = "NETWORK", conflicts_with_all = ["tls_cert", "tls_key", "tls_self_signed"])]
    http_for: Vec<Network>,
    /// A further name or address of this machine to put into the self-signed certificate. May be repeated.
    #[arg(long, value_name = "NAME", requires = "tls_self_signed")]
    tls_name: Vec<String>,
    /// The form of a list's pages.
    #[arg(long, value_enum, default_value = "plain")]
    paging: PagingForm,
    /// The origin of web pages that may read and write, such as https://dashboard.example.org. May be repeated [default: every origin
    /// may read, and none may write].
    #[arg(long, value_name = "ORIGIN")]
    cors_origin: Vec<Origin>,
    /// Let no program in a browser use the service.
    #[arg(long, conflicts_with = "cors_origin")]
    no_cors: bool,
    /// A user to add. May be repeated.
    #[arg(long, value_name = "NAME")]
    user: Vec<Username>,
    /// A user to add, and to make a member of every project; administrators of a project stay administrators. May be repeated.
    #[arg(long, value_name = "NAME")]
    member: Vec<Username>,
    /// A user to add, and to make an administrator of every project. May be repeated.
    #[arg(long, value_name = "NAME")]
    administrator: Vec<Username>,
    /// A code with which users may create projects. May be repeated. If the database has none, a random one is added.
    #[arg(long, value_name = "CODE")]
    creation_code: Vec<String>,
    /// A JSON file with new projects, members, administrators, teams, designs, selections, boundaries, constraints, maps,
    /// budgets and targets.
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// A limit of the service to change, such as connections=400. May be repeated. GET /api/v1/limits/ lists all limits.
    #[arg(long, value_name = "NAME=VALUE")]
    limit: Vec<LimitChange>,
    /// Make a backup next to the database at this interval, such as 10m, if anything was written since the last one.
    #[arg(long, value_name = "TIME", requires = "db", conflicts_with = "practice", value_parser = interval)]
    backup_every: Option<Duration>,
    /// Number of these backups to keep.
    #[arg(long, value_name = "COUNT", default_value = "12", requires = "backup_every", value_parser = clap::value_parser!(u32).range(1..))]
    backup_keep: u32,
    /// Lifetime of tokens, such as 8h or 30d, including those of `pygeodesign tokens`. The database keeps it [default: six months].
    #[arg(long, value_name = "TIME")]
    token_lifetime: Option<jiff::Span>,
    /// Open no browser. Otherwise, at a terminal of a machine with a screen, the first administrator's link opens in a browser.
    #[arg(long)]
    no_browser: bool,
    /// Serve no pages for browsers: programs use the service as before, and `/` and `/join/` are unknown paths.
    #[arg(long)]
    no_pages: bool,
    /// The basemap of the pages: a file of tiles (MBTiles or PMTiles), which needs no network, or tiles that browsers load from a server
    /// on the network: `openstreetmap`, `streets`, `light`, `dark`, `topography`, `satellite`, or an address with {z}, {x} and {y}.
    #[arg(long, value_name = "FILE or NAME", conflicts_with = "no_pages")]
    basemap: Option<PathBuf>,
    /// The credits of the tiles at this address, which the maps show, such as "© Example maps".
    #[arg(long, value_name = "TEXT", requires = "basemap")]
    basemap_credits: Option<String>,
    /// A host from which the pages may load pictures, such as tile.openstreetmap.org for its tiles. May be repeated [default: none].
    #[arg(long, value_name = "HOST", conflicts_with = "no_pages")]
    allow_host: Vec<HostName>,
    /// A name under which a proxy on this machine serves this service to others, such as geodesign.example.org. May be repeated: a
    /// service in plain http for this machine responds to no name except its own.
    #[arg(long, value_name = "HOST")]
    public_host: Vec<HostName>,
}

#[derive(Clone, Copy, ValueEnum)]
enum InitialProject {
    /// The demo project "Staten Island 2050"
    Demo,
    /// No project
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum PagingForm {
    /// One page of the list, as an array
    Plain,
    /// One page of the list, as an object with links to the next and the previous page
    Enveloped,
    /// The complete list, as an array, unless the request has `page` or `page_size`. For programs written for the public platform
    #[value(alias = "off")]
    OnRequest,
}

impl PagingForm {
    /// Advice for programs that take each page for the complete list.
    fn advice(self) -> Option<String> {
        (!matches!(self, PagingForm::OnRequest)).then(|| {
            format!(
                "\nLists are cut to {DEFAULT_PAGE_SIZE} items unless a request asks for more. For programs that expect complete \
                 lists, serve with --paging on-request."
            )
        })
    }
}

impl Serve {
    pub fn run(&self, context: &Context) -> Result<()> {
        if let Some(folder) = &self.workshops {
            let service = self.start_folder(folder, context.host.python())?;
            context.print(&welcome_to_folder(self, &service)?)?;
            context.wait_for_interrupt();
            service.stop();
            return Ok(());
        }
        // Read before the database is created, so that a mistake in the file leaves nothing behind.
        let setup = self.setup.as_deref().map(|path| read_setup(path, context.host)).transpose()?;
        let practice = self.practice.then(|| self.practice_copy()).transpose()?;
        let database = practice.as_ref().map_or(self.db.as_deref(), |(_, copy)| copy.as_deref());
        let python = context.host.python();
        let service = context.work(|is_interrupted| self.start(database, setup, python, is_interrupted))??;
        let Welcome { text, link } = welcome(self, &service)?;
        context.print(&text)?;
        let link = link.filter(|_| !self.no_browser && !self.no_pages && opening::has_screen());
        // The link is printed too, so a failure needs no message.
        let _page = link.map(|link| opening::open(&link, context.host));
        context.wait_for_interrupt();
        service.stop();
        Ok(())
    }

    /// Copies the database to a folder that is removed when it is dropped; `None` if there is no database yet.
    fn practice_copy(&self) -> Result<(TempDir, Option<PathBuf>)> {
        let folder = tempfile::Builder::new().prefix("geodesign-").tempdir();
        let folder =
            folder.map_err(|error| CommandError::File("the copy for practice cannot be made".into(), error))?;
        let copy = match self.db.as_deref().filter(|database| database.exists()) {
            Some(database) => {
                let copy = folder.path().join("practice.sqlite");
                backup_file(database, &copy)?;
                Some(copy)
            }
            None => None,
        };
        Ok((folder, copy))
    }

    /// Starts the service of a database, with the users, codes and settings from the options.
    fn start(
        &self,
        database: Option<&Path>,
        setup: Option<Setup>,
        python: Option<Python>,
        is_interrupted: IsInterrupted,
    ) -> Result<Server, ServeError> {
        let limits = self.limits(Limits::default(), setup.as_ref())?;
        let service = Server::start_unless(self.config(database, limits, python)?, is_interrupted)?;
        let mut withdrawn = setup.map(|setup| setup.apply(service.store())).transpose()?.unwrap_or_default();
        withdrawn.0.extend(self.accounts().apply(service.store())?.0);
        withdrawn.note().iter().for_each(|text| note(text));
        if let Some(lifetime) = self.token_lifetime {
            service.store().write(|write| write.set_token_lifetime(lifetime))?;
        }
        Ok(service)
    }

    /// Starts the service of a folder of workshops.
    fn start_folder(&self, folder: &Path, python: Option<Python>) -> Result<WorkshopServer, ServeError> {
        let limits = self.limits(Limits::of_many_workshops(), None)?;
        Ok(WorkshopServer::start(self.config(None, limits, python)?, folder)?)
    }

    /// Returns these limits, changed by the setup file and then by the options.
    fn limits(&self, mut limits: Limits, setup: Option<&Setup>) -> Result<Limits, ServeError> {
        for (name, &value) in setup.iter().flat_map(|setup| &setup.limits) {
            let path = self.setup.clone().unwrap_or_default();
            limits.set(name, value).map_err(|source| ServeError::Limit { path, source })?;
        }
        for change in &self.limit {
            // Checked when the options were read.
            let _ = limits.set(&change.name, change.value);
        }
        Ok(limits)
    }

    fn config(
        &self,
        database: Option<&Path>,
        limits: Limits,
        python: Option<Python>,
    ) -> Result<ServiceConfig, ServeError> {
        let credits = self.basemap_credits.as_deref();
        Ok(ServiceConfig {
            path: database.map(Path::to_owned),
            demo: match self.project {
                Some(project) => matches!(project, InitialProject::Demo),
                None => self.load.is_empty(),
            },
            archives: self.load.clone(),
            host: self.host.clone(),
            port: self.port,
            paging: match self.paging {
                PagingForm::Plain => Paging::Plain,
                PagingForm::Enveloped => Paging::Enveloped,
                PagingForm::OnRequest => Paging::OnRequest,
            },
            cors: self.cors(),
            tls: self.tls(),
            http_for: self.http_for.clone(),
            limits,
            backups: self.backup_every.map(|every| Backups { every, keep: self.backup_keep as usize }),
            pages: !self.no_pages,
            allowed_hosts: self.allow_host.clone(),
            public_hosts: self.public_host.clone(),
            basemap: self.basemap.as_deref().map(|basemap| BasemapSource::of(basemap, credits)).transpose()?,
            python,
        })
    }

    fn cors(&self) -> Cors {
        match self.cors_origin.as_slice() {
            _ if self.no_cors => Cors::Off,
            [] => Cors::AnyOrigin,
            origins => Cors::Origins(origins.to_vec()),
        }
    }

    fn tls(&self) -> Tls {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Tls::Files { certificate: certificate.clone(), key: key.clone() },
            _ if self.tls_self_signed => {
                let mut names = names_of_this_machine(&self.host);
                names.extend(self.tls_name.iter().cloned());
                Tls::SelfSigned { folder: self.certificate_folder(), names }
            }
            _ => Tls::Off,
        }
    }

    /// The folder for TLS files: next to the database, in the current folder for a temporary database, or in the folder of workshops.
    fn certificate_folder(&self) -> PathBuf {
        match &self.workshops {
            Some(folder) => folder.join(TLS),
            None => beside(self.db.as_deref().unwrap_or(Path::new("pygeodesign"))),
        }
    }

    fn accounts(&self) -> Accounts {
        Accounts {
            users: self.user.clone(),
            members: self.member.clone(),
            administrators: self.administrator.clone(),
            creation_codes: self.creation_code.clone(),
        }
    }
}

/// Name of the folder for TLS files of a service with many workshops, and suffix of a single database's folder.
const TLS: &str = ".tls";

fn beside(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(TLS);
    name.into()
}

/// Folders in which a database's service may keep its TLS files: next to the database, or in the folder of workshops with the database.
fn own_folders_of(database: &Path) -> [PathBuf; 2] {
    [beside(database), database.parent().unwrap_or(Path::new("")).join(TLS)]
}

/// Returns the key of the authority of a database's service, if `--tls-self-signed` has made one.
pub fn own_authority_of(database: &Path) -> Result<Option<AuthorityKey>> {
    for file in own_folders_of(database).map(|folder| folder.join(CA_FILE)) {
        match std::fs::read(&file) {
            Ok(pem) => return Ok(AuthorityKey::of_pem(&pem).map(|(_, key)| key)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(CommandError::File(format!("{} cannot be read", file.display()), error)),
        }
    }
    Ok(None)
}

/// True if that authority's certificate is valid for a name or an address; `None` without a certificate.
pub fn own_certificate_is_for(database: &Path, name: &str) -> Option<bool> {
    own_folders_of(database).iter().find_map(|folder| is_certificate_for(folder, name))
}

/// Parses a time of at least one second, such as `10m`.
fn interval(text: &str) -> Result<Duration, String> {
    let span: jiff::SignedDuration = text.parse().map_err(|error: jiff::Error| error.to_string())?;
    let interval = Duration::try_from(span).ok().filter(|interval| *interval >= Duration::from_secs(1));
    interval.ok_or_else(|| "the time must be at least 1s".to_owned())
}

/// Reads a setup, including maps in separate files.
pub fn read_setup(path: &Path, host: &dyn Host) -> Result<Setup, ServeError> {
    Ok(Setup::read(path, &|path: &Path| host.read_features(path).map_err(|error| error.to_string()))?)
}

/// Parses a setup from the present or future content of the file at `path`.
pub fn parse_setup(text: &str, path: &Path, host: &dyn Host) -> Result<Setup, ServeError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let read_map = |path: &Path| host.read_features(path).map_err(|error| error.to_string());
    Ok(Setup::parse(text, path.display().to_string(), folder, &read_map)?)
}
