//! Thumbnails: small pictures of a diagram, in the colour of its system, over the outline of the study area.

mod backdrop;
mod colors;
mod coverage;
mod drawing;
mod error;
mod indexed_png;
mod paths;
mod viewport;

pub use backdrop::Backdrop;
pub use error::ThumbnailError;
