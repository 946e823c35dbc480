//! Requests: who sends them, what is taken from them, and the rest of a body that no handler reads.

pub mod access;
pub mod auth;
pub mod body_budget;
pub mod check_limits;
pub mod drain_body;
pub mod extract;
pub mod host;
pub mod record;
