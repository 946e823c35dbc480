//! The classes that Python sees.

pub mod changes;
pub mod client;
pub mod command;
pub mod cost_report;
pub mod features;
pub mod functions;
pub mod lands;
mod operations;
pub mod project;
pub mod project_parts;
pub mod sandbox;
