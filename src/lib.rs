//! Collaborative geodesign from Rust and, through `pygeodesign`, from Python.
//!
//! - [`geometry`]: what a shape is: GeoJSON coordinates, WKB, feature-JSON, hectares and kilometres.
//! - [`model`]: what travels: one file per resource, shared by client and service.
//! - [`client`]: how it travels: configuration, transport, errors, one file per group of operations.
//! - [`features`]: a feature collection: JSON bytes in; GeoJSON, Arrow and WKB out.
//! - [`costs`]: costs per system, with an audit trail.
//! - `service`: the service itself, over SQLite (feature `service`).
//! - `cli`: the command line, `pygeodesign serve` (feature `cli`).
//! - `python`: the face of all this in Python (feature `python`).
//!
//! Imports run one way: `geometry` knows nobody; `model` knows `geometry`; `features` and `client` know these; `costs` knows
//! them all; the service meets the client only in `model`; the Python face knows everybody and nobody knows it.

mod blocking;
#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
pub mod costs;
pub mod features;
mod fork;
pub mod geometry;
mod html;
mod json;
pub mod model;
#[cfg(feature = "service")]
pub mod service;

#[cfg(feature = "python")]
pub mod python;
