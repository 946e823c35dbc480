//! `FeatureCollection`.

mod collection;
mod files;
mod frames;
mod problems;

pub use collection::FeatureCollection;
