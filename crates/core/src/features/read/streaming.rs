//! Parses diagrams while they are received.

use std::collections::HashMap;
use std::sync::{Arc, mpsc};
use std::thread::{Builder, yield_now};

use bytes::BytesMut;
use parking_lot::Mutex;

use super::{BodyError, Layout, Parsed, first_diagram_span, last_diagram_start, scan_chunk};
use crate::features::collection::FeatureCollection;
use crate::features::columns::ColumnChunk;
use crate::features::table::Measuring;
use geodesign_common::blocking::lower_thread_priority;
use geodesign_common::parallel::processors;

/// Smallest chunk: handing it to a thread takes little time compared with parsing it.
const MIN_CHUNK_BYTES: usize = 512 * 1024;
/// Largest chunk: all threads are busy until the end.
const MAX_CHUNK_BYTES: usize = 16 * 1024 * 1024;
/// Number of chunks of a body, if that makes them neither smaller nor larger than the limits above.
const CHUNKS_PER_BODY: usize = 64;
/// The body's first key must end within this many bytes.
const MAX_FIRST_KEY_BYTES: usize = 1024;

/// Parses an array of diagrams while its bytes are received into a buffer. Worker threads parse chunks of whole
/// diagrams in the memory of that buffer. If its capacity was enough for the body, the chunks are joined to the body at
/// the end without a copy.
pub struct DiagramStream {
    measuring: Measuring,
    /// The bytes with which diagrams probably start, see [`first_diagram_span`]; empty until they are received.
    diagram_start: Vec<u8>,
    /// The aim for the size of a chunk. The last one may be smaller; any may be larger.
    chunk_bytes: usize,
    /// [`feed`](Self::feed) searches the buffer for the end of a chunk once it holds this many bytes.
    search_from: usize,
    workers: Option<Workers>,
}

struct Workers {
    /// Chunks with their numbers, for the next free worker.
    queue: mpsc::Sender<(usize, BytesMut)>,
    /// Number of chunks queued.
    queued: usize,
    /// Chunks with their numbers, in the order in which workers finish them.
    parsed: mpsc::Receiver<(usize, ParsedChunk)>,
}

/// A chunk of the body after a worker has parsed it.
struct ParsedChunk {
    bytes: BytesMut,
    /// `None` if the bytes are not a sequence of whole diagrams.
    columns: Option<ColumnChunk>,
}

impl DiagramStream {
    /// A stream of `content_length` bytes, or 0 if their number is not known.
    pub fn new(content_length: usize, measuring: Measuring) -> Self {
        let chunk_bytes = (content_length / CHUNKS_PER_BODY).clamp(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
        DiagramStream::with_chunk_bytes(chunk_bytes, measuring)
    }

    fn with_chunk_bytes(chunk_bytes: usize, measuring: Measuring) -> Self {
        DiagramStream { measuring, diagram_start: Vec::new(), chunk_bytes, search_from: chunk_bytes, workers: None }
    }

    /// Moves a chunk of whole diagrams from the front of the buffer to a worker, if the buffer holds enough bytes. Call it whenever bytes
    /// have been received into the buffer.
    pub fn feed(&mut self, buffer: &mut BytesMut) {
        if buffer.len() >= self.search_from {
            self.search_from = match self.queue_chunk(buffer) {
                Some(()) => self.chunk_bytes,
                None => buffer.len().saturating_mul(2),
            };
        }
    }

    /// `None` if the buffer holds fewer than two diagrams, or no worker could be started.
    fn queue_chunk(&mut self, buffer: &mut BytesMut) -> Option<()> {
        if self.diagram_start.is_empty() {
            let text = buffer[..buffer.len().min(MAX_FIRST_KEY_BYTES)].utf8_chunks().next()?.valid();
            self.diagram_start = text[first_diagram_span(text)?].into();
        }
        let end = last_diagram_start(buffer, &self.diagram_start)?;
        if self.workers.is_none() {
            self.workers = Workers::start(self.measuring);
        }
        let workers = self.workers.as_mut()?;
        workers.queue.send((workers.queued, buffer.split_to(end))).ok()?;
        workers.queued += 1;
        Some(())
    }

    /// True if a chunk has been removed from the buffer.
    pub fn has_started(&self) -> bool {
        self.workers.is_some()
    }

    /// The collection. `rest` is the buffer after the whole body has been received.
    pub fn finish(self, rest: BytesMut) -> Result<FeatureCollection, BodyError> {
        let Some(workers) = self.workers else { return FeatureCollection::from_json(rest, Layout::Diagrams) };
        let rest = ParsedChunk::parse(rest, |text| scan_chunk(text, 0, None, self.measuring));
        let mut body = BytesMut::new();
        let columns = workers.finish().chain([rest]).map(|chunk| {
            body.unsplit(chunk.bytes);
            chunk.columns
        });
        // Collected before the check: the body needs the bytes of all chunks, also of those after a failed one.
        let columns: Vec<Option<ColumnChunk>> = columns.collect();
        let chunks = columns.into_iter().collect::<Option<Vec<_>>>();
        match chunks.map(|chunks| Parsed::from_chunks(chunks, body.len())) {
            Some(Ok(parsed)) => Ok(FeatureCollection::from_parsed(body.into(), Layout::Diagrams, parsed)),
            // Either a chunk ended inside a diagram, or the body has an error, which is reported with its position in
            // the whole body.
            _ => FeatureCollection::from_json(body, Layout::Diagrams),
        }
    }
}

impl Workers {
    /// Starts a thread per processor. `None` if the system refuses to start any.
    fn start(measuring: Measuring) -> Option<Self> {
        let (queue, chunks) = mpsc::channel();
        let (done, parsed) = mpsc::channel();
        let chunks = Arc::new(Mutex::new(chunks));
        let started = (0..processors()).map_while(|_| {
            let (chunks, done) = (chunks.clone(), done.clone());
            Builder::new().name("pygeodesign".into()).spawn(move || parse_chunks(&chunks, &done, measuring)).ok()
        });
        (started.count() > 0).then_some(Workers { queue, queued: 0, parsed })
    }

    /// All chunks in the order of the body, each as soon as it has been parsed.
    fn finish(self) -> impl Iterator<Item = ParsedChunk> {
        drop(self.queue);
        let mut early = HashMap::new();
        (0..self.queued).map(move |next| {
            loop {
                if let Some(chunk) = early.remove(&next) {
                    return chunk;
                }
                let (number, chunk) = self.parsed.recv().expect("no worker ends before the queue is empty");
                early.insert(number, chunk);
            }
        })
    }
}

/// The work of one thread: parses chunks until the queue is closed, or until the stream is dropped.
fn parse_chunks(
    queue: &Mutex<mpsc::Receiver<(usize, BytesMut)>>,
    done: &mpsc::Sender<(usize, ParsedChunk)>,
    measuring: Measuring,
) {
    lower_thread_priority();
    let next = || queue.lock().recv().ok();
    while let Some((number, bytes)) = next() {
        let chunk = ParsedChunk::parse(bytes, |text| {
            let start = if number == 0 { first_diagram_span(text)?.start } else { 0 };
            scan_chunk(text, start, Some(text.len()), measuring)
        });
        if done.send((number, chunk)).is_err() {
            return;
        }
        // Lets the thread that receives the body, and Python's threads, have the processor before the next chunk.
        yield_now();
    }
}

impl ParsedChunk {
    fn parse(bytes: BytesMut, scan: impl Fn(&str) -> Option<ColumnChunk>) -> Self {
        let columns = str::from_utf8(&bytes).ok().and_then(scan);
        ParsedChunk { bytes, columns }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::features::table::Table;
    use geodesign_geometry::{Measured, read_wkb};

    /// The collection of a body that is received in packets of some bytes.
    fn streamed(
        body: &str,
        measuring: Measuring,
        chunk_bytes: usize,
        packet_bytes: usize,
    ) -> Result<FeatureCollection, BodyError> {
        let mut stream = DiagramStream::with_chunk_bytes(chunk_bytes, measuring);
        let mut buffer = BytesMut::with_capacity(body.len());
        for packet in body.as_bytes().chunks(packet_bytes) {
            buffer.extend_from_slice(packet);
            stream.feed(&mut buffer);
        }
        stream.finish(buffer)
    }

    fn assert_streamed_equals_whole(body: &str, chunk_bytes: usize, packet_bytes: usize) {
        let whole = FeatureCollection::from_json(body.to_owned(), Layout::Diagrams);
        match (streamed(body, Measuring::Skip, chunk_bytes, packet_bytes), whole) {
            (Ok(streamed), Ok(whole)) => {
                assert_eq!(streamed.table(), whole.table());
                assert_eq!(streamed.source(), whole.source());
                assert_eq!(streamed.bounds(), whole.bounds());
            }
            (streamed, whole) => assert_eq!(streamed.map(|_| ()), whole.map(|_| ()), "{body}"),
        }
    }

    fn diagram(number: usize, kind: usize, space: &str) -> String {
        let features = match kind % 7 {
            0 => String::new(),
            1 => format!(r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":[{number}.5,-7.25]}}}}"#),
            2 => r#"{"type":"Feature","properties":{"seen":true},"geometry":null}"#.into(),
            3 => r#"{"geometry":null,"properties":{"places":[{"geojson":1},{"geojson":2}]}}"#.into(),
            4 => r#"{"geometry":null,"properties":{"note":"},{\"geojson\":\"ä€😀"}}"#.into(),
            5 => format!(r#"{{"geometry":null,"properties":{{"own{number}":{number}}}}}"#),
            // Documented columns that are not among those of diagrams.
            _ => format!(r#"{{"geometry":null,"properties":{{"bname":"b{number}","cteamid":{number}}}}}"#),
        };
        format!(r#"{{"geojson":{{"type":"FeatureCollection","features":[{features}]}},{space}"id":{number}}}"#)
    }

    proptest! {
        #[test]
        fn a_streamed_body_gives_the_same_collection_as_the_whole_body(
            kinds in prop::collection::vec(0..7_usize, 0..40),
            space in " {0,3}|\n",
            chunk_bytes in 1..2_000_usize,
            packet_bytes in 1..2_000_usize,
            inserted in prop::option::of((any::<prop::sample::Index>(), 0x20..0x7F_u8)),
        ) {
            let diagrams: Vec<_> = kinds.iter().enumerate().map(|(number, kind)| diagram(number, *kind, &space)).collect();
            let mut body = format!("{space}[{space}{}{space}]{space}", diagrams.join(&format!("{space},{space}")));
            if let Some((at, byte)) = inserted {
                let at = (0..=at.index(body.len())).rev().find(|at| body.is_char_boundary(*at)).unwrap_or(0);
                body.insert(at, char::from(byte));
            }
            assert_streamed_equals_whole(&body, chunk_bytes, packet_bytes);
        }
    }

    #[test]
    fn diagrams_are_parsed_before_the_whole_body_is_received() {
        let body = format!("[{}]", (0..500).map(|number| diagram(number, number, "")).collect::<Vec<_>>().join(","));
        let mut stream = DiagramStream::with_chunk_bytes(1_000, Measuring::Skip);
        let mut buffer = BytesMut::from(&body.as_bytes()[..body.len() / 2]);
        stream.feed(&mut buffer);
        assert!(stream.has_started());
        assert!(buffer.len() < 1_000, "{}", buffer.len());
        buffer.extend_from_slice(&body.as_bytes()[body.len() / 2..]);
        assert_eq!(stream.finish(buffer).unwrap().source().0, body.as_bytes());
    }

    #[test]
    fn every_row_has_the_measure_of_its_geometry_if_measures_are_requested() {
        let geometries = [
            r#"{"type":"Polygon","coordinates":[[[0.5,0.5],[0.51,0.5],[0.51,0.51],[0.5,0.51]]]}"#,
            r#"{"type":"LineString","coordinates":[[0.5,0.5],[0.51,0.5]]}"#,
            r#"{"type":"Polygon","coordinates":[]}"#,
            "null",
        ];
        let features = geometries.map(|geometry| format!(r#"{{"type":"Feature","geometry":{geometry}}}"#)).join(",");
        let diagram = |id| format!(r#"{{"geojson":{{"type":"FeatureCollection","features":[{features}]}},"id":{id}}}"#);
        let body = format!("[{}]", (0..20).map(diagram).collect::<Vec<_>>().join(","));
        let collection = streamed(&body, Measuring::EachRow, 1_000, 300).unwrap();
        let Table { geometries, measures, .. } = collection.table();
        let measures = measures.as_ref().unwrap();
        assert_eq!(measures.len(), 80);
        for (row, measure) in measures.iter().enumerate() {
            let geometry = geometries.get(row).and_then(read_wkb);
            assert_eq!(*measure, geometry.as_ref().map_or(Measured::Nothing, Measured::of), "row {row}");
            assert_eq!(matches!(measure, Measured::Known(_)), row % 4 < 2, "row {row}");
        }
    }

    #[test]
    fn an_invalid_byte_is_reported_with_its_offset_in_the_whole_body() {
        let mut stream = DiagramStream::with_chunk_bytes(1, Measuring::Skip);
        let mut buffer = BytesMut::from(&br#"[{"id":1},{"id":2,"notes":""#[..]);
        stream.feed(&mut buffer);
        buffer.extend_from_slice(b"\xFF\"}]");
        assert_eq!(stream.finish(buffer).map(|_| ()), Err(BodyError::NotUtf8(27)));
    }
}
