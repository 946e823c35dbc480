//! Responses: resources as JSON, and a cache of the largest ones.

pub mod respond;
pub mod response_cache;
