//! The tests of the crate from outside: one program, because linking takes longer than running most of them.

#![allow(clippy::unwrap_used)]

mod client_and_service;
mod properties;
mod seeds;
mod serving_over_tls;
mod writing;
