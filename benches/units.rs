//! Times each step between a response body and the values that a notebook shows, so that a step that has become slower
//! is found.
//!
//!     make units
//!
//! runs `cargo bench` with the Python interpreter that `dicts_of_diagrams` needs.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::LazyLock;

use bytes::BytesMut;
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use geodesign::costs::CostReport;
use geodesign::features::{DiagramStream, FeatureCollection, Geometries, Layout, Measuring};
use geodesign::model::SystemDetail;
use geodesign_geometry::{Geometry, Measure, read_wkb, write_wkb};

const DIAGRAMS: usize = 2_000;
const FEATURES: usize = 5_000;
/// Vertices per polygon.
const VERTICES: usize = 100;
/// Bytes that a connection delivers at once.
const PACKET_BYTES: usize = 256 * 1024;

static BODY: LazyLock<String> = LazyLock::new(body);
static COLLECTION: LazyLock<FeatureCollection> =
    LazyLock::new(|| FeatureCollection::from_json(BODY.as_bytes(), Layout::Diagrams).unwrap());

fn main() {
    dicts::start_python();
    divan::main();
}

/// The body of `diagrams/all/` for a project whose diagrams are polygons in one system.
fn body() -> String {
    let mut body = String::from("[");
    for number in 0..DIAGRAMS {
        let count = FEATURES * (number + 1) / DIAGRAMS - FEATURES * number / DIAGRAMS;
        let features = (0..count).map(|index| feature(number, index)).collect::<Vec<_>>().join(",");
        let comma = if number == 0 { "" } else { "," };
        write!(
            body,
            r#"{comma}{{"geojson":{{"type":"FeatureCollection","features":[{features}]}},"id":{number},"sysid":1,
            "description":"Diagram {number}","type":"project","area":1.5,"length":0,"cost_override":0,
            "cost_override_type":"","created_at":"2026-03-02T09:30:00.123456","notes":"","tag_codes":"AH|LS"}}"#
        )
        .unwrap();
    }
    body + "]"
}

/// A feature with a regular polygon. `index` counts the features of the diagram.
fn feature(diagram: usize, index: usize) -> String {
    let (west, south) =
        (-74.2 + (diagram % 97) as f64 * 1e-3, 40.5 + (diagram % 89) as f64 * 1e-3 + index as f64 * 1e-4);
    let position = |vertex: usize| {
        let turn = (vertex % (VERTICES - 1)) as f64 / (VERTICES - 1) as f64 * std::f64::consts::TAU;
        format!("[{},{}]", west + 0.005 * turn.cos(), south + 0.005 * turn.sin())
    };
    let ring = (0..VERTICES).map(position).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"type":"Feature","properties":{{"diagramid":{diagram},"author":"member","color":"\#2B7BBA"}},
        "geometry":{{"type":"Polygon","coordinates":[[{ring}]]}}}}"#
    )
    .replace("\\#", "#")
}

/// The diagrams as a client parses them while it receives them.
fn streamed(measuring: Measuring) -> FeatureCollection {
    let mut stream = DiagramStream::new(BODY.len(), measuring);
    let mut buffer = BytesMut::with_capacity(BODY.len());
    for packet in BODY.as_bytes().chunks(PACKET_BYTES) {
        buffer.extend_from_slice(packet);
        stream.feed(&mut buffer);
    }
    stream.finish(buffer).unwrap()
}

fn geometries() -> &'static Geometries {
    &COLLECTION.table().geometries
}

fn shapes() -> Vec<Geometry> {
    (0..geometries().len()).filter_map(|row| geometries().get(row)).filter_map(read_wkb).collect()
}

#[divan::bench(max_time = 1)]
fn parse_diagrams(bencher: Bencher) {
    bencher
        .counter(BytesCount::of_str(BODY.as_str()))
        .bench(|| FeatureCollection::from_json(black_box(BODY.as_bytes()), Layout::Diagrams).unwrap());
}

#[divan::bench(max_time = 1, args = [Measuring::Skip, Measuring::EachRow])]
fn stream_diagrams(bencher: Bencher, measuring: Measuring) {
    bencher.counter(BytesCount::of_str(BODY.as_str())).bench(|| streamed(measuring));
}

#[divan::bench(max_time = 1)]
fn write_geojson(bencher: Bencher) {
    bencher
        .counter(BytesCount::of_str(BODY.as_str()))
        .bench(|| serde_json::to_writer(std::io::sink(), black_box(&*COLLECTION)).unwrap());
}

#[divan::bench(max_time = 1)]
fn write_wkb_of_shapes(bencher: Bencher) {
    let shapes = shapes();
    bencher.counter(ItemsCount::new(shapes.len() * VERTICES)).bench(|| {
        let mut wkb = Vec::new();
        shapes.iter().for_each(|shape| write_wkb(black_box(shape), &mut wkb));
        wkb
    });
}

#[divan::bench(max_time = 1)]
fn read_wkb_to_shapes(bencher: Bencher) {
    bencher.counter(ItemsCount::new(geometries().len() * VERTICES)).bench(shapes);
}

#[divan::bench(max_time = 1)]
fn measure_areas(bencher: Bencher) {
    let shapes = shapes();
    bencher.counter(ItemsCount::new(shapes.len() * VERTICES)).bench(|| {
        shapes
            .iter()
            .filter_map(|shape| Measure::of(black_box(shape)))
            .map(|measure| measure.square_metres)
            .sum::<f64>()
    });
}

#[divan::bench(max_time = 1)]
fn costs_of_diagrams(bencher: Bencher) {
    let system =
        r#"{"id": 1, "sysid": 1, "name": "Housing", "color": "\#2B7BBA", "tag": "HSG", "cost": 1000, "budget": 1e6}"#;
    let systems: Vec<SystemDetail> = vec![serde_json::from_str(&system.replace('\\', "")).unwrap()];
    let selected: Option<&HashSet<i64>> = None;
    let measured = streamed(Measuring::EachRow);
    bencher
        .counter(ItemsCount::new(DIAGRAMS))
        .bench(|| CostReport::new(&systems, black_box(&measured), selected).unwrap());
}

mod dicts {
    use pygeodesign::_core;
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    use super::*;

    pub fn start_python() {
        pyo3::append_to_inittab!(_core);
        Python::initialize();
    }

    /// Makes the dicts, lists and numbers, and frees them.
    #[divan::bench(max_time = 3)]
    fn dicts_of_diagrams(bencher: Bencher) {
        Python::attach(|py| {
            let collections = py.import("_core").unwrap().getattr("FeatureCollection").unwrap();
            let body = PyBytes::new(py, BODY.as_bytes());
            let collection = collections.call_method1("_from_body", (body, true)).unwrap();
            bencher
                .counter(BytesCount::of_str(BODY.as_str()))
                .bench_local(|| drop(black_box(&collection).call_method0("to_dict").unwrap()));
        });
    }
}
