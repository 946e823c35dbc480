//! The handlers of the operations, a file per group of resources.

mod all;
mod diagrams;
mod events;
mod history;
mod layers;
mod limits;
mod maps;
mod new_diagrams;
mod projects;
mod selections;
mod systems;
mod tags;
mod teams;
mod thumbnails;

pub use all::all;
pub use events::router as events;
