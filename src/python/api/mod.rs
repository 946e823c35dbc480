//! The classes that Python sees.

pub mod administration;
pub mod client;
pub mod command;
pub mod costs;
pub mod features;
pub mod project;
pub mod project_writes;
pub mod sandbox;
