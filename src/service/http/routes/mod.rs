//! The operations, a file per group of resources.

pub mod diagrams;
pub mod layers;
pub mod new_diagrams;
pub mod projects;
pub mod systems;
pub mod tags;
pub mod teams;
pub mod thumbnails;
