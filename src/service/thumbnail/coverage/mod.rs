//! What many lines or polygons cover, drawn in a time that depends on the pixels more than on their number.

mod lattice;
mod painting;
#[cfg(test)]
mod tests;

pub use lattice::Coverage;
