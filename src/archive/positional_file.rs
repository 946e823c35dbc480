//! A file, or its content in memory, that many threads and processes read at the same time: every clone has its own position, which
//! the operating system does not share with a forked child.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use bytes::Bytes;

#[derive(Debug, Clone)]
pub struct PositionalFile {
    content: Content,
    length: u64,
    position: u64,
}

#[derive(Debug, Clone)]
enum Content {
    File(Arc<File>),
    Memory(Bytes),
}

impl PositionalFile {
    pub fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(PositionalFile { content: Content::File(Arc::new(file)), length, position: 0 })
    }

    pub fn in_memory(content: Bytes) -> Self {
        PositionalFile { length: content.len() as u64, content: Content::Memory(content), position: 0 }
    }

    /// All of it.
    pub fn content(&self) -> io::Result<Bytes> {
        match &self.content {
            Content::Memory(content) => Ok(content.clone()),
            Content::File(_) => {
                let mut content = Vec::new();
                PositionalFile { position: 0, ..self.clone() }.read_to_end(&mut content)?;
                Ok(content.into())
            }
        }
    }

    pub fn length(&self) -> u64 {
        self.length
    }
}

impl Read for PositionalFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &self.content {
            Content::File(file) => read_at(file, buffer, self.position)?,
            Content::Memory(content) => {
                let start = content.len().min(usize::try_from(self.position).unwrap_or(usize::MAX));
                (&content[start..]).read(buffer)?
            }
        };
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for PositionalFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}
