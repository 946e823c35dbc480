//! The classes that Python sees.

mod administration;
pub mod changes;
pub mod client;
pub mod command;
pub mod cost_report;
pub mod exit;
pub mod features;
pub mod measure;
pub mod open;
mod operations;
pub mod processors;
pub mod project;
pub mod sandbox;
