//! The handlers of the operations, a file per group of resources.

mod administration;
mod archive;
mod cards;
mod comments;
mod constraints;
mod costs;
mod diagrams;
mod edits;
mod guests;
mod land;
mod merging;
mod operator;
mod presence;
mod preview;
mod processes;
mod projects;
mod read_maps;
mod systems;
mod tags;
mod teams;
mod thumbnails;
mod walk_ins;

pub use diagrams::{add_drawn, remove_diagram};
pub use edits::edit_own_diagram;
pub use processes::router as processes;

use super::router::Routes;

/// Every operation of the service.
pub fn all() -> Routes {
    projects::routes()
        .merge(tags::routes())
        .merge(diagrams::routes())
        .merge(costs::routes())
        .merge(land::routes())
        .merge(preview::routes())
        .merge(thumbnails::routes())
        .merge(systems::routes())
        .merge(teams::routes())
        .merge(edits::routes())
        .merge(comments::routes())
        .merge(presence::routes())
        .merge(administration::routes())
        .merge(merging::routes())
        .merge(archive::routes())
        .merge(operator::routes())
        .merge(guests::routes())
        .merge(walk_ins::routes())
        .merge(cards::routes())
}
