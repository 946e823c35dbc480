//! General helpers shared by the geodesign crates.
//!
//! - [`whole_files`]: files that appear only when complete; [`regular_file`]: files that others may have put there.
//! - [`parallel`]: computations on all processors; [`blocking`]: long ones, off the threads that serve requests; [`work_time`]: time
//!   limits.
//! - [`per_process`]: values that belong to one process.
//! - [`digest`]: SHA-256; [`html`]: escaped text and pages; [`csv`]: cells that no spreadsheet runs as formulas.
//!
//! ```
//! use geodesign_common::whole_files::{Readers, write_whole};
//! use geodesign_common::html::Escaped;
//! use geodesign_common::{digest, parallel};
//!
//! assert_eq!(Escaped("Ponds & parks").to_string(), "Ponds &amp; parks");
//! assert_eq!(parallel::map_chunks(4, 1, |chunk| chunk.map(|number| number * number).collect()), [0, 1, 4, 9]);
//! assert!(digest::hex(&digest::sha256(&[b"pond"])).starts_with("4e79"));
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("ponds.json");
//! write_whole(&file, b"[]", Readers::Owner)?;
//! assert_eq!(std::fs::read(&file)?, b"[]");
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod blocking;
pub mod csv;
pub mod digest;
pub mod html;
pub mod parallel;
pub mod per_process;
pub mod regular_file;
pub mod whole_files;
pub mod work_time;
