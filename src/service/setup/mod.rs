//! The setup file: what an administrator of a service decides, in one JSON document. It holds users, members, teams, designs,
//! new projects, and values that the HTTP operations can only read.

mod maps;
mod new_projects;
mod projects;
#[allow(clippy::module_inception)]
mod setup;
mod teams;

pub use maps::MapFileError;
pub use setup::Setup;
