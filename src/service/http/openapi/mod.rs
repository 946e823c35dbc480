//! The OpenAPI document, derived from the types of the handlers.

pub mod describe;
pub mod document;
