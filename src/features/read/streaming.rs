//! Diagrams that are read while the rest of them is on the way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{Builder, available_parallelism, yield_now};

use bytes::BytesMut;

use super::columns::Share;
use super::parse::{begin_of_diagrams, last_diagram_begin, read_shares, scan_share};
use crate::blocking::lower_thread_priority;
use crate::features::{BodyError, Diagrams, FeatureCollection, Layout};

/// Enough that a thread is well used, and few enough that all have something to do.
const MIN_CHUNK: usize = 512 * 1024;
const MAX_CHUNK: usize = 16 * 1024 * 1024;
/// Where their size allows.
const PARTS: usize = 64;
/// The first key of a diagram ends before that.
const FIRST_KEY: usize = 1024;

/// An array of diagrams whose bytes are coming. Threads of its own read them part by part, where they came to; a buffer with
/// room for all of them is one body again in the end without a copy.
pub struct DiagramStream {
    wanted: Diagrams,
    /// What every diagram begins with, it seems, once that is known.
    begin: Vec<u8>,
    /// As many bytes are worth a part.
    part: usize,
    /// When so many are there, it is looked for the end of one.
    enough: usize,
    readers: Option<Readers>,
}

struct Readers {
    queue: mpsc::Sender<(usize, BytesMut)>,
    queued: usize,
    read: mpsc::Receiver<(usize, Part)>,
}

/// Bytes that have been read; without a share where they are not just whole diagrams.
struct Part {
    bytes: BytesMut,
    share: Option<Share>,
}

impl DiagramStream {
    /// Diagrams of so many bytes, as far as that is known.
    pub fn of(announced: usize, wanted: Diagrams) -> Self {
        DiagramStream::in_parts_of((announced / PARTS).clamp(MIN_CHUNK, MAX_CHUNK), wanted)
    }

    fn in_parts_of(part: usize, wanted: Diagrams) -> Self {
        DiagramStream { wanted, begin: Vec::new(), part, enough: part, readers: None }
    }

    /// Takes diagrams off the front of what came, when there are enough.
    pub fn feed(&mut self, came: &mut BytesMut) {
        if came.len() >= self.enough {
            self.enough = match self.take_part(came) {
                Some(()) => self.part,
                None => came.len().saturating_mul(2),
            };
        }
    }

    fn take_part(&mut self, came: &mut BytesMut) -> Option<()> {
        if self.begin.is_empty() {
            let text = came[..came.len().min(FIRST_KEY)].utf8_chunks().next()?.valid();
            self.begin = text[begin_of_diagrams(text)?].into();
        }
        let end = last_diagram_begin(came, &self.begin)?;
        if self.readers.is_none() {
            self.readers = Readers::start(self.wanted);
        }
        let readers = self.readers.as_mut()?;
        readers.queue.send((readers.queued, came.split_to(end))).ok()?;
        readers.queued += 1;
        Some(())
    }

    /// Whether any were taken.
    pub fn has_some(&self) -> bool {
        self.readers.is_some()
    }

    /// The collection, when the last byte is there.
    pub fn finish(self, rest: BytesMut) -> Result<FeatureCollection, BodyError> {
        let Some(readers) = self.readers else { return FeatureCollection::from_json(rest, Layout::Diagrams) };
        let rest = Part::read(rest, |text| scan_share(text, 0, None, self.wanted));
        let mut body = BytesMut::new();
        let shares = readers.finish().chain([rest]).map(|part| {
            body.unsplit(part.bytes);
            part.share
        });
        // All of them, also after one without a share: the body has to be whole.
        let shares: Vec<Option<Share>> = shares.collect();
        match shares.into_iter().collect() {
            Some(shares) => {
                let read = read_shares(shares)?;
                Ok(FeatureCollection::over(body.into(), Layout::Diagrams, read))
            }
            // What looked like the begin of a diagram was none, or there is an error, which deserves a look at the whole.
            None => FeatureCollection::from_json(body, Layout::Diagrams),
        }
    }
}

impl Readers {
    /// `None` where the system gives no threads.
    fn start(wanted: Diagrams) -> Option<Self> {
        let (queue, parts) = mpsc::channel();
        let (done, read) = mpsc::channel();
        let parts = Arc::new(Mutex::new(parts));
        let started = (0..available_parallelism().map_or(1, usize::from)).map_while(|_| {
            let (parts, done) = (parts.clone(), done.clone());
            Builder::new().name("pygeodesign".into()).spawn(move || read_all(&parts, &done, wanted)).ok()
        });
        (started.count() > 0).then_some(Readers { queue, queued: 0, read })
    }

    /// All parts in order, each as soon as it has been read.
    fn finish(self) -> impl Iterator<Item = Part> {
        drop(self.queue);
        let mut early = HashMap::new();
        (0..self.queued).map(move |wanted| {
            loop {
                if let Some(part) = early.remove(&wanted) {
                    return part;
                }
                let (number, part) = self.read.recv().expect("no thread ends before its part is read");
                early.insert(number, part);
            }
        })
    }
}

/// Reads parts until no more will come, or nobody wants them any longer.
fn read_all(parts: &Mutex<mpsc::Receiver<(usize, BytesMut)>>, done: &mpsc::Sender<(usize, Part)>, wanted: Diagrams) {
    lower_thread_priority();
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    while let Some((number, bytes)) = next() {
        let part = Part::read(bytes, |text| {
            let start = if number == 0 { begin_of_diagrams(text)?.start } else { 0 };
            scan_share(text, start, Some(text.len()), wanted)
        });
        if done.send((number, part)).is_err() {
            return;
        }
        // Whoever waits for a processor gets it: the thread that receives, and those of Python.
        yield_now();
    }
}

impl Part {
    fn read(bytes: BytesMut, scan: impl Fn(&str) -> Option<Share>) -> Self {
        let share = str::from_utf8(&bytes).ok().and_then(scan);
        Part { bytes, share }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::features::Table;
    use crate::geometry::{Measure, read_wkb};

    /// What a service answers, as it comes through a connection in chunks.
    fn arrived(body: &str, wanted: Diagrams, part: usize, chunk: usize) -> Result<FeatureCollection, BodyError> {
        let mut diagrams = DiagramStream::in_parts_of(part, wanted);
        let mut came = BytesMut::with_capacity(body.len());
        for chunk in body.as_bytes().chunks(chunk) {
            came.extend_from_slice(chunk);
            diagrams.feed(&mut came);
        }
        diagrams.finish(came)
    }

    fn is_read_like_the_whole(body: &str, part: usize, chunk: usize) {
        let whole = FeatureCollection::from_json(body.to_owned(), Layout::Diagrams);
        match (arrived(body, Diagrams::Read, part, chunk), whole) {
            (Ok(arrived), Ok(whole)) => {
                assert_eq!(arrived.table(), whole.table());
                assert_eq!(arrived.source(), whole.source());
                assert_eq!(arrived.bounds(), whole.bounds());
            }
            (arrived, whole) => assert_eq!(arrived.map(|_| ()), whole.map(|_| ()), "{body}"),
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
            // Columns that are known by name, though diagrams mostly have none such.
            _ => format!(r#"{{"geometry":null,"properties":{{"bname":"b{number}","cteamid":{number}}}}}"#),
        };
        format!(r#"{{"geojson":{{"type":"FeatureCollection","features":[{features}]}},{space}"id":{number}}}"#)
    }

    proptest! {
        #[test]
        fn in_parts_or_whole_it_is_the_same(
            kinds in prop::collection::vec(0..7_usize, 0..40),
            space in " {0,3}|\n",
            part in 1..2_000_usize,
            chunk in 1..2_000_usize,
            slip in prop::option::of((any::<prop::sample::Index>(), 0x20..0x7F_u8)),
        ) {
            let diagrams: Vec<_> = kinds.iter().enumerate().map(|(number, kind)| diagram(number, *kind, &space)).collect();
            let mut body = format!("{space}[{space}{}{space}]{space}", diagrams.join(&format!("{space},{space}")));
            if let Some((at, byte)) = slip {
                let at = (0..=at.index(body.len())).rev().find(|at| body.is_char_boundary(*at)).unwrap_or(0);
                body.insert(at, char::from(byte));
            }
            is_read_like_the_whole(&body, part, chunk);
        }
    }

    #[test]
    fn parts_are_read_while_the_rest_is_on_the_way() {
        let body = format!("[{}]", (0..500).map(|number| diagram(number, number, "")).collect::<Vec<_>>().join(","));
        let mut diagrams = DiagramStream::in_parts_of(1_000, Diagrams::Read);
        let mut came = BytesMut::from(&body.as_bytes()[..body.len() / 2]);
        diagrams.feed(&mut came);
        assert!(diagrams.has_some());
        assert!(came.len() < 1_000, "{}", came.len());
        came.extend_from_slice(&body.as_bytes()[body.len() / 2..]);
        assert_eq!(diagrams.finish(came).unwrap().source().0, body.as_bytes());
    }

    #[test]
    fn every_row_has_the_measure_of_its_geometry_where_that_is_wanted() {
        let geometries = [
            r#"{"type":"Polygon","coordinates":[[[0.5,0.5],[0.51,0.5],[0.51,0.51],[0.5,0.51]]]}"#,
            r#"{"type":"LineString","coordinates":[[0.5,0.5],[0.51,0.5]]}"#,
            r#"{"type":"Polygon","coordinates":[]}"#,
            "null",
        ];
        let features = geometries.map(|geometry| format!(r#"{{"type":"Feature","geometry":{geometry}}}"#)).join(",");
        let diagram = |id| format!(r#"{{"geojson":{{"type":"FeatureCollection","features":[{features}]}},"id":{id}}}"#);
        let body = format!("[{}]", (0..20).map(diagram).collect::<Vec<_>>().join(","));
        let collection = arrived(&body, Diagrams::Measured, 1_000, 300).unwrap();
        let Table { geometries, measures, .. } = collection.table();
        let measures = measures.as_ref().unwrap();
        assert_eq!(measures.len(), 80);
        for (row, measure) in measures.iter().enumerate() {
            let geometry = geometries.get(row).and_then(read_wkb);
            assert_eq!(*measure, geometry.as_ref().and_then(Measure::of), "row {row}");
            assert_eq!(measure.is_some(), row % 4 < 2, "row {row}");
        }
    }

    #[test]
    fn what_is_no_text_is_said_with_its_place_in_the_whole() {
        let mut diagrams = DiagramStream::in_parts_of(1, Diagrams::Read);
        let mut came = BytesMut::from(&br#"[{"id":1},{"id":2,"notes":""#[..]);
        diagrams.feed(&mut came);
        came.extend_from_slice(b"\xFF\"}]");
        assert_eq!(diagrams.finish(came).map(|_| ()), Err(BodyError::NotUtf8(27)));
    }
}
