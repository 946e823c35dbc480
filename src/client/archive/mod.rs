//! Archives of projects: filled from a service, brought up to date, opened as a project that does not change.

mod answer;
mod changed_diagrams;
mod contents;
mod download;
mod old_archive;
mod open;
mod rebuild;
mod sync;

pub use download::{ArchiveOptions, Traffic};
pub use sync::SyncReport;
