//! How many entries the directory of a zip file has. A reader of zip files keeps one entry of each name, so that of two with the
//! same name, one would be hidden.

use std::io::{self, Read, Seek, SeekFrom};

const ENTRY_SIGNATURE: [u8; 4] = *b"PK\x01\x02";
/// Bytes of an entry before its name.
const ENTRY_HEADER_BYTES: usize = 46;

/// Counts the entries of the directory that begins at `start`.
pub fn count_entries(mut file: impl Read + Seek, start: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(start))?;
    let mut file = io::BufReader::new(file);
    let mut count = 0;
    loop {
        let mut header = [0; ENTRY_HEADER_BYTES];
        file.read_exact(&mut header[..4])?;
        if header[..4] != ENTRY_SIGNATURE {
            return Ok(count);
        }
        file.read_exact(&mut header[4..])?;
        // The lengths of name, extra field and comment, which follow the header.
        let length = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let rest = length(28) + length(30) + length(32);
        let skipped = io::copy(&mut file.by_ref().take(rest), &mut io::sink())?;
        if skipped < rest {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        count += 1;
    }
}
