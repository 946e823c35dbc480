//! The parts shared by all resources: the file, its transactions, its schema and its errors.

pub mod columns;
pub mod connection;
pub mod error;
pub mod feed;
pub mod files;
mod functions;
mod looking;
mod migrations;
pub mod place;
pub mod store;
pub mod token_uses;
pub mod transaction;
pub mod values;
