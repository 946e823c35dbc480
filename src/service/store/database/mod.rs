//! What all resources share: the file, its transactions, its schema, and what goes wrong.

pub mod answer_cache;
pub mod backup;
pub mod columns;
mod connection;
mod deadline;
pub mod error;
pub mod feed;
pub mod keys;
mod migrations;
pub mod ownership;
pub mod random_ids;
mod readers;
pub mod settings;
pub mod store;
pub mod transaction;
