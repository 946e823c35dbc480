//! The service that a command asks, and the token that it sends.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;

use super::login_file::Login;
use crate::cli::context::Context;
use crate::cli::error::{CommandError, Result};
use crate::client::{Client, Config};

/// The options that name a service.
#[derive(Args, Clone)]
pub struct Service {
    /// The address of the service [default: GEODESIGN_URL, or that of `pygeodesign login`].
    #[arg(long, value_name = "ADDRESS")]
    url: Option<String>,
    /// A PEM file of certificate authorities to trust in addition to the system's.
    #[arg(long, value_name = "FILE")]
    ca_bundle: Option<PathBuf>,
}

impl Service {
    /// A connection with the token of the environment, of the login file, or one that is entered at the terminal. A token of
    /// the login file is sent to the service only that it belongs to.
    pub fn connect(&self, context: &Context) -> Result<Client> {
        let (url, token) = (self.given_url(), variable("GEODESIGN_TOKEN"));
        let login = if url.is_none() || token.is_none() { Login::read()? } else { None };
        let url = url.or_else(|| login.as_ref().map(|login| login.url.clone())).ok_or_else(|| {
            CommandError::Input("no service: give --url, set GEODESIGN_URL, or run `pygeodesign login`".into())
        })?;
        let root = root(&url)?;
        let login = login.filter(|login| login.url == root);
        let ca_bundle = self.ca_bundle.clone().or_else(|| login.as_ref()?.ca_bundle.clone());
        let token = match (token, login) {
            (Some(token), _) => token,
            (None, Some(login)) => login.token.to_string(),
            (None, None) => ask_for_token(context, &root)?,
        };
        Ok(Client::new(Config { ca_bundle, ..Config::new(token, url) })?)
    }

    /// A connection with a token that is entered now, and what to keep of it.
    pub fn log_in(&self, context: &Context) -> Result<(Client, Login)> {
        let url = self
            .given_url()
            .ok_or_else(|| CommandError::Input("no service: give --url or set GEODESIGN_URL".into()))?;
        let url = root(&url)?;
        let token = if io::stdin().is_terminal() {
            ask_for_token(context, &url)?
        } else {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line);
            read.map_err(|error| CommandError::File("the token cannot be read from the standard input".into(), error))?;
            line.trim().to_owned()
        };
        let ca_bundle = self.ca_bundle.clone().map(|path| std::path::absolute(&path).unwrap_or(path));
        let client = Client::new(Config { ca_bundle: ca_bundle.clone(), ..Config::new(token.clone(), &url) })?;
        Ok((client, Login { url, token: token.into(), ca_bundle }))
    }

    /// The address that was given for this command.
    pub fn given_url(&self) -> Option<String> {
        self.url.clone().or_else(|| variable("GEODESIGN_URL"))
    }
}

/// The API root of a service.
pub fn root(url: &str) -> Result<String> {
    Ok(Config::new("", url).root().map_err(crate::client::Error::from)?.into())
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

fn ask_for_token(context: &Context, root: &str) -> Result<String> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(CommandError::NoAccess(format!(
            "no token for {root}: set GEODESIGN_TOKEN, or run `pygeodesign login`; it comes from the API page of the service"
        )));
    }
    Ok(context.host.ask_secret(&format!("Token for {root}: "))?)
}
