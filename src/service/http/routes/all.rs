//! The operations of all groups.

use super::{diagrams, layers, limits, maps, new_diagrams, projects, selections, systems, tags, teams, thumbnails};
use crate::service::http::routing::Routes;

/// Every operation of the service.
pub fn all() -> Routes {
    projects::routes()
        .merge(limits::routes())
        .merge(layers::routes())
        .merge(tags::routes())
        .merge(diagrams::routes())
        .merge(new_diagrams::routes())
        .merge(thumbnails::routes())
        .merge(systems::routes())
        .merge(maps::routes())
        .merge(selections::routes())
        .merge(teams::routes())
}
