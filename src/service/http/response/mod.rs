//! Responses: resources as JSON, the memory of large ones, a cache of the largest, and those of an archive.

pub mod origin;
pub mod respond;
pub mod response_cache;
pub mod response_memory;
