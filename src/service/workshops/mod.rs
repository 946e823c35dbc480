//! Many workshops in one folder: each is a database of its own, and shares nothing with the others.

mod creation;
mod error;
mod folder;
mod name;
mod running;

pub use creation::{CreatedWorkshop, NewWorkshop};
pub use error::WorkshopError;
pub use folder::{FoundWorkshops, WorkshopFolder};
pub use name::{InvalidWorkshopName, WorkshopName};
pub use running::{FolderLock, RunningService};
