//! Where a command reads from: a service, an archive or a database; as whom; and which project is meant.

mod database;
mod login_file;
mod project_choice;
mod service;
mod source;

pub use database::{Database, open_database, project_in};
pub use project_choice::{choose_project, named};
pub use service::{Service, root};
pub use source::Source;
