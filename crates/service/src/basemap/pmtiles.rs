//! A tile file in one piece (PMTiles 3): a header, directories, metadata and tiles. No number in it is trusted.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::GzDecoder;
use parking_lot::Mutex;
use serde_json::Value;

use super::about::About;
use super::tile::{Form, Found, MAX_TILE_BYTES};
use super::{BasemapError, MAX_ZOOM};

/// First bytes of such a file. The version follows.
pub const MAGIC: &[u8] = b"PMTiles";
const HEADER_BYTES: usize = 127;
/// Largest directory, and largest metadata, also when unpacked.
const MAX_SECTION_BYTES: u64 = 4 * 1024 * 1024;
/// Maximum directories on the way to a tile. Writers use two.
const MAX_DEPTH: usize = 4;
const NONE: u8 = 1;
const GZIP: u8 = 2;

pub struct Pmtiles {
    file: Mutex<File>,
    header: Header,
    root: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Section {
    start: u64,
    length: u64,
}

struct Header {
    root: Section,
    metadata: Section,
    leaves: Section,
    tiles: Section,
    /// True if directories and metadata are compressed.
    is_packed: bool,
    form: Form,
    zooms: [u32; 2],
    bounds: [f64; 4],
}

/// Consecutive tiles with the same content or, if `run` is 0, a directory of the tiles from `first` on.
struct Entry {
    first: u64,
    run: u64,
    place: Section,
}

impl Pmtiles {
    /// Opens a file and reads its first tile.
    pub fn open(path: &Path) -> Result<(Self, About), BasemapError> {
        let unfit = |problem: String| BasemapError::UnfitPmtiles { path: path.to_owned(), problem };
        let failed = |error: io::Error| unfit(error.to_string());
        let mut file = File::open(path).map_err(|source| BasemapError::Missing { path: path.to_owned(), source })?;
        let mut start = Vec::with_capacity(HEADER_BYTES);
        file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut start).map_err(failed)?;
        let header = Header::read(&start).map_err(unfit)?;
        let (length, end) = (file.metadata().map_err(failed)?.len(), header.end());
        if length < end {
            return Err(unfit(format!("it is cut off: it has {length} of {end} bytes")));
        }
        let mut file = Pmtiles { file: Mutex::new(file), header, root: Vec::new() };
        file.root = file.directory(file.header.root).map_err(failed)?;
        match file.look(|entries| entries.first()).map_err(failed)? {
            Found::Tile(_) => {}
            Found::Nothing => return Err(unfit("it has no tile".to_owned())),
            Found::Unfit => return Err(unfit(file.header.form.unfit_first_tile())),
        }
        let metadata: Value = serde_json::from_slice(&file.unpacked(file.header.metadata).map_err(failed)?)
            .map_err(|error| unfit(format!("its metadata are not JSON: {error}")))?;
        let Header { form, zooms, bounds, .. } = file.header;
        let text = |name: &str| metadata.get(name).and_then(Value::as_str).unwrap_or_default();
        let about = About::new(form, zooms, bounds, text("attribution"), text("name"));
        about.check_layers(path, &metadata)?;
        Ok((file, about))
    }

    /// Returns the tile at a place. Rows are counted from the north.
    pub fn tile(&self, place: [u32; 3]) -> io::Result<Found> {
        let id = id_of(place);
        self.look(|entries| entry_of(entries, id))
    }

    /// Follows directories to a tile.
    fn look(&self, choose: impl Fn(&[Entry]) -> Option<&Entry>) -> io::Result<Found> {
        let mut leaf;
        let mut entries = &self.root;
        for _ in 0..MAX_DEPTH {
            let Some(&Entry { run, place, .. }) = choose(entries) else { return Ok(Found::Nothing) };
            if run > 0 {
                return self.tile_at(place);
            }
            leaf = self.directory(self.header.leaves.part(place)?)?;
            entries = &leaf;
        }
        Err(invalid("its directories are nested too deeply"))
    }

    fn tile_at(&self, place: Section) -> io::Result<Found> {
        if place.length > MAX_TILE_BYTES as u64 {
            return Ok(Found::Unfit);
        }
        Ok(self.header.form.found_in(&self.bytes(self.header.tiles.part(place)?)?))
    }

    fn directory(&self, place: Section) -> io::Result<Vec<Entry>> {
        entries_of(&self.unpacked(place)?).ok_or_else(|| invalid("a directory is damaged"))
    }

    fn unpacked(&self, place: Section) -> io::Result<Vec<u8>> {
        if place.length > MAX_SECTION_BYTES {
            return Err(invalid("a directory, or its metadata, is too large"));
        }
        let bytes = self.bytes(place)?;
        if !self.header.is_packed {
            return Ok(bytes);
        }
        let mut unpacked = Vec::new();
        GzDecoder::new(bytes.as_slice()).take(MAX_SECTION_BYTES).read_to_end(&mut unpacked)?;
        Ok(unpacked)
    }

    fn bytes(&self, Section { start, length }: Section) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length as usize];
        let mut file = self.file.lock();
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Header {
    /// Reads the first bytes of a file, or describes their problem.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        if !bytes.starts_with(MAGIC) {
            return Err("it does not begin with \"PMTiles\"".to_owned());
        }
        match bytes.get(MAGIC.len()) {
            Some(3) => {}
            Some(version) => return Err(format!("it has version {version}, and version 3 is supported")),
            None => return Err("it is cut off".to_owned()),
        }
        let bytes: &[u8; HEADER_BYTES] = bytes.try_into().map_err(|_| "it is cut off".to_owned())?;
        let whole = |at: usize| bytes[at..at + 8].iter().rev().fold(0, |whole, &byte| whole << 8 | u64::from(byte));
        let section = |at: usize| Section { start: whole(at), length: whole(at + 8) };
        // Seven decimals, with a sign.
        let degrees = |at: usize| f64::from(whole(at) as i32) / 1e7;
        let [packing, tile_packing, kind, least, most] = [97, 98, 99, 100, 101].map(|at| bytes[at]);
        let form = match kind {
            1 => Form::Vectors,
            2..=4 => Form::Pictures,
            5 => return Err("its tiles are AVIF".to_owned()),
            kind => return Err(format!("its tiles are of an unknown type ({kind})")),
        };
        if ![NONE, GZIP].contains(&packing) {
            return Err(format!("its directories are compressed as {}", compression(packing)));
        }
        if tile_packing > if form == Form::Vectors { GZIP } else { NONE } {
            return Err(format!("its tiles are compressed as {}", compression(tile_packing)));
        }
        let zooms = [least, most].map(u32::from);
        if least > most || zooms[1] > MAX_ZOOM {
            return Err(format!("its levels are not numbers from 0 to {MAX_ZOOM}"));
        }
        Ok(Header {
            root: section(8),
            metadata: section(24),
            leaves: section(40),
            tiles: section(56),
            is_packed: packing == GZIP,
            form,
            zooms,
            bounds: [degrees(102), degrees(106), degrees(110), degrees(114)],
        })
    }

    /// Length of a complete file.
    fn end(&self) -> u64 {
        let ends = [self.root, self.metadata, self.leaves, self.tiles].map(Section::end);
        ends.into_iter().max().unwrap_or_default()
    }
}

impl Section {
    fn end(self) -> u64 {
        self.start.saturating_add(self.length)
    }

    /// Returns a part of this section as a section of the file.
    fn part(self, Section { start, length }: Section) -> io::Result<Section> {
        let part = Section { start: self.start.saturating_add(start), length };
        if part.end() > self.end() {
            return Err(invalid("a directory has an entry outside of its section"));
        }
        Ok(part)
    }
}

fn compression(number: u8) -> &'static str {
    match number {
        GZIP => "gzip",
        3 => "Brotli",
        4 => "zstd",
        _ => "something unknown",
    }
}

fn invalid(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// Reads a directory: the number of its entries, then a column for each member. `None` if it is damaged.
fn entries_of(mut bytes: &[u8]) -> Option<Vec<Entry>> {
    let count = varint(&mut bytes)? as usize;
    // Each entry has four numbers of at least one byte.
    if count > bytes.len() / 4 {
        return None;
    }
    let mut column = || (0..count).map(|_| varint(&mut bytes)).collect::<Option<Vec<u64>>>();
    let (steps, runs, lengths, starts) = (column()?, column()?, column()?, column()?);
    let (mut first, mut end) = (0_u64, 0_u64);
    steps
        .into_iter()
        .zip(runs)
        .zip(lengths.into_iter().zip(starts))
        .map(|((step, run), (length, start))| {
            first = first.checked_add(step)?;
            // 0 means: where the last one ends. Others are one more than the place.
            let place = Section { start: start.checked_sub(1).unwrap_or(end), length };
            end = place.end();
            Some(Entry { first, run, place })
        })
        .collect()
}

fn entry_of(entries: &[Entry], id: u64) -> Option<&Entry> {
    let entry = entries[..entries.partition_point(|entry| entry.first <= id)].last()?;
    (entry.run == 0 || id - entry.first < entry.run).then_some(entry)
}

/// Takes a number from the start: seven bits in each byte, the lowest first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Number of a tile: those of smaller zooms come first, then its place on the Hilbert curve of its zoom.
fn id_of([zoom, column, row]: [u32; 3]) -> u64 {
    let [mut x, mut y] = [column, row].map(u64::from);
    let mut id = ((1 << (2 * zoom)) - 1) / 3;
    for side in (0..zoom).rev().map(|level| 1_u64 << level) {
        let (is_right, is_below) = (x & side > 0, y & side > 0);
        id += side * side * ((3 * u64::from(is_right)) ^ u64::from(is_below));
        if !is_below {
            if is_right {
                // Mirrors the place within the quarter.
                (x, y) = (x ^ (side - 1), y ^ (side - 1));
            }
            (x, y) = (y, x);
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_numbered_along_a_curve() {
        assert_eq!([[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0], [2, 0, 0]].map(id_of), [0, 1, 2, 3, 4, 5]);
        assert_eq!(id_of([12, 3423, 1763]), 19_078_479);
        assert_eq!(id_of([30, 0, 0]), ((1_u64 << 60) - 1) / 3);
        for zoom in 1..6 {
            let side = 1 << zoom;
            let mut ids: Vec<u64> = (0..side * side).map(|place| id_of([zoom, place / side, place % side])).collect();
            ids.sort_unstable();
            assert!(ids.windows(2).all(|pair| pair[0] + 1 == pair[1]));
        }
    }

    #[test]
    fn a_number_ends_within_its_bytes() {
        assert_eq!(varint(&mut [0xac, 0x02].as_slice()), Some(300));
        assert_eq!(varint(&mut [0x80].as_slice()), None);
        assert_eq!(varint(&mut [0xff; 11].as_slice()), None);
    }

    #[test]
    fn a_directory_gives_runs_and_places_that_follow_each_other() {
        let entries = entries_of(&[2, 5, 37, 1, 3, 100, 7, 1, 0]).unwrap();
        let found = |id| entry_of(&entries, id).map(|entry| (entry.place.start, entry.place.length));
        assert_eq!([4, 5, 6].map(found), [None, Some((0, 100)), None]);
        assert_eq!([42, 44, 45].map(found), [Some((100, 7)), Some((100, 7)), None]);
        for damaged in [&[] as &[u8], &[200, 1, 0], &[1, 0, 1, 1], &[1, 0x80]] {
            assert!(entries_of(damaged).is_none(), "{damaged:?}");
        }
    }
}
