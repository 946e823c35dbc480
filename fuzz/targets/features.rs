#![no_main]

#[path = "../../crates/client/tests/properties.rs"]
#[allow(dead_code)]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::features(bytes));
