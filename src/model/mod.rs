//! What travels: one file per resource, the same types for client and service.
//!
//! Names are the wire's own. Fields that this crate does not know are kept in `extra` and written back. A number may
//! arrive as text; a date keeps the text it arrived in. Decoding and encoding lose nothing.

mod bounds;
mod dates;
pub mod design;
mod diagram;
mod envelope;
mod feature;
mod ids;
mod layer;
mod lenient;
mod negotiation;
mod project;
mod system;
mod tag;

pub use bounds::{Bounds, Center};
pub use dates::{AsWritten, Date, DateTime};
pub use design::{ChangeTeam, Design, DesignDetails, Period, Synthesis};
pub use diagram::{ChangeHash, CostOverride, Diagram, DiagramKind, DiagramSummary, Note};
pub use envelope::*;
pub use feature::{
    BoundaryProperties, Constraints, DesignProperties, DiagramProperties, EsriFeature, Feature, FeatureCollection,
    SelectionProperties, VolumeInformation, WithGeojson,
};
pub use ids::{DesignId, DiagramId, InvalidId, LayerId, ProjectId, SystemId, TeamId, Username};
pub use layer::Layer;
pub use negotiation::{Move, NegotiationSession};
pub use project::{Member, Plugin, Project, Stakeholder};
pub use system::{SystemDetail, SystemItem};
pub use tag::Tag;

/// Fields of a resource that have no name here, as they arrived.
pub type Extra = serde_json::Map<String, serde_json::Value>;
