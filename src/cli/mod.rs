//! The command line of pygeodesign, with a file per command.
//!
//! `connect/` finds the service, archive or database and the project that a command is about, `output/` prints. What needs Python,
//! or knows about signals, is left to the [`Host`].

mod archive;
mod archive_all;
mod backup;
mod cards;
mod completions;
mod connect;
mod context;
mod costs;
mod designs;
mod diagrams;
mod error;
mod host;
mod import_project;
mod login;
mod member_token;
mod open;
mod output;
mod projects;
mod report;
mod run;
mod selection;
mod serve;
mod serve_error;
mod setup_file;
mod sync;
mod systems;
mod teams;
mod thumbnails;
mod tokens;
mod upload;
mod users;
mod watch;
mod welcome;
mod workshops;

pub use host::{ArchivedAll, Host, HostError, Report, Upload, UploadedRow};
pub use run::run;
