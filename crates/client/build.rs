//! Passes the build time to the library: a computer whose clock shows an earlier time has a wrong clock.

use std::time::{SystemTime, UNIX_EPOCH};

fn main() {
    // Reproducible builds set it (reproducible-builds.org).
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse::<u64>().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    println!("cargo::rustc-env=GEODESIGN_BUILT={}", given.unwrap_or(now));
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
}
