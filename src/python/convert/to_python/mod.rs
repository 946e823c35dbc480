//! Any value with serde's `Serialize` as plain Python objects: dicts, lists, numbers and text.

mod containers;
mod context;
mod dict_cache;
mod json;
mod key_cache;
mod leftovers;
mod problem;
mod serializer;

pub use json::Json;
