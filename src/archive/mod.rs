//! A project in one file: a zip of the answers of a service, with a manifest. This module writes, verifies and reads such files;
//! the client fills them.
//!
//! Each member is the answer to one request: its name is the path below `projects/{projectid}/` without the last slash, and
//! `.json` or `.png`. The answer about the project itself is `project.json`. `manifest.json`, the last member, names all others
//! with their sizes and SHA-256 digests. docs/archive.md describes the format for readers in other languages.

mod buffered_end;
mod central_directory;
mod error;
mod manifest;
mod names;
mod positional_file;
mod reader;
mod writer;

pub use error::{ArchiveError, Problem};
pub use manifest::{FORMAT, FORMAT_VERSION, Manifest, Member};
pub use names::{MemberName, member_name};
pub use reader::Archive;
pub use writer::ArchiveWriter;
