//! Requests: their senders, the values taken from them, and the rest of a body that no handler reads.

pub mod auth;
pub mod bodies;
pub mod check_limits;
pub mod conditional;
pub mod extract;
pub mod id;
pub mod keyed;
pub mod origin;
pub mod page_params;
