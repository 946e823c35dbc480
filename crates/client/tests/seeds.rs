//! Each property holds for the seeds of its fuzzer, and for a few thousand random variations of them.

use std::path::Path;

use proptest::prelude::*;

use crate::properties;

/// The seeds of a fuzzer: `seeds/<name>/`.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds").join(name);
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no seeds in {}", folder.display());
    files.into_iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// A seed with some bytes replaced, removed, inserted or repeated.
fn mutated(seeds: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 0..6);
    (prop::sample::select(seeds), edits).prop_map(|(mut bytes, edits)| {
        for (index, byte, edit) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = index.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, byte),
                _ => bytes.extend_from_within(at..),
            }
        }
        bytes
    })
}

fn assert_holds(name: &str, property: fn(&[u8]), cases: u32) {
    let seeds = seeds(name);
    seeds.iter().for_each(|seed| property(seed));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(cases));
    let outcome = runner.run(&mutated(seeds), |bytes| {
        property(&bytes);
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn features_are_rejected_or_written_as_the_same_features() {
    assert_holds("features", properties::features, 5_000);
}

#[test]
fn feature_json_is_rejected_or_becomes_as_many_features() {
    assert_holds("feature_json", properties::feature_json, 5_000);
}

#[test]
fn a_geometry_is_rejected_or_the_same_after_writing_and_reading() {
    assert_holds("geometry", properties::geometry, 5_000);
}

#[test]
fn a_date_is_rejected_or_written_as_text_of_the_same_value() {
    assert_holds("dates", properties::dates, 20_000);
}

#[test]
fn paging_ends_for_any_pages() {
    assert_holds("paging", properties::paging, 500);
}
