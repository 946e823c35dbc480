//! Properties that hold for any input from anyone: one program, because linking takes longer than running it.

#![allow(clippy::unwrap_used)]

mod properties;
mod seeds;
