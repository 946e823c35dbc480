//! Files that others may have put in place of ours: opening one never blocks, and only regular files are read.

use std::fs::{File, OpenOptions};
use std::io;
use std::io::Read;
use std::path::Path;

/// Opens a file for reading. A pipe, a device or a folder is an error; opening never waits.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a pipe would wait for a writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// Reads a text file of at most this many bytes, decoded by [`decode_text`].
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let file = open_regular(path)?;
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {max_bytes} bytes"));
    if file.metadata()?.len() > max_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The file may have grown since.
    if file.take(max_bytes + 1).read_to_end(&mut bytes)? as u64 > max_bytes {
        return Err(too_large());
    }
    decode_text(bytes).map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))
}

/// Returns the text of a file in UTF-8, or in UTF-16 with a byte order mark; Notepad and PowerShell write both. The mark is removed.
pub fn decode_text(mut bytes: Vec<u8>) -> Result<String, &'static str> {
    const NO_TEXT: &str = "it is not in UTF-8; save it as UTF-8";
    let wide = |pair: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes[2..].as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|bytes| pair(*bytes)).collect();
        String::from_utf16(&units).ok().filter(|_| rest.is_empty()).ok_or(NO_TEXT)
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, ..] => {
            bytes.drain(..3);
            String::from_utf8(bytes).map_err(|_| NO_TEXT)
        }
        _ => String::from_utf8(bytes).map_err(|_| NO_TEXT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_in_the_encodings_of_notepad_and_no_other_is_guessed() {
        let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| {
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect::<Vec<u8>>()
        };
        for bytes in [
            "Süd 🌳".into(),
            "\u{feff}Süd 🌳".into(),
            wide("Süd 🌳", u16::to_le_bytes),
            wide("Süd 🌳", u16::to_be_bytes),
        ] {
            assert_eq!(decode_text(bytes).as_deref(), Ok("Süd 🌳"));
        }
        let broken = [wide("Süd", u16::to_le_bytes), vec![0]].concat();
        for bytes in [b"S\xfcd".to_vec(), broken, vec![0xff, 0xfe, 0x00, 0xd8]] {
            assert_eq!(decode_text(bytes), Err("it is not in UTF-8; save it as UTF-8"));
        }
    }
}
