#![no_main]

#[path = "../../tests/rust/properties.rs"]
#[allow(dead_code)]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::features(bytes));
