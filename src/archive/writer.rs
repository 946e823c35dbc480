//! Writes an archive: into a temporary file beside it, which takes its name when it is whole.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::format::{ArchiveError, Manifest, Member, MemberName};
use crate::drafts::{Readers, draft_of};

/// Larger members need the 64-bit form of zip.
const MAX_32_BIT_SIZE: usize = u32::MAX as usize;
/// Of 1 to 9. Responses are mostly coordinates, whose digits become hardly smaller at a higher level, which takes three times as long.
const COMPRESSION_LEVEL: i64 = 1;
/// In bytes. Smaller members become no smaller, and preparing a compression takes longer than the rest. Most members are tags and change
/// ids of single diagrams.
const MIN_COMPRESSED_SIZE: usize = 128;
/// In bytes. The zip writer moves back to the start of a member when it ends, which writes out what is buffered.
const BUFFER_SIZE: usize = 256 * 1024;

/// An archive that is being written. Dropped before [`ArchiveWriter::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct ArchiveWriter {
    /// Boxed: with the state of its compression, it is large.
    zip: Box<ZipWriter<BufWriter<NamedTempFile>>>,
    path: PathBuf,
}

impl ArchiveWriter {
    /// The folder must exist. A file that has this name already stays as it is until the archive is whole.
    pub fn create(path: &Path) -> Result<Self, ArchiveError> {
        let file = draft_of(path, Readers::Usual);
        let file = file.map_err(|source| ArchiveError::Write { path: path.to_owned(), source })?;
        Ok(ArchiveWriter {
            zip: Box::new(ZipWriter::new(BufWriter::with_capacity(BUFFER_SIZE, file))),
            path: path.to_owned(),
        })
    }

    /// Adds a member. No two have the same name.
    pub fn add(&mut self, name: &MemberName, content: &[u8]) -> Result<Member, ArchiveError> {
        let written = self.add_file(name.as_str(), content);
        written.map_err(|source| self.failed(source))?;
        Ok(Member::new(content))
    }

    /// Writes the manifest, and gives the file its name.
    pub fn finish(mut self, manifest: &Manifest) -> Result<(), ArchiveError> {
        let path = self.path.clone();
        let failed = |source| ArchiveError::Write { path: path.clone(), source };
        let json = serde_json::to_vec_pretty(manifest).map_err(|error| failed(error.into()))?;
        self.add_file("manifest.json", &json).map_err(failed)?;
        let file = self.zip.finish().map_err(|error| failed(error.into()))?;
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        // Otherwise the name could reach the disk before the content.
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn add_file(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        // Pictures are compressed already.
        let is_stored = name.ends_with(".png") || content.len() < MIN_COMPRESSED_SIZE;
        let method = if is_stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .compression_level((method == CompressionMethod::Deflated).then_some(COMPRESSION_LEVEL))
            .large_file(content.len() >= MAX_32_BIT_SIZE)
            .unix_permissions(0o644);
        self.zip.start_file(name, options)?;
        self.zip.write_all(content)
    }

    fn failed(&self, source: io::Error) -> ArchiveError {
        ArchiveError::Write { path: self.path.clone(), source }
    }
}
