//! The setup file: what an administrator of a service decides, in one JSON document. It holds users, members, teams, designs,
//! new projects, and values that the HTTP operations can only read.

mod accounts;
mod document;
mod maps;
mod new_projects;
mod projects;
mod teams;

pub use accounts::Accounts;
pub use document::Setup;
pub use maps::MapFileError;
