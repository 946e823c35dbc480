//! Splits an array of diagrams into chunks that are parsed independently of each other.
//!
//! To find where a diagram starts without parsing all before it, the text is searched for the bytes with which the
//! first diagram starts, to the end of its first key. A match may lie in the middle of a diagram.
//! Therefore the chunks are accepted only if each one, when parsed, ends exactly where the next one starts.

use std::ops::Range;
use std::thread;

use memchr::memmem;
use serde::Deserialize;
use serde::de::DeserializeSeed;

use super::visitors::{Element, ElementSeed};
use crate::features::columns::{ChunkBuilder, ColumnChunk};
use crate::features::table::Measuring;
use crate::json::CowStr;
use crate::json::Scanner;
use crate::parallel::processors;

/// A chunk of fewer bytes is not worth a thread.
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
