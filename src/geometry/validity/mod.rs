//! Whether a geometry can be drawn as a diagram: the rules of OGC simple features (06-103r4, section 6.1).
//!
//! Decisions are exact for the given doubles: rounding neither creates nor hides a crossing. Crossings, and rings at a wrong
//! place, are found by a sweep line (Shamos and Hoey, "Geometric intersection problems", 1976), in n log n steps for any
//! arrangement of n edges.

mod check;
mod edge;
mod error;
#[cfg(test)]
mod random_tests;
mod regions;
mod sweep;
#[cfg(test)]
mod tests;

pub use check::{around_the_earth, check};
pub use error::{ComponentPath, InvalidGeometry};
