//! `pygeodesign login` writes a service's address and a token to a file that only its owner can read.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::error::{CommandError, Result};
use geodesign_client::Authority;
use geodesign_common::whole_files::{Readers, draft_of, persist};

/// The saved login of a user.
#[derive(Serialize, Deserialize)]
pub struct SavedLogin {
    /// The API root.
    pub url: String,
    pub token: Zeroizing<String>,
    /// The file of authorities to trust in addition to the system's, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<PathBuf>,
    /// The certificate of the only authority to trust, if the link had its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<String>,
    /// True to allow plain http to a private network.
    #[serde(default, skip_serializing_if = "is_false")]
    pub allow_http: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

impl SavedLogin {
    /// Reads the login; `None` if the user never logged in.
    pub fn read() -> Result<Option<Self>> {
        let path = login_path()?;
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
        serde_json::from_str(&text).map(Some).map_err(|_| damaged(&path))
    }

    pub fn authority(&self) -> Result<Option<Authority>> {
        let Some(pem) = &self.authority else { return Ok(None) };
        Ok(Some(Authority::from_pem(pem).map_err(|_| login_path().map_or_else(|error| error, |path| damaged(&path)))?))
    }

    /// Replaces the file once the new one is complete. Returns its path.
    pub fn write(&self) -> Result<PathBuf> {
        let path = login_path()?;
        let write = || {
            let folder = path.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder)?;
            let mut file = draft_of(&path, Readers::Owner)?;
            let text = Zeroizing::new(serde_json::to_string_pretty(self)?);
            file.write_all(text.as_bytes())?;
            persist(file, &path, Readers::Owner)?;
            Ok(())
        };
        let written: io::Result<()> = write();
        written.map_err(|error| {
            CommandError::File(format!("the login file {} cannot be written", path.display()), error)
        })?;
        Ok(path)
    }
}

fn damaged(path: &Path) -> CommandError {
    CommandError::Input(format!("the login file {} is damaged; run `pygeodesign login` again", path.display()))
}

/// Returns the path in the user's settings folder.
pub fn login_path() -> Result<PathBuf> {
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

/// On Windows, only the user can access the user's folders.
#[cfg(not(unix))]
fn is_open_to_others(_path: &Path) -> io::Result<bool> {
    Ok(false)
}
