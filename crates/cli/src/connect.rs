//! Chooses the source of a command, its account and its project. A source is a service, an archive, or a database file that this
//! process serves.

use std::fs;
use std::io::{self, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use zeroize::Zeroizing;

use super::context::Context;
use super::error::{CommandError, Result, ServeError};
use super::found::choose_project;
use super::output::{counted, note};
use geodesign::model::{InvalidLink, ProjectInfo};
use geodesign_client as client;
use geodesign_client::{
    Client, Config, ConfigError, JoinLink, Profile, Project, SavedLogin, Token, api_root, variable,
};
use geodesign_service::{Server, Store};

/// Options for a service or an archive.
#[derive(Args, Clone)]
pub struct Source {
    #[command(flatten)]
    service: Service,
    /// Read from an archive instead of a service. This needs no service, token or network.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "profile", "ca_bundle", "allow_http"])]
    archive: Option<PathBuf>,
}

impl Source {
    pub fn projects(&self, context: &Context) -> Result<Vec<ProjectInfo>> {
        match &self.archive {
            Some(path) => {
                let project = Project::open_archive(path)?;
                Ok(vec![context.wait(project.info())?])
            }
            None => context.wait(self.service.connect(context)?.projects()),
        }
    }

    /// Returns the project with the given id or title, or the only one.
    pub fn project(&self, context: &Context, given: Option<&str>) -> Result<Project> {
        match &self.archive {
            Some(path) => {
                let project = Project::open_archive(path)?;
                choose_project(given, &[context.wait(project.info())?])?;
                Ok(project)
            }
            None => self.service.project(context, given),
        }
    }
}

/// Options for a service.
#[derive(Args, Clone)]
pub struct Service {
    /// The address of the service [default: GEODESIGN_URL, or the one from `pygeodesign login`].
    #[arg(long, value_name = "ADDRESS")]
    url: Option<String>,
    /// A PEM file of certificate authorities to trust in addition to the system's.
    #[arg(long, value_name = "FILE")]
    ca_bundle: Option<PathBuf>,
    /// Allow plain http to a private network, such as http://10.0.0.1:8443: for a service that was started with --http-for. Everyone in
    /// that network can read the token. `login` saves this setting.
    #[arg(long)]
    allow_http: bool,
    /// The saved login to use, by the name that `login --profile` gave it [default: GEODESIGN_PROFILE, or the login without a name].
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

impl Service {
    /// Connects with the token from the environment, from a saved login, or entered at the terminal.
    pub fn connect(&self, context: &Context) -> Result<Client> {
        let settings = Config { ca_bundle: self.ca_bundle.clone(), allow_http: self.allow_http, ..Config::new("", "") };
        let mut config = settings.signed_in(None, self.url.clone(), self.profile.as_deref())?;
        if config.base_url.is_empty() {
            return Err(CommandError::Input(match variable("GEODESIGN_TOKEN") {
                Some(_) => "no service for the token in GEODESIGN_TOKEN: give --url, set GEODESIGN_URL, or unset GEODESIGN_TOKEN to use the login".into(),
                None => "no service: give --url, set GEODESIGN_URL, or run `pygeodesign login`".into(),
            }));
        }
        // Checked before a token is asked for.
        let root = config.root()?;
        if config.token.expose().is_empty() {
            config.token = Token::new(ask_for_token(context, root.as_str())?);
        }
        Ok(Client::new(config)?)
    }

    /// Returns the project with the given id or title, or the only one.
    pub fn project(&self, context: &Context, given: Option<&str>) -> Result<Project> {
        project_of(context, &self.connect(context)?, given)
    }

    /// Connects with a card's link or a token that the user enters. Also returns the login to save.
    pub fn log_in(&self, context: &Context) -> Result<(Client, SavedLogin)> {
        let allow_http = self.allow_http;
        let root = |url: String| Config { allow_http, ..Config::new("", url) }.root().map_err(client::Error::from);
        let url = self.given_url().map(root).transpose()?.map(String::from);
        let entered = Zeroizing::new(if io::stdin().is_terminal() {
            match &url {
                Some(url) => ask_for_token(context, url)?,
                None => context.host.ask_secret("Link of your card (https://…/join/#…; it is not shown): ")?,
            }
        } else {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line);
            read.map_err(|error| CommandError::File("the standard input cannot be read".into(), error))?;
            line
        });
        let ca_bundle = self.ca_bundle.clone().map(|path| std::path::absolute(&path).unwrap_or(path));
        let config = match url {
            Some(url) if !entered.contains("://") => {
                Config { ca_bundle, allow_http, ..Config::new(entered.trim(), url) }
            }
            _ => {
                let link = self.link(&entered)?;
                context.wait(link.config(Config { ca_bundle, allow_http, ..Config::new("", "") }))?
            }
        };
        let login = SavedLogin::of(&config)?;
        Ok((Client::new(config)?, login))
    }

    /// Parses a card's link. Fails if an option contradicts it.
    fn link(&self, text: &str) -> Result<JoinLink> {
        let link = JoinLink::of(text, self.allow_http).map_err(|error| match error {
            ConfigError::Link(problem @ InvalidLink::NoLink) => {
                CommandError::Input(format!("{problem}. A token needs --url, the address of the service"))
            }
            error => client::Error::from(error).into(),
        })?;
        if let Some(url) = &self.url
            && api_root(url)? != *link.root
        {
            let root = &link.root;
            return Err(CommandError::Input(format!("the link leads to {root}, and --url elsewhere: leave --url out")));
        }
        if link.key.is_some() && self.ca_bundle.is_some() {
            let problem = "the link names the only authority to trust: leave --ca-bundle out";
            return Err(CommandError::Input(problem.into()));
        }
        Ok(link)
    }

    /// The saved login given for this command, or the current one.
    fn profile(&self) -> Result<Profile> {
        Ok(self.profile.as_deref().map_or_else(Profile::current, Profile::new)?)
    }

    /// The address given for this command.
    pub fn given_url(&self) -> Option<String> {
        self.url.clone().or_else(|| variable("GEODESIGN_URL"))
    }
}

fn ask_for_token(context: &Context, root: &str) -> Result<String> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(CommandError::NoAccess(format!(
            "no token for {root}: set GEODESIGN_TOKEN, or run `pygeodesign login`; it comes from the API page of the service"
        )));
    }
    Ok(context.host.ask_secret(&format!("Token for {root}: "))?)
}

/// Help of options for a service's database.
pub const DATABASE_HELP: &str = "Use this database file, without a token, through a service in this process. Another service may be using \
                                 the file; it sees the changes at once.";

/// Options for a service, or for its database.
#[derive(Args, Clone)]
pub struct ServiceOrDatabase {
    #[arg(long, value_name = "FILE", help = DATABASE_HELP, conflicts_with_all = ["url", "profile", "ca_bundle", "allow_http"])]
    db: Option<PathBuf>,
    #[command(flatten)]
    service: Service,
}

impl ServiceOrDatabase {
    pub fn connect(&self, context: &Context) -> Result<Client> {
        match &self.db {
            Some(path) => serve_database(path),
            None => self.service.connect(context),
        }
    }
}

/// Starts a service in this process over an existing database, and connects to it with all rights. It stops when the client's last
/// clone is dropped.
pub fn serve_database(path: &Path) -> Result<Client> {
    check_database(path)?;
    let (service, token) = Server::for_file_owner(path).map_err(ServeError::from)?;
    let url = service.url();
    Ok(Client::new(Config { keeps: Some(Arc::new(service)), ..Config::new(token, url) })?)
}

/// Returns the project with the given id or title, or the only one.
pub fn project_of(context: &Context, client: &Client, given: Option<&str>) -> Result<Project> {
    let projects = context.wait(client.projects())?;
    Ok(client.project(choose_project(given, &projects)?.id.clone()))
}

/// Option for a database.
#[derive(Args, Clone)]
pub struct Database {
    /// The database file. A service may be using it; it sees the changes at once.
    #[arg(long = "db", value_name = "FILE")]
    path: PathBuf,
}

impl Database {
    pub fn open(&self) -> Result<Store> {
        check_database(&self.path)?;
        Ok(Store::open(Some(&self.path))?)
    }
}

/// Rejects a file that is missing or empty, so that no command creates a database by mistake.
fn check_database(path: &Path) -> Result<()> {
    let refused = |reason| {
        let path = path.display();
        Err(CommandError::Input(format!("{path} {reason}; give the file that `pygeodesign serve --db` uses")))
    };
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => refused("is empty"),
        Err(error) if error.kind() == ErrorKind::NotFound => refused("does not exist"),
        _ => Ok(()),
    }
}

/// Save a service and a token for later commands: with the link of your card, or an address and a token.
///
/// The link, or with --url the token, is asked for without being shown, or read from the standard input if that is not a terminal. It
/// is tried, and then saved in pygeodesign/login.json in your folder for settings (XDG_CONFIG_HOME, ~/.config or %APPDATA%), in a file
/// that only you can read. Client() in Python uses it, too. With --profile NAME the file is login-NAME.json: a second login beside the
/// first. `pygeodesign logout` removes it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign login
  pygeodesign login --profile teaching
  pygeodesign login < link.txt
  pygeodesign login --url https://workshop.local:8443 < token.txt")]
pub struct LogIn {
    #[command(flatten)]
    service: Service,
}

impl LogIn {
    pub fn run(&self, context: &Context) -> Result<()> {
        let profile = self.service.profile()?;
        let (client, login) = self.service.log_in(context)?;
        let projects = context.wait(client.projects())?.len();
        let path = login.write(&profile)?;
        note(&format!(
            "Logged in to {}, with {}. The token is in {}",
            login.url,
            counted(projects, "project"),
            path.display()
        ));
        let elsewhere = variable("GEODESIGN_URL").is_some_and(|url| api_root(&url).ok().as_ref() != Some(&login.url));
        for (name, is_set) in [("GEODESIGN_URL", elsewhere), ("GEODESIGN_TOKEN", variable("GEODESIGN_TOKEN").is_some())]
        {
            if is_set {
                note(&format!(
                    "The variable {name} is set and takes precedence over the saved login: unset it to use the login"
                ));
            }
        }
        Ok(())
    }
}

/// Remove the service and the token that `pygeodesign login` saved.
///
/// The token stays valid until it expires or its issuer withdraws it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign logout")]
pub struct LogOut {
    /// The saved login to remove [default: GEODESIGN_PROFILE, or the login without a name].
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

impl LogOut {
    pub fn run(&self, _context: &Context) -> Result<()> {
        let profile = self.profile.as_deref().map_or_else(Profile::current, Profile::new)?;
        match SavedLogin::remove(&profile)? {
            Some(path) => {
                note(&format!("Logged out. {} is removed; the token in it stays valid until it ends", path.display()))
            }
            None => note("There is no saved login"),
        }
        Ok(())
    }
}
