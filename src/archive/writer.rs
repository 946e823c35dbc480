//! Writes an archive: into a temporary file beside it, which takes its name when it is whole.

use std::io::{self, Seek, SeekFrom, Write};
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
/// How much of the end of the file is in memory, in bytes.
const MAX_BUFFERED: usize = 256 * 1024;

/// An archive that is being written. Dropped before [`ArchiveWriter::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct ArchiveWriter {
    /// Boxed: with the state of its compression, it is large.
    zip: Box<ZipWriter<BufferedEnd<NamedTempFile>>>,
    path: PathBuf,
}

impl ArchiveWriter {
    /// The folder must exist. A file that has this name already stays as it is until the archive is whole.
    pub fn create(path: &Path) -> Result<Self, ArchiveError> {
        let file = draft_of(path, Readers::Usual);
        let file = file.map_err(|source| ArchiveError::Write { path: path.to_owned(), source })?;
        Ok(ArchiveWriter { zip: Box::new(ZipWriter::new(BufferedEnd::new(file))), path: path.to_owned() })
    }

    /// Adds a member. No two have the same name.
    pub fn add(&mut self, name: &MemberName, content: &[u8]) -> Result<Member, ArchiveError> {
        let written = self.add_file(name.as_str(), content);
        written.map_err(|source| self.failed(source))?;
        Ok(Member::of(content))
    }

    /// Writes the manifest, and gives the file its name.
    pub fn finish(mut self, manifest: &Manifest) -> Result<(), ArchiveError> {
        let path = self.path.clone();
        let failed = |source| ArchiveError::Write { path: path.clone(), source };
        let json = serde_json::to_vec_pretty(manifest).map_err(|error| failed(error.into()))?;
        self.add_file("manifest.json", &json).map_err(failed)?;
        let file = self.zip.finish().map_err(|error| failed(error.into()))?;
        let file = file.into_inner().map_err(failed)?;
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

/// A file whose end is in memory, where a writer may go back and change what it wrote. Unlike with a `BufWriter`, moving within what it has collected is no call of the system: a zip writer
/// moves some eight times for each member.
#[derive(Debug)]
struct BufferedEnd<W> {
    inner: W,
    /// Belongs at `start`.
    buffer: Vec<u8>,
    start: u64,
    /// Where the next byte is written.
    position: u64,
    /// How long the file is, with what is in memory.
    length: u64,
}

impl<W: Write + Seek> BufferedEnd<W> {
    /// For a file without content.
    fn new(inner: W) -> Self {
        BufferedEnd { inner, buffer: Vec::with_capacity(MAX_BUFFERED), start: 0, position: 0, length: 0 }
    }

    /// The file, with all that was written.
    fn into_inner(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.inner)
    }
}

impl<W: Write + Seek> Write for BufferedEnd<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_in_memory = (self.start..=self.start + self.buffer.len() as u64).contains(&self.position);
        if !is_in_memory || self.buffer.len() >= MAX_BUFFERED {
            self.flush()?;
            self.start = self.position;
        }
        let offset = (self.position - self.start) as usize;
        let overwritten = bytes.len().min(self.buffer.len() - offset);
        let (over, beyond) = bytes.split_at(overwritten);
        self.buffer[offset..offset + overwritten].copy_from_slice(over);
        self.buffer.extend_from_slice(beyond);
        self.position += bytes.len() as u64;
        self.length = self.length.max(self.position);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.seek(SeekFrom::Start(self.start))?;
        self.inner.write_all(&self.buffer)?;
        self.start += self.buffer.len() as u64;
        self.buffer.clear();
        self.inner.flush()
    }
}

impl<W> Seek for BufferedEnd<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
            SeekFrom::End(distance) => self.length.checked_add_signed(distance),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_file_is_as_if_nothing_were_in_memory(
            writes in prop::collection::vec((any::<prop::sample::Index>(), 0..MAX_BUFFERED), 0..12)
        ) {
            let (mut buffered, mut direct) = (BufferedEnd::new(Cursor::new(Vec::new())), Cursor::new(Vec::new()));
            for (number, (place, size)) in writes.into_iter().enumerate() {
                let end = SeekFrom::End(-(place.index(direct.get_ref().len() + 1) as i64));
                prop_assert_eq!(buffered.seek(end).unwrap(), direct.seek(end).unwrap());
                let bytes = vec![number as u8; size];
                buffered.write_all(&bytes).unwrap();
                direct.write_all(&bytes).unwrap();
                prop_assert_eq!(buffered.stream_position().unwrap(), direct.stream_position().unwrap());
            }
            let written = buffered.into_inner().unwrap().into_inner();
            prop_assert!(written == direct.into_inner());
        }
    }
}
