//! Which format a file has, by its first bytes.

use super::error::ExternalFileError;

/// The magic bytes, with the major version 3; the last is a patch version of any value. The length of the header follows.
const MAGIC: &[u8] = b"fgb\x03fgb";
const LENGTH_OF_HEADER: std::ops::Range<usize> = 8..12;
/// As many bytes are enough for [`check_format`].
pub const CHECKED_BYTES: usize = 12;
/// The longest header that GDAL reads.
const MAX_HEADER_BYTES: u32 = 10 * 1024 * 1024;
const TIFF: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];

/// Refuses what is not FlatGeobuf.
///
/// GDAL tries all its formats on a file, some of which lead it to other files and addresses. It would find such a format in the text
/// after the magic bytes. A length within the limit ends in a byte of 0, where GDAL stops to look for text.
pub fn check_format(file: &[u8]) -> Result<(), ExternalFileError> {
    if TIFF.iter().any(|magic| file.starts_with(magic)) {
        return Err(ExternalFileError::GeoTiff);
    }
    let length = file.get(LENGTH_OF_HEADER).and_then(|length| length.try_into().ok()).map(u32::from_le_bytes);
    match length {
        Some(1..=MAX_HEADER_BYTES) if file.starts_with(MAGIC) => Ok(()),
        _ => Err(ExternalFileError::NotFlatgeobuf),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_flatgeobuf_by_its_magic_bytes_and_a_header_of_possible_length() {
        assert!(check_format(b"fgb\x03fgb\x00\x94\x07\0\0").is_ok());
        assert!(check_format(b"fgb\x03fgb\x01\0\0\xa0\0").is_ok());
        let others: [&[u8]; 6] = [
            b"",
            b"fgb\x03fgb",
            b"<!DOCTYPE html>",
            b"PK\x03\x04fgb\x00\x94\x07\0\0",
            b"fgb\x03fgb\x01\0\0\0\0",
            b"fgb\x03fgb\x01\x01\0\xa0\0",
        ];
        for other in others {
            assert!(matches!(check_format(other), Err(ExternalFileError::NotFlatgeobuf)), "{other:?}");
        }
    }

    #[test]
    fn text_of_another_format_after_the_magic_bytes_is_refused() {
        let disguised = b"fgb\x03fgb\x01<OGRVRTDataSource>";
        assert!(matches!(check_format(disguised), Err(ExternalFileError::NotFlatgeobuf)));
    }

    #[test]
    fn a_geotiff_is_named_as_such() {
        assert!(matches!(check_format(b"II*\0\x10\0\0\0"), Err(ExternalFileError::GeoTiff)));
        assert!(matches!(check_format(b"MM\0+\0\x08\0\0"), Err(ExternalFileError::GeoTiff)));
    }
}
