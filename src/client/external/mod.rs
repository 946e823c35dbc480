//! The files of external diagrams. Any member of a project can enter any address there, so nothing is trusted: neither where the
//! address leads, nor what the file holds.

mod addresses;
mod download;
mod error;
mod format;

pub use download::{ExternalLimits, download};
pub use error::ExternalFileError;
