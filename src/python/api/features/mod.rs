//! `FeatureCollection`.

mod collection;
mod extras;
mod files;
mod frames;

pub use collection::FeatureCollection;
pub use extras::import_extra;
