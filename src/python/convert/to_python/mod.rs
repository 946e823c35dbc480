//! Any value with serde's `Serialize` as plain Python objects: dicts, lists, numbers and text.

mod containers;
mod context;
mod dict_cache;
mod json;
mod leftovers;
mod problem;
mod serializer;
mod string_cache;

pub use json::Json;
