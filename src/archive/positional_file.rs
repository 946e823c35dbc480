//! A file that many threads and processes read at the same time: every clone has its own position, which the operating system
//! does not share with a forked child.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct PositionalFile {
    file: Arc<File>,
    length: u64,
    position: u64,
}

impl PositionalFile {
    pub fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(PositionalFile { file: Arc::new(file), length, position: 0 })
    }

    pub fn length(&self) -> u64 {
        self.length
    }
}

impl Read for PositionalFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.file, buffer, self.position)?;
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
