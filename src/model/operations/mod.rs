//! The operations of the service, each written once, in a table: the client and the service take its method, its path with the
//! ids in it, and its description from here.

mod operation;
mod path_ids;
#[macro_use]
mod table;

pub use operation::{Endpoint, Operation};
pub use path_ids::{
    InDesign, InDesignSystem, InDiagram, InHistory, InLayer, InProject, InSystem, InTeam, InThumbnail, NoIds, OfMember,
    OfMemberInSystem, OnBoard, PathIds, PathWriter, ProjectPathIds,
};
pub use table::*;
