//! Archives of projects: filled from a service, opened as a project that does not change.

mod contents;
mod download;
mod open;

pub use download::ArchiveOptions;
