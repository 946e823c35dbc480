//! What a body may contain, and what can be wrong with it.

use super::columns::TableError;

/// The structure of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A GeoJSON FeatureCollection, or an object whose `geojson` is one.
    Collection,
    /// An array of diagrams, each an object of fields whose `geojson` is a FeatureCollection or null.
    Diagrams,
}

/// A body that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The offset of the first byte that is not part of a character.
    #[error("the body is not UTF-8 text: byte {0} is invalid")]
    NotUtf8(usize),
    /// `at` is the path of the value in the body, such as `[3].geojson.features[0]`.
    #[error("{at}: {problem}")]
    Invalid { at: String, problem: String },
    #[error("the whole body: {0}")]
    Table(#[from] TableError),
}
