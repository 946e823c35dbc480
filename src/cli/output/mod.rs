//! What commands print: tables, JSON and CSV on the standard output, messages on the standard error.

mod listing;
mod message;
mod progress_line;
mod style;

pub use listing::{Column, ListingFormat, json, number, text};
pub use message::{error, note};
pub use progress_line::ProgressLine;
