//! A project in one file: a zip of a service's responses, with a manifest. This module writes, verifies and reads such files; client and
//! service fill them.
//!
//! Each member is the response to one request: its name is the path below `projects/{projectid}/` without the last slash, and
//! `.json` or `.png`. The response about the project itself is `project.json`. `manifest.json`, the last member, names all others
//! with their sizes and SHA-256 digests. docs/archive.md describes the format for readers in other languages.

mod bounds;
pub mod contents;
mod format;
mod reader;
mod writer;

pub use format::{ArchiveError, FORMAT, FORMAT_VERSION, Manifest, Member, MemberName, Problem, member_name};
pub use reader::Archive;
pub use writer::ArchiveWriter;
