//! The operations of the service as methods of the classes, a file per resource.

mod archive;
mod archive_all;
mod comparisons;
mod costs;
mod diagrams;
mod external;
mod geography;
mod history;
mod layers;
mod maps;
mod new_diagrams;
mod project_info;
mod projects;
mod systems;
mod tags;
mod teams;
mod thumbnails;
mod watch;
