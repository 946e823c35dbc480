//! Parses the text of a body.

use serde_json::{Map, Value};

use super::diagram_chunks::scan_in_chunks;
use super::visitors::deserialize_body;
use crate::features::body::{BodyError, Layout};
use crate::features::columns::{ChunkBuilder, ColumnChunk, concat};
use crate::features::table::Table;
use crate::json::{self, Scanner, ScannerError};
use crate::model::Bounds;

/// The content of a body.
pub struct Parsed {
    pub table: Table,
    /// The members beside the features; empty for an array of diagrams.
    pub metadata: Map<String, Value>,
    /// The bounds of all geometries; `None` if they have no positions.
    pub bounds: Option<Bounds>,
}

impl Parsed {
    /// The content of an array of diagrams of `body_bytes` bytes that was parsed in chunks.
    pub fn from_chunks(chunks: Vec<ColumnChunk>, body_bytes: usize) -> Result<Self, BodyError> {
        let (table, bounds) = concat(chunks, body_bytes)?;
        Ok(Parsed { table, metadata: Map::new(), bounds })
    }
}

/// Parses a whole body. A large array of diagrams is parsed by all processors.
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

/// Parses fast. The error does not tell where in the body it is.
fn scan(text: &str, layout: Layout) -> Result<Content, ScannerError> {
    let mut scanner = Scanner::new(text);
    let content = deserialize_body(&mut scanner, layout)?;
    scanner.end().map(|()| content)
}

/// Parses slowly, for an error that tells what is wrong and where. Used once [`scan`] has failed.
fn parse_with_positions(text: &str, layout: Layout) -> Result<Content, BodyError> {
    let mut track = serde_path_to_error::Track::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let content = deserialize_body(serde_path_to_error::Deserializer::new(&mut json, &mut track), layout);
    let at = match &content {
        Err(_) => Some(track.path().to_string()).filter(|path| path != ".").unwrap_or("the body".into()),
        Ok(_) => "after the end".into(),
    };
    let content = content.and_then(|content| json.end().map(|()| content));
    content.map_err(|error| BodyError::Invalid { at, problem: json::message_with_byte(text.as_bytes(), &error) })
}
