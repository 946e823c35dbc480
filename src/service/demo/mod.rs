//! The demo project "Staten Island 2050", the same in every new database.
//!
//! Its content is a file that `tools/make_demo.py` makes. The boundaries are public data; `SOURCES.md` names their sources.

mod content;
mod create;

pub use create::create;
