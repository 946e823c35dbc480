//! Writes an archive to a temporary file in the same folder, which gets its name once it is complete.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::bounds::{MAX_MEMBER_BYTES, UNPACKED_ANYWAY, check_values, is_plausible};
use super::format::{ArchiveError, Manifest, Member, MemberName, Problem};
use geodesign_common::whole_files::{Readers, draft_of, persist};

/// Larger members need the 64-bit form of zip.
const MAX_32_BIT_SIZE: usize = u32::MAX as usize;
/// Level from 1 to 9. Responses are mostly coordinates: higher levels hardly shrink their digits and take three times as long.
const COMPRESSION_LEVEL: i64 = 1;
/// Smallest size of a member that is compressed. Smaller ones do not shrink, and setting up the compression takes longer than the rest.
/// Most members are tags and change ids of single diagrams.
const MIN_COMPRESSED_SIZE: usize = 128;
/// Bytes of the buffer. After each member, the zip writer seeks back to the member's start, which flushes the buffer.
const BUFFER_SIZE: usize = 256 * 1024;

/// An archive that is being written. If it is dropped before [`ArchiveWriter::finish`], no file is left behind.
#[derive(Debug)]
pub struct ArchiveWriter {
    /// Boxed: with the state of its compression, it is large.
    zip: Box<ZipWriter<Counted<BufWriter<NamedTempFile>>>>,
    /// Bytes written to the file.
    written: Arc<AtomicU64>,
    path: PathBuf,
}

impl ArchiveWriter {
    /// Creates an archive in an existing folder. An earlier file with this name stays until the archive is complete.
    pub fn create(path: &Path) -> Result<Self, ArchiveError> {
        let file = draft_of(path, Readers::Usual);
        let file = file.map_err(|source| ArchiveError::Write { path: path.to_owned(), source })?;
        let written = Arc::new(AtomicU64::new(0));
        let file = Counted { file: BufWriter::with_capacity(BUFFER_SIZE, file), written: written.clone() };
        Ok(ArchiveWriter { zip: Box::new(ZipWriter::new(file)), written, path: path.to_owned() })
    }

    /// Adds a member, whose name must be new. Content that no reader would accept is an error.
    pub fn add(&mut self, name: &MemberName, content: &[u8]) -> Result<Member, ArchiveError> {
        let refused = |problem| ArchiveError::Refused { path: self.path.clone(), problem };
        let found = content.len() as u64;
        if found > MAX_MEMBER_BYTES {
            return Err(refused(Problem::TooLarge { what: name.to_string(), found, limit: MAX_MEMBER_BYTES }));
        }
        if !name.as_str().ends_with(".png") {
            check_values(name.as_str(), content).map_err(refused)?;
        }
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
        let file = file.file.into_inner().map_err(|error| failed(error.into_error()))?;
        // Otherwise the name could reach the disk before the content.
        file.as_file().sync_all().map_err(failed)?;
        persist(file, &path, Readers::Usual).map_err(failed)?;
        Ok(())
    }

    fn add_file(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        // Pictures are compressed already.
        let is_stored = name.ends_with(".png") || content.len() < MIN_COMPRESSED_SIZE;
        if is_stored || !self.deflate(name, content)? {
            self.zip.start_file(name, options_for(content, CompressionMethod::Stored))?;
            self.zip.write_all(content)?;
        }
        Ok(())
    }

    /// Returns true if readers accept the compressed content: heavy repetition looks like an attack to them.
    fn deflate(&mut self, name: &str, content: &[u8]) -> io::Result<bool> {
        self.zip.start_file(
            name,
            options_for(content, CompressionMethod::Deflated).compression_level(Some(COMPRESSION_LEVEL)),
        )?;
        let before = self.written.load(Ordering::Relaxed);
        self.zip.write_all(content)?;
        let unpacked = content.len() as u64;
        if unpacked <= UNPACKED_ANYWAY {
            return Ok(true);
        }
        self.zip.flush()?;
        let is_taken = is_plausible(unpacked, self.written.load(Ordering::Relaxed) - before, UNPACKED_ANYWAY);
        if !is_taken {
            self.zip.abort_file()?;
        }
        Ok(is_taken)
    }

    fn failed(&self, source: io::Error) -> ArchiveError {
        ArchiveError::Write { path: self.path.clone(), source }
    }
}

fn options_for(content: &[u8], method: CompressionMethod) -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(method)
        .large_file(content.len() >= MAX_32_BIT_SIZE)
        .unix_permissions(0o644)
}

/// Counts the bytes written.
#[derive(Debug)]
struct Counted<W> {
    file: W,
    written: Arc<AtomicU64>,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<W: Seek> Seek for Counted<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
