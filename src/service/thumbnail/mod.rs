//! Thumbnails: small pictures of a diagram, in the colour of its system, over the outline of the study area.

mod backdrop;
mod colors;
mod coverage;
mod drawing;
mod indexed_png;
mod paths;
mod viewport;

pub use backdrop::Backdrop;

/// Why a thumbnail cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ThumbnailError {
    #[error("a canvas of {SIZE} by {SIZE} pixels cannot be allocated", SIZE = viewport::SIZE)]
    Canvas,
    #[error("the picture cannot be written as PNG: {0}")]
    Png(#[from] png::EncodingError),
}
