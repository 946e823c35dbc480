//! The client against the service: one program, because linking takes longer than running most of the tests.

#![allow(clippy::unwrap_used)]

mod client_and_service;
mod serving_over_tls;
mod writing;
