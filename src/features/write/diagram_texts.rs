//! The diagrams of a body, for their writer: read on a thread of their own, some of them ahead of those that are being written.

use std::fmt;
use std::sync::mpsc::sync_channel;
use std::thread::{Builder, scope};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::members::Members;
use crate::json::{CowStr, JsonText, ParsedJson, Scanner, ScannerError};

/// Consecutive diagrams of a body.
pub type Batch<'t> = Result<Vec<DiagramText<'t>>, ScannerError>;

/// A batch ends with the diagram that has this feature of the batch. Waking a thread for each diagram would take longer than
/// reading it.
const BATCH_FEATURES: usize = 64;
/// At most so many batches are kept for the writer.
const MAX_BATCHES_AHEAD: usize = 8;
/// A shorter body is read in less time than a thread needs to start.
const MIN_BYTES_AHEAD: usize = 256 * 1024;

/// Reads the diagrams of a body that is known to be valid while `write` writes those that have been read.
pub fn read_ahead<'t, R>(body: &'t str, write: impl FnOnce(&mut dyn Iterator<Item = Batch<'t>>) -> R) -> R {
    scope(|scope| {
        let (sender, receiver) = sync_channel(MAX_BATCHES_AHEAD);
        // A writer that fails takes no more batches, which ends the reading.
        let read = move || read_batches(body, |batch| sender.send(batch).is_ok());
        let reader = Builder::new().name("pygeodesign".into());
        if body.len() >= MIN_BYTES_AHEAD && reader.spawn_scoped(scope, read).is_ok() {
            return write(&mut receiver.into_iter());
        }
        let mut batches = Vec::new();
        read_batches(body, |batch| {
            batches.push(batch);
            true
        });
        write(&mut batches.into_iter())
    })
}

/// Reads batches until `take` wants no more.
fn read_batches<'t>(body: &'t str, mut take: impl FnMut(Batch<'t>) -> bool) {
    let mut scanner = Scanner::over_valid(body);
    if let Err(error) = scanner.deserialize_seq(BatchesVisitor(&mut take)) {
        take(Err(error));
    }
}

struct BatchesVisitor<'f, F>(&'f mut F);

impl<'de, F: FnMut(Batch<'de>) -> bool> Visitor<'de> for BatchesVisitor<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of diagrams")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let (mut batch, mut features) = (Vec::new(), 0);
        while let Some(diagram) = seq.next_element::<DiagramText>()? {
            // A diagram without features is written as one.
            features += diagram.features.len().max(1);
            batch.push(diagram);
            if features >= BATCH_FEATURES {
                features = 0;
                if !(self.0)(Ok(std::mem::take(&mut batch))) {
                    break;
                }
            }
        }
        if !batch.is_empty() {
            (self.0)(Ok(batch));
        }
        Ok(())
    }
}

/// A diagram of the body: its fields and its features, with their values as JSON text.
pub struct DiagramText<'t> {
    pub fields: Members<'t>,
    pub features: Vec<FeatureText<'t>>,
}

#[derive(Default, Deserialize)]
struct FeaturesText<'t> {
    #[serde(borrow, default)]
    features: Vec<FeatureText<'t>>,
}

#[derive(Default, Deserialize)]
pub struct FeatureText<'t> {
    #[serde(borrow, default)]
    pub id: Option<JsonText<'t>>,
    #[serde(borrow, default)]
    pub properties: Members<'t>,
    #[serde(borrow, default)]
    pub geometry: Option<ParsedJson<'t>>,
}

impl<'de> Deserialize<'de> for DiagramText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DiagramVisitor)
    }
}

struct DiagramVisitor;

impl<'de> Visitor<'de> for DiagramVisitor {
    type Value = DiagramText<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a diagram")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut diagram = DiagramText { fields: Members::default(), features: Vec::new() };
        while let Some(CowStr(key)) = map.next_key()? {
            match key.as_ref() {
                "geojson" => diagram.features = map.next_value::<Option<FeaturesText>>()?.unwrap_or_default().features,
                _ => diagram.fields.0.push((key, map.next_value()?)),
            }
        }
        Ok(diagram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of so many diagrams, each with one point.
    fn body(diagrams: usize) -> String {
        let diagram = |id| {
            format!(
                r#"{{"id":{id},"geojson":{{"features":[{{"geometry":{{"type":"Point","coordinates":[1.5,{id}.5]}}}}]}}}}"#
            )
        };
        format!("[{}]", (0..diagrams).map(diagram).collect::<Vec<_>>().join(","))
    }

    fn id(diagram: &DiagramText) -> usize {
        diagram.fields.get("id").unwrap().0.parse().unwrap()
    }

    #[test]
    fn diagrams_come_in_order_and_each_once_whether_the_body_is_short_or_long() {
        for count in [0, 1, 63, 64, 65, 20_000] {
            let body = body(count);
            let ids = |batches: &mut dyn Iterator<Item = Batch>| -> Vec<_> {
                batches.flat_map(|batch| batch.unwrap().iter().map(id).collect::<Vec<_>>()).collect()
            };
            assert_eq!(read_ahead(&body, ids), (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_writer_that_stops_after_the_first_diagrams_does_not_wait_for_the_others() {
        let body = body(20_000);
        let first = read_ahead(&body, |batches| batches.next().unwrap().unwrap().iter().map(id).next());
        assert_eq!(first, Some(0));
    }

    #[test]
    fn a_body_that_cannot_be_read_ends_with_an_error_after_the_diagrams_before_it() {
        let mut body = body(20_000);
        body.truncate(body.len() - 10);
        let batches: Vec<_> = read_ahead(&body, |batches| batches.map(|batch| batch.is_ok()).collect());
        assert_eq!(batches.iter().position(|is_ok| !is_ok), Some(batches.len() - 1));
    }
}
