//! `FeatureCollection`.

mod collection;
mod files;
mod frames;

pub use collection::FeatureCollection;
