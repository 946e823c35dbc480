//! The names and files of saved logins.

use std::path::{Path, PathBuf};
use std::{env, io};

use super::cause::{Cause, root_cause};

const MAX_PROFILE: usize = 64;

/// The name of a saved login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile(String);

impl Profile {
    pub fn new(name: &str) -> Result<Self, LoginError> {
        let is_name = (1..=MAX_PROFILE).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if is_name { Ok(Profile(name.to_owned())) } else { Err(LoginError::Name(name.to_owned())) }
    }

    /// The profile of `GEODESIGN_PROFILE`, or else the default one.
    pub fn current() -> Result<Self, LoginError> {
        variable("GEODESIGN_PROFILE").map_or_else(|| Ok(Profile::default()), |name| Profile::new(&name))
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    /// The file in the user's settings folder.
    pub(super) fn path(&self) -> Result<PathBuf, LoginError> {
        let folder = |name: &str| env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let settings = folder("XDG_CONFIG_HOME")
            .or_else(|| if cfg!(windows) { folder("APPDATA") } else { None })
            .or_else(|| Some(env::home_dir().filter(|home| !home.as_os_str().is_empty())?.join(".config")))
            .ok_or(LoginError::NoFolder)?;
        let file = if *self == Profile::default() { "login.json".to_owned() } else { format!("login-{}.json", self.0) };
        Ok(settings.join("pygeodesign").join(file))
    }
}

impl Default for Profile {
    fn default() -> Self {
        Profile("default".to_owned())
    }
}

/// Reasons why a saved login cannot be used or written. No message shows the token.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    #[error("the profile {0:?} has an invalid name: give at most {MAX_PROFILE} letters, digits, - and _")]
    Name(String),

    #[error(
        "there is no login with the profile {0}: run `pygeodesign login --profile {0}` or Client.login(profile=\"{0}\")"
    )]
    Unknown(String),

    #[error("a profile has its own address and token: leave them out, or leave the profile out")]
    NotAlone,

    #[error(
        "there is no home folder for a login: set XDG_CONFIG_HOME to a folder that you can write to, or use the variables \
         GEODESIGN_URL and GEODESIGN_TOKEN, which need no file"
    )]
    NoFolder,

    #[error("the login file {} cannot be {action}: {}", path.display(), root_cause(&**source))]
    File { path: PathBuf, action: &'static str, source: Cause },

    #[error(
        "the login file {} cannot be written: {}; set XDG_CONFIG_HOME to a folder that you can write to, or use the variables \
         GEODESIGN_URL and GEODESIGN_TOKEN, which need no file",
        path.display(), root_cause(&**source)
    )]
    Unwritable { path: PathBuf, source: Cause },

    #[error("others can read the token in {}; run `chmod 600` on it, or log in again with a new token", .0.display())]
    OpenToOthers(PathBuf),

    #[error("the login file {} is damaged; run `pygeodesign login` again", .0.display())]
    Damaged(PathBuf),
}

impl LoginError {
    pub(super) fn file<'p>(path: &'p Path, action: &'static str) -> impl Fn(io::Error) -> Self + use<'p> {
        move |error| LoginError::File { path: path.to_owned(), action, source: error.into() }
    }
}

/// Returns a variable of the environment that is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}
