//! What must hold for any input, whoever sends it: one program, because linking takes longer than running it.

#![allow(clippy::unwrap_used)]

mod properties;
mod seeds;
