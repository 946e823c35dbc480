//! The operations as methods of the handles, a file per group of resources.

mod change_id;
pub mod costs;
mod diagrams;
pub mod external;
mod for_each;
mod history;
mod layers;
mod maps;
pub mod new_diagrams;
pub mod progress;
mod projects;
pub mod selections;
pub mod study_area;
pub mod system_reference;
mod systems;
mod tags;
mod teams;
mod thumbnails;
mod workshops;
