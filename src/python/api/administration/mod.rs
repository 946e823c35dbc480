//! What the person who runs a sandbox decides; no operation of the service does it.

mod figures;
mod maps;
mod reading;
mod teams;
mod users;
