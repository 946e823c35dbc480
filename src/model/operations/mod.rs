//! The operations of the service, each written once: the client sends them, the service answers them, and both take method,
//! path, ids and description from [the table](table).

mod operation;
mod path_ids;
mod table;

pub use operation::{Endpoint, Operation};
pub use path_ids::{
    InDesign, InDesignSystem, InDiagram, InLayer, InProject, InSystem, InTeam, InThumbnail, NoIds, OfMember,
    OfMemberInSystem, PathIds, PathWriter, ProjectPathIds,
};
pub(crate) use table::summary;
pub use table::*;
