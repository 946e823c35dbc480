//! Saved logins: a service's address together with its token, in a file that only its owner can read. A profile has a file of its own.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::authority::Authority;
use super::config::{Config, ConfigError};
use super::profile::{LoginError, Profile, variable};
use super::token::Token;
use geodesign_common::whole_files::{Readers, draft_of, persist};

/// The saved login of a user.
#[derive(Serialize, Deserialize)]
pub struct SavedLogin {
    /// The API root.
    pub url: String,
    token: Zeroizing<String>,
    /// The file of authorities to trust in addition to the system's, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca_bundle: Option<PathBuf>,
    /// The certificate of the only authority to trust, if the link had its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authority: Option<String>,
    /// True to allow plain http to a private network.
    #[serde(default, skip_serializing_if = "is_false")]
    allow_http: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

impl SavedLogin {
    /// The login with a client's settings.
    pub fn of(config: &Config) -> Result<Self, ConfigError> {
        Ok(SavedLogin {
            url: config.root()?.into(),
            token: config.token.expose().to_owned().into(),
            ca_bundle: config.ca_bundle.clone(),
            authority: config.authority.as_ref().map(|authority| authority.pem().to_owned()),
            allow_http: config.allow_http,
        })
    }

    /// Reads the login; `None` if there is none.
    fn read(profile: &Profile) -> Result<Option<Self>, LoginError> {
        let path = match profile.path() {
            Ok(path) => path,
            Err(LoginError::NoFolder) => return Ok(None),
            Err(error) => return Err(error),
        };
        let text = match fs::read_to_string(&path) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(LoginError::file(&path, "read")(error)),
        };
        if is_open_to_others(&path).map_err(LoginError::file(&path, "read"))? {
            return Err(LoginError::OpenToOthers(path));
        }
        // The reason is left out: it could show a part of the token.
        let login: Self = serde_json::from_str(&text).map_err(|_| LoginError::Damaged(path.clone()))?;
        login.authority().map_err(|_| LoginError::Damaged(path))?;
        Ok(Some(login))
    }

    fn authority(&self) -> Result<Option<Authority>, ConfigError> {
        Ok(self.authority.as_deref().map(Authority::from_pem).transpose()?)
    }

    /// Replaces the file once the new one is complete. Returns its path.
    pub fn write(&self, profile: &Profile) -> Result<PathBuf, LoginError> {
        let path = profile.path()?;
        let write = || -> io::Result<()> {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            let mut file = draft_of(&path, Readers::Owner)?;
            let text = Zeroizing::new(serde_json::to_string_pretty(self)?);
            file.write_all(text.as_bytes())?;
            persist(file, &path, Readers::Owner)
        };
        write().map_err(|error| LoginError::Unwritable { path: path.clone(), source: error.into() })?;
        Ok(path)
    }

    /// Removes the file. Returns its path; `None` if there is none.
    pub fn remove(profile: &Profile) -> Result<Option<PathBuf>, LoginError> {
        let path = profile.path()?;
        match fs::remove_file(&path) {
            Ok(()) => Ok(Some(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LoginError::file(&path, "removed")(error)),
        }
    }

    /// Adds the login to other settings, which take precedence.
    fn add_to(self, config: Config, profile: Profile) -> Result<Config, ConfigError> {
        let (ca_bundle, authority) = match (&config.ca_bundle, &config.authority) {
            (None, None) => (self.ca_bundle.clone(), self.authority()?),
            (ca_bundle, authority) => (ca_bundle.clone(), authority.clone()),
        };
        let allow_http = config.allow_http || self.allow_http;
        let (token, profile) = (Token::new(&**self.token), Some(profile));
        Ok(Config { token, base_url: self.url, ca_bundle, authority, allow_http, profile, ..config })
    }
}

impl Config {
    /// Adds the address and the token: those given, then those of the environment, then those of a saved login. A saved token is sent only to
    /// the service that it was saved with, and only a saved token is sent to a saved address. What is found nowhere stays empty.
    pub fn signed_in(
        self,
        token: Option<String>,
        base_url: Option<String>,
        profile: Option<&str>,
    ) -> Result<Self, ConfigError> {
        if let Some(name) = profile {
            if token.is_some() || base_url.is_some() {
                return Err(LoginError::NotAlone.into());
            }
            let profile = Profile::new(name)?;
            let login = SavedLogin::read(&profile)?.ok_or_else(|| LoginError::Unknown(name.to_owned()))?;
            return login.add_to(self, profile);
        }
        let token = token.or_else(|| variable("GEODESIGN_TOKEN"));
        let base_url = base_url.or_else(|| variable("GEODESIGN_URL"));
        if token.is_none() {
            let root = base_url.as_deref().map(api_root).transpose()?;
            let profile = Profile::current()?;
            let login = SavedLogin::read(&profile)?.filter(|login| root.as_ref().is_none_or(|root| *root == login.url));
            match login {
                Some(login) => return login.add_to(self, profile),
                None if root.is_none() && profile != Profile::default() => {
                    return Err(LoginError::Unknown(profile.name().to_owned()).into());
                }
                None => {}
            }
        }
        let (token, base_url) = (Token::new(token.unwrap_or_default()), base_url.unwrap_or_default());
        Ok(Config { token, base_url, ..self })
    }
}

/// Returns a service's API root. Plain http is accepted: the check is elsewhere.
pub fn api_root(url: &str) -> Result<String, ConfigError> {
    Ok(Config { allow_http: true, ..Config::new("", url) }.root()?.into())
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
