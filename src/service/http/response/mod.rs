//! Responses: resources as JSON, the memory of large ones, and a cache of the largest.

pub mod respond;
pub mod response_cache;
pub mod response_memory;
