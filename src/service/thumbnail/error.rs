//! Why a thumbnail cannot be drawn.

use super::viewport::SIZE;

#[derive(Debug, thiserror::Error)]
pub enum ThumbnailError {
    #[error("a canvas of {SIZE} by {SIZE} pixels cannot be allocated")]
    Canvas,
    #[error("the picture cannot be written as PNG: {0}")]
    Png(#[from] png::EncodingError),
}
