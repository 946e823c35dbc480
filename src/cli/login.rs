//! `pygeodesign login`, which writes the address of a service and a token into a file that only its owner can read.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use clap::Args;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::connect::Service;
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::note;
use crate::drafts::{Readers, draft_of};

/// Keep the address of a service and a token, for later commands.
///
/// The token is asked for without being shown, or read from the standard input if that is no terminal. It is tried, and then
/// kept in pygeodesign/login.json in your folder for settings (XDG_CONFIG_HOME, ~/.config or %APPDATA%), in a file that only
/// you can read. Delete the file to log out.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pygeodesign login --url https://workshop.local:8443\n  pygeodesign login --url https://workshop.local:8443 < token.txt"
)]
pub struct LogIn {
    #[command(flatten)]
    service: Service,
}

impl LogIn {
    pub fn run(&self, context: &Context) -> Result<()> {
        let (client, login) = self.service.log_in(context)?;
        let projects = context.wait(client.projects())?.len();
        let path = login.write()?;
        note(&format!("Logged in to {}, with {projects} projects. The token is in {}", login.url, path.display()));
        Ok(())
    }
}

/// Where a user is logged in.
#[derive(Serialize, Deserialize)]
pub struct Login {
    /// The API root.
    pub url: String,
    pub token: Zeroizing<String>,
    /// The certificate authority of the service, if it has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<PathBuf>,
}

impl Login {
    /// `None` for a user who never logged in.
    pub fn read() -> Result<Option<Self>> {
        let path = path()?;
        let failed = |error| CommandError::File(format!("the login file {} cannot be read", path.display()), error);
        let text = match fs::read_to_string(&path) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        if is_open_to_others(&path).map_err(failed)? {
            return Err(CommandError::NoAccess(format!(
                "others can read the token in {}; run `chmod 600` on it, or log in again with a new token",
                path.display()
            )));
        }
        // The reason is left out: it could show a part of the token.
        serde_json::from_str(&text).map(Some).map_err(|_| {
            CommandError::Input(format!("the login file {} is damaged; run `pygeodesign login` again", path.display()))
        })
    }

    /// Replaces the file once the new one is whole. Returns its path.
    pub fn write(&self) -> Result<PathBuf> {
        let path = path()?;
        let write = || {
            let folder = path.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder)?;
            let mut file = draft_of(&path, Readers::Owner)?;
            let text = Zeroizing::new(serde_json::to_string_pretty(self)?);
            file.write_all(text.as_bytes())?;
            file.persist(&path)?;
            Ok(())
        };
        let written: io::Result<()> = write();
        written.map_err(|error| {
            CommandError::File(format!("the login file {} cannot be written", path.display()), error)
        })?;
        Ok(path)
    }
}

/// In the user's folder for settings.
fn path() -> Result<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let settings = folder("XDG_CONFIG_HOME")
        .or_else(|| if cfg!(windows) { folder("APPDATA") } else { None })
        .or_else(|| Some(env::home_dir()?.join(".config")));
    let settings =
        settings.ok_or_else(|| CommandError::Input("there is no home folder; set XDG_CONFIG_HOME".into()))?;
    Ok(settings.join("pygeodesign").join("login.json"))
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

/// Windows lets only the user into the user's folders.
#[cfg(not(unix))]
fn is_open_to_others(_path: &Path) -> io::Result<bool> {
    Ok(false)
}
