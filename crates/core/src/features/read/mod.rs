//! Parses bodies: complete ones, diagrams that are still being received, and feature-JSON.
//!
//! A large array of diagrams is split into chunks that are parsed independently of each other. To find where a diagram starts
//! without parsing all before it, the text is searched for the bytes with which the first diagram starts, to the end of its
//! first key. A match may lie in the middle of a diagram. Therefore the chunks are accepted only if each one, when parsed, ends
//! exactly where the next one starts.

pub mod repair;
pub mod streaming;
pub mod visitors;

use std::collections::HashSet;
use std::ops::Range;
use std::thread;

use memchr::memmem;
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::{Map, Value};

use super::columns::{ChunkBuilder, ColumnChunk, TableError, concat};
use super::table::{Measuring, Table};
use crate::json::{DecodeError, message_with_byte};
use crate::model::Bounds;
use geodesign_common::parallel::processors;
use geodesign_geometry::json::{CowStr, Scanner, ScannerError};
use visitors::{Element, ElementSeed, deserialize_body};

/// The structure of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A GeoJSON FeatureCollection, or an object whose `geojson` is one.
    Collection,
    /// An array of diagrams, each an object of fields whose `geojson` is a FeatureCollection or null.
    Diagrams,
}

/// A body that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The offset of the first byte that is not part of a character.
    #[error("the body is not UTF-8 text: byte {0} is invalid")]
    NotUtf8(usize),
    /// `at` is the path of the value in the body, such as `[3].geojson.features[0]`.
    #[error("{at}: {problem}")]
    Invalid { at: String, problem: String },
    #[error("the whole body: {0}")]
    Table(#[from] TableError),
}

impl BodyError {
    /// Returns the error as the first of more than `problems` problems.
    pub fn among(self, problems: usize) -> Self {
        match self {
            BodyError::Invalid { at, problem } => {
                BodyError::Invalid { at, problem: format!("{problem}; more than {problems} values are wrong, too") }
            }
            other => other,
        }
    }
}

/// The content of a body.
pub struct Parsed {
    pub table: Table,
    /// The members other than the features; empty for an array of diagrams.
    pub metadata: Map<String, Value>,
    /// The bounds of all geometries; `None` if they have no positions.
    pub bounds: Option<Bounds>,
}

impl Parsed {
    /// The content of an array of diagrams of `body_bytes` bytes that was parsed in chunks.
    pub fn from_chunks(chunks: Vec<ColumnChunk>, body_bytes: usize) -> Result<Self, BodyError> {
        let mut seen = HashSet::new();
        if let Some(id) = chunks.iter().flat_map(|chunk| &chunk.diagrams).find(|id| !seen.insert(**id)) {
            let problem = format!("it has the diagram {id} twice");
            return Err(BodyError::Invalid { at: "the whole body".into(), problem });
        }
        let (table, bounds) = concat(chunks, body_bytes)?;
        Ok(Parsed { table, metadata: Map::new(), bounds })
    }
}

/// Parses a complete body. A large array of diagrams is parsed on all processors.
pub fn parse(text: &str, layout: Layout) -> Result<Parsed, BodyError> {
    if layout == Layout::Diagrams
        && let Some(chunks) = scan_in_chunks(text)
    {
        return Parsed::from_chunks(chunks, text.len());
    }
    let (chunk, metadata) = match scan(text, layout) {
        Ok(content) => content,
        Err(_) => parse_with_positions(text, layout)?,
    };
    Ok(Parsed { metadata, ..Parsed::from_chunks(vec![chunk.finish()?], text.len())? })
}

type Content = (ChunkBuilder, Map<String, Value>);

/// Parses fast. The error has no position in the body.
fn scan(text: &str, layout: Layout) -> Result<Content, ScannerError> {
    let mut scanner = Scanner::new(text);
    let content = deserialize_body(&mut scanner, layout)?;
    scanner.end().map(|()| content)
}

/// Parses slowly, for an error with the problem and its position. Used once [`scan`] has failed.
fn parse_with_positions(text: &str, layout: Layout) -> Result<Content, BodyError> {
    let bytes = text.as_bytes();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let content = deserialize_body(&mut json, layout).map_err(|source| {
        let error_of_start =
            |start: &[u8]| deserialize_body(&mut serde_json::Deserializer::from_slice(start), layout).err();
        let error = DecodeError::new(bytes, source, &error_of_start);
        BodyError::Invalid { at: error.path.unwrap_or("the body".into()), problem: error.message }
    })?;
    json.end().map(|()| content).map_err(|error| {
        let problem = message_with_byte(bytes, &error);
        BodyError::Invalid { at: "after the end".into(), problem }
    })
}

/// Smallest number of bytes that is worth a thread.
const MIN_CHUNK_BYTES: usize = 256 * 1024;

/// Parses a large array of diagrams on all processors. `None` if it is too small for that, has an error, or could not
/// be split correctly.
pub fn scan_in_chunks(text: &str) -> Option<Vec<ColumnChunk>> {
    let processors = processors();
    let starts = chunk_starts(text, processors.min(text.len() / MIN_CHUNK_BYTES))?;
    let ends = starts.iter().skip(1).map(|start| Some(*start)).chain([None]);
    thread::scope(|scope| {
        let threads: Vec<_> = starts
            .iter()
            .zip(ends)
            .map(|(start, end)| scope.spawn(move || scan_chunk(text, *start, end, Measuring::Skip)))
            .collect();
        threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    })
}

/// The offsets at which up to `chunks` chunks probably start, at least two.
fn chunk_starts(text: &str, chunks: usize) -> Option<Vec<usize>> {
    let first = first_diagram_span(text)?;
    let diagram_start = &text.as_bytes()[first.clone()];
    let mut starts = vec![first.start];
    for chunk in 1..chunks {
        let from = (text.len() / chunks * chunk).max(starts.last()? + 1);
        starts.extend(memmem::find(&text.as_bytes()[from..], diagram_start).map(|offset| from + offset));
    }
    starts.dedup();
    (starts.len() > 1).then_some(starts)
}

/// The span of an array's first diagram from its brace to the end of its first key. Most other diagrams start with the
/// same bytes.
pub fn first_diagram_span(text: &str) -> Option<Range<usize>> {
    let mut scanner = Scanner::new(text);
    scanner.take(b'[').ok()?;
    scanner.peek();
    let start = scanner.offset();
    scanner.take(b'{').ok()?;
    CowStr::deserialize(&mut scanner).ok()?;
    Some(start..scanner.offset())
}

/// The offset at which the last diagram probably starts; `None` if that is the first match.
pub fn last_diagram_start(bytes: &[u8], diagram_start: &[u8]) -> Option<usize> {
    let last = memmem::rfind(bytes, diagram_start)?;
    (memmem::find(bytes, diagram_start)? < last).then_some(last)
}

/// Parses the diagrams from `start` to `end`, where the next chunk starts, or to the end of the array. `None` if there
/// is an error, or if no diagram starts at `end`.
pub fn scan_chunk(text: &str, start: usize, end: Option<usize>, measuring: Measuring) -> Option<ColumnChunk> {
    let mut builder = ChunkBuilder::for_diagrams(measuring);
    let mut scanner = Scanner::starting_at(text, start);
    loop {
        ElementSeed { chunk: &mut builder, element: Element::Diagram }.deserialize(&mut scanner).ok()?;
        match scanner.peek()? {
            b',' => {
                scanner.take(b',').ok()?;
                scanner.peek();
                match end {
                    Some(end) if scanner.offset() == end => return builder.finish().ok(),
                    Some(end) if scanner.offset() > end => return None,
                    _ => {}
                }
            }
            b']' if end.is_none() => {
                scanner.take(b']').ok()?;
                scanner.end().ok()?;
                return builder.finish().ok();
            }
            _ => return None,
        }
    }
}
