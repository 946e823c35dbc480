//! A file whose end is in memory, where a writer may go back and change what it wrote.

use std::io::{self, Seek, SeekFrom, Write};

/// How much is in memory, in bytes.
const MAX_BUFFERED: usize = 256 * 1024;

/// Collects what is written. Unlike with a `BufWriter`, moving within what it has collected is no call of the system: a zip writer
/// moves some eight times for each member.
#[derive(Debug)]
pub struct BufferedEnd<W> {
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
    pub fn new(inner: W) -> Self {
        BufferedEnd { inner, buffer: Vec::with_capacity(MAX_BUFFERED), start: 0, position: 0, length: 0 }
    }

    /// The file, with all that was written.
    pub fn into_inner(mut self) -> io::Result<W> {
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
