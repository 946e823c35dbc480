//! Reasons why a command ends early, as one line and as an exit code.

use std::io;
use std::path::PathBuf;

use super::host::HostError;
use geodesign::model::InvalidId;
use geodesign_client as client;
use geodesign_client::{ConfigError, LoginError, Unclear};
use geodesign_service::{InvalidLimit, InvalidTiles, LoadError, SetupError, StartError, StoreError};
use http::StatusCode;

pub type Result<T, E = CommandError> = std::result::Result<T, E>;

/// Reasons why a command ends early.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The user's request is unclear or impossible.
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    NoAccess(String),
    #[error(transparent)]
    Client(#[from] client::Error),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Host(#[from] HostError),
    #[error("{0}")]
    Failed(String),
    #[error("the output cannot be written: {0}")]
    Print(#[source] io::Error),
    /// The failed action, and its error.
    #[error("{0}: {1}")]
    File(String, #[source] io::Error),
    /// Some of many changes were refused; the others were made.
    #[error("{0}")]
    Partly(String),
    #[error("interrupted")]
    Interrupted,
}

/// The exit codes, which docs/command-line.md lists.
pub const FAILED: u8 = 1;
pub const WRONG_INPUT: u8 = 2;
const NO_ACCESS: u8 = 3;
const NOT_FOUND: u8 = 4;
const NO_RESPONSE: u8 = 5;
/// Exit code of a command ended by SIGINT, as in a shell.
const INTERRUPTED: u8 = 130;
/// Exit code of a command ended by SIGPIPE, as in a shell.
const CLOSED_PIPE: u8 = 141;

impl CommandError {
    pub fn exit_code(&self) -> u8 {
        use client::Error::{Api, Configuration, Input, OtherRoom, Timeout, Transport};
        match self {
            CommandError::Input(_)
            | CommandError::Host(HostError::Input(_))
            | CommandError::Store(StoreError::Input(_))
            | CommandError::Client(Input(_)) => WRONG_INPUT,
            CommandError::NotFound(_) | CommandError::Client(Api { status: StatusCode::NOT_FOUND, .. }) => NOT_FOUND,
            CommandError::NoAccess(_)
            | CommandError::Client(
                Api { status: StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, .. }
                | Configuration(ConfigError::Token(_) | ConfigError::Login(LoginError::OpenToOthers(_))),
            ) => NO_ACCESS,
            CommandError::Client(Configuration(ConfigError::Login(
                LoginError::File { .. } | LoginError::Unwritable { .. },
            ))) => FAILED,
            CommandError::Client(Configuration(_)) => WRONG_INPUT,
            CommandError::Client(Transport { .. } | OtherRoom { .. } | Timeout { .. }) => NO_RESPONSE,
            CommandError::Interrupted | CommandError::Host(HostError::Interrupted) => INTERRUPTED,
            CommandError::Print(error) if error.kind() == io::ErrorKind::BrokenPipe => CLOSED_PIPE,
            _ => FAILED,
        }
    }

    /// Message for the user. `None` after Ctrl-C, and after the reader of the output has closed it.
    pub fn message(&self) -> Option<String> {
        match self.exit_code() {
            INTERRUPTED | CLOSED_PIPE => None,
            _ => Some(in_a_line(&self.to_string())),
        }
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> Self {
        CommandError::Client(error.into())
    }
}

impl From<LoginError> for CommandError {
    fn from(error: LoginError) -> Self {
        ConfigError::from(error).into()
    }
}

impl From<Unclear> for CommandError {
    fn from(unclear: Unclear) -> Self {
        match unclear {
            Unclear::Unknown { .. } => CommandError::NotFound(unclear.to_string()),
            Unclear::Ambiguous { .. } => CommandError::Input(unclear.to_string()),
        }
    }
}

impl From<InvalidId> for CommandError {
    fn from(error: InvalidId) -> Self {
        CommandError::Input(error.to_string())
    }
}

/// Joins a message into one line.
fn in_a_line(message: &str) -> String {
    message.lines().map(str::trim_end).collect::<Vec<_>>().join(" ")
}

/// Reasons why a service cannot be started from the command line.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("{path}: {source}")]
    Limit { path: PathBuf, source: InvalidLimit },
    #[error(transparent)]
    Basemap(#[from] InvalidTiles),
}
