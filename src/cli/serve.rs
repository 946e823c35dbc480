//! `pygeodesign serve` puts the service before a room.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::model::Username;
use crate::service::{
    Account, Paging, Server, ServiceConfig, Setup, StartError, StoreError, Tls, names_of_this_machine,
};

#[derive(Args)]
pub struct Serve {
    /// The database file; made where it is missing. Without it, everything is gone at the end.
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// What an empty database begins with.
    #[arg(long, value_enum, default_value = "demo")]
    project: Beginning,
    /// The address to listen on; 0.0.0.0 is every network, and needs TLS.
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port; 0 takes a free one.
    #[arg(long, default_value_t = 8443)]
    port: u16,
    /// A certificate chain, as PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "tls_self_signed")]
    tls_cert: Option<PathBuf>,
    /// The key of that certificate, as PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Make a certificate authority and a certificate, and keep them beside the database.
    #[arg(long)]
    tls_self_signed: bool,
    /// A further name or address that clients use, for the certificate. May be repeated.
    #[arg(long, value_name = "NAME", requires = "tls_self_signed")]
    tls_name: Vec<String>,
    /// How lists are answered.
    #[arg(long, value_enum, default_value = "plain")]
    paging: Form,
    /// A user to add. May be repeated.
    #[arg(long, value_name = "NAME", value_parser = parse_username)]
    user: Vec<Username>,
    /// A user to make a member of every project. May be repeated.
    #[arg(long, value_name = "NAME", value_parser = parse_username)]
    member: Vec<Username>,
    /// A user to make an administrator of every project. May be repeated.
    #[arg(long, value_name = "NAME", value_parser = parse_username)]
    administrator: Vec<Username>,
    /// A project creation code to accept; one is made up where there is none. May be repeated.
    #[arg(long, value_name = "CODE")]
    creation_code: Vec<String>,
    /// A JSON file that says more: members, administrators, teams, designs, selections, boundaries, constraints, maps,
    /// budgets and targets.
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// How long the tokens are valid, such as 8h or 30d. Six months, if nothing is said.
    #[arg(long, value_name = "TIME")]
    token_lifetime: Option<jiff::Span>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Beginning {
    Demo,
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    Plain,
    Enveloped,
    Off,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{path}: {problem}")]
    Setup { path: PathBuf, problem: String },
    #[error("nothing can be printed: {0}")]
    Print(#[from] std::io::Error),
    #[error("a text could not be put together")]
    Format(#[from] std::fmt::Error),
}

impl Serve {
    /// Starts the service; with it, what is to be printed once.
    pub fn start(self) -> Result<(Server, String), ServeError> {
        // Read first: a mistake in it should leave nothing behind.
        let setup = self.setup.as_deref().map(read_setup).transpose()?;
        let service = Server::start(ServiceConfig {
            path: self.db.clone(),
            demo: matches!(self.project, Beginning::Demo),
            host: self.host.clone(),
            port: self.port,
            paging: match self.paging {
                Form::Plain => Paging::Plain,
                Form::Enveloped => Paging::Enveloped,
                Form::Off => Paging::Off,
            },
            tls: self.tls(),
        })?;
        let store = service.store();
        if let Some(setup) = setup {
            setup.apply(store)?;
        }
        store.write(|write| {
            self.user.iter().try_for_each(|user| write.add_user(user).map(drop))?;
            for (project, _) in write.project_titles()? {
                let project = write.project_key(&project)?;
                let members = self.member.iter().map(|member| (member, false));
                for (user, administers) in members.chain(self.administrator.iter().map(|user| (user, true))) {
                    write.add_member(project, write.add_user(user)?, administers)?;
                }
            }
            self.creation_code.iter().try_for_each(|code| write.add_creation_code(code))?;
            if write.creation_codes()?.is_empty() {
                write.new_creation_code()?;
            }
            Ok::<_, StoreError>(())
        })?;
        let welcome = self.welcome(&service)?;
        Ok((service, welcome))
    }

    fn tls(&self) -> Tls {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Tls::Files { certificate: certificate.clone(), key: key.clone() },
            _ if self.tls_self_signed => {
                let mut names = names_of_this_machine(&self.host);
                names.extend(self.tls_name.iter().cloned());
                Tls::SelfSigned { folder: self.certificates(), names }
            }
            _ => Tls::Off,
        }
    }

    /// Certificates live beside the database, or in the folder where the command runs.
    fn certificates(&self) -> PathBuf {
        let mut name = self.db.as_deref().unwrap_or(Path::new("pygeodesign")).as_os_str().to_owned();
        name.push(".tls");
        name.into()
    }

    /// What is printed once: where the service is, what it holds, and a token for each user.
    fn welcome(&self, service: &Server) -> Result<String, ServeError> {
        let store = service.store();
        let mut text = String::new();
        writeln!(text, "Serving {} at", self.db.as_deref().unwrap_or(Path::new("a temporary database")).display())?;
        for url in self.urls(service) {
            writeln!(text, "  {url}")?;
        }
        if let Some(ca_file) = service.ca_file() {
            let ca_file = std::path::absolute(ca_file)?;
            writeln!(text, "\nCertificate authority, for ca_bundle=\n  {}", ca_file.display())?;
        }
        writeln!(text, "\nProjects")?;
        for (id, title) in store.read(|read| read.project_titles())? {
            writeln!(text, "  {id}  {title}")?;
        }
        let accounts = store.read(|read| read.accounts())?;
        let width = accounts.iter().map(|account| account.username.as_str().chars().count()).max().unwrap_or(0);
        writeln!(text, "\nTokens (they are shown only now)")?;
        for Account { username, administers } in accounts {
            let token = match self.token_lifetime {
                Some(lifetime) => store.issue_token_for(&username, lifetime)?,
                None => store.issue_token(&username)?,
            };
            let role = if administers.is_empty() { "" } else { "  administrator" };
            writeln!(text, "  {:width$}  {token}{role}", username.as_str())?;
        }
        writeln!(text, "\nProject creation codes")?;
        for code in store.read(|read| read.creation_codes())? {
            writeln!(text, "  {code}")?;
        }
        writeln!(text, "\nCtrl-C stops it.")?;
        Ok(text)
    }

    /// The addresses that clients can use, the one for the room first.
    fn urls(&self, service: &Server) -> Vec<String> {
        let everywhere = matches!(self.host.as_str(), "0.0.0.0" | "::");
        if !everywhere {
            return vec![if self.tls_cert.is_some() { service.url_at(&self.host) } else { service.url() }];
        }
        let names = self.tls_name.iter().cloned().chain(names_of_this_machine(&self.host));
        let mut seen = BTreeSet::new();
        let urls = names.filter(|name| name != "::1").map(|name| service.url_at(&name));
        let (here, room): (Vec<_>, Vec<_>) = urls
            .filter(|url| seen.insert(url.clone()))
            .partition(|url| url.contains("//localhost:") || url.contains("//127.0.0.1:"));
        room.into_iter().chain(here).collect()
    }
}

fn read_setup(path: &Path) -> Result<Setup, ServeError> {
    let problem =
        |problem: &dyn std::fmt::Display| ServeError::Setup { path: path.to_owned(), problem: problem.to_string() };
    let text = std::fs::read_to_string(path).map_err(|error| problem(&error))?;
    let mut json = serde_json::Deserializer::from_str(&text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| problem(&error))
}

fn parse_username(text: &str) -> Result<Username, String> {
    text.parse().map_err(|error: crate::model::InvalidId| error.to_string())
}
